#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/kernels/stack_spec.h"

namespace pushdown::testing_oracle {

// A run as an enumeration finds it, with everything that happened to its stack.
struct ListedRun {
  double log_weight = 0;
  std::vector<RunTransition> transitions = {};
  std::vector<int> places = {};     // of the transitions in the logits of their steps
  std::vector<int> stack = {};      // the last one, bottom first
  std::vector<int> heights = {};    // [T + 1], without the bottom
  std::vector<int> pushed_in = {};  // [T + 1], the step in which the top was pushed
  std::vector<int> pairs = {};      // [T + 1], state * |Gamma| + top symbol
};

// All runs of so many steps with a weight above zero, by going through them one by one. There is no
// dynamic programming in it; the time is exponential in the steps.
class RunList {
 public:
  RunList(const NondeterministicStackSpec& spec, int steps, const std::vector<double>& logits)
      : spec_(spec), steps_(steps), logits_(logits) {
    stack_ = {{0, 0}};
    Note(0);
    Visit(0);
    double largest = -INFINITY;
    for (const ListedRun& run : runs_) largest = std::max(largest, run.log_weight);
    double sum = 0;
    for (const ListedRun& run : runs_) sum += std::exp(run.log_weight - largest);
    log_weight_ = largest + std::log(sum);
  }

  const std::vector<ListedRun>& runs() const { return runs_; }
  // Of all runs together.
  double LogWeight() const { return log_weight_; }
  double Probability(const ListedRun& run) const { return std::exp(run.log_weight - log_weight_); }

 private:
  struct Element {
    int symbol;
    int pushed_in;
  };

  // What is noted of the run after a step, and forgotten when the step is undone.
  void Note(int state) {
    run_.heights.push_back(static_cast<int>(stack_.size()) - 1);
    run_.pushed_in.push_back(stack_.back().pushed_in);
    run_.pairs.push_back(state * spec_.symbols + stack_.back().symbol);
  }
  void Forget() {
    run_.heights.pop_back();
    run_.pushed_in.pop_back();
    run_.pairs.pop_back();
  }

  void Take(int t, int place, const RunTransition& transition) {
    const double before = run_.log_weight;
    const int pair = run_.pairs.back();
    run_.log_weight +=
        logits_[(static_cast<std::size_t>(t) * spec_.pairs() + pair) * spec_.logits_per_pair() +
                place];
    run_.transitions.push_back(transition);
    run_.places.push_back(pair * spec_.logits_per_pair() + place);
    Note(transition.state);
    Visit(t + 1);
    Forget();
    run_.places.pop_back();
    run_.transitions.pop_back();
    run_.log_weight = before;
  }

  void Visit(int t) {
    // An element that was pushed in step i + 1 may be on top until time i + D.
    const bool outside = spec_.window > 0 && t - (stack_.back().pushed_in - 1) > spec_.window;
    if (run_.log_weight == -INFINITY || outside) return;
    if (t == steps_) {
      runs_.push_back(run_);
      for (const Element& element : stack_) runs_.back().stack.push_back(element.symbol);
      return;
    }
    const Element top = stack_.back();
    for (int r = 0; r < spec_.states; ++r) {
      for (int y = 0; y < spec_.symbols; ++y) {
        const int to = r * spec_.symbols + y;
        stack_.push_back({y, t + 1});
        Take(t, to, {StackOperation::kPush, r, y});
        stack_.pop_back();
        if (spec_.bottom == Bottom::kOld && stack_.size() == 1) continue;
        stack_.back().symbol = y;
        Take(t, spec_.pairs() + to, {StackOperation::kReplace, r, y});
        stack_.back() = top;
      }
      if (stack_.size() <= (spec_.bottom == Bottom::kOld ? 2u : 1u)) continue;
      stack_.pop_back();
      Take(t, 2 * spec_.pairs() + r, {StackOperation::kPop, r, -1});
      stack_.push_back(top);
    }
  }

  const NondeterministicStackSpec spec_;
  const int steps_;
  const std::vector<double>& logits_;
  std::vector<Element> stack_;
  ListedRun run_;
  std::vector<ListedRun> runs_;
  double log_weight_ = 0;
};

}  // namespace pushdown::testing_oracle
