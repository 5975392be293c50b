#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/formal/grammar.h"
#include "pushdown/random.h"
#include "tests/formal/random_grammar.h"

namespace pushdown::testing_oracle {

// Random grammars, each with one of the features that transformations stumble over.
class AwkwardGrammars {
 public:
  static constexpr int kKinds = 13;

  // Seeds that follow each other are of different kinds.
  static Grammar Make(std::uint64_t seed) {
    AwkwardGrammars maker(seed);
    return maker.Make(static_cast<int>(seed % kKinds));
  }

 private:
  explicit AwkwardGrammars(std::uint64_t seed) : random_(seed, /*stream=*/0x61776b77) {}

  Grammar Make(int kind) {
    switch (kind) {
      case 0:
        return EverythingNullable();
      case 1:
        return LeftRecursive(/*epsilon=*/false);
      case 2:
        return LeftRecursive(/*epsilon=*/true);
      case 3:
        return Finite();
      case 4:
        return Empty();
      case 5:
        return WithUselessSymbols();
      case 6:
        return WithLongRules();
      case 7:
        return WithDuplicates();
      case 8:
        return WithStartOnTheRight();
      case 9:
        return UnaryRing();
      case 10:
        return OneNonterminal();
      case 11:
        return Greibach();
      default:
        return Renamed();
    }
  }

  int Below(int limit) { return static_cast<int>(random_.Below(limit)); }
  bool Chance(double probability) { return random_.Uniform() < probability; }

  Grammar Symbols(int max_terminals, int min_nonterminals, int max_nonterminals) {
    Grammar grammar;
    const int terminals = 1 + Below(max_terminals);
    const int nonterminals = min_nonterminals + Below(max_nonterminals - min_nonterminals + 1);
    for (int n = 0; n < terminals; ++n) grammar.terminals.Add(std::string(1, char('a' + n)));
    for (int n = 0; n < nonterminals; ++n) grammar.AddNonterminal(std::string(1, char('S' + n)));
    grammar.start = terminals + Below(nonterminals);
    return grammar;
  }
  int Terminal(const Grammar& grammar) { return Below(grammar.terminals.size()); }
  int Nonterminal(const Grammar& grammar) {
    return grammar.terminals.size() + Below(grammar.nonterminals());
  }
  std::vector<int> Right(const Grammar& grammar, int size) {
    std::vector<int> right;
    for (int n = 0; n < size; ++n) {
      right.push_back(Chance(0.5) ? Terminal(grammar) : Nonterminal(grammar));
    }
    return right;
  }

  Grammar EverythingNullable() {
    Grammar grammar = Symbols(2, 1, 4);
    for (int left = grammar.terminals.size(); left < grammar.symbols(); ++left) {
      for (int n = Below(3); n >= 0; --n) grammar.AddRule(left, Right(grammar, 1 + Below(4)), 1);
      grammar.AddRule(left, {}, 1);
    }
    return grammar;
  }

  // Rules mostly begin with a nonterminal: left recursion is direct, around a ring, and, with
  // epsilon rules, hidden behind what may be empty.
  Grammar LeftRecursive(bool epsilon) {
    Grammar grammar = Symbols(2, 1, 4);
    for (int left = grammar.terminals.size(); left < grammar.symbols(); ++left) {
      for (int n = 1 + Below(2); n > 0; --n) {
        std::vector<int> right = Right(grammar, 1 + Below(2));
        right.insert(right.begin(), Chance(0.3) ? left : Nonterminal(grammar));
        grammar.AddRule(left, right, 1);
      }
      if (Chance(0.7)) grammar.AddRule(left, {Terminal(grammar)}, 1);
      if (epsilon && Chance(0.4)) grammar.AddRule(left, {}, 1);
    }
    return grammar;
  }

  // Nonterminals have only later ones in their rules.
  Grammar Finite() {
    Grammar grammar = Symbols(3, 1, 4);
    grammar.start = grammar.terminals.size();
    for (int left = grammar.start; left < grammar.symbols(); ++left) {
      for (int n = Below(3); n >= 0; --n) {
        std::vector<int> right = Right(grammar, Below(4));
        for (int& symbol : right) {
          if (grammar.IsTerminal(symbol) || symbol > left) continue;
          symbol = left + 1 < grammar.symbols() ? left + 1 + Below(grammar.symbols() - left - 1)
                                                : Terminal(grammar);
        }
        grammar.AddRule(left, right, 1);
      }
    }
    return grammar;
  }

  // The start symbol needs one that never ends, or has no rules at all.
  Grammar Empty() {
    Grammar grammar = AnyRandomGrammar(random_);
    std::vector<Rule> others;
    for (const Rule& rule : grammar.rules) {
      if (rule.left != grammar.start) others.push_back(rule);
    }
    grammar.rules = std::move(others);
    const int endless = grammar.AddNonterminal("N");
    if (Chance(0.5)) grammar.AddRule(endless, {Terminal(grammar), endless}, 1);
    for (int n = Below(3); n > 0; --n) {
      std::vector<int> right = Right(grammar, 1 + Below(3));
      right[Below(static_cast<int>(right.size()))] = endless;
      grammar.AddRule(grammar.start, right, 1);
    }
    return grammar;
  }

  Grammar WithUselessSymbols() {
    Grammar grammar = AnyRandomGrammar(random_);
    const int left = Nonterminal(grammar);
    const int unreachable = grammar.AddNonterminal("N");
    const int endless = grammar.AddNonterminal("O");
    const int without_rules = grammar.AddNonterminal("P");
    grammar.AddRule(unreachable, Right(grammar, Below(3)), 1);
    grammar.AddRule(endless, {endless, Terminal(grammar)}, 1);
    grammar.AddRule(left, {Terminal(grammar), without_rules}, 1);
    grammar.AddRule(left, {endless}, 1);
    grammar.AddRule(grammar.start, {endless, Nonterminal(grammar)}, 1);
    return grammar;
  }

  Grammar WithLongRules() {
    Grammar grammar = Symbols(2, 1, 3);
    for (int left = grammar.terminals.size(); left < grammar.symbols(); ++left) {
      grammar.AddRule(left, Right(grammar, 5 + Below(4)), 1);
      grammar.AddRule(left, Right(grammar, Below(2)), 1);
      if (Chance(0.5)) grammar.AddRule(left, {Terminal(grammar)}, 1);
    }
    return grammar;
  }

  Grammar WithDuplicates() {
    Grammar grammar = AnyRandomGrammar(random_);
    const std::vector<Rule> rules = grammar.rules;
    for (const Rule& rule : rules) {
      for (int n = Below(3); n > 0; --n) grammar.rules.push_back(rule);
    }
    return grammar;
  }

  Grammar WithStartOnTheRight() {
    Grammar grammar = AnyRandomGrammar(random_);
    for (int n = 1 + Below(3); n > 0; --n) {
      std::vector<int> right = Right(grammar, 1 + Below(3));
      right[Below(static_cast<int>(right.size()))] = grammar.start;
      grammar.AddRule(Nonterminal(grammar), right, 1);
    }
    return grammar;
  }

  // All nonterminals derive each other, some only because others may be empty.
  Grammar UnaryRing() {
    Grammar grammar = Symbols(3, 1, 4);
    const int first = grammar.terminals.size();
    const int size = grammar.nonterminals();
    for (int n = 0; n < size; ++n) {
      grammar.AddRule(first + n, {first + (n + 1) % size}, 1);
      if (Chance(0.4)) grammar.AddRule(first + n, Right(grammar, 2), 1);
      if (Chance(0.4)) grammar.AddRule(first + n, {}, 1);
      if (Chance(0.4)) grammar.AddRule(first + n, {Terminal(grammar)}, 1);
    }
    return grammar;
  }

  Grammar OneNonterminal() {
    Grammar grammar = Symbols(2, 1, 1);
    for (int n = Below(4); n >= 0; --n) {
      grammar.AddRule(grammar.start, Right(grammar, 1 + Below(4)), 1);
    }
    if (Chance(0.8)) grammar.AddRule(grammar.start, {Terminal(grammar)}, 1);
    if (Chance(0.5)) grammar.AddRule(grammar.start, {}, 1);
    return grammar;
  }

  // In the form already, except that the start symbol may be on right sides.
  Grammar Greibach() {
    Grammar grammar = Symbols(2, 1, 4);
    for (int left = grammar.terminals.size(); left < grammar.symbols(); ++left) {
      for (int n = Below(3); n >= 0; --n) {
        std::vector<int> right = {Terminal(grammar)};
        for (int m = Below(4); m > 0; --m) right.push_back(Nonterminal(grammar));
        grammar.AddRule(left, right, 1);
      }
      if (Chance(0.5)) grammar.AddRule(left, {Terminal(grammar)}, 1);
    }
    return grammar;
  }

  // Names need not differ.
  Grammar Renamed() {
    Grammar grammar = AnyRandomGrammar(random_);
    for (std::string& name : grammar.nonterminal_names) name = Chance(0.5) ? "a" : "X";
    return grammar;
  }

  Random random_;
};

// Several hundred of these are what tests of transformations go through: the random grammars of
// random_grammar.h, with or without strings, and those above, in turn.
inline Grammar AnyAwkwardGrammar(std::uint64_t seed) {
  if (seed % 3 != 0) return AwkwardGrammars::Make(seed);
  Random random(seed, /*stream=*/0x616e79);
  return AnyRandomGrammar(random);
}

}  // namespace pushdown::testing_oracle
