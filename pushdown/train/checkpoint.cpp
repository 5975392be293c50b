#include "pushdown/train/checkpoint.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "pushdown/model/parameter_file.h"
#include "pushdown/printable.h"
#include "pushdown/safetensors.h"
#include "pushdown/train/state_format.h"

namespace pushdown {
namespace {

constexpr const char* kModelFormat = "pushdown model 1";
constexpr const char* kCheckpointFormat = "pushdown checkpoint 1";
// A key of the metadata.
constexpr const char* kState = "state";

constexpr const char* kAdam = "adam.";
// A tensor of bytes, unless it would be empty.
constexpr const char* kCarried = "carried";

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

}  // namespace

std::string SerializeParameters(const ParameterLayout& layout, const std::vector<float>& parameters,
                                const std::string& description) {
  CheckFinite(parameters, layout, "");
  Safetensors file;
  file.metadata = {{kFileFormat, kModelFormat}, {kFileDescription, description}};
  AppendParameters(layout, "", parameters, file);
  return SerializeParameterFile(std::move(file));
}

std::vector<float> ParseParameters(std::string_view text, const ParameterLayout& layout,
                                   std::string* description) {
  const FileFailure fail("ParseParameters");
  const Safetensors file =
      ParseParameterFile(text, kModelFormat, {kFileDescription, kFileChecksum}, fail);
  CheckTensors(file, TensorsOf(layout, ""), SafetensorsType::kF32, {}, fail);
  CheckChecksum(file, fail);
  std::vector<float> parameters = ParametersOf<float>(file, layout, "");
  CheckFinite(parameters, layout, "");
  if (description != nullptr) *description = file.metadata.at(kFileDescription);
  return parameters;
}

std::vector<float> ParseForeignParameters(std::string_view text, const ParameterLayout& layout) {
  const FileFailure fail("ParseForeignParameters");
  const Safetensors file = ParseSafetensors(text);
  CheckTensors(file, TensorsOf(layout, ""), SafetensorsType::kF32, {}, fail);
  std::vector<float> parameters = ParametersOf<float>(file, layout, "");
  CheckFinite(parameters, layout, "");
  return parameters;
}

std::string ParametersDescription(std::string_view text) {
  const FileFailure fail("ParametersDescription");
  const Safetensors file =
      ParseParameterFile(text, kModelFormat, {kFileDescription, kFileChecksum}, fail);
  CheckChecksum(file, fail);
  return file.metadata.at(kFileDescription);
}

std::string SerializeCheckpoint(const ParameterLayout& layout, Checkpoint checkpoint) {
  const TrainingState& state = checkpoint.state;
  CheckArrays(state, layout);
  Safetensors file;
  file.metadata = {{kFileFormat, kCheckpointFormat},
                   {kFileDescription, checkpoint.description},
                   {kState, SerializeState(state)}};
  AppendParameters(layout, kModelPrefix, state.parameters, file);
  if (!state.best_parameters.empty())
    AppendParameters(layout, kBestPrefix, state.best_parameters, file);
  if (!state.optimizer.mean.empty()) {
    AppendParameters(layout, kMeanPrefix, state.optimizer.mean, file);
    AppendParameters(layout, kSquarePrefix, state.optimizer.square, file);
  }
  if (!checkpoint.carried.empty()) {
    const auto size = static_cast<std::int64_t>(checkpoint.carried.size());
    file.tensors.push_back(
        {kCarried, {size}, {}, SafetensorsType::kU8, std::move(checkpoint.carried)});
  }
  return SerializeParameterFile(std::move(file));
}

Checkpoint ParseCheckpoint(std::string_view text, const ParameterLayout& layout) {
  const FileFailure fail("ParseCheckpoint");
  Safetensors file =
      ParseParameterFile(text, kCheckpointFormat, {kFileDescription, kState, kFileChecksum}, fail);
  const auto has = [&file](const char* prefix) {
    return std::any_of(file.tensors.begin(), file.tensors.end(),
                       [&](const auto& tensor) { return tensor.name.starts_with(prefix); });
  };
  const bool has_best = has(kBestPrefix);
  const bool has_adam = has(kAdam);
  std::vector<ExpectedTensor> tensors = TensorsOf(layout, kModelPrefix);
  const auto expect = [&](const char* prefix) {
    const std::vector<ExpectedTensor> more = TensorsOf(layout, prefix);
    tensors.insert(tensors.end(), more.begin(), more.end());
  };
  if (has_best) expect(kBestPrefix);
  if (has_adam) expect(kMeanPrefix);
  if (has_adam) expect(kSquarePrefix);
  CheckTensors(file, tensors, SafetensorsType::kF32, {kCarried}, fail);
  CheckChecksum(file, fail);
  // The checksum is of the contents. Only SerializeCheckpoint writes checkpoints, and always alike.
  if (!text.starts_with(SafetensorsHeader(file))) {
    fail("the header was changed after it was written");
  }

  Checkpoint checkpoint;
  checkpoint.description = file.metadata.at(kFileDescription);
  TrainingState& state = checkpoint.state;
  state = ParseState(file.metadata.at(kState));
  state.parameters = ParametersOf<float>(file, layout, kModelPrefix);
  if (has_best) state.best_parameters = ParametersOf<float>(file, layout, kBestPrefix);
  if (has_adam) {
    state.optimizer.mean = ParametersOf<float>(file, layout, kMeanPrefix);
    state.optimizer.square = ParametersOf<float>(file, layout, kSquarePrefix);
  }
  CheckArrays(state, layout);
  checkpoint.carried = CarriedOf(file, fail);
  return checkpoint;
}

}  // namespace pushdown
