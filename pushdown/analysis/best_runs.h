#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/best_weights.h"

namespace pushdown {

// The runs of an automaton in the order of their weights, one by one: lazy k-best (Huang and Chiang
// 2005, algorithm 3) over the items of the recurrences. A derivation of an item is a choice of its
// last step and of derivations of the items before that, and every run has exactly one derivation.
class BestRuns {
 public:
  // The runs that end in any pair, or in one. The weights must outlive this.
  explicit BestRuns(const BestWeights& weights, std::optional<int> last_pair = {});

  // The next run, with its log weight, or nothing if there is none left with a weight above zero.
  std::optional<AutomatonRun> Next();

  // The transitions of the best of the runs that gamma[i->t][source -> target] counts, which are
  // the steps i + 1 .. t; the step s goes to transitions[s - 1].
  void WriteBestPart(int i, int t, int source, int target,
                     std::vector<RunTransition>& transitions) const {
    Write({Item::Kind::kGamma, i, t, source, target}, 0, transitions);
  }

 private:
  // What the recurrences compute: a set of runs, or of parts of runs.
  struct Item {
    enum class Kind : std::int8_t {
      kGoal,    // all runs
      kAlpha,   // alpha[t][target]
      kGamma,   // gamma[i->t][source -> target]
      kPopped,  // gamma'[i->t][source -> state `target`]
    };
    Kind kind = Kind::kGoal;
    int i = 0;
    int t = 0;
    int source = 0;
    int target = 0;

    friend bool operator==(const Item&, const Item&) = default;
  };
  struct ItemHash {
    std::size_t operator()(const Item& item) const;
  };
  // A term of an item's recurrence. What the numbers mean depends on the item; see TailsOf.
  struct Term {
    int first = 0;
    int second = 0;
  };
  // The items that a term multiplies, at most two, and its own log weight.
  struct Tails {
    int count = 0;
    Item items[2];
    double log_weight = 0;
  };
  // A term with the numbers of the derivations of its items, 0 being the best.
  struct Derivation {
    double log_weight = 0;
    Term term = {};
    int ranks[2] = {0, 0};

    // Whether it comes later; the order is total, so that it does not depend on the heap.
    friend bool operator<(const Derivation& a, const Derivation& b) {
      if (a.log_weight != b.log_weight) return a.log_weight < b.log_weight;
      return b.Place() < a.Place();
    }
    std::array<int, 4> Place() const { return {term.first, term.second, ranks[0], ranks[1]}; }
  };
  // The derivations of an item that are known, best first, and those that may be next.
  struct Known {
    std::vector<Derivation> best;
    std::vector<Derivation> candidates;  // a heap
    int successors = 0;                  // of the newest of `best`: how many have been looked at
    bool exhausted = false;              // there are no more
  };

  double BestOf(const Item& item) const;
  Tails TailsOf(const Item& item, const Term& term) const;
  template <typename Visit>
  void ForEachTerm(const Item& item, const Visit& visit) const;
  Known& Find(const Item& item);
  // Finds the derivations of an item up to a rank, if there are so many.
  void Ensure(const Item& item, int rank);
  // The same, until derivations of another item are needed first, which are returned.
  std::optional<std::pair<Item, int>> Advance(const Item& item, int rank);
  Derivation DerivationOf(const Item& item, int rank) const;
  // Writes the transitions of the steps of an item.
  void Write(const Item& item, int rank, std::vector<RunTransition>& transitions) const;

  const BestWeights& weights_;
  std::optional<int> last_pair_;
  int next_ = 0;  // rank
  std::unordered_map<Item, Known, ItemHash> known_;
};

}  // namespace pushdown
