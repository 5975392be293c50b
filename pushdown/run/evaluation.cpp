#include "pushdown/run/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/memory.h"
#include "pushdown/printable.h"
#include "pushdown/run/language_json.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/setting_values.h"
#include "pushdown/run/task_data.h"
#include "pushdown/train/parallel_model.h"

namespace pushdown {
namespace {

[[noreturn]] void Refuse(const std::string& message) { throw Error("pushdown::Evaluate", message); }

// What is evaluated on what.
struct Source {
  TrainedModel model;
  std::string path;                 // of the run or the model file
  std::optional<RunConfig> config;  // of the run that the model is of, if there is one
};

// Strings to evaluate a model on.
struct Selection {
  TaskSplit split;
  LengthRange lengths;                  // that were chosen
  std::optional<LengthRange> training;  // that the model was trained on
  std::optional<BoundKind> bound;       // that the lower bound of the split is, if it has one
  bool sampled = false;                 // by this evaluation
};

int Length(const std::vector<int>& string) { return static_cast<int>(string.size()); }

bool Contains(LengthRange range, int length) { return range.min <= length && length <= range.max; }

// Of p_L or, if that is not known, of the strings, of which there must be some.
LengthRange RangeOf(const TaskSplit& split) {
  if (split.lower_bound) return split.lower_bound->range;
  LengthRange range = {Length(split.strings.front()), Length(split.strings.front())};
  for (const std::vector<int>& string : split.strings) {
    range.min = std::min(range.min, Length(string));
    range.max = std::max(range.max, Length(string));
  }
  return range;
}

void CheckModelMemory(const ModelSpec& spec, int max_length, int threads) {
  CheckMemory(ParallelModel::EstimateBytes(spec, max_length, threads, 0),
              fmt::format("{} with strings of {} symbols on {} thread{}", ModelName(spec),
                          max_length, threads, threads == 1 ? "" : "s"),
              "fewer --threads or shorter --lengths need less");
}

// How many lengths in a range the language has.
std::size_t CountLengths(const Language& language, LengthRange range, const std::string& option) {
  return DistributionOf(language, range, option).lengths().size();
}

// Makes the lower bound that of p_L over so many lengths. p_L gives every string of a length the
// same share of its probability, so that only the number of lengths matters: over one length, p_L
// is conditional on the length.
void SpreadOver(std::size_t lengths, const Language& language, LowerBound& bound) {
  const std::size_t before = CountLengths(language, bound.range, "--lengths");
  const double log_factor =
      std::log(static_cast<double>(before)) - std::log(static_cast<double>(lengths));
  bound.all.Shift(log_factor);
  for (auto& [length, each] : bound.by_length) each.Shift(log_factor);
}

// The strings of the split that have one of these lengths.
TaskSplit Filter(const TaskSplit& split, LengthRange lengths) {
  TaskSplit result;
  for (const std::vector<int>& string : split.strings) {
    if (Contains(lengths, Length(string))) result.strings.push_back(string);
  }
  if (split.lower_bound) {
    LowerBound& bound = result.lower_bound.emplace();
    bound.range = split.lower_bound->range;
    for (const auto& [length, each] : split.lower_bound->by_length) {
      if (!Contains(lengths, length)) continue;
      bound.by_length[length] = each;
      bound.all.Add(each);
    }
  }
  return result;
}

// As many strings of each length as the test set has.
int StringsPerLength(const TaskSplit& test, const RunSettings& settings) {
  std::map<int, int> counts;
  int largest = 0;
  for (const std::vector<int>& string : test.strings) {
    largest = std::max(largest, ++counts[Length(string)]);
  }
  return largest > 0 ? largest : settings.dataset.test_size_per_length;
}

// A test set of other lengths.
TaskSplit SampleTestSet(const RunSettings& settings, const Language& language,
                        const TaskSplit& test, LengthRange lengths, const StageProgress& progress) {
  const std::size_t count = DistributionOf(language, lengths, "--lengths").lengths().size();
  const int per_length = StringsPerLength(test, settings);
  CheckMemory(
      static_cast<double>(count) * per_length *
          (sizeof(std::vector<int>) + sizeof(int) * static_cast<double>(lengths.max)),
      fmt::format("sampling {} strings of each length in {}", per_length, RangeText(lengths)),
      "fewer or shorter --lengths need less");
  return SampleEveryLength(language, lengths, per_length, settings.dataset.test_seed, progress);
}

// Numbers the symbols of strings as the model does, which may know more of them.
void Renumber(const SymbolTable& alphabet, const TrainedModel& model, TaskData& data) {
  if (alphabet == model.vocabulary) return;
  std::vector<int> numbers;
  for (const std::string& name : alphabet.names()) {
    const std::optional<int> number = model.vocabulary.Find(name);
    if (!number) Refuse("--data: the model has no symbol " + Quoted(name));
    numbers.push_back(*number);
  }
  for (TaskSplit* split : {&data.training, &data.validation, &data.test}) {
    for (std::vector<int>& string : split->strings) {
      for (int& symbol : string) symbol = numbers[static_cast<std::size_t>(symbol)];
    }
  }
}

// The sets of a run.
TaskData DataOfRun(const Source& source, const RunSettings& settings, const Language* language,
                   const StageProgress& progress, const Warn& warn) {
  TaskData data;
  try {
    data = MakeTaskData(settings, language, TestSet::kIncluded, progress);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(),
                fmt::format("{}: {}", Printable(source.path, 200), error.message()));
  }
  if (data.alphabet.names() != source.model.vocabulary.names()) {
    Refuse(fmt::format("{}: the vocabulary of {} is not that of its data, {}",
                       Printable(source.path, 200), kConfigFile,
                       settings.data.empty() ? "which is sampled" : Printable(settings.data, 200)));
  }
  if (warn && FingerprintOf(data) != source.config->fingerprint) {
    warn(Printable(source.path, 200) +
         ": the training and validation sets have changed since the training");
  }
  return data;
}

// On the test set, strings are looked at by length, and a model that has learned the shorter
// lengths of the training set would seem better than the optimum over all test lengths. On the
// other sets, the bound is that which the training shows.
BoundKind DefaultBound(const EvaluationRequest& request) {
  const bool by_length = request.split == DataSplit::kTest && !request.bound_lengths;
  return by_length ? BoundKind::kLength : BoundKind::kSet;
}

// The lower bound that is asked for, over the lengths that are asked for.
void ChooseBound(const EvaluationRequest& request, const Language* language, Selection& selection) {
  if (!selection.split.lower_bound) {
    if (!request.bound && !request.bound_lengths) return;
    Refuse(fmt::format(
        "{}: there is no lower bound, since --data has no task.json that names the language",
        request.bound_lengths ? "--bound-lengths" : "--bound"));
  }
  LowerBound& bound = *selection.split.lower_bound;
  selection.bound = request.bound.value_or(DefaultBound(request));
  if (selection.bound == BoundKind::kLength) {
    SpreadOver(1, *language, bound);
    return;
  }
  if (!request.lengths && !request.bound_lengths) return;
  const LengthRange range = request.bound_lengths ? *request.bound_lengths : *request.lengths;
  const std::string option = request.bound_lengths ? "--bound-lengths" : "--lengths";
  for (const auto& [length, each] : bound.by_length) {
    if (Contains(range, length)) continue;
    Refuse(fmt::format("{} {}: a string has {} symbols, which is not one of these", option,
                       RangeText(range), length));
  }
  if (range.min == bound.range.min && range.max == bound.range.max) return;
  SpreadOver(CountLengths(*language, range, option), *language, bound);
  bound.range = range;
}

// Settings of the strings: those of the run, of another directory, or of a model without a run.
RunSettings SettingsOf(const Source& source, const EvaluationRequest& request) {
  if (!request.data.empty()) {
    const std::string fault = DirectoryFault(request.data);
    if (!fault.empty()) Refuse("--data: " + Quoted(request.data) + " " + fault);
    RunSettings settings = DefaultSettings(DataKind::kStrings);
    settings.data = request.data;
    ReadTaskFile(settings.data, settings.language, settings.dataset);
    return settings;
  }
  if (source.config) return source.config->settings;
  RunSettings settings = DefaultSettings(DataKind::kStrings);
  settings.language = source.model.language;
  if (!settings.language || !request.lengths || request.split != DataSplit::kTest) {
    Refuse(fmt::format(
        "{}: is a model without its run, and has no sets of strings; give {}",
        Printable(source.path, 200),
        settings.language ? "--lengths A:B to sample some, or --data DIR" : "--data DIR"));
  }
  settings.dataset.test_lengths = *request.lengths;
  settings.dataset.lengths = *request.lengths;
  return settings;
}

TaskData DataFor(const Source& source, const RunSettings& settings, const Language* language,
                 const EvaluationRequest& request, const StageProgress& progress,
                 const Warn& warn) {
  if (!request.data.empty()) {
    TaskData data = MakeTaskData(settings, language, TestSet::kIncluded, progress);
    Renumber(data.alphabet, source.model, data);
    return data;
  }
  if (source.config) return DataOfRun(source, settings, language, progress, warn);
  if (language->alphabet() == source.model.vocabulary) return {};  // everything will be sampled
  Refuse(fmt::format("{}: the vocabulary of the model is not that of its language",
                     Printable(source.path, 200)));
}

// Where it is known without reading the training set, or that set has been read.
std::optional<LengthRange> TrainingLengths(const Source& source, const EvaluationRequest& request,
                                           const TaskData& data) {
  if (request.data.empty() && !data.training.strings.empty()) return RangeOf(data.training);
  const bool known = source.config && source.config->settings.language;
  return known ? std::optional(source.config->settings.dataset.lengths) : std::nullopt;
}

Selection SelectStrings(const EvaluationRequest& request, const Source& source,
                        const StageProgress& progress, const Warn& warn) {
  const RunSettings settings = SettingsOf(source, request);
  const bool test = request.split == DataSplit::kTest;
  const std::string given =
      request.lengths ? "--lengths " + RangeText(*request.lengths) : std::string();
  int max_length = MaxLength(settings);
  if (request.lengths && test && settings.language && request.lengths->max > max_length) {
    max_length = request.lengths->max;
    // Before the language is made for them, which may take long.
    CheckModelMemory(source.model.spec, max_length, request.threads);
  }
  if (request.bound_lengths) max_length = std::max(max_length, request.bound_lengths->max);
  const std::unique_ptr<Language> language = LanguageOf(settings, max_length, progress);
  TaskData data = DataFor(source, settings, language.get(), request, progress, warn);
  Selection selection;
  selection.training = TrainingLengths(source, request, data);
  TaskSplit& split = test                                      ? data.test
                     : request.split == DataSplit::kValidation ? data.validation
                                                               : data.training;
  const bool any = !split.strings.empty();
  if (!any && !(request.lengths && language)) {
    Refuse(fmt::format("{}: there is no {} set; --split validation has strings{}",
                       Printable(settings.data, 200), SplitName(request.split),
                       language ? ", and --lengths samples some" : ""));
  }
  if (any) selection.lengths = RangeOf(split);
  if (any && !request.lengths) {
    selection.split = std::move(split);
    ChooseBound(request, language.get(), selection);
    return selection;
  }
  const bool within = any && Contains(selection.lengths, request.lengths->min) &&
                      Contains(selection.lengths, request.lengths->max);
  if (within) {
    selection.split = Filter(split, *request.lengths);
    if (selection.split.strings.empty()) {
      Refuse(fmt::format("{}: the {} set, which has lengths {}, has no string of {}", given,
                         SplitName(request.split), RangeText(selection.lengths),
                         request.lengths->min == request.lengths->max ? "this length" : "these"));
    }
  } else if (!test || !language) {
    Refuse(fmt::format(
        "{}: the {} set has lengths {}; {}", given, SplitName(request.split),
        RangeText(selection.lengths),
        test ? "others could be sampled if the language were known, but --data has no task.json"
             : "others can be sampled for --split test only"));
  } else {
    selection.split = SampleTestSet(settings, *language, split, *request.lengths, progress);
    selection.sampled = true;
  }
  selection.lengths = *request.lengths;
  ChooseBound(request, language.get(), selection);
  return selection;
}

void Compare(const TaskSplit& split, const std::vector<double>& log_probabilities,
             Evaluation& evaluation) {
  for (std::size_t n = 0; n < split.strings.size(); ++n) {
    const int length = Length(split.strings[n]);
    evaluation.by_length[length].model.Add(log_probabilities[n], length);
    evaluation.all.model.Add(log_probabilities[n], length);
  }
  if (!split.lower_bound) return;
  evaluation.all.lower_bound = split.lower_bound->all;
  for (auto& [length, comparison] : evaluation.by_length) {
    comparison.lower_bound = split.lower_bound->by_length.at(length);
  }
}

Source OpenSource(const std::string& path, const Warn& warn) {
  Source source;
  source.model = OpenModel(path, DataKind::kStrings, "use `pushdown lm evaluate`", warn);
  const std::string directory = source.model.RunDirectory();
  if (!directory.empty()) source.config = ReadConfig(directory);
  source.path = directory.empty() ? source.model.path : directory;
  return source;
}

std::function<void(double)> Stage(const StageProgress& progress, const std::string& name) {
  if (!progress) return {};
  return [&progress, name](double done) { progress(name, done); };
}

}  // namespace

const char* SplitName(DataSplit split) {
  if (split == DataSplit::kTraining) return "training";
  return split == DataSplit::kValidation ? "validation" : "test";
}

DataSplit ParseSplit(const std::string& name) {
  for (const DataSplit split : {DataSplit::kTraining, DataSplit::kValidation, DataSplit::kTest}) {
    if (name == SplitName(split)) return split;
  }
  Refuse("there is no set " + Quoted(name) + "; there are training, validation and test");
}

const char* BoundName(BoundKind bound) { return bound == BoundKind::kSet ? "set" : "length"; }

BoundKind ParseBound(const std::string& name) {
  for (const BoundKind bound : {BoundKind::kSet, BoundKind::kLength}) {
    if (name == BoundName(bound)) return bound;
  }
  Refuse("there is no bound " + Quoted(name) + "; there are set and length");
}

void Comparison::Add(const Comparison& other) {
  model.Add(other.model);
  if (!other.lower_bound) return;
  if (!lower_bound) lower_bound.emplace();
  lower_bound->Add(*other.lower_bound);
}

Evaluation Evaluate(const std::string& path, const EvaluationRequest& request,
                    const StageProgress& progress, const Warn& warn) {
  if (request.bound == BoundKind::kLength && request.bound_lengths) {
    Refuse(
        "--bound length and --bound-lengths do not go together: the bound of a length is the same "
        "whatever other lengths there are");
  }
  Source source = OpenSource(path, warn);
  if (request.parameters) source.model.SetParameters(*request.parameters);
  Selection selection = SelectStrings(request, source, progress, warn);
  Evaluation evaluation;
  const std::vector<std::vector<int>>& strings = selection.split.strings;
  int longest = 0;
  for (const std::vector<int>& string : strings) longest = std::max(longest, Length(string));
  CheckModelMemory(source.model.spec, longest, request.threads);
  try {
    Compare(selection.split,
            source.model.LogProbabilities(strings, request.threads, Stage(progress, "evaluating")),
            evaluation);
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(),
                fmt::format("{}: {}", Printable(source.path, 200), error.message()));
  }
  evaluation.model = std::move(source.model);
  evaluation.path = std::move(source.path);
  evaluation.training_lengths = selection.training;
  evaluation.lengths = selection.lengths;
  evaluation.bound = selection.bound;
  if (selection.bound == BoundKind::kSet) {
    evaluation.bound_lengths = selection.split.lower_bound->range;
  }
  evaluation.sampled = selection.sampled;
  evaluation.whole_set = request.data.empty() && !request.lengths && !selection.sampled;
  return evaluation;
}

}  // namespace pushdown
