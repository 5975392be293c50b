#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/experiment_commands.h"
#include "cli/option_values.h"
#include "cli/result_table_text.h"
#include "cli/standard_error.h"
#include "cli/text_table.h"
#include "pushdown/experiment/result_table.h"
#include "pushdown/experiment/results.h"
#include "pushdown/json.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr const char* kStatusFooter =
    R"(Output: how many runs are finished, running, stopped, failed and to do (not begun), a line for each
cell with the best run so far, also of those that are not finished, and the reasons of failures.
DIR may also be an export. With --json, an object with all of it.

Examples:
  pushdown experiment status runs/quick
  pushdown experiment status runs/quick --json

Exit code: 0, or 2 if DIR holds no experiment.)";

constexpr const char* kFinishedFooter =
    R"(For scripts: exits with 0 if all runs of the experiment are finished, and with 1 if not. Runs that
have failed are not finished. Prints nothing.

Examples:
  until pushdown experiment is-finished runs/quick; do sleep 60; done

Exit code: 0, 1, or 2 if DIR holds no experiment.)";

constexpr const char* kTableExamples =
    R"(

DIR is the directory of an experiment, or an export. A row is a cell; with --by, cells with the same
values of these settings are taken together.

Examples:
  pushdown experiment table runs/quick
  pushdown experiment table runs/capacity --by task,model -o csv
  pushdown experiment table runs/capacity --against experiments/paper/capacity.json -o md

Exit code: 0, 1 if the output cannot be written, 2 if an input or the command line is wrong.)";

constexpr const char* kExportFooter =
    R"(Writes one JSON file with all cells and runs of an experiment: results, curves of validation by
epoch, and results by length on the test set. It is small enough to be committed, and `status` and
`table` read it in place of the directory.

Examples:
  pushdown experiment export runs/quick --out quick.json
  pushdown experiment export runs/quick | gzip > quick.json.gz

Exit code: 0, 1 if the output cannot be written, 2 if DIR holds no experiment.)";

constexpr const char* kCompareFooter =
    R"(

RUN is a directory of `pushdown train` or `pushdown lm train`. Runs that differ in nothing but
seeds, and the restarts of a run, are taken together in one row; rows are named by the settings that
differ between them. There is no result on the test set, unless the runs are those of an experiment.

Examples:
  pushdown compare runs/lstm runs/rns-3-3
  pushdown compare runs/* -o md

Exit code: 0, 1 if the output cannot be written, 2 if a run or the command line is wrong.)";

void Print(const std::string& text) { WriteFile("-", text); }

using StateCounts = std::map<RunState, int>;
constexpr std::array kAllStates = {RunState::kToDo, RunState::kBegun, RunState::kRunning,
                                   RunState::kFinished, RunState::kFailed};

std::string CountsText(const StateCounts& counts) {
  std::string text;
  for (const RunState state : {RunState::kFinished, RunState::kRunning, RunState::kBegun,
                               RunState::kFailed, RunState::kToDo}) {
    const auto found = counts.find(state);
    const int count = found == counts.end() ? 0 : found->second;
    if (count == 0 && state == RunState::kBegun) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, StateName(state));
  }
  return text;
}

void PrintStatus(const std::string& path, bool json) {
  const ExperimentResults results = OpenResults(path);
  StateCounts all;
  Json cells = Json::array();
  Json failures = Json::array();
  std::vector<std::vector<std::string>> rows;
  std::string failure_text;
  for (const CellResults& cell : results.cells) {
    StateCounts counts;
    std::optional<double> best;
    for (std::size_t n = 0; n < cell.runs.size(); ++n) {
      const RunRecord& record = cell.runs[n];
      ++counts[record.state];
      ++all[record.state];
      const std::optional<double> score = ScoreOf(record, results.measure);
      if (score && (!best || *score < *best)) best = score;
      if (record.state != RunState::kFailed) continue;
      const std::string run = RunNameOf(cell, n);
      failures.push_back({{"run", run}, {"failure", record.failure}});
      failure_text +=
          fmt::format("failed: {}: {}\n", Printable(run, 300), Printable(record.failure, 1000));
    }
    const std::string best_text =
        best ? fmt::format("{:.{}f}", *best, results.measure == Measure::kPerplexity ? 2 : 4) : "";
    rows.push_back({Printable(cell.name, 300),
                    fmt::format("{}/{}", counts[RunState::kFinished], cell.runs.size()),
                    std::to_string(counts[RunState::kRunning]),
                    std::to_string(counts[RunState::kBegun]),
                    std::to_string(counts[RunState::kFailed]), best_text});
    Json row = {{"name", cell.name}, {"runs", cell.runs.size()}, {"best", nullptr}};
    if (best) row["best"] = *best;
    for (const RunState state : kAllStates) row[StateName(state)] = counts[state];
    cells.push_back(std::move(row));
  }
  if (json) {
    Json value = {{"experiment", results.name}, {"measure", MeasureName(results.measure)}};
    for (const RunState state : kAllStates) value[StateName(state)] = all[state];
    value["cells"] = std::move(cells);
    value["failures"] = std::move(failures);
    return Print(IndentedJson(value));
  }
  std::string text = results.title.empty() ? "" : Printable(results.title, 200) + "\n";
  text += CountsText(all) + "\n\n";
  text += TableText({{.heading = "cell", .left = true},
                     {.heading = "finished"},
                     {.heading = "running", .rank = 2},
                     {.heading = "stopped", .rank = 3},
                     {.heading = "failed", .rank = 1},
                     {.heading = fmt::format("best {}", MeasureName(results.measure))}},
                    rows);
  if (!failure_text.empty()) text += "\n" + failure_text;
  Print(text);
}

void ExitUnlessFinished(const std::string& path) {
  const Experiment experiment = Experiment::Open(path);
  for (const RunId& run : OrderedRuns(experiment.plan(), experiment.plan().restarts)) {
    if (!experiment.IsDone(run)) throw Answer{.exit_code = 1};
  }
}

struct TableCommand {
  std::string path;
  std::vector<std::string> runs;
  std::string by;
  std::string against;
  std::string format = "text";
};

std::vector<std::string> Keys(const std::string& by) {
  std::vector<std::string> keys;
  for (std::size_t begin = 0; begin < by.size();) {
    const std::size_t end = std::min(by.find(',', begin), by.size());
    keys.push_back(by.substr(begin, end - begin));
    begin = end + 1;
  }
  return keys;
}

void PrintTable(const TableCommand& command, const ExperimentResults& results) {
  std::optional<PublishedResults> published;
  if (!command.against.empty()) published = ReadPublished(command.against);
  const ResultTable table = MakeTable(results, Keys(command.by), published);
  if (published && !HasComparison(table)) {
    PrintWarning("--against: " + UnmatchedText(*published));
  }
  Print(Format(table, ParseTableFormat(command.format)));
}

void AddTableOptions(Command command, TableCommand& table) {
  command.AddOption("-o,--format", table.format, "text, md, csv, json or latex")
      .TypeName("FORMAT")
      .Default("text")
      .OneOf({"text", "md", "csv", "json", "latex"});
}

void AddPathArgument(Command command, std::string& path) {
  command.AddOption("dir", path, "The directory of an experiment").TypeName("DIR").Required();
}

}  // namespace

void AddExperimentResultCommands(Command experiment) {
  const Command status =
      experiment.AddCommand("status", "What is done, and the best of each cell so far");
  status.Footer(kStatusFooter);
  struct StatusCommand {
    std::string path;
    bool json = false;
  };
  auto of_status = std::make_shared<StatusCommand>();
  AddPathArgument(status, of_status->path);
  status.AddFlag("--json", of_status->json, "Print a JSON object");
  status.Callback([of_status] { PrintStatus(of_status->path, of_status->json); });

  const Command table = experiment.AddCommand("table", "A table of all cells");
  table.Footer(std::string(kTableHelp) + "\n\n" + kAgainstHelp + kTableExamples);
  auto of_table = std::make_shared<TableCommand>();
  AddPathArgument(table, of_table->path);
  table.AddOption("--by", of_table->by, "Settings that distinguish rows (default: all)")
      .TypeName("SETTING[,...]");
  table.AddOption("--against", of_table->against, "Published numbers to compare with")
      .TypeName("FILE");
  AddTableOptions(table, *of_table);
  table.Callback([of_table] { PrintTable(*of_table, OpenResults(of_table->path)); });

  const Command export_command = experiment.AddCommand("export", "All results in one JSON file");
  export_command.Footer(kExportFooter);
  struct ExportCommand {
    std::string path;
    std::string out = "-";
  };
  auto of_export = std::make_shared<ExportCommand>();
  AddPathArgument(export_command, of_export->path);
  AddOutputOption(export_command, of_export->out);
  export_command.Callback([of_export] {
    WriteFile(of_export->out, SerializeResults(OpenResults(of_export->path, Curves::kIncluded)));
  });

  const Command finished =
      experiment.AddCommand("is-finished", "Exit with 0 if all runs are finished");
  finished.Footer(kFinishedFooter);
  auto of_finished = std::make_shared<std::string>();
  AddPathArgument(finished, *of_finished);
  finished.Callback([of_finished] { ExitUnlessFinished(*of_finished); });
}

void AddCompareCommand(Command program) {
  const Command compare = program.AddCommand("compare", "Results of several runs side by side");
  compare.Footer(std::string(kTableHelp) + kCompareFooter);
  auto command = std::make_shared<TableCommand>();
  compare.AddArguments("runs", command->runs, "Directories of runs").TypeName("RUN...").Required();
  AddTableOptions(compare, *command);
  compare.Callback([command] { PrintTable(*command, ResultsOfRuns(command->runs)); });
}

}  // namespace pushdown::cli
