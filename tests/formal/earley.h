#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pushdown/formal/grammar.h"

namespace pushdown::testing_oracle {

// Earley's recogniser: decides which strings a grammar derives, from its rules as they stand, with
// epsilon rules, cycles, left recursion and useless symbols. Weights do not matter. It reads a
// string by Push and forgets its end by Pop, so that a walk through all strings reads each prefix
// once.
class Earley {
 public:
  explicit Earley(Grammar&&) = delete;  // refers to the grammar
  explicit Earley(const Grammar& grammar) : grammar_(grammar) {
    nullable_.resize(static_cast<std::size_t>(grammar.symbols()), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Rule& rule : grammar.rules) {
        bool all = true;
        for (int symbol : rule.right) all = all && nullable_[symbol];
        if (all && !nullable_[rule.left]) changed = nullable_[rule.left] = true;
      }
    }
    rules_.resize(static_cast<std::size_t>(grammar.symbols()));
    by_terminal_.resize(rules_.size());
    for (const Rule& rule : grammar.rules) {
      const int item = static_cast<int>(dotted_.size());
      for (std::size_t dot = 0; dot <= rule.right.size(); ++dot) dotted_.push_back({&rule, dot});
      // Most rules of a Greibach normal form never come into an item.
      if (!rule.right.empty() && grammar.IsTerminal(rule.right[0])) {
        by_terminal_[rule.left][rule.right[0]].push_back(item + 1);
      } else {
        rules_[rule.left].push_back(item);
      }
    }
    predicted_.resize(rules_.size(), 0);
    sets_.emplace_back();
    ++generation_;
    Predict(grammar_.start);
    Close();
  }

  // The next symbol of the string.
  void Push(int terminal) {
    const std::size_t origin = sets_.size() - 1;
    sets_.emplace_back();
    ++generation_;
    const Set& last = sets_[origin];
    if (const auto waiting = last.waiting.find(terminal); waiting != last.waiting.end()) {
      for (const Item& item : waiting->second) Add({item.dotted + 1, item.origin});
    }
    for (int left : last.predicted) {
      const auto found = by_terminal_[left].find(terminal);
      if (found == by_terminal_[left].end()) continue;
      for (int dotted : found->second) Add({dotted, static_cast<int>(origin)});
    }
    Close();
  }

  void Pop() { sets_.pop_back(); }

  // Whether the string so far is derived.
  bool accepted() const {
    if (sets_.size() == 1) return nullable_[grammar_.start];
    return std::any_of(sets_.back().items.begin(), sets_.back().items.end(), [&](const Item& item) {
      return item.origin == 0 && Next(item.dotted) == kEnd &&
             dotted_[item.dotted].rule->left == grammar_.start;
    });
  }

  // False only if no string that begins like this is derived.
  bool alive() const { return sets_.size() == 1 || !sets_.back().items.empty(); }

  // Of a whole string; nothing must have been read before.
  bool Accepts(const std::vector<int>& string) {
    for (int terminal : string) Push(terminal);
    const bool result = accepted();
    sets_.resize(1);
    return result;
  }

 private:
  static constexpr int kEnd = -1;

  struct Dotted {
    const Rule* rule;
    std::size_t dot;
  };
  struct Item {
    int dotted;
    int origin;
  };
  struct Set {
    std::vector<Item> items;
    std::vector<int> predicted;                          // nonterminals
    std::unordered_map<int, std::vector<Item>> waiting;  // by the next symbol
  };

  int Next(int dotted) const {
    const auto& [rule, dot] = dotted_[dotted];
    return dot == rule->right.size() ? kEnd : rule->right[dot];
  }

  void Add(Item item) {
    const std::size_t place = item.origin * dotted_.size() + item.dotted;
    if (added_.size() <= place) added_.resize(sets_.size() * dotted_.size(), 0);
    if (added_[place] == generation_) return;
    added_[place] = generation_;
    sets_.back().items.push_back(item);
  }

  void Predict(int left) {
    if (predicted_[left] == generation_) return;
    predicted_[left] = generation_;
    sets_.back().predicted.push_back(left);
    for (int dotted : rules_[left]) Add({dotted, static_cast<int>(sets_.size()) - 1});
  }

  // Prediction and completion, until there is nothing new.
  void Close() {
    for (std::size_t n = 0; n < sets_.back().items.size(); ++n) {
      const Item item = sets_.back().items[n];
      const int next = Next(item.dotted);
      if (next != kEnd) {
        if (grammar_.IsTerminal(next)) continue;
        Predict(next);
        if (nullable_[next]) Add({item.dotted + 1, item.origin});
        continue;
      }
      // What is complete where it began has been passed over by all that wait for it.
      if (item.origin + 1 == static_cast<int>(sets_.size())) continue;
      const auto waiting = sets_[item.origin].waiting.find(dotted_[item.dotted].rule->left);
      if (waiting == sets_[item.origin].waiting.end()) continue;
      for (const Item& other : waiting->second) Add({other.dotted + 1, other.origin});
    }
    for (const Item& item : sets_.back().items) {
      const int next = Next(item.dotted);
      if (next != kEnd) sets_.back().waiting[next].push_back(item);
    }
  }

  const Grammar& grammar_;
  std::vector<bool> nullable_;
  std::vector<Dotted> dotted_;  // the places in all rules; a rule's are one after the other
  std::vector<std::vector<int>> rules_;  // by left side, those that do not begin with a terminal
  // The others, by left side and terminal: the places after it.
  std::vector<std::map<int, std::vector<int>>> by_terminal_;
  std::vector<Set> sets_;  // by the number of symbols read
  // The newest set with this item, or prediction.
  std::uint64_t generation_ = 0;
  std::vector<std::uint64_t> added_;
  std::vector<std::uint64_t> predicted_;
};

}  // namespace pushdown::testing_oracle
