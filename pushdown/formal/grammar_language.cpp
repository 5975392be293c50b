#include "pushdown/formal/grammar_language.h"

#include <utility>

#include "pushdown/formal/chart_parser.h"
#include "pushdown/formal/prefix_parser.h"

namespace pushdown {
namespace {

std::string ExpectedText(const PrefixParse& parse, const SymbolTable& alphabet) {
  constexpr std::size_t kMostNames = 8;
  std::vector<std::string> choices;
  for (int terminal : parse.expected) {
    if (choices.size() == kMostNames) break;
    choices.push_back('"' + alphabet.name(terminal) + '"');
  }
  if (const std::size_t more = parse.expected.size() - choices.size(); more > 0) {
    choices.push_back(std::to_string(more) + " other symbols");
  }
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

double GrammarLanguage::LogWeightOfLength(int length) const {
  return inside_.OfLength(length).Log();
}

double GrammarLanguage::LogWeight(std::span<const int> string) const {
  return StringWeight(normal_, string).Log();
}

std::optional<Objection> GrammarLanguage::FindObjection(std::span<const int> string) const {
  if (!StringWeight(normal_, string).IsZero()) return std::nullopt;
  const PrefixParse parse = ParsePrefix(normal_, string);
  const bool ends = parse.length == static_cast<int>(string.size());
  const std::string found =
      ends ? "the string ends" : "found \"" + alphabet().name(string[parse.length]) + '"';
  return Objection{parse.length + 1, found + ", expected " + ExpectedText(parse, alphabet())};
}

std::vector<int> GrammarLanguage::Sample(int length, Random& random) const {
  return inside_.Sample(length, random);
}

}  // namespace pushdown
