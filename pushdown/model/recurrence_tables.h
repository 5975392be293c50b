#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "pushdown/kernels/rows.h"
#include "pushdown/model/driven_stack.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"
#include "pushdown/model/ranges.h"
#include "pushdown/model/workspace.h"

namespace pushdown {

struct RecurrenceSize {
  int rows;
  int steps;
  int stack_steps;  // that a stack takes before it is started anew or carried on
  bool gradients;
};

// What the steps of a recurrence leave behind, and the derivatives by it. Tokens are numbered
// step * rows + row. A place is where a token finds what the one before it in its row has left:
// that of token n is n, and it leaves something at n + rows.
//
// Strides are whole vectors, and h_t begins with one. With many rows, they include what kernels
// read beyond the end of a row, since the next row may be one that another thread is writing. One
// row does without, to stay in the cache.
template <typename T>
class RecurrenceTables {
 public:
  RecurrenceTables(const ModelSpec& model_spec, const RecurrenceSize& max_size, bool many_rows)
      : spec(model_spec),
        layout(spec),
        size(max_size),
        units(spec.hidden_units),
        reading_size(spec.reading_size()),
        actions_size(StackLayerOutputs(layout)),
        bottom_size(spec.nondeterministic() != nullptr ? spec.nondeterministic()->vector_size : 0),
        reading_stride(RoundUpToVectors<T>(reading_size)),
        state_stride(reading_stride + RoundUpToVectors<T>(units + 1)),
        cell_stride(RoundUpToVectors<T>(units)),
        // Whole vectors are loaded from where the output gates begin, which come last.
        gate_stride(
            RoundUpToVectors<T>(many_rows ? 3 * units + RoundUpToVectors<T>(units) : 4 * units)),
        // Whole vectors are loaded from where the pushed vectors begin, which may be anywhere.
        action_stride(many_rows && actions_size > 0 ? RowStride<T>(actions_size)
                                                    : RoundUpToVectors<T>(actions_size)) {}

  void Place(Workspace<T>& workspace) {
    const std::int64_t tokens = std::int64_t{size.rows} * size.steps;
    const std::int64_t places = tokens + size.rows;
    states_ = workspace.Table(places, state_stride);
    cells_ = workspace.Table(places, cell_stride);
    tanh_cells_ = workspace.Table(tokens, cell_stride);
    gates_ = workspace.Table(tokens, gate_stride);
    actions_ = workspace.Table(tokens, action_stride);
    if (!size.gradients) return;
    state_gradients_ = workspace.Table(places, state_stride);
    cell_gradients_ = workspace.Table(size.rows, cell_stride);
    gate_gradients_ = workspace.Table(tokens, gate_stride);
    action_gradients_ = workspace.Table(tokens, action_stride);
    bottom_gradients_ = workspace.Table(size.rows, bottom_size);
  }

  void ClearStateGradients(Range places) const {
    std::fill_n(state_gradients_ + places.begin * state_stride, places.size() * state_stride, T{0});
  }
  // Only those by the readings.
  void ClearReadingGradients(Range places) const {
    for (int n = places.begin; n < places.end; ++n) {
      std::fill_n(state_gradient(n), reading_size, T{0});
    }
  }

  // [r; h; 1] and h of a place, and the derivatives by them.
  T* hidden(int place) const { return states_ + reading_stride + place * state_stride; }
  T* state(int place) const { return hidden(place) - reading_size; }
  T* hidden_gradient(int place) const {
    return state_gradients_ + reading_stride + place * state_stride;
  }
  T* state_gradient(int place) const { return hidden_gradient(place) - reading_size; }
  T* cell(int place) const { return cells_ + place * cell_stride; }  // [H]
  // Of a token.
  T* tanh_cell(int token) const { return tanh_cells_ + token * cell_stride; }  // [H]
  T* gates(int token) const { return gates_ + token * gate_stride; }           // [4H]: i, f, g, o
  T* actions(int token) const { return actions_ + token * action_stride; }  // what the stack took
  // By what there was before the activations.
  T* gate_gradient(int token) const { return gate_gradients_ + token * gate_stride; }
  T* action_gradient(int token) const { return action_gradients_ + token * action_stride; }
  // Of a row.
  T* cell_gradient(int row) const { return cell_gradients_ + row * cell_stride; }
  T* bottom_gradient(int row) const {
    return bottom_gradients_ + std::ptrdiff_t{row} * bottom_size;
  }

  ModelSpec spec;
  ParameterLayout layout;
  RecurrenceSize size;  // what there is room for
  int rows = 1;         // that there are now
  int units;
  int reading_size;
  int actions_size;  // outputs of ParameterLayout::stack
  int bottom_size;   // of the bottom vector
  std::ptrdiff_t reading_stride;
  std::ptrdiff_t state_stride;
  std::ptrdiff_t cell_stride;
  std::ptrdiff_t gate_stride;
  std::ptrdiff_t action_stride;

 private:
  T* states_ = nullptr;
  T* cells_ = nullptr;
  T* tanh_cells_ = nullptr;
  T* gates_ = nullptr;
  T* actions_ = nullptr;
  T* state_gradients_ = nullptr;
  T* cell_gradients_ = nullptr;
  T* gate_gradients_ = nullptr;
  T* action_gradients_ = nullptr;
  T* bottom_gradients_ = nullptr;
};

}  // namespace pushdown
