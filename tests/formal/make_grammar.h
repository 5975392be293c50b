#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "pushdown/formal/grammar.h"

namespace pushdown::testing_oracle {

// left -> right, the symbols of the right side separated by spaces; "" is epsilon.
struct WrittenRule {
  std::string left;
  std::string right;
  Weight weight;
};

// The grammar with these rules. What has rules is a nonterminal, the first one the start symbol;
// everything else is a terminal. Unlike ParseGrammar it takes any grammar and any weight.
inline Grammar MakeGrammar(const std::vector<WrittenRule>& rules) {
  SymbolTable lefts;
  for (const WrittenRule& rule : rules) lefts.Add(rule.left);
  Grammar grammar;
  std::string symbol;
  for (const WrittenRule& rule : rules) {
    for (std::istringstream right(rule.right); right >> symbol;) {
      if (!lefts.Find(symbol)) grammar.terminals.Add(symbol);
    }
  }
  for (const std::string& name : lefts.names()) grammar.AddNonterminal(name);
  const int terminals = grammar.terminals.size();
  grammar.start = terminals;
  for (const WrittenRule& rule : rules) {
    std::vector<int> right;
    for (std::istringstream symbols(rule.right); symbols >> symbol;) {
      const auto left = lefts.Find(symbol);
      right.push_back(left ? terminals + *left : *grammar.terminals.Find(symbol));
    }
    grammar.AddRule(terminals + *lefts.Find(rule.left), right, rule.weight);
  }
  return grammar;
}

// The numbers of terminals whose names are separated by spaces.
inline std::vector<int> Terminals(const SymbolTable& table, const std::string& names) {
  std::vector<int> string;
  std::istringstream stream(names);
  for (std::string name; stream >> name;) string.push_back(table.Find(name).value());
  return string;
}

}  // namespace pushdown::testing_oracle
