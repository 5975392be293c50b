#pragma once

#include "pushdown/json.h"

namespace pushdown {

// Whether an object is one that `pushdown inspect --json` prints.
bool IsInspection(const nlohmann::json& object);

// The same object with the fields that docs/inside.md lists and shorter numbers. Throws Error,
// naming the field, if it is not such an object: the page relies on the sizes of tables, the ranges
// of indices, and on runs that are possible.
Json ReadInspection(const nlohmann::json& object);

}  // namespace pushdown
