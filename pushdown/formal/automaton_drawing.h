#pragma once

#include <string>

#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// A drawing in the language of Graphviz. All transitions between the same two states share an
// arrow, whose label has a line "a, X -> Y Z" for each of them. States that accept with the bottom
// symbol on top have a double circle; if the automaton accepts with other symbols on top, or has
// several languages, the labels of its states say so.
std::string AutomatonDot(const PushdownAutomaton& automaton);

}  // namespace pushdown
