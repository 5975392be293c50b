#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/json.h"
#include "pushdown/memory.h"
#include "pushdown/model/stack_rnn.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/trained_model.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(RUN is a directory of `pushdown train`; of several restarts, the best one is taken, and of its
epochs that with the best validation. It may also be a model file alone. Symbols are drawn one after
the other, with probabilities proportional to p^(1/temperature), until the end of the string is
drawn or --max-length reached.

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

// The language that judges the strings, or null if it is not known.
std::unique_ptr<Language> LanguageOfStrings(const TrainedModel& model, int max_length) {
  if (!model.language) return nullptr;
  std::unique_ptr<Language> language = MakeLanguage(*model.language, max_length, StageBar());
  if (language->alphabet().names() != model.vocabulary.names()) {
    throw UsageError(
        fmt::format("{}: the vocabulary is not that of the language", Printable(model.path, 200)));
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
  const TrainedModel model =
      OpenModel(command.run, DataKind::kStrings, "use `pushdown lm generate`", PrintWarning);
  const int max_length = command.max_length > 0 ? command.max_length : model.DefaultMaxLength();
  CheckMemory(StackRnn<float>::EstimateBytes(model.spec, max_length, /*gradients=*/false),
              fmt::format("{} with strings of up to {} symbols", ModelName(model.spec), max_length),
              "a smaller --max-length needs less");
  const std::unique_ptr<Language> language = LanguageOfStrings(model, max_length);
  const std::unique_ptr<Predictor> predictor = model.MakePredictor(max_length);
  Sampler sampler(
      *predictor,
      {.seed = command.seed, .temperature = command.temperature, .max_length = max_length});
  std::int64_t members = 0;
  {
    Progress progress("generating");
    for (std::int64_t n = 0; n < command.count; ++n) {
      SampledString string;
      try {
        string = sampler.Next();
      } catch (const Error& error) {
        throw RunError(fmt::format("{}: string {}: {}", Printable(model.path, 200), n + 1,
                                   MessageForUser(error)));
      }
      std::string mark = string.ended ? "-" : "cut";
      std::string objection;
      if (string.ended && language) {
        objection = ObjectionText(*language, string.symbols);
        mark = objection.empty() ? "in" : "out";
        if (objection.empty()) ++members;
      }
      const std::string text = model.Decode(string.symbols);
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

void AddGenerateCommand(Command program) {
  const Command generate =
      program.AddCommand("generate", "Print strings sampled from a trained model");
  generate.Footer(kFooter);
  auto command = std::make_shared<GenerateCommand>();
  AddRunArgument(generate, command->run);
  AddIntegerOption(generate, "--count", command->count, "Number of strings");
  AddIntegerOption(generate, "--seed", command->seed, "The same seed gives the same strings");
  AddRealOption(generate, "--temperature", command->temperature,
                "Less than 1 makes what is improbable rarer; 0: only the most probable",
                {.min = 0, .max = std::numeric_limits<double>::infinity(), .min_included = true});
  AddIntegerOption(generate, "--max-length", command->max_length,
                   "Where strings are cut (default: twice the longest of training)", 1,
                   Language::kMaxLength)
      .Default("");
  generate.AddFlag("--json", command->json, "Print a JSON object for each string");
  generate.Callback([command] { Generate(*command); });
}

}  // namespace pushdown::cli
