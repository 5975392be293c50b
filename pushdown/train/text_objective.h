#pragma once

#include <span>
#include <vector>

#include "pushdown/data/text_rows.h"
#include "pushdown/model/text_model.h"
#include "pushdown/train/objective.h"

namespace pushdown {

// How a stream of text is read, in training and in evaluation.
struct TextReading {
  int rows = 32;          // side by side
  int chunk_length = 35;  // gradients are cut after so many steps
};

// A model of running text, trained with truncated backpropagation through time (the paper's
// appendix H): a batch is a chunk of all rows, with the state carried over from the one before, and
// the loss is the mean over its tokens.
class TextObjective : public Objective {
 public:
  // The streams must outlive this. `end` is the token before the first one of each.
  TextObjective(const ModelSpec& spec, std::span<const int> training,
                std::span<const int> validation, int end, const TextReading& reading, int threads);

  const ParameterLayout& layout() const override { return model_.layout(); }
  WorkerPool& pool() override { return pool_; }
  int batches() const override { return training_.chunks(); }
  long long training_symbols() const override { return static_cast<long long>(training_.tokens()); }
  double Gradient(int epoch, int batch, std::span<const float> parameters,
                  std::span<float> gradient) override;
  std::span<const ParameterRange> gradient_ranges() const override { return ranges_; }
  double Validate(std::span<const float> parameters) override;
  std::string Carried() const override { return model_.Carried(); }
  void RestoreCarried(std::span<const float> parameters, std::string_view carried) override;

  // What constructing takes, at most.
  static double EstimateBytes(const ModelSpec& spec, std::span<const int> training,
                              std::span<const int> validation, const TextReading& reading,
                              int threads);

 private:
  TextRows training_;
  TextRows validation_;
  WorkerPool pool_;
  TextModel<float> model_;
  std::vector<ParameterRange> ranges_;
};

}  // namespace pushdown
