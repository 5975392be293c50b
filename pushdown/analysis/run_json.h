#pragma once

#include <span>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/json.h"

namespace pushdown {

// Not installed: it has the JSON library in its interface.

// ["push", state, symbol], ["replace", state, symbol] or ["pop", state]
Json TransitionJson(const RunTransition& transition);
// {"log_weight": natural log, "probability": share of all runs, "state": the last,
//  "stack": [symbols, bottom first], "transitions": [one a step]}
Json RunJson(const AutomatonRun& run);
Json RunsJson(std::span<const AutomatonRun> runs);

}  // namespace pushdown
