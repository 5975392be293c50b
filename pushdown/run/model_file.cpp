#include "pushdown/run/model_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "pushdown/data/text_corpus.h"
#include "pushdown/error.h"
#include "pushdown/fingerprint.h"
#include "pushdown/formal/language.h"
#include "pushdown/printable.h"
#include "pushdown/run/language_json.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/train/checkpoint.h"

namespace pushdown {
namespace {

constexpr const char* kKind = "kind";
constexpr const char* kOrigin = "origin";
constexpr const char* kVocabulary = "vocabulary";
constexpr const char* kLanguage = "language";
constexpr const char* kLongest = "longest_training_length";

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ParseModelFile", message);
}

SymbolTable TableOf(const std::vector<std::string>& names, DataKind kind) {
  SymbolTable table;
  for (const std::string& name : names) {
    const int size = table.size();
    if (table.Add(name) != size) Refuse("the vocabulary has " + Quoted(name) + " twice");
  }
  if (kind == DataKind::kStrings) return table;
  if (!table.Find(kEndOfSentence)) Refuse(fmt::format("the vocabulary has no {}", kEndOfSentence));
  for (const std::string& word : names) {
    if (const char* fault = WordFault(word)) {
      Refuse(fmt::format("the word {} of the vocabulary {}", Quoted(word), fault));
    }
  }
  return table;
}

// What the description of a file that is complete says, without the parameters.
TrainedModel ReadDescription(const nlohmann::json& description) {
  TrainedModel model;
  const auto kind = description.at(kKind).get<std::string>();
  if (kind != KindName(DataKind::kStrings) && kind != KindName(DataKind::kText)) {
    Refuse("kind: " + Quoted(kind) + " is not one of this version");
  }
  model.kind = kind == KindName(DataKind::kText) ? DataKind::kText : DataKind::kStrings;
  model.vocabulary =
      TableOf(description.at(kVocabulary).get<std::vector<std::string>>(), model.kind);
  nlohmann::json origin = description.at(kOrigin);
  origin.erase(kVocabulary);
  model.spec = ReadModelJson(origin, model.kind);
  model.spec.symbols = model.vocabulary.size();
  Validate(model.spec);
  if (description.contains(kLanguage) && !description[kLanguage].is_null()) {
    model.language = ReadLanguageJson(description[kLanguage]);
  }
  if (description.contains(kLongest) && !description[kLongest].is_null()) {
    const auto longest = description[kLongest].get<double>();
    if (!(longest >= 0 && longest <= Language::kMaxLength)) {
      Refuse(fmt::format("{}: is not a length", kLongest));
    }
    model.longest_training_length = static_cast<int>(longest);
  }
  return model;
}

bool IsComplete(const Json& description) {
  return description.is_object() && description.contains(kVocabulary);
}

// Of a file of an earlier version, from the configuration of its run.
TrainedModel DescribedBy(const RunConfig& config) {
  TrainedModel model;
  model.kind = config.settings.kind;
  model.vocabulary = TableOf(config.vocabulary, model.kind);
  model.spec = config.settings.model;
  model.spec.symbols = model.vocabulary.size();
  Validate(model.spec);
  model.language = config.settings.language;
  const bool sampled = config.settings.kind == DataKind::kStrings && config.settings.data.empty();
  if (sampled) model.longest_training_length = config.settings.dataset.lengths.max;
  return model;
}

}  // namespace

double MaxFileBytes(const ParameterLayout& layout, int arenas) {
  constexpr double kHeader = 64e6;
  return kHeader + static_cast<double>(layout.size) * sizeof(float) * arenas;
}

Json CanonicalOrigin(const Json& origin, DataKind kind) {
  if (!origin.is_object()) return origin;
  Json model = origin;
  model.erase(kVocabulary);
  RunSettings settings = DefaultSettings(kind);
  settings.model = ReadModelJson(nlohmann::json::parse(model.dump()), kind);
  Json canonical = ModelJson(settings);
  canonical[kVocabulary] = origin.value(kVocabulary, Json());
  return canonical;
}

Json OriginJson(const ModelSpec& spec, const std::vector<std::string>& vocabulary) {
  RunSettings settings = DefaultSettings(spec.is_text() ? DataKind::kText : DataKind::kStrings);
  settings.model = spec;
  Json origin = ModelJson(settings);
  Fingerprint fingerprint;
  for (const std::string& name : vocabulary) {
    fingerprint.Add(name.size());
    fingerprint.Add(name);
  }
  origin[kVocabulary] = fingerprint.Text();
  return origin;
}

std::string RunIdentity(const RunConfig& config) {
  const Json settings = SettingsJson(config.settings);
  Fingerprint identity;
  for (const char* key : {"parameter-seed", "shuffle-seed", "learning-rate", "clipping"}) {
    if (settings.contains(key)) identity.Add(settings[key].dump());
  }
  identity.Add(config.fingerprint);
  return identity.Text();
}

std::string SerializeModel(const TrainedModel& model, const std::optional<ModelOrigin>& origin) {
  const ModelSpec& spec = model.spec;
  Json description = {{kKind, KindName(model.kind)},
                      {"model", ModelName(spec)},
                      {"hidden_units", spec.hidden_units},
                      {"symbols", spec.symbols}};
  if (spec.is_text()) description["embedding_size"] = spec.embedding_size;
  description[kOrigin] = OriginJson(spec, model.vocabulary.names());
  description[kVocabulary] = model.vocabulary.names();
  description[kLanguage] = model.language ? LanguageJson(*model.language) : Json();
  description[kLongest] = nullptr;
  if (model.longest_training_length > 0) description[kLongest] = model.longest_training_length;
  if (origin) {
    description["run"] = origin->run;
    description["epoch"] = origin->epoch;
    description["validation_cross_entropy"] = origin->validation_cross_entropy;
    // What restarts are chosen by.
    description["difference"] = origin->difference ? Json(*origin->difference) : Json();
  }
  return SerializeParameters(ParameterLayout(spec), model.parameters,
                             description.dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool DescribesItself(std::string_view bytes) {
  return IsComplete(Json::parse(ParametersDescription(bytes), nullptr, false));
}

ModelFile ParseModelFile(std::string_view bytes, const RunConfig* config) {
  ModelFile file;
  const std::string text = ParametersDescription(bytes);
  file.description = Json::parse(text, nullptr, false);
  const bool complete = IsComplete(file.description);
  if (!complete && config == nullptr) {
    Refuse(
        "is of an earlier version, which kept the vocabulary in config.json; name the directory "
        "of its run instead");
  }
  try {
    file.model = complete ? ReadDescription(ReadJson(text)) : DescribedBy(*config);
    if (file.description.is_object() && file.description.contains(kOrigin)) {
      file.description[kOrigin] = CanonicalOrigin(file.description[kOrigin], file.model.kind);
    }
  } catch (const nlohmann::json::exception& error) {
    Refuse("the description: " + Printable(error.what(), 200));
  }
  file.model.parameters = ParseParameters(bytes, ParameterLayout(file.model.spec));
  return file;
}

}  // namespace pushdown
