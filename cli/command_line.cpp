#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/help.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

// A command that the arguments name, or the program itself.
struct NamedCommand {
  const CLI::App* app;
  std::string name;  // with those above it: "pushdown lm train"
};

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

// The arguments that mean nothing to a command; "--" separates others.
std::vector<std::string> Extras(const CLI::App& command) {
  std::vector<std::string> extras = command.remaining();
  extras.erase(std::remove(extras.begin(), extras.end(), "--"), extras.end());
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
                       DidYouMean(NearestOptions(*command.app, name, "--")));
  }
  const std::string& extra = extras.front();
  if (CommandNames(*command.app).empty()) {
    const std::vector<std::string> taken = PositionalNames(*command.app);
    return taken.empty()
               ? fmt::format("{} takes options only, and {} is none", command.name, Quoted(extra))
               : fmt::format("{} is one argument too many: {} takes {}", Quoted(extra),
                             command.name, fmt::join(taken, " and "));
  }
  return fmt::format("{} has no command {}{}; it has: {}", command.name, Quoted(extra),
                     Suggestion(extra, CommandNames(*command.app)), ListedCommands(*command.app));
}

// "--lengths: 1 required A:B missing" begins with the name.
std::string MissingValueComplaint(const CLI::App& command, const std::string& message) {
  const std::string name = message.substr(0, message.find_first_of(": "));
  const CLI::Option* option = command.get_option_no_throw(name);
  return option == nullptr || option->get_type_name().empty()
             ? fmt::format("{}: a value is missing", name)
             : fmt::format("{} needs a value: {} {}", name, name, option->get_type_name());
}

}  // namespace

void PrepareCommandLine(CLI::App& program) {
  UseHelpFormatter(program);
  PrepareCommand(program);
}

std::vector<std::string> NearestOptions(const CLI::App& command, const std::string& given,
                                        const std::string& prefix) {
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    for (const std::string& name : option->get_lnames()) known.push_back(name);
  }
  const std::size_t begin = std::min(given.find_first_not_of('-'), given.size());
  std::vector<std::string> near = NearestNames(given.substr(begin), known);
  for (std::string& name : near) name = prefix + name;
  return near;
}

std::string Complaint(const CLI::App& program, const CLI::ParseError& error) {
  std::vector<NamedCommand> commands = {{&program, program.get_name()}};
  while (!commands.back().app->get_subcommands().empty()) {
    const CLI::App* inner = commands.back().app->get_subcommands().front();
    commands.push_back({inner, commands.back().name + " " + inner->get_name()});
  }
  const auto& [command, name] = commands.back();
  const auto with_hint = [](const std::string& message, const std::string& of) {
    return fmt::format("{}; see {} --help", message, of);
  };
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  if (required || dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // What is missing may be what was misspelt.
    for (std::size_t n = 0; n < commands.size(); ++n) {
      if (Extras(*commands[n].app).empty()) continue;
      const CLI::App* inner = n + 1 < commands.size() ? commands[n + 1].app : nullptr;
      return with_hint(ExtraComplaint(commands[n], inner), commands[n].name);
    }
  }
  if (required && !CommandNames(*command).empty()) {
    return with_hint(fmt::format("no command is given; {} has: {}", name, ListedCommands(*command)),
                     name);
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return with_hint(MissingValueComplaint(*command, error.what()), name);
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // All values are read as texts, and by us; what is left are flags.
    return with_hint("an option that takes no value is given one", name);
  }
  return with_hint(Printable(error.what(), 200), name);
}

}  // namespace pushdown::cli
