#include "cli/recognize.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/json_output.h"
#include "cli/language_options.h"
#include "cli/memory.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/recognizer_directory.h"
#include "cli/simd_target.h"
#include "pushdown/data/data_directory.h"
#include "pushdown/data/token_text.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/recognizer/recognizer.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"help(DIR is a directory of `pushdown compile`. Strings are lines with tokens separated by spaces; an
empty line is the empty string. A symbol that is not in the alphabet is an error.

Output: a line a string, tabs between its columns:
  mark    accept, reject, or unknown if the numbers do not tell (below)
  y       the network's output; a string is accepted if it is more than 1/2, unless rounding may
          have changed that (below)
  string
and between y and string, on request,
  runs, accepting     --runs: how many runs the automaton has on the string, and how many of them
                      accept, for each language; about, if they are many. A grammar's derivations
                      are others: normal forms join and split them
  mass                --mass: the part of accepting runs in all of them, the run that `compile`
                      added for every string included, for each language
With --trace, the readings follow: the distribution of the runs over states and tops of the stack
after each symbol; `pushdown compile --help` explains the names. With --json, a line is an object
{"line": N, "length": n, "accepted": true, false or null, "y": y, "decision": "output", "reading" or
null, "log_runs": natural log of the number of runs, the added one included, "mass": [...],
"string": ...}, and with --trace "readings": [n + 1 objects with the probabilities of "STATE TOP"].

Precision. Numbers are of double precision, and a probability is exactly zero if no run is behind
it. For one language, y differs from 1/2 by about a 16th of the accepting runs' mass, which rounding
may lose if there are more than 2^47 runs. For several languages, the construction subtracts 1/b^n,
with b = STATES (2 SYMBOLS + 1) and n the length; `compile` says up to which length that is exact.
Where it is not, the readings themselves decide, which is the same question, and exact as long as
there were never more than e^700 runs. Beyond that, a string may be unknown.

Examples:
  echo "( ( ) )" | pushdown recognize build/brackets
  pushdown recognize build/anbncn strings.txt --runs --json
  echo "a b a" | pushdown recognize build/palindromes --trace

Exit code: 0 whatever is accepted, 1 if a string is unknown or the output cannot be written, 2 if
DIR, the strings or the command line are wrong.)help";

struct RecognizeCommand {
  std::string directory;
  std::string file = "-";
  bool runs = false;
  bool mass = false;
  bool trace = false;
  bool json = false;
};

const char* MarkOf(const Recognition& recognition) {
  if (recognition.decision == Decision::kOutOfRange) return "unknown";
  return recognition.accepted ? "accept" : "reject";
}

// exp(log_count) as an integer, or to some digits.
std::string CountText(double log_count) {
  constexpr double kExact = 1e11;  // beyond that, rounding shows
  constexpr double kLog10 = 2.302585092994046;
  const double count = std::exp(log_count);
  if (count < kExact) return fmt::format("{:.0f}", count);
  const double exponent = std::floor(log_count / kLog10);
  return fmt::format("{:.3f}e+{:.0f}", std::exp(log_count - exponent * kLog10), exponent);
}

// Without the added run, which begins with the first symbol.
std::string RunsText(double log_runs, bool has_symbols) {
  return has_symbols && log_runs < 30 ? CountText(std::log(std::round(std::exp(log_runs)) - 1))
                                      : CountText(log_runs);
}

class Printer {
 public:
  Printer(const RecognizeCommand& command, const PushdownAutomaton& automaton,
          const Recognizer& recognizer)
      : command_(command), automaton_(automaton), recognizer_(recognizer) {}

  void Print(std::size_t line, const std::vector<int>& string, const Recognition& recognition) {
    if (command_.json) {
      out_.Write(JsonLine(ToJson(line, string, recognition)));
      return;
    }
    std::string text = fmt::format("{}\t{}", MarkOf(recognition), recognition.y);
    if (command_.runs) {
      text += "\t" + RunsText(recognition.log_runs, !string.empty());
      for (double mass : recognition.acceptance) {
        text += "\t" + CountText(std::log(mass) + recognition.log_runs);
      }
    }
    if (command_.mass) {
      for (double mass : recognition.acceptance) text += fmt::format("\t{:.6g}", mass);
    }
    text += "\t" + StringText(automaton_.inputs, string) + "\n";
    if (command_.trace) text += Trace(string);
    out_.Write(text);
  }

  void Finish() { out_.Commit(); }

 private:
  std::string HeadName(std::size_t pair) const {
    const std::size_t symbols = automaton_.stack_symbols.size();
    return automaton_.states[pair / symbols] + " " + automaton_.stack_symbols[pair % symbols];
  }

  // The pairs that have a probability, the largest first.
  static std::vector<std::size_t> Largest(std::span<const double> reading) {
    std::vector<std::size_t> pairs;
    for (std::size_t pair = 0; pair < reading.size(); ++pair) {
      if (reading[pair] > 0) pairs.push_back(pair);
    }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](std::size_t a, std::size_t b) { return reading[a] > reading[b]; });
    return pairs;
  }

  bool Accepts(std::size_t pair) const {
    const std::size_t symbols = automaton_.stack_symbols.size();
    const AutomatonHead head = {static_cast<int>(pair / symbols), static_cast<int>(pair % symbols)};
    return std::any_of(automaton_.accepting.begin(), automaton_.accepting.end(),
                       [&](const auto& heads) {
                         return std::find(heads.begin(), heads.end(), head) != heads.end();
                       });
  }

  // A line for each symbol and pair of state and top, with a bar.
  std::string Trace(const std::vector<int>& string) const {
    constexpr std::size_t kMostPairs = 12;
    constexpr double kBar = 20;
    std::string text;
    for (int t = 0; t <= static_cast<int>(string.size()); ++t) {
      const std::span<const double> reading = recognizer_.reading(t);
      const std::vector<std::size_t> pairs = Largest(reading);
      std::string label = fmt::format("  {:>4} ", t);
      if (t > 0)
        label += Printable(automaton_.inputs.name(string[static_cast<std::size_t>(t - 1)]), 12);
      label = fmt::format("{:<20}", label);
      for (std::size_t n = 0; n < std::min(pairs.size(), kMostPairs); ++n) {
        const double probability = reading[pairs[n]];
        const auto filled = static_cast<std::size_t>(std::ceil(probability * kBar));
        std::string bar;
        for (std::size_t block = 0; block < static_cast<std::size_t>(kBar); ++block) {
          bar += block < filled ? "█" : " ";
        }
        text += fmt::format("{:<20}{} {:<10.4g} {}{}\n", n == 0 ? label : "", bar, probability,
                            Printable(HeadName(pairs[n])), Accepts(pairs[n]) ? "  accepting" : "");
      }
      if (pairs.size() > kMostPairs) {
        text += fmt::format("{:<20}and {} more\n", "", pairs.size() - kMostPairs);
      }
    }
    return text;
  }

  Json ToJson(std::size_t line, const std::vector<int>& string,
              const Recognition& recognition) const {
    const bool known = recognition.decision != Decision::kOutOfRange;
    Json object = {{"line", line},
                   {"length", string.size()},
                   {"accepted", nullptr},
                   {"y", recognition.y},
                   {"decision", nullptr},
                   {"log_runs", recognition.log_runs},
                   {"mass", recognition.acceptance},
                   {"string", StringText(automaton_.inputs, string)}};
    if (known) {
      object["accepted"] = recognition.accepted;
      object["decision"] = recognition.decision == Decision::kOutput ? "output" : "reading";
    }
    if (command_.trace) {
      Json readings = Json::array();
      for (int t = 0; t <= static_cast<int>(string.size()); ++t) {
        const std::span<const double> reading = recognizer_.reading(t);
        Json pairs = Json::object();
        for (std::size_t pair : Largest(reading)) pairs[HeadName(pair)] = reading[pair];
        readings.push_back(std::move(pairs));
      }
      object["readings"] = std::move(readings);
    }
    return object;
  }

  const RecognizeCommand& command_;
  const PushdownAutomaton& automaton_;
  const Recognizer& recognizer_;
  OutputFile out_{"-"};
};

std::vector<std::vector<int>> ReadStrings(const std::string& file, const SymbolTable& alphabet) {
  try {
    return ParseStrings(ReadText(file, MemoryLimit() / 4), alphabet, InputName(file));
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}; the symbols are: {}", MessageForUser(error),
                                 Printable(AlphabetText(alphabet), 200)));
  }
}

void Recognize(const RecognizeCommand& command) {
  CheckSimdTarget();
  ReleaseInterrupts();  // a single string may take long
  const CompiledRecognizer compiled = ReadRecognizer(command.directory);
  const std::vector<std::vector<int>> strings =
      ReadStrings(command.file, compiled.automaton.inputs);
  int longest = 0;
  double work = 0;
  // Nearly all transitions are impossible: the time of a step grows with the columns before it.
  const auto work_of = [](const std::vector<int>& string) {
    const auto length = static_cast<double>(string.size() + 1);
    return length * length;
  };
  for (const std::vector<int>& string : strings) {
    longest = std::max(longest, static_cast<int>(string.size()));
    work += work_of(string);
  }
  CheckMemory(
      Recognizer::EstimateBytes(compiled.network.spec, longest),
      fmt::format("{} with strings of {} symbols", ModelName(compiled.network.spec), longest),
      "shorter strings need less");
  Recognizer recognizer(compiled.automaton, compiled.network, longest);
  Printer printer(command, compiled.automaton, recognizer);
  std::size_t unknown = 0;
  {
    Progress progress("recognizing");
    double done = 0;
    for (std::size_t n = 0; n < strings.size(); ++n) {
      const Recognition recognition = recognizer.Recognize(strings[n]);
      if (recognition.decision == Decision::kOutOfRange) ++unknown;
      printer.Print(n + 1, strings[n], recognition);
      done += work_of(strings[n]);
      progress.Update(done / work);
    }
  }
  printer.Finish();
  if (unknown > 0) {
    throw RunError(
        fmt::format("{}: {} of {} strings are unknown: they have more runs than double precision "
                    "can tell apart",
                    InputName(command.file), unknown, strings.size()));
  }
}

}  // namespace

void AddRecognizeCommand(CLI::App& program) {
  CLI::App* recognize =
      program.add_subcommand("recognize", "Tell which strings the network of a grammar accepts");
  recognize->footer(kFooter);
  auto command = std::make_shared<RecognizeCommand>();
  recognize->add_option("DIR", command->directory, "A directory of `pushdown compile`")
      ->type_name("")
      ->required();
  recognize->add_option("FILE", command->file, "Strings; - for standard input")
      ->type_name("")
      ->capture_default_str();
  recognize->add_flag("--runs", command->runs, "Print how many runs there are");
  recognize->add_flag("--mass", command->mass, "Print the part of accepting runs");
  recognize->add_flag("--trace", command->trace, "Draw the readings after each symbol");
  recognize->add_flag("--json", command->json, "Print a JSON object for each string");
  recognize->callback([command] { Recognize(*command); });
}

}  // namespace pushdown::cli
