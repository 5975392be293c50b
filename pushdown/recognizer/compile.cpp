#include "pushdown/recognizer/compile.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/automata.h"
#include "pushdown/formal/automaton_grammar.h"
#include "pushdown/formal/compiled_grammar.h"
#include "pushdown/formal/restricted_form.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

class Compiler {
 public:
  Compiler(std::span<const LanguageSource> sources, const CompileOptions& options)
      : sources_(sources), options_(options) {
    limits_.max_size = options.max_size;
    // With more stack symbols, even a network with one state and one hidden unit would have too
    // many parameters: 2 for each pair of stack symbols.
    const double most = std::sqrt(static_cast<double>(options.max_parameters) / 2) + 1;
    limits_.max_stack_symbols = static_cast<int>(std::min<double>(limits_.max_stack_symbols, most));
  }

  RecognizerStages Compile() {
    for (std::size_t source = 0; source < sources_.size(); ++source) {
      try {
        CompileSource(source);
      } catch (const Error& error) {
        throw Error(error.kind(), error.function(), NameOf(source) + ": " + error.message());
      }
    }
    std::vector<PushdownAutomaton> restricted;
    for (const SourceStages& stages : stages_.sources) {
      restricted.push_back(stages.restricted);
      for (const std::string& symbol : options_.alphabet) restricted.back().inputs.Add(symbol);
    }
    CheckAlphabets(restricted);
    stages_.recognizer = PackedStates(WithTrap(Union(restricted)));
    return std::move(stages_);
  }

 private:
  std::string NameOf(std::size_t source) const { return Printable(sources_[source].name, 200); }

  void CompileSource(std::size_t source) {
    const auto& definition = sources_[source].definition;
    if (const auto* grammar = std::get_if<Grammar>(&definition)) {
      CompileLanguage(source, 0, *grammar);
      return;
    }
    const auto& automaton = std::get<PushdownAutomaton>(definition);
    Validate(automaton);
    if (IsNearlyRestricted(automaton)) {
      stages_.sources.push_back(
          {.source = source,
           .automaton = automaton,
           .restricted = RestrictedForm(automaton, limits_.max_stack_symbols)});
      return;
    }
    for (int language = 0; language < automaton.languages(); ++language) {
      CompileLanguage(source, language, GrammarOfAutomaton(automaton, language, options_.max_size));
    }
  }

  void CompileLanguage(std::size_t source, int language, Grammar grammar) {
    CompiledGrammar compiled = CompileGrammar(grammar, limits_);
    stages_.sources.push_back({.source = source,
                               .language = language,
                               .grammar = std::move(grammar),
                               .greibach = std::move(compiled.greibach),
                               .two_greibach = std::move(compiled.two_greibach),
                               .automaton = std::move(compiled.automaton),
                               .restricted = std::move(compiled.restricted)});
  }

  // The automata are those of stages_.sources, with the alphabet of the options.
  void CheckAlphabets(const std::vector<PushdownAutomaton>& automata) const {
    const auto check = [&](std::size_t a, std::size_t b) {
      for (const std::string& name : automata[a].inputs.names()) {
        if (automata[b].inputs.Find(name)) continue;
        throw Error("pushdown::CompileStages",
                    NameOf(stages_.sources[b].source) + " has no symbol " + Quoted(name) +
                        ", which " + NameOf(stages_.sources[a].source) +
                        " has; languages must have the same alphabet, and the option alphabet "
                        "adds symbols to that of all");
      }
    };
    for (std::size_t n = 1; n < automata.size(); ++n) {
      check(0, n);
      check(n, 0);
    }
  }

  std::span<const LanguageSource> sources_;
  const CompileOptions& options_;
  CompilationLimits limits_;
  RecognizerStages stages_;
};

}  // namespace

RecognizerStages CompileStages(std::span<const LanguageSource> sources,
                               const CompileOptions& options) {
  if (sources.empty()) throw Error("pushdown::CompileStages", "there is no language");
  return Compiler(sources, options).Compile();
}

CompiledRecognizer CompileRecognizer(std::span<const LanguageSource> sources,
                                     const CompileOptions& options) {
  CompiledRecognizer compiled;
  for (const LanguageSource& source : sources) compiled.sources.push_back(source.name);
  compiled.automaton = CompileStages(sources, options).recognizer;
  compiled.network = MakeRecognizer(compiled.automaton, options.max_parameters);
  return compiled;
}

}  // namespace pushdown
