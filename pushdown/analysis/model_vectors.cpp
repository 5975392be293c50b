#include "pushdown/analysis/model_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/error.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/memory.h"
#include "pushdown/printable.h"
#include "pushdown/random.h"
#include "pushdown/run/language_score.h"

namespace pushdown {
namespace {

// What an allocation takes besides its contents, with rounding.
constexpr double kAllocationBytes = 24;

// A state with a symbol on top, such as "q1 ⊥".
std::string PairName(const NondeterministicStackSpec& stack, int pair) {
  return StateName(pair / stack.symbols) + " " + StackSymbolName(pair % stack.symbols);
}

// "a text of 300 tokens", or "20 strings of up to 80 symbols".
std::string SizesText(DataKind kind, std::size_t strings, int longest) {
  const bool text = kind == DataKind::kText;
  const std::string length = fmt::format("{} {}", longest, text ? "tokens" : "symbols");
  if (strings == 1) return fmt::format("a {} of {}", text ? "text" : "string", length);
  return fmt::format("{} {} of up to {}", strings, text ? "texts" : "strings", length);
}

}  // namespace

const char* VectorKindName(VectorKind kind) {
  return kind == VectorKind::kReadings ? "readings" : "hidden";
}

std::vector<std::string> VectorNames(const ModelSpec& spec, VectorKind kind) {
  std::vector<std::string> names;
  const auto add_vector = [&names](const std::string& owner, int size) {
    for (int n = 1; n <= size; ++n) names.push_back(fmt::format("{}[{}]", owner, n));
  };
  if (kind == VectorKind::kHidden) {
    for (int n = 1; n <= spec.hidden_units; ++n) names.push_back(fmt::format("h{}", n));
  } else if (const NondeterministicStackSpec* stack = spec.nondeterministic()) {
    for (int pair = 0; pair < stack->pairs(); ++pair) {
      const std::string name = PairName(*stack, pair);
      if (stack->vector_size == 0) names.push_back(name);
      add_vector(name + " ", stack->vector_size);
    }
  } else if (const SuperpositionStackSpec* superposition = spec.superposition()) {
    for (std::size_t n = 0; n < superposition->sizes.size(); ++n) {
      add_vector(superposition->stacks() == 1 ? "top " : fmt::format("stack {} ", n + 1),
                 superposition->sizes[n]);
    }
  } else {
    throw Error("pushdown::VectorNames",
                "the model is an LSTM without a stack, and has no readings; its hidden states can "
                "be looked at");
  }
  return names;
}

int VectorSize(const ModelSpec& spec, VectorKind kind) {
  return kind == VectorKind::kReadings ? spec.reading_size() : spec.hidden_units;
}

std::span<const float> VectorOf(const Predictor& predictor, VectorKind kind) {
  return kind == VectorKind::kReadings ? predictor.reading() : predictor.hidden();
}

std::vector<VectorSeries> ReadVectors(const TrainedModel& model,
                                      std::span<const std::vector<int>> strings, VectorKind kind,
                                      const StageProgress& progress, double output_bytes) {
  const double total = SizesOf(strings).total;
  // Each vector is allocated by itself.
  const double vector_bytes =
      sizeof(std::vector<float>) + kAllocationBytes + sizeof(float) * VectorSize(model.spec, kind);
  const AnalysisBytes bytes = {
      .kept = total * (sizeof(int) + vector_bytes) +
              static_cast<double>(strings.size()) * (sizeof(VectorSeries) + 2 * kAllocationBytes),
      .output = total * output_bytes};
  std::vector<VectorSeries> series(strings.size());
  ReadStrings(
      model, strings, bytes,
      [&](std::size_t n, int t, const Predictor& predictor) {
        if (t == 1) series[n].vectors.reserve(strings[n].size());
        const std::span<const float> vector = VectorOf(predictor, kind);
        series[n].vectors.emplace_back(vector.begin(), vector.end());
      },
      progress);
  for (std::size_t n = 0; n < strings.size(); ++n) series[n].symbols = strings[n];
  return series;
}

LengthRange DefaultLengths(const TrainedModel& model) {
  const int longest = model.longest_training_length;
  return longest > 0 ? LengthRange{longest / 2, longest} : LengthRange{};
}

std::vector<std::vector<int>> SampleStrings(const TrainedModel& model,
                                            const StringSampling& sampling,
                                            const StageProgress& progress) {
  const auto refuse = [&model](const std::string& message) {
    throw Error("pushdown::SampleStrings", Printable(model.path, 200) + ": " + message);
  };
  if (model.kind == DataKind::kText) {
    refuse("is a model of text, of which no strings can be sampled; a text must be given");
  }
  if (!model.language) refuse("the language of the model is not known; strings must be given");
  const LengthRange lengths = sampling.lengths.value_or(DefaultLengths(model));
  const std::unique_ptr<Language> language = LanguageOf(model, lengths.max, progress);
  const StringDistribution distribution = DistributionOf(*language, lengths, "--lengths");
  const std::vector<int>& possible = distribution.lengths();
  const double mean_length =
      std::accumulate(possible.begin(), possible.end(), 0.0) / static_cast<double>(possible.size());
  CheckMemory(
      sampling.count * (sizeof(std::vector<int>) + kAllocationBytes + sizeof(int) * mean_length),
      fmt::format("a sample of {} strings of {} symbols on average", sampling.count,
                  std::lround(mean_length)),
      "fewer or shorter strings need less");
  Random random(sampling.seed);
  std::vector<std::vector<int>> strings;
  strings.reserve(static_cast<std::size_t>(std::max(0, sampling.count)));
  for (int n = 0; n < sampling.count; ++n) {
    strings.push_back(language->Sample(distribution.SampleLength(random), random));
    if (progress) progress("sampling", (n + 1.0) / sampling.count);
  }
  return strings;
}

StringSizes SizesOf(std::span<const std::vector<int>> strings) {
  StringSizes sizes;
  for (const std::vector<int>& string : strings) {
    sizes.total += static_cast<double>(string.size());
    sizes.longest = std::max(sizes.longest, static_cast<int>(string.size()));
  }
  return sizes;
}

void ReadStrings(const TrainedModel& model, std::span<const std::vector<int>> strings,
                 const AnalysisBytes& bytes, const VisitSymbol& visit,
                 const StageProgress& progress) {
  InitializeBlas();  // before the check, since its buffers take memory, too
  const StringSizes sizes = SizesOf(strings);
  const int longest = std::max(1, sizes.longest);
  const double needed = model.PredictorBytes(longest) + bytes.kept + bytes.output;
  std::string advice =
      strings.size() == 1 ? "a shorter one needs less" : "fewer or shorter ones need less";
  if (bytes.output > needed / 2) advice += ", and csv needs less than json and figures";
  CheckMemory(needed,
              fmt::format("the analysis of {} by {}",
                          SizesText(model.kind, strings.size(), longest), ModelName(model.spec)),
              advice.c_str());
  const std::unique_ptr<Predictor> predictor = model.MakePredictor(longest);
  double read = 0;
  for (std::size_t n = 0; n < strings.size(); ++n) {
    predictor->Start();
    int t = 0;
    for (const int symbol : strings[n]) {
      predictor->Read(symbol);
      visit(n, ++t, *predictor);
      if (progress) progress("reading", ++read / sizes.total);
    }
  }
}

}  // namespace pushdown
