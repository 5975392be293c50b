#include "pushdown/recognizer/recognizer_file.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "pushdown/model/parameter_file.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

constexpr const char* kFormat = "pushdown recognizer 1";
constexpr const char* kHiddenWeights = "acceptance.hidden.weights";
constexpr const char* kHiddenBias = "acceptance.hidden.bias";
constexpr const char* kOutputWeights = "acceptance.output.weights";
constexpr const char* kOutputBias = "acceptance.output.bias";
// Impossible transitions have -inf there.
constexpr const char* kOperationBias = "stack.operations.bias";

void Append(const char* name, std::vector<std::int64_t> shape, std::vector<double> values,
            Safetensors& file) {
  SafetensorsTensor& tensor = file.tensors.emplace_back();
  tensor.name = name;
  tensor.shape = std::move(shape);
  tensor.type = SafetensorsType::kF64;
  tensor.doubles = std::move(values);
}

void CheckValues(const Safetensors& file, const FileFailure& fail) {
  for (const SafetensorsTensor& tensor : file.tensors) {
    const bool may_be_minus_infinity = tensor.name == kOperationBias;
    for (std::size_t n = 0; n < tensor.doubles.size(); ++n) {
      const double value = tensor.doubles[n];
      if (std::isfinite(value)) continue;
      if (may_be_minus_infinity && value == -std::numeric_limits<double>::infinity()) continue;
      fail("tensor " + Quoted(tensor.name) + ": value " + std::to_string(n + 1) +
           " is not a finite number");
    }
  }
}

}  // namespace

std::string SerializeRecognizer(const RecognizerNetwork& network, const std::string& description) {
  Safetensors file;
  file.metadata = {{kFileFormat, kFormat}, {kFileDescription, description}};
  AppendParameters(ParameterLayout(network.spec), "", network.parameters, file);
  const auto languages = static_cast<std::int64_t>(network.output_weights.size());
  Append(kHiddenWeights, {network.spec.hidden_units, languages}, network.hidden_weights, file);
  Append(kHiddenBias, {languages}, network.hidden_bias, file);
  Append(kOutputWeights, {languages}, network.output_weights, file);
  Append(kOutputBias, {1}, {network.output_bias}, file);
  return SerializeParameterFile(std::move(file));
}

RecognizerNetwork ReadRecognizerFile(std::string_view text, const PushdownAutomaton& automaton,
                                     std::string* description) {
  const FileFailure fail("ReadRecognizerFile");
  RecognizerNetwork network;
  network.spec = RecognizerSpec(automaton);
  Validate(network.spec);
  const ParameterLayout layout(network.spec);
  const std::int64_t languages = automaton.languages();
  const Safetensors file =
      ParseParameterFile(text, kFormat, {kFileDescription, kFileChecksum}, fail);
  std::vector<ExpectedTensor> tensors = TensorsOf(layout, "");
  tensors.push_back({kHiddenWeights, {network.spec.hidden_units, languages}});
  tensors.push_back({kHiddenBias, {languages}});
  tensors.push_back({kOutputWeights, {languages}});
  tensors.push_back({kOutputBias, {1}});
  CheckTensors(file, tensors, SafetensorsType::kF64, {}, fail);
  CheckChecksum(file, fail);
  CheckValues(file, fail);
  network.parameters = ParametersOf<double>(file, layout, "");
  network.hidden_weights = file.Find(kHiddenWeights)->doubles;
  network.hidden_bias = file.Find(kHiddenBias)->doubles;
  network.output_weights = file.Find(kOutputWeights)->doubles;
  network.output_bias = file.Find(kOutputBias)->doubles.front();
  if (description != nullptr) *description = file.metadata.at(kFileDescription);
  return network;
}

double MaxRecognizerFileBytes(const PushdownAutomaton& automaton) {
  constexpr double kHeader = 1e6;
  return kHeader + RecognizerParameters(automaton) * sizeof(double);
}

}  // namespace pushdown
