// The grammars and automata of examples/grammars/, against the definitions of their languages.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzz/stack_simulation.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/formal/chart_parser.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/normal_grammar.h"
#include "tests/formal/example_languages.h"
#include "tests/formal/strings.h"

namespace pushdown {
namespace {

using testing_oracle::ForEachString;
using testing_oracle::IsBalanced;
using testing_oracle::IsPalindrome;

// All symbols are single characters, so that a string of them says all.
using Predicate = std::function<bool(const std::string&)>;

// a, a in brackets, or expressions with + or * between them: operands and operators alternate, and
// brackets are balanced.
bool IsExpression(const std::string& string) {
  bool operand_expected = true;
  int open = 0;
  for (char c : string) {
    const bool begins_operand = c == 'a' || c == '(';
    if (begins_operand != operand_expected) return false;
    if (c == '(') ++open;
    if (c == ')' && --open < 0) return false;
    operand_expected = c != 'a' && c != ')';
  }
  return open == 0 && !operand_expected;
}

// The letters a, b, c in this order; how many of each.
bool IsSorted(const std::string& string, std::ptrdiff_t (&counts)[3]) {
  for (int n = 0; n < 3; ++n) counts[n] = std::count(string.begin(), string.end(), "abc"[n]);
  return std::is_sorted(string.begin(), string.end());
}

bool IsAnBnCm(const std::string& string) {
  std::ptrdiff_t counts[3];
  return IsSorted(string, counts) && counts[0] == counts[1];
}

bool IsAmBnCn(const std::string& string) {
  std::ptrdiff_t counts[3];
  return IsSorted(string, counts) && counts[1] == counts[2];
}

bool IsMarkedReversal(const std::string& string) {
  return IsPalindrome(string) && std::count(string.begin(), string.end(), '#') == 1;
}

bool IsNotEmpty(const std::string& string) { return !string.empty(); }

struct Example {
  std::string symbols;  // sorted
  Predicate contains;
  int length;  // that strings are compared up to
};

const std::map<std::string, Example> kExamples = {
    {"ambiguous.cfg", {"a", IsNotEmpty, 12}},
    {"ambncn.cfg", {"abc", IsAmBnCn, 7}},
    {"anbncm.cfg", {"abc", IsAnBnCm, 7}},
    {"brackets.cfg", {"()", IsBalanced, 10}},
    {"brackets.pda", {"()", IsBalanced, 10}},
    {"expressions.cfg", {"()*+a", IsExpression, 6}},
    {"marked-reversal.cfg", {"#01", IsMarkedReversal, 7}},
    {"palindromes.cfg", {"ab", IsPalindrome, 9}},
};

std::string ReadExample(const std::string& name) {
  std::ifstream in(std::string(PUSHDOWN_EXAMPLES) + "/grammars/" + name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Compares with the definition; `accepts` gets the numbers of the symbols.
void ExpectLanguage(const Example& example, const SymbolTable& symbols,
                    const std::function<bool(const std::vector<int>&)>& accepts) {
  std::vector<std::string> names = symbols.names();
  std::sort(names.begin(), names.end());
  std::string all;
  for (const std::string& name : names) all += name;
  ASSERT_EQ(all, example.symbols);
  int contained = 0;
  for (int length = 0; length <= example.length; ++length) {
    ForEachString(symbols.size(), length, [&](const std::vector<int>& string) {
      std::string text;
      for (int symbol : string) text += symbols.name(symbol);
      const bool expected = example.contains(text);
      contained += expected ? 1 : 0;
      EXPECT_EQ(accepts(string), expected) << '"' << text << '"';
    });
  }
  EXPECT_GT(contained, 5);
}

TEST(ExampleGrammars, AreAllTestedAndSayWhatTheyAre) {
  std::set<std::string> found;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(PUSHDOWN_EXAMPLES) + "/grammars")) {
    found.insert(entry.path().filename());
    EXPECT_TRUE(ReadExample(entry.path().filename()).starts_with("# ")) << entry.path();
  }
  std::set<std::string> tested;
  for (const auto& [name, example] : kExamples) tested.insert(name);
  EXPECT_EQ(found, tested);
}

TEST(ExampleGrammars, HaveTheLanguagesThatTheySay) {
  for (const auto& [name, example] : kExamples) {
    if (!name.ends_with(".cfg")) continue;
    SCOPED_TRACE(name);
    const ParsedGrammar parsed = ParseGrammar(ReadExample(name), name);
    EXPECT_EQ(parsed.warnings, std::vector<std::string>()) << "they are distributions as well";
    const NormalGrammar normal(parsed.grammar);
    ExpectLanguage(example, parsed.grammar.terminals, [&](const std::vector<int>& string) {
      return !StringWeight(normal, string).IsZero();
    });
  }
}

TEST(ExampleGrammars, AutomataHaveTheLanguagesThatTheySay) {
  for (const auto& [name, example] : kExamples) {
    if (!name.ends_with(".pda")) continue;
    SCOPED_TRACE(name);
    const PushdownAutomaton automaton = ParseAutomaton(ReadExample(name), name);
    const StackSimulation runs(automaton);
    ExpectLanguage(example, automaton.inputs, [&](const std::vector<int>& string) {
      const std::vector<bool> accepting = runs.Accepting(string, /*max_stacks=*/1000).value();
      return std::find(accepting.begin(), accepting.end(), false) == accepting.end();
    });
  }
}

TEST(ExampleGrammars, TheAmbiguousOneHasAsManyDerivationsAsItSays) {
  const NormalGrammar normal(ParseGrammar(ReadExample("ambiguous.cfg")).grammar);
  // A derivation of n symbols has 2n - 1 rules, each of probability 1/2.
  const auto derivations = [&](int length) {
    const std::vector<int> string(static_cast<std::size_t>(length), 0);
    double count = StringWeight(normal, string).ToDouble();
    for (int n = 0; n < 2 * length - 1; ++n) count *= 2;
    return count;
  };
  EXPECT_NEAR(derivations(5), 14, 1e-9);
  EXPECT_NEAR(derivations(10), 4862, 1e-9);
}

}  // namespace
}  // namespace pushdown
