#pragma once

#include <span>
#include <vector>

#include "pushdown/analysis/inspection.h"
#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

// What superposition stacks take in a step.
struct SuperpositionStep {
  std::span<const double> actions;  // [stacks][push, no-op, pop]
  std::span<const double> vector;   // [reading_size]
};

// What superposition stacks contain after each step, which SuperpositionStack does not say: it
// gives the readings alone. Of each stack, the first `depths` elements.
std::vector<InspectedSuperposition> SuperpositionContents(const SuperpositionStackSpec& spec,
                                                          std::span<const SuperpositionStep> steps,
                                                          int depths);

}  // namespace pushdown
