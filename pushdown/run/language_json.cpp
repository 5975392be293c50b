#include "pushdown/run/language_json.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "pushdown/data/data_directory.h"
#include "pushdown/error.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/printable.h"
#include "pushdown/run/parsed_file.h"

namespace pushdown {
namespace {

constexpr std::uint64_t kMaxSymbols = std::numeric_limits<int>::max();
constexpr double kMaxTaskBytes = 64e6;

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ReadLanguageJson", "the language: " + message);
}

LengthRange ReadRange(const nlohmann::json& splits, const char* split) {
  const auto range = splits.at(split).at("lengths").get<std::array<double, 2>>();
  const bool good = 0 <= range[0] && range[0] <= range[1] && range[1] <= Language::kMaxLength;
  if (!good) {
    throw Error("pushdown::ReadTaskFile",
                fmt::format("splits.{}.lengths is not a range of lengths", split));
  }
  return {static_cast<int>(range[0]), static_cast<int>(range[1])};
}

}  // namespace

Json LanguageJson(const ChosenLanguage& chosen) {
  if (chosen.info == nullptr) {
    return {{"language", "grammar"}, {"grammar", SerializeGrammar(*chosen.grammar)}};
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
        Refuse("symbols is not a number of symbols");
      }
      options.symbols = symbols.get<int>();
    }
    if (value.contains("parameters")) {
      options.parameters = value["parameters"].get<std::map<std::string, double>>();
    }
    return ChooseTask(name, options);
  } catch (const nlohmann::json::exception& error) {
    Refuse(Printable(error.what(), 200));
  } catch (const Error& error) {
    // Its own refusals are complete.
    if (error.function() == "pushdown::ReadLanguageJson") throw;
    Refuse(error.message());
  }
}

void ReadTaskFile(const std::string& directory, std::optional<ChosenLanguage>& language,
                  FormalDatasetOptions& dataset) {
  const std::filesystem::path path = std::filesystem::path(directory) / kTaskFile;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  ParseFile(path.string(), kMaxTaskBytes, [&](const std::string& text) {
    const nlohmann::json task = ReadJson(text);
    language = ReadLanguageJson(task);
    dataset.lengths = ReadRange(task.at("splits"), "validation");
    dataset.test_lengths = ReadRange(task.at("splits"), "test");
  });
}

}  // namespace pushdown
