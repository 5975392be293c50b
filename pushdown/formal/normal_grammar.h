#pragma once

#include <span>
#include <utility>
#include <vector>

#include "pushdown/formal/grammar.h"

namespace pushdown {

// A grammar in normal form (NormalForm), indexed for sampling and parsing. Rules with the same
// right side share what is computed for it.
class NormalGrammar {
 public:
  // The grammar need not be in normal form.
  explicit NormalGrammar(const Grammar& grammar);

  // A right side of two symbols.
  struct Pair {
    int left = 0;
    int right = 0;
  };
  struct Parent {  // a rule symbol -> pair, or symbol -> terminal
    int symbol = 0;
    Weight weight;
  };
  struct Partner {  // of a right symbol: the left symbol of a pair, and the pair's number
    int left = 0;
    int pair = 0;
  };
  struct Expansion {
    int pair = -1;      // -1: the rule has one terminal
    int terminal = -1;  // if pair is -1
    Weight weight;
  };

  int terminals() const { return terminals_; }
  int symbols() const { return symbols_; }
  int start() const { return start_; }
  Weight epsilon_weight() const { return epsilon_weight_; }  // of the empty string
  bool IsTerminal(int symbol) const { return symbol < terminals_; }

  const std::vector<Pair>& pairs() const { return pairs_; }
  std::span<const Parent> PairParents(int pair) const { return pair_parents_[pair]; }
  std::span<const Parent> TerminalParents(int terminal) const {
    return terminal_parents_[terminal];
  }
  // The pairs with a left symbol have the numbers from first to last - 1.
  struct PairRange {
    int first = 0;
    int last = 0;
  };
  PairRange PairsWithLeft(int left) const {
    const auto index = static_cast<std::size_t>(left);
    return {pairs_with_left_[index], pairs_with_left_[index + 1]};
  }
  // Sorted by the left symbol.
  std::span<const Partner> Partners(int right) const { return partners_[right]; }
  // All rules of a nonterminal, without epsilon.
  std::span<const Expansion> Expansions(int symbol) const { return expansions_[symbol]; }

 private:
  // Lists of different lengths, stored one after the other.
  template <typename T>
  class Lists {
   public:
    Lists() = default;
    Lists(int count, const std::vector<std::pair<int, T>>& entries);  // (list, value)
    std::span<const T> operator[](int list) const {
      return {values_.data() + begins_[static_cast<std::size_t>(list)],
              values_.data() + begins_[static_cast<std::size_t>(list) + 1]};
    }

   private:
    std::vector<std::size_t> begins_;
    std::vector<T> values_;
  };

  int terminals_ = 0;
  int symbols_ = 0;
  int start_ = 0;
  Weight epsilon_weight_;
  std::vector<Pair> pairs_;           // sorted
  std::vector<int> pairs_with_left_;  // by left symbol: the first pair; with an end
  Lists<Parent> pair_parents_;
  Lists<Parent> terminal_parents_;
  Lists<Partner> partners_;
  Lists<Expansion> expansions_;
};

}  // namespace pushdown
