#pragma once

#include <functional>
#include <vector>

#include "pushdown/formal/normal_grammar.h"
#include "pushdown/random.h"

namespace pushdown {

// The inside weights of a grammar by length: for each symbol and length, the total weight of the
// symbol's strings of this length. They make it possible to sample strings of a length exactly.
class InsideWeights {
 public:
  // For lengths 0 .. max_length. The grammar must outlive this object. `progress`, if there is one,
  // is called with the share of the work that is done. Throws Error if this would take too much
  // time or memory.
  InsideWeights(const NormalGrammar& grammar, int max_length,
                const std::function<void(double)>& progress = {});

  int max_length() const { return max_length_; }
  // The weight of all strings of the start symbol of this length, zero if there is none.
  Weight OfLength(int length) const;

  // The same for any symbol; a terminal has one string, of length 1. length must be at least 1.
  Weight OfSymbol(int symbol, int length) const {
    if (grammar_.IsTerminal(symbol)) return length == 1 ? 1 : 0;
    return At(symbol, length);
  }

  // A string w with probability weight(w) / OfLength(length), which must not be zero.
  std::vector<int> Sample(int length, Random& random) const;

 private:
  Weight& At(int symbol, int length);
  const Weight& At(int symbol, int length) const;
  // The weight of all strings of this length that a string of the pair's left symbol and one of its
  // right symbol make together.
  Weight OfPair(int pair, int length) const;

  const NormalGrammar& grammar_;
  int max_length_;
  std::vector<Weight> weights_;       // [nonterminal, length]
  std::vector<int> convolutions_;     // by pair: row of pair_weights_, or -1 if it has a terminal
  std::vector<Weight> pair_weights_;  // [pair of two nonterminals, length]
};

}  // namespace pushdown
