#pragma once

#include <span>
#include <vector>

#include "pushdown/train/objective.h"
#include "pushdown/worker_pool.h"

namespace pushdown {

double Norm(std::span<const float> vector);
// Of the ranges only. They are cut into blocks whose sums are added in order, so that the result
// does not depend on the number of threads.
double Norm(std::span<const float> vector, std::span<const ParameterRange> ranges,
            WorkerPool& pool);

// By what a gradient is multiplied so that its norm is at most `threshold`, as PyTorch's
// clip_grad_norm_ has it: threshold / (norm + 1e-6), or 1 if that is more.
double ClippingFactor(double threshold, double norm);
// Multiplies a gradient by it. Returns the norm before.
double ClipGradient(double threshold, std::span<float> gradient);

// The ranges in pieces that are short enough to be spread over threads, and long enough to be worth
// it unless a range is shorter.
std::vector<ParameterRange> BlocksOf(std::span<const ParameterRange> ranges);

}  // namespace pushdown
