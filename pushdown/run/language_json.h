#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "pushdown/data/formal_dataset.h"
#include "pushdown/json.h"
#include "pushdown/run/language_choice.h"

namespace pushdown {

// A language in the form that task.json and config.json have: {"language": name, "symbols": N,
// "parameters":
// {...}}, or {"language": "grammar", "grammar": text}.
Json LanguageJson(const ChosenLanguage& chosen);

// Reads a language in this form; other fields are ignored. Throws Error.
ChosenLanguage ReadLanguageJson(const nlohmann::json& value);

// Reads the language and the lengths of the strings in a data directory from its task.json, if
// there is one. Throws Error.
void ReadTaskFile(const std::string& directory, std::optional<ChosenLanguage>& language,
                  FormalDatasetOptions& dataset);

}  // namespace pushdown
