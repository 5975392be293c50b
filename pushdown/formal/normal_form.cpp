#include "pushdown/formal/normal_form.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/closure.h"
#include "pushdown/formal/derivation_weights.h"
#include "pushdown/interruption.h"

namespace pushdown {
namespace {

constexpr std::size_t kMaxRules = 1 << 22;
// The most nonterminals, including those that binarization adds, that cycles of unary rules may
// connect.
constexpr int kMaxUnaryCycle = 1000;

void CheckSize(std::size_t rules) {
  if (rules > kMaxRules) {
    throw Error(ErrorKind::kLimit, "pushdown::NormalForm",
                "the grammar has more than " + std::to_string(kMaxRules) + " rules in normal form");
  }
}

Grammar WithoutRules(const Grammar& grammar) {
  Grammar result;
  result.terminals = grammar.terminals;
  result.nonterminal_names = grammar.nonterminal_names;
  result.start = grammar.start;
  return result;
}

// The right sides of one nonterminal; they are sorted, and each of them is there once.
using Alternatives = std::vector<std::pair<std::vector<int>, Weight>>;

void Merge(Alternatives& alternatives) {
  std::stable_sort(alternatives.begin(), alternatives.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t last = 0;
  for (std::size_t n = 1; n < alternatives.size(); ++n) {
    if (alternatives[n].first == alternatives[last].first) {
      alternatives[last].second += alternatives[n].second;
    } else {
      std::swap(alternatives[++last], alternatives[n]);
    }
  }
  if (!alternatives.empty()) alternatives.resize(last + 1);
}

void Append(Alternatives& to, const Alternatives& from, const Weight& factor) {
  for (const auto& [right, weight] : from) to.emplace_back(right, weight * factor);
}

}  // namespace

Grammar WithShortRules(const Grammar& grammar, int most) {
  Grammar result = WithoutRules(grammar);
  const auto longest = static_cast<std::size_t>(most);
  // The nonterminal that stands for some symbols; the last of these may be such a nonterminal too.
  std::map<std::vector<int>, int> joined;
  for (const Rule& rule : grammar.rules) {
    std::vector<int> right = rule.right;
    while (right.size() > longest) {
      const std::size_t count = std::min(longest, right.size() - longest + 1);
      const std::vector<int> end(right.end() - static_cast<std::ptrdiff_t>(count), right.end());
      const auto [entry, added] = joined.try_emplace(end, 0);
      if (added) {
        entry->second = result.AddNonterminal("@" + std::to_string(joined.size()));
        result.AddRule(entry->second, end, 1);
        CheckSize(result.rules.size());
      }
      right.resize(right.size() - count);
      right.push_back(entry->second);
    }
    result.AddRule(rule.left, std::move(right), rule.weight);
    CheckSize(result.rules.size());
  }
  return result;
}

Grammar WithoutEpsilon(const Grammar& any_grammar) {
  const Grammar grammar = Binarized(any_grammar);
  // The equations are solved for the nonterminals of the original grammar, since these are fewer.
  // Each nonterminal that was added stands for two symbols, the second of which may have been added
  // before it.
  std::vector<Weight> epsilon = DerivationWeights(any_grammar, /*terminal_weight=*/0);
  epsilon.resize(static_cast<std::size_t>(grammar.symbols()));
  for (const Rule& rule : grammar.rules) {
    if (rule.left < any_grammar.symbols()) continue;
    epsilon[rule.left] = epsilon[rule.right[0]] * epsilon[rule.right[1]];
  }
  Grammar result = WithoutRules(grammar);
  bool start_is_used = false;
  for (const Rule& rule : grammar.rules) {
    const std::vector<int>& right = rule.right;
    if (right.empty()) continue;
    result.AddRule(rule.left, right, rule.weight);
    if (right.size() == 2) {
      result.AddRule(rule.left, {right[0]}, rule.weight * epsilon[right[1]]);
      result.AddRule(rule.left, {right[1]}, rule.weight * epsilon[right[0]]);
    }
    for (int symbol : right) start_is_used |= symbol == grammar.start;
  }
  if (const Weight weight = epsilon[grammar.start]; !weight.IsZero()) {
    if (start_is_used) {
      result.start = result.AddNonterminal(grammar.name(grammar.start) + "'");
      result.AddRule(result.start, {grammar.start}, 1);
    }
    result.AddRule(result.start, {}, weight);
  }
  // A nonterminal whose only string was the empty one derives nothing any more.
  return Trimmed(result);
}

Grammar WithoutUnary(const Grammar& untrimmed) {
  // Cycles that cannot be left would have an infinite weight.
  const Grammar grammar = Trimmed(untrimmed);
  const auto symbols = static_cast<std::size_t>(grammar.symbols());
  std::vector<Alternatives> alternatives(symbols);  // without unary rules
  std::vector<std::vector<std::pair<int, Weight>>> unary(symbols);
  std::vector<std::vector<int>> successors(symbols);
  for (const Rule& rule : grammar.rules) {
    if (rule.right.size() == 1 && !grammar.IsTerminal(rule.right[0])) {
      unary[rule.left].emplace_back(rule.right[0], rule.weight);
      successors[rule.left].push_back(rule.right[0]);
    } else {
      alternatives[rule.left].emplace_back(rule.right, rule.weight);
    }
  }
  Grammar result = WithoutRules(grammar);
  std::vector<int> index(symbols, -1);  // within the component
  for (const std::vector<int>& component : StronglyConnectedComponents(successors)) {
    const int size = static_cast<int>(component.size());
    if (size > kMaxUnaryCycle) {
      throw Error("pushdown::WithoutUnary",
                  std::to_string(size) + " nonterminals derive each other without other symbols, " +
                      grammar.name(component.front()) + " among them; at most " +
                      std::to_string(kMaxUnaryCycle) + " are supported");
    }
    for (int n = 0; n < size; ++n) index[component[n]] = n;
    WeightMatrix chains(size);
    for (int from : component) {
      Alternatives& own = alternatives[from];
      for (const auto& [to, weight] : unary[from]) {
        if (index[to] >= 0) {
          chains(index[from], index[to]) += weight;
        } else {
          // The component of this symbol was dealt with before, and has no unary rules any more.
          Append(own, alternatives[to], weight);
          CheckSize(own.size());
        }
      }
      Merge(own);
    }
    if (!chains.Star()) {
      throw Error("pushdown::WithoutUnary", "cycles of unary rules through " +
                                                grammar.name(component.front()) +
                                                " have no finite weight");
    }
    if (size > 1 || !unary[component[0]].empty()) {
      std::vector<Alternatives> closed(component.size());
      std::size_t total = result.rules.size();
      for (int from = 0; from < size; ++from) {
        CheckInterruption();
        for (int to = 0; to < size; ++to) {
          Append(closed[from], alternatives[component[to]], chains(from, to));
          CheckSize(total + closed[from].size());
        }
        Merge(closed[from]);
        total += closed[from].size();
      }
      for (int n = 0; n < size; ++n) alternatives[component[n]] = std::move(closed[n]);
    }
    for (int symbol : component) {
      index[symbol] = -1;
      for (const auto& [right, weight] : alternatives[symbol]) {
        result.AddRule(symbol, right, weight);
      }
      CheckSize(result.rules.size());
    }
  }
  return Trimmed(result);
}

Grammar Trimmed(const Grammar& grammar) {
  const std::vector<bool> productive = DerivingSymbols(grammar);
  Grammar of_productive = WithoutRules(grammar);
  for (const Rule& rule : grammar.rules) {
    const bool useful = std::all_of(rule.right.begin(), rule.right.end(),
                                    [&](int symbol) { return productive[symbol]; });
    if (useful) of_productive.rules.push_back(rule);
  }
  const std::vector<bool> reachable = ReachableSymbols(of_productive);

  Grammar result;
  result.terminals = grammar.terminals;
  std::vector<int> numbers(static_cast<std::size_t>(grammar.symbols()));
  for (int symbol = 0; symbol < grammar.symbols(); ++symbol) {
    if (grammar.IsTerminal(symbol)) {
      numbers[symbol] = symbol;
    } else if (symbol == grammar.start || (reachable[symbol] && productive[symbol])) {
      numbers[symbol] = result.AddNonterminal(grammar.name(symbol));
    }
  }
  result.start = numbers[grammar.start];
  for (Rule& rule : of_productive.rules) {
    if (!reachable[rule.left]) continue;
    for (int& symbol : rule.right) symbol = numbers[symbol];
    result.rules.push_back({numbers[rule.left], std::move(rule.right), rule.weight});
  }
  return result;
}

Grammar NormalForm(const Grammar& grammar) {
  return WithoutUnary(WithoutEpsilon(Trimmed(grammar)));
}

}  // namespace pushdown
