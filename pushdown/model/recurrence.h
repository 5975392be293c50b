#pragma once

#include <hwy/aligned_allocator.h>

#include <span>
#include <vector>

#include "pushdown/model/driven_stack.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"
#include "pushdown/model/ranges.h"
#include "pushdown/model/recurrence_tables.h"
#include "pushdown/model/step_products.h"

namespace pushdown {

// What models of strings and of text have in common: rows through time, forward and backward. In
// each step of a row,
//   h_t = LSTM(h_{t-1}, [input; r_{t-1}]), and the stack takes the actions of h_t; r_t is its
//   reading.
// What inputs bring to the gates, and what is made of hidden states, are for the layers around it.
// Products is one of step_products.h. Different rows may be taken by different threads.
template <typename T, typename Products>
class Recurrence {
 public:
  Recurrence(const ModelSpec& spec, const RecurrenceSize& size);

  const ModelSpec& spec() const { return tables_.spec; }
  const ParameterLayout& layout() const { return tables_.layout; }
  const RecurrenceTables<T>& tables() const { return tables_; }
  Products& products() { return products_; }
  const Products& products() const { return products_; }
  DrivenStack<T>& stack(int row) { return stacks_[static_cast<std::size_t>(row)]; }
  const DrivenStack<T>& stack(int row) const { return stacks_[static_cast<std::size_t>(row)]; }

  bool has_stack() const { return tables_.actions_size > 0; }

  // Begins `rows` rows anew: h_0 = c_0 = 0, and r_0 is the reading of the initial stack.
  void Start(const T* parameters, int rows);

  // Some rows through time, up to the hidden states of all tokens. What the last step does to the
  // stack is not needed for that. Throws Error if a stack refuses its actions.
  void Forward(Range rows, int tokens);
  // The two parts of a step, the second only if there is a stack.
  void StepLstm(Range tokens) { products_.StepLstm(tables_, tokens); }
  void StepStacks(Range tokens);
  // From the derivatives by readings and hidden states to those by gates and actions, and to those
  // by the bottom vector's parameters if the rows `began` with the initial stack.
  void Backward(Range rows, int tokens, bool began);
  // Adds the latter to the gradient.
  void AddBottomGradients(T* gradient) const;

  // What is left of the last step, and the beginning of the next one.
  void Carry(Range rows, int tokens);

  // The tokens that some rows have in a step; the last step may lack the last rows.
  Range TokensOf(int tokens, int step, Range rows) const;

  // Views, good until the next step. The state that a token of a place finds.
  std::span<const T> hidden(int place) const;
  std::span<const T> reading(int place) const;
  // What the stack took: of rns and vrns the logits of its operations, of sup the probabilities of
  // push, no-op and pop of each stack; then the pushed vectors, if they are not the hidden state.
  std::span<const T> actions(int token) const;

  // What constructing takes, and what stacks may take later (see NondeterministicStack).
  static double WorkspaceBytes(const ModelSpec& spec, const RecurrenceSize& size);
  static double WideBytes(const ModelSpec& spec, const RecurrenceSize& size);

 private:
  static void Place(RecurrenceTables<T>& tables, Products& products, Workspace<T>& workspace);
  void BackwardStacks(Range tokens);
  // Calls task(token, its row, the place where it leaves its state).
  template <typename Task>
  void ForTokens(Range tokens, const Task& task) const {
    if constexpr (Products::kManyRows) {
      const int rows = tables_.rows;
      for (int n = tokens.begin; n < tokens.end; ++n) task(n, n % rows, n + rows);
    } else {
      task(tokens.begin, 0, tokens.begin + 1);
    }
  }
  int StepsOf(int tokens) const { return (tokens + tables_.rows - 1) / tables_.rows; }

  std::vector<DrivenStack<T>> stacks_;  // by row
  RecurrenceTables<T> tables_;
  Products products_;
  hwy::AlignedFreeUniquePtr<T[]> buffer_;
};

extern template class Recurrence<float, FusedProducts<float>>;
extern template class Recurrence<double, FusedProducts<double>>;
extern template class Recurrence<float, PanelProducts<float>>;
extern template class Recurrence<double, PanelProducts<double>>;

}  // namespace pushdown
