#include "cli/generate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/errors.h"
#include "cli/json_output.h"
#include "cli/memory.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/run_directory.h"
#include "cli/sampling.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "cli/task_data.h"
#include "pushdown/data/data_directory.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/random.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown train`; of several restarts, the best one is taken, and of its
epochs that with the best validation. Symbols are drawn one after the other, with probabilities
proportional to p^(1/temperature), until the end of the string is drawn or --max-length reached.

Output: a string a line, tabs between its columns, which are:
  mark       in: in the language; out: not in it; cut: not ended before --max-length;
             -: ended, but it is not known of which language it is (--data without a task.json)
  string     tokens separated by spaces
  objection  only after out: why it is not in the language, "position N: reason"
With --json, a line is {"mark": ..., "length": N, "string": ..., "log_p": ..., "objection": ...};
log_p is the model's natural log p(w), whatever the temperature, the end included unless it was cut.
How many strings are in the language is reported on standard error.

Examples:
  pushdown generate runs/dyck
  pushdown generate runs/dyck --count 1000 --json > strings.jsonl
  pushdown generate runs/dyck --count 1 --temperature 0

Exit code: 0, also if strings are not in the language, 1 if the model gives no finite probabilities
or the output cannot be written, 2 if RUN or the command line is wrong.)";

struct GenerateCommand {
  std::string run;
  std::int64_t count = 10;
  std::uint64_t seed = 1;
  double temperature = 1;
  int max_length = 0;  // 0: not given
  bool json = false;
};

// Twice the longest length that the model was trained on.
int DefaultMaxLength(const TrainedRun& run) {
  const auto twice = [](int longest) { return std::clamp(2 * longest, 1, Language::kMaxLength); };
  if (run.settings.data.empty()) return twice(run.settings.dataset.lengths.max);
  const TaskData data = MakeTaskData(run.settings, nullptr, TestSet::kNone);
  int longest = 0;
  for (const std::vector<int>& string : data.training.strings) {
    longest = std::max(longest, static_cast<int>(string.size()));
  }
  if (FingerprintOf(data) != run.fingerprint) {
    PrintWarning(
        fmt::format("{}: the training and validation sets have changed since the training; "
                    "strings have up to {} symbols, twice the longest that is there now",
                    Printable(run.path, 200), twice(longest)));
  }
  return twice(longest);
}

struct GeneratedString {
  std::vector<int> symbols;
  double log_p = 0;
  bool ended = false;
};

GeneratedString GenerateString(StackRnn<float>& model, const float* parameters, double temperature,
                               int max_length, Random& random) {
  GeneratedString string;
  std::vector<float> log_probabilities(static_cast<std::size_t>(model.spec().outputs()));
  model.Start(parameters, log_probabilities.data());
  for (;;) {
    for (const float log_p : log_probabilities) {
      if (std::isfinite(log_p)) continue;
      throw Error(
          fmt::format("the model gives no finite probabilities to what follows {} symbols; "
                      "its parameters are not finite, or too large",
                      string.symbols.size()));
    }
    const int symbol = Choose(log_probabilities, temperature, random);
    string.ended = symbol == model.spec().end();
    const bool full = string.symbols.size() == static_cast<std::size_t>(max_length);
    if (full && !string.ended) return string;
    string.log_p += static_cast<double>(log_probabilities[static_cast<std::size_t>(symbol)]);
    if (string.ended) return string;
    string.symbols.push_back(symbol);
    model.Step(parameters, symbol, log_probabilities.data());
  }
}

// The language that judges the strings, or null if it is not known.
std::unique_ptr<Language> LanguageOfStrings(const TrainedRun& run, int max_length) {
  std::unique_ptr<Language> language = LanguageOf(run.settings, max_length);
  if (language && language->alphabet().names() != run.alphabet.names()) {
    throw UsageError(fmt::format("{}: the vocabulary of {} is not that of the language",
                                 Printable(run.path, 200), kConfigFile));
  }
  return language;
}

// Why a string is not in the language; empty if it is.
std::string ObjectionText(const Language& language, const std::vector<int>& string) {
  const auto objection = language.FindObjection(string);
  if (!objection) return {};
  return fmt::format("position {}: {}", objection->position, Printable(objection->reason, 300));
}

void Generate(const GenerateCommand& command) {
  CheckSimdTarget();
  OutputFile out("-");
  const TrainedRun run =
      OpenTrainedRun(command.run, DataKind::kStrings, "use `pushdown lm generate`");
  const int max_length = command.max_length > 0 ? command.max_length : DefaultMaxLength(run);
  CheckMemory(StackRnn<float>::EstimateBytes(run.spec, max_length, /*gradients=*/false),
              fmt::format("{} with strings of up to {} symbols", ModelName(run.spec), max_length),
              "a smaller --max-length needs less");
  const std::unique_ptr<Language> language = LanguageOfStrings(run, max_length);
  StackRnn<float> model(run.spec, max_length, /*gradients=*/false);
  std::int64_t members = 0;
  {
    Progress progress("generating");
    for (std::int64_t n = 0; n < command.count; ++n) {
      // A stream for each string, so that --count does not change earlier ones.
      Random random(command.seed, static_cast<std::uint64_t>(n));
      GeneratedString string;
      try {
        string =
            GenerateString(model, run.parameters.data(), command.temperature, max_length, random);
      } catch (const Error& error) {
        throw RunError(fmt::format("{}: string {}: {}", Printable(run.path, 200), n + 1,
                                   MessageForUser(error)));
      }
      std::string mark = string.ended ? "-" : "cut";
      std::string objection;
      if (string.ended && language) {
        objection = ObjectionText(*language, string.symbols);
        mark = objection.empty() ? "in" : "out";
        if (objection.empty()) ++members;
      }
      const std::string text = StringText(run.alphabet, string.symbols);
      if (command.json) {
        Json line = {{"mark", mark},
                     {"length", string.symbols.size()},
                     {"string", text},
                     {"log_p", string.log_p},
                     {"objection", nullptr}};
        if (!objection.empty()) line["objection"] = objection;
        out.Write(JsonLine(line));
      } else {
        out.Write(
            fmt::format("{}\t{}{}{}\n", mark, text, objection.empty() ? "" : "\t", objection));
      }
      progress.Update(static_cast<double>(n + 1) / static_cast<double>(command.count));
    }
  }
  out.Commit();
  if (language) {
    WriteToStandardError(fmt::format("{} of {} string{} in the language\n", members, command.count,
                                     command.count == 1 ? " is" : "s are"));
  }
}

}  // namespace

void AddGenerateCommand(CLI::App& program) {
  CLI::App* generate =
      program.add_subcommand("generate", "Print strings sampled from a trained model");
  generate->footer(kFooter);
  auto command = std::make_shared<GenerateCommand>();
  AddRunArgument(*generate, command->run);
  AddIntegerOption(*generate, "--count", command->count, "Number of strings");
  AddIntegerOption(*generate, "--seed", command->seed, "The same seed gives the same strings");
  AddRealOption(*generate, "--temperature", command->temperature,
                "Less than 1 makes what is improbable rarer; 0: only the most probable",
                {.min = 0, .max = std::numeric_limits<double>::infinity(), .min_included = true});
  AddIntegerOption(*generate, "--max-length", command->max_length,
                   "Where strings are cut (default: twice the longest of training)", 1,
                   Language::kMaxLength)
      ->default_str("");
  generate->add_flag("--json", command->json, "Print a JSON object for each string");
  generate->callback([command] { Generate(*command); });
}

}  // namespace pushdown::cli
