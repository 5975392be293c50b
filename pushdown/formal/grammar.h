#pragma once

#include <string>
#include <vector>

#include "pushdown/formal/symbols.h"
#include "pushdown/formal/weight.h"

namespace pushdown {

// left -> right, with a probability or, in transformed grammars, any weight.
struct Rule {
  int left = 0;            // a nonterminal
  std::vector<int> right;  // terminals and nonterminals; empty: epsilon
  Weight weight;
};

// A weighted context-free grammar. The weight of a string is the sum, over its leftmost
// derivations from the start symbol, of the products of their rules' weights.
//
// Terminals are the numbers below terminals.size(), nonterminals those from there on.
class Grammar {
 public:
  SymbolTable terminals = {};
  std::vector<std::string> nonterminal_names = {};  // need not be unique, nor differ from terminals
  std::vector<Rule> rules = {};
  int start = 0;

  int symbols() const { return terminals.size() + nonterminals(); }
  int nonterminals() const { return static_cast<int>(nonterminal_names.size()); }
  bool IsTerminal(int symbol) const { return symbol < terminals.size(); }
  const std::string& name(int symbol) const {
    return IsTerminal(symbol)
               ? terminals.name(symbol)
               : nonterminal_names[static_cast<std::size_t>(symbol - terminals.size())];
  }

  // All terminals must have been added before the first nonterminal.
  int AddNonterminal(std::string name);
  // Rules of weight zero are left out.
  void AddRule(int left, std::vector<int> right, Weight weight);
};

// For each symbol, the indices of the rules that have it as their left side, in ascending order.
std::vector<std::vector<int>> RulesByLeft(const Grammar& grammar);

// For each symbol, whether it derives a string. If `terminals` is false, only the empty string
// counts.
std::vector<bool> DerivingSymbols(const Grammar& grammar, bool terminals = true);
// For each symbol, whether it is in anything that the start symbol derives.
std::vector<bool> ReachableSymbols(const Grammar& grammar);

}  // namespace pushdown
