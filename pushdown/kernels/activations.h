#pragma once

namespace pushdown {

// Elementwise and softmax functions of the networks. NaN goes in and out: a network that has lost
// its mind must not look healthy. Arrays may be read, not written, for a vector's width (64 bytes)
// beyond their ends.

template <typename T>
void SigmoidInPlace(T* values, int size);

// One step of an LSTM without its matrix products. Gates are i, f, g, o of `units` each: before
// their activations on entry, after them on return.
template <typename T>
void LstmForward(int units, T* gates,    // [4 units]
                 const T* earlier_cell,  // [units]
                 T* cell,                // [units]
                 T* tanh_cell,           // [units]
                 T* hidden);             // [units]
// Gate gradients are those before the activations. The cell's gradient is that by `cell` from
// later steps on entry, and that by `earlier_cell` on return.
template <typename T>
void LstmBackward(int units, const T* gates, const T* earlier_cell, const T* tanh_cell,
                  const T* hidden_gradient,  // [units]
                  T* cell_gradient,          // [units]
                  T* gate_gradient);         // [4 units]

// Makes probabilities of logits, in place. Returns -log of the target's; NaN if any logit is
// infinite or NaN.
template <typename T>
double SoftmaxCrossEntropy(T* logits, int size, int target);

}  // namespace pushdown
