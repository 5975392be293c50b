#include "pushdown/formal/compiled_grammar.h"

#include <optional>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/automata.h"
#include "pushdown/formal/greibach_form.h"
#include "pushdown/formal/normal_form.h"
#include "pushdown/formal/restricted_form.h"

namespace pushdown {
namespace {

CompiledGrammar CompileAsWritten(const Grammar& grammar, const CompilationLimits& limits) {
  CompiledGrammar compiled;
  compiled.greibach = GreibachForm(grammar, limits.max_size);
  compiled.two_greibach = TwoGreibachForm(compiled.greibach, limits.max_size);
  compiled.automaton = AutomatonOfGrammar(compiled.two_greibach);
  compiled.restricted = RestrictedForm(compiled.automaton, limits.max_stack_symbols);
  return compiled;
}

}  // namespace

CompiledGrammar CompileGrammar(const Grammar& grammar, const CompilationLimits& limits) {
  std::optional<CompiledGrammar> best;
  std::size_t best_pairs = 0;
  std::optional<Error> failure;  // the first one, which is about the grammar as it was given
  // Compiles the grammar with rules of at most this many symbols, or as it is.
  const auto consider = [&](std::optional<int> most) {
    try {
      const Grammar candidate = most ? WithShortRules(grammar, *most) : grammar;
      if (most && candidate.rules.size() == grammar.rules.size()) return;
      CompiledGrammar compiled = CompileAsWritten(candidate, limits);
      const PushdownAutomaton packed = PackedStates(WithTrap(compiled.restricted));
      const std::size_t pairs = packed.states.size() * packed.stack_symbols.size();
      if (best && pairs >= best_pairs) return;
      best = std::move(compiled);
      best_pairs = pairs;
    } catch (const Error& error) {
      if (!failure) failure = error;
    }
  };
  consider(std::nullopt);
  consider(3);
  consider(2);
  if (!best) throw Error(*failure);
  return *std::move(best);
}

}  // namespace pushdown
