#include "pushdown/formal/grammar.h"

#include <utility>

namespace pushdown {

int Grammar::AddNonterminal(std::string name) {
  nonterminal_names.push_back(std::move(name));
  return symbols() - 1;
}

void Grammar::AddRule(int left, std::vector<int> right, Weight weight) {
  if (!weight.IsZero()) rules.push_back({left, std::move(right), weight});
}

std::vector<std::vector<int>> RulesByLeft(const Grammar& grammar) {
  std::vector<std::vector<int>> by_left(static_cast<std::size_t>(grammar.symbols()));
  for (std::size_t n = 0; n < grammar.rules.size(); ++n) {
    by_left[grammar.rules[n].left].push_back(static_cast<int>(n));
  }
  return by_left;
}

std::vector<bool> DerivingSymbols(const Grammar& grammar, bool terminals) {
  // Counts how many symbols of each right side are not yet known to derive a string. When none is
  // left, the rule's left side derives one too.
  std::vector<std::vector<int>> rules_with(static_cast<std::size_t>(grammar.symbols()));
  std::vector<std::size_t> missing(grammar.rules.size());
  std::vector<bool> deriving(static_cast<std::size_t>(grammar.symbols()), false);
  std::vector<int> found;
  const auto find = [&](int symbol) {
    if (deriving[symbol]) return;
    deriving[symbol] = true;
    found.push_back(symbol);
  };
  for (std::size_t n = 0; n < grammar.rules.size(); ++n) {
    const Rule& rule = grammar.rules[n];
    missing[n] = rule.right.size();
    for (int symbol : rule.right) rules_with[symbol].push_back(static_cast<int>(n));
    if (rule.right.empty()) find(rule.left);
  }
  for (int terminal = 0; terminals && terminal < grammar.terminals.size(); ++terminal) {
    find(terminal);
  }
  while (!found.empty()) {
    const int symbol = found.back();
    found.pop_back();
    for (int n : rules_with[symbol]) {
      if (--missing[n] == 0) find(grammar.rules[n].left);
    }
  }
  return deriving;
}

std::vector<bool> ReachableSymbols(const Grammar& grammar) {
  const std::vector<std::vector<int>> by_left = RulesByLeft(grammar);
  std::vector<bool> reachable(static_cast<std::size_t>(grammar.symbols()), false);
  std::vector<int> found = {grammar.start};
  reachable[grammar.start] = true;
  while (!found.empty()) {
    const int left = found.back();
    found.pop_back();
    for (int n : by_left[left]) {
      for (int symbol : grammar.rules[n].right) {
        if (reachable[symbol]) continue;
        reachable[symbol] = true;
        found.push_back(symbol);
      }
    }
  }
  return reachable;
}

}  // namespace pushdown
