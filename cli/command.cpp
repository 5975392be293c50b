#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Error.hpp>
#include <CLI/Option.hpp>
#include <algorithm>
#include <stdexcept>

#include "cli/errors.h"
#include "cli/guarded_argument.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

// CLI11 knows errors of values by their type.
template <typename Set>
void WithName(const std::string& name, const Set& set) {
  try {
    set();
  } catch (const Error& error) {
    throw CLI::ValidationError(name, MessageForUser(error));
  } catch (const UsageError& error) {
    throw CLI::ValidationError(name, error.what());
  }
}

CLI::Option& AddTexts(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                      const std::string& description) {
  return *app.add_option_function<std::vector<std::string>>(
      name,
      [&values](const std::vector<std::string>& given) {
        values.clear();
        for (const std::string& text : given) values.push_back(Unguarded(text));
      },
      description);
}

}  // namespace

Option Option::TypeName(const std::string& name) const {
  option_->type_name(name);
  return *this;
}

Option Option::Group(const std::string& name) const {
  option_->group(name);
  return *this;
}

Option Option::Default(const std::string& text) const {
  option_->default_str(text);
  return *this;
}

Option Option::Required() const {
  option_->required();
  return *this;
}

Option Option::Check(const std::function<std::string(const std::string& text)>& fault) const {
  option_->check(fault);
  return *this;
}

Option Option::Suggest(const std::vector<std::string>& values) const {
  (*suggested_)[option_] = values;
  return *this;
}

Option Option::OneOf(const std::vector<std::string>& values) const {
  return Suggest(values).Check([values](const std::string& value) {
    if (std::find(values.begin(), values.end(), value) != values.end()) return std::string();
    return fmt::format("expected {} or {}, found {}{}",
                       fmt::join(values.begin(), values.end() - 1, ", "), values.back(),
                       Quoted(value), Suggestion(value, values));
  });
}

bool Option::given() const { return option_->count() > 0; }

Command Command::AddCommand(const std::string& name, const std::string& description) const {
  return {*app_->add_subcommand(name, description), *suggested_};
}

void Command::Footer(const std::string& text) const { app_->footer(text); }

void Command::RequireCommand() const { app_->require_subcommand(1); }

void Command::Callback(const std::function<void()>& run) const { app_->callback(run); }

Option Command::AddOption(const std::string& name,
                          const std::function<void(const std::string& text)>& set,
                          const std::string& description) const {
  return {
      *app_->add_option_function<std::string>(
          name,
          [name, set](const std::string& text) { WithName(name, [&] { set(Unguarded(text)); }); },
          description),
      *suggested_};
}

Option Command::AddOption(const std::string& name, std::string& value,
                          const std::string& description) const {
  return AddOption(
      name, [&value](const std::string& text) { value = text; }, description);
}

Option Command::AddRepeated(const std::string& name, std::vector<std::string>& values,
                            const std::string& description) const {
  CLI::Option& option = AddTexts(*app_, name, values, description);
  option.allow_extra_args(false);
  return {option, *suggested_};
}

Option Command::AddArguments(const std::string& name, std::vector<std::string>& values,
                             const std::string& description) const {
  return {AddTexts(*app_, name, values, description), *suggested_};
}

Option Command::AddFlag(const std::string& name, bool& value,
                        const std::string& description) const {
  return {*app_->add_flag(name, value, description), *suggested_};
}

bool Command::has(const std::string& name) const {
  return app_->get_option_no_throw(name) != nullptr;
}

Option Command::option(const std::string& name) const {
  CLI::Option* found = app_->get_option_no_throw(name);
  if (found == nullptr) throw std::logic_error("there is no option " + name);
  return {*found, *suggested_};
}

bool Command::given(const std::string& name) const { return has(name) && option(name).given(); }

}  // namespace pushdown::cli
