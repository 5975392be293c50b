#include "cli/help.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <CLI/Option.hpp>
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include "cli/terminal.h"

namespace pushdown::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kNameWidth = 30;
constexpr std::size_t kLongDefault = 20;

// What something is called, and beside or below it what it is.
std::string Entry(const std::string& name, const std::string& description) {
  std::string text = "  " + name;
  if (Columns(text) + 1 > kNameWidth) text += "\n";
  const std::size_t line = text.ends_with('\n') ? 0 : Columns(text);
  text += std::string(kNameWidth - line, ' ');
  const std::string wrapped = Wrapped(description, kWidth - kNameWidth);
  for (const char c : wrapped) {
    text += c;
    if (c == '\n') text += std::string(kNameWidth, ' ');
  }
  return text + "\n";
}

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    std::string name = make_option_name(option, is_positional);
    std::string description = make_option_desc(option);
    if (option->get_items_expected_max() > 0) {  // no flag
      if (!option->get_type_name().empty()) name += " " + option->get_type_name();
      const std::string default_text = option->get_default_str();
      if (default_text.size() > kLongDefault) {
        description += fmt::format(" (default: {})", default_text);
      } else if (!default_text.empty()) {
        name += "=" + default_text;
      }
      if (option->get_items_expected_max() > 1) name += " ...";
      if (option->get_required()) name += " REQUIRED";
    }
    return Entry(name, description);
  }

  std::string make_subcommand(const CLI::App* command) const override {
    return Entry(command->get_name(), command->get_description());
  }
};

void UseFormatter(CLI::App& command, const std::shared_ptr<HelpFormatter>& formatter) {
  command.formatter(formatter);
  for (CLI::App* each : command.get_subcommands([](const CLI::App*) { return true; })) {
    UseFormatter(*each, formatter);
  }
}

}  // namespace

void UseHelpFormatter(CLI::App& program) {
  UseFormatter(program, std::make_shared<HelpFormatter>());
}

}  // namespace pushdown::cli
