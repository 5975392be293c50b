#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <span>
#include <vector>

#include "pushdown/kernels/affine.h"
#include "pushdown/model/driven_stack.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"

namespace pushdown {

// A stack RNN as a language model of one string w_1 .. w_n at a time (the paper's section 2):
//   h_0 = c_0 = 0, r_0 is the reading of the initial stack, y_0 = output(h_0) predicts w_1;
//   h_t = LSTM(h_{t-1}, [w_t; r_{t-1}]), y_t = output(h_t) predicts w_{t+1}, y_n the end;
//   the stack takes the actions of h_t, t < n, and r_t is its reading.
// Parameters and gradients are arenas that ParameterLayout describes. An object is the workspace of
// one thread; it allocates nothing after construction (but see NondeterministicStack).
template <typename T>
class StackRnn {
 public:
  // For strings of up to max_length symbols.
  StackRnn(const ModelSpec& spec, int max_length, bool gradients = true);

  const ModelSpec& spec() const { return spec_; }
  const ParameterLayout& layout() const { return layout_; }

  // -log p(string), the sum of the losses of its symbols and its end. Not finite if the parameters
  // or what is computed from them are not; throws Error, naming the step, if the stack refuses its
  // actions for that reason.
  double Forward(const T* parameters, std::span<const int> string);
  // Adds `scale` times the gradient of the newest Forward, once after each and with the same
  // parameters, to `gradient`.
  void Backward(const T* parameters, T scale, T* gradient);

  // The same symbol by symbol, at most max_length of them: Start, then Step for each symbol, with
  // the same parameters.
  // Both write log p of each next symbol, the end last, to log_probabilities [outputs].
  void Start(const T* parameters, T* log_probabilities);
  void Step(const T* parameters, int symbol, T* log_probabilities);
  // After the Step of symbol t: h_t, the reading r_{t-1} that went into it, and the log of the
  // total weight of the runs of which r_{t-1} is the reading (0 if the stack has no runs). After
  // Start: h_0, r_0 and 0. Views are good until the next call.
  std::span<const T> hidden() const;
  std::span<const T> reading() const;
  double LogStackWeight() const { return stack_.LogWeight(); }

  // What constructing takes, and what an object takes at most (see NondeterministicStack).
  static double WorkspaceBytes(const ModelSpec& spec, int max_length, bool gradients);
  static double EstimateBytes(const ModelSpec& spec, int max_length, bool gradients);

 private:
  using Buffer = hwy::AlignedFreeUniquePtr<T[]>;

  // Row t of a table of rows.
  T* hidden(int t) const { return states_.get() + reading_stride_ + t * state_stride_; }
  T* state(int t) const { return hidden(t) - reading_size_; }
  T* hidden_gradient(int t) { return state_gradients_.get() + reading_stride_ + t * state_stride_; }
  T* state_gradient(int t) { return hidden_gradient(t) - reading_size_; }
  T* cell(int t) { return cells_.get() + t * cell_stride_; }
  T* tanh_cell(int t) { return tanh_cells_.get() + t * cell_stride_; }
  T* gates(int t) { return gates_.get() + t * gate_stride_; }
  T* actions(int t) { return actions_.get() + t * action_stride_; }

  void CheckSymbol(int symbol) const;
  void CopyWeights(const T* parameters);
  void StepController(const T* parameters, int symbol, int t);
  void StepStack(int t);
  void BackwardStack(int t);
  void WriteLogProbabilities(const T* parameters, T* log_probabilities);

  ModelSpec spec_;
  ParameterLayout layout_;
  int max_length_;
  bool gradients_;
  DrivenStack<T> stack_;

  // Strides are whole vectors, and h_t begins with one.
  int reading_size_;
  std::ptrdiff_t reading_stride_ = 0;
  std::ptrdiff_t state_stride_ = 0;
  std::ptrdiff_t cell_stride_ = 0;
  std::ptrdiff_t gate_stride_ = 0;
  std::ptrdiff_t action_stride_ = 0;
  // Copies of the weights, with the bias as their last row.
  AffineMatrix<T> controller_;    // [R + H + 1, 4H]
  AffineMatrix<T> stack_layers_;  // [H + 1, outputs of layout_.stack]
  std::vector<int> targets_;      // of the newest Forward: its string and the end
  int now_ = 0;                   // of Step
  Buffer states_;                 // [t][r_t; h_t; 1]
  Buffer cells_;                  // [t][H]
  Buffer tanh_cells_;             // [t][H]
  Buffer gates_;                  // [t][4H]: i, f, g, o of h_t, t >= 1
  Buffer actions_;                // [t][outputs of layout_.stack]: what the stack took at t, t >= 1
  Buffer probabilities_;          // [t][outputs], then the derivatives by the logits

  // Derivatives, with those of a time in the places of what they are the derivatives by.
  Buffer state_gradients_;         // [t][r_t; h_t; 1]
  Buffer gate_gradients_;          // [t][4H]: before the activation
  Buffer action_gradients_;        // [t][outputs of layout_.stack]: before the activation
  Buffer cell_gradient_;           // [H]
  Buffer stack_weight_gradients_;  // [H + 1, action_stride_]
};

extern template class StackRnn<float>;
extern template class StackRnn<double>;

}  // namespace pushdown
