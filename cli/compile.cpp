#include "cli/compile.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/counted.h"
#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/json_output.h"
#include "cli/language_options.h"
#include "cli/memory.h"
#include "cli/option_values.h"
#include "cli/recognizer_directory.h"
#include "pushdown/formal/automata.h"
#include "pushdown/formal/automaton_grammar.h"
#include "pushdown/formal/automaton_text.h"
#include "pushdown/formal/compiled_grammar.h"
#include "pushdown/formal/grammar_text.h"
#include "pushdown/formal/restricted_form.h"
#include "pushdown/output_directory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/recognizer/recognizer.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"help(Makes a nondeterministic stack RNN that accepts exactly the strings of a context-free language,
by the constructions of the paper's section 3 and appendix B; of several languages, those that are
in all of them. Nothing is trained. `pushdown recognize` runs it.

A FILE whose name ends in .pda is a pushdown automaton, any other, and standard input (-), a
context-free grammar, as for `pushdown sample --grammar`; probabilities are not needed, and make no
difference. An automaton:
  # Balanced brackets.
  start: q
  bottom: $
  accept: q                 with the bottom symbol on top of the stack, and nothing left to read
  q "(" $ -> q $ X          state, symbol read, top of the stack -> state, what stands in its place
  q "(" X -> q X X          the lowest first: here, X is pushed on X
  q ")" X -> q eps          X is popped
A run whose stack becomes empty ends there, and does not accept.
"accept: q X, r" accepts in q with X on top instead. Several accept: lines are several languages. An
automaton in which a transition reads nothing (eps in place of the symbol), or puts something else
than the top symbol below others, goes through a grammar, which can be large: for n states, up to
n^2 rules for each symbol that is pushed.

The stages, whose sizes are printed:
  grammar          as it is written; it is compiled like that, and with its rules cut to three and
                   to two symbols, and the smallest of the results is taken
  Greibach form    A -> a A1 .. Am, without epsilon and unary rules at most the cube of the
                   grammar's size; left recursion by left corners
  2-Greibach form  A -> a b B1 .. Bp: each rule becomes as many as A1 has
  automaton        pops, replaces, or pushes several symbols; one state for each way to go on
                   between the two symbols of a rule
  restricted       pushes one symbol at a time, which stands for several: at most the beginnings of
                   all strings that are pushed times the nonterminals; only those are made that can
                   be on a stack
  recognizer       all automata in one, with a run for every string, and with states that are never
                   under the same stack symbol made one
  network          rns-STATES-SYMBOLS, with two hidden units an input symbol and one a language (and
                   one if there are several): about 2 (STATES * SYMBOLS)^2 parameters a hidden unit,
                   and 4 for each pair of hidden units

--show prints a stage instead of the sizes: gnf, 2gnf, pda, restricted, dot, which is pda for
Graphviz, or recognizer, the only one that can be of several files. All but dot can be read again;
symbols that are in no rule any more must then be added by --alphabet. Nonterminals: _a stands for
a, A-B for what is missing of an A that begins with a B. States: loop waits for the first symbol of
a rule, m1, m2 .. for the second; q+2 is q and two others. Stack symbols: A.B is A with B on it, A/B
is A for one language and B for another.

DIR gets model.safetensors, the parameters as 64-bit floats, and config.json, which has the
automaton. `pushdown recognize --help` says what the precision of numbers means for long strings.

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
    return JsonText(all);
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

// What a construction complains of is a limit.
template <typename Construct>
auto Limited(const std::string& file, const Construct& construct) {
  try {
    return construct();
  } catch (const Error& error) {
    throw UsageError(fmt::format("{}: {}; --max-size and --max-parameters set the limits",
                                 InputName(file), MessageForUser(error)));
  }
}

bool IsAutomaton(const std::string& file) { return file.ends_with(".pda"); }

class Compiler {
 public:
  explicit Compiler(const CompileCommand& command) : command_(command) {
    std::istringstream alphabet(command.alphabet);
    PushdownAutomaton with_alphabet = {.states = {"q"}, .stack_symbols = {"$"}};
    for (std::string symbol; alphabet >> symbol;) {
      alphabet_.push_back(symbol);
      with_alphabet.inputs.Add(symbol);
    }
    try {  // what cannot be written cannot be a symbol
      AutomatonText(with_alphabet);
    } catch (const Error& error) {
      throw UsageError("--alphabet: " + MessageForUser(error));
    }
  }

  // The text that --show asks for is in `shown` afterwards.
  PushdownAutomaton Compile() {
    for (const std::string& file : command_.files) CompileFile(file);
    CheckAlphabets();
    PushdownAutomaton recognizer = PackedStates(WithTrap(Union(restricted_)));
    report_.AddRecognizer(recognizer);
    Show("recognizer", [&] { return AutomatonText(recognizer); });
    return recognizer;
  }

  const SizeReport& report() const { return report_; }
  const std::string& shown() const { return shown_; }

 private:
  void CompileFile(const std::string& file) {
    constexpr double kMaxBytes = 64e6;
    if (!IsAutomaton(file)) {
      report_.BeginFile(file);
      CompileGrammar(file, ReadGrammarFile(file, GrammarUse::kLanguage));
      return;
    }
    PushdownAutomaton automaton;
    const std::string text = ReadText(file, kMaxBytes);
    try {
      automaton = ParseAutomaton(text, InputName(file));
    } catch (const Error& error) {
      throw UsageError(MessageForUser(error));
    }
    report_.BeginFile(file);
    if (IsNearlyRestricted(automaton)) {
      AddLanguage(file, automaton,
                  Limited(file, [&] { return RestrictedForm(automaton, MaxStackSymbols()); }));
      return;
    }
    report_.Add("as written", "as_written", automaton);
    for (int language = 0; language < automaton.languages(); ++language) {
      if (language > 0) report_.BeginFile(fmt::format("{}, language {}", file, language + 1));
      CompileGrammar(file, Limited(file, [&] {
                       return GrammarOfAutomaton(automaton, language, command_.max_size);
                     }));
    }
  }

  void CompileGrammar(const std::string& file, const Grammar& grammar) {
    report_.Add("grammar", "grammar", grammar);
    const CompiledGrammar compiled = Limited(file, [&] {
      return pushdown::CompileGrammar(
          grammar, {.max_size = command_.max_size, .max_stack_symbols = MaxStackSymbols()});
    });
    report_.Add("Greibach form", "greibach", compiled.greibach);
    Show("gnf", [&] { return GrammarText(compiled.greibach, GrammarUse::kLanguage); });
    report_.Add("2-Greibach form", "two_greibach", compiled.two_greibach);
    Show("2gnf", [&] { return GrammarText(compiled.two_greibach, GrammarUse::kLanguage); });
    AddLanguage(file, compiled.automaton, compiled.restricted);
  }

  void AddLanguage(const std::string& file, const PushdownAutomaton& automaton,
                   PushdownAutomaton restricted) {
    report_.Add("automaton", "automaton", automaton);
    Show("pda", [&] { return AutomatonText(automaton); });
    Show("dot", [&] { return AutomatonDot(automaton); });
    report_.Add("restricted", "restricted", restricted);
    Show("restricted", [&] { return AutomatonText(restricted); });
    for (const std::string& symbol : alphabet_) restricted.inputs.Add(symbol);
    restricted_.push_back(std::move(restricted));
    files_.push_back(file);
  }

  // With more, even a single state and hidden unit would have too many parameters.
  int MaxStackSymbols() const {
    const double most = std::sqrt(static_cast<double>(command_.max_parameters) / 2);
    return static_cast<int>(std::min<double>(CompilationLimits().max_stack_symbols, most + 1));
  }

  template <typename Text>
  void Show(std::string_view what, const Text& text) {
    if (command_.show == what) shown_ += text();
  }

  void CheckAlphabets() const {
    const auto check = [&](std::size_t a, std::size_t b) {
      for (const std::string& name : restricted_[a].inputs.names()) {
        if (restricted_[b].inputs.Find(name)) continue;
        throw UsageError(fmt::format(
            "{} has no symbol {}, which {} has; languages must have the same alphabet, to which "
            "--alphabet \"{}\" would add it",
            Printable(files_[b], 200), Quoted(name), Printable(files_[a], 200), Printable(name)));
      }
    };
    for (std::size_t n = 1; n < restricted_.size(); ++n) {
      check(0, n);
      check(n, 0);
    }
  }

  const CompileCommand& command_;
  std::vector<std::string> alphabet_;
  std::vector<PushdownAutomaton> restricted_;  // by language
  std::vector<std::string> files_;             // and where it came from
  SizeReport report_;
  std::string shown_;
};

void Compile(const CompileCommand& command) {
  if (command.out.empty() && command.show.empty()) {
    throw UsageError("there is nothing to make; give --out DIR or --show STAGE");
  }
  if (!command.show.empty() && command.show != "recognizer" && command.files.size() > 1) {
    throw UsageError(fmt::format("--show {} is of one file; of several, there is --show recognizer",
                                 command.show));
  }
  if (command.show.ends_with("gnf") && IsAutomaton(command.files.front())) {
    throw UsageError(fmt::format("--show {} is of grammars, not of automata", command.show));
  }
  if (std::count(command.files.begin(), command.files.end(), "-") > 1) {
    throw UsageError("only one grammar can come from standard input");
  }
  OutputFile out("-");
  if (!command.out.empty()) {
    try {
      CheckOutputDirectory(command.out);  // first, so that nothing is computed in vain
    } catch (const Error& error) {
      throw UsageError("--out: " + MessageForUser(error));
    }
  }
  ReleaseInterrupts();
  Compiler compiler(command);
  CompiledRecognizer recognizer = {command.files, compiler.Compile(), {}};
  CatchInterrupts();
  if (!command.out.empty()) {
    const PushdownAutomaton& automaton = recognizer.automaton;
    const double parameters = RecognizerParameters(automaton);
    if (parameters > static_cast<double>(command.max_parameters)) {
      throw UsageError(fmt::format(
          "the network of {} states, {} stack symbols and {} hidden units has {:.0f} parameters, "
          "and --max-parameters is {}",
          automaton.states.size(), automaton.stack_symbols.size(),
          RecognizerSpec(automaton).hidden_units, parameters, command.max_parameters));
    }
    // The parameters, and the text of their file.
    CheckMemory(3 * sizeof(double) * parameters,
                fmt::format("a network of {:.0f} parameters", parameters),
                "smaller grammars need less");
    try {
      recognizer.network = MakeRecognizer(automaton);
    } catch (const Error& error) {
      throw UsageError(MessageForUser(error));
    }
    WriteRecognizer(command.out, recognizer);
  }
  out.Write(command.show.empty() ? compiler.report().Text(command.json) : compiler.shown());
  out.Commit();
}

}  // namespace

void AddCompileCommand(CLI::App& program) {
  CLI::App* compile = program.add_subcommand(
      "compile", "Make a network that recognizes a context-free language, or several at once");
  compile->footer(kFooter);
  auto command = std::make_shared<CompileCommand>();
  compile->add_option("FILE", command->files, "Grammars and automata; - for standard input")
      ->type_name("")
      ->required();
  compile->add_option("--out", command->out, "The directory to create")->type_name("DIR");
  compile
      ->add_option("--show", command->show,
                   "Print a stage: gnf, 2gnf, pda, restricted, "
                   "recognizer or dot")
      ->type_name("STAGE")
      ->check(OneOf(std::vector<std::string>(std::begin(kShown), std::end(kShown))));
  compile
      ->add_option("--alphabet", command->alphabet,
                   "Symbols that need not be in the languages, separated by spaces")
      ->type_name("SYMBOLS");
  AddIntegerOption(*compile, "--max-size", command->max_size,
                   "The most symbols that a normal form may have", 1);
  AddIntegerOption(*compile, "--max-parameters", command->max_parameters,
                   "The most parameters that the network may have", 1, std::uint64_t{1} << 40);
  compile->add_flag("--json", command->json, "Print the sizes as a JSON object");
  compile->callback([command] { Compile(*command); });
}

}  // namespace pushdown::cli
