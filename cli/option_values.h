#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/data/string_distribution.h"

namespace pushdown::cli {

// Options whose values CLI11 does not read as strictly as we do: it takes 010 for eight.

// A decimal number. Throws CLI::ValidationError for anything else and for values out of range.
std::uint64_t ParseInteger(const std::string& option, const std::string& text, std::uint64_t min,
                           std::uint64_t max);

// There is no value unless it is given; it must live until the command runs. `Value` is an integer,
// or an optional one.
template <typename T, typename Value>
CLI::Option* AddInteger(CLI::App& command, const std::string& name, Value& value,
                        const std::string& description, std::uint64_t min, std::uint64_t max) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &value, min, max](const std::string& text) {
            value = static_cast<T>(ParseInteger(name, text, min, max));
          },
          description)
      ->type_name("N");
}

// `value` has the default.
template <typename T>
CLI::Option* AddIntegerOption(CLI::App& command, const std::string& name, T& value,
                              const std::string& description, std::uint64_t min = 0,
                              std::uint64_t max = std::numeric_limits<T>::max()) {
  return AddInteger<T>(command, name, value, description, min, max)
      ->default_str(fmt::format("{}", value));
}
template <typename T>
CLI::Option* AddOptionalInteger(CLI::App& command, const std::string& name, std::optional<T>& value,
                                const std::string& description, std::uint64_t min,
                                std::uint64_t max = std::numeric_limits<T>::max()) {
  return AddInteger<T>(command, name, value, description, min, max);
}

// What a number that is not an integer may be.
struct RealRange {
  double min = 0;
  double max = 0;
  bool min_included = false;
  bool max_included = false;
};
inline constexpr RealRange kPositive = {0, std::numeric_limits<double>::infinity()};
inline constexpr RealRange kFraction = {0, 1, true, false};          // [0, 1)
inline constexpr RealRange kPositiveFraction = {0, 1, false, true};  // (0, 1]

// Throws CLI::ValidationError.
double ParseReal(const std::string& option, const std::string& text, RealRange range);
CLI::Option* AddRealOption(CLI::App& command, const std::string& name, double& value,
                           const std::string& description, RealRange range);

CLI::Option* AddOptionalReal(CLI::App& command, const std::string& name,
                             std::optional<double>& value, const std::string& description,
                             RealRange range);

// A check of options whose value is one of some names.
std::function<std::string(const std::string&)> OneOf(std::vector<std::string> names);

// --split: training, validation or test.
void AddSplitOption(CLI::App& command, std::string& split);

// RUN, the directory of a training.
void AddRunArgument(CLI::App& command, std::string& run);
// --threads, as many as there are CPUs by default.
void AddThreadsOption(CLI::App& command, int& threads);

// "90s", "15m", "1h30m", "2d", or seconds as a number. Throws CLI::ValidationError.
double ParseDuration(const std::string& option, const std::string& text);

// A:B, or one number for a single length.
CLI::Option* AddLengthsOption(CLI::App& command, const std::string& name, LengthRange& value,
                              const std::string& description);

// --out FILE.
CLI::Option* AddOutputOption(CLI::App& command, std::string& path);

std::string RangeText(LengthRange range);

// The test set's lengths where they are not given: a quarter longer, as 40:100 is for 40:80.
LengthRange TestLengthsFor(LengthRange lengths);

}  // namespace pushdown::cli
