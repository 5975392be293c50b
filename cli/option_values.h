#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <string>

#include "pushdown/data/string_distribution.h"

namespace pushdown::cli {

// Options whose values CLI11 does not read as strictly as we do: it takes 010 for eight.

// A decimal number. Throws CLI::ValidationError for anything else and for values out of range.
std::uint64_t ParseInteger(const std::string& option, const std::string& text, std::uint64_t min,
                           std::uint64_t max);

// `value` has the default, and must live until the command runs.
template <typename T>
CLI::Option* AddIntegerOption(CLI::App& command, const std::string& name, T& value,
                              const std::string& description, std::uint64_t min = 0,
                              std::uint64_t max = std::numeric_limits<T>::max()) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &value, min, max](const std::string& text) {
            value = static_cast<T>(ParseInteger(name, text, min, max));
          },
          description)
      ->type_name("N")
      ->default_str(fmt::format("{}", value));
}

// A:B, or one number for a single length.
CLI::Option* AddLengthsOption(CLI::App& command, const std::string& name, LengthRange& value,
                              const std::string& description);

// --out FILE.
CLI::Option* AddOutputOption(CLI::App& command, std::string& path);

std::string RangeText(LengthRange range);

}  // namespace pushdown::cli
