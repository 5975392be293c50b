#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/chart_parser.h"
#include "pushdown/formal/grammar_text.h"
#include "pushdown/formal/inside_weights.h"
#include "pushdown/formal/prefix_parser.h"

namespace pushdown {

// Reads any text as a grammar and, if it is one, checks what must be true of all grammars: it can
// be written and read again, and every string that it samples has a derivation. Only what the
// library reports as an error is caught; returns whether the text was a grammar.
inline bool CheckGrammarText(std::string_view text) {
  constexpr std::size_t kSmall = 2000;  // bytes
  constexpr int kMaxLength = 8;
  ParsedGrammar parsed;
  try {
    parsed = ParseGrammar(text);
  } catch (const Error&) {
    return false;
  }
  if (text.size() > kSmall) return true;
  const Grammar& grammar = parsed.grammar;
  const auto expect = [](bool condition, const char* what) {
    if (!condition) throw std::logic_error(what);
  };

  const Grammar again = ParseGrammar(GrammarText(grammar)).grammar;
  expect(again.rules.size() == grammar.rules.size(), "rules differ after writing and reading");
  expect(again.name(again.start) == grammar.name(grammar.start), "start symbols differ");

  std::optional<NormalGrammar> in_normal_form;
  try {
    in_normal_form.emplace(grammar);
  } catch (const Error&) {  // cycles whose weight is one, up to rounding
    return true;
  }
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
