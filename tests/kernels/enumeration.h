#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/stack_spec.h"

namespace pushdown::testing_oracle {

// Goes through every run of the automaton, one by one, with its stack, and adds up equations
// rns-rnn-reading-inefficient and vrns-reading-inefficient. There is no dynamic programming in
// it, so it shares no idea with what it checks; the time is exponential in the steps.
class RunEnumerator {
 public:
  RunEnumerator(const NondeterministicStackSpec& spec, int steps, const std::vector<double>& logits,
                const std::vector<double>& vectors, const std::vector<double>& bottom_vector)
      : spec_(spec),
        steps_(steps),
        vectors_(vectors),
        bottom_vector_(bottom_vector),
        numerator_(static_cast<std::size_t>(steps + 1) * spec.reading_size()),
        denominator_(static_cast<std::size_t>(steps + 1)) {
    for (double logit : logits) delta_.push_back(std::exp(logit));
  }

  std::vector<double> Readings() {
    // The paper's code also starts runs from every other configuration, for part of the numerator.
    const bool all_starts = spec_.initial_vector == InitialVector::kPaperCode;
    for (int state = 0; state < spec_.states; ++state) {
      for (int symbol = 0; symbol < spec_.symbols; ++symbol) {
        starts_properly_ = state == 0 && symbol == 0;
        if (!starts_properly_ && !all_starts) continue;
        stack_ = {{symbol, bottom_vector_.data(), 0}};
        Visit(0, state, 1.0);
      }
    }
    std::vector<double> readings = numerator_;
    for (int t = 0; t <= steps_; ++t) {
      if (denominator_[t] == 0.0) {
        throw Error("pushdown::testing_oracle::EnumeratedReadings",
                    "no run survives step " + std::to_string(t));
      }
      for (int n = 0; n < spec_.reading_size(); ++n) {
        readings[static_cast<std::size_t>(t) * spec_.reading_size() + n] /= denominator_[t];
      }
    }
    return readings;
  }

  // Of the runs that Readings has gone through: the log of their total weight, by length.
  std::vector<double> LogWeights() const {
    std::vector<double> logs;
    for (double weight : denominator_) logs.push_back(std::log(weight));
    return logs;
  }

 private:
  struct Element {
    int symbol;
    const double* vector;  // [m]
    int push_time;
  };

  // A run of length t has arrived in `state` with stack_ and this weight.
  void Visit(int t, int state, double weight) {
    if (weight == 0.0 || OutsideWindow(t)) return;
    Count(t, state, weight);
    if (t == steps_) return;
    const Element top = stack_.back();
    const std::size_t pair = static_cast<std::size_t>(state) * spec_.symbols + top.symbol;
    const double* operation =  // walks through [push (r,y) | replace (r,y) | pop r]
        &delta_[(static_cast<std::size_t>(t) * spec_.pairs() + pair) * spec_.logits_per_pair()];

    for (int r = 0; r < spec_.states; ++r) {
      for (int y = 0; y < spec_.symbols; ++y) {
        stack_.push_back(
            {y, vectors_.data() + static_cast<std::size_t>(t) * spec_.vector_size, t + 1});
        Visit(t + 1, r, weight * *operation++);
        stack_.pop_back();
      }
    }
    for (int r = 0; r < spec_.states; ++r) {
      for (int y = 0; y < spec_.symbols; ++y) {
        const double replace_weight = *operation++;
        if (!MayReplaceTop()) continue;
        stack_.back().symbol = y;
        Visit(t + 1, r, weight * replace_weight);
        stack_.back() = top;
      }
    }
    for (int r = 0; r < spec_.states; ++r) {
      const double pop_weight = *operation++;
      if (!MayPopTop()) continue;
      stack_.pop_back();
      Visit(t + 1, r, weight * pop_weight);
      stack_.push_back(top);
    }
  }

  bool MayReplaceTop() const { return spec_.bottom == Bottom::kFixed || stack_.size() > 1; }
  bool MayPopTop() const { return stack_.size() > (spec_.bottom == Bottom::kFixed ? 1u : 2u); }

  // An element pushed at time i + 1 may be on top until time i + D; below others it does not age.
  bool OutsideWindow(int t) const {
    const int i = stack_.back().push_time - 1;
    return spec_.window > 0 && t - i > spec_.window;
  }

  void Count(int t, int state, double weight) {
    const bool initial_on_top = stack_.size() == 1;
    if (starts_properly_) denominator_[t] += weight;
    if (!starts_properly_ && !initial_on_top) return;
    const Element& top = stack_.back();
    const std::size_t pair = static_cast<std::size_t>(state) * spec_.symbols + top.symbol;
    const int components = spec_.vector_size > 0 ? spec_.vector_size : 1;
    double* sum =
        &numerator_[static_cast<std::size_t>(t) * spec_.reading_size() + pair * components];
    if (spec_.vector_size == 0) sum[0] += weight;
    for (int j = 0; j < spec_.vector_size; ++j) sum[j] += weight * top.vector[j];
  }

  const NondeterministicStackSpec& spec_;
  const int steps_;
  const std::vector<double>& vectors_;
  const std::vector<double>& bottom_vector_;
  std::vector<double> delta_;
  std::vector<Element> stack_;
  bool starts_properly_ = true;      // the current run starts in (q_0, bottom)
  std::vector<double> numerator_;    // [T + 1, reading_size]
  std::vector<double> denominator_;  // [T + 1]
};

// The same arguments and result as ReferenceReadings. Throws Error if no run survives some step.
// The weights are multiplied as they are: logits of moderate size only.
inline std::vector<double> EnumeratedReadings(  // returns [T + 1, reading_size]
    const NondeterministicStackSpec& spec, int steps,
    const std::vector<double>& logits,           // [T, q,x, push (r,y) | replace (r,y) | pop r]
    const std::vector<double>& vectors,          // [T, m], v_1 .. v_T
    const std::vector<double>& bottom_vector) {  // [m], v_0
  return RunEnumerator(spec, steps, logits, vectors, bottom_vector).Readings();
}

}  // namespace pushdown::testing_oracle
