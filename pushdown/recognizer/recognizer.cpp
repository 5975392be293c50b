#include "pushdown/recognizer/recognizer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <set>
#include <string>

#include "pushdown/error.h"
#include "pushdown/formal/restricted_form.h"
#include "pushdown/interruption.h"
#include "pushdown/memory.h"

namespace pushdown {
namespace {

// Stand for infinite parameters. Sigmoids of these are exactly 0 and 1, and tanh 1.
constexpr double kSaturated = 1000;
constexpr double kLargest = std::numeric_limits<double>::max();

// As long as there were never more runs than e^kMaxLogRuns, no probability of a reading, which is
// at least 1 / runs, has been rounded to zero: e^-708 is the smallest normal double, and the rest
// is room for rounding.
constexpr double kMaxLogRuns = 700;
// With at most 2^47 runs, the smallest probability that is not zero, 1 / runs, makes y larger than
// 1/2 by several times the distance between neighbouring doubles: y - 1/2 is about a 16th of it.
constexpr double kMaxLogRunsOfOutput = 47 * 0.693147180559945309;

// The units of the controller: two for each input symbol, that of the offset if there are several
// languages, and one for each language.
struct Units {
  explicit Units(const PushdownAutomaton& automaton)
      : offset(2 * automaton.inputs.size()),
        first_accept(offset + (automaton.languages() > 1 ? 1 : 0)),
        count(first_accept + automaton.languages()) {}

  int offset;
  int first_accept;
  int count;
};

// The most choices that an automaton of these sizes can have in a configuration.
double Choices(const PushdownAutomaton& automaton) {
  return static_cast<double>(automaton.states.size()) *
         (2 * static_cast<double>(automaton.stack_symbols.size()) + 1);
}

void CheckForm(const PushdownAutomaton& automaton) {
  Validate(automaton);
  const auto fail = [](const std::string& what) {
    throw Error("pushdown::MakeRecognizer", "the automaton " + what);
  };
  if (!IsRestricted(automaton)) fail("is not in restricted form");
  if (ReturnsToStart(automaton)) fail("has a run that returns to where it started; see WithTrap");
  // A state that stays on the bottom for every input, after the first symbol.
  std::set<std::pair<int, int>> stays;
  std::set<std::pair<int, int>> begins;
  for (const AutomatonTransition& transition : automaton.transitions) {
    const bool on_bottom = transition.from.top == 0 && transition.pushed == std::vector<int>{0};
    if (on_bottom && transition.from.state == transition.to) {
      stays.emplace(transition.to, transition.input);
    }
    if (on_bottom && transition.from.state == 0) begins.emplace(transition.to, transition.input);
  }
  const auto has_all = [&](const std::set<std::pair<int, int>>& transitions, int state) {
    for (int input = 0; input < automaton.inputs.size(); ++input) {
      if (!transitions.contains({state, input})) return false;
    }
    return true;
  };
  for (int state = 0; state < static_cast<int>(automaton.states.size()); ++state) {
    if (has_all(stays, state) && has_all(begins, state)) return;
  }
  fail("does not have a run for every string; see WithTrap");
}

void CheckSize(const PushdownAutomaton& automaton, std::uint64_t max_parameters) {
  const double parameters = RecognizerParameters(automaton);
  const std::string number = std::to_string(parameters);  // with six zeros after the point
  if (parameters <= static_cast<double>(max_parameters)) {
    // The parameters, and the contents of their file.
    return CheckMemory(3 * sizeof(double) * parameters,
                       "a network of " + number.substr(0, number.find('.')) + " parameters",
                       "smaller grammars need less");
  }
  throw Error(ErrorKind::kLimit, "pushdown::MakeRecognizer",
              "the network of " + std::to_string(automaton.states.size()) + " states, " +
                  std::to_string(automaton.stack_symbols.size()) + " stack symbols and " +
                  std::to_string(Units(automaton).count) + " hidden units has " +
                  number.substr(0, number.find('.')) + " parameters, more than " +
                  std::to_string(max_parameters) + ", which is the limit");
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

ModelSpec RecognizerSpec(const PushdownAutomaton& automaton) {
  ModelSpec spec;
  spec.stack =
      NondeterministicStackSpec{.states = static_cast<int>(automaton.states.size()),
                                .symbols = static_cast<int>(automaton.stack_symbols.size())};
  spec.hidden_units = Units(automaton).count;
  spec.symbols = automaton.inputs.size() + 1;
  return spec;
}

double RecognizerParameters(const PushdownAutomaton& automaton) {
  const ModelSpec spec = RecognizerSpec(automaton);
  const double states = spec.nondeterministic()->states;
  const double pairs = states * spec.nondeterministic()->symbols;
  const double units = spec.hidden_units;
  const double languages = automaton.languages();
  return (spec.symbols + pairs + units + 1) * 4 * units + (units + 1) * spec.outputs() +
         (units + 1) * pairs * (2 * pairs + states) + (units + 1) * languages + languages + 1;
}

RecognizerNetwork MakeRecognizer(const PushdownAutomaton& automaton, std::uint64_t max_parameters) {
  CheckForm(automaton);
  CheckSize(automaton, max_parameters);
  const Units units(automaton);
  const int languages = automaton.languages();
  const int symbols = static_cast<int>(automaton.stack_symbols.size());
  RecognizerNetwork network;
  network.spec = RecognizerSpec(automaton);
  Validate(network.spec);
  const ParameterLayout layout(network.spec);
  network.parameters.assign(layout.size, 0.0);

  // The controller. Its inputs are the symbol, the reading and the hidden state.
  enum Gate { kInput, kForget, kCandidate, kOutput };
  const int first_reading = network.spec.symbols;
  const int first_hidden = first_reading + network.spec.reading_size();
  double* controller = network.parameters.data() + layout.controller.weights;
  double* bias = network.parameters.data() + layout.controller.bias;
  const auto weight = [&](int input, Gate gate, int unit) -> double& {
    return controller[std::ptrdiff_t{input} * layout.controller.outputs + gate * units.count +
                      unit];
  };
  const auto bias_of = [&](Gate gate, int unit) -> double& {
    return bias[gate * units.count + unit];
  };
  const auto reading_of = [&](const AutomatonHead& head) {
    return first_reading + head.state * symbols + head.top;
  };
  for (int unit = 0; unit < units.count; ++unit) {
    bias_of(kInput, unit) = kSaturated;
    bias_of(kForget, unit) = -kSaturated;
    bias_of(kOutput, unit) = kSaturated;
  }
  for (int input = 0; input < automaton.inputs.size(); ++input) {
    for (int unit : {2 * input, 2 * input + 1}) weight(input, kCandidate, unit) = kSaturated;
  }
  if (languages > 1) {
    // Becomes 1/b with the first symbol, before which all runs are at the start and after which
    // none is, and is multiplied by 1/b with each of the others.
    const double choices = Choices(automaton);
    bias_of(kInput, units.offset) = -kSaturated;
    weight(reading_of({0, 0}), kInput, units.offset) = 2 * kSaturated;
    bias_of(kCandidate, units.offset) = std::atanh(1 / choices);
    bias_of(kForget, units.offset) = -std::log(choices - 1);
  }
  for (int language = 0; language < languages; ++language) {
    const int unit = units.first_accept + language;
    for (const AutomatonHead& head : automaton.accepting[language]) {
      weight(reading_of(head), kCandidate, unit) = 1;
    }
    if (languages > 1) weight(first_hidden + units.offset, kCandidate, unit) = -1;
  }

  // The transitions: a logit is 0 if the automaton has the transition, else -inf. Where that
  // depends on the input, the two units of a symbol, both tanh(1), add up to it, because a weight
  // of -inf would be NaN for all other symbols.
  const AffineLayer& operations = layout.stack.front();
  double* operation_weights = network.parameters.data() + operations.weights;
  double* operation_bias = network.parameters.data() + operations.bias;
  std::fill_n(operation_bias, operations.outputs, -std::numeric_limits<double>::infinity());
  const NondeterministicStackSpec& stack = *network.spec.nondeterministic();
  const auto operation = [&](const AutomatonTransition& transition) {
    const int source = transition.from.state * symbols + transition.from.top;
    int target = 2 * stack.pairs() + transition.to;
    if (transition.is_push()) {
      target = transition.to * symbols + transition.pushed[1];
    } else if (transition.is_replace()) {
      target = stack.pairs() + transition.to * symbols + transition.pushed[0];
    }
    return source * stack.logits_per_pair() + target;
  };
  const auto input_weights = [&](int input, int n) {
    return operation_weights + std::ptrdiff_t{2 * input + n} * operations.outputs;
  };
  for (const AutomatonTransition& transition : automaton.transitions) {
    const int number = operation(transition);
    operation_bias[number] = 0;
    for (int input = 0; input < automaton.inputs.size(); ++input) {
      for (int n : {0, 1}) input_weights(input, n)[number] = -kLargest;
    }
  }
  for (const AutomatonTransition& transition : automaton.transitions) {
    for (int n : {0, 1}) input_weights(transition.input, n)[operation(transition)] = 0;
  }

  network.hidden_weights.assign(static_cast<std::size_t>(units.count) * languages, 0.0);
  for (int language = 0; language < languages; ++language) {
    network.hidden_weights[(units.first_accept + language) * languages + language] =
        languages > 1 ? kLargest : 1;
  }
  network.hidden_bias.assign(static_cast<std::size_t>(languages), 0.0);
  network.output_weights.assign(static_cast<std::size_t>(languages), 1.0);
  network.output_bias = 0.5 - languages;
  return network;
}

int LongestExactLength(const PushdownAutomaton& automaton) {
  // The offset of n symbols is 1/b^n, and the accepting runs' part in fewer than b^n others at
  // least 1/b^n / (b - 1) more. Both, times the largest number, must be in the saturated part of a
  // sigmoid.
  constexpr double kSaturatedSigmoid = 64;
  const double available = std::log(kLargest) - std::log(kSaturatedSigmoid);
  return static_cast<int>(available / std::log(Choices(automaton))) - 1;
}

Recognizer::Recognizer(const PushdownAutomaton& automaton, const RecognizerNetwork& network,
                       int max_length)
    : network_(network),
      max_length_(max_length),
      longest_exact_(LongestExactLength(automaton)),
      model_(network.spec, max_length + 1, /*gradients=*/false),
      log_probabilities_(static_cast<std::size_t>(network.spec.outputs())) {
  CheckForm(automaton);
  for (const std::vector<AutomatonHead>& heads : automaton.accepting) {
    std::set<int> pairs;
    for (const AutomatonHead& head : heads) {
      pairs.insert(head.state * static_cast<int>(automaton.stack_symbols.size()) + head.top);
    }
    accepting_.emplace_back(pairs.begin(), pairs.end());
  }
  readings_.reserve(static_cast<std::size_t>(max_length + 1) * network.spec.reading_size());
}

double Recognizer::EstimateBytes(const ModelSpec& spec, int max_length) {
  return StackRnn<double>::EstimateBytes(spec, max_length + 1, /*gradients=*/false) +
         (max_length + 1.0) * spec.reading_size() * sizeof(double);
}

std::span<const double> Recognizer::reading(int t) const {
  const auto size = static_cast<std::size_t>(network_.spec.reading_size());
  return std::span(readings_).subspan(static_cast<std::size_t>(t) * size, size);
}

Recognition Recognizer::Recognize(std::span<const int> string) {
  const int length = static_cast<int>(string.size());
  const int end = network_.spec.symbols - 1;
  for (int symbol : string) {
    if (symbol < 0 || symbol >= end) {
      throw Error("pushdown::Recognizer", "symbol " + std::to_string(symbol) +
                                              " is not one of the automaton's " +
                                              std::to_string(end));
    }
  }
  if (length > max_length_) {
    throw Error("pushdown::Recognizer", "a string of " + std::to_string(length) +
                                            " symbols, and the recognizer was made for " +
                                            std::to_string(max_length_));
  }
  const double* parameters = network_.parameters.data();
  Recognition result;
  double most_log_runs = 0;
  readings_.clear();
  model_.Start(parameters, log_probabilities_.data());
  for (int t = 0; t <= length; ++t) {
    CheckInterruption();
    const int symbol = t < length ? string[static_cast<std::size_t>(t)] : end;
    model_.Step(parameters, symbol, log_probabilities_.data());
    // What the step saw: the reading after t symbols.
    readings_.insert(readings_.end(), model_.reading().begin(), model_.reading().end());
    result.log_runs = model_.LogStackWeight();
    most_log_runs = std::max(most_log_runs, result.log_runs);
  }

  const std::span<const double> hidden = model_.hidden();
  const auto languages = accepting_.size();
  double sum = network_.output_bias;
  for (std::size_t language = 0; language < languages; ++language) {
    double logit = network_.hidden_bias[language];
    for (std::size_t unit = 0; unit < hidden.size(); ++unit) {
      logit += hidden[unit] * network_.hidden_weights[unit * languages + language];
    }
    sum += network_.output_weights[language] * Sigmoid(logit);
  }
  result.y = Sigmoid(sum);

  bool all_positive = true;
  for (const std::vector<int>& pairs : accepting_) {
    double acceptance = 0;
    for (int pair : pairs) acceptance += reading(length)[static_cast<std::size_t>(pair)];
    result.acceptance.push_back(acceptance);
    all_positive = all_positive && acceptance > 0;
  }
  const bool output_is_exact =
      languages > 1 ? length <= longest_exact_ : most_log_runs <= kMaxLogRunsOfOutput;
  result.accepted = all_positive;
  if (output_is_exact) {
    result.accepted = result.y > 0.5;
    result.decision = Decision::kOutput;
    if (result.accepted != all_positive) {
      throw Error("pushdown::Recognizer", "the network is not that of the automaton");
    }
  } else if (all_positive || most_log_runs <= kMaxLogRuns) {
    // What is not zero has a run.
    result.decision = Decision::kReading;
  } else {
    result.decision = Decision::kOutOfRange;
  }
  return result;
}

}  // namespace pushdown
