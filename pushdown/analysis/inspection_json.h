#pragma once

#include "pushdown/analysis/inspection.h"
#include "pushdown/json.h"

namespace pushdown {

// The JSON of `pushdown inspect --json`, which docs/inside.md describes. This header is not
// installed, because the JSON library is part of its interface.

struct InspectionJsonOptions {
  // Marginal transitions with a smaller probability are left out.
  double min_probability = 1e-3;
};
Json InspectionJson(const Inspection& inspection, const InspectionJsonOptions& options = {});

}  // namespace pushdown
