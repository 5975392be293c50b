#pragma once

#include <span>
#include <string>
#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/position_rule.h"
#include "pushdown/run/trained_model.h"

namespace pushdown {

// What the stack of a model does, on average, when the model has read a symbol.
//
// Of rns and vrns: after reading w_t, the automaton makes one transition in each of its runs. A
// transition from a pair (q,x) of state and top symbol has the probability
//   alpha_{t-1}[q,x] Delta_t[q,x -> ..] / sum of the same over all transitions,
// its share in the weight of all runs up to then; alpha_{t-1} is the distribution of the pairs
// before. Runs that cannot make a transition do not count for it: the initial bottom symbol cannot
// be popped. (What a window forgets in the same step still counts.) These are probabilities given
// w_1 .. w_t: which runs will survive is not known at that time.
//
// Of sup: the probabilities of push, no-op and pop of each stack.
struct TransitionAverages {
  PositionRule positions = {};  // of the w_t that count
  // Laid out as a step's actions are: [P (q,x)][push (r,y) | replace (r,y) | pop r], or
  // [stacks][push, no-op, pop].
  struct Symbol {
    int symbol = 0;
    long long count = 0;               // how often it was read
    std::vector<double> average = {};  // of the probabilities
  };
  std::vector<Symbol> symbols = {};  // those that were read, in the order of their numbers
};

// The last symbol of a string does not count: the stack does nothing after it. In a text, which is
// one string, all others do. Throws Error for an LSTM without a stack.
TransitionAverages AverageTransitions(const TrainedModel& model,
                                      std::span<const std::vector<int>> strings,
                                      const PositionRule& positions = {},
                                      const StageProgress& progress = {});
// The same for several rules at once. `output_bytes` is the memory that the caller will take for
// each symbol of each rule. Throws Error as ReadStrings does.
std::vector<TransitionAverages> AverageTransitions(const TrainedModel& model,
                                                   std::span<const std::vector<int>> strings,
                                                   std::span<const PositionRule> rules,
                                                   const StageProgress& progress = {},
                                                   double output_bytes = 0);

// "push 0 on ⊥, staying in q1", "pop 0, going from q0 to q1", "keep 0, staying in q0" for a
// replacement by the same symbol.
std::string TransitionText(const StepTransition& transition);

// The places in `average` (see TransitionAt) of those transitions whose probability is at least the
// threshold, the largest first.
std::vector<std::size_t> LargestTransitions(const TransitionAverages::Symbol& symbol,
                                            double threshold);
// The probabilities of push, replace and pop of rns and vrns, whatever the states and symbols.
struct OperationShares {
  double push = 0;
  double replace = 0;
  double pop = 0;
};
OperationShares OperationsOf(const NondeterministicStackSpec& stack,
                             const TransitionAverages::Symbol& symbol);

}  // namespace pushdown
