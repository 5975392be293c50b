#include "cli/option_values.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <system_error>

#include "cli/errors.h"
#include "pushdown/formal/language.h"

namespace pushdown::cli {

std::uint64_t ParseInteger(const std::string& option, const std::string& text, std::uint64_t min,
                           std::uint64_t max) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool digits = rest == end && error != std::errc::invalid_argument;
  if (!digits || (error == std::errc() && value < min)) {
    throw CLI::ValidationError(
        option, fmt::format("expected an integer of at least {}, found {}", min, Quoted(text)));
  }
  if (error != std::errc() || value > max) {
    throw CLI::ValidationError(
        option, fmt::format("expected an integer of at most {}, found {}", max, Quoted(text)));
  }
  return value;
}

CLI::Option* AddLengthsOption(CLI::App& command, const std::string& name, LengthRange& value,
                              const std::string& description) {
  const auto parse = [name, &value](const std::string& text) {
    const std::size_t colon = text.find(':');
    const bool range = text.find_first_not_of("0123456789:") == text.npos &&
                       colon == text.rfind(':') && colon != 0 && colon + 1 != text.size();
    if (!range) {
      throw CLI::ValidationError(
          name, fmt::format("expected a length or a range such as 3:10, found {}", Quoted(text)));
    }
    const auto length = [&](const std::string& part) {
      return static_cast<int>(ParseInteger(name, part, 0, Language::kMaxLength));
    };
    const int min = length(text.substr(0, colon));
    const int max = colon == text.npos ? min : length(text.substr(colon + 1));
    if (min > max) {
      throw CLI::ValidationError(
          name, fmt::format("the range {} is empty; the shortest length comes first, as in {}:{}",
                            Quoted(text), max, min));
    }
    value = {min, max};
  };
  return command.add_option_function<std::string>(name, parse, description)
      ->type_name("A:B")
      ->default_str(RangeText(value));
}

CLI::Option* AddOutputOption(CLI::App& command, std::string& path) {
  return command.add_option("--out", path, "File to write; - for standard output")
      ->type_name("FILE")
      ->check([](const std::string& name) {
        return name.empty() ? std::string("the name of a file is empty") : std::string();
      })
      ->capture_default_str();
}

std::string RangeText(LengthRange range) { return fmt::format("{}:{}", range.min, range.max); }

}  // namespace pushdown::cli
