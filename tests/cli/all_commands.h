#pragma once

#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace pushdown::testing_cli {

struct CommandHelp {
  std::vector<std::string> command;  // the words after the name of the program
  std::string help;
};

// The commands that a help lists.
inline std::vector<std::string> Subcommands(const std::string& help) {
  std::vector<std::string> names;
  const std::string heading = "\nSubcommands:\n";
  const std::size_t begin = help.find(heading);
  if (begin == help.npos) return names;
  std::istringstream lines(help.substr(begin + heading.size()));
  for (std::string line; std::getline(lines, line) && line.starts_with("  ");) {
    if (line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

// Of the program and of every command that a help lists. `run` returns what the program prints.
inline std::vector<CommandHelp> HelpOfAllCommands(
    const std::function<std::string(const std::vector<std::string>& arguments)>& run) {
  std::vector<CommandHelp> all = {{{}, run({"--help"})}};
  for (std::size_t n = 0; n < all.size(); ++n) {
    for (const std::string& name : Subcommands(all[n].help)) {
      std::vector<std::string> command = all[n].command;
      command.push_back(name);
      std::vector<std::string> arguments = command;
      arguments.emplace_back("--help");
      all.push_back({command, run(arguments)});
    }
  }
  return all;
}

}  // namespace pushdown::testing_cli
