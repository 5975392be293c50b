#include "pushdown/data/formal_dataset.h"

#include <algorithm>
#include <string>
#include <utility>

#include "pushdown/error.h"

namespace pushdown {
namespace {

// Each set has a stream of random numbers of its own, so that none depends on another's size.
constexpr std::uint64_t kTrainingStream = 1;
constexpr std::uint64_t kValidationStream = 2;
constexpr std::uint64_t kTestStream = 3;

constexpr int kMaxStrings = 100'000'000;

void CheckCount(const char* what, long long value) {
  if (value < 1 || value > kMaxStrings) {
    throw Error("pushdown::MakeFormalDataset",
                std::string("the ") + what + " is " + std::to_string(value) +
                    ", must be between 1 and " + std::to_string(kMaxStrings));
  }
}

class SplitMaker {
 public:
  SplitMaker(const StringDistribution& distribution, Random random,
             const std::function<void(std::size_t)>& made)
      : distribution_(distribution), random_(random), made_(made) {
    split_.range = distribution.range();
    split_.valid_lengths = distribution.lengths().size();
  }

  void AddStrings(int length, int count) {
    for (int n = 0; n < count; ++n) {
      std::vector<int> string = distribution_.language().Sample(length, random_);
      const double log_probability = distribution_.LogProbability(string);
      split_.lower_bound.Add(log_probability, length);
      split_.lower_bound_by_length[length].Add(log_probability, length);
      split_.strings.push_back(std::move(string));
      if (made_) made_(split_.strings.size());
    }
  }

  FormalSplit Batches(int count, int batch_size) && {
    for (int n = 0; n < count; n += batch_size) {
      AddStrings(distribution_.SampleLength(random_), std::min(batch_size, count - n));
    }
    return std::move(split_);
  }

  FormalSplit EveryLength(int count) && {
    for (int length : distribution_.lengths()) AddStrings(length, count);
    return std::move(split_);
  }

 private:
  const StringDistribution& distribution_;
  Random random_;
  const std::function<void(std::size_t)>& made_;
  FormalSplit split_;
};

}  // namespace

FormalSplit MakeTestSplit(const Language& language, LengthRange range, int size_per_length,
                          std::uint64_t seed, const std::function<void(double)>& progress) {
  const StringDistribution distribution(language, range);
  CheckCount("number of test strings of a length", size_per_length);
  const auto total = static_cast<long long>(distribution.lengths().size()) * size_per_length;
  CheckCount("size of the test set", total);
  const std::function<void(std::size_t)> made = [&](std::size_t strings) {
    if (progress) progress(static_cast<double>(strings) / static_cast<double>(total));
  };
  return SplitMaker(distribution, Random(seed, kTestStream), made).EveryLength(size_per_length);
}

FormalDataset MakeFormalDataset(const Language& language, const FormalDatasetOptions& options,
                                const std::function<void(double)>& progress) {
  const StringDistribution distribution(language, options.lengths);
  const StringDistribution test_distribution(language, options.test_lengths);
  CheckCount("size of the training set", options.training_size);
  CheckCount("size of the validation set", options.validation_size);
  CheckCount("batch size", options.batch_size);

  const double test_size =
      static_cast<double>(test_distribution.lengths().size()) * options.test_size_per_length;
  const double total =
      static_cast<double>(options.training_size) + options.validation_size + test_size;
  std::size_t before = 0;  // strings of earlier splits
  const std::function<void(std::size_t)> made = [&](std::size_t strings) {
    if (progress) progress(static_cast<double>(before + strings) / total);
  };
  FormalDataset dataset;
  if (options.test_size_per_length != 0) {
    dataset.test = MakeTestSplit(language, options.test_lengths, options.test_size_per_length,
                                 options.test_seed, [&](double done) {
                                   if (progress) progress(done * test_size / total);
                                 });
  }
  before += dataset.test.strings.size();
  dataset.training = SplitMaker(distribution, Random(options.seed, kTrainingStream), made)
                         .Batches(options.training_size, options.batch_size);
  before += dataset.training.strings.size();
  dataset.validation = SplitMaker(distribution, Random(options.seed, kValidationStream), made)
                           .Batches(options.validation_size, options.batch_size);
  return dataset;
}

}  // namespace pushdown
