#include "pushdown/train/text_objective.h"

#include <algorithm>

#include "pushdown/kernels/blas.h"

namespace pushdown {

TextObjective::TextObjective(const ModelSpec& spec, std::span<const int> training,
                             std::span<const int> validation, int end, const TextBatching& batching,
                             int threads)
    : training_(training, end, batching.rows, batching.chunk_length),
      validation_(validation, end, batching.rows, batching.chunk_length),
      pool_(std::min(threads, kMaxBlasCallers)),
      model_(spec, std::max(training_.rows(), validation_.rows()),
             std::max(training_.chunk_length(), validation_.chunk_length()), true, pool_) {}

double TextObjective::EstimateBytes(const ModelSpec& spec, std::span<const int> training,
                                    std::span<const int> validation, const TextBatching& batching,
                                    int threads) {
  const TextRows training_rows(training, 0, batching.rows, batching.chunk_length);
  const TextRows validation_rows(validation, 0, batching.rows, batching.chunk_length);
  return TextModel<float>::EstimateBytes(
      spec, std::max(training_rows.rows(), validation_rows.rows()),
      std::max(training_rows.chunk_length(), validation_rows.chunk_length()), true, threads);
}

double TextObjective::Gradient(int /*epoch*/, int batch, std::span<const float> parameters,
                               std::span<float> gradient) {
  model_.SetParameters(parameters.data());
  if (batch == 0) model_.Start(training_.rows());
  const double loss = model_.Gradient(training_.Chunk(batch), gradient.data());
  // Embeddings come first, and those of other words have no gradient.
  const auto size = static_cast<std::size_t>(model_.spec().embedding_size);
  ranges_.clear();
  for (const int word : model_.distinct_inputs()) {
    const std::size_t begin = layout().embeddings + static_cast<std::size_t>(word) * size;
    ranges_.push_back({begin, begin + size});
  }
  ranges_.push_back({layout().controller.weights, layout().size});
  return loss;
}

double TextObjective::Validate(std::span<const float> parameters,
                               const std::function<void()>& check) {
  model_.SetParameters(parameters.data());
  model_.Start(validation_.rows());
  double loss = 0;
  for (int chunk = 0; chunk < validation_.chunks(); ++chunk) {
    if (check) check();
    loss += model_.Loss(validation_.Chunk(chunk));
  }
  return loss / static_cast<double>(validation_.tokens());
}

void TextObjective::RestoreCarried(std::span<const float> parameters, std::string_view carried) {
  model_.SetParameters(parameters.data());
  model_.RestoreCarried(training_.rows(), carried);
}

}  // namespace pushdown
