#include "pushdown/model/recurrence.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "pushdown/error.h"
#include "pushdown/interruption.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/simd.h"

namespace pushdown {

template <typename T, typename Products>
Recurrence<T, Products>::Recurrence(const ModelSpec& spec, const RecurrenceSize& size)
    : tables_(spec, size, Products::kManyRows) {
  InitializeSimdTarget();
  InitializeBlas();
  stacks_.reserve(static_cast<std::size_t>(size.rows));
  for (int row = 0; row < size.rows; ++row) {
    stacks_.emplace_back(spec, size.stack_steps, size.gradients);
  }
  buffer_ =
      MakeTables<T>([this](Workspace<T>& workspace) { Place(tables_, products_, workspace); });
  const int places = size.rows * size.steps + size.rows;
  for (int place = 0; place < places; ++place) tables_.hidden(place)[tables_.units] = 1;
}

template <typename T, typename Products>
void Recurrence<T, Products>::Place(RecurrenceTables<T>& tables, Products& products,
                                    Workspace<T>& workspace) {
  tables.Place(workspace);
  products.Place(tables, workspace);
}

template <typename T, typename Products>
double Recurrence<T, Products>::WorkspaceBytes(const ModelSpec& spec, const RecurrenceSize& size) {
  RecurrenceTables<T> tables(spec, size, Products::kManyRows);
  Products products;
  return CountBytes<T>([&](Workspace<T>& workspace) { Place(tables, products, workspace); }) +
         size.rows * DrivenStack<T>::WorkspaceBytes(spec, size.stack_steps, size.gradients);
}

template <typename T, typename Products>
double Recurrence<T, Products>::WideBytes(const ModelSpec& spec, const RecurrenceSize& size) {
  return size.rows * DrivenStack<T>::WideBytes(spec, size.stack_steps, size.gradients);
}

template <typename T, typename Products>
void Recurrence<T, Products>::Start(const T* parameters, int rows) {
  tables_.rows = rows;
  for (int row = 0; row < rows; ++row) {
    std::fill_n(tables_.hidden(row), tables_.units, T{0});
    std::fill_n(tables_.cell(row), tables_.units, T{0});
    stack(row).Start(parameters + tables_.layout.bottom_vector, tables_.state(row));
  }
}

template <typename T, typename Products>
Range Recurrence<T, Products>::TokensOf(int tokens, int step, Range rows) const {
  if constexpr (!Products::kManyRows) return {step, step + 1};
  const int first = step * tables_.rows;
  return {first + rows.begin, std::max(first + rows.begin, std::min(first + rows.end, tokens))};
}

// --- The stacks of some rows in a step. They take actions that are made from its hidden states.

template <typename T, typename Products>
void Recurrence<T, Products>::StepStacks(Range tokens) {
  products_.StepActions(tables_, tokens);
  ForTokens(tokens, [this](int n, int row, int after) {
    T* hidden = tables_.hidden(after);
    try {
      stack(row).Step(tables_.actions(n), hidden, hidden - tables_.reading_size);
    } catch (const Error& error) {
      if constexpr (!Products::kManyRows) throw;
      throw Error(error.kind(), error.function(),
                  "row " + std::to_string(row + 1) + ": " + error.message());
    }
  });
}

// From the derivatives by the readings, adds to those by the hidden states.
template <typename T, typename Products>
void Recurrence<T, Products>::BackwardStacks(Range tokens) {
  ForTokens(tokens, [this](int n, int row, int after) {
    T* hidden_gradient = tables_.hidden_gradient(after);
    stack(row).BackwardStep(tables_.actions(n), hidden_gradient - tables_.reading_size,
                            tables_.action_gradient(n), hidden_gradient);
  });
  products_.BackwardActions(tables_, tokens);
}

// --- Through time.

template <typename T, typename Products>
void Recurrence<T, Products>::Forward(Range rows, int tokens) {
  const int steps = StepsOf(tokens);
  for (int step = 0; step < steps; ++step) {
    CheckInterruption();
    const Range now = TokensOf(tokens, step, rows);
    StepLstm(now);
    if (has_stack() && step + 1 < steps) StepStacks(now);
  }
}

template <typename T, typename Products>
void Recurrence<T, Products>::Backward(Range rows, int tokens, bool began) {
  // The bottom vector is in the reading before the first step.
  const bool to_bottom = began && tables_.bottom_size > 0;
  const int steps = StepsOf(tokens);
  std::fill_n(tables_.cell_gradient(rows.begin), rows.size() * tables_.cell_stride, T{0});
  for (int step = steps - 1; step >= 0; --step) {
    const Range now = TokensOf(tokens, step, rows);
    if (has_stack() && step + 1 < steps) BackwardStacks(now);
    products_.BackwardLstm(tables_, now,
                           step > 0    ? StateGradient::kAdd
                           : to_bottom ? StateGradient::kSet
                                       : StateGradient::kNone);
  }
  for (int row = rows.begin; to_bottom && row < rows.end; ++row) {
    std::fill_n(tables_.bottom_gradient(row), tables_.bottom_size, T{0});
    stack(row).BackwardStart(tables_.state_gradient(row), tables_.bottom_gradient(row));
  }
}

template <typename T, typename Products>
void Recurrence<T, Products>::AddBottomGradients(T* gradient) const {
  T* bottom = gradient + tables_.layout.bottom_vector;
  for (int row = 0; row < tables_.rows; ++row) {
    for (int n = 0; n < tables_.bottom_size; ++n) bottom[n] += tables_.bottom_gradient(row)[n];
  }
}

template <typename T, typename Products>
void Recurrence<T, Products>::Carry(Range rows, int tokens) {
  const Range last = TokensOf(tokens, StepsOf(tokens) - 1, rows);
  if (has_stack()) StepStacks(last);
  const int after = last.begin + tables_.rows;
  std::copy_n(tables_.state(after), rows.size() * tables_.state_stride, tables_.state(rows.begin));
  std::copy_n(tables_.cell(after), rows.size() * tables_.cell_stride, tables_.cell(rows.begin));
  for (int row = rows.begin; row < rows.end; ++row) stack(row).Carry();
}

template <typename T, typename Products>
std::span<const T> Recurrence<T, Products>::hidden(int place) const {
  return {tables_.hidden(place), static_cast<std::size_t>(tables_.units)};
}

template <typename T, typename Products>
std::span<const T> Recurrence<T, Products>::reading(int place) const {
  return {tables_.state(place), static_cast<std::size_t>(tables_.reading_size)};
}

template <typename T, typename Products>
std::span<const T> Recurrence<T, Products>::actions(int token) const {
  return {tables_.actions(token), static_cast<std::size_t>(tables_.actions_size)};
}

template class Recurrence<float, FusedProducts<float>>;
template class Recurrence<double, FusedProducts<double>>;
template class Recurrence<float, PanelProducts<float>>;
template class Recurrence<double, PanelProducts<double>>;

}  // namespace pushdown
