#include "pushdown/analysis/best_stacks.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <queue>
#include <utility>

#include "pushdown/analysis/best_runs.h"
#include "pushdown/interruption.h"

namespace pushdown {
namespace {

// A configuration, (q,x) after t steps, that runs come through which then leave a given upper part
// of the stack: the symbol x is the lowest of that part, and is not uncovered again before the next
// part is left above it.
struct Passage {
  int t = 0;
  int pair = 0;
  double log_weight = 0;  // of the best way from here to the end
  int above = -1;         // where this way goes on, among the passages of the part without x
};

// The upper part of a stack. Its symbols are those of the parts above it, and one more.
struct Part {
  int above = -1;  // the number of the part without its lowest symbol; -1 for the top of the stack
  std::vector<Passage> passages = {};
};

// Runs with a given upper part of the stack, or with a whole stack.
struct Hypothesis {
  double log_weight = 0;  // of the best of them
  bool whole = false;
  int part = 0;
  int passage = 0;  // of the lowest symbol of a whole stack, where the best run comes through
  int number = 0;   // so that the order is total

  friend bool operator<(const Hypothesis& a, const Hypothesis& b) {
    if (a.log_weight != b.log_weight) return a.log_weight < b.log_weight;
    return a.number > b.number;
  }
};

class StackSearch {
 public:
  explicit StackSearch(const BestWeights& weights)
      : weights_(weights), runs_(weights), pairs_(weights.spec().pairs()) {
    const int last = weights.logits().steps();
    for (int symbol = 0; symbol < weights.spec().symbols; ++symbol) {
      Part top;
      for (int pair = symbol; pair < pairs_; pair += weights.spec().symbols) {
        top.passages.push_back({.t = last, .pair = pair});
      }
      Add(std::move(top));
    }
  }

  // The best run of the next stack; false if there is none.
  bool Next(AutomatonRun& run) {
    while (!hypotheses_.empty()) {
      CheckInterruption();
      const Hypothesis best = hypotheses_.top();
      hypotheses_.pop();
      if (best.whole) {
        run = RunOf(best);
        return true;
      }
      Extend(best.part);
    }
    return false;
  }

 private:
  void Add(Part part) {
    double best = BestWeights::kImpossible;
    for (const Passage& passage : part.passages) {
      best = std::max(best, weights_.Alpha(passage.t, passage.pair) + passage.log_weight);
    }
    if (best == BestWeights::kImpossible) return;
    hypotheses_.push(
        {.log_weight = best, .part = static_cast<int>(parts_.size()), .number = number_++});
    parts_.push_back(std::move(part));
  }

  // The stack may end here, or have any symbol below.
  void Extend(int part) {
    const std::vector<Passage>& passages = parts_[static_cast<std::size_t>(part)].passages;
    const int symbols = weights_.spec().symbols;
    const int last = weights_.logits().steps();
    Hypothesis whole = {.log_weight = BestWeights::kImpossible, .whole = true, .part = part};
    // The best way from each (i, pair) on.
    std::vector<Passage> below(static_cast<std::size_t>((last + 1) * pairs_),
                               {.log_weight = BestWeights::kImpossible});
    for (std::size_t n = 0; n < passages.size(); ++n) {
      const Passage& passage = passages[n];
      const bool at_start = passage.t == 0 && passage.pair == 0;
      const double* row = weights_.Row(passage.t, passage.pair);
      const double at_bottom = row != nullptr && weights_.low(passage.t) < 0 ? row[0]
                               : at_start                                    ? 0
                                          : BestWeights::kImpossible;
      if (at_bottom + passage.log_weight > whole.log_weight) {
        whole.log_weight = at_bottom + passage.log_weight;
        whole.passage = static_cast<int>(n);
      }
      if (row == nullptr) continue;
      for (int i = std::max(0, weights_.low(passage.t)); i < passage.t; ++i) {
        const double* pushes = row + (i - weights_.low(passage.t)) * pairs_;
        Passage* ways = &below[static_cast<std::size_t>(i * pairs_)];
        for (int pair = 0; pair < pairs_; ++pair) {
          const double log_weight = pushes[pair] + passage.log_weight;
          if (log_weight <= ways[pair].log_weight) continue;
          ways[pair] = {i, pair, log_weight, static_cast<int>(n)};
        }
      }
    }
    if (whole.log_weight > BestWeights::kImpossible) {
      whole.number = number_++;
      hypotheses_.push(whole);
    }
    for (int symbol = 0; symbol < symbols; ++symbol) {
      Part next = {.above = part};
      for (std::size_t n = static_cast<std::size_t>(symbol); n < below.size();
           n += static_cast<std::size_t>(symbols)) {
        if (below[n].log_weight > BestWeights::kImpossible) next.passages.push_back(below[n]);
      }
      Add(std::move(next));
    }
  }

  AutomatonRun RunOf(const Hypothesis& stack) const {
    AutomatonRun run;
    run.log_weight = stack.log_weight;
    run.transitions.resize(static_cast<std::size_t>(weights_.logits().steps()));
    const Part* part = &parts_[static_cast<std::size_t>(stack.part)];
    const Passage* passage = &part->passages[static_cast<std::size_t>(stack.passage)];
    if (weights_.low(passage->t) < 0) {
      runs_.WriteBestPart(-1, passage->t, 0, passage->pair, run.transitions);
    }
    while (part->above >= 0) {
      part = &parts_[static_cast<std::size_t>(part->above)];
      const Passage& above = part->passages[static_cast<std::size_t>(passage->above)];
      runs_.WriteBestPart(passage->t, above.t, passage->pair, above.pair, run.transitions);
      passage = &above;
    }
    return run;
  }

  const BestWeights& weights_;
  BestRuns runs_;
  int pairs_;
  int number_ = 0;
  std::deque<Part> parts_;  // places do not change when there are more
  std::priority_queue<Hypothesis> hypotheses_;
};

}  // namespace

std::vector<AutomatonRun> BestRunsByStack(const BestWeights& weights, int count) {
  StackSearch search(weights);
  std::vector<AutomatonRun> runs;
  AutomatonRun run;
  while (static_cast<int>(runs.size()) < count && search.Next(run)) runs.push_back(std::move(run));
  return runs;
}

}  // namespace pushdown
