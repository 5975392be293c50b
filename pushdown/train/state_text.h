#pragma once

#include <string>
#include <string_view>

#include "pushdown/train/trainer.h"

namespace pushdown {

// What a TrainingState has beside the arrays of the parameters' size, in JSON; numbers survive
// exactly. Throws Error if one is out of range.
std::string StateText(const TrainingState& state);

// Reads the same, from a text that nobody vouches for; the arrays are left empty. Throws Error,
// naming the field, if one is missing, unknown or out of range.
TrainingState ParseState(std::string_view text);

}  // namespace pushdown
