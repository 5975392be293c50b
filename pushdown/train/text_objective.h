#pragma once

#include <span>
#include <vector>

#include "pushdown/data/text_rows.h"
#include "pushdown/model/text_model.h"
#include "pushdown/train/batching.h"
#include "pushdown/train/objective.h"

namespace pushdown {

// A model of running text, trained with truncated backpropagation through time (the paper's
// appendix H). A batch is a chunk of all rows, whose state is carried over from the chunk before,
// and the loss is the mean over its tokens.
class TextObjective : public Objective {
 public:
  // The streams must outlive this. `end` is the end of a sentence; it is the input that predicts
  // the first token of each stream.
  TextObjective(const ModelSpec& spec, std::span<const int> training,
                std::span<const int> validation, int end, const TextBatching& batching,
                int threads);

  const ParameterLayout& layout() const override { return model_.layout(); }
  WorkerPool& pool() override { return pool_; }
  int batches() const override { return training_.chunks(); }
  long long training_symbols() const override { return static_cast<long long>(training_.tokens()); }
  double Gradient(int epoch, int batch, std::span<const float> parameters,
                  std::span<float> gradient) override;
  std::span<const ParameterRange> gradient_ranges() const override { return ranges_; }
  double Validate(std::span<const float> parameters, const std::function<void()>& check) override;
  std::string Carried() const override { return model_.Carried(); }
  void RestoreCarried(std::span<const float> parameters, std::string_view carried) override;

  // An upper bound of the memory that an object takes.
  static double EstimateBytes(const ModelSpec& spec, std::span<const int> training,
                              std::span<const int> validation, const TextBatching& batching,
                              int threads);

 private:
  TextRows training_;
  TextRows validation_;
  WorkerPool pool_;
  TextModel<float> model_;
  std::vector<ParameterRange> ranges_;
};

}  // namespace pushdown
