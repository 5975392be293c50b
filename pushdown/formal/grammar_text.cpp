#include "pushdown/formal/grammar_text.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/grammar_lexer.h"

namespace pushdown {
namespace {

constexpr std::size_t kMaxAlternatives = 1 << 20;

using Token = GrammarToken;
using Kind = GrammarToken::Kind;

struct Alternative {
  std::vector<Token> symbols;  // empty: epsilon
  std::optional<double> probability;
  GrammarPlace place;
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

class GrammarParser {
 public:
  GrammarParser(std::string_view text, std::string_view name) : lexer_(text, name) {}

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

  [[noreturn]] void Expected(const std::string& what) {
    lexer_.Fail(token_.place, "expected " + what + ", found " + token_.Description());
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

  // From -> or | to the end of the line.
  void ReadAlternatives() {
    do {
      const bool after_bar = token_.kind == Kind::kBar;
      Next();
      // A rule may be broken after |.
      while (after_bar && token_.kind == Kind::kLineEnd) Next();
      if (++alternative_count_ > kMaxAlternatives) {
        lexer_.Fail(token_.place, "the grammar has more than " + std::to_string(kMaxAlternatives) +
                                      " alternatives");
      }
      nonterminals_[current_].alternatives.push_back(ReadAlternative());
    } while (token_.kind == Kind::kBar);
    if (token_.kind != Kind::kLineEnd && token_.kind != Kind::kEnd) {
      Expected("| or the end of the line");
    }
  }

  Alternative ReadAlternative() {
    Alternative alternative{.symbols = {}, .probability = {}, .place = token_.place};
    bool epsilon = false;
    for (; IsSymbol(token_.kind); Next()) {
      if (epsilon || (token_.kind == Kind::kEpsilon && !alternative.symbols.empty())) {
        lexer_.Fail(token_.place, "eps must be the only symbol of an alternative");
      }
      if (token_.kind == Kind::kEpsilon) {
        epsilon = true;
      } else {
        alternative.symbols.push_back(token_);
      }
    }
    if (!epsilon && alternative.symbols.empty()) {
      Expected("symbols, or eps for the empty string");
    }
    if (token_.kind == Kind::kBracket) {
      alternative.probability = ParseProbability(token_.text);
      if (!alternative.probability) {
        lexer_.Fail(token_.place, "expected a probability such as [0.25] or [1/4], found " +
                                      token_.Description() +
                                      "; a bracket that is a terminal must be quoted");
      }
      Next();
    }
    return alternative;
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
          const char first = symbol.text.front();
          if (symbol.kind == Kind::kName && first >= 'A' && first <= 'Z') {
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

  int Number(const Token& symbol) const {
    const Grammar& grammar = result_.grammar;
    return IsNonterminal(symbol) ? grammar.terminals.size() + numbers_.at(symbol.text)
                                 : grammar.terminals.Find(symbol.text).value();
  }

  void AddRules(const Nonterminal& nonterminal) {
    // Sums this close to 1 are meant to be 1: 0.333 three times is not, 0.333333 is.
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
    const std::string of = "the probabilities of " + nonterminal.name + " sum to ";
    if (without == 0 && std::abs(sum - 1) > kRounding) {
      lexer_.Fail(nonterminal.place, of + pushdown::Number(sum) + ", expected 1");
    }
    if (without > 0 && sum > 1 - kExact) {
      lexer_.Fail(nonterminal.place,
                  of + pushdown::Number(sum) + ", which leaves nothing for those without");
    }
    const double share = without > 0 ? (1 - sum) / static_cast<double>(without) : 0;
    const double total = without > 0 || std::abs(sum - 1) < kExact ? 1 : sum;
    const int left = grammar.terminals.size() + numbers_.at(nonterminal.name);
    for (const Alternative& alternative : nonterminal.alternatives) {
      std::vector<int> right;
      for (const Token& symbol : alternative.symbols) right.push_back(Number(symbol));
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
        lexer_.Fail(nonterminal.place, nonterminal.name +
                                           " derives no string: all of its alternatives lead back "
                                           "to it or to others of this kind");
      }
      if (!reachable[symbol]) {
        Warn(nonterminal.place, nonterminal.name + " is not used: the start symbol " +
                                    grammar.name(grammar.start) + " does not lead to it");
      }
    }
    CheckTermination();
  }

  void CheckTermination() {
    constexpr double kRounding = 1e-9;
    const Grammar& grammar = result_.grammar;
    const Nonterminal& start = nonterminals_[grammar.start - grammar.terminals.size()];
    try {
      const double ends =
          DerivationWeights(grammar, /*terminal_weight=*/1)[grammar.start].ToDouble();
      if (ends < 1 - kRounding) {
        Warn(start.place, "derivations of " + start.name + " end with probability " +
                              pushdown::Number(ends) +
                              " only; the probabilities of all strings sum to that");
      }
    } catch (const Error&) {  // too recursive to solve; all else can still be done
      Warn(start.place,
           "so many nonterminals derive each other that it was not checked whether "
           "derivations end");
    }
  }

  void Warn(const GrammarPlace& place, const std::string& message) {
    result_.warnings.push_back(lexer_.At(place) + message);
  }

  GrammarLexer lexer_;
  Token token_;
  std::vector<Nonterminal> nonterminals_;
  std::map<std::string, int> numbers_;  // of the nonterminals
  int current_ = -1;                    // the nonterminal that | continues
  std::optional<Token> start_;
  std::size_t alternative_count_ = 0;
  ParsedGrammar result_;
};

}  // namespace

ParsedGrammar ParseGrammar(std::string_view text, std::string_view name) {
  return GrammarParser(text, name).Parse();
}

std::optional<double> ParseProbability(std::string_view text) {
  const auto read = [](std::string_view part) -> std::optional<double> {
    double value = 0;
    const char* end = part.data() + part.size();
    // from_chars alone would take a sign, inf and nan.
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
