#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/progress.h"
#include "cli/simd_target.h"
#include "pushdown/data/token_format.h"
#include "pushdown/json.h"
#include "pushdown/memory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/recognizer/recognizer.h"
#include "pushdown/run/recognizer_directory.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"help(DIR is a directory of `pushdown compile`. Each line of FILE is a string, with spaces between its
tokens; an empty line is the empty string. A symbol that is not in the alphabet is an error.

The output has a line for each string, with tabs between these columns:
  mark    accept, reject, or unknown if the precision of numbers does not suffice (see below)
  y       the network's output; a string is accepted if y is more than 1/2, unless rounding may have
          changed that (see below)
  string
Between y and string, there can be:
  runs, accepting     --runs: how many runs the automaton has on the string, and for each language,
                      how many of them accept; large numbers are approximate. These are not the
                      numbers of derivations in the grammar, since normal forms join and split them
  mass                --mass: for each language, the share of accepting runs in all runs, including
                      the run that `compile` added for every string
With --trace, the readings follow: after each symbol, the distribution of the runs over pairs of
state and top symbol. `pushdown compile --help` explains the names of states and symbols. With
--json, a line is an object
{"line": N, "length": n, "accepted": true, false or null, "y": y, "decision": "output", "reading" or
null, "log_runs": natural log of the number of runs, including the added one, "mass": [...],
"string": ...}, and with --trace also "readings": [n + 1 objects with the probabilities of "STATE
TOP"].

Precision: numbers have double precision, and a probability is exactly zero if there is no run
behind it. For one language, y - 1/2 is about a 16th of the accepting runs' mass, and rounding may
lose it if there are more than 2^47 runs. For several languages, the construction subtracts 1/b^n,
where b = STATES (2 SYMBOLS + 1) and n is the length; `compile` prints up to which length this is
exact. Where y is not exact, the readings decide whether every language has accepting runs. This is
exact as long as there were never more than e^700 runs. Beyond that, a string may be unknown.

Examples:
  echo "( ( ) )" | pushdown recognize build/brackets
  pushdown recognize build/anbncn strings.txt --runs --json
  echo "a b a" | pushdown recognize build/palindromes --trace

Exit code: 0 whether or not strings are accepted, 1 if a string is unknown or the output cannot be
written, 2 if DIR, the strings or the command line are wrong.)help";

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

// exp(log_count): a small number with all its digits, a large one rounded.
std::string CountText(double log_count) {
  constexpr double kExact = 1e11;  // beyond that, rounding shows
  constexpr double kLog10 = 2.302585092994046;
  const double count = std::exp(log_count);
  if (count < kExact) return fmt::format("{:.0f}", count);
  const double exponent = std::floor(log_count / kLog10);
  return fmt::format("{:.3f}e+{:.0f}", std::exp(log_count - exponent * kLog10), exponent);
}

// The number of runs without the one that `compile` adds for every string but the empty one.
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
    text += "\t" + SerializeString(automaton_.inputs, string) + "\n";
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
                   {"string", SerializeString(automaton_.inputs, string)}};
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
  // Since nearly all transitions are impossible, the time of a step is proportional to the number
  // of steps before it.
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

void AddRecognizeCommand(Command program) {
  const Command recognize =
      program.AddCommand("recognize", "Tell which strings the network of a grammar accepts");
  recognize.Footer(kFooter);
  auto command = std::make_shared<RecognizeCommand>();
  recognize.AddOption("DIR", command->directory, "A directory of `pushdown compile`")
      .TypeName("")
      .Required();
  recognize.AddOption("FILE", command->file, "Strings; - for standard input")
      .TypeName("")
      .Default(command->file);
  recognize.AddFlag("--runs", command->runs, "Print how many runs there are");
  recognize.AddFlag("--mass", command->mass, "Print the share of accepting runs");
  recognize.AddFlag("--trace", command->trace, "Draw the readings after each symbol");
  recognize.AddFlag("--json", command->json, "Print a JSON object for each string");
  recognize.Callback([command] { Recognize(*command); });
}

}  // namespace pushdown::cli
