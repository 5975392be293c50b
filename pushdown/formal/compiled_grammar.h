#pragma once

#include <cstddef>

#include "pushdown/formal/grammar.h"
#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// What a construction may take. Beyond it, an Error with the numbers is thrown.
struct CompilationLimits {
  std::size_t max_size = 1'000'000;  // symbols of a normal form
  int max_stack_symbols = 4096;      // in restricted form; no stack can have more
};

// The way of a grammar to an automaton in restricted form; see greibach_form.h and automata.h.
struct CompiledGrammar {
  Grammar greibach;
  Grammar two_greibach;
  PushdownAutomaton automaton;
  PushdownAutomaton restricted;
};

// Goes this way with the grammar as it is, and with its rules cut into rules of three and of two
// symbols, and returns what has the fewest pairs of states and stack symbols at its end. Which one
// that is depends on the grammar: long rules make long strings on the stack, and short ones more
// nonterminals.
CompiledGrammar CompileGrammar(const Grammar& grammar, const CompilationLimits& limits = {});

}  // namespace pushdown
