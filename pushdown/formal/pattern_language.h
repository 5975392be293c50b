#pragma once

#include <string>
#include <vector>

#include "pushdown/formal/language.h"

namespace pushdown {

// All strings that a pattern such as "w # w" makes of words w over an alphabet of some symbols,
// with the uniform distribution over those of a length. This is what the non-context-free languages
// of the paper have in common.
class PatternLanguage : public Language {
 public:
  // A piece of the string, made of w = w_1 ... w_n.
  struct Piece {
    enum class Kind {
      kWord,      // w_1 ... w_n, each symbol's number plus `symbol`
      kReversed,  // w_n ... w_1, likewise
      kMarker,    // one `symbol`
      kRepeated,  // `symbol`, n times
    };
    Kind kind = Kind::kWord;
    int symbol = 0;
  };

  // Words are over the first `word_symbols` symbols of the alphabet; with 0 there is only n, and no
  // piece is a word. If there are words, the first piece is one, with its own symbols.
  PatternLanguage(SymbolTable alphabet, int word_symbols, std::vector<Piece> pieces,
                  int max_length);

 private:
  double DoLogWeightOfLength(int length) const override;
  double DoLogWeight(std::span<const int> string) const override;
  std::optional<Objection> DoFindObjection(std::span<const int> string) const override;
  std::vector<int> DoSample(int length, Random& random) const override;

  // n of the strings of this length, or -1.
  int WordLength(int length) const;
  std::string LengthsText() const;  // "2n+1 for some n"
  // The objection to the first symbol that a string made of a word of n symbols could not have.
  std::optional<Objection> Compare(std::span<const int> string, int n) const;

  int word_symbols_;
  std::vector<Piece> pieces_;
  int markers_ = 0;  // pieces of one symbol
  int repeats_ = 0;  // pieces of n symbols
};

}  // namespace pushdown
