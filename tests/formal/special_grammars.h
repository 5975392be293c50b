#pragma once

#include <string>
#include <vector>

#include "pushdown/formal/grammar.h"
#include "tests/formal/make_grammar.h"

namespace pushdown::testing_oracle {

struct SpecialGrammar {
  std::string name;
  Grammar grammar;
};

// Grammars by hand: textbook languages, and the corner cases of normal forms.
inline std::vector<SpecialGrammar> SpecialGrammars() {
  std::vector<SpecialGrammar> grammars;
  const auto add = [&](const std::string& name, const std::vector<WrittenRule>& rules) {
    grammars.push_back({name, MakeGrammar(rules)});
  };
  add("balanced brackets", {{"S", "( S ) S", 1}, {"S", "", 1}});
  add("balanced brackets, ambiguous", {{"S", "S S", 1}, {"S", "( S )", 1}, {"S", "", 1}});
  add("palindromes",
      {{"S", "a S a", 1}, {"S", "b S b", 1}, {"S", "a", 1}, {"S", "b", 1}, {"S", "", 1}});
  add("expressions", {{"E", "E + T", 1},
                      {"E", "T", 1},
                      {"T", "T * F", 1},
                      {"T", "F", 1},
                      {"F", "( E )", 1},
                      {"F", "x", 1}});
  add("marked reversal", {{"S", "a S a", 1}, {"S", "b S b", 1}, {"S", "#", 1}});
  add("a^n b^n c^m", {{"S", "S c", 1}, {"S", "A", 1}, {"A", "a A b", 1}, {"A", "", 1}});
  add("all ways to bracket", {{"S", "S S", 1}, {"S", "a", 1}});
  add("unequal", {{"S", "a S", 1}, {"S", "a S b S", 1}, {"S", "", 1}});
  add("empty, no end", {{"S", "a S", 1}});
  add("empty, a cycle", {{"S", "A", 1}, {"A", "S", 1}});
  add("empty, no terminals", {{"S", "S", 1}});
  add("epsilon, no terminals", {{"S", "", 1}});
  add("epsilon by a detour", {{"S", "A B", 1}, {"A", "", 1}, {"B", "A A", 1}, {"B", "B B", 1}});
  add("epsilon beside what never ends",
      {{"S", "a S", 1}, {"S", "", 1}, {"S", "b N", 1}, {"N", "N", 1}});
  add("one string", {{"S", "a b a b b", 1}});
  add("one symbol", {{"S", "a", 1}});
  add("one symbol through a chain", {{"S", "A", 1}, {"A", "B", 1}, {"B", "a", 1}});
  add("left recursion", {{"S", "S a", 1}, {"S", "b", 1}});
  add("left recursion and nothing else", {{"S", "S a", 1}});
  add("left recursion from epsilon", {{"S", "S a", 1}, {"S", "", 1}});
  add("indirect left recursion",
      {{"S", "A a", 1}, {"A", "B b", 1}, {"B", "S a", 1}, {"B", "b", 1}, {"A", "a", 1}});
  add("hidden left recursion", {{"S", "E S a", 1}, {"S", "b", 1}, {"E", "", 1}, {"E", "a", 1}});
  add("recursion on both sides", {{"S", "S a S", 1}, {"S", "S S b", 1}, {"S", "b", 1}});
  add("a ring of unary rules",
      {{"S", "A", 1}, {"S", "a", 1}, {"A", "B", 1}, {"A", "b", 1}, {"B", "S", 1}, {"B", "S S", 1}});
  add("all may be empty", {{"S", "A B A B", 1},
                           {"A", "a", 1},
                           {"A", "B", 1},
                           {"A", "", 1},
                           {"B", "b A", 1},
                           {"B", "S", 1},
                           {"B", "", 1}});
  add("a long rule of what may be empty",
      {{"S", "A b A b A b A A A A", 1}, {"A", "a", 1}, {"A", "", 1}});
  // More symbols that may be empty than rules can be written for one by one.
  add("forty symbols that may be empty", {{"S",
                                           "A A A A A A A A A A A A A A A A A A A A "
                                           "A A A A A A A A A A A A A A A A A A A A",
                                           1},
                                          {"A", "a", 1},
                                          {"A", "", 1}});
  add("equal rules", {{"S", "a S", 1}, {"S", "a S", 0.5}, {"S", "b", 1}, {"S", "b", 2}});
  add("useless symbols", {{"S", "a S b", 1},
                          {"S", "N a", 1},
                          {"S", "", 1},
                          {"N", "a N", 1},
                          {"U", "b S", 1},
                          {"U", "c", 1}});
  // Languages do not depend on weights, however small or large.
  add("weights", {{"S", "S a", 1e-300}, {"S", "A", 1e300}, {"A", "b", 1e-300}, {"A", "", 7}});
  add("deep left recursion", {{"S", "A a", 1},
                              {"S", "b", 1},
                              {"A", "B a", 1},
                              {"A", "S b", 1},
                              {"B", "C b", 1},
                              {"B", "A a", 1},
                              {"C", "D a", 1},
                              {"C", "B b", 1},
                              {"D", "S S", 1},
                              {"D", "a", 1}});
  return grammars;
}

}  // namespace pushdown::testing_oracle
