#include "pushdown/formal/greibach_form.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/closure.h"
#include "pushdown/formal/normal_form.h"
#include "pushdown/formal/unique_names.h"
#include "pushdown/interruption.h"

namespace pushdown {
namespace {

// A grammar under construction, with the names and the start symbol of another one. A rule that is
// added twice is there once.
class RuleSet {
 public:
  RuleSet(const Grammar& like, std::size_t max_size) : max_size_(max_size) {
    grammar_.terminals = like.terminals;
    grammar_.nonterminal_names = like.nonterminal_names;
    grammar_.start = like.start;
    bodies_.resize(static_cast<std::size_t>(like.symbols()));
  }

  const Grammar& grammar() const { return grammar_; }
  const std::set<std::vector<int>>& bodies(int left) const { return bodies_[Index(left)]; }
  void SetStart(int symbol) { grammar_.start = symbol; }

  int AddNonterminal(std::string name) {
    bodies_.emplace_back();
    return grammar_.AddNonterminal(std::move(name));
  }

  void Add(int left, std::vector<int> right) {
    CheckInterruption();
    const std::size_t symbols = right.size() + 1;
    if (!bodies_[Index(left)].insert(std::move(right)).second) return;
    size_ += symbols;
    CheckSize(size_);
  }

  // Throws Error if a lower bound on the size is already too large.
  void CheckSize(std::size_t size) const {
    if (size <= max_size_) return;
    throw Error(ErrorKind::kLimit, "pushdown::GreibachForm",
                "on the way to a normal form, the grammar has more than " +
                    std::to_string(max_size_) + " symbols, which is the limit");
  }

  Grammar Finish() {
    for (int left = grammar_.terminals.size(); left < grammar_.symbols(); ++left) {
      for (const std::vector<int>& right : bodies(left)) grammar_.AddRule(left, right, 1);
    }
    return std::move(grammar_);
  }

 private:
  static std::size_t Index(int symbol) { return static_cast<std::size_t>(symbol); }

  Grammar grammar_;
  // By left side. A deque, because nonterminals are added while the rules of others are read.
  std::deque<std::set<std::vector<int>>> bodies_;
  std::size_t size_ = 0;
  std::size_t max_size_;
};

// The most symbols of a right side that may derive epsilon. Each of them doubles the number of
// rules; in a binarized grammar there are at most two.
constexpr int kMaxNullable = 6;

int MostNullable(const Grammar& grammar, const std::vector<bool>& nullable) {
  std::ptrdiff_t most = 0;
  for (const Rule& rule : grammar.rules) {
    most = std::max(most, std::count_if(rule.right.begin(), rule.right.end(),
                                        [&](int symbol) { return nullable[symbol]; }));
  }
  return static_cast<int>(most);
}

// Removes epsilon rules, and with them the empty string.
Grammar WithoutEmptyString(Grammar grammar, std::size_t max_size) {
  std::vector<bool> nullable = DerivingSymbols(grammar, /*terminals=*/false);
  if (MostNullable(grammar, nullable) > kMaxNullable) {
    grammar = Binarized(grammar);
    nullable = DerivingSymbols(grammar, /*terminals=*/false);
  }
  RuleSet result(grammar, max_size);
  for (const Rule& rule : grammar.rules) {
    // All ways to leave out some of the symbols that derive epsilon.
    std::vector<std::vector<int>> rights = {{}};
    for (int symbol : rule.right) {
      const std::size_t ways = rights.size();
      for (std::size_t n = 0; n < ways; ++n) {
        if (nullable[symbol]) rights.push_back(rights[n]);
        rights[n].push_back(symbol);
      }
    }
    for (std::vector<int>& right : rights) {
      if (!right.empty()) result.Add(rule.left, std::move(right));
    }
  }
  return Trimmed(result.Finish());
}

// Removes rules whose right side is a single nonterminal.
Grammar WithoutChains(const Grammar& grammar, std::size_t max_size) {
  const auto is_chain = [&](const Rule& rule) {
    return rule.right.size() == 1 && !grammar.IsTerminal(rule.right[0]);
  };
  std::vector<std::vector<int>> successors(static_cast<std::size_t>(grammar.symbols()));
  RuleSet result(grammar, max_size);
  for (const Rule& rule : grammar.rules) {
    if (is_chain(rule)) {
      successors[rule.left].push_back(rule.right[0]);
    } else {
      result.Add(rule.left, rule.right);
    }
  }
  for (const std::vector<int>& component : StronglyConnectedComponents(successors)) {
    // All nonterminals of a component get the same rules. The components to which it leads have
    // been dealt with before.
    std::set<std::vector<int>> bodies;
    for (int from : component) {
      bodies.insert(result.bodies(from).begin(), result.bodies(from).end());
      for (int to : successors[from]) {
        bodies.insert(result.bodies(to).begin(), result.bodies(to).end());
      }
    }
    for (int left : component) {
      for (const std::vector<int>& right : bodies) result.Add(left, right);
    }
  }
  return Trimmed(result.Finish());
}

// Merges nonterminals that have the same rules, where nonterminals that are merged count as the
// same. The start symbol is not merged with others.
Grammar Merged(const Grammar& grammar, std::size_t max_size) {
  // Each round splits the classes of the round before. A chain of rules takes as many rounds as it
  // is long; if that is more work than this, nothing is merged.
  constexpr std::size_t kMaxWork = 20'000'000;
  const std::vector<std::vector<int>> by_left = RulesByLeft(grammar);
  std::size_t size = 0;
  for (const Rule& rule : grammar.rules) size += rule.right.size() + 1;
  std::vector<int> classes(static_cast<std::size_t>(grammar.symbols()));
  const int terminals = grammar.terminals.size();
  for (int symbol = 0; symbol < grammar.symbols(); ++symbol) {
    classes[symbol] = grammar.IsTerminal(symbol) ? symbol : terminals + (symbol == grammar.start);
  }
  const auto renamed = [&](std::vector<int> right) {
    for (int& symbol : right) symbol = classes[symbol];
    return right;
  };
  std::size_t class_count = 0;
  for (std::size_t work = size;; work += size) {
    if (work > kMaxWork) return grammar;
    std::map<std::pair<int, std::set<std::vector<int>>>, int> numbers;
    std::vector<int> next = classes;
    for (int symbol = terminals; symbol < grammar.symbols(); ++symbol) {
      CheckInterruption();
      std::set<std::vector<int>> bodies;
      for (int n : by_left[symbol]) bodies.insert(renamed(grammar.rules[n].right));
      const int number = terminals + static_cast<int>(numbers.size());
      next[symbol] =
          numbers.try_emplace({classes[symbol], std::move(bodies)}, number).first->second;
    }
    classes = std::move(next);
    if (numbers.size() == class_count) break;
    class_count = numbers.size();
  }

  Grammar merged;
  merged.terminals = grammar.terminals;
  for (int symbol = terminals; symbol < grammar.symbols(); ++symbol) {
    // Classes are numbered in the order of their first nonterminals.
    if (classes[symbol] == merged.symbols()) merged.AddNonterminal(grammar.name(symbol));
  }
  merged.start = classes[grammar.start];
  RuleSet result(merged, max_size);
  for (const Rule& rule : grammar.rules) result.Add(classes[rule.left], renamed(rule.right));
  return result.Finish();
}

bool IsPlain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '\'' || c == '-';
}

// The characters of a name that need no quotes.
std::string PlainPart(const std::string& name) {
  std::string plain;
  std::copy_if(name.begin(), name.end(), std::back_inserter(plain), IsPlain);
  return plain;
}

// Gives each nonterminal a unique name that SerializeGrammar can write.
void MakeNamesPlain(Grammar& grammar) {
  UniqueNames names;
  for (std::string& name : grammar.nonterminal_names) {
    if (name.starts_with('@')) name = "N" + PlainPart(name);  // Binarized made this name
    name = names.Make(std::move(name));
  }
}

// The left-corner transformation of a grammar without epsilon and chains.
class LeftCorners {
 public:
  LeftCorners(const Grammar& grammar, std::size_t max_size)
      : grammar_(grammar), by_left_(RulesByLeft(grammar)), result_(grammar, max_size) {}

  RuleSet Transform() {
    // The other nonterminals are only at the beginning of right sides, and the left corners of the
    // goals take care of these.
    std::set<int> goals = {grammar_.start};
    for (const Rule& rule : grammar_.rules) {
      for (std::size_t n = 1; n < rule.right.size(); ++n) {
        if (!grammar_.IsTerminal(rule.right[n])) goals.insert(rule.right[n]);
      }
    }
    for (int goal : goals) FindRests(goal);
    for (int goal : goals) AddGoal(goal);
    for (const auto& [goal_and_corner, rest] : rests_) AddRest(goal_and_corner.first, rest);
    return std::move(result_);
  }

 private:
  struct Rest {
    int symbol;
    std::vector<int> rules;  // the rules that begin with the corner, C -> corner gamma
  };

  // Makes the nonterminal A-B for every proper left corner B of a goal A, and lists the rules that
  // begin with B.
  void FindRests(int goal) {
    std::vector<int>& corners = corners_[goal];
    corners = {goal};
    std::set<int> found = {goal};
    for (std::size_t n = 0; n < corners.size(); ++n) {
      const int left = corners[n];
      for (int rule : by_left_[left]) {
        const std::vector<int>& right = grammar_.rules[rule].right;
        const int corner = right.front();
        if (grammar_.IsTerminal(corner)) continue;
        auto [entry, added] = rests_.try_emplace({goal, corner});
        if (added) {
          entry->second.symbol =
              result_.AddNonterminal(grammar_.name(goal) + "-" + grammar_.name(corner));
        }
        entry->second.rules.push_back(rule);
        // Each of them makes a rule of at least this size.
        size_ += right.size();
        result_.CheckSize(size_);
        if (found.insert(corner).second) corners.push_back(corner);
      }
    }
  }

  // Adds left -> body, if `corner` is the goal itself, and left -> body goal-corner, if the goal
  // may begin with `corner`.
  void AddUpTo(int left, std::vector<int> body, int goal, int corner) {
    const auto rest = rests_.find({goal, corner});
    if (corner == goal) result_.Add(left, WithNonterminals(body));
    if (rest == rests_.end()) return;
    body.push_back(rest->second.symbol);
    result_.Add(left, WithNonterminals(std::move(body)));
  }

  void AddGoal(int goal) {
    for (int corner : corners_[goal]) {
      for (int rule : by_left_[corner]) {
        const std::vector<int>& right = grammar_.rules[rule].right;
        if (grammar_.IsTerminal(right.front())) AddUpTo(goal, right, goal, corner);
      }
    }
  }

  void AddRest(int goal, const Rest& rest) {
    for (int rule : rest.rules) {
      const int left = grammar_.rules[rule].left;
      const std::vector<int>& right = grammar_.rules[rule].right;
      const std::vector<int> gamma(right.begin() + 1, right.end());
      if (grammar_.IsTerminal(gamma.front())) {
        AddUpTo(rest.symbol, gamma, goal, left);
        continue;
      }
      // The first symbol is a goal, and all rules of goals begin with terminals by now.
      for (std::vector<int> body : result_.bodies(gamma.front())) {
        body.insert(body.end(), gamma.begin() + 1, gamma.end());
        AddUpTo(rest.symbol, std::move(body), goal, left);
      }
    }
  }

  // Replaces each terminal but the first by a nonterminal.
  std::vector<int> WithNonterminals(std::vector<int> body) {
    for (std::size_t n = 1; n < body.size(); ++n) {
      if (!grammar_.IsTerminal(body[n])) continue;
      auto [entry, added] = literals_.try_emplace(body[n]);
      if (added) {
        std::string name = PlainPart(grammar_.name(body[n]));
        if (name.empty()) name = std::to_string(body[n] + 1);
        entry->second = result_.AddNonterminal("_" + name);
        result_.Add(entry->second, {body[n]});
      }
      body[n] = entry->second;
    }
    return body;
  }

  const Grammar& grammar_;
  std::vector<std::vector<int>> by_left_;
  RuleSet result_;
  std::map<int, std::vector<int>> corners_;    // of each goal, including itself
  std::map<std::pair<int, int>, Rest> rests_;  // by goal and corner
  std::size_t size_ = 0;                       // a lower bound on what rests_ will become
  std::map<int, int> literals_;
};

}  // namespace

Grammar GreibachForm(const Grammar& any_grammar, std::size_t max_size) {
  const Grammar grammar = Trimmed(any_grammar);
  const bool has_empty = DerivingSymbols(grammar, /*terminals=*/false)[grammar.start];
  const Grammar plain =
      Merged(WithoutChains(WithoutEmptyString(grammar, max_size), max_size), max_size);
  RuleSet result = LeftCorners(plain, max_size).Transform();
  // The start symbol must be on no right side.
  const int start = result.grammar().start;
  const int new_start = result.AddNonterminal(result.grammar().name(start) + "'");
  for (const std::vector<int>& right : result.bodies(start)) result.Add(new_start, right);
  if (has_empty) result.Add(new_start, {});
  result.SetStart(new_start);
  Grammar form = Merged(Trimmed(result.Finish()), max_size);
  MakeNamesPlain(form);
  return form;
}

Grammar TwoGreibachForm(const Grammar& greibach, std::size_t max_size) {
  const std::vector<std::vector<int>> by_left = RulesByLeft(greibach);
  RuleSet result(greibach, max_size);
  for (const Rule& rule : greibach.rules) {
    if (rule.right.size() < 2) {
      result.Add(rule.left, rule.right);
      continue;
    }
    for (int second : by_left[rule.right[1]]) {
      std::vector<int> right = greibach.rules[second].right;
      right.insert(right.begin(), rule.right[0]);
      right.insert(right.end(), rule.right.begin() + 2, rule.right.end());
      result.Add(rule.left, std::move(right));
    }
  }
  return Merged(Trimmed(result.Finish()), max_size);
}

}  // namespace pushdown
