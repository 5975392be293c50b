#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/counted.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/language_options.h"
#include "cli/option_values.h"
#include "cli/standard_error.h"
#include "pushdown/formal/automaton_drawing.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/json.h"
#include "pushdown/output_directory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/recognizer/compile.h"
#include "pushdown/recognizer/recognizer.h"
#include "pushdown/run/recognizer_directory.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"help(Makes a nondeterministic stack RNN that accepts exactly the strings of a context-free language,
by the constructions of the paper's section 3 and appendix B. If several languages are given, it
accepts the strings that are in all of them. Nothing is trained. `pushdown recognize` runs the
network.

A FILE whose name ends in .pda is a pushdown automaton. Any other FILE, and standard input (-), is a
context-free grammar in the format of `pushdown sample --grammar`; probabilities are not needed, and
make no difference. An automaton looks like this:
  # Balanced brackets.
  start: q
  bottom: $
  accept: q                 with the bottom symbol on top of the stack, at the end of the string
  q "(" $ -> q $ X          state, symbol read, top of the stack -> next state, new symbols
  q "(" X -> q X X          the new symbols replace the top, the lowest first: X is pushed on X
  q ")" X -> q eps          X is popped
A run whose stack becomes empty ends there, and does not accept.
"accept: q X, r" accepts in state q if X is on top, and in state r if the bottom symbol is. Several
accept: lines are several languages. If a transition reads nothing (eps in place of the symbol), or
puts another symbol than the top below others, the automaton is first turned into a grammar. That
can be large: with n states, it has up to n^2 rules for each symbol that is pushed.

The sizes of these stages are printed:
  grammar          the grammar as it is written. It is compiled in this form, and with its rules cut
                   to three and to two symbols, and the smallest of the three results is taken
  Greibach form    rules A -> a A1 .. Am. Without epsilon and unary rules, its size is at most the
                   cube of the grammar's; the left-corner transformation removes left recursion
  2-Greibach form  rules A -> a b B1 .. Bp: each rule becomes as many rules as A1 has
  automaton        its transitions pop, replace, or push several symbols. It has one state for each
                   way to go on between the two symbols of a rule
  restricted       transitions push one symbol at a time, which stands for several symbols of the
                   automaton; only symbols that can be on a stack are made
  recognizer       all automata in one, which has a run for every string. States that never have the
                   same symbol on top are merged
  network          rns-STATES-SYMBOLS, with two hidden units for each input symbol, one for each
                   language, and one more if there are several languages. It has about
                   2 (STATES * SYMBOLS)^2 parameters for each hidden unit, and 4 for each pair of
                   hidden units

--show prints a stage instead of the sizes: gnf, 2gnf, pda, restricted, recognizer, or dot, which
draws pda for Graphviz. Only recognizer can be printed for several files. All stages but dot can be
read again as a FILE; input symbols that no rule has any more must then be added by --alphabet.
In nonterminals, _a stands for the terminal a, and A-B for what must follow a B to make it an A. The
state loop waits for the first symbol of a rule, and m1, m2 .. for the second; q+2 is q merged with
two other states. The stack symbol A.B is A with B on it, and A/B is A for one language and B for
another.

DIR gets model.safetensors, which has the parameters as 64-bit floats, and config.json, which has
the automaton. `pushdown recognize --help` says how precision limits the length of strings.

Examples:
  pushdown compile examples/grammars/brackets.cfg --out build/brackets
  pushdown compile examples/grammars/anbncm.cfg examples/grammars/ambncn.cfg --out build/anbncn
  pushdown compile examples/grammars/brackets.pda --show dot | dot -Tsvg > brackets.svg

Exit code: 0, 1 if DIR or the output cannot be written, 2 if a file or the command line is wrong, or
a limit is exceeded.)help";

struct CompileCommand {
  std::vector<std::string> files;
  std::string out;
  std::string show;
  std::string alphabet;
  std::uint64_t max_size = 1'000'000;
  std::uint64_t max_parameters = 50'000'000;
  bool json = false;
};

constexpr const char* kShown[] = {"gnf", "2gnf", "pda", "restricted", "recognizer", "dot"};

// The sizes of all stages, as lines or in JSON.
class SizeReport {
 public:
  void BeginFile(const std::string& file) {
    text_ += Printable(file, 200) + "\n";
    files_.push_back({{"file", file}});
  }
  void Add(const char* name, const char* key, const Grammar& grammar) {
    text_ += fmt::format("  {:<16} {}, {}, {}\n", name, Counted(grammar.rules.size(), "rule"),
                         Counted(grammar.nonterminals(), "nonterminal"),
                         Counted(grammar.terminals.size(), "terminal"));
    files_.back()[key] = {{"rules", grammar.rules.size()},
                          {"nonterminals", grammar.nonterminals()},
                          {"terminals", grammar.terminals.size()}};
  }
  void Add(const char* name, const char* key, const PushdownAutomaton& automaton) {
    files_.back()[key] = AddLine(name, automaton);
  }
  void AddRecognizer(const PushdownAutomaton& automaton) {
    text_ += "all\n";
    whole_["recognizer"] = AddLine("recognizer", automaton);
    const ModelSpec spec = RecognizerSpec(automaton);
    const double parameters = RecognizerParameters(automaton);
    text_ += fmt::format("  {:<16} {}, {} hidden units, {:.0f} parameters ({:.1f} MB)\n", "network",
                         ModelName(spec), spec.hidden_units, parameters,
                         parameters * sizeof(double) / 1e6);
    whole_["network"] = {{"model", ModelName(spec)},
                         {"hidden_units", spec.hidden_units},
                         {"parameters", static_cast<std::int64_t>(parameters)}};
    if (automaton.languages() == 1) return;
    text_ += fmt::format("  {:<16} up to {} symbols by the output, by the readings beyond\n",
                         "exact", LongestExactLength(automaton));
    whole_["network"]["longest_exact_length"] = LongestExactLength(automaton);
  }

  std::string Text(bool json) const {
    if (!json) return text_;
    Json all = {{"files", files_}};
    all.update(whole_);
    return IndentedJson(all);
  }

 private:
  Json AddLine(const char* name, const PushdownAutomaton& automaton) {
    text_ += fmt::format("  {:<16} {}, {}, {}\n", name, Counted(automaton.states.size(), "state"),
                         Counted(automaton.stack_symbols.size(), "stack symbol"),
                         Counted(automaton.transitions.size(), "transition"));
    return {{"states", automaton.states.size()},
            {"stack_symbols", automaton.stack_symbols.size()},
            {"transitions", automaton.transitions.size()}};
  }

  std::string text_;
  Json files_ = Json::array();
  Json whole_ = Json::object();
};

bool IsAutomaton(const std::string& file) { return file.ends_with(".pda"); }

LanguageSource ReadSource(const std::string& file) {
  constexpr double kMaxBytes = 64e6;
  if (!IsAutomaton(file)) {
    return {InputName(file), ReadGrammarFile(file, GrammarUse::kLanguage, PrintWarning)};
  }
  const std::string text = ReadText(file, kMaxBytes);
  try {
    return {InputName(file), ParseAutomaton(text, InputName(file))};
  } catch (const Error& error) {
    throw UsageError(MessageForUser(error));
  }
}

// The symbols of --alphabet.
std::vector<std::string> ReadAlphabet(const std::string& symbols) {
  std::istringstream words(symbols);
  std::vector<std::string> alphabet;
  PushdownAutomaton with_alphabet = {.states = {"q"}, .stack_symbols = {"$"}};
  for (std::string symbol; words >> symbol;) {
    alphabet.push_back(symbol);
    with_alphabet.inputs.Add(symbol);
  }
  try {  // A name that cannot be written to config.json cannot be a symbol.
    SerializeAutomaton(with_alphabet);
  } catch (const Error& error) {
    throw UsageError("--alphabet: " + MessageForUser(error));
  }
  return alphabet;
}

// Calls a construction of the library. If it exceeds a limit, the error names the options.
template <typename Construct>
auto WithAdvice(const Construct& construct) {
  try {
    return construct();
  } catch (const Error& error) {
    const bool is_limit = error.kind() == ErrorKind::kLimit;
    throw UsageError(MessageForUser(error) +
                     (is_limit ? "; --max-size and --max-parameters set the limits" : ""));
  }
}

SizeReport ReportOf(const std::vector<std::string>& files,
                    const std::vector<LanguageSource>& sources, const RecognizerStages& all) {
  SizeReport report;
  for (const SourceStages& stages : all.sources) {
    const std::string& file = files[stages.source];
    const auto* automaton = std::get_if<PushdownAutomaton>(&sources[stages.source].definition);
    report.BeginFile(
        stages.language == 0 ? file : fmt::format("{}, language {}", file, stages.language + 1));
    if (automaton != nullptr && stages.grammar && stages.language == 0) {
      report.Add("as written", "as_written", *automaton);
    }
    if (stages.grammar) {
      report.Add("grammar", "grammar", *stages.grammar);
      report.Add("Greibach form", "greibach", *stages.greibach);
      report.Add("2-Greibach form", "two_greibach", *stages.two_greibach);
    }
    report.Add("automaton", "automaton", stages.automaton);
    report.Add("restricted", "restricted", stages.restricted);
  }
  report.AddRecognizer(all.recognizer);
  return report;
}

// A stage, in a format that can be read again or drawn.
std::string Shown(std::string_view stage, const RecognizerStages& all) {
  if (stage == "recognizer") return SerializeAutomaton(all.recognizer);
  std::string text;
  for (const SourceStages& stages : all.sources) {
    if (stage == "gnf") text += SerializeGrammar(*stages.greibach, GrammarUse::kLanguage);
    if (stage == "2gnf") text += SerializeGrammar(*stages.two_greibach, GrammarUse::kLanguage);
    if (stage == "pda") text += SerializeAutomaton(stages.automaton);
    if (stage == "restricted") text += SerializeAutomaton(stages.restricted);
    if (stage == "dot") text += AutomatonDot(stages.automaton);
  }
  return text;
}

void Check(const CompileCommand& command) {
  if (command.out.empty() && command.show.empty()) {
    throw UsageError("there is nothing to make; give --out DIR or --show STAGE");
  }
  if (!command.show.empty() && command.show != "recognizer" && command.files.size() > 1) {
    throw UsageError(fmt::format(
        "--show {} needs a single file; for several, there is --show recognizer", command.show));
  }
  if (command.show.ends_with("gnf") && IsAutomaton(command.files.front())) {
    throw UsageError(fmt::format("--show {} is of grammars, not of automata", command.show));
  }
  if (std::count(command.files.begin(), command.files.end(), "-") > 1) {
    throw UsageError("only one grammar can come from standard input");
  }
}

void Compile(const CompileCommand& command) {
  Check(command);
  OutputFile out("-");
  if (!command.out.empty()) {
    try {
      CheckOutputDirectory(command.out);  // first, so that nothing is computed in vain
    } catch (const Error& error) {
      throw UsageError("--out: " + MessageForUser(error));
    }
  }
  ReleaseInterrupts();
  const CompileOptions options = {.alphabet = ReadAlphabet(command.alphabet),
                                  .max_size = command.max_size,
                                  .max_parameters = command.max_parameters};
  std::vector<LanguageSource> sources;
  for (const std::string& file : command.files) sources.push_back(ReadSource(file));
  const RecognizerStages stages = WithAdvice([&] { return CompileStages(sources, options); });
  CatchInterrupts();
  if (!command.out.empty()) {
    // The last construction, which takes the most memory.
    const RecognizerNetwork network =
        WithAdvice([&] { return MakeRecognizer(stages.recognizer, options.max_parameters); });
    WriteRecognizer(command.out, {command.files, stages.recognizer, network});
  }
  out.Write(command.show.empty() ? ReportOf(command.files, sources, stages).Text(command.json)
                                 : Shown(command.show, stages));
  out.Commit();
}

}  // namespace

void AddCompileCommand(Command program) {
  const Command compile = program.AddCommand(
      "compile", "Make a network that recognizes a context-free language, or several at once");
  compile.Footer(kFooter);
  auto command = std::make_shared<CompileCommand>();
  compile.AddArguments("FILE", command->files, "Grammars and automata; - for standard input")
      .TypeName("")
      .Required();
  compile.AddOption("--out", command->out, "The directory to create").TypeName("DIR");
  compile
      .AddOption("--show", command->show,
                 "Print a stage: gnf, 2gnf, pda, restricted, "
                 "recognizer or dot")
      .TypeName("STAGE")
      .OneOf({std::begin(kShown), std::end(kShown)});
  compile
      .AddOption("--alphabet", command->alphabet,
                 "More symbols of the alphabet, separated by spaces")
      .TypeName("SYMBOLS");
  AddIntegerOption(compile, "--max-size", command->max_size,
                   "The most symbols that a normal form may have", 1);
  AddIntegerOption(compile, "--max-parameters", command->max_parameters,
                   "The most parameters that the network may have", 1, std::uint64_t{1} << 40);
  compile.AddFlag("--json", command->json, "Print the sizes as a JSON object");
  compile.Callback([command] { Compile(*command); });
}

}  // namespace pushdown::cli
