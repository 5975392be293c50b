#include "pushdown/formal/automaton_drawing.h"

#include <cstddef>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "pushdown/formal/distinct.h"
#include "pushdown/printable.h"

namespace pushdown {
namespace {

// Text inside a label, which stands in double quotes.
std::string DotEscaped(std::string_view text) {
  std::string escaped;
  for (char c : Printable(text, text.size())) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
    if (c == '&') escaped += "amp;";  // &lt; and the like stand for characters
  }
  return escaped;
}

}  // namespace

std::string StateNode(int state) { return "q" + std::to_string(state); }

std::string AutomatonDot(const PushdownAutomaton& automaton, std::size_t label_lines) {
  Validate(automaton);
  // For each state: whether it accepts with the bottom symbol on top, and its label.
  std::vector<bool> doubled(automaton.states.size(), false);
  std::vector<std::string> labels;
  for (const std::string& name : automaton.states) labels.push_back(DotEscaped(name));
  for (int language = 0; language < automaton.languages(); ++language) {
    for (const AutomatonHead& head : Distinct(automaton.accepting[language])) {
      if (head.top == 0) doubled[head.state] = true;
      if (head.top == 0 && automaton.languages() == 1) continue;
      std::string& label = labels[head.state];
      label += "\\naccepts";
      if (automaton.languages() > 1) label += ' ' + std::to_string(language + 1);
      if (head.top != 0) label += " with " + DotEscaped(automaton.stack_symbols[head.top]);
    }
  }
  std::map<std::pair<int, int>, std::vector<std::string>> arrows;  // the lines of their labels
  for (const AutomatonTransition& transition : Distinct(automaton.transitions)) {
    std::string& line = arrows[{transition.from.state, transition.to}].emplace_back();
    const bool reads = transition.input != kNoInput;
    line = (reads ? DotEscaped(automaton.inputs.name(transition.input)) : "eps") + ", " +
           DotEscaped(automaton.stack_symbols[transition.from.top]) + " ->";
    for (int symbol : transition.pushed) {
      line += ' ' + DotEscaped(automaton.stack_symbols[symbol]);
    }
    if (transition.is_pop()) line += " eps";
  }

  const std::string start = kStartNode;
  std::string dot =
      "digraph automaton {\n"
      "  rankdir=LR;\n"
      "  node [shape=circle];\n"
      "  " +
      start + " [shape=point, label=\"\"];\n";
  for (std::size_t state = 0; state < automaton.states.size(); ++state) {
    dot += "  " + StateNode(static_cast<int>(state)) + " [label=\"" + labels[state] + '"' +
           (doubled[state] ? ", shape=doublecircle" : "") + "];\n";
  }
  dot += "  " + start + " -> " + StateNode(0) + ";\n";
  for (auto& [ends, lines] : arrows) {
    if (label_lines > 0 && lines.size() > label_lines) {
      const std::size_t others = lines.size() - (label_lines - 1);
      lines.resize(label_lines);
      lines.back() = "... " + std::to_string(others) + " more";
    }
    std::string label;
    for (const std::string& line : lines) label += (label.empty() ? "" : "\\n") + line;
    dot += "  " + StateNode(ends.first) + " -> " + StateNode(ends.second) + " [label=\"" + label +
           "\"];\n";
  }
  return dot + "}\n";
}

}  // namespace pushdown
