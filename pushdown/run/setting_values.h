#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "pushdown/data/string_distribution.h"

namespace pushdown {

// These functions read the values of settings and options strictly. All throw Error, with a message
// that says what was expected and what was found; the caller adds the name of the setting.

// Reads a decimal number without a sign. (Many libraries would read 010 as eight.)
std::uint64_t ParseInteger(const std::string& text, std::uint64_t min, std::uint64_t max);

// The range of a number that is not an integer.
struct RealRange {
  double min = 0;
  double max = 0;
  bool min_included = false;
  bool max_included = false;
};
inline constexpr RealRange kPositive = {0, std::numeric_limits<double>::infinity()};
inline constexpr RealRange kNotNegative = {0, std::numeric_limits<double>::infinity(), true};
inline constexpr RealRange kFraction = {0, 1, true, false};          // [0, 1)
inline constexpr RealRange kPositiveFraction = {0, 1, false, true};  // (0, 1]
double ParseReal(const std::string& text, RealRange range);

// Reads A:B, or one number for a single length.
LengthRange ParseLengths(const std::string& text);
std::string RangeText(LengthRange range);
// The default lengths of the test set: up to a quarter longer, 40:100 for 40:80.
LengthRange TestLengthsFor(LengthRange lengths);

// Reads a time such as "90s", "15m", "1h30m", "2d", or a number of seconds. Returns seconds.
double ParseDuration(const std::string& text);

// The index of a name among those that are allowed.
std::size_t ParseChoice(const std::string& text, std::span<const std::string> names);

}  // namespace pushdown
