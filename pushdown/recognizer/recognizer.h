#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/stack_rnn.h"

namespace pushdown {

// An RNS-RNN whose weights follow from an automaton (the paper's appendix B, Lemma 4 and, for
// several languages, Proposition 2), in double precision.
//
// The network's input symbols are those of the automaton, followed by one for the end of a string.
// The output layer of the language model is zero; acceptance has a layer of its own (Definition 1),
//   y = sigmoid(output_weights * sigmoid(h_{n+1} * hidden_weights + hidden_bias) + output_bias),
// and a string is accepted if y > 1/2 after its end.
struct RecognizerNetwork {
  ModelSpec spec;
  std::vector<double> parameters;  // an arena of ParameterLayout(spec)
  // The acceptance layer has one unit for each language.
  std::vector<double> hidden_weights;  // [H, languages]
  std::vector<double> hidden_bias;     // [languages]
  std::vector<double> output_weights;  // [languages]
  double output_bias = 0;
};

// The sizes of the network of an automaton, before it is made.
ModelSpec RecognizerSpec(const PushdownAutomaton& automaton);
double RecognizerParameters(const PushdownAutomaton& automaton);

// The automaton must be restricted, have a run for every string, and no transition to its start
// state with the bottom symbol on top; see WithTrap. Throws Error otherwise, and Error of the kind
// kLimit if the network would have more than max_parameters.
RecognizerNetwork MakeRecognizer(
    const PushdownAutomaton& automaton,
    std::uint64_t max_parameters = std::numeric_limits<std::uint64_t>::max());

// The longest strings for which the acceptance layer of several languages is exact: the offset,
// 1/b^n with b = |Q| (2 |Gamma| + 1), must be a number of double precision.
int LongestExactLength(const PushdownAutomaton& automaton);

// How it was decided whether a string is accepted.
enum class Decision {
  // By the output, y > 1/2: there are so few runs that rounding cannot change this.
  kOutput,
  // By the last reading: whether the accepting runs of every language have a probability above
  // zero.
  // There are so few runs that no probability can have been rounded to zero.
  kReading,
  // There are so many runs that probabilities may have been rounded to zero: the answer may be
  // wrong.
  kOutOfRange,
};

struct Recognition {
  bool accepted = false;
  Decision decision = Decision::kOutput;
  double y = 0;                    // the network's output
  double log_runs = 0;             // log of the number of runs, including that of the trap state
  std::vector<double> acceptance;  // for each language, the share of accepting runs in all runs
};

// A network at work, for one thread.
class Recognizer {
 public:
  // For strings of up to max_length symbols. The network must be that of the automaton, and must
  // outlive this object.
  Recognizer(const PushdownAutomaton& automaton, const RecognizerNetwork& network, int max_length);

  // Throws Error for a string that is too long or has other symbols, and if the output shows that
  // the network is not that of the automaton.
  Recognition Recognize(std::span<const int> string);
  // The reading for the newest string after its first t = 0 .. n symbols: the distribution of runs
  // over pairs of state and top symbol, [state][symbol].
  std::span<const double> reading(int t) const;
  // The logits of the transitions with which the runs of the newest string read its symbol
  // t = 1 .. n: 0 or -inf, laid out as NondeterministicStackSpec says.
  std::span<const double> logits(int t) const { return model_.actions(t); }

  static double EstimateBytes(const ModelSpec& spec, int max_length);

 private:
  const RecognizerNetwork& network_;
  std::vector<std::vector<int>> accepting_;  // pairs (state, symbol) by language
  int max_length_;
  int longest_exact_;
  StackRnn<double> model_;
  std::vector<double> log_probabilities_;
  std::vector<double> readings_;  // [t][P]
};

}  // namespace pushdown
