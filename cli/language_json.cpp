#include "cli/language_json.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "cli/errors.h"
#include "pushdown/formal/grammar_text.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr std::uint64_t kMaxSymbols = std::numeric_limits<int>::max();

}  // namespace

Json LanguageJson(const ChosenLanguage& chosen) {
  if (chosen.info == nullptr) {
    return {{"language", "grammar"}, {"grammar", GrammarText(*chosen.grammar)}};
  }
  Json value = {{"language", chosen.info->name}};
  if (chosen.options.symbols > 0) value["symbols"] = chosen.options.symbols;
  value["parameters"] = chosen.options.parameters;
  return value;
}

ChosenLanguage ReadLanguageJson(const nlohmann::json& value) {
  try {
    const auto name = value.at("language").get<std::string>();
    if (name == "grammar") {
      ChosenLanguage chosen;
      chosen.grammar =
          ParseGrammar(value.at("grammar").get<std::string>(), "the grammar in it").grammar;
      return chosen;
    }
    LanguageOptions options;
    if (value.contains("symbols")) {
      const nlohmann::json& symbols = value["symbols"];
      if (!symbols.is_number_unsigned() || symbols.get<std::uint64_t>() > kMaxSymbols) {
        throw UsageError("the language: symbols is not a number of symbols");
      }
      options.symbols = symbols.get<int>();
    }
    if (value.contains("parameters")) {
      options.parameters = value["parameters"].get<std::map<std::string, double>>();
    }
    return ChooseTask(name, options);
  } catch (const nlohmann::json::exception& error) {
    throw UsageError("the language: " + Printable(error.what(), 200));
  } catch (const Error& error) {
    throw UsageError("the language: " + MessageForUser(error));
  }
}

}  // namespace pushdown::cli
