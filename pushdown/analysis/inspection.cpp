#include "pushdown/analysis/inspection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <variant>

#include "pushdown/analysis/superposition_contents.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/data/token_format.h"
#include "pushdown/error.h"
#include "pushdown/formal/weight.h"
#include "pushdown/memory.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/model/text_model.h"
#include "pushdown/printable.h"
#include "pushdown/recognizer/recognizer.h"
#include "pushdown/run/language_score.h"
#include "pushdown/run/recognizer_directory.h"

namespace pushdown {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::Inspector", message);
}

std::vector<double> Doubles(std::span<const float> values) {
  return {values.begin(), values.end()};
}

// What the stack took after each input but the last, and what it gave.
struct StackTrace {
  std::vector<std::vector<double>> readings;  // [T + 1][R]
  std::vector<std::vector<double>> actions;   // [T]
  std::vector<std::vector<double>> hidden;    // [T], from which the actions come
};

// Shares of the work, as long strings have them: reading takes the first one, then the weights of
// all runs, the best ones and the marginals.
constexpr double kRead = 0.1;
constexpr double kWeighted = 0.4;
constexpr double kFound = 0.7;

using Tell = std::function<void(double)>;

InspectedAutomaton InspectAutomaton(const NondeterministicStackSpec& spec,
                                    std::span<const double> logits,
                                    const InspectionOptions& options, const Tell& tell) {
  double done = kRead;
  const AutomatonRuns runs(spec, logits, [&tell, &done] { tell(done); });
  tell(done = kWeighted);
  InspectedAutomaton automaton;
  automaton.spec = spec;
  for (int n = 0; n < spec.states; ++n) automaton.state_names.push_back(StateName(n));
  for (int n = 0; n < spec.symbols; ++n) automaton.symbol_names.push_back(StackSymbolName(n));
  automaton.log_weight = runs.log_weight();
  for (int t = 0; t <= runs.steps(); ++t) {
    automaton.tops.emplace_back(runs.alpha(t).begin(), runs.alpha(t).end());
  }
  automaton.runs = runs.Best(options.runs);
  tell(done = kFound);
  automaton.marginals = runs.Marginals();
  automaton.samples = runs.Sample(options.samples, options.seed);
  return automaton;
}

double StackBytes(const ModelSpec& spec, double steps, const InspectionOptions& options) {
  // Numbers are kept once, and once more as JSON or text.
  constexpr double kBytesOfNumber = 64;
  double bytes = (steps + 1) * (spec.reading_size() + spec.hidden_units) * kBytesOfNumber;
  if (const NondeterministicStackSpec* stack = spec.nondeterministic()) {
    // Logits, and marginals; and two triangles by time.
    bytes += 3 * steps * stack->logits_size() * sizeof(double) + steps * steps * kBytesOfNumber;
    bytes += (static_cast<double>(options.runs) + options.samples) * steps * kBytesOfNumber;
    bytes += AutomatonRuns::EstimateBytes(*stack, static_cast<int>(steps));
  } else if (spec.superposition() != nullptr) {
    bytes += (steps + 1) * std::min<double>(steps, options.depths) *
             (spec.reading_size() + 2 * spec.superposition()->stacks()) * kBytesOfNumber;
  }
  return bytes;
}

}  // namespace

const char* InspectedKindName(InspectedKind kind) {
  if (kind == InspectedKind::kRecognizer) return "recognizer";
  return kind == InspectedKind::kText ? "text" : "strings";
}

struct Inspector::Parts {
  std::variant<TrainedModel, CompiledRecognizer> model;
  std::unique_ptr<Language> language = {};
  std::optional<LanguageScorer> optimum = {};  // with lengths, if there is one
  std::string optimum_fault = {};

  const TrainedModel* trained() const { return std::get_if<TrainedModel>(&model); }
  const CompiledRecognizer& recognizer() const { return std::get<CompiledRecognizer>(model); }

  StackTrace Read(const TrainedModel& trained, std::span<const int> string, const Tell& tell,
                  Inspection& inspection) const;
  void CompareWithOptimum(std::span<const int> string, Inspection& inspection) const;
  void InspectTrained(const TrainedModel& trained, std::span<const int> string,
                      const InspectionOptions& options, const Tell& tell,
                      Inspection& inspection) const;
  void InspectRecognizer(std::span<const int> string, const InspectionOptions& options,
                         const Tell& tell, Inspection& inspection) const;
};

Inspector::Inspector(TrainedModel model, std::optional<LengthRange> lengths,
                     const StageProgress& progress)
    : parts_(new Parts{.model = std::move(model)}) {
  const TrainedModel& trained = *parts_->trained();
  if (trained.kind == DataKind::kText || !trained.language) {
    parts_->optimum_fault = trained.kind == DataKind::kText
                                ? "text has no known distribution"
                                : "the language of the model is not known";
    if (lengths) Refuse("lengths are those of an optimum, but " + parts_->optimum_fault);
    return;
  }
  const std::optional<LengthRange> range = lengths ? lengths : TrainingLengthsOf(trained);
  if (!range) {
    parts_->optimum_fault =
        "it is not known on which lengths the model was trained; --lengths A:B says it";
    return;
  }
  const int longest = std::max(range->max, trained.DefaultMaxLength());
  parts_->language = LanguageOf(trained, longest, progress);
  parts_->optimum.emplace(*parts_->language, range);
}

Inspector::Inspector(CompiledRecognizer recognizer)
    : parts_(new Parts{.model = std::move(recognizer)}) {
  parts_->optimum_fault = "a recognizer predicts nothing";
}

Inspector::~Inspector() = default;
Inspector::Inspector(Inspector&&) noexcept = default;
Inspector& Inspector::operator=(Inspector&&) noexcept = default;

InspectedKind Inspector::kind() const {
  const TrainedModel* trained = parts_->trained();
  if (trained == nullptr) return InspectedKind::kRecognizer;
  return trained->kind == DataKind::kText ? InspectedKind::kText : InspectedKind::kStrings;
}

const ModelSpec& Inspector::spec() const {
  const TrainedModel* trained = parts_->trained();
  return trained != nullptr ? trained->spec : parts_->recognizer().network.spec;
}

const SymbolTable& Inspector::vocabulary() const {
  const TrainedModel* trained = parts_->trained();
  return trained != nullptr ? trained->vocabulary : parts_->recognizer().automaton.inputs;
}

const std::string& Inspector::optimum_fault() const { return parts_->optimum_fault; }

std::vector<int> Inspector::Encode(std::string_view string) const {
  while (!string.empty() && (string.back() == '\n' || string.back() == '\r')) {
    string.remove_suffix(1);
  }
  if (string.find('\n') != string.npos) Refuse("the string has more than one line");
  if (kind() == InspectedKind::kText) {
    return ParseText(std::string(string) + "\n", "the text", vocabulary());
  }
  if (string.empty()) return {};
  return std::move(ParseStrings(string, vocabulary(), "the string").front());
}

StackTrace Inspector::Parts::Read(const TrainedModel& trained, std::span<const int> string,
                                  const Tell& tell, Inspection& inspection) const {
  StackTrace trace;
  const std::unique_ptr<Predictor> predictor =
      trained.MakePredictor(std::max(1, static_cast<int>(string.size())));
  // After an input: its step has used the newest reading, which is that of the actions before.
  const auto take = [&] {
    const std::span<const float> actions = predictor->actions();
    trace.readings.push_back(Doubles(predictor->reading()));
    if (inspection.inputs.size() > 1) trace.actions.push_back(Doubles(actions));
    trace.hidden.push_back(Doubles(predictor->hidden()));
  };
  const auto predict = [&](int symbol, const std::string& name) {
    const float log_p = predictor->log_probabilities()[static_cast<std::size_t>(symbol)];
    inspection.predictions.push_back({.symbol = name, .log_p = static_cast<double>(log_p)});
    inspection.log_p += static_cast<double>(log_p);
  };
  const bool is_text = trained.kind == DataKind::kText;
  predictor->Start();
  if (is_text) {
    inspection.inputs.push_back(trained.vocabulary.name(predictor->end()));
    take();
  }
  for (std::size_t n = 0; n < string.size(); ++n) {
    const std::string& name = trained.vocabulary.name(string[n]);
    predict(string[n], name);
    // Nothing is predicted after the end of the last sentence.
    if (is_text && n + 1 == string.size()) break;
    predictor->Read(string[n]);
    inspection.inputs.push_back(name);
    take();
    const double part = static_cast<double>(n + 1) / static_cast<double>(string.size());
    tell(kRead * part * part * part);
  }
  if (!is_text) {
    predict(predictor->end(), trained.OutputName(predictor->end()));
    if (string.empty()) trace.readings.push_back(Doubles(predictor->reading()));
  }
  return trace;
}

void Inspector::Parts::CompareWithOptimum(std::span<const int> string,
                                          Inspection& inspection) const {
  if (!optimum) return;
  const StringDistribution& distribution = *optimum->distribution();
  LanguageScore score = optimum->Score(string);
  InspectedOptimum& result = inspection.optimum.emplace();
  result.lengths = distribution.range();
  if (!std::isnan(score.log_p)) result.log_p = score.log_p;
  result.member = score.member;
  result.objection = std::move(score.objection);
  std::vector<double> prefixes;
  try {
    prefixes = distribution.LogPrefixProbabilities(string);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLimit) throw;
    return;  // the grammar is too large for more than the optimum of the whole string
  }
  if (result.log_p) prefixes.push_back(*result.log_p);
  for (std::size_t n = 0; n + 1 < prefixes.size(); ++n) {
    if (prefixes[n] == kMinusInfinity) break;
    inspection.predictions[n].optimum_log_p = std::min(0.0, prefixes[n + 1] - prefixes[n]);
  }
}

void Inspector::Parts::InspectTrained(const TrainedModel& trained, std::span<const int> string,
                                      const InspectionOptions& options, const Tell& tell,
                                      Inspection& inspection) const {
  StackTrace trace = Read(trained, string, tell, inspection);
  CompareWithOptimum(string, inspection);
  if (!trained.spec.stack) return;
  inspection.readings = std::move(trace.readings);
  if (const NondeterministicStackSpec* stack = trained.spec.nondeterministic()) {
    // After them, a VRNS has the vectors that it pushes.
    const auto size = static_cast<std::ptrdiff_t>(stack->logits_size());
    std::vector<double> logits;
    for (const std::vector<double>& actions : trace.actions) {
      logits.insert(logits.end(), actions.begin(), actions.begin() + size);
    }
    inspection.automaton = InspectAutomaton(*stack, logits, options, tell);
  } else {
    const SuperpositionStackSpec& stacks = *trained.spec.superposition();
    std::vector<SuperpositionStep> steps;
    const auto weights = static_cast<std::size_t>(stacks.actions_size());
    for (std::size_t t = 0; t < trace.actions.size(); ++t) {
      const std::span<const double> actions = trace.actions[t];
      steps.push_back({.actions = actions.first(weights),
                       .vector = trained.spec.push_hidden ? std::span<const double>(trace.hidden[t])
                                                          : actions.subspan(weights)});
    }
    inspection.superposition = SuperpositionContents(stacks, steps, options.depths);
  }
}

void Inspector::Parts::InspectRecognizer(std::span<const int> string,
                                         const InspectionOptions& options, const Tell& tell,
                                         Inspection& inspection) const {
  const PushdownAutomaton& automaton = recognizer().automaton;
  const int length = static_cast<int>(string.size());
  Recognizer network(automaton, recognizer().network, length);
  const Recognition recognition = network.Recognize(string);
  tell(kRead);
  InspectedRecognition& result = inspection.recognition.emplace();
  if (recognition.decision != Decision::kOutOfRange) result.accepted = recognition.accepted;
  result.y = recognition.y;
  result.log_runs = recognition.log_runs;
  result.acceptance = recognition.acceptance;

  std::vector<double> logits;
  inspection.readings.emplace_back(network.reading(0).begin(), network.reading(0).end());
  for (int t = 1; t <= length; ++t) {
    inspection.inputs.push_back(automaton.inputs.name(string[static_cast<std::size_t>(t - 1)]));
    inspection.readings.emplace_back(network.reading(t).begin(), network.reading(t).end());
    logits.insert(logits.end(), network.logits(t).begin(), network.logits(t).end());
  }
  inspection.inputs.emplace_back(kEndOfSentence);
  inspection.automaton =
      InspectAutomaton(*recognizer().network.spec.nondeterministic(), logits, options, tell);
  inspection.automaton->state_names = automaton.states;
  inspection.automaton->symbol_names = automaton.stack_symbols;
}

Inspection Inspector::Inspect(std::span<const int> string, const InspectionOptions& options,
                              const std::function<void(double)>& progress) const {
  const Tell tell = [&progress](double share) {
    if (progress) progress(share);
  };
  for (const int symbol : string) {
    if (symbol < 0 || symbol >= vocabulary().size()) {
      Refuse(fmt::format("there is no symbol {}", symbol));
    }
  }
  if (kind() == InspectedKind::kText && string.empty()) Refuse("the text has no tokens");
  Inspection inspection;
  inspection.kind = kind();
  inspection.model = ModelName(spec());
  inspection.hidden_units = spec().hidden_units;
  inspection.string = SerializeString(vocabulary(), string);
  if (const TrainedModel* trained = parts_->trained()) {
    parts_->InspectTrained(*trained, string, options, tell, inspection);
  } else {
    parts_->InspectRecognizer(string, options, tell, inspection);
  }
  return inspection;
}

double Inspector::EstimateBytes(int length, const InspectionOptions& options) const {
  double network = 0;
  switch (kind()) {
    case InspectedKind::kText:
      network = TextModel<float>::EstimateBytes(spec(), 1, 1, /*gradients=*/false, /*threads=*/1);
      break;
    case InspectedKind::kStrings:
      network = StackRnn<float>::EstimateBytes(spec(), std::max(1, length), /*gradients=*/false);
      break;
    case InspectedKind::kRecognizer:
      network = Recognizer::EstimateBytes(spec(), length);
      break;
  }
  double prefixes = 0;
  if (parts_->optimum) {
    const double longest = parts_->optimum->distribution()->range().max;
    prefixes =
        (std::min<double>(longest, length) + 1) * (longest + 1) * (sizeof(double) + sizeof(Weight));
  }
  return network + prefixes + StackBytes(spec(), length, options);
}

AutomatonRuns RunsOf(const TrainedModel& model, std::span<const int> string,
                     const std::function<void()>& check) {
  const NondeterministicStackSpec* stack = model.spec.nondeterministic();
  if (stack == nullptr) {
    throw Error("pushdown::RunsOf",
                ModelName(model.spec) + " has no automaton; rns and vrns models have one");
  }
  model.CheckSymbols(string);
  const int length = static_cast<int>(string.size());
  CheckMemory(
      AutomatonRuns::EstimateBytes(*stack, length),
      "all runs of " + ModelName(model.spec) + " with " + std::to_string(length) + " symbols",
      "a shorter string needs less");
  const std::unique_ptr<Predictor> predictor = model.MakePredictor(std::max(1, length));
  std::vector<double> logits;
  predictor->Start();
  for (const int symbol : string) {
    predictor->Read(symbol);
    // Of the input before; there is none before the first one of a string. After the logits, a VRNS
    // has the vectors that it pushes.
    const std::span<const float> actions = predictor->actions();
    if (actions.empty()) continue;
    logits.insert(logits.end(), actions.begin(), actions.begin() + stack->logits_size());
  }
  return {*stack, logits, check};
}

Inspector OpenInspector(const std::string& path, std::optional<LengthRange> lengths,
                        const StageProgress& progress, const Warn& warn) {
  if (HoldsRecognizer(path)) {
    if (lengths) {
      Refuse(fmt::format("--lengths: {} holds a recognizer, which predicts nothing",
                         Printable(path, 200)));
    }
    return Inspector(ReadRecognizer(path));
  }
  return Inspector(OpenModel(path, warn), lengths, progress);
}

}  // namespace pushdown
