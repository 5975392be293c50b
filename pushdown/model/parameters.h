#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "pushdown/model/model_spec.h"
#include "pushdown/random.h"

namespace pushdown {

// How parameters start. kPaper is the paper's appendix D: fully-connected layers outside the LSTM
// Xavier-uniform with zero bias, everything else uniform in [-0.1, 0.1]. In the paper's code, the
// layers that drive RNS and VRNS are uniform in [-0.1, 0.1] too, weights and biases.
enum class Initialization { kPaper, kPaperCode };

struct ParameterTensor {
  std::string name;
  std::vector<int> shape;  // row-major; weights are [inputs, outputs]
  std::size_t offset = 0;  // in the arena
  double bound = 0;        // it starts uniform in [-bound, bound]
  double paper_code_bound = 0;

  std::size_t size() const;
};

// outputs = inputs * weights + bias, where weights are [inputs, outputs].
struct AffineLayer {
  int inputs = 0;
  int outputs = 0;
  std::size_t weights = 0;  // offsets in the arena
  std::size_t bias = 0;
};

// Where the parameters of a model are in one contiguous arena:
//   embeddings [symbols, E]                                     models of text
//   controller.weights [E + R + H, 4H], controller.bias [4H]    the LSTM: embedding or one-hot
//                      symbol (E = symbols), reading r_{t-1} and hidden state h_{t-1} to the gates
//                      i, f, g, o
//   output.weights [H, outputs], output.bias                    outputs: symbols, and the end of a
//                                                               string
//   rns, vrns:  stack.operations.weights [H, P(2P+Q)], .bias   logits, laid out as the kernel's
//   vrns:       stack.vector.weights [H, m], .bias             the pushed vector before sigmoid
//               stack.bottom_vector [m]                        v_0 before sigmoid
//   sup:        stack.K.actions.weights [H, 3], .bias          of stack K = 1, 2, ..: logits of
//                                                              push, no-op, pop
//               stack.K.vector.weights [H, size], .bias        the pushed vector before sigmoid;
//                                                              not for sup-h
struct ParameterLayout {
  explicit ParameterLayout(const ModelSpec& spec);

  std::vector<ParameterTensor> tensors;  // in the order of their offsets, without gaps
  std::size_t size = 0;                  // of the arena
  std::size_t embeddings = 0;            // models of text only
  AffineLayer controller;
  AffineLayer output;
  // The layers from the hidden state to the stack. (V)RNS: operations, vector. Superposition: the
  // actions of all stacks, then their vectors.
  std::vector<AffineLayer> stack;
  std::size_t bottom_vector = 0;  // VRNS only
};

// Fills the arena, tensor by tensor in the layout's order.
template <typename T>
void InitializeParameters(const ParameterLayout& layout, Initialization initialization,
                          Random& random, T* parameters);

// The same, with all parameters uniform in [-bound, bound], as for text (the paper's appendix H).
template <typename T>
void InitializeUniformly(const ParameterLayout& layout, double bound, Random& random,
                         T* parameters);

extern template void InitializeParameters(const ParameterLayout&, Initialization, Random&, float*);
extern template void InitializeParameters(const ParameterLayout&, Initialization, Random&, double*);
extern template void InitializeUniformly(const ParameterLayout&, double, Random&, float*);
extern template void InitializeUniformly(const ParameterLayout&, double, Random&, double*);

}  // namespace pushdown
