#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pushdown/train/batches.h"
#include "pushdown/train/batching.h"
#include "pushdown/train/objective.h"
#include "pushdown/train/parallel_model.h"

namespace pushdown {

// A model of strings, trained as in the paper's appendix D: batches of strings of equal length, the
// loss summed over a string and averaged over a batch.
class StringsObjective : public Objective {
 public:
  // The strings must outlive this. Throws Error if the batch size or a symbol is out of range, and
  // if there is nothing to train on or to validate with.
  StringsObjective(const ModelSpec& spec, std::span<const std::vector<int>> training,
                   std::span<const std::vector<int>> validation, const StringsBatching& batching,
                   int threads);

  const ParameterLayout& layout() const override { return model_.layout(); }
  WorkerPool& pool() override { return model_.pool(); }
  int batches() const override { return static_cast<int>(batches_.size()); }
  long long training_symbols() const override;  // ends included
  double Gradient(int epoch, int batch, std::span<const float> parameters,
                  std::span<float> gradient) override;
  std::span<const ParameterRange> gradient_ranges() const override { return {&range_, 1}; }
  double Validate(std::span<const float> parameters, const std::function<void()>& check) override;
  void RestoreCarried(std::span<const float> parameters, std::string_view carried) override;

 private:
  std::span<const std::vector<int>> training_;
  std::span<const std::vector<int>> validation_;
  std::uint64_t shuffle_seed_;
  std::vector<Batch> batches_;
  std::vector<int> order_;  // of the batches in the epoch order_epoch_
  int order_epoch_ = 0;
  ParallelModel model_;
  ParameterRange range_;  // that of all parameters
};

}  // namespace pushdown
