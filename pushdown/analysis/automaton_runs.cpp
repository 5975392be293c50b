#include "pushdown/analysis/automaton_runs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "pushdown/analysis/best_runs.h"
#include "pushdown/analysis/best_stacks.h"
#include "pushdown/analysis/best_weights.h"
#include "pushdown/analysis/run_sampler.h"
#include "pushdown/analysis/step_logits.h"
#include "pushdown/error.h"
#include "pushdown/kernels/denormals.h"
#include "pushdown/kernels/stack_wfa.h"
#include "pushdown/random.h"

namespace pushdown {
namespace {

NondeterministicStackSpec WithoutVectors(NondeterministicStackSpec spec) {
  spec.vector_size = 0;
  spec.initial_vector = InitialVector::kCorrect;
  return spec;
}

int StepsOf(const NondeterministicStackSpec& spec, std::span<const double> logits) {
  Validate(spec);
  const auto size = static_cast<std::size_t>(spec.logits_size());
  if (logits.size() % size != 0) {
    throw Error("pushdown::AutomatonRuns", std::to_string(logits.size()) +
                                               " logits are not a whole number of steps of " +
                                               std::to_string(size));
  }
  const std::size_t steps = logits.size() / size;
  if (steps > static_cast<std::size_t>(kMaxSteps)) {
    throw Error(ErrorKind::kLimit, "pushdown::AutomatonRuns",
                std::to_string(steps) + " steps are too many");
  }
  return static_cast<int>(steps);
}

void CheckCount(const char* function, int count) {
  if (count < 0) throw Error(function, "the number of runs is negative");
}

}  // namespace

struct AutomatonRuns::Parts {
  Parts(const NondeterministicStackSpec& the_spec, std::span<const double> the_logits,
        std::function<void()> the_check)
      : spec(the_spec),
        logits(the_logits.begin(), the_logits.end()),
        check(the_check ? std::move(the_check) : [] {}),
        wfa(the_spec, StepsOf(the_spec, the_logits), /*gradients=*/true) {
    wfa.Reset(StackWfa<double>::Start::kBottom);
    const auto size = static_cast<std::size_t>(spec.logits_size());
    for (std::size_t begin = 0; begin < logits.size(); begin += size) {
      check();
      wfa.Step(logits.data() + begin);
      // All runs have as many steps, and the largest logit of each step is taken out of their
      // weights, which stay in range then.
      const WfaColumn<double>& column = wfa.column(wfa.now());
      for (std::size_t n = begin; n < begin + size; ++n) logits[n] -= column.largest_logit;
      scale += column.largest_logit;
      log_weight += column.log_scale;
    }
  }

  const BestWeights& best_weights() {
    if (!best) best.emplace(spec, StepLogits(spec, logits), check);
    return *best;
  }
  // Of a run whose log weight is without the scale.
  AutomatonRun Finished(AutomatonRun run) const {
    run.probability = std::exp(run.log_weight - log_weight);
    run.log_weight += scale;
    return run;
  }
  std::vector<AutomatonRun> Best(std::optional<int> last_pair, int count) {
    std::vector<AutomatonRun> runs;
    BestRuns best_runs(best_weights(), last_pair);
    while (static_cast<int>(runs.size()) < count) {
      check();
      std::optional<AutomatonRun> run = best_runs.Next();
      if (!run) break;
      runs.push_back(Finished(std::move(*run)));
    }
    return runs;
  }

  NondeterministicStackSpec spec;
  std::vector<double> logits;
  std::function<void()> check;
  StackWfa<double> wfa;
  double scale = 0;       // the sum of the largest logits
  double log_weight = 0;  // of all runs, without the scale
  std::optional<BestWeights> best;
};

AutomatonRuns::AutomatonRuns(const NondeterministicStackSpec& spec, std::span<const double> logits,
                             std::function<void()> check)
    : parts_(std::make_unique<Parts>(WithoutVectors(spec), logits, std::move(check))) {}

AutomatonRuns::~AutomatonRuns() = default;
AutomatonRuns::AutomatonRuns(AutomatonRuns&& other) noexcept = default;
AutomatonRuns& AutomatonRuns::operator=(AutomatonRuns&& other) noexcept = default;

const NondeterministicStackSpec& AutomatonRuns::spec() const { return parts_->spec; }
int AutomatonRuns::steps() const { return parts_->wfa.now(); }
double AutomatonRuns::log_weight() const { return parts_->log_weight + parts_->scale; }

std::span<const double> AutomatonRuns::alpha(int t) const {
  if (t < 0 || t > steps()) {
    throw Error("pushdown::AutomatonRuns::alpha", "there is no time " + std::to_string(t));
  }
  return {parts_->wfa.column(t).alpha, static_cast<std::size_t>(spec().pairs())};
}

std::vector<AutomatonRun> AutomatonRuns::Best(int count) const {
  CheckCount("pushdown::AutomatonRuns::Best", count);
  return parts_->Best({}, count);
}

std::vector<AutomatonRun> AutomatonRuns::BestEndingIn(int state, int symbol, int count) const {
  CheckCount("pushdown::AutomatonRuns::BestEndingIn", count);
  if (state < 0 || state >= spec().states || symbol < 0 || symbol >= spec().symbols) {
    throw Error("pushdown::AutomatonRuns::BestEndingIn",
                "there is no state " + std::to_string(state) + " or no symbol " +
                    std::to_string(symbol) + " in " + StackName(spec()));
  }
  return parts_->Best(state * spec().symbols + symbol, count);
}

std::vector<StackOutcome> AutomatonRuns::BestStacks(int count) const {
  CheckCount("pushdown::AutomatonRuns::BestStacks", count);
  std::vector<StackOutcome> outcomes;
  for (AutomatonRun& run : BestRunsByStack(parts_->best_weights(), count)) {
    const double probability = StackProbability(run.Stack());
    outcomes.push_back({parts_->Finished(std::move(run)), probability});
  }
  return outcomes;
}

double AutomatonRuns::StackProbability(std::span<const int> stack) const {
  const int pairs = spec().pairs();
  const int symbols = spec().symbols;
  const StackWfa<double>& wfa = parts_->wfa;
  if (stack.empty()) return 0;  // the bottom symbol cannot be popped
  const FlushDenormals flush;
  // [t][q,x]: the probability that the upper part of the last stack, down to the symbol x, was put
  // on a stack that a run had after t steps, in state q and with x on top.
  std::vector<double> passing(static_cast<std::size_t>((steps() + 1) * pairs));
  std::vector<double> below(passing.size());
  std::copy_n(wfa.column(steps()).alpha, pairs, passing.end() - pairs);
  for (std::size_t n = stack.size(); n-- > 0;) {
    parts_->check();
    std::fill(below.begin(), below.end(), 0.0);
    double at_bottom = 0;
    for (int t = 0; t <= steps(); ++t) {
      const WfaColumn<double>& column = wfa.column(t);
      for (int pair = 0; pair < pairs; ++pair) {
        const double probability = passing[static_cast<std::size_t>(t * pairs + pair)];
        if (pair % symbols != stack[n] || !(probability > 0)) continue;
        if (column.low == t) at_bottom += probability;  // the old bottom has no row
        const double* shares = column.shares + pair * column.stride;
        for (int i = column.low; i < t; ++i, shares += pairs) {
          if (i < 0) {
            at_bottom += probability * shares[0];
            continue;
          }
          for (int source = 0; source < pairs; ++source) {
            below[static_cast<std::size_t>(i * pairs + source)] += probability * shares[source];
          }
        }
      }
    }
    if (n == 0) return at_bottom;
    std::swap(passing, below);
  }
  return 0;
}

std::vector<AutomatonRun> AutomatonRuns::Sample(int count, std::uint64_t seed) const {
  CheckCount("pushdown::AutomatonRuns::Sample", count);
  const RunSampler sampler(spec(), parts_->wfa);
  const StepLogits logits(spec(), parts_->logits);
  std::vector<AutomatonRun> runs;
  for (int n = 0; n < count; ++n) {
    parts_->check();
    Random random(seed, static_cast<std::uint64_t>(n));
    AutomatonRun run = {.transitions = sampler.Sample(random)};
    run.log_weight = logits.LogWeight(run);
    runs.push_back(parts_->Finished(std::move(run)));
  }
  return runs;
}

RunMarginals AutomatonRuns::Marginals() const {
  return ComputeMarginals(spec(), parts_->wfa, parts_->check);
}

double AutomatonRuns::EstimateBytes(const NondeterministicStackSpec& spec, int steps) {
  const NondeterministicStackSpec plain = WithoutVectors(spec);
  const double n = steps;
  const double tables = n * plain.logits_size() * 2 + (n + 2) * (n + 1) * plain.pairs() + n * n;
  return StackWfa<double>::EstimateBytes(plain, steps, /*gradients=*/true) +
         BestWeights::EstimateBytes(plain, steps) + tables * sizeof(double);
}

}  // namespace pushdown
