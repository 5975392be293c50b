#include "pushdown/run/setting_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/language.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

[[noreturn]] void Expected(const std::string& what, const std::string& found) {
  throw Error("pushdown::ParseSetting", fmt::format("expected {}, found {}", what, Quoted(found)));
}

}  // namespace

std::uint64_t ParseInteger(const std::string& text, std::uint64_t min, std::uint64_t max) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const bool digits = rest == end && error != std::errc::invalid_argument;
  if (!digits || (error == std::errc() && value < min)) {
    Expected(fmt::format("an integer of at least {}", min), text);
  }
  if (error != std::errc() || value > max) {
    Expected(fmt::format("an integer of at most {}", max), text);
  }
  return value;
}

double ParseReal(const std::string& text, RealRange range) {
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
  Expected(fmt::format("a number {}{}", lower, upper), text);
}

LengthRange ParseLengths(const std::string& text) {
  const std::size_t colon = text.find(':');
  const bool range = !text.empty() && text.find_first_not_of("0123456789:") == text.npos &&
                     colon == text.rfind(':') && colon != 0 && colon + 1 != text.size();
  if (!range) Expected("a length or a range such as 3:10", text);
  const auto length = [&](const std::string& part) {
    return static_cast<int>(ParseInteger(part, 0, Language::kMaxLength));
  };
  const int min = length(text.substr(0, colon));
  const int max = colon == text.npos ? min : length(text.substr(colon + 1));
  if (min > max) {
    throw Error("pushdown::ParseLengths",
                fmt::format("the range {} is empty; the shortest length comes first, as in {}:{}",
                            Quoted(text), max, min));
  }
  return {min, max};
}

std::string RangeText(LengthRange range) { return fmt::format("{}:{}", range.min, range.max); }

LengthRange TestLengthsFor(LengthRange lengths) {
  return {lengths.min, std::min(lengths.max + lengths.max / 4, Language::kMaxLength)};
}

double ParseDuration(const std::string& text) {
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
    Expected("a time such as 90s, 15m, 1h30m or 2d", text);
  }
  return seconds;
}

std::size_t ParseChoice(const std::string& text, std::span<const std::string> names) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw Error(
      "pushdown::ParseSetting",
      fmt::format("expected {} or {}, found {}{}", fmt::join(names.begin(), names.end() - 1, ", "),
                  names.back(), Quoted(text), Suggestion(text, {names.begin(), names.end()})));
}

}  // namespace pushdown
