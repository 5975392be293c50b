#include "pushdown/model/parameters.h"

#include <cmath>

namespace pushdown {
namespace {

constexpr double kUniformBound = 0.1;

// Glorot and Bengio 2010.
double XavierBound(int inputs, int outputs) { return std::sqrt(6.0 / (inputs + outputs)); }

std::size_t Add(ParameterLayout& layout, const std::string& name, std::vector<int> shape,
                double bound, double paper_code_bound) {
  ParameterTensor tensor = {.name = name,
                            .shape = std::move(shape),
                            .offset = layout.size,
                            .bound = bound,
                            .paper_code_bound = paper_code_bound};
  layout.size += tensor.size();
  layout.tensors.push_back(std::move(tensor));
  return layout.tensors.back().offset;
}

enum class Layer { kLstm, kXavier, kXavierInPaperOnly };

AffineLayer AddLayer(ParameterLayout& layout, const std::string& name, int inputs, int outputs,
                     Layer kind) {
  const double xavier = XavierBound(inputs, outputs);
  const bool paper = kind != Layer::kLstm;
  const bool paper_code = kind == Layer::kXavier;
  AffineLayer layer = {.inputs = inputs, .outputs = outputs};
  layer.weights = Add(layout, name + ".weights", {inputs, outputs}, paper ? xavier : kUniformBound,
                      paper_code ? xavier : kUniformBound);
  layer.bias = Add(layout, name + ".bias", {outputs}, paper ? 0 : kUniformBound,
                   paper_code ? 0 : kUniformBound);
  return layer;
}

}  // namespace

std::size_t ParameterTensor::size() const {
  std::size_t product = 1;
  for (int dimension : shape) product *= static_cast<std::size_t>(dimension);
  return product;
}

ParameterLayout::ParameterLayout(const ModelSpec& spec) {
  Validate(spec);
  const int hidden = spec.hidden_units;
  if (spec.is_text()) {
    embeddings =
        Add(*this, "embeddings", {spec.symbols, spec.embedding_size}, kUniformBound, kUniformBound);
  }
  controller = AddLayer(*this, "controller", spec.input_size() + spec.reading_size() + hidden,
                        4 * hidden, Layer::kLstm);
  output = AddLayer(*this, "output", hidden, spec.outputs(), Layer::kXavier);
  if (const NondeterministicStackSpec* rns = spec.nondeterministic()) {
    stack.push_back(
        AddLayer(*this, "stack.operations", hidden, rns->logits_size(), Layer::kXavierInPaperOnly));
    if (rns->vector_size > 0) {
      stack.push_back(
          AddLayer(*this, "stack.vector", hidden, rns->vector_size, Layer::kXavierInPaperOnly));
      bottom_vector =
          Add(*this, "stack.bottom_vector", {rns->vector_size}, kUniformBound, kUniformBound);
    }
  } else if (const SuperpositionStackSpec* superposition = spec.superposition()) {
    const auto prefix = [](int k) { return "stack." + std::to_string(k + 1); };
    for (int k = 0; k < superposition->stacks(); ++k) {
      stack.push_back(AddLayer(*this, prefix(k) + ".actions", hidden, 3, Layer::kXavier));
    }
    for (int k = 0; k < superposition->stacks() && !spec.push_hidden; ++k) {
      stack.push_back(AddLayer(*this, prefix(k) + ".vector", hidden,
                               superposition->sizes[static_cast<std::size_t>(k)], Layer::kXavier));
    }
  }
}

template <typename T>
void InitializeParameters(const ParameterLayout& layout, Initialization initialization,
                          Random& random, T* parameters) {
  for (const ParameterTensor& tensor : layout.tensors) {
    const double bound =
        initialization == Initialization::kPaper ? tensor.bound : tensor.paper_code_bound;
    for (std::size_t n = 0; n < tensor.size(); ++n) {
      parameters[tensor.offset + n] =
          bound > 0 ? static_cast<T>(random.Uniform(-bound, bound)) : T{0};
    }
  }
}

template <typename T>
void InitializeUniformly(const ParameterLayout& layout, double bound, Random& random,
                         T* parameters) {
  for (std::size_t n = 0; n < layout.size; ++n) {
    parameters[n] = static_cast<T>(random.Uniform(-bound, bound));
  }
}

template void InitializeParameters(const ParameterLayout&, Initialization, Random&, float*);
template void InitializeParameters(const ParameterLayout&, Initialization, Random&, double*);
template void InitializeUniformly(const ParameterLayout&, double, Random&, float*);
template void InitializeUniformly(const ParameterLayout&, double, Random&, double*);

}  // namespace pushdown
