#pragma once

#include "pushdown/kernels/affine.h"

namespace pushdown {

// The steps of the networks that are not linear. NaN goes in and out: a network that has lost its
// mind must not look healthy. Arrays may be read, not written, for a vector's width (64 bytes)
// beyond their ends, and no other thread may write there.

template <typename T>
void SigmoidInPlace(T* values, int size);

// The sum of -log p of the targets over steps, where p is the softmax of a step's logits; NaN if
// any logit is infinite or NaN. Leaves the probabilities where the logits were, if they are wanted.
template <typename T>
double SoftmaxCrossEntropy(int steps, int size, T* logits,  // [steps, size]
                           const int* targets,              // [steps]
                           bool probabilities);

// The same of one step, for many outputs: leaves weights that are proportional to the
// probabilities, and their sum.
template <typename T>
double SoftmaxExponentials(int size, T* logits, int target, T& sum);

// What superposition stacks take: of the values, each three become probabilities, and what follows
// sigmoids.
template <typename T>
void SuperpositionActivations(int stacks, int vector_size, T* actions);
// The same of a product.
template <typename T>
void SuperpositionActions(const AffineMatrix<T>& weights, const T* in, int stacks, int vector_size,
                          T* actions);  // [stride]

}  // namespace pushdown
