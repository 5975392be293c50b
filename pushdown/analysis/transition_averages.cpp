#include "pushdown/analysis/transition_averages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/model_vectors.h"
#include "pushdown/error.h"
#include "pushdown/kernels/nondeterministic_stack.h"

namespace pushdown {
namespace {

// The probabilities of the actions of each step, from a string's beginning.
class ActionShares {
 public:
  virtual ~ActionShares() = default;
  virtual void Start() = 0;
  virtual void Next(std::span<const float> actions, std::vector<double>& shares) = 0;
};

class SuperpositionShares final : public ActionShares {
 public:
  explicit SuperpositionShares(const SuperpositionStackSpec& spec)
      : size_(static_cast<std::size_t>(spec.actions_size())) {}

  void Start() override {}
  void Next(std::span<const float> actions, std::vector<double>& shares) override {
    shares.assign(actions.begin(), actions.begin() + static_cast<std::ptrdiff_t>(size_));
  }

 private:
  std::size_t size_;
};

// Takes the transitions of a model in a vector stack of its own, whose vectors tell what alpha does
// not: which part of the runs in (q,x) has the initial bottom symbol on top, or the element that
// the first step has pushed.
class NondeterministicShares final : public ActionShares {
 public:
  // With a window, steps are carried, and a text may be of any length.
  NondeterministicShares(const NondeterministicStackSpec& spec, int max_steps)
      : spec_(Spec(spec)), stack_(spec_, MaxSteps(spec, max_steps), /*gradients=*/false) {
    reading_.resize(static_cast<std::size_t>(spec_.reading_size()));
  }

  static double EstimateBytes(const NondeterministicStackSpec& spec, int max_steps) {
    return NondeterministicStack<float>::EstimateBytes(Spec(spec), MaxSteps(spec, max_steps),
                                                       /*gradients=*/false);
  }

  void Start() override {
    const float bottom[kMarks] = {1, 1, 0};
    stack_.Start(bottom, reading_.data());
    first_ = true;
  }

  void Next(std::span<const float> actions, std::vector<double>& shares) override {
    const auto size = static_cast<std::size_t>(spec_.logits_size());
    const auto per_pair = static_cast<std::size_t>(spec_.logits_per_pair());
    const auto pairs = static_cast<std::size_t>(spec_.pairs());
    const double largest =
        *std::max_element(actions.begin(), actions.begin() + spec_.logits_size());
    shares.assign(size, 0);
    double total = 0;
    for (std::size_t n = 0; n < size; ++n) {
      const std::size_t operation = n % per_pair;
      const double runs = operation < pairs       ? Pushing(n / per_pair)
                          : operation < 2 * pairs ? Replacing(n / per_pair)
                                                  : Popping(n / per_pair);
      shares[n] = runs * std::exp(static_cast<double>(actions[n]) - largest);
      total += shares[n];
    }
    for (double& share : shares) share = total > 0 ? share / total : 0;

    const float pushed[kMarks] = {1, 0, first_ ? 1.0f : 0.0f};
    stack_.Step(actions.data(), pushed, reading_.data());
    if (spec_.window > 0) stack_.Carry();
    first_ = false;
  }

 private:
  // What a reading has of each pair: all runs, those with the initial bottom symbol on top, and
  // those with the first pushed element on top.
  static constexpr int kMarks = 3;

  static NondeterministicStackSpec Spec(NondeterministicStackSpec spec) {
    spec.vector_size = kMarks;
    spec.initial_vector = InitialVector::kCorrect;
    return spec;
  }
  static int MaxSteps(const NondeterministicStackSpec& spec, int max_steps) {
    return spec.window > 0 ? 1 : max_steps;
  }

  double Mark(std::size_t pair, std::size_t mark) const {
    return static_cast<double>(reading_[pair * kMarks + mark]);
  }
  double Pushing(std::size_t pair) const { return Mark(pair, 0); }
  // The old bottom can be neither replaced nor popped, and what lies directly above it, which is
  // what the first step has pushed, cannot be popped. It is never uncovered again.
  double Replacing(std::size_t pair) const {
    return Mark(pair, 0) - (spec_.bottom == Bottom::kOld ? Mark(pair, 1) : 0);
  }
  double Popping(std::size_t pair) const {
    const double fixed = Mark(pair, 0) - Mark(pair, 1);
    return std::max(fixed - (spec_.bottom == Bottom::kOld ? Mark(pair, 2) : 0), 0.0);
  }

  NondeterministicStackSpec spec_;
  NondeterministicStack<float> stack_;
  std::vector<float> reading_;
  bool first_ = true;
};

// Of a model with a stack.
std::unique_ptr<ActionShares> MakeShares(const ModelSpec& spec, int max_steps) {
  if (const NondeterministicStackSpec* stack = spec.nondeterministic()) {
    return std::make_unique<NondeterministicShares>(*stack, max_steps);
  }
  return std::make_unique<SuperpositionShares>(*spec.superposition());
}

// What averages take besides a predictor. Throws Error for an LSTM without a stack.
AnalysisBytes BytesOf(const TrainedModel& model, const StringSizes& sizes, std::size_t rules,
                      double output_bytes) {
  const double symbols = static_cast<double>(rules) *
                         std::min(sizes.total, static_cast<double>(model.vocabulary.size()));
  AnalysisBytes bytes = {.output = symbols * output_bytes};
  if (const NondeterministicStackSpec* stack = model.spec.nondeterministic()) {
    bytes.kept = NondeterministicShares::EstimateBytes(*stack, std::max(1, sizes.longest)) +
                 symbols * sizeof(double) * stack->logits_size();
  } else if (!model.spec.stack) {
    throw Error("pushdown::AverageTransitions",
                "the model is an LSTM without a stack, and has no transitions");
  }
  return bytes;
}

using SymbolSums = std::map<int, TransitionAverages::Symbol>;  // `average` has sums

void AddTo(SymbolSums& sums, int symbol, std::span<const double> shares) {
  TransitionAverages::Symbol& sum = sums[symbol];
  sum.symbol = symbol;
  sum.average.resize(shares.size());
  ++sum.count;
  for (std::size_t n = 0; n < shares.size(); ++n) sum.average[n] += shares[n];
}

}  // namespace

TransitionAverages AverageTransitions(const TrainedModel& model,
                                      std::span<const std::vector<int>> strings,
                                      const PositionRule& positions,
                                      const StageProgress& progress) {
  return AverageTransitions(model, strings, std::span(&positions, 1), progress)[0];
}

std::vector<TransitionAverages> AverageTransitions(const TrainedModel& model,
                                                   std::span<const std::vector<int>> strings,
                                                   std::span<const PositionRule> rules,
                                                   const StageProgress& progress,
                                                   double output_bytes) {
  const StringSizes sizes = SizesOf(strings);
  const AnalysisBytes bytes = BytesOf(model, sizes, rules.size(), output_bytes);
  std::unique_ptr<ActionShares> actions;
  std::vector<PositionRange> ranges(rules.size());  // in the string that is being read
  std::vector<SymbolSums> sums(rules.size());
  std::vector<double> shares;
  const auto visit = [&](std::size_t n, int t, const Predictor& predictor) {
    const std::vector<int>& string = strings[n];
    if (t == 1) {
      if (actions == nullptr) actions = MakeShares(model.spec, sizes.longest);
      actions->Start();
      for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        ranges[rule] = SelectPositions(rules[rule], string);
      }
    }
    if (predictor.actions().empty()) return;  // of the first symbol of a string
    actions->Next(predictor.actions(), shares);
    // These are the actions of the symbol before. A text has one before its first symbol.
    const int position = t - 1;
    if (position < 1) return;
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
      if (position < ranges[rule].first || position > ranges[rule].last) continue;
      AddTo(sums[rule], string[static_cast<std::size_t>(position - 1)], shares);
    }
  };
  ReadStrings(model, strings, bytes, visit, progress);
  std::vector<TransitionAverages> result;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    result.push_back({.positions = rules[rule]});
    for (auto& [number, symbol] : sums[rule]) {
      for (double& share : symbol.average) share /= static_cast<double>(symbol.count);
      result.back().symbols.push_back(std::move(symbol));
    }
  }
  return result;
}

std::vector<std::size_t> LargestTransitions(const TransitionAverages::Symbol& symbol,
                                            double threshold) {
  std::vector<std::size_t> places;
  for (std::size_t n = 0; n < symbol.average.size(); ++n) {
    if (symbol.average[n] >= threshold) places.push_back(n);
  }
  std::stable_sort(places.begin(), places.end(), [&symbol](std::size_t a, std::size_t b) {
    return symbol.average[a] > symbol.average[b];
  });
  return places;
}

OperationShares OperationsOf(const NondeterministicStackSpec& stack,
                             const TransitionAverages::Symbol& symbol) {
  OperationShares shares;
  for (std::size_t n = 0; n < symbol.average.size(); ++n) {
    switch (TransitionAt(stack, n).transition.operation) {
      case StackOperation::kPush:
        shares.push += symbol.average[n];
        break;
      case StackOperation::kReplace:
        shares.replace += symbol.average[n];
        break;
      case StackOperation::kPop:
        shares.pop += symbol.average[n];
        break;
    }
  }
  return shares;
}

std::string TransitionText(const StepTransition& transition) {
  const auto& [operation, state, symbol] = transition.transition;
  const std::string top = StackSymbolName(transition.from_symbol);
  const std::string states =
      transition.from_state == state
          ? fmt::format("staying in {}", StateName(state))
          : fmt::format("going from {} to {}", StateName(transition.from_state), StateName(state));
  switch (operation) {
    case StackOperation::kPush:
      return fmt::format("push {} on {}, {}", StackSymbolName(symbol), top, states);
    case StackOperation::kReplace:
      return transition.from_symbol == symbol
                 ? fmt::format("keep {}, {}", top, states)
                 : fmt::format("replace {} by {}, {}", top, StackSymbolName(symbol), states);
    case StackOperation::kPop:
      break;
  }
  return fmt::format("pop {}, {}", top, states);
}

}  // namespace pushdown
