#pragma once

#include <cstddef>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// How large the result of a construction may become. If it becomes larger, the construction throws
// Error of the kind kLimit.
struct CompilationLimits {
  std::size_t max_size = 1'000'000;  // symbols of a normal form
  int max_stack_symbols = 4096;      // in restricted form; no stack can have more
};

// The stages from a grammar to an automaton in restricted form; see greibach_form.h, automata.h and
// restricted_form.h.
struct CompiledGrammar {
  Grammar greibach;
  Grammar two_greibach;
  PushdownAutomaton automaton;
  PushdownAutomaton restricted;
};

// Compiles the grammar as it is, with its rules cut into rules of at most three symbols, and of at
// most two, and returns the result with the fewest pairs of state and stack symbol. Which one that
// is depends on the grammar: long rules make long strings on the stack, short rules make more
// nonterminals.
CompiledGrammar CompileGrammar(const Grammar& grammar, const CompilationLimits& limits = {});

}  // namespace pushdown
