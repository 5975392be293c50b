#include "pushdown/formal/grammar_format.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/derivation_weights.h"
#include "pushdown/formal/grammar_lexer.h"
#include "pushdown/utf8.h"

namespace pushdown {
namespace {

constexpr std::size_t kMaxAlternatives = 1 << 20;
constexpr std::size_t kMaxSymbols = 1 << 20;  // of all right sides

using Token = GrammarToken;
using Kind = GrammarToken::Kind;

struct Alternative {
  std::vector<Token> symbols;  // empty: epsilon
  std::optional<double> probability;
};

// All rules of one nonterminal.
struct Nonterminal {
  std::string name;
  GrammarPlace place;  // of its first rule
  std::vector<Alternative> alternatives;
};

std::string Number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6);
  return {text, end.ptr};
}

// Knows the Latin, Greek and Cyrillic letters.
bool BeginsWithUpperCase(std::string_view name) {
  const std::string_view first = name.substr(0, Utf8CharacterSize(name));
  const auto in = [first](std::string_view low, std::string_view high) {
    return first.size() == low.size() && low <= first && first <= high;
  };
  return in("A", "Z") || (in("\u00c0", "\u00de") && first != "\u00d7") || in("\u0391", "\u03a9") ||
         in("\u0400", "\u042f");
}

// A name as messages show it: long names are cut.
std::string Short(const std::string& name) {
  constexpr std::size_t kLongest = 60;
  return name.size() <= kLongest ? name : name.substr(0, kLongest) + "...";
}

class GrammarParser {
 public:
  GrammarParser(std::string_view text, std::string_view name, GrammarUse use)
      : lexer_(text, name), use_(use) {}

  ParsedGrammar Parse() {
    ReadStatements();
    if (nonterminals_.empty()) {
      lexer_.Fail(token_.place, "the grammar is empty; expected a rule such as S -> a S b | eps");
    }
    Build();
    Check();
    return std::move(result_);
  }

 private:
  void Next() { token_ = lexer_.Next(); }

  [[noreturn]] void Expected(const std::string& what, const std::string& hint = "") {
    const char* comment =
        token_.after_comment ? "; # begins a comment, and must be quoted as a terminal" : "";
    lexer_.Fail(token_.place,
                "expected " + what + ", found " + token_.Description() + hint + comment);
  }

  void ReadStatements() {
    Next();
    while (token_.kind != Kind::kEnd) {
      if (token_.kind == Kind::kLineEnd) {
        Next();
        continue;
      }
      if (token_.kind == Kind::kBar && current_ >= 0) {
        ReadAlternatives();
        continue;
      }
      if (token_.kind != Kind::kName) Expected("a nonterminal and ->");
      const Token name = token_;
      Next();
      if (name.text == "start" && token_.kind == Kind::kCharacter && token_.text == ":") {
        ReadStart(name.place);
      } else {
        if (token_.kind != Kind::kArrow) Expected("-> after " + name.Description());
        current_ = FindOrAdd(name);
        ReadAlternatives();
      }
    }
  }

  void ReadStart(const GrammarPlace& place) {
    if (start_) lexer_.Fail(place, "the start symbol is declared twice");
    Next();
    if (token_.kind != Kind::kName) Expected("a nonterminal after start:");
    start_ = token_;
    Next();
    if (token_.kind != Kind::kLineEnd && token_.kind != Kind::kEnd) Expected("the end of the line");
    current_ = -1;
  }

  int FindOrAdd(const Token& name) {
    const auto [entry, added] =
        numbers_.try_emplace(name.text, static_cast<int>(nonterminals_.size()));
    if (added) nonterminals_.push_back({name.text, name.place, {}});
    return entry->second;
  }

  // Reads from -> or | to the end of the line.
  void ReadAlternatives() {
    do {
      token_ = token_.kind == Kind::kBar ? lexer_.NextAfterBar() : lexer_.Next();
      if (++alternative_count_ > kMaxAlternatives) {
        lexer_.Fail(token_.place, "the grammar has more than " + std::to_string(kMaxAlternatives) +
                                      " alternatives");
      }
      nonterminals_[current_].alternatives.push_back(ReadAlternative());
    } while (token_.kind == Kind::kBar);
    if (token_.kind != Kind::kLineEnd && token_.kind != Kind::kEnd) {
      Expected("| or the end of the line",
               token_.kind == Kind::kArrow
                   ? "; a rule must begin on a line of its own, and the line "
                     "before it must not end with |, comments aside"
               : IsSymbol(token_.kind) ? "; a probability is the last thing of its alternative"
                                       : "");
    }
  }

  Alternative ReadAlternative() {
    Alternative alternative;
    bool epsilon = false;
    for (; IsSymbol(token_.kind); Next()) {
      if (epsilon || (token_.kind == Kind::kEpsilon && !alternative.symbols.empty())) {
        lexer_.Fail(token_.place, "eps must be the only symbol of an alternative");
      }
      if (token_.kind == Kind::kEpsilon) {
        epsilon = true;
        continue;
      }
      if (!alternative.symbols.empty()) CheckTouching(alternative.symbols.back());
      alternative.symbols.push_back(token_);
      if (++symbol_count_ > kMaxSymbols) {
        lexer_.Fail(token_.place,
                    "the grammar has more than " + std::to_string(kMaxSymbols) + " symbols");
      }
    }
    if (!epsilon && alternative.symbols.empty()) {
      Expected("symbols, or eps for the empty string",
               token_.kind == Kind::kBracket ? "; a probability follows the symbols of its "
                                               "alternative, and a bracket that is a terminal must "
                                               "be quoted"
                                             : "");
    }
    if (token_.kind == Kind::kBracket) {
      alternative.probability = ParseProbability(token_.text);
      if (!alternative.probability) {
        lexer_.Fail(token_.place,
                    "expected a probability from 0 to 1, such as [0.25] or [1/4], found " +
                        token_.Description() + "; a bracket that is a terminal must be quoted");
      }
      Next();
    }
    return alternative;
  }

  // A character that cannot be in a name is a symbol by itself. Not everybody expects that of 3.5,
  // e.g. or (NP), so there is a warning, but only once.
  void CheckTouching(const Token& before) {
    if (!token_.touches || warned_of_touching_) return;
    if (before.kind != Kind::kCharacter && token_.kind != Kind::kCharacter) return;
    const Token& character = token_.kind == Kind::kCharacter ? token_ : before;
    warned_of_touching_ = true;
    Warn(character.place,
         character.Description() +
             " is read as a symbol of its own; put spaces around it if that is meant, quotes "
             "around a symbol that contains it, and brackets around a probability, [0.5]");
  }

  static bool IsSymbol(Kind kind) {
    return kind == Kind::kName || kind == Kind::kCharacter || kind == Kind::kQuoted ||
           kind == Kind::kEpsilon;
  }

  bool IsNonterminal(const Token& symbol) const {
    return symbol.kind == Kind::kName && numbers_.contains(symbol.text);
  }

  // Numbers the symbols and makes the rules.
  void Build() {
    Grammar& grammar = result_.grammar;
    for (const Nonterminal& nonterminal : nonterminals_) {
      for (const Alternative& alternative : nonterminal.alternatives) {
        for (const Token& symbol : alternative.symbols) {
          if (IsNonterminal(symbol)) continue;
          if (symbol.kind == Kind::kName && BeginsWithUpperCase(symbol.text)) {
            lexer_.Fail(symbol.place, symbol.Description() + " has no rules; a terminal with an " +
                                          "upper-case first letter must be quoted");
          }
          grammar.terminals.Add(symbol.text);
        }
      }
    }
    for (const Nonterminal& nonterminal : nonterminals_) {
      grammar.AddNonterminal(nonterminal.name);
    }
    for (const Nonterminal& nonterminal : nonterminals_) AddRules(nonterminal);
    grammar.start = grammar.terminals.size();
    if (start_) {
      const auto found = numbers_.find(start_->text);
      if (found == numbers_.end()) {
        lexer_.Fail(start_->place, "the start symbol " + start_->Description() + " has no rules");
      }
      grammar.start += found->second;
    }
  }

  int SymbolNumber(const Token& symbol) const {
    const Grammar& grammar = result_.grammar;
    return IsNonterminal(symbol) ? grammar.terminals.size() + numbers_.at(symbol.text)
                                 : grammar.terminals.Find(symbol.text).value();
  }

  void AddRules(const Nonterminal& nonterminal) {
    // A sum this close to 1 is meant to be 1: that of three times 0.333333, but not of 0.333.
    constexpr double kRounding = 1e-5;
    constexpr double kExact = 1e-12;
    Grammar& grammar = result_.grammar;
    double sum = 0;
    std::size_t without = 0;
    for (const Alternative& alternative : nonterminal.alternatives) {
      if (alternative.probability) {
        sum += *alternative.probability;
      } else {
        ++without;
      }
    }
    const std::string of = "the probabilities of " + Short(nonterminal.name) + " sum to ";
    if (without == 0 && std::abs(sum - 1) > kRounding) {
      lexer_.Fail(nonterminal.place, of + Number(sum) + ", expected 1");
    }
    if (without > 0 && sum > 1 - kExact) {
      lexer_.Fail(nonterminal.place,
                  of + Number(sum) + ", which leaves nothing for the alternatives without one");
    }
    const double share = without > 0 ? (1 - sum) / static_cast<double>(without) : 0;
    const double total = without > 0 || std::abs(sum - 1) < kExact ? 1 : sum;
    const int left = grammar.terminals.size() + numbers_.at(nonterminal.name);
    for (const Alternative& alternative : nonterminal.alternatives) {
      std::vector<int> right;
      for (const Token& symbol : alternative.symbols) right.push_back(SymbolNumber(symbol));
      grammar.AddRule(left, std::move(right), alternative.probability.value_or(share) / total);
    }
  }

  void Check() {
    const Grammar& grammar = result_.grammar;
    const std::vector<bool> deriving = DerivingSymbols(grammar);
    const std::vector<bool> reachable = ReachableSymbols(grammar);
    for (std::size_t n = 0; n < nonterminals_.size(); ++n) {
      const auto symbol = static_cast<std::size_t>(grammar.terminals.size()) + n;
      const Nonterminal& nonterminal = nonterminals_[n];
      if (!deriving[symbol]) {
        const std::string message =
            Short(nonterminal.name) +
            " derives no string: all of its alternatives lead back to it or to others of this kind";
        if (use_ == GrammarUse::kDistribution) lexer_.Fail(nonterminal.place, message);
        const bool is_start = static_cast<int>(symbol) == grammar.start;
        Warn(nonterminal.place, message + (is_start ? "; the language is empty" : ""));
      }
      if (!reachable[symbol]) {
        Warn(nonterminal.place, Short(nonterminal.name) + " is not used: the start symbol " +
                                    Short(grammar.name(grammar.start)) + " does not lead to it");
      }
    }
    if (use_ == GrammarUse::kDistribution) CheckTermination();
    if (const auto& place = lexer_.touching_comment()) {
      Warn(*place, "# begins a comment here; it must be quoted as a terminal");
    }
  }

  void CheckTermination() {
    constexpr double kNearlyOne = 1e-6;
    const Grammar& grammar = result_.grammar;
    const Nonterminal& start = nonterminals_[grammar.start - grammar.terminals.size()];
    try {
      const double ends =
          DerivationWeights(grammar, /*terminal_weight=*/1)[grammar.start].ToDouble();
      if (ends < 1 - kNearlyOne) {
        Warn(start.place, "derivations of " + Short(start.name) + " end with probability " +
                              Number(ends) + " only; the probabilities of all strings sum to that");
      }
    } catch (const Error&) {  // too recursive to be solved, which is no reason to refuse it
      Warn(start.place,
           "so many nonterminals derive each other that it was not checked whether "
           "derivations end");
    }
  }

  void Warn(const GrammarPlace& place, const std::string& message) {
    result_.warnings.push_back(lexer_.At(place) + message);
  }

  GrammarLexer lexer_;
  GrammarUse use_;
  Token token_;
  std::vector<Nonterminal> nonterminals_;
  std::map<std::string, int> numbers_;  // of the nonterminals
  int current_ = -1;                    // the nonterminal of an alternative after |
  std::optional<Token> start_;
  std::size_t alternative_count_ = 0;
  std::size_t symbol_count_ = 0;
  bool warned_of_touching_ = false;
  ParsedGrammar result_;
};

// For each symbol, whether its name will be written, so that it must have rules.
std::vector<bool> UsedSymbols(const Grammar& grammar) {
  std::vector<bool> used(static_cast<std::size_t>(grammar.symbols()), false);
  used[grammar.start] = true;
  for (const Rule& rule : grammar.rules) {
    for (int symbol : rule.right) used[symbol] = true;
  }
  return used;
}

std::string QuotedTerminal(const std::string& name) {
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace

ParsedGrammar ParseGrammar(std::string_view text, std::string_view name, GrammarUse use) {
  return GrammarParser(text, name, use).Parse();
}

std::string SerializeGrammar(const Grammar& grammar, GrammarUse use) {
  const std::vector<std::vector<int>> by_left = RulesByLeft(grammar);
  std::string text;
  if (!grammar.rules.empty() && grammar.rules.front().left != grammar.start) {
    text += "start: " + grammar.name(grammar.start) + "\n";
  }
  const auto append_rules = [&](int left) {
    const char* separator = " ->";
    text += grammar.name(left);
    for (int n : by_left[left]) {
      text += separator;
      separator = "\n  |";
      for (int symbol : grammar.rules[n].right) {
        const std::string& name = grammar.name(symbol);
        text += ' ' + (grammar.IsTerminal(symbol) ? QuotedTerminal(name) : name);
      }
      if (grammar.rules[n].right.empty()) text += " eps";
      if (use == GrammarUse::kLanguage) continue;
      char number[32];
      const auto end =
          std::to_chars(number, number + sizeof number, grammar.rules[n].weight.ToDouble());
      text += " [" + std::string(number, end.ptr) + ']';
    }
    text += '\n';
  };
  std::vector<bool> written(by_left.size(), false);
  for (const Rule& rule : grammar.rules) {
    if (!written[rule.left]) append_rules(rule.left);
    written[rule.left] = true;
  }
  const std::vector<bool> used = UsedSymbols(grammar);
  for (int left = grammar.terminals.size(); left < grammar.symbols(); ++left) {
    if (!used[left] || !by_left[left].empty()) continue;
    text += grammar.name(left) + " -> " + grammar.name(left) + "  # derives no string\n";
  }
  return text;
}

std::optional<double> ParseProbability(std::string_view text) {
  const auto read = [](std::string_view part) -> std::optional<double> {
    double value = 0;
    const char* end = part.data() + part.size();
    // from_chars alone would accept a sign, inf and nan.
    if (part.empty() || (part[0] != '.' && (part[0] < '0' || part[0] > '9'))) return std::nullopt;
    const auto parsed = std::from_chars(part.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return value;
  };
  const auto trim = [](std::string_view part) {
    while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
    return part;
  };
  const std::size_t slash = text.find('/');
  std::optional<double> value = read(trim(text.substr(0, slash)));
  if (slash != std::string_view::npos) {
    const std::optional<double> divisor = read(trim(text.substr(slash + 1)));
    if (!value || !divisor || *divisor == 0) return std::nullopt;
    *value /= *divisor;
  }
  if (!value || !(*value >= 0 && *value <= 1)) return std::nullopt;
  return value;
}

}  // namespace pushdown
