#include "pushdown/train/strings_objective.h"

#include <algorithm>
#include <string>

#include "pushdown/data/string_distribution.h"
#include "pushdown/error.h"

namespace pushdown {
namespace {

constexpr int kMaxBatchSize = 1 << 20;

[[noreturn]] void Fail(const std::string& message) {
  throw Error("pushdown::StringsObjective", message);
}

int CheckedBatchSize(int batch_size) {
  if (batch_size < 1 || batch_size > kMaxBatchSize) {
    Fail("the batch size is " + std::to_string(batch_size) + ", must be between 1 and " +
         std::to_string(kMaxBatchSize));
  }
  return batch_size;
}

int LongestOf(std::span<const std::vector<int>> strings) {
  std::size_t longest = 0;
  for (const std::vector<int>& string : strings) longest = std::max(longest, string.size());
  if (longest > static_cast<std::size_t>(kMaxSteps)) {
    Fail("a string of " + std::to_string(longest) + " symbols");
  }
  return static_cast<int>(longest);
}

void CheckSymbols(const ModelSpec& spec, std::span<const std::vector<int>> strings) {
  for (const std::vector<int>& string : strings) {
    for (int symbol : string) {
      if (symbol >= 0 && symbol < spec.symbols) continue;
      Fail("symbol " + std::to_string(symbol) + " is not one of the model's " +
           std::to_string(spec.symbols));
    }
  }
}

}  // namespace

StringsObjective::StringsObjective(const ModelSpec& spec,
                                   std::span<const std::vector<int>> training,
                                   std::span<const std::vector<int>> validation,
                                   const StringsBatching& batching, int threads)
    : training_(training),
      validation_(validation),
      shuffle_seed_(batching.shuffle_seed),
      batches_(MakeBatches(training, CheckedBatchSize(batching.batch_size))),
      model_(spec, std::max(LongestOf(training), LongestOf(validation)), threads,
             batching.batch_size),
      range_{.begin = 0, .end = model_.layout().size} {
  if (training.empty()) Fail("the training set is empty");
  if (validation.empty()) Fail("the validation set is empty");
  CheckSymbols(spec, training);
  CheckSymbols(spec, validation);
}

long long StringsObjective::training_symbols() const {
  long long symbols = 0;
  for (const std::vector<int>& string : training_) {
    symbols += static_cast<long long>(string.size()) + 1;
  }
  return symbols;
}

double StringsObjective::Gradient(int epoch, int batch, std::span<const float> parameters,
                                  std::span<float> gradient) {
  if (order_epoch_ != epoch) {
    order_ = BatchOrder(batches(), shuffle_seed_, epoch);
    order_epoch_ = epoch;
  }
  const int number = order_[static_cast<std::size_t>(batch)];
  return model_.Gradient(parameters, training_, batches_[static_cast<std::size_t>(number)],
                         gradient);
}

double StringsObjective::Validate(std::span<const float> parameters,
                                  const std::function<void()>& check) {
  std::function<void(double)> progress;
  if (check) progress = [&check](double /*done*/) { check(); };
  const std::vector<double> log_probabilities =
      model_.LogProbabilities(parameters, validation_, progress);
  CrossEntropy validation;
  for (std::size_t n = 0; n < validation_.size(); ++n) {
    validation.Add(log_probabilities[n], static_cast<int>(validation_[n].size()));
  }
  return validation.PerSymbol();
}

void StringsObjective::RestoreCarried(std::span<const float> /*parameters*/,
                                      std::string_view carried) {
  if (!carried.empty()) Fail("a batch of strings takes nothing over from those before it");
}

}  // namespace pushdown
