#pragma once

#include <cstddef>
#include <span>
#include <vector>

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
  double LogWeight(std::span<const RunTransition> transitions) const {
    double sum = 0;
    int t = 0;
    std::vector<int> stack = {0};
    int state = 0;
    for (const RunTransition& transition : transitions) {
      const int from = state * symbols_ + stack.back();
      const int to = transition.state * symbols_ + transition.symbol;
      ++t;
      state = transition.state;
      switch (transition.operation) {
        case StackOperation::kPush:
          sum += Push(t, from, to);
          stack.push_back(transition.symbol);
          break;
        case StackOperation::kReplace:
          sum += Replace(t, from, to);
          stack.back() = transition.symbol;
          break;
        case StackOperation::kPop:
          sum += Pop(t, from, transition.state);
          stack.pop_back();
          break;
      }
    }
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
