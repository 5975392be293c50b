#include "pushdown/formal/languages.h"

#include <array>
#include <sstream>

#include "pushdown/error.h"
#include "pushdown/formal/grammar_format.h"
#include "pushdown/formal/grammar_language.h"
#include "pushdown/formal/pattern_language.h"
#include "pushdown/nearest.h"

namespace pushdown {
namespace {

constexpr int kMaxSymbols = 100000;

using Piece = PatternLanguage::Piece;

// Stands for the marker #, whose number depends on how many other symbols there are.
constexpr int kHash = -1;

struct Pattern {
  std::string_view name;
  bool second_alphabet = false;  // for the last piece
  std::vector<Piece> pieces;
};

const std::vector<Pattern>& Patterns() {
  using enum Piece::Kind;
  static const std::vector<Pattern> patterns = {
      {"marked-reverse-and-copy",
       false,
       {{kWord}, {kMarker, kHash}, {kReversed}, {kMarker, kHash}, {kWord}}},
      {"count-and-copy", false, {{kWord}, {kRepeated, kHash}, {kWord}}},
      {"marked-copy", false, {{kWord}, {kMarker, kHash}, {kWord}}},
      {"unmarked-copy-different-alphabets", true, {{kWord}, {kWord}}},
      {"unmarked-reverse-and-copy", false, {{kWord}, {kReversed}, {kWord}}},
      {"unmarked-copy", false, {{kWord}, {kWord}}},
  };
  return patterns;
}

// 0, 1, ..., count-1
SymbolTable NumberAlphabet(int count) {
  SymbolTable alphabet;
  for (int n = 0; n < count; ++n) alphabet.Add(std::to_string(n));
  return alphabet;
}

std::unique_ptr<Language> MakePatternLanguage(const LanguageInfo& info, int symbols,
                                              int max_length) {
  using enum Piece::Kind;
  if (info.name == "count-3") {
    SymbolTable alphabet;
    for (const char* name : {"a", "b", "c"}) alphabet.Add(name);
    return std::make_unique<PatternLanguage>(
        alphabet, 0, std::vector<Piece>{{kRepeated, 0}, {kRepeated, 1}, {kRepeated, 2}},
        max_length);
  }
  for (const Pattern& pattern : Patterns()) {
    if (pattern.name != info.name) continue;
    SymbolTable alphabet = NumberAlphabet(pattern.second_alphabet ? 2 * symbols : symbols);
    std::vector<Piece> pieces = pattern.pieces;
    for (Piece& piece : pieces) {
      if (piece.symbol == kHash) piece.symbol = alphabet.Add("#");
    }
    if (pattern.second_alphabet) pieces.back().symbol = symbols;
    return std::make_unique<PatternLanguage>(alphabet, symbols, pieces, max_length);
  }
  throw Error("pushdown::MakeLanguage", info.name + " has no definition");
}

// S -> a S a [p/k] | ..., which the three reversals have in common; returns S.
int AddReversal(Grammar& grammar, int symbols, double p) {
  const int s = grammar.AddNonterminal("S");
  grammar.start = s;
  for (int a = 0; a < symbols; ++a) grammar.AddRule(s, {a, s, a}, p / symbols);
  return s;
}

Grammar MarkedReversal(int symbols, double p) {
  Grammar grammar{.terminals = NumberAlphabet(symbols)};
  const int hash = grammar.terminals.Add("#");
  const int s = AddReversal(grammar, symbols, p);
  grammar.AddRule(s, {hash}, 1 - p);
  return grammar;
}

Grammar UnmarkedReversal(int symbols, double p) {
  Grammar grammar{.terminals = NumberAlphabet(symbols)};
  const int s = AddReversal(grammar, symbols, p);
  grammar.AddRule(s, {}, 1 - p);
  return grammar;
}

Grammar PaddedReversal(int symbols, double p, double g) {
  Grammar grammar{.terminals = NumberAlphabet(symbols)};
  const int s = AddReversal(grammar, symbols, p);
  for (int a = 0; a < symbols; ++a) {
    const int padding = grammar.AddNonterminal("T_" + std::to_string(a));
    grammar.AddRule(s, {padding}, (1 - p) / symbols);
    grammar.AddRule(padding, {a, padding}, g);
    grammar.AddRule(padding, {}, 1 - g);
  }
  return grammar;
}

Grammar Dyck(int symbols, double s, double t) {
  Grammar grammar;
  for (int i = 1; i <= symbols; ++i) {
    grammar.terminals.Add("(" + std::to_string(i));
    grammar.terminals.Add(")" + std::to_string(i));
  }
  const int brackets = grammar.AddNonterminal("S");
  const int one = grammar.AddNonterminal("T");
  grammar.start = brackets;
  grammar.AddRule(brackets, {brackets, one}, s);
  grammar.AddRule(brackets, {one}, 1 - s);
  for (int i = 0; i < symbols; ++i) {
    const int open = 2 * i;
    const int close = open + 1;
    grammar.AddRule(one, {open, brackets, close}, t / symbols);
    grammar.AddRule(one, {open, close}, (1 - t) / symbols);
  }
  return grammar;
}

// Greibach's hardest context-free language. Blocks end with ; and their pieces with a comma. One
// piece of each block is chosen, and the chosen pieces together must be $ and a string of the Dyck
// language with two types of brackets.
Grammar HardestCfl(double c, double u, double v, double q, double s, double t) {
  struct WrittenRule {
    const char* left;
    const char* right;  // symbols and spaces
    double weight;
  };
  const std::vector<WrittenRule> rules = {
      {"S'", "R $ Q S L ;", 1},
      {"L", "L' , U", 1},
      {"L'", ", V L'", c},
      {"L'", "", 1 - c},
      {"R", "U , R'", 1},
      {"R'", "R' V ,", c},
      {"R'", "", 1 - c},
      {"U", "W U", u},
      {"U", "", 1 - u},
      {"V", "W V", v},
      {"V", "W", 1 - v},
      {"W", "(", 0.2},
      {"W", ")", 0.2},
      {"W", "[", 0.2},
      {"W", "]", 0.2},
      {"W", "$", 0.2},
      {"Q", "L ; R", q},
      {"Q", "", 1 - q},
      {"S", "S Q T", s},
      {"S", "T", 1 - s},
      {"T", "( Q S Q )", t / 2},
      {"T", "[ Q S Q ]", t / 2},
      {"T", "( Q )", (1 - t) / 2},
      {"T", "[ Q ]", (1 - t) / 2},
  };
  Grammar grammar;
  for (const char* name : {"(", ")", "[", "]", ",", ";", "$"}) grammar.terminals.Add(name);
  SymbolTable symbols = grammar.terminals;
  for (const WrittenRule& rule : rules) {
    if (!symbols.Find(rule.left)) grammar.AddNonterminal(rule.left);
    symbols.Add(rule.left);
  }
  for (const WrittenRule& rule : rules) {
    std::istringstream names(rule.right);
    std::vector<int> right;
    for (std::string name; names >> name;) right.push_back(symbols.Find(name).value());
    grammar.AddRule(symbols.Find(rule.left).value(), right, rule.weight);
  }
  grammar.start = symbols.Find("S'").value();
  return grammar;
}

template <typename Named>
std::string Names(std::span<const Named> all) {
  std::string names;
  for (const Named& each : all) {
    if (!names.empty()) names += ", ";
    names += each.name;
  }
  return names;
}

template <typename Named>
std::vector<std::string> NameList(std::span<const Named> all) {
  std::vector<std::string> names;
  for (const Named& each : all) names.push_back(each.name);
  return names;
}

template <typename Named>
std::string SuggestionAmong(std::span<const Named> all, std::string_view name) {
  return Suggestion(name, NameList(all));
}

}  // namespace

std::span<const LanguageInfo> KnownLanguages() {
  static const LanguageParameter reversal_p = {"p", "60/61",
                                               "probability that another pair of symbols follows"};
  static const std::array<LanguageInfo, 12> languages = {{
      {.name = "count-3", .definition = "a^n b^n c^n"},
      {.name = "marked-reverse-and-copy", .definition = "w # w^R # w", .default_symbols = 2},
      {.name = "count-and-copy", .definition = "w #^n w with n = |w|", .default_symbols = 2},
      {.name = "marked-copy", .definition = "w # w", .default_symbols = 2},
      {.name = "unmarked-copy-different-alphabets",
       .definition = "w w', w' = w in other symbols",
       .default_symbols = 2},
      {.name = "unmarked-reverse-and-copy", .definition = "w w^R w", .default_symbols = 2},
      {.name = "unmarked-copy", .definition = "w w", .default_symbols = 2},
      {.name = "marked-reversal",
       .definition = "w # w^R",
       .context_free = true,
       .default_symbols = 2,
       .parameters = {reversal_p}},
      {.name = "dyck",
       .definition = "balanced brackets",
       .context_free = true,
       .default_symbols = 2,
       .parameters = {{"s", "1/2", "probability that another bracketed group stands before"},
                      {"t", "39/40", "probability that brackets contain something"}}},
      {.name = "unmarked-reversal",
       .definition = "w w^R",
       .context_free = true,
       .default_symbols = 2,
       .parameters = {reversal_p}},
      {.name = "padded-reversal",
       .definition = "w a^n w^R with one symbol a",
       .context_free = true,
       .default_symbols = 2,
       .parameters = {reversal_p,
                      {"g", "30/31", "probability that another symbol of padding follows"}}},
      {.name = "hardest-cfl",
       .definition = "Greibach's hardest CFL",
       .context_free = true,
       .parameters = {{"c", "1/3", "probability of another piece that does not count"},
                      {"u", "1/3", "probability that an outer piece goes on"},
                      {"v", "1/2", "probability that an inner piece goes on"},
                      {"q", "1/4", "probability that a block ends between two brackets"},
                      {"s", "3/5", "probability that another bracketed group stands before"},
                      {"t", "3/4", "probability that brackets contain something"}}},
  }};
  return languages;
}

std::vector<std::string> LanguageNames() { return NameList(KnownLanguages()); }

const LanguageInfo& FindLanguage(std::string_view name) {
  for (const LanguageInfo& info : KnownLanguages()) {
    if (info.name == name) return info;
  }
  throw Error("pushdown::FindLanguage", "unknown language \"" + std::string(name.substr(0, 60)) +
                                            "\"" + SuggestionAmong(KnownLanguages(), name) +
                                            "; known are " + Names(KnownLanguages()));
}

LanguageOptions ResolvedOptions(const LanguageInfo& info, const LanguageOptions& options) {
  const auto refuse = [](const std::string& message) {
    throw Error("pushdown::ResolvedOptions", message);
  };
  LanguageOptions resolved;
  resolved.symbols = options.symbols == 0 ? info.default_symbols : options.symbols;
  if (info.default_symbols == 0 && options.symbols != 0) {
    refuse("the number of symbols of " + info.name + " cannot be chosen");
  }
  if (info.default_symbols > 0 && (resolved.symbols < 1 || resolved.symbols > kMaxSymbols)) {
    refuse("the number of symbols is " + std::to_string(resolved.symbols) +
           ", must be between 1 and " + std::to_string(kMaxSymbols));
  }
  for (const LanguageParameter& parameter : info.parameters) {
    resolved.parameters[parameter.name] = ParseProbability(parameter.default_text).value();
  }
  for (const auto& [name, value] : options.parameters) {
    const auto known = resolved.parameters.find(name);
    if (known == resolved.parameters.end()) {
      const std::string names = Names(std::span<const LanguageParameter>(info.parameters));
      refuse(info.name + " has no parameter \"" + name.substr(0, 60) + "\"" +
             SuggestionAmong(std::span<const LanguageParameter>(info.parameters), name) + "; " +
             (names.empty() ? "it has none" : "it has " + names));
    }
    // If it were 1, derivations would not end.
    if (!(value >= 0 && value < 1)) {
      refuse("parameter " + name + " of " + info.name + " is " + std::to_string(value) +
             ", must be at least 0 and less than 1");
    }
    known->second = value;
  }
  return resolved;
}

Grammar LanguageGrammar(const LanguageInfo& info, const LanguageOptions& options) {
  const LanguageOptions resolved = ResolvedOptions(info, options);
  const auto parameter = [&](const char* name) { return resolved.parameters.at(name); };
  const int symbols = resolved.symbols;
  if (info.name == "marked-reversal") return MarkedReversal(symbols, parameter("p"));
  if (info.name == "unmarked-reversal") return UnmarkedReversal(symbols, parameter("p"));
  if (info.name == "padded-reversal") {
    return PaddedReversal(symbols, parameter("p"), parameter("g"));
  }
  if (info.name == "dyck") return Dyck(symbols, parameter("s"), parameter("t"));
  if (info.name == "hardest-cfl") {
    return HardestCfl(parameter("c"), parameter("u"), parameter("v"), parameter("q"),
                      parameter("s"), parameter("t"));
  }
  throw Error("pushdown::LanguageGrammar", info.name + " is not context-free");
}

std::unique_ptr<Language> MakeLanguage(const LanguageInfo& info, const LanguageOptions& options,
                                       int max_length,
                                       const std::function<void(double)>& progress) {
  if (info.context_free) {
    return std::make_unique<GrammarLanguage>(LanguageGrammar(info, options), max_length, progress);
  }
  return MakePatternLanguage(info, ResolvedOptions(info, options).symbols, max_length);
}

}  // namespace pushdown
