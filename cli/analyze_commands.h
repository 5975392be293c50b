#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "pushdown/analysis/model_vectors.h"
#include "pushdown/analysis/position_rule.h"
#include "pushdown/data/string_distribution.h"
#include "pushdown/run/trained_model.h"

namespace pushdown::cli {

// What charts and heatmaps have at most, in columns.
inline constexpr std::size_t kWidestFigure = 100;

// The commands of `pushdown analyze`.
void AddAnalyzePcaCommand(Command analyze);
void AddAnalyzeReadingsCommand(Command analyze);

// What they have in common: a model, strings that are given or sampled, and an output.
struct AnalyzeCommand {
  std::string model = {};
  std::vector<std::string> given = {};  // strings on the command line
  std::string file = {};
  std::optional<int> count = {};  // of strings to sample; nothing: the default of the command
  std::optional<LengthRange> lengths = {};
  std::optional<std::uint64_t> seed = {};
  std::string of = "readings";
  std::string positions = {};
  std::string format = "text";
  bool format_given = false;
  bool json = false;
  std::string out = "-";

  VectorKind kind() const { return of == "hidden" ? VectorKind::kHidden : VectorKind::kReadings; }
};

// `command` must live until the callback. --count says that `count_text` is its default.
void AddAnalyzeOptions(Command analyze, AnalyzeCommand& command, const std::string& count_text);

// Takes --json for -o json. Throws UsageError if another format is given, too.
void ChooseFormat(AnalyzeCommand& command);

// Throws UsageError if the model has no readings, and they are asked for.
TrainedModel OpenAnalyzed(const AnalyzeCommand& command);
// The strings that are given, or as many as --count says of the model's language.
std::vector<std::vector<int>> StringsFor(const AnalyzeCommand& command, const TrainedModel& model,
                                         int default_count);
// Nothing if --positions is not given.
std::optional<PositionRule> PositionsFor(const AnalyzeCommand& command, const TrainedModel& model);

// Where the strings are from: "100 strings of the language, lengths 40:80" or "3 strings".
std::string StringsText(const AnalyzeCommand& command, const TrainedModel& model,
                        std::size_t strings);

// What is the same in the help of both commands.
extern const char* const kAnalyzedStringsHelp;

}  // namespace pushdown::cli
