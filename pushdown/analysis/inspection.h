#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/automaton_runs.h"
#include "pushdown/data/string_distribution.h"
#include "pushdown/kernels/stack_spec.h"
#include "pushdown/recognizer/compile.h"
#include "pushdown/run/language_choice.h"
#include "pushdown/run/trained_model.h"

namespace pushdown {

// What happens inside a model while it reads a string, step by step:
//
//   const Inspector inspector(OpenModel("runs/reversal"));
//   const Inspection inspection = inspector.Inspect("0 1 # 1 0");
//   inspection.automaton->runs.front()  // the most probable run of the automaton
//
// A model reads the inputs x_1 .. x_N: the symbols of a string; of a text, <eos> and then the
// words; of a recognizer, the symbols and then the end of the string. After x_t the stack takes an
// action, and r_t is its reading, t = 1 .. T; r_0 is that of the initial stack. The reading r_t
// goes into the step that reads x_{t+1}, so that the actions of the last input are never taken: T =
// N - 1.

enum class InspectedKind { kStrings, kText, kRecognizer };
const char* InspectedKindName(InspectedKind kind);  // "strings", "text" or "recognizer"

// A symbol that the model predicts, given all symbols before it.
struct InspectedPrediction {
  std::string symbol = {};  // "<eos>" for the end
  double log_p = 0;         // natural, as all logarithms
  // log p_L(symbol | all symbols before it): -infinity if no string of p_L goes on so; nothing if
  // p_L is not known, if no string of p_L begins with the symbols before it, or if the grammar and
  // the lengths are too large to compute it.
  std::optional<double> optimum_log_p = {};
};

// The exact distribution p_L over a range of lengths, for comparison.
struct InspectedOptimum {
  LengthRange lengths = {};
  // log p_L of the whole string, -infinity if it is impossible; nothing if it takes too much to
  // parse it.
  std::optional<double> log_p = {};
  // Whether the string is in the language, whatever its length. Strings that are much longer than
  // those of p_L are not parsed: nothing.
  std::optional<bool> member = {};
  std::string objection = {};  // why p_L is zero or not known, in a line; else empty
};

// The stack of an RNS, a VRNS or a recognizer.
struct InspectedAutomaton {
  NondeterministicStackSpec spec = {};
  // Of a trained model, states are q0, q1, ..., and stack symbols ⊥, the bottom symbol, 0, 1, ...
  std::vector<std::string> state_names = {};
  std::vector<std::string> symbol_names = {};
  double log_weight = 0;  // log of the weight of all runs; of a recognizer, of their number
  // [T + 1][P]: the probability of each pair of state and top symbol after t steps. It is the
  // reading of an RNS; that of a VRNS also has the vectors.
  std::vector<std::vector<double>> tops = {};
  RunMarginals marginals = {};
  std::vector<AutomatonRun> runs = {};     // the most probable ones, best first
  std::vector<AutomatonRun> samples = {};  // from the distribution over runs
};

// One of the stacks of a superposition stack.
struct InspectedSuperposition {
  int size = 0;                                     // of its vectors
  std::vector<std::array<double, 3>> actions = {};  // [T]: the weights of push, no-op and pop
  // [T + 1][depth]: what has been pushed to a depth, the top first: the element itself, its
  // Euclidean norm, and what it would be if all vectors that were pushed were the number 1. The
  // deepest elements may be left out (InspectionOptions::depths).
  std::vector<std::vector<std::vector<double>>> elements = {};
  std::vector<std::vector<double>> norms = {};
  std::vector<std::vector<double>> weights = {};
};

// Of a recognizer.
struct InspectedRecognition {
  std::optional<bool> accepted = {};    // nothing if the precision of numbers does not suffice
  double y = 0;                         // the network's output
  double log_runs = 0;                  // including the run that `compile` adds for every string
  std::vector<double> acceptance = {};  // for each language, the share of accepting runs
};

struct Inspection {
  InspectedKind kind = InspectedKind::kStrings;
  std::string model = {};  // its name, such as "rns-2-3"
  int hidden_units = 0;
  std::string string = {};               // symbols separated by spaces
  std::vector<std::string> inputs = {};  // [N]; the end of a recognizer's string is "<eos>"
  // Of every symbol and the end; none of a recognizer, which predicts nothing.
  std::vector<InspectedPrediction> predictions = {};
  double log_p = 0;  // their sum
  std::optional<InspectedOptimum> optimum = {};
  std::vector<std::vector<double>> readings = {};  // [T + 1][R]; empty without a stack
  std::optional<InspectedAutomaton> automaton = {};
  std::vector<InspectedSuperposition> superposition = {};
  std::optional<InspectedRecognition> recognition = {};

  int steps() const { return inputs.empty() ? 0 : static_cast<int>(inputs.size()) - 1; }  // T
};

struct InspectionOptions {
  int runs = 1;            // how many of the most probable runs
  int samples = 0;         // how many sampled runs
  std::uint64_t seed = 1;  // of the samples
  int depths = 10;         // how many elements of a superposition stack
};

class Inspector {
 public:
  // `lengths` are those of p_L; nothing: those that the model was trained on, if they are known.
  // Throws Error if p_L has no strings of these lengths, and if the symbols of the model are not
  // those of its language.
  explicit Inspector(TrainedModel model, std::optional<LengthRange> lengths = {},
                     const StageProgress& progress = {});
  explicit Inspector(CompiledRecognizer recognizer);
  ~Inspector();
  Inspector(Inspector&&) noexcept;
  Inspector& operator=(Inspector&&) noexcept;

  InspectedKind kind() const;
  const ModelSpec& spec() const;
  const SymbolTable& vocabulary() const;
  // Why there is no optimum; empty if there is one.
  const std::string& optimum_fault() const;

  // The numbers of the symbols of a string, which are separated by spaces; of a text, with <eos> at
  // the end. Throws Error.
  std::vector<int> Encode(std::string_view string) const;
  // `progress`, if there is one, is called now and then with the share of the work that is done.
  // Throws Error of the kind kNumeric if the model gives no finite probabilities.
  Inspection Inspect(std::span<const int> string, const InspectionOptions& options = {},
                     const std::function<void(double)>& progress = {}) const;
  Inspection Inspect(std::string_view string, const InspectionOptions& options = {}) const {
    return Inspect(Encode(string), options);
  }

  // What inspecting a string of so many symbols takes at most.
  double EstimateBytes(int length, const InspectionOptions& options = {}) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The runs of the automaton of a model that reads a string, or the words of a sentence: the actions
// are taken after all inputs but the last. `check` is that of AutomatonRuns, and is called while
// the string is read, too. Throws Error if the stack of the model is not an automaton.
AutomatonRuns RunsOf(const TrainedModel& model, std::span<const int> string,
                     const std::function<void()>& check = {});

// Opens a directory of `pushdown compile`, or whatever OpenModel opens. Throws Error.
Inspector OpenInspector(const std::string& path, std::optional<LengthRange> lengths = {},
                        const StageProgress& progress = {}, const Warn& warn = {});

}  // namespace pushdown
