#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/inspect_text.h"
#include "cli/interrupt.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "cli/standard_error.h"
#include "pushdown/analysis/inspection.h"
#include "pushdown/analysis/inspection_json.h"
#include "pushdown/data/text_corpus.h"
#include "pushdown/data/token_format.h"
#include "pushdown/memory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/train/text_scores.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"help(MODEL is a directory of `pushdown train`, `pushdown lm train` or `pushdown compile`, or a model file
alone. STRING has spaces between its symbols, and is one argument: put it into quotes. FILE has a
string or sentence a line. A sentence is read as if it were the first one of a text.

For each step, the output has the symbol that is read, its log p (natural logarithm) given all
symbols before it, the optimum, and what the stack does then; <eos> is the end of a string:
  optimum     log p_L of the symbol given all symbols before it, exactly, where p_L is the
              distribution that the strings of the training come from; -inf if no string of p_L goes
              on so, - if none begins like that or it takes too much to compute
  transition  of rns, vrns and recognizers: the most probable transitions of this step, as
              STATE TOP OPERATION SYMBOL → STATE, with their probabilities given the whole string;
              without an arrow, the state stays
  top         after the step, the most probable pairs of state and top symbol, given what has been
              read so far: the reading of an rns. Of a vrns, blocks show the components of the
              vector on top, from 0 to 1, on average; of more than 8, the first ones and …
  push, no-op, pop  of sup: the weights of each stack's actions
  weights, norms    of sup: each depth of the stack, the top first, as a block: how much has been
              pushed to it and not been popped, and how long its vector is
Then follow, of rns, vrns and recognizers:
  runs        the most probable runs of the automaton, as their stacks over time, with their
              probabilities among all runs; with --table, as a line for each step, which has the
              symbol that is read, the transition, and the stack after it, the bottom first
  samples     drawn from the distribution over runs, if asked for
  heights     the expected height of the stack, the bottom symbol not counted; and when its top was
              pushed: one block for each step 0, 1, ..., where 0 is the bottom symbol. That is the
              attention of a vrns to the vectors that it pushed
What the last symbol does to the stack is not there: a model reads the stack one step later, and
nothing is read after the last symbol. So a string of n symbols has n - 1 steps of the stack, a
sentence of n words n (<eos> is read before it), and a recognizer's string n (it reads the end).

With --json, each string is one line with all of this, and complete, whatever --steps, --top and
--table are. docs/inside.md has its fields, and explains every number with an example.

Examples:
  pushdown inspect runs/reversal "0 1 1 # 1 1 0"
  pushdown inspect runs/reversal "0 1 1 # 1 1 0" --runs 5 --samples 100 --seed 2
  pushdown inspect runs/reversal "0 1 1 # 1 1 0" --table
  pushdown inspect runs/dyck --file strings.txt --json > inspections.jsonl
  pushdown sample --task dyck --count 1 | pushdown inspect runs/dyck --file - --steps 0:20
  pushdown inspect build/palindromes "a b a" --runs 3

Exit code: 0, 1 if the model gives no finite probabilities or the output cannot be written, 2 if
MODEL, the strings or the command line are wrong.)help";

struct InspectCommand {
  std::string model;
  std::string string;
  std::string file;
  LengthRange lengths;
  LengthRange steps;
  int top = 3;
  bool json = false;
  bool table = false;
  InspectionOptions options;
};

// Texts are split into sentences, with <eos> at the end of each.
std::vector<std::vector<int>> ReadStrings(const Inspector& inspector, const std::string& file) {
  const std::string text = ReadText(file, MemoryLimit() / 16);
  const SymbolTable& vocabulary = inspector.vocabulary();
  if (inspector.kind() != InspectedKind::kText) {
    return ParseStrings(text, vocabulary, InputName(file));
  }
  const std::vector<int> tokens = ParseText(text, InputName(file), vocabulary);
  const std::vector<std::size_t> begins = SentenceBegins(tokens, *vocabulary.Find(kEndOfSentence));
  std::vector<std::vector<int>> sentences;
  for (std::size_t n = 0; n + 1 < begins.size(); ++n) {
    sentences.emplace_back(tokens.begin() + static_cast<std::ptrdiff_t>(begins[n]),
                           tokens.begin() + static_cast<std::ptrdiff_t>(begins[n + 1]));
  }
  return sentences;
}

std::vector<std::vector<int>> StringsOf(const InspectCommand& command, const Inspector& inspector) {
  try {
    if (!command.file.empty()) return ReadStrings(inspector, command.file);
    return {inspector.Encode(command.string)};
  } catch (const Error& error) {
    if (inspector.kind() == InspectedKind::kText) throw;
    throw UsageError(fmt::format("{}; the symbols are: {}", MessageForUser(error),
                                 Printable(AlphabetText(inspector.vocabulary()), 200)));
  }
}

void Inspect(const InspectCommand& command, bool has_lengths, bool has_steps) {
  CheckSimdTarget();
  ReleaseInterrupts();  // a single string may take long
  const std::optional<LengthRange> lengths =
      has_lengths ? std::optional(command.lengths) : std::nullopt;
  const Inspector inspector = OpenInspector(command.model, lengths, StageBar(), PrintWarning);
  const std::vector<std::vector<int>> strings = StringsOf(command, inspector);
  std::size_t longest = 0;
  double work = 0;
  // Of a stack without a window, each step looks at all steps before it, for all before those.
  const auto work_of = [](const std::vector<int>& string) {
    const auto length = static_cast<double>(string.size() + 1);
    return length * length * length;
  };
  for (const std::vector<int>& string : strings) {
    longest = std::max(longest, string.size());
    work += work_of(string);
  }
  CheckMemory(inspector.EstimateBytes(static_cast<int>(longest), command.options),
              fmt::format("{} with a string of {} symbols", ModelName(inspector.spec()), longest),
              "shorter strings, and fewer --runs and --samples need less");
  OutputFile out("-");
  {
    Progress progress("inspecting");
    double done = 0;
    for (std::size_t n = 0; n < strings.size(); ++n) {
      Inspection inspection;
      try {
        inspection = inspector.Inspect(strings[n], command.options, [&](double share) {
          progress.Update((done + share * work_of(strings[n])) / work);
        });
      } catch (const Error& error) {
        throw Error(error.kind(), error.function(),
                    fmt::format("{}: string {}: {}", Printable(command.model, 200), n + 1,
                                MessageForUser(error)));
      }
      if (command.json) {
        out.Write(JsonLine(InspectionJson(inspection)));
      } else {
        const int inputs = static_cast<int>(inspection.inputs.size());
        if (has_steps && command.steps.min > inputs) {
          throw UsageError(fmt::format("--steps {}: string {} has steps 0:{}",
                                       RangeText(command.steps), n + 1, inputs));
        }
        InspectionTextOptions options = {
            .first = 0, .last = inputs, .top = command.top, .table = command.table};
        if (has_steps) {
          options.first = command.steps.min;
          options.last = std::min(command.steps.max, inputs);
        }
        out.Write((n > 0 ? "\n" : "") +
                  InspectionText(inspection, options, inspector.optimum_fault()));
      }
      done += work_of(strings[n]);
      progress.Update(done / work);
    }
  }
  out.Commit();
}

}  // namespace

void AddInspectCommand(Command program) {
  constexpr int kMostRuns = 1'000'000;
  const Command inspect = program.AddCommand(
      "inspect", "Show what a model does with a string, step by step, and the runs of its stack");
  inspect.Footer(kFooter);
  auto command = std::make_shared<InspectCommand>();
  inspect.AddOption("MODEL", command->model, "A trained model, or a compiled recognizer")
      .TypeName("")
      .Required();
  inspect.AddOption("STRING", command->string, "Symbols separated by spaces").TypeName("");
  inspect.AddOption("--file", command->file, "Strings, a line each; - for standard input")
      .TypeName("FILE")
      .Check([](const std::string& name) {
        return name.empty() ? std::string("the name of a file is empty") : std::string();
      });
  AddIntegerOption(inspect, "--runs", command->options.runs, "How many of the most probable runs",
                   0, kMostRuns);
  AddIntegerOption(inspect, "--samples", command->options.samples, "How many sampled runs", 0,
                   kMostRuns);
  AddIntegerOption(inspect, "--seed", command->options.seed,
                   "The same seed gives the same samples");
  AddLengthsOption(inspect, "--steps", command->steps, "Print these steps only (default: all)")
      .Default("");
  AddIntegerOption(inspect, "--top", command->top, "Transitions and tops of a step, at most", 1);
  AddIntegerOption(inspect, "--depths", command->options.depths,
                   "Elements of a superposition stack, at most", 1);
  AddLengthsOption(inspect, "--lengths", command->lengths,
                   "The lengths of the optimum (default: those of the training)")
      .Default("");
  inspect.AddFlag("--table", command->table, "Print runs as tables of steps");
  inspect.AddFlag("--json", command->json, "Print a JSON object for each string");
  inspect.Callback([command, inspect] {
    const bool has_string = inspect.given("STRING");
    if (has_string == !command->file.empty()) {
      throw UsageError(has_string ? "give either STRING or --file, not both"
                                  : "no string is given; give STRING, in quotes, or --file FILE "
                                    "(- for standard input)");
    }
    if (inspect.given("--seed") && command->options.samples == 0) {
      throw UsageError("--seed without --samples: only sampled runs need a seed");
    }
    Inspect(*command, inspect.given("--lengths"), inspect.given("--steps"));
  });
}

}  // namespace pushdown::cli
