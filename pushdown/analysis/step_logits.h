#pragma once

#include <cstddef>
#include <span>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

// The logits of a sequence, [T][q,x][push (r,y) | replace (r,y) | pop r], by what they are of.
// Steps are t = 1 .. T, and pairs are numbered state * |Gamma| + symbol.
class StepLogits {
 public:
  StepLogits(const NondeterministicStackSpec& spec, std::span<const double> logits)
      : symbols_(spec.symbols),
        pairs_(spec.pairs()),
        per_pair_(spec.logits_per_pair()),
        steps_(static_cast<int>(logits.size() / static_cast<std::size_t>(spec.logits_size()))),
        logits_(logits) {}

  int steps() const { return steps_; }
  double Push(int t, int from, int to) const { return At(t, from, to); }
  double Replace(int t, int from, int to) const { return At(t, from, pairs_ + to); }
  double Pop(int t, int from, int state) const { return At(t, from, 2 * pairs_ + state); }

  // The sum of the logits of a run, in the order of its steps.
  double LogWeight(const AutomatonRun& run) const {
    double sum = 0;
    int from = 0;  // the pair that the step leaves
    run.ForEachConfiguration([&](int t, int state, std::span<const int> stack) {
      const int to = state * symbols_ + stack.back();
      if (t > 0) {
        const StackOperation operation = run.transitions[static_cast<std::size_t>(t - 1)].operation;
        sum += operation == StackOperation::kPush      ? Push(t, from, to)
               : operation == StackOperation::kReplace ? Replace(t, from, to)
                                                       : Pop(t, from, state);
      }
      from = to;
    });
    return sum;
  }

 private:
  double At(int t, int from, int target) const {
    const std::size_t row = static_cast<std::size_t>(t - 1) * static_cast<std::size_t>(pairs_) +
                            static_cast<std::size_t>(from);
    return logits_[row * static_cast<std::size_t>(per_pair_) + static_cast<std::size_t>(target)];
  }

  int symbols_;
  int pairs_;
  int per_pair_;
  int steps_;
  std::span<const double> logits_;
};

}  // namespace pushdown
