#pragma once

#include <string>
#include <vector>

#include "pushdown/formal/language.h"

namespace pushdown {

// All strings that a pattern such as "w # w" makes of words w over some symbols of the alphabet.
// All strings of the same length have the same probability. The non-context-free languages of the
// paper are of this kind.
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

  // Words consist of the first `word_symbols` symbols of the alphabet. If that is 0, strings depend
  // on n only, and no piece may be a word. Otherwise the first piece must be the word itself.
  PatternLanguage(SymbolTable alphabet, int word_symbols, std::vector<Piece> pieces,
                  int max_length);

 private:
  double DoLogWeightOfLength(int length) const override;
  double DoLogWeight(std::span<const int> string) const override;
  std::vector<std::vector<double>> DoLogPrefixWeights(std::span<const int> string,
                                                      int longest) const override;
  std::optional<Objection> DoFindObjection(std::span<const int> string) const override;
  std::vector<int> DoSample(int length, Random& random) const override;

  // The n that makes strings of this length, or -1 if there is none.
  int WordLength(int length) const;
  std::string DescribeLengths() const;  // "2n+1 for some n"
  // At a position of the string that a word of n symbols makes: which symbol of the word stands
  // there, counted from 0, or -1 if it is none of them; and what is added to its number, or the
  // symbol itself.
  struct Place {
    int from = -1;
    int symbol = 0;
  };
  std::vector<Place> Places(int n) const;
  // The objection to the first symbol of a string that no word of n symbols can have made.
  std::optional<Objection> Compare(std::span<const int> string, int n) const;

  int word_symbols_;
  std::vector<Piece> pieces_;
  int markers_ = 0;  // pieces of one symbol
  int repeats_ = 0;  // pieces of n symbols
};

}  // namespace pushdown
