#include "pushdown/run/text_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <numeric>
#include <utility>

#include "pushdown/data/text_corpus.h"
#include "pushdown/data/text_rows.h"
#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/memory.h"
#include "pushdown/model/text_model.h"
#include "pushdown/printable.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/text_data.h"
#include "pushdown/train/text_scores.h"
#include "pushdown/worker_pool.h"

namespace pushdown {
namespace {

std::function<void(double)> Stage(const StageProgress& progress, const std::string& name) {
  if (!progress) return {};
  return [&progress, name](double done) { progress(name, done); };
}

void CheckTextMemory(const ModelSpec& spec, int rows, int steps, int threads) {
  CheckMemory(TextModel<float>::EstimateBytes(spec, rows, steps, /*gradients=*/false, threads),
              fmt::format("{} with {} rows and chunks of {}", ModelName(spec), rows, steps),
              "fewer rows or shorter chunks need less");
}

TextSplit TextSplitOf(DataSplit split) {
  if (split == DataSplit::kTraining) return TextSplit::kTraining;
  return split == DataSplit::kValidation ? TextSplit::kValidation : TextSplit::kTest;
}

std::string FileOf(const TextEvaluationRequest& request, const TrainedModel& model) {
  const auto refuse = [](const std::string& message) {
    throw Error("pushdown::EvaluateText", message);
  };
  const std::string directory = request.data.empty() ? TextDirectoryOf(model) : request.data;
  if (directory.empty()) {
    refuse(fmt::format("{}: is a model without its run, and has no text; give --data DIR",
                       Printable(model.path, 200)));
  }
  std::string file = TextFile(directory, TextSplitOf(request.split));
  if (file.empty()) {
    refuse(fmt::format("{} has no test set; --split validation has a text",
                       Printable(directory, 200)));
  }
  return file;
}

}  // namespace

TextEvaluation EvaluateText(const std::string& path, const TextEvaluationRequest& request,
                            const StageProgress& progress, const Warn& warn) {
  TextEvaluation evaluation;
  evaluation.model = OpenModel(path, DataKind::kText, "use `pushdown evaluate`", warn);
  if (request.parameters) evaluation.model.SetParameters(*request.parameters);
  const TrainedModel& model = evaluation.model;
  evaluation.path = std::filesystem::is_directory(path)
                        ? std::filesystem::path(model.path).parent_path().string()
                        : model.path;
  evaluation.batching = BatchingOf(model);
  if (request.rows > 0) evaluation.batching.rows = request.rows;
  if (request.chunk_length > 0) evaluation.batching.chunk_length = request.chunk_length;
  evaluation.file = FileOf(request, model);
  evaluation.whole_set = request.data.empty();
  const std::vector<int> tokens =
      ParseText(ReadFile(evaluation.file, MaxTextBytes()), evaluation.file, model.vocabulary);
  evaluation.tokens = tokens.size();
  const TextRows rows(tokens, model.end(), evaluation.batching.rows,
                      evaluation.batching.chunk_length);
  evaluation.batching = {.rows = rows.rows(), .chunk_length = rows.chunk_length()};
  std::vector<double> losses;
  try {
    losses = ScoreText(model, tokens, evaluation.batching, request.threads, progress);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(),
                fmt::format("{}: {}", Printable(evaluation.path, 200), error.message()));
  }
  evaluation.cross_entropy =
      std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(tokens.size());
  if (!std::isfinite(evaluation.cross_entropy)) {
    throw Error(ErrorKind::kNumeric, "pushdown::EvaluateText",
                fmt::format("{}: the model gives no finite probabilities to the text",
                            Printable(evaluation.path, 200)));
  }
  return evaluation;
}

TextBatching BatchingOf(const TrainedModel& model) {
  const std::string directory = model.RunDirectory();
  return directory.empty() ? TextBatching() : ReadConfig(directory).settings.text;
}

std::string TextDirectoryOf(const TrainedModel& model) {
  const std::string directory = model.RunDirectory();
  return directory.empty() ? std::string() : ReadConfig(directory).settings.data;
}

std::vector<double> ScoreText(const TrainedModel& model, std::span<const int> tokens,
                              const TextBatching& batching, int threads,
                              const StageProgress& progress) {
  const TextRows rows(tokens, model.end(), batching.rows, batching.chunk_length);
  CheckTextMemory(model.spec, rows.rows(), rows.chunk_length(), threads);
  WorkerPool pool(std::min(threads, kMaxBlasCallers));
  TextModel<float> network(model.spec, rows.rows(), rows.chunk_length(), /*gradients=*/false, pool);
  network.SetParameters(model.parameters.data());
  return TextLosses(network, rows, Stage(progress, "scoring"));
}

std::vector<double> ScoreSentences(const TrainedModel& model, std::span<const int> tokens,
                                   int threads, const StageProgress& progress) {
  const int end = model.end();
  const std::vector<std::size_t> begins = SentenceBegins(tokens, end);
  std::size_t longest = 0;
  for (std::size_t n = 0; n + 1 < begins.size(); ++n) {
    longest = std::max(longest, begins[n + 1] - begins[n]);
  }
  const TextBatching batching;
  const auto at_most = [](int value, std::size_t limit) {
    return static_cast<int>(std::min(static_cast<std::size_t>(value), limit));
  };
  const int rows = at_most(batching.rows, begins.size() - 1);
  const int steps = at_most(batching.chunk_length, longest);
  CheckTextMemory(model.spec, rows, steps, threads);
  WorkerPool pool(std::min(threads, kMaxBlasCallers));
  TextModel<float> network(model.spec, rows, steps, /*gradients=*/false, pool);
  network.SetParameters(model.parameters.data());
  return SentenceLosses(network, tokens, end, Stage(progress, "scoring"));
}

}  // namespace pushdown
