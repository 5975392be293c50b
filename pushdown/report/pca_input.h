#pragma once

#include "pushdown/json.h"

namespace pushdown {

// Whether an object is one that `pushdown analyze pca --json` prints.
bool IsPca(const nlohmann::json& object);

// The same object with the fields that docs/inside.md lists and shorter numbers. Throws Error,
// naming the field, if it is not such an object.
Json ReadPca(const nlohmann::json& object);

}  // namespace pushdown
