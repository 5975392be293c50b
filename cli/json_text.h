#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace pushdown::cli {

// Reads one JSON text that nobody vouches for. Throws UsageError, naming the field where the text
// breaks off or is not JSON; for a number that a double cannot hold, for a field given twice, and
// for arrays and objects nested deeper than any input of this program.
nlohmann::json ReadJson(std::string_view text);

}  // namespace pushdown::cli
