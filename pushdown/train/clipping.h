#pragma once

#include <span>
#include <vector>

#include "pushdown/train/objective.h"
#include "pushdown/worker_pool.h"

namespace pushdown {

double Norm(std::span<const float> vector);
// The norm of the elements in the ranges. The ranges are cut into blocks whose sums are added in
// order, so that the result does not depend on the number of threads.
double Norm(std::span<const float> vector, std::span<const ParameterRange> ranges,
            WorkerPool& pool);

// The factor that makes the norm of a gradient at most `threshold`, as PyTorch's clip_grad_norm_
// computes it: threshold / (norm + 1e-6), but at most 1.
double ClippingFactor(double threshold, double norm);
// Multiplies a gradient by its clipping factor. Returns the norm before clipping.
double ClipGradient(double threshold, std::span<float> gradient);

// The ranges cut into blocks, which are small enough to be spread over threads, and large enough to
// be worth it (unless a range itself is smaller).
std::vector<ParameterRange> BlocksOf(std::span<const ParameterRange> ranges);

}  // namespace pushdown
