#include "pushdown/formal/language.h"

#include <cmath>
#include <utility>

#include "pushdown/error.h"

namespace pushdown {

Language::Language(SymbolTable alphabet, int max_length)
    : alphabet_(std::move(alphabet)), max_length_(max_length) {
  if (max_length < 0 || max_length > kMaxLength) {
    throw Error("pushdown::Language", "the longest length is " + std::to_string(max_length) +
                                          ", must be between 0 and " + std::to_string(kMaxLength));
  }
}

void Language::CheckLength(std::size_t length) const {
  if (length > static_cast<std::size_t>(max_length_)) {
    throw Error("pushdown::Language",
                "a length is not between 0 and " + std::to_string(max_length_));
  }
}

void Language::CheckSymbols(std::span<const int> string) const {
  for (int symbol : string) {
    if (symbol < 0 || symbol >= alphabet_.size()) {
      throw Error("pushdown::Language", std::to_string(symbol) +
                                            " is not the number of a symbol, which are 0 to " +
                                            std::to_string(alphabet_.size() - 1));
    }
  }
}

double Language::LogWeightOfLength(int length) const {
  CheckLength(static_cast<std::size_t>(length));  // a negative length becomes a huge one
  return DoLogWeightOfLength(length);
}

double Language::LogWeight(std::span<const int> string) const {
  CheckSymbols(string);
  return DoLogWeight(string);
}

std::vector<std::vector<double>> Language::LogPrefixWeights(std::span<const int> string,
                                                            int longest) const {
  CheckLength(string.size());
  CheckLength(static_cast<std::size_t>(longest));
  CheckSymbols(string);
  return DoLogPrefixWeights(string, longest);
}

std::optional<Objection> Language::FindObjection(std::span<const int> string) const {
  CheckSymbols(string);
  return DoFindObjection(string);
}

std::vector<int> Language::Sample(int length, Random& random) const {
  if (!HasLength(length)) {
    throw Error("pushdown::Language::Sample",
                "there is no string of length " + std::to_string(length));
  }
  return DoSample(length, random);
}

bool Language::HasLength(int length) const {
  return length >= 0 && length <= max_length_ && std::isfinite(DoLogWeightOfLength(length));
}

double Language::LogProbabilityGivenLength(std::span<const int> string) const {
  CheckLength(string.size());
  const double weight = LogWeight(string);
  // If there is no string of this length, the result must not be a difference of infinities.
  return std::isfinite(weight) ? weight - DoLogWeightOfLength(static_cast<int>(string.size()))
                               : weight;
}

}  // namespace pushdown
