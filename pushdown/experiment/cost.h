#pragma once

#include <functional>
#include <vector>

#include "pushdown/run/settings.h"

namespace pushdown {

struct ExperimentPlan;

// Roughly the seconds that a run takes on one core, if it uses all its epochs. It depends on the
// settings only, so that the order of runs is the same everywhere.
double ApproximateRunSeconds(const RunSettings& settings);

// The seconds of an epoch of each cell on this machine, measured on a few training steps of each
// with this many threads.
std::vector<double> MeasureEpochSeconds(const ExperimentPlan& plan, int threads,
                                        const std::function<void(double)>& progress = {});

}  // namespace pushdown
