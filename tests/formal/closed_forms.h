#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "pushdown/formal/grammar.h"
#include "pushdown/random.h"
#include "tests/formal/make_grammar.h"

namespace pushdown::testing_oracle {

// log (n over m).
inline long double LogBinomial(int n, int m) {
  return std::lgamma(n + 1.0L) - std::lgamma(m + 1.0L) - std::lgamma(n - m + 1.0L);
}

// The number of binary trees with n inner nodes.
inline double LogCatalan(int n) {
  return static_cast<double>(LogBinomial(2 * n, n) - std::log(n + 1.0L));
}

// S -> S T [s] | T [1-s]; T -> (i S )i [t/k] | (i )i [(1-t)/k]. Terminals are (1 )1 (2 )2 ...
inline Grammar DyckGrammar(int types, double s, double t) {
  Grammar grammar;
  for (int n = 1; n <= types; ++n) {
    grammar.terminals.Add("(" + std::to_string(n));
    grammar.terminals.Add(")" + std::to_string(n));
  }
  const int sequence = grammar.AddNonterminal("S");
  const int pair = grammar.AddNonterminal("T");
  grammar.start = sequence;
  grammar.AddRule(sequence, {sequence, pair}, s);
  grammar.AddRule(sequence, {pair}, 1 - s);
  for (int n = 0; n < types; ++n) {
    grammar.AddRule(pair, {2 * n, sequence, 2 * n + 1}, t / types);
    grammar.AddRule(pair, {2 * n, 2 * n + 1}, (1 - t) / types);
  }
  return grammar;
}

// The weight of a string of that grammar, of which there is one derivation. Each of its n pairs is
// a T, `leaves` of them with nothing inside. There is an S for the whole string and one inside each
// of the other n - leaves pairs. An S with m factors takes s^(m-1) (1-s), and the factors of all of
// them are the n pairs, so that s is used n - (n - leaves + 1) times.
inline double LogDyckWeight(int pairs, int leaves, int types, double s, double t) {
  const int sequences = pairs - leaves + 1;
  return (pairs - sequences) * std::log(s) + sequences * std::log(1 - s) +
         (pairs - leaves) * std::log(t) + leaves * std::log(1 - t) - pairs * std::log(types);
}

// The weight of all its strings with n pairs: those with so many leaves are counted by the Narayana
// numbers, (n over leaves) (n over leaves-1) / n, and there is a choice of types for each pair.
inline double LogDyckWeightOfLength(int pairs, double s, double t) {
  std::vector<long double> logs;
  long double largest = -INFINITY;
  for (int leaves = 1; leaves <= pairs; ++leaves) {
    const long double log_narayana = LogBinomial(pairs, leaves) + LogBinomial(pairs, leaves - 1) -
                                     std::log(static_cast<long double>(pairs));
    logs.push_back(log_narayana + LogDyckWeight(pairs, leaves, 1, s, t));
    largest = std::max(largest, logs.back());
  }
  long double sum = 0;
  for (long double log : logs) sum += std::exp(log - largest);
  return static_cast<double>(largest + std::log(sum));
}

// A string of brackets in the numbers of DyckGrammar, and its pairs with nothing inside.
struct BracketString {
  std::vector<int> symbols;
  int leaves = 0;
};

// Not of any distribution in particular; types below `types`.
inline BracketString RandomBrackets(int pairs, int types, Random& random) {
  BracketString string;
  std::vector<int> open;
  int opened = 0;
  while (opened < pairs || !open.empty()) {
    const bool opens = opened < pairs && (open.empty() || random.Below(2) == 0);
    if (opens) {
      open.push_back(static_cast<int>(random.Below(types)));
      string.symbols.push_back(2 * open.back());
      ++opened;
    } else {
      if (string.symbols.back() == 2 * open.back()) ++string.leaves;
      string.symbols.push_back(2 * open.back() + 1);
      open.pop_back();
    }
  }
  return string;
}

}  // namespace pushdown::testing_oracle
