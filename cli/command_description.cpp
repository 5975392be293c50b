#include "cli/command_description.h"

#include <CLI/App.hpp>
#include <CLI/Option.hpp>
#include <cctype>

#include "cli/command.h"

namespace pushdown::cli {
namespace {

std::string UpperCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

OptionDescription Describe(const CLI::Option& option, const SuggestedValues& suggested) {
  OptionDescription description = {.description = option.get_description(),
                                   .default_text = option.get_default_str(),
                                   .group = option.get_group(),
                                   .is_argument = option.get_positional(),
                                   .is_required = option.get_required(),
                                   .is_repeated = option.get_items_expected_max() > 1};
  if (description.is_argument) {
    description.names = {UpperCase(option.get_name(/*positional=*/true))};
  }
  for (const std::string& name : option.get_snames()) description.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) description.names.push_back("--" + name);
  const bool is_flag = option.get_items_expected_max() == 0;
  if (!is_flag) description.value = option.get_type_name();
  if (!is_flag && description.value.empty()) description.value = description.names.front();
  const auto values = suggested.find(&option);
  if (values != suggested.end()) description.suggested = values->second;
  return description;
}

CommandDescription Describe(const CLI::App& app, const std::string& name,
                            const SuggestedValues& suggested) {
  CommandDescription description = {
      .name = name, .description = app.get_description(), .footer = app.get_footer()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;  // hidden
    description.options.push_back(Describe(*option, suggested));
  }
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    description.commands.push_back(Describe(*each, name + " " + each->get_name(), suggested));
  }
  return description;
}

}  // namespace

CommandDescription Program::Describe() const {
  return cli::Describe(*app_, app_->get_name(), *suggested_);
}

}  // namespace pushdown::cli
