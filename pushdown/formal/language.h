#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/formal/symbols.h"
#include "pushdown/random.h"

namespace pushdown {

// Why a string is not in a language.
struct Objection {
  int position = 1;    // counted from 1; the string's length + 1 stands for its end
  std::string reason;  // without the position
};

// A formal language with a distribution over its strings of each length, p(w | |w| = length): each
// string has a weight, and its probability is its share in the weight of all strings of its length.
// Strings consist of the numbers of symbols of the alphabet. All functions throw Error for other
// numbers, and for lengths that are not in 0 .. max_length. Const functions may be called from
// several threads.
class Language {
 public:
  // The largest max_length that a language may have.
  static constexpr int kMaxLength = 10000;

  virtual ~Language() = default;
  Language(const Language&) = delete;
  Language& operator=(const Language&) = delete;

  const SymbolTable& alphabet() const { return alphabet_; }
  // The length of the longest strings that can be sampled and have a probability.
  int max_length() const { return max_length_; }

  // log of the weight of all strings of a length; -infinity if there is none.
  double LogWeightOfLength(int length) const;
  // log of the weight of a string; -infinity if it is not in the language.
  double LogWeight(std::span<const int> string) const;
  // For t = 0 .. n and each length of 0 .. longest: log of the weight of all strings of this length
  // that begin with the first t symbols of a string of n symbols; -infinity if there is none.
  // [n + 1][longest + 1]. n and `longest` must not be more than max_length. Throws Error (kLimit)
  // if this would take too much time or memory.
  std::vector<std::vector<double>> LogPrefixWeights(std::span<const int> string, int longest) const;
  // Nothing if the string is in the language.
  std::optional<Objection> FindObjection(std::span<const int> string) const;
  // There must be a string of this length (HasLength).
  std::vector<int> Sample(int length, Random& random) const;

  // Whether there is a string of this length.
  bool HasLength(int length) const;
  // log p(w | |w|); -infinity if the string is not in the language.
  double LogProbabilityGivenLength(std::span<const int> string) const;

 protected:
  // max_length must be in 0 .. kMaxLength.
  Language(SymbolTable alphabet, int max_length);

 private:
  // The functions of the same names, whose arguments have been checked.
  virtual double DoLogWeightOfLength(int length) const = 0;
  virtual double DoLogWeight(std::span<const int> string) const = 0;
  virtual std::vector<std::vector<double>> DoLogPrefixWeights(std::span<const int> string,
                                                              int longest) const = 0;
  virtual std::optional<Objection> DoFindObjection(std::span<const int> string) const = 0;
  virtual std::vector<int> DoSample(int length, Random& random) const = 0;

  void CheckLength(std::size_t length) const;
  void CheckSymbols(std::span<const int> string) const;

  SymbolTable alphabet_;
  int max_length_;
};

}  // namespace pushdown
