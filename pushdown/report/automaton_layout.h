#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"

namespace pushdown {

// Where the states and arrows of an automaton are in a drawing, as Graphviz lays it out; in points,
// y downwards.

struct LayoutPoint {
  double x = 0;
  double y = 0;
};

struct LayoutState {
  LayoutPoint centre = {};
  double rx = 0;  // half of its width
  double ry = 0;
};

// An arrow: Bezier curves, of which each but the first begins where the one before it ends, and the
// tip of the arrowhead.
struct LayoutArrow {
  std::vector<LayoutPoint> curve = {};  // 3 n + 1 points
  LayoutPoint tip = {};
};

// All transitions between two states.
struct LayoutEdge {
  int from = 0;
  int to = 0;
  LayoutArrow arrow = {};
  std::optional<LayoutPoint> label = {};      // its centre
  std::vector<std::size_t> transitions = {};  // of the automaton
};

struct AutomatonLayout {
  double width = 0;
  double height = 0;
  std::vector<LayoutState> states = {};
  std::optional<LayoutArrow> start = {};  // into state 0
  std::vector<LayoutEdge> edges = {};     // by states
};

// Lays an automaton out with Graphviz's `dot`. If that is not installed, does not succeed or takes
// longer, there is no layout, and `note` says why.
std::optional<AutomatonLayout> LayOut(const PushdownAutomaton& automaton, std::string& note,
                                      double seconds);

// What `dot -Tjson0` prints for AutomatonDot. Throws Error if it is not that.
AutomatonLayout ParseLayout(const std::string& text, const PushdownAutomaton& automaton);

}  // namespace pushdown
