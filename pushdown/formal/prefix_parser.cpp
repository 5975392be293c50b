#include "pushdown/formal/prefix_parser.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/chart_parser.h"
#include "pushdown/interruption.h"

namespace pushdown {
namespace {

// What Earley's algorithm knows about a position of the string.
struct Position {
  struct Waiting {  // parent -> left right, with left found from `start` to here
    int parent;
    int start;
  };
  std::vector<int> predicted;                             // nonterminals that may begin here
  std::unordered_map<int, std::vector<Waiting>> waiting;  // by the right symbol
};

class PrefixParser {
 public:
  PrefixParser(const NormalGrammar& grammar, std::size_t length)
      : grammar_(grammar),
        positions_(length + 1),
        predicted_at_(static_cast<std::size_t>(grammar.symbols()), -1),
        left_corners_(static_cast<std::size_t>(grammar.symbols())) {}

  PrefixParse Parse(std::span<const int> string) {
    PrefixParse result;
    Predict(0, grammar_.start());
    FinishPosition(0);
    result.may_end = !grammar_.epsilon_weight().IsZero();
    for (int terminal : string) {
      const Found found = Scan(result.length, terminal);
      if (!found.any) break;
      result.may_end = found.start_symbol;
      FinishPosition(++result.length);
    }
    result.expected = Expected(positions_[result.length]);
    return result;
  }

 private:
  // Returns whether the nonterminal was not predicted here before.
  bool Predict(int at, int symbol) {
    if (grammar_.IsTerminal(symbol) || predicted_at_[symbol] == at) return false;
    predicted_at_[symbol] = at;
    positions_[at].predicted.push_back(symbol);
    return true;
  }

  // Adds what the predicted nonterminals may begin with.
  void FinishPosition(int at) {
    std::vector<int>& predicted = positions_[at].predicted;
    std::vector<int> agenda = predicted;
    while (!agenda.empty()) {
      const int symbol = agenda.back();
      agenda.pop_back();
      for (int corner : LeftCorners(symbol)) {
        if (Predict(at, corner)) agenda.push_back(corner);
      }
    }
    std::sort(predicted.begin(), predicted.end());
    CountItems(predicted.size());
  }

  // The nonterminals that rules of this one begin with.
  const std::vector<int>& LeftCorners(int symbol) {
    std::optional<std::vector<int>>& known = left_corners_[symbol];
    if (!known) {
      std::vector<int>& corners = known.emplace();
      for (const NormalGrammar::Expansion& expansion : grammar_.Expansions(symbol)) {
        if (expansion.pair < 0) continue;
        const int left = grammar_.pairs()[expansion.pair].left;
        if (!grammar_.IsTerminal(left)) corners.push_back(left);
      }
      std::sort(corners.begin(), corners.end());
      corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    }
    return *known;
  }

  bool IsPredicted(int symbol, int at) const {
    const std::vector<int>& predicted = positions_[at].predicted;
    return std::binary_search(predicted.begin(), predicted.end(), symbol);
  }

  struct Found {
    bool any = false;           // whether the terminal may stand here
    bool start_symbol = false;  // whether a string of the language may end after the terminal
  };

  // Reads a terminal.
  Found Scan(int at, int terminal) {
    const int end = at + 1;
    Found result;
    std::set<std::pair<int, int>> found;          // symbol, start
    std::set<std::tuple<int, int, int>> waiting;  // symbol sought, parent, start
    std::vector<std::pair<int, int>> agenda;
    const auto find = [&](int symbol, int start) {
      if (found.emplace(symbol, start).second) agenda.emplace_back(symbol, start);
    };
    find(terminal, at);
    for (const auto& parent : grammar_.TerminalParents(terminal)) {
      if (IsPredicted(parent.symbol, at)) find(parent.symbol, at);
    }
    result.any = agenda.size() > 1;
    while (!agenda.empty()) {
      CheckInterruption();
      const auto [symbol, start] = agenda.back();
      agenda.pop_back();
      const auto [first, last] = grammar_.PairsWithLeft(symbol);
      for (int pair = first; pair < last; ++pair) {
        const int next = grammar_.pairs()[pair].right;
        for (const auto& parent : grammar_.PairParents(pair)) {
          if (!IsPredicted(parent.symbol, start)) continue;
          result.any = true;
          if (!waiting.emplace(next, parent.symbol, start).second) continue;
          CountItems(1);
          positions_[end].waiting[next].push_back({parent.symbol, start});
          Predict(end, next);
        }
      }
      const auto& complete = positions_[start].waiting;
      if (const auto parents = complete.find(symbol); parents != complete.end()) {
        result.any = true;
        for (const auto& [parent, parent_start] : parents->second) find(parent, parent_start);
      }
    }
    result.start_symbol = found.contains({grammar_.start(), 0});
    return result;
  }

  std::vector<int> Expected(const Position& position) const {
    std::vector<int> expected;
    const auto add = [&](int symbol) {
      if (grammar_.IsTerminal(symbol)) expected.push_back(symbol);
    };
    for (const auto& entry : position.waiting) add(entry.first);
    for (int symbol : position.predicted) {
      for (const NormalGrammar::Expansion& expansion : grammar_.Expansions(symbol)) {
        add(expansion.pair < 0 ? expansion.terminal : grammar_.pairs()[expansion.pair].left);
      }
    }
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    return expected;
  }

  void CountItems(std::size_t more) {
    items_ += more;
    if (items_ > kMaxChartItems) {
      throw Error(ErrorKind::kLimit, "pushdown::ParsePrefix",
                  "a string of " + std::to_string(positions_.size() - 1) +
                      " symbols has too many constituents to be parsed");
    }
  }

  const NormalGrammar& grammar_;
  std::vector<Position> positions_;
  std::vector<int> predicted_at_;  // by symbol: the last position at which it was predicted
  std::vector<std::optional<std::vector<int>>> left_corners_;  // by symbol; computed when needed
  std::size_t items_ = 0;
};

}  // namespace

PrefixParse ParsePrefix(const NormalGrammar& grammar, std::span<const int> string) {
  return PrefixParser(grammar, string.size()).Parse(string);
}

}  // namespace pushdown
