#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cli/json_output.h"
#include "cli/language_options.h"

namespace pushdown::cli {

// A language as task.json and config.json have it: {"language": name, "symbols": N, "parameters":
// {...}}, or {"language": "grammar", "grammar": text}.
Json LanguageJson(const ChosenLanguage& chosen);

// The same back; other fields are ignored. Throws UsageError.
ChosenLanguage ReadLanguageJson(const nlohmann::json& value);

}  // namespace pushdown::cli
