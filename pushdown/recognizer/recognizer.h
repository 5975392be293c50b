#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/stack_rnn.h"

namespace pushdown {

// An RNS-RNN whose weights follow from an automaton (the paper's appendix B, Lemma 4 and, for
// several languages, Proposition 2), in double precision.
//
// Input symbols are those of the automaton, and the end of a string as the last one. The output
// layer of the language model is zero; acceptance has a layer of its own (Definition 1),
//   y = sigmoid(output_weights * sigmoid(h_{n+1} * hidden_weights + hidden_bias) + output_bias),
// and a string is accepted if y > 1/2 after its end.
struct RecognizerNetwork {
  ModelSpec spec;
  std::vector<double> parameters;  // an arena of ParameterLayout(spec)
  // One unit a language.
  std::vector<double> hidden_weights;  // [H, languages]
  std::vector<double> hidden_bias;     // [languages]
  std::vector<double> output_weights;  // [languages]
  double output_bias = 0;
};

// The sizes of the network of an automaton, before it is made.
ModelSpec RecognizerSpec(const PushdownAutomaton& automaton);
double RecognizerParameters(const PushdownAutomaton& automaton);

// The automaton must be restricted, have a run for every string, and no transition to its start
// state with the bottom symbol on top; see WithTrap. Throws Error otherwise.
RecognizerNetwork MakeRecognizer(const PushdownAutomaton& automaton);

// The longest strings for which the acceptance layer of several languages is exact: the offset,
// 1/b^n with b = |Q| (2 |Gamma| + 1), must be a number of double precision.
int LongestExactLength(const PushdownAutomaton& automaton);

// How it was decided whether a string is accepted.
enum class Decision {
  kOutput,      // y > 1/2, where rounding cannot change it
  kReading,     // every language has a part in the last reading, where that cannot have been lost
  kOutOfRange,  // there are so many runs that some may have been lost: the answer may be wrong
};

struct Recognition {
  bool accepted = false;
  Decision decision = Decision::kOutput;
  double y = 0;                    // the network's output
  double log_runs = 0;             // of the number of runs, that of the trap included
  std::vector<double> acceptance;  // by language: the accepting runs' part in all of them
};

// A network at work, for one thread.
class Recognizer {
 public:
  // They must belong together, and the network must outlive it. For strings of up to max_length
  // symbols.
  Recognizer(const PushdownAutomaton& automaton, const RecognizerNetwork& network, int max_length);

  // Throws Error for strings that it was not made for, and if it finds that the network is not that
  // of the automaton.
  Recognition Recognize(std::span<const int> string);
  // Of the newest string, after t = 0 .. n symbols: the distribution over heads, (state, symbol)
  // row-major.
  std::span<const double> reading(int t) const;

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
