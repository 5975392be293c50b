#pragma once

#include <cstddef>
#include <string>

#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// The names of the drawing's nodes: of a state, and of the point that the arrow into the first
// state comes from.
std::string StateNode(int state);
inline constexpr const char* kStartNode = "start";

// A drawing in the language of Graphviz. All transitions between the same two states share an
// arrow, whose label has a line "a, X -> Y Z" for each of them. If there are more than
// `label_lines` and that is not 0, the last line says how many others there are. States that accept
// with the bottom symbol on top have a double circle; if the automaton accepts with other symbols
// on top, or has several languages, the labels of its states say so.
std::string AutomatonDot(const PushdownAutomaton& automaton, std::size_t label_lines = 0);

}  // namespace pushdown
