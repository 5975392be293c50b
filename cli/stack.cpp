#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/stack_file.h"
#include "cli/stack_run.h"
#include "pushdown/analysis/run_json.h"
#include "pushdown/memory.h"
#include "pushdown/output_file.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(Examples:
  pushdown stack run examples/push_or_keep.json
  pushdown stack run --help)";

constexpr const char* kRunDescription =
    "Feed a stack with given actions; print its readings and, if asked, their gradients";

constexpr const char* kRunFooter = R"(The file:
  {"stack": "rns-3-3",        sup-SIZE[-SIZE...], rns-STATES-SYMBOLS or
                              vrns-STATES-SYMBOLS-SIZE
   "window": 5,               rns, vrns, optional: a run ends when the element on top of its stack,
                              the bottom included, was pushed more than this many steps before;
                              nothing can be popped back to with less than 3
   "bottom": "fixed",         rns, vrns, optional: or "old": the bottom can be neither replaced nor
                              uncovered again, as before the paper's appendix A
   "initial_vector": "correct",  vrns, optional: or "paper-code": the bottom vector counts runs
                              from every configuration, as in the paper's section 5.1, footnote
   "depth_limit": 10,         sup, optional: what is pushed below it is dropped
   "sequences": [
     {"push": [T][q][x][r][y], "replace": [T][q][x][r][y], "pop": [T][q][x][r],
                              rns, vrns: logarithms of the weights of the transitions from state
                              q and top symbol x to state r (and symbol y); "-inf" for weight 0
      "actions": [T][stack][3],  sup: probabilities of push, no-op, pop; used as given, even if
                              they do not sum to one
      "vectors": [T][size],   vrns, sup: what is pushed at each step; sup-2-1 has size 3, one stack
                              after the other
      "bottom_vector": [size]}],  vrns
   "coefficients": [sequence][T+1][reading size]}  for --gradients
State 0 is the initial state and symbol 0 the bottom symbol. A reading is one flat list: by q,
then y (then component) for rns and vrns, the tops of all stacks for sup. There are T+1, the
first of them that of the initial stack.

The output is {"readings": [sequence][T+1][reading size], "gradients": [one object a sequence]},
the gradients being those of sum(coefficients * readings) by every array of the sequence, in
its shape.

For rns and vrns, the runs of the automaton can be asked for:
  --runs K     "runs": for each sequence, its K most probable runs, best first:
               {"log_weight": natural log, "probability": share of all runs, "state": the last,
                "stack": [symbols, bottom first],
                "transitions": [["push", r, y] | ["replace", r, y] | ["pop", r], one a step]}
  --samples N  "samples": N runs of each sequence that are sampled from all its runs
  --marginals  "marginals": for each sequence, probabilities of what its runs do:
               {"push", "replace", "pop": of each transition, in the shape of the file, given all
                  steps,
                "heights": [T+1][h]: of h symbols above the bottom, of the runs up to step t,
                "expected_heights": [T+1]: their means,
                "expected_heights_given_all": [T+1]: the same of the runs of all steps,
                "pushed_in": [T+1][i]: that the top was pushed in step i, 0 being the bottom, of
                  the runs up to step t}

With --chunk, gradients are cut where a chunk ends, as in training on endless text: a reading
has gradients into the actions and vectors of its own chunk only. The initial reading and the
bottom vector belong to the first chunk. Readings do not depend on --chunk.

Examples:
  pushdown stack run actions.json
  pushdown stack run actions.json --dtype double --gradients --out results.json
  generate-actions | pushdown stack run - --chunk 20
  pushdown stack run examples/push_or_keep.json --runs 3 --marginals

Exit code: 0, 1 if a run fails (no run of the automaton survives a step, a result is not
finite, the output cannot be written), 2 if the file or the command line is wrong.)";

struct RunCommand {
  std::string file;
  std::string dtype;  // empty: not given
  std::int64_t chunk = 0;
  bool gradients = false;
  RunsRequest runs;
  std::string out = "-";
};

// Collects small pieces of text into large writes.
class Printer {
 public:
  explicit Printer(OutputFile& file) : file_(file) {}

  void Text(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() > kEnough) Flush();
  }

  // The shortest decimal that reads back as the same number of this type.
  template <typename T>
  void Number(T value) {
    fmt::format_to(std::back_inserter(buffer_), "{}", value);
  }

  void Flush() {
    file_.Write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t kEnough = 1 << 16;

  OutputFile& file_;
  std::string buffer_;
};

// Nested arrays, the outermost with a line for each element; the first number is at `offset`.
template <typename T>
void PrintArray(Printer& out, const std::vector<T>& values, std::int64_t offset,
                const std::vector<Dimension>& dimensions, std::size_t level = 0) {
  if (level == dimensions.size()) {
    out.Number(values[static_cast<std::size_t>(offset)]);
    return;
  }
  const char* separator = level == 0 && dimensions.size() > 1 ? ",\n" : ", ";
  out.Text("[");
  for (std::int64_t n = 0; n < dimensions[level].size; ++n) {
    if (n > 0) out.Text(separator);
    PrintArray(out, values, offset + n * dimensions[level].stride, dimensions, level + 1);
  }
  out.Text("]");
}

void PrintMarginals(Printer& out, const StackSpec& spec, const RunMarginals& marginals) {
  // The transitions have the place and shape of the logits.
  StackArrays<double> arrays;
  arrays.actions = marginals.transitions;
  out.Text("{");
  for (const ArrayField<double>& field : FieldsOfSequence<double>(spec, marginals.steps)) {
    if (!field.logits) continue;
    out.Text(fmt::format("\"{}\": ", field.name));
    PrintArray(out, arrays.*field.array, field.offset, field.dimensions);
    out.Text(",\n");
  }
  const Json others = {{"heights", marginals.heights},
                       {"expected_heights", marginals.expected_heights},
                       {"expected_heights_given_all", marginals.expected_heights_given_all},
                       {"pushed_in", marginals.pushed_in}};
  out.Text(others.dump().substr(1));  // the object goes on
}

// The fields of the runs that are asked for, each with an element for each sequence.
template <typename T>
void PrintRuns(Printer& out, const StackFile<T>& file, const std::vector<StackResults<T>>& results,
               const RunsRequest& request) {
  const auto print = [&](bool asked, const char* name, const auto& element) {
    if (!asked) return;
    out.Text(fmt::format(",\n\"{}\": [", name));
    for (std::size_t n = 0; n < results.size(); ++n) {
      if (n > 0) out.Text(",\n");
      element(results[n].runs);
    }
    out.Text("]");
  };
  const auto print_runs = [&](const std::vector<AutomatonRun>& runs) {
    const char* separator = "[";
    for (const AutomatonRun& run : runs) {
      out.Text(separator);
      out.Text(RunJson(run).dump());
      separator = ",\n";
    }
    out.Text(runs.empty() ? "[]" : "]");
  };
  print(request.best > 0, "runs", [&](const RunsResults& runs) { print_runs(runs.best); });
  print(request.samples > 0, "samples", [&](const RunsResults& runs) { print_runs(runs.samples); });
  print(request.marginals, "marginals",
        [&](const RunsResults& runs) { PrintMarginals(out, file.spec, runs.marginals); });
}

template <typename T>
void PrintResults(Printer& out, const StackFile<T>& file,
                  const std::vector<StackResults<T>>& results, bool gradients,
                  const RunsRequest& request) {
  const std::int64_t size = ReadingSize(file.spec);
  out.Text("{\"readings\": [");
  for (std::size_t n = 0; n < results.size(); ++n) {
    if (n > 0) out.Text(",\n");
    PrintArray<T>(out, results[n].readings, 0,
                  {{file.sequences[n].steps + 1, size, ""}, {size, 1, ""}});
  }
  out.Text("]");
  if (gradients) {
    out.Text(",\n\"gradients\": [");
    for (std::size_t n = 0; n < results.size(); ++n) {
      const char* separator = n > 0 ? ",\n{" : "{";
      for (const ArrayField<T>& field : FieldsOfSequence<T>(file.spec, file.sequences[n].steps)) {
        out.Text(separator);
        out.Text(fmt::format("\"{}\": ", field.name));
        PrintArray(out, results[n].gradients.*field.array, field.offset, field.dimensions);
        separator = ",\n";
      }
      out.Text("}");
    }
    out.Text("]");
  }
  PrintRuns(out, file, results, request);
  out.Text("}\n");
  out.Flush();
}

template <typename T>
void Run(const RunCommand& command) {
  constexpr double kMemoryPerByte = 25;  // of "0,0,0,...", the worst there is
  const std::string name = InputName(command.file);
  StackFile<T> file;
  std::vector<StackResults<T>> results;
  CheckSimdTarget();
  CheckKeepsInput(command.out, command.file);
  // First of all, so that nothing is computed in vain.
  OutputFile out(command.out);
  std::string text = ReadText(command.file, MemoryLimit() / kMemoryPerByte);
  try {
    file = ReadStackFile<T>(std::exchange(text, {}));
    if (command.gradients && !file.has_coefficients) {
      throw UsageError("coefficients: missing, and needed for --gradients");
    }
    Progress progress("running the stack");
    const StackRunOptions options = {
        .chunk =
            static_cast<int>(std::min<std::int64_t>(command.chunk, std::max(file.max_steps, 1))),
        .gradients = command.gradients,
        .runs = command.runs,
        .memory_limit = MemoryLimit(),
        .progress = [&progress](double done) { progress.Update(done); }};
    results = RunStackFile(file, options);
  } catch (const UsageError& error) {
    throw UsageError(name + ": " + error.what());
  } catch (const RunError& error) {
    throw RunError(name + ": " + error.what());
  }
  Printer printer(out);
  PrintResults(printer, file, results, command.gradients, command.runs);
  out.Commit();
}

}  // namespace

void AddStackCommand(Command program) {
  const Command stack = program.AddCommand("stack", "Run stacks by themselves");
  stack.Footer(kFooter);
  stack.RequireCommand();

  const Command run = stack.AddCommand("run", kRunDescription);
  run.Footer(kRunFooter);
  auto command = std::make_shared<RunCommand>();
  run.AddOption("FILE", command->file, "JSON file with the actions; - for standard input")
      .TypeName("")
      .Required();
  run.AddOption("--dtype", command->dtype,
                "Type to compute with (default: float, or double if runs are asked for)")
      .TypeName("TYPE")
      .OneOf({"float", "double"});
  AddIntegerOption(run, "--chunk", command->chunk, "Cut gradients every N steps", 1).Default("");
  run.AddFlag("--gradients", command->gradients,
              "Compute gradients too; needs coefficients in the file");
  AddIntegerOption(run, "--runs", command->runs.best, "Print the K most probable runs (rns, vrns)",
                   1)
      .TypeName("K")
      .Default("");
  AddIntegerOption(run, "--samples", command->runs.samples, "Print N sampled runs (rns, vrns)", 1)
      .TypeName("N")
      .Default("");
  AddIntegerOption(run, "--seed", command->runs.seed, "The same seed gives the same samples");
  run.AddFlag("--marginals", command->runs.marginals,
              "Print probabilities of transitions, heights and tops (rns, vrns)");
  AddOutputOption(run, command->out);
  run.Callback([command, run] {
    if (run.given("--seed") && command->runs.samples == 0) {
      throw UsageError("--seed: only --samples draws anything");
    }
    const bool by_default = command->dtype.empty() && command->runs.any();
    if (command->dtype == "double" || by_default) {
      Run<double>(*command);
    } else {
      Run<float>(*command);
    }
  });
}

}  // namespace pushdown::cli
