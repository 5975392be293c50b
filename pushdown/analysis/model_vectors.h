#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/data/string_distribution.h"
#include "pushdown/run/predictor.h"
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

// How many numbers a vector has; 0 of the readings of an LSTM.
int VectorSize(const ModelSpec& spec, VectorKind kind);
// That of the newest step.
std::span<const float> VectorOf(const Predictor& predictor, VectorKind kind);

// The vectors of a string or a text, a row for each symbol w_t: what the controller found when it
// had read w_t and was about to predict w_{t+1}. For readings, that is r_{t-1}, which came in with
// w_t; the hidden state is h_t.
struct VectorSeries {
  std::vector<int> symbols = {};
  std::vector<std::vector<float>> vectors = {};
};
// `output_bytes` is what the caller will take for each symbol. Throws Error as ReadStrings does.
std::vector<VectorSeries> ReadVectors(const TrainedModel& model,
                                      std::span<const std::vector<int>> strings, VectorKind kind,
                                      const StageProgress& progress = {}, double output_bytes = 0);

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
// if the language of the model is not known, or if the strings would not fit into the memory.
std::vector<std::vector<int>> SampleStrings(const TrainedModel& model,
                                            const StringSampling& sampling = {},
                                            const StageProgress& progress = {});

// The memory that an analysis takes besides the predictor that reads its strings, in bytes.
struct AnalysisBytes {
  double kept = 0;    // for what it keeps and computes
  double output = 0;  // for a figure, or another output
};
// Called when the symbol w_t of a string is read, n and t being counted from 0 and 1.
using VisitSymbol = std::function<void(std::size_t n, int t, const Predictor& predictor)>;
// Reads strings, or texts, one after the other with the same predictor. Throws Error before it
// begins if the predictor and `bytes` would not fit into the memory. If `progress` throws, reading
// ends.
void ReadStrings(const TrainedModel& model, std::span<const std::vector<int>> strings,
                 const AnalysisBytes& bytes, const VisitSymbol& visit,
                 const StageProgress& progress = {});
// The number of symbols of all strings, and of the longest one.
struct StringSizes {
  double total = 0;
  int longest = 0;
};
StringSizes SizesOf(std::span<const std::vector<int>> strings);

}  // namespace pushdown
