#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace pushdown::cli {

struct CommandDescription;

// The commands of the program and their options, without the headers of CLI11, which take seconds
// to compile in every file that includes them; only cli/command.cpp and cli/command_line.cpp do.
// Command and Option are handles, which are passed by value: what they stand for lives as long as
// the Program.

// The values that shells suggest for options, since CLI11 has no place for them.
using SuggestedValues = std::map<const CLI::Option*, std::vector<std::string>>;

// An option, an argument or a flag of a command.
class Option {
 public:
  Option(CLI::Option& option, SuggestedValues& suggested)
      : option_(&option), suggested_(&suggested) {}

  // What stands for the value in the help, such as FILE. Nothing stands for it if it is empty.
  Option TypeName(const std::string& name) const;
  // The heading in the help. An option of the group "" is not shown.
  Option Group(const std::string& name) const;
  // What the help shows as the default. Empty: it shows none.
  Option Default(const std::string& text) const;
  Option Required() const;
  // `fault` returns what is wrong with the text of a value, or nothing if it is right. Checks come
  // before the value is set.
  Option Check(const std::function<std::string(const std::string& text)>& fault) const;

  // Values that shells suggest.
  Option Suggest(const std::vector<std::string>& values) const;
  // The same for an option that has no others: they are checked.
  Option OneOf(const std::vector<std::string>& values) const;

  // Whether the command line has the option.
  bool given() const;

 private:
  CLI::Option* option_;
  SuggestedValues* suggested_;
};

// A command, or the program itself. A name is "--name" or "-n" for an option, and "NAME" for an
// argument. Variables that are set must live until the command runs, and have the default.
class Command {
 public:
  Command(CLI::App& app, SuggestedValues& suggested) : app_(&app), suggested_(&suggested) {}

  Command AddCommand(const std::string& name, const std::string& description) const;
  // The text below the options in the help.
  void Footer(const std::string& text) const;
  // One of the commands that were added must follow this one.
  void RequireCommand() const;
  // What the command does, when all options are set.
  void Callback(const std::function<void()>& run) const;

  // `set` takes the text of the value, the last one if there are several. If it throws Error or
  // UsageError, the complaint is "--name: " and the message.
  Option AddOption(const std::string& name, const std::function<void(const std::string& text)>& set,
                   const std::string& description) const;
  Option AddOption(const std::string& name, std::string& value,
                   const std::string& description) const;
  // An option that may be repeated, with one value each time.
  Option AddRepeated(const std::string& name, std::vector<std::string>& values,
                     const std::string& description) const;
  // An argument that takes all that follow, too.
  Option AddArguments(const std::string& name, std::vector<std::string>& values,
                      const std::string& description) const;
  Option AddFlag(const std::string& name, bool& value, const std::string& description) const;

  bool has(const std::string& name) const;
  // Throws std::logic_error if there is no such option.
  Option option(const std::string& name) const;
  // Whether there is such an option, and it is given.
  bool given(const std::string& name) const;

 private:
  CLI::App* app_;
  SuggestedValues* suggested_;
};

// The program, which owns its commands and their options.
class Program {
 public:
  Program(const std::string& name, const std::string& description);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Command command() const;
  // -V and --version. `text` is called when one of them is given.
  void AddVersion(const std::function<std::string()>& text, const std::string& description) const;
  // The command `help [COMMAND...]`, which prints what `COMMAND... --help` prints.
  void AddHelpCommand(const std::string& footer) const;
  // Sets the options and runs the command that the arguments name, or prints help or the version.
  // Throws UsageError if the arguments are wrong, and what the command throws.
  void Run(int argc, const char* const* argv) const;
  // What the help of the program and its commands says.
  CommandDescription Describe() const;

 private:
  std::unique_ptr<CLI::App> app_;
  std::unique_ptr<SuggestedValues> suggested_;
};

}  // namespace pushdown::cli
