#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/data/string_distribution.h"
#include "pushdown/run/trained_model.h"

namespace pushdown {

enum class DataSplit { kTraining, kValidation, kTest };
const char* SplitName(DataSplit split);         // "training", "validation" or "test"
DataSplit ParseSplit(const std::string& name);  // one of these

// Strings, compared with the exact optimum by length. text_evaluation.h is the same for text.

// The lower bound of a string w. The paper has both: kSet for validation sets, and kLength in its
// figures by length.
enum class BoundKind {
  // -log p_L(w), the exact optimum if all lengths in a range are equally likely. A model that has
  // learned a part of the range can be below it there.
  kSet,
  // -log p_L(w | length of w), the exact optimum of each length for a model that is told the
  // length. A model that must also predict where a string ends loses about
  // log(number of lengths) / (length + 1) nats a symbol to it.
  kLength,
};
const char* BoundName(BoundKind bound);         // "set" or "length"
BoundKind ParseBound(const std::string& name);  // one of these

struct EvaluationRequest {
  DataSplit split = DataSplit::kTest;
  std::optional<LengthRange> lengths = {};  // nothing: all lengths of the set
  // Nothing: kLength for the test set, unless there are `bound_lengths`, and kSet for the other
  // sets, as in the training.
  std::optional<BoundKind> bound = {};
  // The range of kSet. Nothing: `lengths`, or those of the set.
  std::optional<LengthRange> bound_lengths = {};
  std::string data = {};  // a data directory to evaluate on; empty: the data of the run
  std::optional<std::vector<float>> parameters = {};  // nothing: those of the file
  int threads = 1;
};

inline constexpr const char* kEvaluationUnit = "nats a symbol, EOS counted";

// The cross-entropy of a model on some strings beside the lower bound, which is that of p_L, the
// exact distribution of the language, or of p_L given the length.
struct Comparison {
  CrossEntropy model = {};
  std::optional<CrossEntropy> lower_bound = {};  // nothing if the language is not known

  // In nats a symbol; NaN if there is no bound.
  double difference() const {
    return lower_bound ? model.PerSymbol() - lower_bound->PerSymbol()
                       : std::numeric_limits<double>::quiet_NaN();
  }
  void Add(const Comparison& other);
};

struct Evaluation {
  TrainedModel model = {};
  std::string path = {};  // the directory of the run, or the model file
  std::optional<LengthRange> training_lengths = {};
  LengthRange lengths = {};                       // the lengths that were evaluated
  std::optional<BoundKind> bound = {};            // nothing if the language is not known
  std::optional<LengthRange> bound_lengths = {};  // the lengths that a bound of kSet assumes
  bool sampled = false;    // whether the strings were sampled for this evaluation
  bool whole_set = false;  // whether they are all of those that the run has for this split
  Comparison all = {};
  std::map<int, Comparison> by_length = {};
};

// Evaluates the model of a run, or a model file. The strings are those of the run, which are
// sampled again with its seeds or read again from its data directory; or those of another
// directory; or a new sample of the model's language, if other lengths are asked for. Throws Error.
Evaluation Evaluate(const std::string& path, const EvaluationRequest& request,
                    const StageProgress& progress = {}, const Warn& warn = {});

}  // namespace pushdown
