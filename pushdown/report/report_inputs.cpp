#include "pushdown/report/report_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/input_file.h"
#include "pushdown/printable.h"
#include "pushdown/report/inspection_input.h"
#include "pushdown/report/pca_input.h"
#include "pushdown/run/recognizer_directory.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/utf8.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

constexpr double kMaxInputBytes = 64e6;  // of a file
constexpr double kMaxAllBytes = 256e6;   // of all files, whose JSON takes 20 times as much memory
constexpr const char* kSpaces = " \t\r\n";
constexpr const char* kWhatIsTaken =
    "a page is made of runs, experiments and recognizers (directories), exports of experiments, "
    "automata, and what `inspect`, `analyze pca` and `evaluate` print with --json";

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ReadReportInputs", message);
}

fs::path Canonical(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? fs::path(path) : canonical;
}

// The last name of a path, without the ending of a file.
std::string ShortName(const std::string& path) {
  if (path == "-") return "automaton";
  const fs::path name = Canonical(path).filename();
  return name.extension() == ".pda" ? name.stem().string() : name.string();
}

// Calls `read`; the message of any error begins with the name.
template <typename Read>
void Within(const std::string& name, const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(), name + ": " + error.message());
  }
}

// One of the objects that commands print with --json, or an export.
void AddObject(std::string_view text, const std::string& source, ReportInputs& inputs,
               std::vector<EvaluationInput>& evaluations) {
  const nlohmann::json object = ReadJson(text);
  const auto with_source = [&source](const Json& value) {
    Json all = {{"source", source}};
    all.update(value);
    return all;
  };
  if (!object.is_object()) Refuse(std::string("expected an object; ") + kWhatIsTaken);
  if (object.contains("what")) {
    inputs.results.push_back({.results = ParseResults(std::string(text)), .path = source});
  } else if (IsInspection(object)) {
    inputs.inspections.push_back(with_source(ReadInspection(object)));
  } else if (IsPca(object)) {
    inputs.pca.push_back(with_source(ReadPca(object)));
  } else if (IsEvaluation(object)) {
    evaluations.push_back(ReadEvaluation(object));
    evaluations.back().source = source;
  } else if (object.contains("names") || object.contains("parts")) {
    Refuse(
        "is of `pushdown analyze readings`; `pushdown inspect MODEL STRING --json` is what shows "
        "readings and transitions on a page");
  } else if (object.contains("cells") && object.contains("runs")) {
    Refuse("has published numbers; --against takes them");
  } else {
    Refuse(std::string("is JSON of another kind; ") + kWhatIsTaken);
  }
}

// One object, or a line for each, as `inspect` prints them. The text has something else than
// spaces.
void AddJsonText(std::string_view text, const std::string& name, ReportInputs& inputs,
                 std::vector<EvaluationInput>& evaluations) {
  const std::size_t end = text.find('\n', text.find_first_not_of(kSpaces));  // of the first line
  const bool has_lines = text[text.find_last_not_of(kSpaces, end)] == '}';
  if (!has_lines) return AddObject(text, name, inputs, evaluations);
  const bool several = text.find_last_not_of(kSpaces) > end;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.find_first_not_of(kSpaces) == line.npos) continue;
    const std::string place = fmt::format("line {}", number);
    const std::string source = several ? fmt::format("{}, {}", name, place) : name;
    Within(place, [&] { AddObject(line, source, inputs, evaluations); });
  }
}

// The directories of runs that belong to no experiment.
struct GivenRuns {
  std::vector<std::string> strings = {};
  std::vector<std::string> text = {};
};

void AddDirectory(const std::string& path, ReportInputs& inputs, GivenRuns& runs) {
  if (HoldsExperiment(path)) {
    inputs.results.push_back(
        {.results = OpenResults(path, Curves::kIncluded), .path = path, .directory = true});
  } else if (!HoldsRun(path)) {
    const std::string fault = DirectoryFault(path);
    Refuse(fmt::format("{}: {}; {}", Printable(path, 200),
                       fault.empty() ? "holds no run, experiment or recognizer" : fault,
                       kWhatIsTaken));
  } else if (HoldsRecognizer(path)) {
    inputs.automata.push_back({.name = ShortName(path),
                               .source = path,
                               .recognizer = true,
                               .automaton = ReadRecognizer(path).automaton});
  } else {
    const DataKind kind = ReadConfig(path).settings.kind;
    (kind == DataKind::kText ? runs.text : runs.strings).push_back(path);
  }
}

// All runs whose directories are known.
std::map<fs::path, RunRecord*> RunsByDirectory(std::vector<ResultsInput>& results) {
  std::map<fs::path, RunRecord*> runs;
  for (ResultsInput& input : results) {
    for (CellResults& cell : input.results.cells) {
      for (std::size_t n = 0; n < cell.runs.size(); ++n) {
        if (!input.path.empty() && !input.directory) continue;
        const std::string name = RunNameOf(cell, n);
        runs.try_emplace(Canonical(input.directory ? PathIn(input.path, name) : name),
                         &cell.runs[n]);
      }
    }
  }
  return runs;
}

// Gives runs the results on their test sets.
void Attach(const std::vector<EvaluationInput>& evaluations, std::vector<ResultsInput>& results) {
  const std::map<fs::path, RunRecord*> runs = RunsByDirectory(results);
  std::map<RunRecord*, std::string> sources;
  for (const EvaluationInput& evaluation : evaluations) {
    fs::path directory = Canonical(evaluation.run);
    if (directory.filename() == kModelFile) directory = directory.parent_path();
    const auto found = runs.find(directory);
    if (found == runs.end()) {
      Refuse(fmt::format("{}: is an evaluation of {}, which is not on the page; give this run, too",
                         Printable(evaluation.source, 200), Printable(evaluation.run, 200)));
    }
    const auto [other, is_first] = sources.try_emplace(found->second, evaluation.source);
    if (!is_first) {
      Refuse(fmt::format("{} and {}: are both evaluations of {}; give one of them",
                         Printable(other->second, 200), Printable(evaluation.source, 200),
                         Printable(evaluation.run, 200)));
    }
    found->second->test = evaluation.test;
  }
}

}  // namespace

void AddFileText(std::string_view text, const std::string& path, ReportInputs& inputs,
                 std::vector<EvaluationInput>& evaluations) {
  const std::string name = InputName(path);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == text.npos) Refuse(fmt::format("{}: is empty; {}", name, kWhatIsTaken));
  if (text.find('\0') != text.npos || !IsUtf8(text)) {
    Refuse(fmt::format("{}: is no text; {}", name, kWhatIsTaken));
  }
  if (text[first] == '{') {
    Within(name, [&] { AddJsonText(text, name, inputs, evaluations); });
    return;
  }
  try {
    inputs.automata.push_back(
        {.name = ShortName(path), .source = name, .automaton = ParseAutomaton(text, name)});
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(),
                error.message() +
                    " (what is not JSON is read as an automaton; `pushdown compile` makes one of a "
                    "grammar)");
  }
}

ReportInputs ReadReportInputs(const std::vector<std::string>& paths,
                              const StageProgress& progress) {
  ReportInputs inputs;
  std::vector<EvaluationInput> evaluations;
  GivenRuns runs;
  std::set<fs::path> seen;
  double bytes = 0;
  for (std::size_t n = 0; n < paths.size(); ++n) {
    const std::string& path = paths[n];
    if (progress) progress("reading", static_cast<double>(n) / static_cast<double>(paths.size()));
    if (!seen.insert(Canonical(path)).second) continue;
    std::error_code error;
    if (fs::is_directory(path, error)) {
      AddDirectory(path, inputs, runs);
      continue;
    }
    const std::string text = ReadFile(path, kMaxInputBytes);
    bytes += static_cast<double>(text.size());
    if (bytes > kMaxAllBytes) {
      Refuse(fmt::format("{}: with this file, there are more than {:.0f} MB, too much for a page",
                         Printable(path, 200), kMaxAllBytes / 1e6));
    }
    AddFileText(text, path, inputs, evaluations);
  }
  for (const std::vector<std::string>& group : {runs.strings, runs.text}) {
    if (group.empty()) continue;
    inputs.results.push_back({.results = ResultsOfRuns(group, Curves::kIncluded)});
    for (const CellResults& cell : inputs.results.back().results.cells) {
      inputs.runs += static_cast<int>(cell.runs.size());
    }
  }
  Attach(evaluations, inputs.results);
  inputs.evaluations = static_cast<int>(evaluations.size());
  return inputs;
}

}  // namespace pushdown
