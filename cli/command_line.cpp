#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/errors.h"
#include "cli/guarded_argument.h"
#include "cli/help.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

// A command that the arguments name, or the program itself.
struct NamedCommand {
  CLI::App* app;
  std::string name;  // with those above it: "pushdown lm train"
};

// Of an option that is given several times the last value counts, unless it takes several; and the
// name of an option is no value of another.
void PrepareCommand(CLI::App& command) {
  for (CLI::Option* option : command.get_options([](const CLI::Option*) { return true; })) {
    if (option->get_items_expected_max() <= 1) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    if (option->get_items_expected_max() == 0) continue;  // a flag
    option->check([&command](const std::string& value) {
      const bool is_option =
          value.starts_with("--") && command.get_option_no_throw(value) != nullptr;
      return is_option ? fmt::format("a value is missing; {} is the next option", value)
                       : std::string();
    });
  }
  for (CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    PrepareCommand(*each);
  }
}

std::vector<std::string> CommandNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(each->get_name());
  }
  return names;
}

std::vector<std::string> PositionalNames(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) names.push_back(option->get_name(/*positional=*/true));
  }
  return names;
}

std::string ListedCommands(const CLI::App& command) {
  return fmt::format("{}", fmt::join(CommandNames(command), " "));
}

std::string UnknownCommand(const NamedCommand& command, const std::string& name) {
  if (CommandNames(*command.app).empty()) {
    return fmt::format("{} has no commands, and so not {}", command.name, Quoted(name));
  }
  return fmt::format("{} has no command {}{}; it has: {}", command.name, Quoted(name),
                     Suggestion(name, CommandNames(*command.app)), ListedCommands(*command.app));
}

// The options that somebody may have meant; what was given may have dashes before it.
std::vector<std::string> NearestOptions(const CLI::App& command, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& long_name : option->get_lnames()) known.push_back(long_name);
  }
  const std::size_t begin = std::min(name.find_first_not_of('-'), name.size());
  std::vector<std::string> near = NearestNames(name.substr(begin), known);
  for (std::string& each : near) each.insert(0, "--");
  return near;
}

// The arguments that mean nothing to a command; "--" separates others.
std::vector<std::string> Extras(const CLI::App& command) {
  std::vector<std::string> extras = command.remaining();
  extras.erase(std::remove(extras.begin(), extras.end(), "--"), extras.end());
  for (std::string& extra : extras) extra = Unguarded(extra);
  return extras;
}

bool IsOption(const std::string& argument) { return argument.size() > 1 && argument[0] == '-'; }

// `inner` is the command that follows this one, if there is one.
std::string ExtraComplaint(const NamedCommand& command, const CLI::App* inner) {
  const std::vector<std::string> extras = Extras(*command.app);
  const bool wants_command = inner == nullptr && !CommandNames(*command.app).empty();
  const auto option = std::find_if(extras.begin(), extras.end(), IsOption);
  // What follows an option that is not known may be its value.
  if (option != extras.end() && !(wants_command && option != extras.begin())) {
    const std::string name = option->substr(0, option->find('='));
    if (inner != nullptr && inner->get_option_no_throw(name) != nullptr) {
      return fmt::format("{} is an option of {} {}, and stands after that", name, command.name,
                         inner->get_name());
    }
    return fmt::format("{} has no option {}{}", command.name, Printable(name),
                       DidYouMean(NearestOptions(*command.app, name)));
  }
  const std::string& extra = extras.front();
  if (CommandNames(*command.app).empty()) {
    const std::vector<std::string> taken = PositionalNames(*command.app);
    return taken.empty()
               ? fmt::format("{} takes options only, and {} is none", command.name, Quoted(extra))
               : fmt::format("{} is one argument too many: {} takes {}", Quoted(extra),
                             command.name, fmt::join(taken, " and "));
  }
  return UnknownCommand(command, extra);
}

// "--lengths: 1 required A:B missing" begins with the name.
std::string MissingValueComplaint(const CLI::App& command, const std::string& message) {
  const std::string name = message.substr(0, message.find_first_of(": "));
  const CLI::Option* option = command.get_option_no_throw(name);
  return option == nullptr || option->get_type_name().empty()
             ? fmt::format("{}: a value is missing", name)
             : fmt::format("{} needs a value: {} {}", name, name, option->get_type_name());
}

std::string WithHint(const std::string& message, const std::string& command) {
  return fmt::format("{}; see {} --help", message, command);
}

// What is wrong with the arguments, and where to look.
std::string Complaint(CLI::App& program, const CLI::ParseError& error) {
  std::vector<NamedCommand> commands = {{&program, program.get_name()}};
  while (!commands.back().app->get_subcommands().empty()) {
    CLI::App* inner = commands.back().app->get_subcommands().front();
    commands.push_back({inner, commands.back().name + " " + inner->get_name()});
  }
  const auto& [command, name] = commands.back();
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (required || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // What is missing may be what was misspelt.
    for (std::size_t n = 0; n < commands.size(); ++n) {
      if (Extras(*commands[n].app).empty()) continue;
      const CLI::App* inner = n + 1 < commands.size() ? commands[n + 1].app : nullptr;
      return WithHint(ExtraComplaint(commands[n], inner), commands[n].name);
    }
  }
  if (required && !CommandNames(*command).empty()) {
    return WithHint(fmt::format("no command is given; {} has: {}", name, ListedCommands(*command)),
                    name);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return WithHint(MissingValueComplaint(*command, error.what()), name);
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // All values are read as texts, and by us; what is left are flags.
    return WithHint("an option that takes no value is given one", name);
  }
  return WithHint(Printable(error.what(), 200), name);
}

// Prints the help of the command that the words name.
void PrintHelp(CLI::App& program, const std::vector<std::string>& words) {
  NamedCommand command = {&program, program.get_name()};
  for (const std::string& word : words) {
    const std::vector<CLI::App*> found = command.app->get_subcommands(
        [&word](const CLI::App* each) { return each->get_name() == word; });
    if (found.empty()) throw UsageError(WithHint(UnknownCommand(command, word), command.name));
    command = {found.front(), command.name + " " + word};
  }
  // Not App::help, which prefers the command that is running, this one.
  std::cout << command.app->get_formatter()->make_help(command.app, command.name,
                                                       CLI::AppFormatMode::Normal);
}

}  // namespace

Program::Program(const std::string& name, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, name)),
      suggested_(std::make_unique<SuggestedValues>()) {}

Program::~Program() = default;

Command Program::command() const { return Command(*app_, *suggested_); }

void Program::AddVersion(const std::function<std::string()>& text,
                         const std::string& description) const {
  app_->set_version_flag("-V,--version", text, description);
}

void Program::AddHelpCommand(const std::string& footer) const {
  const Command help = command().AddCommand("help", "Print the help of a command");
  help.Footer(footer);
  auto words = std::make_shared<std::vector<std::string>>();
  help.AddArguments("COMMAND", *words, "Its name, such as train, or lm train").TypeName("");
  help.Callback([program = app_.get(), words] { PrintHelp(*program, *words); });
}

void Program::Run(int argc, const char* const* argv) const {
  UseHelpFormatter(*app_);
  PrepareCommand(*app_);
  std::vector<std::string> arguments;  // the last one first, as CLI11 wants them
  for (int n = argc - 1; n > 0; --n) arguments.push_back(Guarded(argv[n]));
  try {
    app_->parse(std::move(arguments));
  } catch (const CLI::Success& success) {  // --help and --version
    app_->exit(success);
  } catch (const CLI::ParseError& error) {
    throw UsageError(Complaint(*app_, error));
  }
}

}  // namespace pushdown::cli
