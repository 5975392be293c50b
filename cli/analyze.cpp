#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "cli/analyze_commands.h"
#include "cli/commands.h"
#include "cli/counted.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/standard_error.h"
#include "pushdown/data/token_format.h"
#include "pushdown/memory.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(The two figures of the paper that show what is in a stack, for any model:
  pca       many readings at once: does each symbol have a place of its own? (figure 4)
  readings  the readings of a string by time, and what the automaton does on a symbol (figure 9)

Examples:
  pushdown analyze pca runs/reversal
  pushdown analyze readings runs/reversal "0 1 1 # 1 1 0"
  pushdown analyze readings runs/reversal --transitions

docs/inside.md explains every number.)";

}  // namespace

const char* const kAnalyzedStringsHelp =
    R"(MODEL is a directory of `pushdown train` or `pushdown lm train`, or a model file. Strings are those
on the command line or those of --file FILE, a string a line; their symbols are separated by spaces.
If none are given, they are sampled from the language of the model, as `pushdown sample` does with
the same --seed and --lengths. A model of text has no language to sample from: STRING or FILE must
be given, and each is one text.)";

void AddAnalyzeOptions(Command analyze, AnalyzeCommand& command, const std::string& count_text) {
  analyze.AddOption("MODEL", command.model, "Directory of a training run, or a model file")
      .TypeName("")
      .Required();
  analyze.AddArguments("STRING", command.given, "Strings to read").TypeName("");
  analyze.AddOption("--file", command.file, "Strings to read; - for standard input")
      .TypeName("FILE");
  AddInteger(
      analyze, "--count",
      [&command](std::uint64_t value) { command.count = static_cast<int>(value); },
      fmt::format("Number of strings to sample (default: {})", count_text), 1, 1'000'000);
  analyze
      .AddOption(
          "--lengths",
          [&command](const std::string& text) { command.lengths = ParseLengths(text); },
          "Their lengths (default: from half of the longest of training up to that)")
      .TypeName("A:B");
  AddInteger(
      analyze, "--seed", [&command](std::uint64_t value) { command.seed = value; },
      "The same seed gives the same strings (default: 1)", 0,
      std::numeric_limits<std::uint64_t>::max());
  analyze.AddOption("--of", command.of, "readings of the stack, or hidden states")
      .TypeName("readings|hidden")
      .OneOf({"readings", "hidden"})
      .Default(command.of);
  analyze
      .AddOption(
          "-o,--format",
          [&command](const std::string& text) {
            command.format = text;
            command.format_given = true;
          },
          "text, csv, json, vega-lite or pgfplots")
      .TypeName("FORMAT")
      .OneOf({"text", "csv", "json", "vega-lite", "pgfplots"})
      .Default(command.format);
  analyze.AddFlag("--json", command.json, "The same as -o json");
  AddOutputOption(analyze, command.out);
}

void ChooseFormat(AnalyzeCommand& command) {
  if (!command.json) return;
  if (command.format_given && command.format != "json") {
    throw UsageError(
        fmt::format("--json and -o {} are given; one of the two, please", command.format));
  }
  command.format = "json";
}

TrainedModel OpenAnalyzed(const AnalyzeCommand& command) {
  TrainedModel model = OpenModel(command.model, PrintWarning);
  if (command.kind() == VectorKind::kReadings && !model.spec.stack) {
    throw UsageError(
        fmt::format("{} is an LSTM without a stack, and has no readings; --of hidden looks at its "
                    "hidden states",
                    Printable(command.model, 200)));
  }
  return model;
}

std::vector<std::vector<int>> StringsFor(const AnalyzeCommand& command, const TrainedModel& model,
                                         int default_count) {
  if (command.given.empty() && command.file.empty()) {
    if (model.kind == DataKind::kText || !model.language) {
      throw UsageError(fmt::format("{} {}; --file FILE gives {}", Printable(command.model, 200),
                                   model.kind == DataKind::kText
                                       ? "is a model of text, which has no language to sample from"
                                       : "does not say what its language is",
                                   model.kind == DataKind::kText ? "a text" : "strings"));
    }
    return SampleStrings(model,
                         {.count = command.count.value_or(default_count),
                          .lengths = command.lengths,
                          .seed = command.seed.value_or(1)},
                         StageBar());
  }
  if (command.count || command.lengths || command.seed) {
    throw UsageError(
        "--count, --lengths and --seed are for sampled strings, but strings are given");
  }
  if (!command.given.empty() && !command.file.empty()) {
    throw UsageError("strings are given on the command line and by --file; one of the two, please");
  }
  std::vector<std::vector<int>> strings;
  try {
    for (const std::string& text : command.given) strings.push_back(model.Encode(text));
    if (command.file.empty()) return strings;
    const std::string text = ReadText(command.file, MemoryLimit() / 4);
    if (model.kind == DataKind::kText) return {model.Encode(text)};
    return ParseStrings(text, model.vocabulary, InputName(command.file));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kInput) throw;
    throw UsageError(fmt::format("{}; symbols are separated by spaces, and are: {}",
                                 MessageForUser(error),
                                 Printable(AlphabetText(model.vocabulary), 200)));
  }
}

std::optional<PositionRule> PositionsFor(const AnalyzeCommand& command, const TrainedModel& model) {
  if (command.positions.empty()) return std::nullopt;
  try {
    return ParsePositionRule(command.positions, model.vocabulary);
  } catch (const Error& error) {
    throw UsageError("--positions: " + MessageForUser(error));
  }
}

std::string StringsText(const AnalyzeCommand& command, const TrainedModel& model,
                        std::size_t strings) {
  if (model.kind == DataKind::kText) return "a text";
  if (!command.given.empty() || !command.file.empty()) return Counted(strings, "string");
  return fmt::format("{} of its language, lengths {}", Counted(strings, "string"),
                     RangeText(command.lengths.value_or(DefaultLengths(model))));
}

void AddAnalyzeCommand(Command program) {
  const Command analyze =
      program.AddCommand("analyze", "The readings of a stack: principal components, heatmaps");
  analyze.Footer(kFooter);
  analyze.RequireCommand();
  AddAnalyzePcaCommand(analyze);
  AddAnalyzeReadingsCommand(analyze);
}

}  // namespace pushdown::cli
