#include "pushdown/analysis/model_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/error.h"
#include "pushdown/memory.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/printable.h"
#include "pushdown/random.h"

namespace pushdown {
namespace {

// A state with a symbol on top, such as "q1 ⊥".
std::string PairName(const NondeterministicStackSpec& stack, int pair) {
  return StateName(pair / stack.symbols) + " " + StackSymbolName(pair % stack.symbols);
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

VectorSeries ReadVectors(const TrainedModel& model, std::span<const int> symbols, VectorKind kind,
                         const std::function<void(double)>& progress) {
  VectorSeries series = {{symbols.begin(), symbols.end()}};
  const std::unique_ptr<Predictor> predictor =
      model.MakePredictor(std::max(1, static_cast<int>(symbols.size())));
  predictor->Start();
  for (const int symbol : symbols) {
    predictor->Read(symbol);
    const std::span<const float> vector =
        kind == VectorKind::kReadings ? predictor->reading() : predictor->hidden();
    series.vectors.emplace_back(vector.begin(), vector.end());
    if (progress) {
      progress(static_cast<double>(series.vectors.size()) / static_cast<double>(symbols.size()));
    }
  }
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
  const std::unique_ptr<Language> language = MakeLanguage(*model.language, lengths.max, progress);
  if (language->alphabet() != model.vocabulary) {
    refuse("the vocabulary is not that of the language");
  }
  const StringDistribution distribution = DistributionOf(*language, lengths, "--lengths");
  Random random(sampling.seed);
  std::vector<std::vector<int>> strings;
  for (int n = 0; n < sampling.count; ++n) {
    strings.push_back(language->Sample(distribution.SampleLength(random), random));
    if (progress) progress("sampling", (n + 1.0) / sampling.count);
  }
  return strings;
}

void CheckReadingMemory(const TrainedModel& model, std::span<const std::vector<int>> strings) {
  if (model.kind == DataKind::kText) return;  // what it takes does not grow with the text
  std::size_t longest = 1;
  for (const std::vector<int>& string : strings) longest = std::max(longest, string.size());
  CheckMemory(StackRnn<float>::EstimateBytes(model.spec, static_cast<int>(longest),
                                             /*gradients=*/false),
              fmt::format("{} with a string of {} symbols", ModelName(model.spec), longest),
              "shorter strings need less");
}

}  // namespace pushdown
