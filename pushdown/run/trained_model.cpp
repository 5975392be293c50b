#include "pushdown/run/trained_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <utility>

#include "pushdown/data/text_corpus.h"
#include "pushdown/data/token_format.h"
#include "pushdown/data/token_lines.h"
#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/memory.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/model/text_model.h"
#include "pushdown/nearest.h"
#include "pushdown/printable.h"
#include "pushdown/run/model_file.h"
#include "pushdown/run/parsed_file.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/train/parallel_model.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::OpenModel", message);
}

// Of the best epoch, from the description in the model's file or, of earlier versions, from the
// metrics.
double ScoreOf(const Json& description, const std::string& directory) {
  const auto number = [&description](const char* key) {
    const bool found =
        description.is_object() && description.contains(key) && description[key].is_number();
    return found ? std::optional(description[key].get<double>()) : std::nullopt;
  };
  const std::optional<double> cross_entropy = number("validation_cross_entropy");
  if (cross_entropy && description.contains("difference")) {
    return ValidationScore(*cross_entropy, number("difference"));
  }
  return BestScoreInMetrics(directory).value_or(std::numeric_limits<double>::infinity());
}

double MaxModelBytes() { return MemoryLimit() / 4; }

struct ScoredModel {
  TrainedModel model;
  double score = 0;
};

ScoredModel OpenRunModel(const std::string& directory, const RunConfig& config, const Warn& warn) {
  const std::string path = PathIn(directory, kModelFile);
  if (!fs::exists(path)) {
    Refuse(HasEndedAnEpoch(directory)
               ? fmt::format("{}: {} is missing; `{} --resume` writes it again",
                             Printable(directory, 200), kModelFile,
                             TrainCommandName(config.settings.kind))
               : fmt::format("{}: has no {} yet; there is one after the first epoch",
                             Printable(directory, 200), kModelFile));
  }
  ModelFile file = ParseFile(path, MaxModelBytes(), [&config](const std::string& bytes) {
    return ParseModelFile(bytes, &config);
  });
  ModelSpec spec = config.settings.model;
  spec.symbols = static_cast<int>(config.vocabulary.size());
  const Json origin = OriginJson(spec, config.vocabulary);
  const bool has_origin = file.description.is_object() && file.description.contains("origin");
  const std::string difference =
      has_origin ? FirstDifference(origin, file.description["origin"]) : "";
  if (!difference.empty()) {
    Refuse(
        fmt::format("{}: is not of the configuration: its {}", Printable(path, 300), difference));
  }
  if (warn && config.changed) {
    warn(ChangedConfigText(directory));
  } else if (warn && file.description.is_object() && file.description.contains("run") &&
             file.description["run"] != RunIdentity(config)) {
    warn(fmt::format("{}: is the model of another run than {} describes", Printable(path, 300),
                     kConfigFile));
  }
  file.model.path = path;
  const double score = ScoreOf(file.description, directory);
  return {std::move(file.model), score};
}

ScoredModel OpenBestRestart(const std::string& directory, const RunConfig& config,
                            const Warn& warn) {
  std::vector<ScoredModel> models;
  std::vector<std::optional<double>> scores;
  for (int restart = 1; restart <= config.settings.restarts; ++restart) {
    const std::string path = PathIn(directory, RestartName(restart));
    if (!HasEndedAnEpoch(path)) continue;
    models.push_back(OpenRunModel(path, ReadConfig(path), warn));
    scores.emplace_back(models.back().score);
  }
  const std::optional<std::size_t> best = BestRestart(scores);
  if (!best) Refuse(Printable(directory, 200) + ": no restart has ended an epoch yet");
  if (warn && config.changed) warn(ChangedConfigText(directory));
  return std::move(models[*best]);
}

// Whether a file that was named describes itself.
bool IsDescribed(const std::string& bytes) {
  try {
    return DescribesItself(bytes);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(),
                "is neither the directory of a run nor a model file: " + error.message());
  }
}

}  // namespace

TrainedModel OpenModel(const std::string& path, const Warn& warn) {
  if (path.empty()) Refuse("the name of the run is empty");
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    const std::string directory = fs::path(path).parent_path().string();
    return ParseFile(path, MaxModelBytes(), [&](const std::string& bytes) {
      const bool described = IsDescribed(bytes);
      const bool of_run = fs::path(path).filename() == kModelFile && HoldsRun(directory);
      // Models of earlier versions are described by the configuration beside them.
      if (of_run && !described) {
        return OpenRunModel(directory, ReadConfig(directory), warn).model;
      }
      TrainedModel model = ParseModelFile(bytes).model;
      model.path = path;
      return model;
    });
  }
  const RunConfig config = ReadConfig(path);
  return config.settings.restarts > 1 ? OpenBestRestart(path, config, warn).model
                                      : OpenRunModel(path, config, warn).model;
}

TrainedModel OpenModel(const std::string& path, DataKind kind, const std::string& instead,
                       const Warn& warn) {
  // A run says of which kind it is before it has a model.
  if (HoldsRun(path)) CheckKind(path, ReadConfig(path), kind, instead);
  TrainedModel model = OpenModel(path, warn);
  if (model.kind != kind) {
    Refuse(fmt::format("{} is a model of {}; {}", Printable(path, 200),
                       model.kind == DataKind::kText ? "text" : "strings", instead));
  }
  return model;
}

DataKind KindOf(const std::string& path) {
  return HoldsRun(path) ? ReadConfig(path).settings.kind : OpenModel(path).kind;
}

std::vector<int> TrainedModel::Encode(std::string_view text) const {
  if (kind == DataKind::kText) return ParseText(text, "the text", vocabulary);
  if (text.empty()) return {};  // the empty string
  std::vector<std::vector<int>> strings = ParseStrings(text, vocabulary, "the string");
  if (strings.size() != 1) {
    throw Error("pushdown::TrainedModel::Encode", "the string has more than one line");
  }
  return std::move(strings.front());
}

std::vector<std::vector<int>> TrainedModel::EncodeLines(std::string_view text,
                                                        const std::string& name) const {
  std::vector<std::vector<int>> lines;
  if (kind == DataKind::kText) {
    lines.emplace_back();
    for (const int token : ParseText(text, name, vocabulary)) {
      if (token == end()) {
        lines.emplace_back();
      } else {
        lines.back().push_back(token);
      }
    }
    lines.pop_back();  // there is an end after the last one
    return lines;
  }
  const auto fail = [&name](const std::string& message) {
    throw Error("pushdown::TrainedModel::EncodeLines", Printable(name, 200) + ": " + message);
  };
  const auto read = [&](std::string_view line, std::size_t number) {
    TokenLine tokens = ReadTokens(line, vocabulary);
    if (!tokens.unknown.empty()) {
      fail(fmt::format("line {}, position {}: {} is not a symbol of the model; they are: {}",
                       number, tokens.string.size() + 1, Quoted(tokens.unknown),
                       Printable(AlphabetText(vocabulary), 200)));
    }
    if (tokens.length > Language::kMaxLength) {
      fail(fmt::format("line {}: has {} symbols, and no string may have more than {}", number,
                       tokens.length, Language::kMaxLength));
    }
    lines.push_back(std::move(tokens.string));
  };
  ForEachLine(text, read, fail);
  return lines;
}

std::vector<int> TrainedModel::EncodePrompt(std::string_view text) const {
  const auto fail = [](const std::string& message) {
    throw Error("pushdown::TrainedModel::EncodePrompt", message);
  };
  if (text.find('\n') != text.npos) fail("has more than one line");
  const bool words = kind == DataKind::kText;
  const std::optional<int> unknown = words ? vocabulary.Find(kUnknownWord) : std::nullopt;
  std::vector<int> symbols;
  ForEachToken(text, [&](std::string_view token, std::size_t) {
    const auto refuse = [&](const std::string& message) { fail(Quoted(token) + " " + message); };
    if (words && token == kEndOfSentence) refuse("ends a sentence, and cannot be in one");
    const char* fault = words ? WordFault(token) : nullptr;
    if (fault != nullptr) refuse(fault);
    const std::optional<int> number = vocabulary.Find(token);
    if (!number && !unknown) {
      refuse("is not in the model's vocabulary" + Suggestion(token, vocabulary.names()) +
             (words ? "" : "; it has: " + Printable(AlphabetText(vocabulary), 200)));
    }
    symbols.push_back(number ? *number : *unknown);
  });
  if (!words && symbols.size() > static_cast<std::size_t>(Language::kMaxLength)) {
    fail(fmt::format("has {} symbols, and no string may have more than {}", symbols.size(),
                     Language::kMaxLength));
  }
  return symbols;
}

std::string TrainedModel::Decode(std::span<const int> symbols) const {
  return SerializeString(vocabulary, symbols);
}

void TrainedModel::CheckSymbols(std::span<const int> symbols) const {
  for (const int symbol : symbols) {
    if (symbol >= 0 && symbol < vocabulary.size()) continue;
    throw Error("pushdown::TrainedModel::CheckSymbols",
                fmt::format("there is no symbol {}", symbol));
  }
}

int TrainedModel::end() const {
  return kind == DataKind::kText ? *vocabulary.Find(kEndOfSentence) : spec.end();
}

std::string TrainedModel::OutputName(int output) const {
  return output == end() ? kEndOfSentence : vocabulary.name(output);
}

std::string TrainedModel::RunDirectory() const {
  const fs::path file(path);
  const std::string directory = file.has_parent_path() ? file.parent_path().string() : ".";
  return file.filename() == kModelFile && HoldsRun(directory) ? directory : std::string();
}

double TrainedModel::LogProbability(std::span<const int> symbols) const {
  double sum = 0;
  for (const double log_p : Read(symbols).log_probabilities) sum += log_p;
  return sum;
}

std::vector<double> TrainedModel::LogProbabilities(
    std::span<const std::vector<int>> strings, int threads,
    const std::function<void(double)>& progress) const {
  if (kind == DataKind::kText) {
    throw Error("pushdown::TrainedModel::LogProbabilities", "a model of text, not of strings");
  }
  std::size_t longest = 0;
  for (const std::vector<int>& string : strings) longest = std::max(longest, string.size());
  ParallelModel model(spec, static_cast<int>(longest), threads);
  std::vector<double> result = model.LogProbabilities(parameters, strings, progress);
  for (std::size_t n = 0; n < result.size(); ++n) {
    if (std::isfinite(result[n])) continue;
    throw Error(ErrorKind::kNumeric, "pushdown::TrainedModel::LogProbabilities",
                fmt::format("the model gives no finite probability to string {} of {}; its "
                            "parameters are not finite, or too large",
                            n + 1, result.size()));
  }
  return result;
}

void TrainedModel::SetParameters(std::vector<float> other) {
  if (other.size() != parameters.size()) {
    throw Error("pushdown::TrainedModel::SetParameters",
                fmt::format("there are {} parameters, and {} with {} hidden units has {}",
                            other.size(), ModelName(spec), spec.hidden_units, parameters.size()));
  }
  parameters = std::move(other);
}

template <typename T>
TraceOf<T> TrainedModel::Read(std::span<const int> symbols) const {
  TraceOf<T> trace;
  const std::unique_ptr<PredictorOf<T>> predictor =
      MakePredictor<T>(std::max(1, static_cast<int>(symbols.size())));
  predictor->Start();
  const auto add = [&](int symbol) {
    if (symbol < 0 || symbol >= spec.outputs()) {
      throw Error("pushdown::TrainedModel::Read", fmt::format("there is no symbol {}", symbol));
    }
    trace.log_probabilities.push_back(
        static_cast<double>(predictor->log_probabilities()[static_cast<std::size_t>(symbol)]));
  };
  for (const int symbol : symbols) {
    add(symbol);
    predictor->Read(symbol);
    trace.readings.emplace_back(predictor->reading().begin(), predictor->reading().end());
    trace.hidden.emplace_back(predictor->hidden().begin(), predictor->hidden().end());
    // Those of the symbol before, which the stack has only now taken.
    const std::span<const T> actions = predictor->actions();
    if (trace.hidden.size() > 1) trace.actions.emplace_back(actions.begin(), actions.end());
  }
  if (kind == DataKind::kStrings) add(predictor->end());
  return trace;
}

template <typename T>
std::unique_ptr<PredictorOf<T>> TrainedModel::MakePredictor(int max_length, int threads) const {
  const double bytes = PredictorBytes<T>(max_length, threads);
  if (kind == DataKind::kText) {
    CheckMemory(bytes, ModelName(spec), "a model with a smaller window needs less");
    return MakeTextPredictor<T>(spec, parameters, end(), threads);
  }
  CheckMemory(bytes,
              fmt::format("{} with strings of up to {} symbols", ModelName(spec), max_length),
              "shorter strings, or a smaller --max-length, need less");
  return MakeStringPredictor<T>(spec, parameters, max_length);
}

template <typename T>
double TrainedModel::PredictorBytes(int max_length, int threads) const {
  return kind == DataKind::kText
             ? TextModel<T>::EstimateBytes(spec, 1, 1, /*gradients=*/false, threads)
             : StackRnn<T>::EstimateBytes(spec, max_length, /*gradients=*/false);
}

int TrainedModel::DefaultMaxLength() const {
  constexpr int kWords = 200;
  if (kind == DataKind::kText) return kWords;
  const int longest =
      longest_training_length > 0 ? longest_training_length : FormalDatasetOptions().lengths.max;
  return std::clamp(2 * longest, 1, Language::kMaxLength);
}

std::vector<SampledString> TrainedModel::Sample(int count, const SamplingOptions& options) const {
  SamplingOptions resolved = options;
  if (resolved.max_length == 0) resolved.max_length = DefaultMaxLength();
  const std::unique_ptr<Predictor> predictor = MakePredictor(resolved.max_length);
  Sampler sampler(*predictor, resolved);
  std::vector<SampledString> samples;
  samples.reserve(static_cast<std::size_t>(std::max(0, count)));
  for (int n = 0; n < count; ++n) samples.push_back(sampler.Next());
  return samples;
}

template TraceOf<float> TrainedModel::Read(std::span<const int>) const;
template TraceOf<double> TrainedModel::Read(std::span<const int>) const;
template std::unique_ptr<PredictorOf<float>> TrainedModel::MakePredictor(int, int) const;
template std::unique_ptr<PredictorOf<double>> TrainedModel::MakePredictor(int, int) const;
template double TrainedModel::PredictorBytes<float>(int, int) const;
template double TrainedModel::PredictorBytes<double>(int, int) const;

}  // namespace pushdown
