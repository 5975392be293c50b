#pragma once

#include "pushdown/kernels/affine.h"

namespace pushdown {

// One step of an LSTM. Gates are i, f, g, o of `units` each, the state ends with the 1 that the
// bias is multiplied with. Rows are padded to whole vectors, that is to a multiple of 64 bytes, and
// what is in their padding means nothing. Gates are read in whole vectors from 3 units on, which
// may be further; no other thread may write there. NaN goes in and out.
template <typename T>
void LstmForward(int units, const AffineMatrix<T>& weights,  // [state, 4 units]
                 const T* state,                             // [state]
                 const T* initial,       // [4 units]: to be added to the product
                 const T* earlier_cell,  // [units]
                 T* gates,               // [4 units]: after their activations
                 T* cell,                // [units]
                 T* tanh_cell,           // [units]
                 T* hidden);             // [units], followed by ones to the end of its last vector
// Gate gradients are those before the activations, padded with zeros. The cell's gradient is that
// by `cell` from later steps on entry, and that by `earlier_cell` on return. Adds to the state's
// gradient, except to that of its last element.
template <typename T>
void LstmBackward(int units, const AffineMatrix<T>& weights, const T* gates, const T* earlier_cell,
                  const T* tanh_cell,
                  const T* hidden_gradient,  // [units]
                  T* cell_gradient,          // [units]
                  T* gate_gradient,          // [4 units]
                  T* state_gradient);        // [state]

// The same without the products: gates come in before their activations, and what the state's
// gradient receives is left to the caller.
template <typename T>
void LstmActivations(int units, const T* earlier_cell, T* gates, T* cell, T* tanh_cell, T* hidden);
template <typename T>
void LstmActivationsBackward(int units, const T* gates, const T* earlier_cell, const T* tanh_cell,
                             const T* hidden_gradient, T* cell_gradient, T* gate_gradient);

}  // namespace pushdown
