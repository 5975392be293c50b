#pragma once

#include <span>

#include "pushdown/train/objective.h"
#include "pushdown/worker_pool.h"

namespace pushdown {

// A step of stochastic gradient descent: parameters -= scale * gradient in these ranges, where the
// scale is the learning rate times the clipping factor. Parameters outside the ranges are not
// touched, which makes a step fast if most rows of an embedding have no gradient.
void SgdStep(double scale, std::span<const float> gradient, std::span<const ParameterRange> ranges,
             std::span<float> parameters, WorkerPool& pool);

}  // namespace pushdown
