#include "cli/evaluate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/bar_chart.h"
#include "cli/errors.h"
#include "cli/json_output.h"
#include "cli/language_options.h"
#include "cli/memory.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/run_directory.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "cli/task_data.h"
#include "pushdown/data/string_distribution.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/train/parallel_model.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown train`; of several restarts, the best one is taken, and of its
epochs that with the best validation. The strings are the run's own: sampled again with its seeds,
or read again from its --data.

Output: what is evaluated, a table with a line for each length and one for all strings, and a chart
of the difference by length, in which neighbouring lengths are pooled if there are many. Columns:
  length         symbols of the strings, the end of a string (EOS) not counted
  strings        how many there are
  cross-entropy  of the model, in nats a symbol, EOS counted as a symbol: the sum of -log p(w),
                 divided by the number of symbols
  lower bound    the same of p_L, the exact distribution of strings whose lengths are uniform
                 over a range: no model that knows only this range can do better on average
  difference     what the model loses to it
The range is --bound-lengths if that is given, else --lengths, else the lengths of the whole set;
the output names it. A model that was trained on shorter strings, say on 40:80, and tested on 40:100
knows that most strings end by 80. At short lengths, its difference from the bound over 40:100 can
therefore be negative: --lengths 40:80 compares it with the optimum of the lengths that it was
trained on. The difference can also be slightly negative by chance, since strings are a sample.
If the language is not known (--data without a task.json), there are cross-entropy and perplexity,
which is exp(cross-entropy), and no chart. With --json, an object with all of it.

--lengths within the lengths of the set leaves out the others. Beyond those of the test set, a new
test set is sampled, with as many strings of each length and the run's test seed.

Examples:
  pushdown evaluate runs/dyck
  pushdown evaluate runs/dyck --split validation --json
  pushdown evaluate runs/dyck --lengths 100:200
  pushdown evaluate runs/dyck --lengths 40:60 --bound-lengths 40:80

Exit code: 0, 1 if the model gives no finite probabilities or the output cannot be written, 2 if
RUN, its data or the command line is wrong.)";

struct EvaluateCommand {
  std::string run;
  std::string split = "test";
  LengthRange lengths;
  bool has_lengths = false;
  LengthRange bound_lengths;
  bool has_bound_lengths = false;
  int threads = 1;
  bool json = false;
};

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kUnit = "nats a symbol, EOS counted";

// Strings to evaluate a model on.
struct Selection {
  TaskSplit split;
  LengthRange lengths;   // that were chosen
  LengthRange training;  // that the model was trained on
  bool sampled = false;  // by this command
};

struct Comparison {
  CrossEntropy model;
  std::optional<CrossEntropy> lower_bound = {};

  double difference() const {
    return lower_bound ? model.PerSymbol() - lower_bound->PerSymbol() : kUnknown;
  }
  void Add(const Comparison& other) {
    model.Add(other.model);
    if (!other.lower_bound) return;
    if (!lower_bound) lower_bound.emplace();
    lower_bound->Add(*other.lower_bound);
  }
};

struct Evaluation {
  Comparison all;
  std::map<int, Comparison> by_length;
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

// Makes the lower bound that of another range of lengths. p_L gives every string of a length the
// same share of its probability, so that only the number of lengths matters.
void SpreadOver(LengthRange range, const Language& language, const std::string& option,
                LowerBound& bound) {
  const auto count = [&](LengthRange lengths) {
    return static_cast<double>(DistributionOf(language, lengths, option).lengths().size());
  };
  const double log_factor = std::log(count(bound.range)) - std::log(count(range));
  bound.all.Shift(log_factor);
  for (auto& [length, each] : bound.by_length) each.Shift(log_factor);
  bound.range = range;
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
int StringsPerLength(const TaskSplit& test, const TrainSettings& settings) {
  std::map<int, int> counts;
  int largest = 0;
  for (const std::vector<int>& string : test.strings) {
    largest = std::max(largest, ++counts[Length(string)]);
  }
  return largest > 0 ? largest : settings.dataset.test_size_per_length;
}

// A test set of other lengths.
TaskSplit SampleTestSet(const TrainSettings& settings, const Language& language,
                        const TaskSplit& test, LengthRange lengths) {
  const std::size_t count = DistributionOf(language, lengths, "--lengths").lengths().size();
  const int per_length = StringsPerLength(test, settings);
  CheckMemory(
      static_cast<double>(count) * per_length *
          (sizeof(std::vector<int>) + sizeof(int) * static_cast<double>(lengths.max)),
      fmt::format("sampling {} strings of each length in {}", per_length, RangeText(lengths)),
      "fewer or shorter --lengths need less");
  return SampleEveryLength(language, lengths, per_length, settings.dataset.test_seed);
}

// The sets of a run, which are numbered as its model has it.
TaskData DataOfRun(const TrainedRun& run, const Language* language) {
  TaskData data;
  try {
    data = MakeTaskData(run.settings, language);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", Printable(run.path, 200), error.what()));
  }
  if (data.alphabet.names() != run.alphabet.names()) {
    throw UsageError(fmt::format(
        "{}: the vocabulary of {} is not that of its data, {}", Printable(run.path, 200),
        kConfigFile,
        run.settings.data.empty() ? "which is sampled" : Printable(run.settings.data, 200)));
  }
  if (FingerprintOf(data) != run.fingerprint) {
    PrintWarning(Printable(run.path, 200) +
                 ": the training and validation sets have changed since the training");
  }
  return data;
}

// The lower bound over the lengths that the command line asks for.
void ChooseBound(const EvaluateCommand& command, const Language* language, Selection& selection) {
  if (!command.has_lengths && !command.has_bound_lengths) return;
  if (!selection.split.lower_bound) {
    if (!command.has_bound_lengths) return;
    throw UsageError(
        "--bound-lengths: there is no lower bound, since --data has no task.json that names the "
        "language");
  }
  const LengthRange range = command.has_bound_lengths ? command.bound_lengths : command.lengths;
  const std::string option = command.has_bound_lengths ? "--bound-lengths" : "--lengths";
  LowerBound& bound = *selection.split.lower_bound;
  for (const auto& [length, each] : bound.by_length) {
    if (Contains(range, length)) continue;
    throw UsageError(fmt::format("{} {}: a string has {} symbols, which is not one of these",
                                 option, RangeText(range), length));
  }
  if (range.min == bound.range.min && range.max == bound.range.max) return;
  SpreadOver(range, *language, option, bound);
}

Selection SelectStrings(const EvaluateCommand& command, const TrainedRun& run) {
  const TrainSettings& settings = run.settings;
  const bool test = command.split == "test";
  const std::string given = "--lengths " + RangeText(command.lengths);
  int max_length = MaxLength(settings);
  if (command.has_lengths && test && settings.language && command.lengths.max > max_length) {
    max_length = command.lengths.max;
    // Before the language is made for them, which may take long.
    CheckModelMemory(run.spec, max_length, command.threads);
  }
  if (command.has_bound_lengths) max_length = std::max(max_length, command.bound_lengths.max);
  const std::unique_ptr<Language> language = LanguageOf(settings, max_length);
  TaskData data = DataOfRun(run, language.get());
  Selection selection;
  selection.training = RangeOf(data.training);
  TaskSplit& split = test                            ? data.test
                     : command.split == "validation" ? data.validation
                                                     : data.training;
  const bool any = !split.strings.empty();
  if (!any && !(command.has_lengths && language)) {
    throw UsageError(fmt::format("{}: there is no {} set; --split validation has strings{}",
                                 Printable(settings.data, 200), command.split,
                                 language ? ", and --lengths samples some" : ""));
  }
  if (any) selection.lengths = RangeOf(split);
  if (any && !command.has_lengths) {
    selection.split = std::move(split);
    ChooseBound(command, language.get(), selection);
    return selection;
  }
  const bool within = any && Contains(selection.lengths, command.lengths.min) &&
                      Contains(selection.lengths, command.lengths.max);
  if (within) {
    selection.split = Filter(split, command.lengths);
    if (selection.split.strings.empty()) {
      throw UsageError(
          fmt::format("{}: the {} set, which has lengths {}, has no string of {}", given,
                      command.split, RangeText(selection.lengths),
                      command.lengths.min == command.lengths.max ? "this length" : "these"));
    }
  } else if (!test || !language) {
    throw UsageError(fmt::format(
        "{}: the {} set has lengths {}; {}", given, command.split, RangeText(selection.lengths),
        test ? "others could be sampled if the language were known, but --data has no task.json"
             : "others can be sampled for --split test only"));
  } else {
    selection.split = SampleTestSet(settings, *language, split, command.lengths);
    selection.sampled = true;
  }
  selection.lengths = command.lengths;
  ChooseBound(command, language.get(), selection);
  return selection;
}

std::vector<double> LogProbabilities(const TrainedRun& run,
                                     const std::vector<std::vector<int>>& strings, int threads) {
  int longest = 0;
  for (const std::vector<int>& string : strings) longest = std::max(longest, Length(string));
  CheckModelMemory(run.spec, longest, threads);
  std::vector<double> result;
  try {
    ParallelModel model(run.spec, longest, threads);
    Progress progress("evaluating");
    result = model.LogProbabilities(run.parameters, strings,
                                    [&progress](double done) { progress.Update(done); });
  } catch (const Error& error) {
    throw RunError(fmt::format("{}: {}", Printable(run.path, 200), MessageForUser(error)));
  }
  for (std::size_t n = 0; n < result.size(); ++n) {
    if (std::isfinite(result[n])) continue;
    throw RunError(
        fmt::format("{}: the model gives no finite probability to string {} of {}; its "
                    "parameters are not finite, or too large",
                    Printable(run.path, 200), n + 1, result.size()));
  }
  return result;
}

Evaluation Compare(const TaskSplit& split, const std::vector<double>& log_probabilities) {
  Evaluation evaluation;
  for (std::size_t n = 0; n < split.strings.size(); ++n) {
    const int length = Length(split.strings[n]);
    evaluation.by_length[length].model.Add(log_probabilities[n], length);
    evaluation.all.model.Add(log_probabilities[n], length);
  }
  if (split.lower_bound) {
    evaluation.all.lower_bound = split.lower_bound->all;
    for (auto& [length, comparison] : evaluation.by_length) {
      comparison.lower_bound = split.lower_bound->by_length.at(length);
    }
  }
  return evaluation;
}

// The difference by length, in at most so many bars that they fit a terminal.
std::string DifferenceChart(const Evaluation& evaluation, LengthRange bound) {
  constexpr std::size_t kMostBars = 60;
  const std::size_t lengths = evaluation.by_length.size();
  const std::size_t pooled = (lengths + kMostBars - 1) / kMostBars;
  std::vector<Bar> bars;
  Comparison pool;
  int first = 0;
  std::size_t n = 0;
  for (const auto& [length, comparison] : evaluation.by_length) {
    if (n++ % pooled == 0) {
      pool = {};
      first = length;
    }
    pool.Add(comparison);
    if (n % pooled == 0 || n == lengths) bars.push_back({std::to_string(first), pool.difference()});
  }
  const auto largest = std::max_element(
      bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.value < b.value; });
  if (!(largest->value > 0)) {
    return "There is no chart of the difference by length: it is nowhere above zero.\n";
  }
  const auto negative =
      std::count_if(bars.begin(), bars.end(), [](const Bar& bar) { return bar.value < 0; });
  std::string text = fmt::format(
      "Difference by length from the bound over {}; the full height is {:.3g} nats a symbol.\n",
      RangeText(bound), largest->value);
  if (pooled > 1) {
    text += fmt::format(
        "A bar is of {} neighbouring lengths, the shortest of which stands below.\n", pooled);
  }
  if (negative > 0) {
    text += fmt::format("{} of {} bars {} negative and drawn as zero.\n", negative, bars.size(),
                        negative == 1 ? "is" : "are");
  }
  return text + "\n" + BarChart(bars);
}

std::string Table(const Evaluation& evaluation, bool has_bound) {
  const auto row = [&](const std::string& length, const std::string& strings,
                       const std::string& cross_entropy, const std::string& third,
                       const std::string& last) {
    std::string line =
        fmt::format("{:>6}  {:>7}  {:>13}  {:>11}", length, strings, cross_entropy, third);
    if (has_bound) line += fmt::format("  {:>10}", last);
    return line + "\n";
  };
  const auto number = [](double value) { return fmt::format("{:.6f}", value); };
  const auto comparison_row = [&](const std::string& name, const Comparison& comparison) {
    const double model = comparison.model.PerSymbol();
    return row(name, std::to_string(comparison.model.strings()), number(model),
               number(has_bound ? comparison.lower_bound->PerSymbol() : std::exp(model)),
               number(comparison.difference()));
  };
  std::string text = row("length", "strings", "cross-entropy",
                         has_bound ? "lower bound" : "perplexity", "difference");
  for (const auto& [length, comparison] : evaluation.by_length) {
    text += comparison_row(std::to_string(length), comparison);
  }
  return text + comparison_row("all", evaluation.all);
}

std::string EvaluationText(const EvaluateCommand& command, const TrainedRun& run,
                           const Selection& selection, const Evaluation& evaluation) {
  const CrossEntropy& all = evaluation.all.model;
  std::string text = fmt::format("run    {}\n", Printable(run.path, 1000));
  text += fmt::format("model  {}, {} hidden units, {} parameters, trained on lengths {}\n",
                      ModelName(run.spec), run.spec.hidden_units, run.parameters.size(),
                      RangeText(selection.training));
  text += fmt::format("split  {}{}, lengths {}: {} string{}, {} symbols\n", command.split,
                      selection.sampled ? " (a new sample)" : "", RangeText(selection.lengths),
                      all.strings(), all.strings() == 1 ? "" : "s", all.symbols());
  text += fmt::format("unit   {}\n", kUnit);
  const std::optional<LowerBound>& bound = selection.split.lower_bound;
  if (bound) {
    text += fmt::format("bound  the exact optimum if all lengths in {} are equally likely\n",
                        RangeText(bound->range));
    const LengthRange training = selection.training;
    if (training.min != bound->range.min || training.max != bound->range.max) {
      text += fmt::format(
          "       A model that learned the lengths {} may be below it at these lengths;\n"
          "       --bound-lengths chooses other lengths.\n",
          RangeText(training));
    }
  }
  text += "\n" + Table(evaluation, bound.has_value());
  if (bound) text += "\n" + DifferenceChart(evaluation, bound->range);
  return text;
}

Json ComparisonJson(const Comparison& comparison) {
  const double model = comparison.model.PerSymbol();
  return {{"strings", comparison.model.strings()},
          {"symbols", comparison.model.symbols()},
          {"cross_entropy", model},
          {"perplexity", std::exp(model)},
          {"lower_bound", comparison.lower_bound ? comparison.lower_bound->PerSymbol() : kUnknown},
          {"difference", comparison.difference()}};
}

Json EvaluationJson(const EvaluateCommand& command, const TrainedRun& run,
                    const Selection& selection, const Evaluation& evaluation) {
  const auto range = [](LengthRange lengths) { return Json{lengths.min, lengths.max}; };
  Json object = {{"run", run.path},
                 {"model", ModelName(run.spec)},
                 {"hidden_units", run.spec.hidden_units},
                 {"parameters", run.parameters.size()},
                 {"training_lengths", range(selection.training)},
                 {"split", command.split},
                 {"sampled", selection.sampled},
                 {"lengths", range(selection.lengths)},
                 {"lower_bound_lengths", nullptr},
                 {"unit", kUnit}};
  if (selection.split.lower_bound) {
    object["lower_bound_lengths"] = range(selection.split.lower_bound->range);
  }
  object.update(ComparisonJson(evaluation.all));
  object["by_length"] = Json::array();
  for (const auto& [length, comparison] : evaluation.by_length) {
    Json row = {{"length", length}};
    row.update(ComparisonJson(comparison));
    object["by_length"].push_back(row);
  }
  return object;
}

void Evaluate(const EvaluateCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedRun run =
      OpenTrainedRun(command.run, DataKind::kStrings, "use `pushdown lm evaluate`");
  const Selection selection = SelectStrings(command, run);
  const Evaluation evaluation =
      Compare(selection.split, LogProbabilities(run, selection.split.strings, command.threads));
  out.Write(command.json ? JsonText(EvaluationJson(command, run, selection, evaluation))
                         : EvaluationText(command, run, selection, evaluation));
  out.Commit();
}

}  // namespace

void AddEvaluateCommand(CLI::App& program) {
  CLI::App* evaluate =
      program.add_subcommand("evaluate", "Compare a trained model with the exact optimum");
  evaluate->footer(kFooter);
  auto command = std::make_shared<EvaluateCommand>();
  AddRunArgument(*evaluate, command->run);
  AddSplitOption(*evaluate, command->split);
  evaluate
      ->add_option("--task-split", command->split)  // its earlier name
      ->check(OneOf({"training", "validation", "test"}))
      ->group("");
  const CLI::Option* lengths =
      AddLengthsOption(*evaluate, "--lengths", command->lengths,
                       "Shortest and longest length, or the only one (default: all)")
          ->default_str("");
  const CLI::Option* bound_lengths =
      AddLengthsOption(
          *evaluate, "--bound-lengths", command->bound_lengths,
          "Lengths that the lower bound is for (default: --lengths, or all of the set)")
          ->default_str("");
  AddThreadsOption(*evaluate, command->threads);
  evaluate->add_flag("--json", command->json, "Print a JSON object");
  evaluate->callback([command, lengths, bound_lengths] {
    command->has_lengths = lengths->count() > 0;
    command->has_bound_lengths = bound_lengths->count() > 0;
    Evaluate(*command);
  });
}

}  // namespace pushdown::cli
