#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pushdown/formal/grammar.h"
#include "pushdown/random.h"
#include "tests/formal/derivations.h"

namespace pushdown::testing_oracle {

// Whether the start symbol derives a string, straight from the definition.
inline bool HasString(const Grammar& grammar) {
  std::vector<bool> productive(static_cast<std::size_t>(grammar.symbols()), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Rule& rule : grammar.rules) {
      bool all = true;
      for (int symbol : rule.right) all = all && (grammar.IsTerminal(symbol) || productive[symbol]);
      if (all && !productive[rule.left]) changed = productive[rule.left] = true;
    }
  }
  return productive[grammar.start];
}

// 2 to 5 nonterminals with 1 to 4 rules each, 1 to 3 terminals, right sides of 0 to 4 symbols.
// There may be epsilon rules, cycles of unary rules, equal rules, and nonterminals that are
// unreachable or have no string; the probabilities of a nonterminal's rules sum to one.
inline Grammar AnyRandomGrammar(Random& random) {
  Grammar grammar;
  const int terminals = 1 + static_cast<int>(random.Below(3));
  const int nonterminals = 2 + static_cast<int>(random.Below(4));
  for (int n = 0; n < terminals; ++n) grammar.terminals.Add(std::string(1, char('a' + n)));
  for (int n = 0; n < nonterminals; ++n) grammar.AddNonterminal(std::string(1, char('S' + n)));
  grammar.start = terminals + static_cast<int>(random.Below(nonterminals));
  for (int left = terminals; left < grammar.symbols(); ++left) {
    std::vector<std::vector<int>> alternatives(1 + random.Below(4));
    std::vector<double> shares;
    double total = 0;
    for (std::vector<int>& right : alternatives) {
      // Short sides are the more frequent ones: they make the epsilon and unary rules.
      constexpr int kSizes[] = {0, 1, 1, 1, 2, 2, 3, 4};
      right.resize(kSizes[random.Below(8)]);
      for (int& symbol : right) symbol = static_cast<int>(random.Below(grammar.symbols()));
      shares.push_back(random.Uniform(0.05, 1.0));
      total += shares.back();
    }
    for (std::size_t n = 0; n < alternatives.size(); ++n) {
      grammar.AddRule(left, alternatives[n], shares[n] / total);
    }
  }
  return grammar;
}

// The first of the random grammars of this seed that has a string and whose weights the oracle can
// find; those close to critical take it too long.
inline Grammar RandomGrammar(std::uint64_t seed) {
  Random random(seed, /*stream=*/0x6772616d);
  while (true) {
    Grammar grammar = AnyRandomGrammar(random);
    if (HasString(grammar) && IteratedDerivationWeights(grammar, 0.0L)) return grammar;
  }
}

// For messages.
inline std::string RulesText(const Grammar& grammar) {
  std::string text = "start " + grammar.name(grammar.start) + "\n";
  for (const Rule& rule : grammar.rules) {
    text += grammar.name(rule.left) + " ->";
    for (int symbol : rule.right) text += " " + grammar.name(symbol);
    text += " [" + std::to_string(rule.weight.ToDouble()) + "]\n";
  }
  return text;
}

}  // namespace pushdown::testing_oracle
