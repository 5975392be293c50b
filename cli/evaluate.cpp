#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/bar_chart.h"
#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/evaluate_text.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/json.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/evaluation.h"
#include "pushdown/run/evaluation_json.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown train`; of several restarts, the best one is taken, and of its
epochs that with the best validation. The strings are the run's own: sampled again with its seeds,
or read again from its --data. --data DIR has other strings, or the same if they were moved. RUN may
also be a model file alone; it has no strings, so that --data or --lengths must be given.
If RUN is a model of text, this is `pushdown lm evaluate`, whose help has the rest: --split, --data,
--threads and --json mean the same, --batch-size and --chunk-length are for text only, and --lengths
and bounds for strings only.

Output: what is evaluated, a table with a line for each length and one for all strings, and a chart
of the difference by length, in which neighbouring lengths are pooled if there are many. Columns:
  length         symbols of the strings, the end of a string (EOS) not counted
  strings        how many there are
  cross-entropy  of the model, in nats a symbol, EOS counted as a symbol: the sum of -log p(w),
                 divided by the number of symbols
  set bound      or length bound: the same of the exact distribution p_L of the strings, as below
  difference     what the model loses to the bound
If the language is not known (--data without a task.json), there are cross-entropy and perplexity,
which is exp(cross-entropy), and no chart. With --json, an object with all of it.

There are two lower bounds, and the output says which one it is:
  --bound set     -log p_L(w): the exact optimum if all lengths in A:B are equally likely. A:B is
                  --bound-lengths if that is given, else --lengths, else the lengths of the set.
                  `train` shows this bound of the validation set, as the paper does.
  --bound length  -log p_L(w | length): the exact optimum of each length for a model that is told
                  the length; a model that must also predict where a string ends loses about
                  log(number of lengths)/(length + 1) to it. The paper's figures by length have
                  this bound.
The default is length for --split test, unless --bound-lengths is given, and set otherwise. A model
that was trained on 40:80 and is tested on 40:100 knows that strings end by 80: at these lengths, it
can be below the set bound over 40:100. No model is below the length bound but by chance, since the
strings are a sample.

--lengths within the lengths of the set leaves out the others. Beyond those of the test set, a new
test set is sampled, with as many strings of each length and the run's test seed.

Examples:
  pushdown evaluate runs/dyck
  pushdown evaluate runs/dyck --split validation --json
  pushdown evaluate runs/dyck --lengths 100:200
  pushdown evaluate runs/dyck --lengths 40:80 --bound set
  pushdown evaluate runs/dyck --lengths 40:60 --bound-lengths 40:80
  pushdown evaluate runs/dyck --data other/strings
  pushdown evaluate runs/dyck/model.safetensors --lengths 40:100

Exit code: 0, 1 if the model gives no finite probabilities or the output cannot be written, 2 if
RUN, its data or the command line is wrong.)";

struct EvaluateCommand {
  std::string run;
  std::string split = "test";
  LengthRange lengths;
  LengthRange bound_lengths;
  EvaluationRequest request;
  TextEvaluationRequest text;  // what is for text only
  bool json = false;
};

// What the bound of an evaluation is, in one sentence without its end. Lines after the first one
// are indented.
std::string BoundMeaning(const Evaluation& evaluation, const std::string& indent) {
  if (evaluation.bound == BoundKind::kSet) {
    return fmt::format("the exact optimum if all lengths in {} are equally likely",
                       RangeText(*evaluation.bound_lengths));
  }
  return fmt::format(
      "the exact optimum of each length for a model that is told the\n"
      "{0}length; a model that must also predict where a string ends loses about\n"
      "{0}log(number of lengths)/(length + 1) to it",
      indent);
}

// The difference by length, in at most so many bars that they fit a terminal.
std::string DifferenceChart(const Evaluation& evaluation) {
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
  const std::string bound = BoundName(*evaluation.bound);
  std::string text = fmt::format(
      "Difference by length from the {0} bound; the full height is {1:.3g} nats a symbol.\n"
      "The {0} bound is {2}.\n",
      bound, largest->value, BoundMeaning(evaluation, ""));
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

std::string Table(const Evaluation& evaluation) {
  const bool has_bound = evaluation.bound.has_value();
  const std::string third_heading =
      has_bound ? fmt::format("{} bound", BoundName(*evaluation.bound)) : "perplexity";
  const auto row = [&](const std::string& length, const std::string& strings,
                       const std::string& cross_entropy, const std::string& third,
                       const std::string& last) {
    std::string line =
        fmt::format("{:>6}  {:>7}  {:>13}  {:>12}", length, strings, cross_entropy, third);
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
  std::string text = row("length", "strings", "cross-entropy", third_heading, "difference");
  for (const auto& [length, comparison] : evaluation.by_length) {
    text += comparison_row(std::to_string(length), comparison);
  }
  return text + comparison_row("all", evaluation.all);
}

bool SameRange(LengthRange a, LengthRange b) { return a.min == b.min && a.max == b.max; }

// What is known of the lengths that a model was trained on.
std::string TrainingText(const Evaluation& evaluation) {
  if (evaluation.training_lengths) {
    return ", trained on lengths " + RangeText(*evaluation.training_lengths);
  }
  const int longest = evaluation.model.longest_training_length;
  return longest > 0 ? fmt::format(", trained on lengths up to {}", longest) : "";
}

std::string EvaluationText(const EvaluateCommand& command, const Evaluation& evaluation) {
  const CrossEntropy& all = evaluation.all.model;
  const TrainedModel& model = evaluation.model;
  std::string text = fmt::format("run    {}\n", Printable(evaluation.path, 1000));
  text += fmt::format("model  {}, {} hidden units, {} parameters{}\n", ModelName(model.spec),
                      model.spec.hidden_units, model.parameters.size(), TrainingText(evaluation));
  text += fmt::format("split  {}{}, lengths {}: {} string{}, {} symbols\n", command.split,
                      evaluation.sampled ? " (a new sample)" : "", RangeText(evaluation.lengths),
                      all.strings(), all.strings() == 1 ? "" : "s", all.symbols());
  text += fmt::format("unit   {}\n", kEvaluationUnit);
  const std::string indent(7, ' ');
  if (evaluation.bound) {
    text += fmt::format("bound  {}: {}\n", BoundName(*evaluation.bound),
                        BoundMeaning(evaluation, indent));
  }
  const std::optional<LengthRange>& training = evaluation.training_lengths;
  const std::optional<LengthRange>& bound = evaluation.bound_lengths;
  if (training && bound && !SameRange(*training, *bound)) {
    text += fmt::format(
        "{0}A model that learned the lengths {1} may be below it at these lengths;\n"
        "{0}--bound-lengths chooses other lengths.\n",
        indent, RangeText(*training));
  }
  text += "\n" + Table(evaluation);
  if (evaluation.bound) text += "\n" + DifferenceChart(evaluation);
  return text;
}

// Throws if an option is given that is for models of the other kind.
void CheckOptions(const Command& evaluate, DataKind kind) {
  const bool text = kind == DataKind::kText;
  const std::vector<const char*> others =
      text ? std::vector<const char*>{"--lengths", "--bound", "--bound-lengths"}
           : std::vector<const char*>{"--batch-size", "--chunk-length"};
  for (const char* name : others) {
    if (!evaluate.given(name)) continue;
    throw UsageError(fmt::format("{} is for models of {}, and RUN is one of {}", name,
                                 text ? "strings" : "text", text ? "text" : "strings"));
  }
}

void Evaluate(const EvaluateCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const Evaluation evaluation =
      pushdown::Evaluate(command.run, command.request, StageBar(), PrintWarning);
  out.Write(command.json ? IndentedJson(EvaluationJson(evaluation, command.request.split))
                         : EvaluationText(command, evaluation));
  out.Commit();
}

}  // namespace

void AddEvaluateCommand(Command program) {
  const Command evaluate = program.AddCommand(
      "evaluate", "Compare a trained model with the exact optimum, or its perplexity");
  evaluate.Footer(kFooter);
  auto command = std::make_shared<EvaluateCommand>();
  AddRunArgument(evaluate, command->run);
  AddSplitOption(evaluate, command->split);
  evaluate.AddOption("--task-split", command->split, "The earlier name of --split")
      .OneOf({"training", "validation", "test"})
      .Group("");
  const Option lengths =
      AddLengthsOption(evaluate, "--lengths", command->lengths,
                       "Shortest and longest length, or the only one (default: all)")
          .Default("");
  evaluate
      .AddOption(
          "--bound",
          [command](const std::string& text) { command->request.bound = ParseBound(text); },
          "The optimum of the set or of each length (default: length for --split test, else set)")
      .TypeName("set|length")
      .OneOf({BoundName(BoundKind::kSet), BoundName(BoundKind::kLength)});
  const Option bound_lengths =
      AddLengthsOption(evaluate, "--bound-lengths", command->bound_lengths,
                       "Lengths of --bound set, which it implies (default: --lengths, or all)")
          .Default("");
  evaluate
      .AddOption("--data", command->request.data, "Other strings, as `pushdown data` makes them")
      .TypeName("DIR");
  AddTextReadingOptions(evaluate, command->text);
  AddThreadsOption(evaluate, command->request.threads);
  evaluate.AddFlag("--json", command->json, "Print a JSON object");
  evaluate.Callback([evaluate, command, lengths, bound_lengths] {
    EvaluationRequest& request = command->request;
    request.split = ParseSplit(command->split);
    const DataKind kind = KindOf(command->run);
    CheckOptions(evaluate, kind);
    if (kind == DataKind::kText) {
      TextEvaluationRequest& text = command->text;
      text.split = request.split;
      text.data = request.data;
      text.threads = request.threads;
      return EvaluateTextModel(command->run, text, command->json);
    }
    if (lengths.given()) request.lengths = command->lengths;
    if (bound_lengths.given()) request.bound_lengths = command->bound_lengths;
    Evaluate(*command);
  });
}

}  // namespace pushdown::cli
