#include "pushdown/formal/grammar_language.h"

#include <utility>

#include "pushdown/formal/chart_parser.h"
#include "pushdown/formal/prefix_parser.h"
#include "pushdown/formal/prefix_weights.h"

namespace pushdown {
namespace {

std::string DescribeExpected(const PrefixParse& parse, const SymbolTable& alphabet) {
  constexpr std::size_t kMostNames = 8;
  // "1 other symbol" would be longer than the name of that symbol.
  const bool all = parse.expected.size() <= kMostNames + 1;
  const std::size_t named = all ? parse.expected.size() : kMostNames;
  std::vector<std::string> choices;
  for (std::size_t n = 0; n < named; ++n) {
    choices.push_back('"' + alphabet.name(parse.expected[n]) + '"');
  }
  if (!all) choices.push_back(std::to_string(parse.expected.size() - named) + " other symbols");
  if (parse.may_end) choices.emplace_back("the end of the string");
  std::string text;
  for (std::size_t n = 0; n < choices.size(); ++n) {
    if (n > 0) text += n + 1 == choices.size() ? " or " : ", ";
    text += choices[n];
  }
  return text;
}

}  // namespace

GrammarLanguage::GrammarLanguage(Grammar grammar, int max_length,
                                 const std::function<void(double)>& progress)
    : Language(grammar.terminals, max_length),
      grammar_(std::move(grammar)),
      normal_(grammar_),
      inside_(normal_, max_length, progress) {}

double GrammarLanguage::DoLogWeightOfLength(int length) const {
  return inside_.OfLength(length).Log();
}

double GrammarLanguage::DoLogWeight(std::span<const int> string) const {
  return StringWeight(normal_, string).Log();
}

std::vector<std::vector<double>> GrammarLanguage::DoLogPrefixWeights(std::span<const int> string,
                                                                     int longest) const {
  std::vector<std::vector<double>> logs;
  for (const std::vector<Weight>& of_prefix : PrefixWeights(normal_, inside_, string, longest)) {
    std::vector<double>& of_length = logs.emplace_back();
    for (const Weight& weight : of_prefix) of_length.push_back(weight.Log());
  }
  return logs;
}

std::optional<Objection> GrammarLanguage::DoFindObjection(std::span<const int> string) const {
  const PrefixParse parse = ParsePrefix(normal_, string);
  const bool ends = parse.length == static_cast<int>(string.size());
  if (ends && parse.may_end) return std::nullopt;
  const std::string found =
      ends ? "the string ends" : "found \"" + alphabet().name(string[parse.length]) + '"';
  return Objection{parse.length + 1, found + ", expected " + DescribeExpected(parse, alphabet())};
}

std::vector<int> GrammarLanguage::DoSample(int length, Random& random) const {
  return inside_.Sample(length, random);
}

}  // namespace pushdown
