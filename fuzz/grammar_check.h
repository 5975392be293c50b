#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/stack_simulation.h"
#include "pushdown/error.h"
#include "pushdown/formal/automata.h"
#include "pushdown/formal/chart_parser.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/greibach_form.h"
#include "pushdown/formal/inside_weights.h"
#include "pushdown/formal/prefix_parser.h"
#include "pushdown/formal/restricted_form.h"

namespace pushdown {

// What make() returns, or nothing if the library refuses.
template <typename Make>
auto UnlessRefused(const Make& make) -> std::optional<decltype(make())> {
  try {
    return make();
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Greibach normal form; rules may begin with two terminals.
inline bool IsGreibachForm(const Grammar& grammar, std::size_t max_terminals) {
  return std::all_of(grammar.rules.begin(), grammar.rules.end(), [&](const Rule& rule) {
    const std::vector<int>& right = rule.right;
    if (right.empty()) return rule.left == grammar.start;
    const std::size_t terminals = std::min(right.size(), max_terminals);
    for (std::size_t n = 0; n < right.size(); ++n) {
      if (grammar.IsTerminal(right[n]) != (n < terminals) || right[n] == grammar.start) {
        return false;
      }
    }
    return true;
  });
}

// Reads any text as a grammar for a language and, if it is one, checks that it can be written and
// read again, and that normal forms and automata have the same short strings.
inline bool CheckGrammarLanguage(std::string_view text) {
  constexpr std::size_t kSmall = 2000;  // bytes
  constexpr std::size_t kMaxSize = 20000;
  constexpr std::size_t kMaxRules = 500;
  constexpr int kMaxSymbols = 512;
  constexpr std::size_t kMaxLength = 3;
  constexpr std::size_t kMaxStacks = 200;
  const auto read = [](std::string_view any_text) {
    return ParseGrammar(any_text, "grammar", GrammarUse::kLanguage).grammar;
  };
  const auto expect = [](bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  };
  const auto parsed = UnlessRefused([&] { return read(text); });
  if (!parsed) return false;
  if (text.size() > kSmall) return true;
  const Grammar& grammar = *parsed;
  const Grammar again = read(SerializeGrammar(grammar, GrammarUse::kLanguage));
  expect(again.rules.size() == grammar.rules.size(), "rules differ after writing and reading");
  expect(again.name(again.start) == grammar.name(grammar.start), "start symbols differ");

  const auto greibach = UnlessRefused([&] { return GreibachForm(grammar, kMaxSize); });
  if (!greibach) return true;
  expect(greibach->terminals == grammar.terminals, "Greibach normal form has other terminals");
  expect(IsGreibachForm(*greibach, 1), "the Greibach normal form is none");
  read(SerializeGrammar(*greibach, GrammarUse::kLanguage));
  const auto two_greibach = UnlessRefused([&] { return TwoGreibachForm(*greibach, kMaxSize); });
  if (!two_greibach) return true;
  expect(two_greibach->terminals == grammar.terminals, "2-Greibach normal form: other terminals");
  expect(IsGreibachForm(*two_greibach, 2), "the 2-Greibach normal form is none");
  read(SerializeGrammar(*two_greibach, GrammarUse::kLanguage));
  if (two_greibach->rules.size() > kMaxRules) return true;

  const PushdownAutomaton automaton = AutomatonOfGrammar(*two_greibach);
  Validate(automaton);
  const auto restricted = UnlessRefused([&] { return RestrictedForm(automaton, kMaxSymbols); });
  // Refused where cycles have a weight of one, up to rounding.
  const auto normal = UnlessRefused([&] { return NormalGrammar(grammar); });
  if (!normal) return true;
  const StackSimulation runs(automaton);
  std::optional<StackSimulation> restricted_runs;
  if (restricted) restricted_runs.emplace(*restricted);
  ForShortStrings(grammar.terminals.size(), kMaxLength, [&](const std::vector<int>& string) {
    const std::vector<bool> expected = {!StringWeight(*normal, string).IsZero()};
    const auto accepting = runs.Accepting(string, kMaxStacks);
    expect(!accepting || *accepting == expected, "the automaton accepts other strings");
    if (!restricted) return;
    const auto restricted_accepting = restricted_runs->Accepting(string, kMaxStacks);
    expect(!restricted_accepting || *restricted_accepting == expected,
           "the restricted automaton accepts other strings");
  });
  return true;
}

// Reads any text as a grammar and, if it is one, checks what must be true of all grammars: it can
// be written and read again, and every string that it samples has a derivation. Only what the
// library reports as an error is caught; returns whether the text was a grammar.
inline bool CheckGrammarFormat(std::string_view text) {
  constexpr std::size_t kSmall = 2000;  // bytes
  constexpr int kMaxLength = 8;
  const auto expect = [](bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  };
  const bool is_language = CheckGrammarLanguage(text);
  const auto parsed = UnlessRefused([&] { return ParseGrammar(text); });
  if (!parsed) return false;
  expect(is_language, "a distribution is refused as a language");
  if (text.size() > kSmall) return true;
  const Grammar& grammar = parsed->grammar;

  const Grammar again = ParseGrammar(SerializeGrammar(grammar)).grammar;
  expect(again.rules.size() == grammar.rules.size(), "rules differ after writing and reading");
  expect(again.name(again.start) == grammar.name(grammar.start), "start symbols differ");

  const auto in_normal_form = UnlessRefused([&] { return NormalGrammar(grammar); });
  if (!in_normal_form) return true;  // cycles whose weight is one, up to rounding
  const NormalGrammar& normal = *in_normal_form;
  const InsideWeights inside(normal, kMaxLength);
  const Weight limit = 1 + 1e-3;  // where nearly all weight is on a cycle, little is exact
  Random random(1);
  for (int length = 0; length <= kMaxLength; ++length) {
    const Weight total = inside.OfLength(length);
    expect(!(limit < total), "the strings of a length have more than all probability");
    if (total.IsZero()) continue;
    const std::vector<int> string = inside.Sample(length, random);
    expect(static_cast<int>(string.size()) == length, "a string has another length");
    const Weight weight = StringWeight(normal, string);
    expect(!weight.IsZero(), "a sampled string has no derivation");
    expect(!(total * limit < weight), "a string is more probable than all of its length");
    const PrefixParse parse = ParsePrefix(normal, string);
    expect(parse.length == length && parse.may_end, "a sampled string is no prefix");
  }
  return true;
}

}  // namespace pushdown
