#include "pushdown/train/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "pushdown/model/parameter_file.h"
#include "pushdown/printable.h"
#include "pushdown/safetensors.h"
#include "pushdown/train/state_text.h"

namespace pushdown {
namespace {

constexpr const char* kModelFormat = "pushdown model 1";
constexpr const char* kCheckpointFormat = "pushdown checkpoint 1";
// A key of the metadata.
constexpr const char* kState = "state";

// The parameter-sized arrays of a checkpoint: their tensors are named PREFIX + the layout's names.
constexpr const char* kModel = "model.";
constexpr const char* kBest = "best.";
constexpr const char* kMean = "adam.mean.";
constexpr const char* kSquare = "adam.square.";
constexpr const char* kAdam = "adam.";
// A tensor of bytes, unless it would be empty.
constexpr const char* kCarried = "carried";

// Training never goes on from values that are not finite; they would only spread.
void CheckValues(const ParameterLayout& layout, const std::string& prefix,
                 const std::vector<float>& values, const FileFailure& fail) {
  if (values.size() != layout.size) {
    fail(prefix + "*: there are " + std::to_string(values.size()) + " values, and the model has " +
         std::to_string(layout.size));
  }
  const float least = prefix == kSquare ? 0.0F : std::numeric_limits<float>::lowest();
  for (const ParameterTensor& tensor : layout.tensors) {
    for (std::size_t n = 0; n < tensor.size(); ++n) {
      const float value = values[tensor.offset + n];
      if (std::isfinite(value) && value >= least) continue;
      fail("tensor " + Quoted(prefix + tensor.name) + ": value " + std::to_string(n + 1) +
           (std::isfinite(value) ? " is negative, and a mean of squares never is"
                                 : " is not a finite number"));
    }
  }
}

// Moved out of the file, since it may be large.
std::string CarriedOf(Safetensors& file, const FileFailure& fail) {
  const auto tensor = std::find_if(file.tensors.begin(), file.tensors.end(),
                                   [](const auto& each) { return each.name == kCarried; });
  if (tensor == file.tensors.end()) return {};
  if (tensor->type != SafetensorsType::kU8 || tensor->shape.size() != 1 || tensor->bytes.empty()) {
    fail("tensor " + Quoted(kCarried) + ": is not a sequence of bytes");
  }
  return std::move(tensor->bytes);
}

void CheckState(const ParameterLayout& layout, const TrainingState& state,
                const FileFailure& fail) {
  CheckValues(layout, kModel, state.parameters, fail);
  if (!state.best_parameters.empty()) CheckValues(layout, kBest, state.best_parameters, fail);
  if (!state.adam.mean.empty() || !state.adam.square.empty()) {
    CheckValues(layout, kMean, state.adam.mean, fail);
    CheckValues(layout, kSquare, state.adam.square, fail);
  }
  if (state.early_stopping.any == state.best_parameters.empty()) {
    fail(state.early_stopping.any ? "there is a best epoch, but not its parameters"
                                  : "there are best parameters, but no best epoch");
  }
}

}  // namespace

std::string ModelFileText(const ParameterLayout& layout, const std::vector<float>& parameters,
                          const std::string& description) {
  CheckValues(layout, "", parameters, FileFailure("ModelFileText"));
  Safetensors file;
  file.metadata = {{kFileFormat, kModelFormat}, {kFileDescription, description}};
  AppendParameters(layout, "", parameters, file);
  return ParameterFileText(std::move(file));
}

std::vector<float> ReadModelFile(std::string_view text, const ParameterLayout& layout,
                                 std::string* description) {
  const FileFailure fail("ReadModelFile");
  const Safetensors file =
      ReadParameterFile(text, kModelFormat, {kFileDescription, kFileChecksum}, fail);
  CheckTensors(file, TensorsOf(layout, ""), SafetensorsType::kF32, {}, fail);
  CheckChecksum(file, fail);
  std::vector<float> parameters = ParametersOf<float>(file, layout, "");
  CheckValues(layout, "", parameters, fail);
  if (description != nullptr) *description = file.metadata.at(kFileDescription);
  return parameters;
}

std::string ModelFileDescription(std::string_view text) {
  const FileFailure fail("ModelFileDescription");
  const Safetensors file =
      ReadParameterFile(text, kModelFormat, {kFileDescription, kFileChecksum}, fail);
  CheckChecksum(file, fail);
  return file.metadata.at(kFileDescription);
}

std::string CheckpointText(const ParameterLayout& layout, Checkpoint checkpoint) {
  const TrainingState& state = checkpoint.state;
  CheckState(layout, state, FileFailure("CheckpointText"));
  Safetensors file;
  file.metadata = {{kFileFormat, kCheckpointFormat},
                   {kFileDescription, checkpoint.description},
                   {kState, StateText(state)}};
  AppendParameters(layout, kModel, state.parameters, file);
  if (!state.best_parameters.empty()) AppendParameters(layout, kBest, state.best_parameters, file);
  if (!state.adam.mean.empty()) {
    AppendParameters(layout, kMean, state.adam.mean, file);
    AppendParameters(layout, kSquare, state.adam.square, file);
  }
  if (!checkpoint.carried.empty()) {
    const auto size = static_cast<std::int64_t>(checkpoint.carried.size());
    file.tensors.push_back(
        {kCarried, {size}, {}, SafetensorsType::kU8, std::move(checkpoint.carried)});
  }
  return ParameterFileText(std::move(file));
}

Checkpoint ReadCheckpoint(std::string_view text, const ParameterLayout& layout) {
  const FileFailure fail("ReadCheckpoint");
  Safetensors file =
      ReadParameterFile(text, kCheckpointFormat, {kFileDescription, kState, kFileChecksum}, fail);
  const auto has = [&file](const char* prefix) {
    return std::any_of(file.tensors.begin(), file.tensors.end(),
                       [&](const auto& tensor) { return tensor.name.starts_with(prefix); });
  };
  const bool has_best = has(kBest);
  const bool has_adam = has(kAdam);
  std::vector<ExpectedTensor> tensors = TensorsOf(layout, kModel);
  const auto expect = [&](const char* prefix) {
    const std::vector<ExpectedTensor> more = TensorsOf(layout, prefix);
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  if (has_best) expect(kBest);
  if (has_adam) expect(kMean);
  if (has_adam) expect(kSquare);
  CheckTensors(file, tensors, SafetensorsType::kF32, {kCarried}, fail);
  CheckChecksum(file, fail);
  // The checksum is of the contents. Only CheckpointText writes checkpoints, and always alike.
  if (!text.starts_with(SafetensorsHeader(file))) {
    fail("the header was changed after it was written");
  }

  Checkpoint checkpoint;
  checkpoint.description = file.metadata.at(kFileDescription);
  TrainingState& state = checkpoint.state;
  state = ParseState(file.metadata.at(kState));
  state.parameters = ParametersOf<float>(file, layout, kModel);
  if (has_best) state.best_parameters = ParametersOf<float>(file, layout, kBest);
  if (has_adam) {
    state.adam.mean = ParametersOf<float>(file, layout, kMean);
    state.adam.square = ParametersOf<float>(file, layout, kSquare);
  }
  CheckState(layout, state, fail);
  checkpoint.carried = CarriedOf(file, fail);
  return checkpoint;
}

}  // namespace pushdown
