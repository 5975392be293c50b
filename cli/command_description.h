#pragma once

#include <string>
#include <vector>

namespace pushdown::cli {

// What the help of a program says, as data: man pages and the completion of shells are made of it.

// An option, a flag or an argument of a command.
struct OptionDescription {
  std::vector<std::string> names = {};  // "-o" and "--format"; an argument has one, such as "FILE"
  std::string description = {};
  std::string value = {};  // what stands for the value, such as "FILE"; empty for a flag
  std::string default_text = {};
  std::string group = {};                   // the heading in the help
  std::vector<std::string> suggested = {};  // values to choose from
  bool is_argument = false;
  bool is_required = false;
  bool is_repeated = false;  // whether it may have several values
};

struct CommandDescription {
  std::string name = {};  // with those above it: "pushdown lm train"
  std::string description = {};
  std::string footer = {};                      // the text below the options
  std::vector<OptionDescription> options = {};  // without hidden ones
  std::vector<CommandDescription> commands = {};
};

// The last word of its name.
inline std::string ShortName(const CommandDescription& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

}  // namespace pushdown::cli
