#include "pushdown/run/recognizer_directory.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/fingerprint.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/input_file.h"
#include "pushdown/json.h"
#include "pushdown/output_directory.h"
#include "pushdown/printable.h"
#include "pushdown/recognizer/recognizer_file.h"
#include "pushdown/run/parsed_file.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/version.h"

namespace pushdown {
namespace {

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ReadRecognizer", message);
}

// Identifies the automaton. It is kept with the parameters, which mean nothing without the
// automaton, so that an edited config.json is noticed.
std::string Description(const std::string& automaton) {
  Fingerprint fingerprint;
  fingerprint.Add(automaton);
  return Json({{"automaton", fingerprint.Text()}}).dump();
}

}  // namespace

void WriteRecognizer(const std::string& path, const CompiledRecognizer& recognizer) {
  const std::string automaton = SerializeAutomaton(recognizer.automaton);
  const ModelSpec& spec = recognizer.network.spec;
  const Json config = {
      {"format", kConfigFormat},
      {"pushdown", kVersion},
      {"kind", kRecognizerKind},
      {"settings", {{"model", ModelName(spec)}, {"hidden-units", spec.hidden_units}}},
      {"vocabulary", recognizer.automaton.inputs.names()},
      {"sources", recognizer.sources},
      {"automaton", automaton}};
  const NamedText files[] = {
      {kModelFile, SerializeRecognizer(recognizer.network, Description(automaton))},
      {kConfigFile, IndentedJson(config)}};
  WriteDirectory(path, files);
}

bool HoldsRecognizer(const std::string& path) {
  if (!HoldsRun(path)) return false;
  return ParseFile(PathIn(path, kConfigFile), kMaxConfigBytes, [](const std::string& text) {
    const nlohmann::json config = ReadJson(text);
    return config.is_object() && config.value("kind", "") == kRecognizerKind;
  });
}

CompiledRecognizer ReadRecognizer(const std::string& path) {
  if (path.empty()) Refuse("the name of the recognizer's directory is empty");
  if (!HoldsRun(path)) {
    const std::string fault = DirectoryFault(path);
    if (!fault.empty()) Refuse(Printable(path, 200) + ": " + fault);
    Refuse(fmt::format("{} holds no recognizer: there is no {} in it", Printable(path, 200),
                       kConfigFile));
  }
  CompiledRecognizer recognizer;
  std::string automaton;
  ParseFile(PathIn(path, kConfigFile), kMaxConfigBytes, [&](const std::string& text) {
    const nlohmann::json config = ReadJson(text);
    if (config.value("kind", "") != kRecognizerKind) {
      Refuse("is of a training, not of a recognizer that `pushdown compile` made");
    }
    if (config.at("format") != kConfigFormat) {
      Refuse("is of another version of this program");
    }
    automaton = config.at("automaton").get<std::string>();
    recognizer.sources = config.at("sources").get<std::vector<std::string>>();
    recognizer.automaton = ParseAutomaton(automaton, "automaton");
    return 0;
  });
  const double max_bytes = MaxRecognizerFileBytes(recognizer.automaton);
  recognizer.network = ParseFile(PathIn(path, kModelFile), max_bytes, [&](const std::string& text) {
    std::string description;
    RecognizerNetwork network = ReadRecognizerFile(text, recognizer.automaton, &description);
    if (description != Description(automaton)) {
      Refuse(fmt::format("is not of the automaton of {}, which was changed", kConfigFile));
    }
    return network;
  });
  return recognizer;
}

}  // namespace pushdown
