#pragma once

#include <string>
#include <string_view>

#include "pushdown/train/trainer.h"

namespace pushdown {

// All of a TrainingState except the arrays that have the size of the parameters, in JSON. Numbers
// are written so that they are read back exactly. Throws Error if one is out of range.
std::string SerializeState(const TrainingState& state);

// Reads such a text, which is untrusted; the arrays are left empty. Throws Error, naming the field,
// if a field is missing, unknown or out of range.
TrainingState ParseState(std::string_view text);

}  // namespace pushdown
