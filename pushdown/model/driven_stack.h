#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/superposition_stack.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"

namespace pushdown {

// The stack of one string or row of text, as a network drives it: actions are what the layers of
// ParameterLayout::stack make of the hidden state. Does nothing if the model has no stack.
template <typename T>
class DrivenStack {
 public:
  DrivenStack(const ModelSpec& spec, int max_steps, bool gradients);

  // parameters: the bottom vector's, of a VRNS.
  void Start(const T* bottom_parameters, T* reading);
  // Actions are as ActivateActions leaves them.
  void Step(const T* actions, const T* hidden, T* reading);
  // Of a nondeterministic stack (see there); 0 for others.
  double LogWeight() const;

  // Undoes the newest step that has not been undone. Gives the derivatives by the outputs of the
  // layers and, where the hidden state is what was pushed, adds to those by it. The derivatives by
  // the reading mean nothing afterwards.
  void BackwardStep(const T* actions, T* reading_gradient, T* action_gradient, T* hidden_gradient);
  // Adds to the derivatives by the bottom vector's parameters, if there are any.
  void BackwardStart(const T* reading_gradient, T* bottom_gradient);

  void Carry();
  std::string Carried() const;
  void RestoreCarried(std::string_view carried);

  // What constructing takes, and what may be added to that (see NondeterministicStack).
  static double WorkspaceBytes(const ModelSpec& spec, int max_steps, bool gradients);
  static double WideBytes(const ModelSpec& spec, int max_steps, bool gradients);

 private:
  std::variant<std::monostate, SuperpositionStack<T>, NondeterministicStack<T>> stack_;
  int reading_size_ = 0;
  bool push_hidden_ = false;
  std::vector<T> bottom_vector_;           // [m]: v_0
  std::vector<T> bottom_vector_gradient_;  // [m]
};

// Turns the outputs of the layers into what the stack takes, in place. They may be read for a
// vector's width beyond their end.
template <typename T>
void ActivateActions(const ModelSpec& spec, T* actions);

// Of all layers of ParameterLayout::stack together.
int StackLayerOutputs(const ParameterLayout& layout);

extern template void ActivateActions(const ModelSpec&, float*);
extern template void ActivateActions(const ModelSpec&, double*);
extern template class DrivenStack<float>;
extern template class DrivenStack<double>;

}  // namespace pushdown
