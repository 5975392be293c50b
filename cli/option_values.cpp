#include "cli/option_values.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "cli/errors.h"
#include "cli/machine.h"
#include "pushdown/formal/language.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"

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

double ParseReal(const std::string& option, const std::string& text, RealRange range) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool number = rest == end && error == std::errc() && std::isfinite(value);
  const bool above = value > range.min || (range.min_included && value == range.min);
  const bool below = value < range.max || (range.max_included && value == range.max);
  if (number && above && below) return value;
  const std::string lower =
      fmt::format("{} {}", range.min_included ? "at least" : "greater than", range.min);
  const std::string upper =
      std::isfinite(range.max)
          ? fmt::format(" and {} {}", range.max_included ? "at most" : "less than", range.max)
          : "";
  throw CLI::ValidationError(
      option, fmt::format("expected a number {}{}, found {}", lower, upper, Quoted(text)));
}

CLI::Option* AddRealOption(CLI::App& command, const std::string& name, double& value,
                           const std::string& description, RealRange range) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &value, range](const std::string& text) { value = ParseReal(name, text, range); },
          description)
      ->type_name("X")
      ->default_str(fmt::format("{}", value));
}

CLI::Option* AddOptionalReal(CLI::App& command, const std::string& name,
                             std::optional<double>& value, const std::string& description,
                             RealRange range) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &value, range](const std::string& text) { value = ParseReal(name, text, range); },
          description)
      ->type_name("X");
}

std::function<std::string(const std::string&)> OneOf(std::vector<std::string> names) {
  return [names = std::move(names)](const std::string& value) {
    if (std::find(names.begin(), names.end(), value) != names.end()) return std::string();
    return fmt::format("expected {} or {}, found {}{}",
                       fmt::join(names.begin(), names.end() - 1, ", "), names.back(), Quoted(value),
                       Suggestion(value, names));
  };
}

void AddSplitOption(CLI::App& command, std::string& split) {
  command.add_option("--split", split, "training, validation or test")
      ->type_name("SPLIT")
      ->check(OneOf({"training", "validation", "test"}))
      ->capture_default_str();
}

void AddRunArgument(CLI::App& command, std::string& run) {
  command.add_option("RUN", run, "Directory of a training run")->type_name("")->required();
}

void AddThreadsOption(CLI::App& command, int& threads) {
  threads = CpuCount();
  AddIntegerOption(command, "--threads", threads, "Threads to compute with", 1, kMaxBlasCallers);
}

double ParseDuration(const std::string& option, const std::string& text) {
  constexpr double kLongest = 1e9;
  double seconds = 0;
  std::size_t begin = 0;
  bool good = !text.empty();
  for (double largest = std::numeric_limits<double>::infinity(); good && begin < text.size();) {
    const std::size_t unit = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    double number = 0;
    const char* end = text.data() + unit;
    const auto [rest, error] = std::from_chars(text.data() + begin, end, number);
    const char name = unit < text.size() ? text[unit] : 's';
    const double size = name == 'd'   ? 86400
                        : name == 'h' ? 3600
                        : name == 'm' ? 60
                        : name == 's' ? 1
                                      : 0;
    // Units become smaller, so that each comes once.
    good = unit > begin && rest == end && error == std::errc() && size > 0 && size < largest;
    seconds += number * size;
    largest = size;
    begin = unit + 1;
  }
  if (!good || !(seconds > 0 && seconds <= kLongest)) {
    throw CLI::ValidationError(
        option,
        fmt::format("expected a time such as 90s, 15m, 1h30m or 2d, found {}", Quoted(text)));
  }
  return seconds;
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

LengthRange TestLengthsFor(LengthRange lengths) {
  return {lengths.min, std::min(lengths.max + lengths.max / 4, Language::kMaxLength)};
}

std::string RangeText(LengthRange range) { return fmt::format("{}:{}", range.min, range.max); }

}  // namespace pushdown::cli
