#include "pushdown/run/run_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pushdown/memory.h"
#include "pushdown/random.h"
#include "pushdown/run/task_data.h"
#include "pushdown/run/text_data.h"
#include "pushdown/train/strings_objective.h"
#include "pushdown/train/text_objective.h"

namespace pushdown {
namespace {

std::string ThreadsText(const Parallelism& parallelism) {
  const int threads = parallelism.jobs * parallelism.threads;
  return fmt::format("{} thread{}", threads, threads == 1 ? "" : "s");
}

ModelSpec WithSymbols(ModelSpec spec, int symbols) {
  spec.symbols = symbols;
  Validate(spec);
  return spec;
}

int Longest(const std::vector<std::vector<int>>& strings) {
  std::size_t longest = 0;
  for (const std::vector<int>& string : strings) longest = std::max(longest, string.size());
  return static_cast<int>(longest);
}

class StringsData final : public RunData {
 public:
  StringsData(const RunSettings& settings, const Language* language, const Parallelism& parallelism,
              const StageProgress& progress)
      : settings_(settings) {
    if (settings.data.empty()) {
      // Before they are sampled and parsed, which takes long for strings that are too long.
      CheckMemory(WithSymbols(settings.model, language->alphabet().size()),
                  settings.dataset.lengths.max, parallelism);
    }
    data_ = MakeTaskData(settings, language, TestSet::kNone, progress);
    spec_ = WithSymbols(settings.model, data_.alphabet.size());
    longest_ = std::max(Longest(data_.training.strings), Longest(data_.validation.strings));
    if (!settings.data.empty()) CheckMemory(spec_, longest_, parallelism);
  }

  const std::vector<std::string>& vocabulary() const override { return data_.alphabet.names(); }
  const ModelSpec& spec() const override { return spec_; }
  std::string Fingerprint() const override { return FingerprintOf(data_); }
  std::string ChangedText() const override {
    return fmt::format("the strings are not those that the run began with; {}",
                       settings_.data.empty() ? "they are sampled differently by this version"
                                              : "the files of --data have changed");
  }
  std::optional<double> lower_bound() const override {
    const std::optional<LowerBound>& bound = data_.validation.lower_bound;
    return bound ? std::optional(bound->all.PerSymbol()) : std::nullopt;
  }
  long long training_items() const override {
    return static_cast<long long>(data_.training.strings.size());
  }

  std::unique_ptr<Objective> MakeObjective(int threads) const override {
    return std::make_unique<StringsObjective>(spec_, data_.training.strings,
                                              data_.validation.strings, settings_.strings, threads);
  }
  double EstimateBytes(int threads) const override { return Estimate(spec_, longest_, threads); }
  int longest_training_length() const override {
    return settings_.data.empty() ? settings_.dataset.lengths.max : Longest(data_.training.strings);
  }
  std::vector<float> InitialParameters() const override {
    const ParameterLayout layout(spec_);
    std::vector<float> parameters(layout.size);
    Random random(*settings_.seeds.parameters);
    InitializeParameters(layout, settings_.initialization, random, parameters.data());
    return parameters;
  }

 private:
  double Estimate(const ModelSpec& spec, int longest, int threads) const {
    return ParallelModel::EstimateBytes(spec, longest, threads, settings_.strings.batch_size);
  }

  void CheckMemory(const ModelSpec& spec, int longest, const Parallelism& parallelism) const {
    const double bytes = TrainingBytes(spec, Estimate(spec, longest, parallelism.threads));
    pushdown::CheckMemory(
        parallelism.jobs * bytes,
        fmt::format("{} with strings of {} symbols on {}", ModelName(spec), longest,
                    ThreadsText(parallelism)),
        "shorter strings, fewer threads, smaller batches or a smaller model need less");
  }

  RunSettings settings_;
  TaskData data_;
  ModelSpec spec_;
  int longest_ = 0;
};

class TextData final : public RunData {
 public:
  TextData(const RunSettings& settings, const Parallelism& parallelism)
      : settings_(settings),
        corpus_(ReadTextData(settings.data)),
        spec_(WithSymbols(settings.model, corpus_.vocabulary.size())) {
    CheckMemory(parallelism.jobs * TrainingBytes(spec_, EstimateBytes(parallelism.threads)),
                fmt::format("{} with {} words, {} rows and chunks of {} steps on {}",
                            ModelName(spec_), spec_.symbols, settings.text.rows,
                            settings.text.chunk_length, ThreadsText(parallelism)),
                "a smaller model, batch, chunk, window or depth limit needs less");
  }

  const std::vector<std::string>& vocabulary() const override { return corpus_.vocabulary.names(); }
  const ModelSpec& spec() const override { return spec_; }
  std::string Fingerprint() const override { return FingerprintOf(corpus_); }
  std::string ChangedText() const override {
    return "the text is not the one that the run began with; the files of --data have changed";
  }
  std::optional<double> lower_bound() const override { return std::nullopt; }
  int longest_training_length() const override { return 0; }
  long long training_items() const override {
    return static_cast<long long>(corpus_.training.size());
  }

  std::unique_ptr<Objective> MakeObjective(int threads) const override {
    return std::make_unique<TextObjective>(spec_, corpus_.training, corpus_.validation,
                                           *corpus_.vocabulary.Find(kEndOfSentence), settings_.text,
                                           threads);
  }
  double EstimateBytes(int threads) const override {
    return TextObjective::EstimateBytes(spec_, corpus_.training, corpus_.validation, settings_.text,
                                        threads);
  }
  std::vector<float> InitialParameters() const override {
    const ParameterLayout layout(spec_);
    std::vector<float> parameters(layout.size);
    Random random(*settings_.seeds.parameters);
    InitializeUniformly(layout, settings_.init_bound, random, parameters.data());
    return parameters;
  }

 private:
  RunSettings settings_;
  TextCorpus corpus_;
  ModelSpec spec_;
};

}  // namespace

const char* ItemName(DataKind kind) { return kind == DataKind::kText ? "tokens" : "strings"; }

// An objective with so many bytes, and what training with it takes beside it. Parameters, those of
// the best epoch, Adam's, all of them once more to undo a step, and what it takes to write them to
// a file.
double TrainingBytes(const ModelSpec& spec, double objective_bytes) {
  constexpr double kArenas = 16;
  return kArenas * static_cast<double>(ParameterLayout(spec).size) * sizeof(float) +
         objective_bytes;
}

std::unique_ptr<RunData> MakeRunData(const RunSettings& settings, const Language* language,
                                     const Parallelism& parallelism,
                                     const StageProgress& progress) {
  if (settings.kind == DataKind::kText) return std::make_unique<TextData>(settings, parallelism);
  return std::make_unique<StringsData>(settings, language, parallelism, progress);
}

}  // namespace pushdown
