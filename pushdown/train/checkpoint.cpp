#include "pushdown/train/checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/fingerprint.h"
#include "pushdown/printable.h"
#include "pushdown/safetensors.h"
#include "pushdown/train/state_text.h"

namespace pushdown {
namespace {

constexpr const char* kModelFormat = "pushdown model 1";
constexpr const char* kCheckpointFormat = "pushdown checkpoint 1";
// Keys of the metadata.
constexpr const char* kFormat = "format";
constexpr const char* kDescription = "description";
constexpr const char* kState = "state";
constexpr const char* kChecksum = "checksum";

// The parameter-sized arrays of a checkpoint: their tensors are named PREFIX + the layout's names.
constexpr const char* kModel = "model.";
constexpr const char* kBest = "best.";
constexpr const char* kMean = "adam.mean.";
constexpr const char* kSquare = "adam.square.";
constexpr const char* kAdam = "adam.";
// A tensor of bytes, unless it would be empty.
constexpr const char* kCarried = "carried";

// The functions of this file fail in the name of the one that was called.
class Failure {
 public:
  explicit Failure(const char* function) : function_(function) {}

  [[noreturn]] void operator()(const std::string& message) const {
    throw Error(std::string("[pushdown::") + function_ + "] " + message);
  }

 private:
  const char* function_;
};

std::vector<std::int64_t> ShapeOf(const ParameterTensor& tensor) {
  return {tensor.shape.begin(), tensor.shape.end()};
}

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  return Printable(nlohmann::json(shape).dump());
}

// Training never goes on from values that are not finite; they would only spread.
void CheckValues(const ParameterLayout& layout, const std::string& prefix,
                 const std::vector<float>& values, const Failure& fail) {
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

void AppendTensors(const ParameterLayout& layout, const std::string& prefix,
                   const std::vector<float>& values, Safetensors& file) {
  for (const ParameterTensor& tensor : layout.tensors) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
    file.tensors.push_back({prefix + tensor.name,
                            ShapeOf(tensor),
                            {begin, begin + static_cast<std::ptrdiff_t>(tensor.size())}});
  }
}

// Of the contents, not of the bytes that hold them: a program that only moves tensors to other
// places in the file does no damage.
std::string Checksum(const Safetensors& file) {
  Fingerprint fingerprint;
  const auto add = [&fingerprint](std::string_view bytes) {
    fingerprint.Add(bytes.size());
    fingerprint.Add(bytes);
  };
  for (const auto& [key, value] : file.metadata) {
    if (key == kChecksum) continue;
    add(key);
    add(value);
  }
  std::map<std::string_view, const SafetensorsTensor*> by_name;
  for (const SafetensorsTensor& tensor : file.tensors) by_name.emplace(tensor.name, &tensor);
  for (const auto& [name, tensor] : by_name) {
    add(name);
    for (const std::int64_t size : tensor->shape) fingerprint.Add(size);
    if (tensor->type == SafetensorsType::kU8) add("U8");
    add(tensor->data());
  }
  return fingerprint.Text();
}

std::string FileText(Safetensors file) {
  file.metadata[kChecksum] = Checksum(file);
  return SafetensorsText(file);
}

// The bytes of a file, and all that can be said without a layout.
Safetensors ReadFile(std::string_view text, const std::string& format,
                     std::initializer_list<const char*> keys, const Failure& fail) {
  Safetensors file = ParseSafetensors(text);
  const auto found = file.metadata.find(kFormat);
  if (found == file.metadata.end()) {
    fail("the metadata have no format; this is not a file of pushdown");
  }
  if (found->second != format) {
    fail("the file is a " + Quoted(found->second) + ", expected a " + Quoted(format));
  }
  for (const char* key : keys) {
    if (!file.metadata.contains(key)) fail("metadata: " + std::string(key) + ": missing");
  }
  for (const auto& [key, value] : file.metadata) {
    if (key != kFormat && std::find(keys.begin(), keys.end(), key) == keys.end()) {
      fail("metadata: " + Printable(key) + ": unknown field");
    }
  }
  return file;
}

// The tensors must be those of the layout under each of the prefixes, and no others but those that
// are known otherwise.
void CheckTensors(const Safetensors& file, const ParameterLayout& layout,
                  const std::vector<std::string>& prefixes, std::set<std::string> known,
                  const Failure& fail) {
  for (const std::string& prefix : prefixes) {
    for (const ParameterTensor& parameters : layout.tensors) {
      const std::string name = prefix + parameters.name;
      const SafetensorsTensor* tensor = file.Find(name);
      if (tensor == nullptr) {
        fail("tensor " + Quoted(name) + ": missing; is the file of another model?");
      }
      if (tensor->type != SafetensorsType::kF32) {
        fail("tensor " + Quoted(name) + ": has bytes, and the model's has numbers");
      }
      const std::vector<std::int64_t> shape = ShapeOf(parameters);
      if (tensor->shape != shape) {
        fail("tensor " + Quoted(name) + ": has shape " + ShapeText(tensor->shape) +
             ", and the model's is " + ShapeText(shape));
      }
      known.insert(name);
    }
  }
  for (const SafetensorsTensor& tensor : file.tensors) {
    if (!known.contains(tensor.name)) {
      fail("tensor " + Quoted(tensor.name) + ": the model has none of this name");
    }
  }
}

void CheckChecksum(const Safetensors& file, const Failure& fail) {
  const std::string& stated = file.metadata.at(kChecksum);
  const std::string actual = Checksum(file);
  if (stated != actual) {
    fail("the checksum is " + actual + ", but the file says " + Quoted(stated) +
         "; it was damaged or changed after it was written");
  }
}

std::vector<float> ArenaOf(const Safetensors& file, const ParameterLayout& layout,
                           const std::string& prefix) {
  std::vector<float> arena(layout.size);
  for (const ParameterTensor& parameters : layout.tensors) {
    const std::vector<float>& values = file.Find(prefix + parameters.name)->values;
    std::copy(values.begin(), values.end(),
              arena.begin() + static_cast<std::ptrdiff_t>(parameters.offset));
  }
  return arena;
}

// Moved out of the file, since it may be large.
std::string CarriedOf(Safetensors& file, const Failure& fail) {
  const auto tensor = std::find_if(file.tensors.begin(), file.tensors.end(),
                                   [](const auto& each) { return each.name == kCarried; });
  if (tensor == file.tensors.end()) return {};
  if (tensor->type != SafetensorsType::kU8 || tensor->shape.size() != 1 || tensor->bytes.empty()) {
    fail("tensor " + Quoted(kCarried) + ": is not a sequence of bytes");
  }
  return std::move(tensor->bytes);
}

void CheckState(const ParameterLayout& layout, const TrainingState& state, const Failure& fail) {
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
  CheckValues(layout, "", parameters, Failure("ModelFileText"));
  Safetensors file;
  file.metadata = {{kFormat, kModelFormat}, {kDescription, description}};
  AppendTensors(layout, "", parameters, file);
  return FileText(std::move(file));
}

std::vector<float> ReadModelFile(std::string_view text, const ParameterLayout& layout,
                                 std::string* description) {
  const Failure fail("ReadModelFile");
  const Safetensors file = ReadFile(text, kModelFormat, {kDescription, kChecksum}, fail);
  CheckTensors(file, layout, {""}, {}, fail);
  CheckChecksum(file, fail);
  std::vector<float> parameters = ArenaOf(file, layout, "");
  CheckValues(layout, "", parameters, fail);
  if (description != nullptr) *description = file.metadata.at(kDescription);
  return parameters;
}

std::string CheckpointText(const ParameterLayout& layout, Checkpoint checkpoint) {
  const TrainingState& state = checkpoint.state;
  CheckState(layout, state, Failure("CheckpointText"));
  Safetensors file;
  file.metadata = {{kFormat, kCheckpointFormat},
                   {kDescription, checkpoint.description},
                   {kState, StateText(state)}};
  AppendTensors(layout, kModel, state.parameters, file);
  if (!state.best_parameters.empty()) AppendTensors(layout, kBest, state.best_parameters, file);
  if (!state.adam.mean.empty()) {
    AppendTensors(layout, kMean, state.adam.mean, file);
    AppendTensors(layout, kSquare, state.adam.square, file);
  }
  if (!checkpoint.carried.empty()) {
    const auto size = static_cast<std::int64_t>(checkpoint.carried.size());
    file.tensors.push_back(
        {kCarried, {size}, {}, SafetensorsType::kU8, std::move(checkpoint.carried)});
  }
  return FileText(std::move(file));
}

Checkpoint ReadCheckpoint(std::string_view text, const ParameterLayout& layout) {
  const Failure fail("ReadCheckpoint");
  Safetensors file = ReadFile(text, kCheckpointFormat, {kDescription, kState, kChecksum}, fail);
  const auto has = [&file](const char* prefix) {
    return std::any_of(file.tensors.begin(), file.tensors.end(),
                       [&](const auto& tensor) { return tensor.name.starts_with(prefix); });
  };
  const bool has_best = has(kBest);
  const bool has_adam = has(kAdam);
  std::vector<std::string> prefixes = {kModel};
  if (has_best) prefixes.emplace_back(kBest);
  if (has_adam) prefixes.insert(prefixes.end(), {kMean, kSquare});
  CheckTensors(file, layout, prefixes, {kCarried}, fail);
  CheckChecksum(file, fail);
  // The checksum is of the contents. Only CheckpointText writes checkpoints, and always alike.
  if (!text.starts_with(SafetensorsHeader(file))) {
    fail("the header was changed after it was written");
  }

  Checkpoint checkpoint;
  checkpoint.description = file.metadata.at(kDescription);
  TrainingState& state = checkpoint.state;
  state = ParseState(file.metadata.at(kState));
  state.parameters = ArenaOf(file, layout, kModel);
  if (has_best) state.best_parameters = ArenaOf(file, layout, kBest);
  if (has_adam) {
    state.adam.mean = ArenaOf(file, layout, kMean);
    state.adam.square = ArenaOf(file, layout, kSquare);
  }
  CheckState(layout, state, fail);
  checkpoint.carried = CarriedOf(file, fail);
  return checkpoint;
}

}  // namespace pushdown
