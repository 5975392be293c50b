#include "pushdown/formal/language.h"

#include <cmath>
#include <utility>

#include "pushdown/error.h"

namespace pushdown {

Language::Language(SymbolTable alphabet, int max_length)
    : alphabet_(std::move(alphabet)), max_length_(max_length) {
  if (max_length < 0 || max_length > kMaxLength) {
    throw Error("[pushdown::Language] the longest length is " + std::to_string(max_length) +
                ", must be between 0 and " + std::to_string(kMaxLength));
  }
}

bool Language::HasLength(int length) const {
  return length >= 0 && length <= max_length_ && std::isfinite(LogWeightOfLength(length));
}

double Language::LogProbabilityGivenLength(std::span<const int> string) const {
  if (string.size() > static_cast<std::size_t>(max_length_)) {
    throw Error("[pushdown::Language] a string has " + std::to_string(string.size()) +
                " symbols, more than " + std::to_string(max_length_));
  }
  const double weight = LogWeight(string);
  // -infinity, and not a difference of infinities, where there is no string of this length.
  return std::isfinite(weight) ? weight - LogWeightOfLength(static_cast<int>(string.size()))
                               : weight;
}

}  // namespace pushdown
