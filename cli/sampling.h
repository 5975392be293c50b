#pragma once

#include <span>

#include "pushdown/random.h"

namespace pushdown::cli {

// The number of a next symbol. At temperature zero, the most probable one.
int Choose(std::span<const float> log_probabilities, double temperature, Random& random);

}  // namespace pushdown::cli
