#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "pushdown/kernels/activations.h"
#include "pushdown/kernels/affine.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/lstm.h"
#include "pushdown/kernels/panels.h"
#include "pushdown/model/driven_stack.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"
#include "pushdown/model/ranges.h"
#include "pushdown/model/recurrence_tables.h"
#include "pushdown/model/weight_products.h"

namespace pushdown {

// The products of a recurrence's time step with its weights, of which there are two kinds. Both
// keep copies of the weights, with the bias as their last row: those of the controller but for its
// input's, and the stack's layers side by side. In the arena, a layer's bias follows its weights.

// Where the controller's weights for [r; h; 1] begin.
inline std::ptrdiff_t RecurrentWeights(const ModelSpec& spec, const ParameterLayout& layout) {
  return static_cast<std::ptrdiff_t>(layout.controller.weights) +
         static_cast<std::ptrdiff_t>(spec.input_size()) * layout.controller.outputs;
}

// What becomes of the derivatives by the state that a step began with: nobody needs them, they are
// written, or they are added to what is there.
enum class StateGradient { kNone, kSet, kAdd };

// For one row, whose products take hardly longer than a call: each with its activations in one
// kernel, and the input symbol's row of weights added on the way.
template <typename T>
class FusedProducts {
 public:
  static constexpr bool kManyRows = false;
  using Tables = RecurrenceTables<T>;

  void Place(const Tables& tables, Workspace<T>& workspace) {
    const int actions = tables.actions_size;
    workspace.Make(recurrent_, tables.reading_size + tables.units + 1, 4 * tables.units);
    if (actions > 0) workspace.Make(stack_layers_, tables.units + 1, actions);
    workspace.Reserve(inputs_, tables.size.steps);
    if (!tables.size.gradients) return;
    stack_gradients_ = workspace.Table(tables.units + 1, AffineMatrix<T>::Stride(actions));
  }

  void CopyWeights(const Tables& tables, const T* parameters) {
    const ParameterLayout& layout = tables.layout;
    recurrent_.CopyColumns(parameters + RecurrentWeights(tables.spec, layout),
                           layout.controller.outputs, 0);
    int column = 0;
    for (const AffineLayer& layer : layout.stack) {
      stack_layers_.CopyColumns(parameters + layer.weights, layer.outputs, column);
      column += layer.outputs;
    }
  }

  // What the inputs bring to the gates, token by token: [4H], read to the end of a vector.
  void ClearInputs() { inputs_.clear(); }
  void AppendInput(const T* row) { inputs_.push_back(row); }

  void StepLstm(const Tables& tables, Range tokens) const {
    const int n = tokens.begin;
    LstmForward(tables.units, recurrent_, tables.state(n), inputs_[static_cast<std::size_t>(n)],
                tables.cell(n), tables.gates(n), tables.cell(n + 1), tables.tanh_cell(n),
                tables.hidden(n + 1));
  }

  void StepActions(const Tables& tables, Range tokens) const {
    const T* hidden = tables.hidden(tokens.begin + 1);
    T* actions = tables.actions(tokens.begin);
    if (const SuperpositionStackSpec* superposition = tables.spec.superposition()) {
      // Product and activations at once: there is little else to do.
      SuperpositionActions(stack_layers_, hidden, superposition->stacks(),
                           tables.spec.push_hidden ? 0 : tables.reading_size, actions);
    } else {
      Affine<T>(stack_layers_, hidden, nullptr, actions);
      ActivateActions(tables.spec, actions);
    }
  }

  void BackwardActions(const Tables& tables, Range tokens) const {
    AffineBackward(stack_layers_, tables.units, tables.action_gradient(tokens.begin),
                   tables.hidden_gradient(tokens.begin + 1));
  }

  // Always adds to the derivatives by the state.
  void BackwardLstm(const Tables& tables, Range tokens, StateGradient /*to*/) const {
    const int n = tokens.begin;
    LstmBackward(tables.units, recurrent_, tables.gates(n), tables.cell(n), tables.tanh_cell(n),
                 tables.hidden_gradient(n + 1), tables.cell_gradient(0), tables.gate_gradient(n),
                 tables.state_gradient(n));
  }

  // Adds the gradients of the weights. The stack's layers have none from the last token, and are
  // multiplied together, because a product with few columns takes as long as one with many.
  void AddWeightGradients(const Tables& tables, int tokens, T* gradient) const {
    const ParameterLayout& layout = tables.layout;
    AddOuterProducts(tokens, recurrent_.rows(), layout.controller.outputs,
                     Steps<const T>{tables.state(0), tables.state_stride},
                     Steps<const T>{tables.gate_gradient(0), tables.gate_stride},
                     gradient + RecurrentWeights(tables.spec, layout));
    if (layout.stack.empty()) return;
    const int rows = stack_layers_.rows();
    const std::ptrdiff_t stride = stack_layers_.stride();
    AddOuterProducts(std::max(tokens - 1, 0), rows, stack_layers_.stride(),
                     Steps<const T>{tables.hidden(1), tables.state_stride},
                     Steps<const T>{tables.action_gradient(0), tables.action_stride},
                     stack_gradients_, Product::kSet);
    const T* weights = stack_gradients_;
    for (const AffineLayer& layer : layout.stack) {
      T* out = gradient + layer.weights;
      for (int row = 0; row < rows; ++row) {
        for (int n = 0; n < layer.outputs; ++n) *out++ += weights[row * stride + n];
      }
      weights += layer.outputs;
    }
  }

 private:
  AffineMatrix<T> recurrent_;     // [R + H + 1, 4H]
  AffineMatrix<T> stack_layers_;  // [H + 1, actions]
  std::vector<const T*> inputs_;  // [token]
  T* stack_gradients_ = nullptr;  // [H + 1, stride of stack_layers_]
};

// For several rows at once, so that weights are read once for all of them. What inputs bring is in
// the gates before a step.
template <typename T>
class PanelProducts {
 public:
  static constexpr bool kManyRows = true;
  using Tables = RecurrenceTables<T>;

  void Place(const Tables& tables, Workspace<T>& workspace) {
    const int states = tables.reading_size + tables.units;
    const int actions = tables.actions_size;
    workspace.Make(recurrent_, states + 1, 4 * tables.units);
    if (actions > 0) workspace.Make(stack_layers_, tables.units + 1, actions);
    if (!tables.size.gradients) return;
    workspace.Make(recurrent_transposed_, 4 * tables.units, states);
    if (actions > 0) workspace.Make(stack_transposed_, actions, tables.units);
  }

  // Copying the weights is several tasks, which may be done by different threads.
  static int CopyTasks(const Tables& tables) { return tables.size.gradients ? 4 : 2; }
  void CopyWeights(const Tables& tables, const T* parameters, int task) {
    const ParameterLayout& layout = tables.layout;
    const T* recurrent = parameters + RecurrentWeights(tables.spec, layout);
    if (task == 0) recurrent_.CopyColumns(recurrent, layout.controller.outputs, 0);
    if (task == 2) recurrent_transposed_.CopyTransposed(recurrent, layout.controller.outputs, 0);
    int begin = 0;
    for (const AffineLayer& layer : layout.stack) {
      const T* weights = parameters + layer.weights;
      if (task == 1) stack_layers_.CopyColumns(weights, layer.outputs, begin);
      if (task == 3) stack_transposed_.CopyTransposed(weights, layer.outputs, begin);
      begin += layer.outputs;
    }
  }

  void StepLstm(const Tables& tables, Range tokens) const {
    const int rows = tables.rows;
    MultiplyPanels(recurrent_, tokens.size(), tables.state(tokens.begin), tables.state_stride,
                   tables.gates(tokens.begin), tables.gate_stride, true);
    for (int n = tokens.begin; n < tokens.end; ++n) {
      LstmActivations(tables.units, tables.cell(n), tables.gates(n), tables.cell(n + rows),
                      tables.tanh_cell(n), tables.hidden(n + rows));
    }
  }

  void StepActions(const Tables& tables, Range tokens) const {
    MultiplyPanels(stack_layers_, tokens.size(), tables.hidden(tokens.begin + tables.rows),
                   tables.state_stride, tables.actions(tokens.begin), tables.action_stride, false);
    for (int n = tokens.begin; n < tokens.end; ++n) ActivateActions(tables.spec, tables.actions(n));
  }

  void BackwardActions(const Tables& tables, Range tokens) const {
    MultiplyPanels(stack_transposed_, tokens.size(), tables.action_gradient(tokens.begin),
                   tables.action_stride, tables.hidden_gradient(tokens.begin + tables.rows),
                   tables.state_stride, true);
  }

  void BackwardLstm(const Tables& tables, Range tokens, StateGradient to) const {
    const int rows = tables.rows;
    for (int n = tokens.begin; n < tokens.end; ++n) {
      LstmActivationsBackward(tables.units, tables.gates(n), tables.cell(n), tables.tanh_cell(n),
                              tables.hidden_gradient(n + rows), tables.cell_gradient(n % rows),
                              tables.gate_gradient(n));
    }
    if (to == StateGradient::kNone) return;
    MultiplyPanels(recurrent_transposed_, tokens.size(), tables.gate_gradient(tokens.begin),
                   tables.gate_stride, tables.state_gradient(tokens.begin), tables.state_stride,
                   to == StateGradient::kAdd);
  }

  // The products that are the gradients of the weights. The stack's layers have none from the last
  // step, whose actions are for the next chunk.
  void AppendWeightProducts(const Tables& tables, int tokens, T* gradient,
                            std::vector<WeightProduct<T>>& products) const {
    const ParameterLayout& layout = tables.layout;
    products.push_back({tokens,
                        recurrent_.rows(),
                        layout.controller.outputs,
                        {tables.state(0), tables.state_stride},
                        {tables.gate_gradient(0), tables.gate_stride},
                        gradient + RecurrentWeights(tables.spec, layout)});
    const int last_step = (tokens - 1) / tables.rows;
    std::ptrdiff_t column = 0;
    for (const AffineLayer& layer : layout.stack) {
      products.push_back({last_step * tables.rows,
                          tables.units + 1,
                          layer.outputs,
                          {tables.hidden(tables.rows), tables.state_stride},
                          {tables.action_gradient(0) + column, tables.action_stride},
                          gradient + layer.weights});
      column += layer.outputs;
    }
  }

 private:
  PanelMatrix<T> recurrent_;             // [R + H + 1, 4H]
  PanelMatrix<T> recurrent_transposed_;  // [4H, R + H]
  PanelMatrix<T> stack_layers_;          // [H + 1, actions]
  PanelMatrix<T> stack_transposed_;      // [actions, H]
};

}  // namespace pushdown
