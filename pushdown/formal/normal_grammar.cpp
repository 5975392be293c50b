#include "pushdown/formal/normal_grammar.h"

#include <map>
#include <numeric>
#include <utility>

#include "pushdown/formal/normal_form.h"

namespace pushdown {

template <typename T>
NormalGrammar::Lists<T>::Lists(int count, const std::vector<std::pair<int, T>>& entries)
    : begins_(static_cast<std::size_t>(count) + 1, 0), values_(entries.size()) {
  for (const auto& entry : entries) ++begins_[static_cast<std::size_t>(entry.first) + 1];
  for (std::size_t n = 1; n < begins_.size(); ++n) begins_[n] += begins_[n - 1];
  std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
  for (const auto& [list, value] : entries) values_[next[list]++] = value;
}

NormalGrammar::NormalGrammar(const Grammar& any_grammar) {
  const Grammar grammar = NormalForm(any_grammar);
  terminals_ = grammar.terminals.size();
  symbols_ = grammar.symbols();
  start_ = grammar.start;

  // Since the pairs are sorted by their left symbols, the partners will be too.
  std::map<std::pair<int, int>, int> pair_numbers;
  for (const Rule& rule : grammar.rules) {
    if (rule.right.size() == 2) pair_numbers.try_emplace({rule.right[0], rule.right[1]}, 0);
  }
  pairs_with_left_.resize(static_cast<std::size_t>(symbols_) + 1, 0);
  std::vector<std::pair<int, Partner>> partners;
  for (auto& [pair, number] : pair_numbers) {
    number = static_cast<int>(pairs_.size());
    pairs_.push_back({pair.first, pair.second});
    ++pairs_with_left_[static_cast<std::size_t>(pair.first) + 1];
    partners.push_back({pair.second, {pair.first, number}});
  }

  std::partial_sum(pairs_with_left_.begin(), pairs_with_left_.end(), pairs_with_left_.begin());

  std::vector<std::pair<int, Parent>> pair_parents;
  std::vector<std::pair<int, Parent>> terminal_parents;
  std::vector<std::pair<int, Expansion>> expansions;
  for (const Rule& rule : grammar.rules) {
    if (rule.right.empty()) {
      epsilon_weight_ += rule.weight;
    } else if (rule.right.size() == 1) {
      const int terminal = rule.right[0];
      terminal_parents.push_back({terminal, {rule.left, rule.weight}});
      expansions.push_back({rule.left, {-1, terminal, rule.weight}});
    } else {
      const int pair = pair_numbers.at({rule.right[0], rule.right[1]});
      pair_parents.push_back({pair, {rule.left, rule.weight}});
      expansions.push_back({rule.left, {pair, -1, rule.weight}});
    }
  }
  pair_parents_ = Lists<Parent>(static_cast<int>(pairs_.size()), pair_parents);
  terminal_parents_ = Lists<Parent>(terminals_, terminal_parents);
  partners_ = Lists<Partner>(symbols_, partners);
  expansions_ = Lists<Expansion>(symbols_, expansions);
}

}  // namespace pushdown
