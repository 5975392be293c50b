#include "pushdown/formal/prefix_parser.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/chart_parser.h"

namespace pushdown {
namespace {

// What Earley's algorithm knows about a position of the string: for each symbol that may begin
// here, what would follow from finding it.
struct Position {
  struct Opening {  // parent -> symbol next
    int parent;
    int next;
  };
  struct Waiting {  // parent -> left right, with left found from `start` to here
    int parent;
    int start;
  };
  std::unordered_map<int, std::vector<Opening>> openings;
  std::unordered_map<int, std::vector<Waiting>> waiting;
  std::unordered_map<int, std::vector<int>> single;  // terminal: parents that it is all of
};

class PrefixParser {
 public:
  PrefixParser(const NormalGrammar& grammar, std::size_t length)
      : grammar_(grammar),
        positions_(length + 1),
        predicted_(static_cast<std::size_t>(grammar.symbols()), -1) {}

  PrefixParse Parse(std::span<const int> string) {
    PrefixParse result;
    Predict(0, grammar_.start());
    result.may_end = !grammar_.epsilon_weight().IsZero();
    result.expected = Expected(0);
    for (int n = 0; n < static_cast<int>(string.size()); ++n) {
      if (!std::binary_search(result.expected.begin(), result.expected.end(), string[n])) break;
      result.may_end = Scan(n, string[n]);
      result.length = n + 1;
      result.expected = Expected(n + 1);
    }
    return result;
  }

 private:
  void Predict(int at, int symbol) {
    Position& position = positions_[at];
    std::vector<int> predicted;
    const auto predict = [&](int next) {
      if (predicted_[next] == at) return;
      predicted_[next] = at;
      predicted.push_back(next);
    };
    predict(symbol);
    while (!predicted.empty()) {
      const int parent = predicted.back();
      predicted.pop_back();
      if (grammar_.IsTerminal(parent)) continue;
      for (const NormalGrammar::Expansion& expansion : grammar_.Expansions(parent)) {
        if (expansion.pair < 0) {
          position.single[expansion.terminal].push_back(parent);
        } else {
          const NormalGrammar::Pair pair = grammar_.pairs()[expansion.pair];
          position.openings[pair.left].push_back({parent, pair.right});
          predict(pair.left);
        }
      }
    }
  }

  // Reads a terminal; returns whether a string of the language ends after it.
  bool Scan(int at, int terminal) {
    const int end = at + 1;
    std::set<std::pair<int, int>> found;          // symbol, start
    std::set<std::tuple<int, int, int>> waiting;  // symbol sought, parent, start
    std::vector<std::pair<int, int>> agenda;
    const auto find = [&](int symbol, int start) {
      if (found.emplace(symbol, start).second) agenda.emplace_back(symbol, start);
    };
    find(terminal, at);
    const auto& single = positions_[at].single;
    if (const auto parents = single.find(terminal); parents != single.end()) {
      for (int parent : parents->second) find(parent, at);
    }
    while (!agenda.empty()) {
      const auto [symbol, start] = agenda.back();
      agenda.pop_back();
      const Position& from = positions_[start];
      if (const auto openings = from.openings.find(symbol); openings != from.openings.end()) {
        for (const auto& [parent, next] : openings->second) {
          if (!waiting.emplace(next, parent, start).second) continue;
          if (++items_ > kMaxChartItems) {
            throw Error("[pushdown::ParsePrefix] a string of " +
                        std::to_string(positions_.size() - 1) +
                        " symbols has too many constituents to be parsed");
          }
          positions_[end].waiting[next].push_back({parent, start});
          Predict(end, next);
        }
      }
      if (const auto complete = from.waiting.find(symbol); complete != from.waiting.end()) {
        for (const auto& [parent, parent_start] : complete->second) find(parent, parent_start);
      }
    }
    return found.contains({grammar_.start(), 0});
  }

  std::vector<int> Expected(int at) const {
    const Position& position = positions_[at];
    std::vector<int> expected;
    const auto add = [&](int symbol) {
      if (grammar_.IsTerminal(symbol)) expected.push_back(symbol);
    };
    for (const auto& entry : position.openings) add(entry.first);
    for (const auto& entry : position.waiting) add(entry.first);
    for (const auto& entry : position.single) add(entry.first);
    std::sort(expected.begin(), expected.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    return expected;
  }

  const NormalGrammar& grammar_;
  std::vector<Position> positions_;
  std::vector<int> predicted_;  // by symbol: the last position at which it was
  int items_ = 0;
};

}  // namespace

PrefixParse ParsePrefix(const NormalGrammar& grammar, std::span<const int> string) {
  return PrefixParser(grammar, string.size()).Parse(string);
}

}  // namespace pushdown
