#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/counted.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/standard_error.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/report/report.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"text(Writes one HTML file with figures that can be explored in a browser. The file needs nothing else,
no network either, and can be sent to others. PATH is any of these, in any number and order; its
content says which:
  DIR         a run of `pushdown train` or `pushdown lm train`, an experiment, or a recognizer of
              `pushdown compile`
  an export   of `pushdown experiment export`, in place of the directory
  strings     `pushdown inspect MODEL STRING --json`: what a model does with strings
  components  `pushdown analyze pca MODEL --json`
  a test      `pushdown evaluate RUN --json`, with its defaults --split test and --bound length, and
              without --lengths and --data, of a run that is given, too; finished runs of
              experiments have their tests already
  automata    in the format of `pushdown compile`; Graphviz (dot) lays them out, if it is installed
  -           one of these files on standard input
--against takes published numbers; each experiment is compared with the first file that has some of
its cells. --string adds a string that the page takes the automata through, step by step.

Examples:
  pushdown report runs/lstm runs/rns-3-3 --out report.html
  pushdown report runs/capacity --against experiments/paper/capacity.json --out capacity.html
  pushdown inspect runs/reversal "0 1 # 1 0" --runs 3 --json | pushdown report - --out inside.html
  pushdown evaluate runs/dyck --json > test.json && pushdown report runs/dyck test.json --out d.html
  pushdown report examples/grammars/brackets.pda --string "( ( ) )" --out brackets.html

Exit code: 0, 1 if the page cannot be written or the program was built without D3 and esbuild, which
its template needs, 2 if an input or the command line is wrong.)text";

struct ReportCommand {
  ReportRequest request;
  std::string out;
};

// "2 runs, 1 inspection".
std::string ContentText(const Report& report) {
  const std::pair<int, const char*> parts[] = {
      {report.experiments, "experiment"}, {report.runs, "run"},
      {report.evaluations, "evaluation"}, {report.inspections, "inspection"},
      {report.analyses, "PCA"},           {report.automata, "automaton"}};
  std::string text;
  for (const auto& [count, name] : parts) {
    if (count == 0) continue;
    const bool automata = count > 1 && name == std::string("automaton");
    text +=
        (text.empty() ? "" : ", ") + (automata ? fmt::format("{} automata", count)
                                               : Counted(static_cast<std::size_t>(count), name));
  }
  return text;
}

void WriteReport(const ReportCommand& command) {
  for (const std::vector<std::string>& inputs : {command.request.paths, command.request.against}) {
    for (const std::string& input : inputs) CheckKeepsInput(command.out, input);
  }
  OutputFile out(command.out);  // first of all, so that nothing is computed in vain
  const Report report = MakeReport(command.request, ReadReportTemplate(), StageBar(), PrintWarning);
  out.Write(report.page);
  out.Commit();
  if (command.out == "-") return;
  PrintMessage(fmt::format("wrote {} ({} kB): {}. Open it in a browser.",
                           Printable(command.out, 200), (report.page.size() + 999) / 1000,
                           ContentText(report)));
}

}  // namespace

void AddReportCommand(Command program) {
  const Command report =
      program.AddCommand("report", "A page with figures of runs, models and automata");
  report.Footer(kFooter);
  auto command = std::make_shared<ReportCommand>();
  report
      .AddArguments("PATH", command->request.paths,
                    "Runs, experiments, inspections, automata and others, see below")
      .TypeName("")
      .Required();
  AddOutputOption(report, command->out).Required();
  report
      .AddRepeated("--against", command->request.against,
                   "Published numbers to compare with; may be repeated")
      .TypeName("FILE");
  report
      .AddRepeated("--string", command->request.strings,
                   "A string for the automata; may be repeated")
      .TypeName("STRING");
  report.AddOption("--title", command->request.title, "The title of the page").TypeName("TEXT");
  report.Callback([command] { WriteReport(*command); });
}

}  // namespace pushdown::cli
