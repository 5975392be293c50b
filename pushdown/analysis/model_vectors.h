#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/data/string_distribution.h"
#include "pushdown/run/trained_model.h"

namespace pushdown {

// The vectors of a model that analyses are about: the readings of its stack, or the hidden states
// of its controller.
enum class VectorKind { kReadings, kHidden };
const char* VectorKindName(VectorKind kind);  // "readings" or "hidden"

// The name of each number of a vector. Readings are, of rns, the probabilities of pairs; of vrns,
// "q1 ⊥ [2]", the second number of the vector of a pair; of sup, "stack 1 [2]", or "top [2]" if
// there is one stack. Hidden states are "h1", "h2", ... Throws Error for the readings of an LSTM,
// which has none.
std::vector<std::string> VectorNames(const ModelSpec& spec, VectorKind kind);

// The vectors of a string or a text, a row for each symbol w_t: what the controller found when it
// had read w_t and was about to predict w_{t+1}. For readings, that is r_{t-1}, which came in with
// w_t; the hidden state is h_t.
struct VectorSeries {
  std::vector<int> symbols = {};
  std::vector<std::vector<float>> vectors = {};
};
// `progress` gets the fraction of the symbols that is read; if it throws, reading ends.
VectorSeries ReadVectors(const TrainedModel& model, std::span<const int> symbols, VectorKind kind,
                         const std::function<void(double)>& progress = {});

// Strings of the language of a model, for looking at what it does with them.
struct StringSampling {
  int count = 100;
  std::optional<LengthRange> lengths = {};  // nothing: DefaultLengths
  std::uint64_t seed = 1;
};
// From half of the longest training length up to that, so that a model that was trained as in the
// paper has the paper's 40:80; also 40:80 if the longest training length is not known.
LengthRange DefaultLengths(const TrainedModel& model);
// The strings that `pushdown sample` prints for the same seed, lengths and language. Throws Error
// if the language of the model is not known.
std::vector<std::vector<int>> SampleStrings(const TrainedModel& model,
                                            const StringSampling& sampling = {},
                                            const StageProgress& progress = {});

// Throws Error if reading the longest of these strings would not fit into the memory.
void CheckReadingMemory(const TrainedModel& model, std::span<const std::vector<int>> strings);

}  // namespace pushdown
