#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/run/evaluation.h"
#include "pushdown/run/trained_model.h"
#include "pushdown/train/batching.h"

namespace pushdown {

// The cross-entropy of models of running text. scoring.h has that of somebody's own sentences.

struct TextEvaluationRequest {
  DataSplit split = DataSplit::kTest;
  std::string data = {};  // the directory of a text; empty: that of the run
  std::optional<std::vector<float>> parameters = {};  // nothing: those of the file
  int rows = 0;                                       // 0: as in the training
  int chunk_length = 0;                               // 0: as in the training
  int threads = 1;
};

struct TextEvaluation {
  TrainedModel model = {};
  std::string path = {};       // the directory of the run, or the model file
  std::string file = {};       // the text
  TextBatching batching = {};  // as it was read: a short text has fewer rows
  bool whole_set = false;      // whether the text is that of the run, and not another
  std::size_t tokens = 0;      // ends of sentences included
  double cross_entropy = 0;    // in nats a token
};

// Evaluates the model of a run, or a model file, on a text. Throws Error.
TextEvaluation EvaluateText(const std::string& path, const TextEvaluationRequest& request,
                            const StageProgress& progress = {}, const Warn& warn = {});

// How the run that a model belongs to has read its text; the default if the model has no run.
TextBatching BatchingOf(const TrainedModel& model);

// The directory of the text that a model was trained on, or empty if the model has no run.
std::string TextDirectoryOf(const TrainedModel& model);

// -log p of each token of a text, read as one stream that is wrapped into rows side by side.
std::vector<double> ScoreText(const TrainedModel& model, std::span<const int> tokens,
                              const TextBatching& batching, int threads = 1,
                              const StageProgress& progress = {});
// The same, where each sentence is read as if it were the first one of a text.
std::vector<double> ScoreSentences(const TrainedModel& model, std::span<const int> tokens,
                                   int threads = 1, const StageProgress& progress = {});

}  // namespace pushdown
