#include "pushdown/run/task_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "pushdown/data/data_directory.h"
#include "pushdown/data/formal_dataset.h"
#include "pushdown/error.h"
#include "pushdown/fingerprint.h"
#include "pushdown/memory.h"
#include "pushdown/run/text_data.h"

namespace pushdown {
namespace {

TaskSplit FromFormalSplit(FormalSplit split) {
  return {std::move(split.strings),
          LowerBound{split.range, split.lower_bound, std::move(split.lower_bound_by_length)}};
}

std::function<void(double)> Sampling(const StageProgress& progress) {
  if (!progress) return {};
  return [progress](double done) { progress("sampling", done); };
}

// Of strings that were read, and may not be of the language that task.json names.
LowerBound LowerBoundOf(const StringDistribution& distribution,
                        const std::vector<std::vector<int>>& strings, const std::string& file,
                        const StageProgress& progress) {
  LowerBound bound;
  bound.range = distribution.range();
  for (std::size_t n = 0; n < strings.size(); ++n) {
    const int length = static_cast<int>(strings[n].size());
    const double log_probability = distribution.LogProbability(strings[n]);
    if (!std::isfinite(log_probability)) {
      throw Error(
          "pushdown::MakeTaskData",
          fmt::format(
              "--data: {}:{}: the string is not in the language of {}, or not of its lengths", file,
              n + 1, kTaskFile));
    }
    bound.all.Add(log_probability, length);
    bound.by_length[length].Add(log_probability, length);
    if (progress) {
      progress("lower bound of " + file,
               static_cast<double>(n + 1) / static_cast<double>(strings.size()));
    }
  }
  return bound;
}

TaskData ReadTaskData(const RunSettings& settings, const Language* language, TestSet test_set,
                      const StageProgress& progress) {
  TaskData data;
  try {
    DataDirectory directory = ReadDataDirectory(settings.data, MemoryLimit() / 8);
    data.alphabet = std::move(directory.alphabet);
    data.training.strings = std::move(directory.training);
    data.validation.strings = std::move(directory.validation);
    if (test_set == TestSet::kIncluded) data.test.strings = std::move(directory.test);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(), DataComplaint(settings.data, error.message()));
  }
  if (language == nullptr) return data;
  if (language->alphabet().names() != data.alphabet.names()) {
    throw Error("pushdown::MakeTaskData",
                fmt::format("--data: {} does not have the symbols of the language of {}",
                            kVocabularyFile, kTaskFile));
  }
  const auto add_bound = [&](TaskSplit& split, LengthRange range, const char* file) {
    if (split.strings.empty()) return;
    split.lower_bound =
        LowerBoundOf(DistributionOf(*language, range, "--data"), split.strings, file, progress);
  };
  const FormalDatasetOptions& options = settings.dataset;
  add_bound(data.training, options.lengths, kTrainingFile);
  add_bound(data.validation, options.lengths, kValidationFile);
  add_bound(data.test, options.test_lengths, kTestFile);
  return data;
}

}  // namespace

int MaxLength(const RunSettings& settings) {
  return std::max(settings.dataset.lengths.max, settings.dataset.test_lengths.max);
}

std::unique_ptr<Language> LanguageOf(const RunSettings& settings, int max_length,
                                     const StageProgress& progress) {
  return settings.language ? MakeLanguage(*settings.language, max_length, progress) : nullptr;
}

void CheckSetMemory(const FormalDatasetOptions& options, const SymbolTable& alphabet,
                    std::size_t test_lengths) {
  std::size_t longest_name = 0;
  for (const std::string& name : alphabet.names()) {
    longest_name = std::max(longest_name, name.size());
  }
  const auto bytes_for = [&](double strings, LengthRange range) {
    const double symbol = sizeof(int) + static_cast<double>(longest_name) + 1;  // number and text
    return strings * (sizeof(std::vector<int>) + range.max * symbol);
  };
  const double bytes =
      bytes_for(static_cast<double>(options.training_size) + options.validation_size,
                options.lengths) +
      bytes_for(static_cast<double>(test_lengths) * options.test_size_per_length,
                options.test_lengths);
  if (bytes > MemoryLimit()) {
    throw Error(
        ErrorKind::kLimit, "pushdown::CheckSetMemory",
        fmt::format("the sets need up to {} of memory, and {} may be used; smaller sizes or "
                    "shorter strings need less",
                    Gigabytes(bytes), Gigabytes(MemoryLimit())));
  }
}

TaskData MakeTaskData(const RunSettings& settings, const Language* language, TestSet test_set,
                      const StageProgress& progress) {
  if (!settings.data.empty()) return ReadTaskData(settings, language, test_set, progress);
  FormalDatasetOptions options = settings.dataset;
  DistributionOf(*language, options.lengths, "--lengths");
  const StringDistribution test = DistributionOf(*language, options.test_lengths, "--test-lengths");
  CheckSetMemory(options, language->alphabet(), test.lengths().size());
  if (test_set == TestSet::kNone) options.test_size_per_length = 0;
  TaskData data;
  data.alphabet = language->alphabet();
  FormalDataset dataset = MakeFormalDataset(*language, options, Sampling(progress));
  data.training = FromFormalSplit(std::move(dataset.training));
  data.validation = FromFormalSplit(std::move(dataset.validation));
  data.test = FromFormalSplit(std::move(dataset.test));
  return data;
}

std::string FingerprintOf(const SymbolTable& alphabet, std::span<const std::vector<int>> training,
                          std::span<const std::vector<int>> validation) {
  Fingerprint fingerprint;
  for (const std::string& name : alphabet.names()) {
    fingerprint.Add(name.size());
    fingerprint.Add(name);
  }
  for (const std::span<const std::vector<int>> strings : {training, validation}) {
    fingerprint.Add(strings.size());
    for (const std::vector<int>& string : strings) {
      fingerprint.Add(string.size());
      for (int symbol : string) fingerprint.Add(symbol);
    }
  }
  return fingerprint.Text();
}

std::string FingerprintOf(const TaskData& data) {
  return FingerprintOf(data.alphabet, data.training.strings, data.validation.strings);
}

TaskSplit SampleEveryLength(const Language& language, LengthRange range, int count,
                            std::uint64_t seed, const StageProgress& progress) {
  DistributionOf(language, range, "--lengths");
  return FromFormalSplit(MakeTestSplit(language, range, count, seed, Sampling(progress)));
}

}  // namespace pushdown
