#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/grammar.h"

namespace pushdown::testing_oracle {

// Two ways to the weight of a string that transform no grammar: EnumerateDerivations follows the
// leftmost derivations themselves, InsideOracle solves the equations of the inside weights as they
// are written down. The first checks the second, which is fast enough for many grammars.

struct EnumeratedWeight {
  double weight = 0;    // of the derivations that were followed to their end
  double left_out = 0;  // an upper bound of the weight of the others
};

// By symbol, the length of its shortest string; more than `limit` is limit + 1, and so is none.
inline std::vector<int> ShortestLengths(const Grammar& grammar, int limit) {
  std::vector<int> shortest(static_cast<std::size_t>(grammar.symbols()), limit + 1);
  for (int symbol = 0; symbol < grammar.terminals.size(); ++symbol) shortest[symbol] = 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (const Rule& rule : grammar.rules) {
      int length = 0;
      for (int symbol : rule.right) length = std::min(length + shortest[symbol], limit + 1);
      if (length >= shortest[rule.left]) continue;
      shortest[rule.left] = length;
      changed = true;
    }
  }
  return shortest;
}

// The weight of a string: all leftmost derivations, a step at a time. Those that have arrived at
// the same sentential form are added up; those that cannot become the string any more are left
// behind, and so are, in left_out, those below min_weight and those longer than max_steps. The
// weights of a nonterminal's rules must not sum to more than one: then what comes of a form is no
// more than it.
inline EnumeratedWeight EnumerateDerivations(const Grammar& grammar, const std::vector<int>& string,
                                             int max_steps, double min_weight) {
  const std::vector<int> shortest = ShortestLengths(grammar, static_cast<int>(string.size()));
  // How many symbols of the string are derived, and the rest of the form from its end to the
  // leftmost nonterminal.
  using Form = std::pair<std::size_t, std::vector<int>>;
  const auto may_become_string = [&](Form& form) {
    auto& [derived, rest] = form;
    while (!rest.empty() && grammar.IsTerminal(rest.back())) {
      if (derived == string.size() || string[derived] != rest.back()) return false;
      ++derived;
      rest.pop_back();
    }
    int length = static_cast<int>(derived);
    for (int symbol : rest) length += shortest[symbol];
    return length <= static_cast<int>(string.size());
  };

  EnumeratedWeight result;
  std::map<Form, double> forms = {{Form(0, {grammar.start}), 1.0}};
  for (int step = 0; step < max_steps && !forms.empty(); ++step) {
    std::map<Form, double> next;
    for (const auto& [form, weight] : forms) {
      if (weight < min_weight) {
        result.left_out += weight;
        continue;
      }
      for (const Rule& rule : grammar.rules) {
        if (rule.left != form.second.back()) continue;
        Form derived = form;
        derived.second.pop_back();
        derived.second.insert(derived.second.end(), rule.right.rbegin(), rule.right.rend());
        if (!may_become_string(derived)) continue;
        const double derived_weight = weight * rule.weight.ToDouble();
        if (!derived.second.empty()) {
          next[derived] += derived_weight;
        } else if (derived.first == string.size()) {
          result.weight += derived_weight;
        }
      }
    }
    forms = std::move(next);
  }
  for (const auto& [form, weight] : forms) result.left_out += weight;
  return result;
}

// Enough for convergence by a factor of 0.998 an iteration.
inline constexpr int kMaxIterations = 20000;

// For each symbol the total weight of its derivations if terminals weigh terminal_weight, by
// iteration from zero until not a bit changes any more (each iteration increases all values, since
// rounding is monotone). Nothing if that takes too long, as it does for critical grammars.
inline std::optional<std::vector<long double>> IteratedDerivationWeights(
    const Grammar& grammar, long double terminal_weight) {
  std::vector<long double> values(static_cast<std::size_t>(grammar.symbols()), 0.0L);
  for (int symbol = 0; symbol < grammar.terminals.size(); ++symbol) {
    values[symbol] = terminal_weight;
  }
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    std::vector<long double> next(values.begin(), values.begin() + grammar.terminals.size());
    next.resize(values.size(), 0.0L);
    for (const Rule& rule : grammar.rules) {
      long double product = rule.weight.ToDouble();
      for (int symbol : rule.right) product *= values[symbol];
      next[rule.left] += product;
    }
    if (next == values) return values;
    values = std::move(next);
  }
  return std::nullopt;
}

// The weights of strings of a grammar: the inside equations of all substrings, shorter ones first,
// each by iteration until not a bit changes any more.
class InsideOracle {
 public:
  explicit InsideOracle(Grammar&&) = delete;  // refers to the grammar
  // Throws Error if the iteration for the empty string does not end.
  explicit InsideOracle(const Grammar& grammar) : grammar_(grammar) {
    const auto empty = IteratedDerivationWeights(grammar, 0.0L);
    if (!empty) throw Error("pushdown::testing_oracle::InsideOracle", "does not converge");
    // Of a rule, the terms where one symbol makes the whole string and the others nothing.
    for (const Rule& rule : grammar.rules) {
      for (std::size_t whole = 0; whole < rule.right.size(); ++whole) {
        long double weight = rule.weight.ToDouble();
        for (std::size_t n = 0; n < rule.right.size(); ++n) {
          if (n != whole) weight *= (*empty)[rule.right[n]];
        }
        if (weight != 0) whole_terms_.push_back({rule.left, rule.right[whole], weight});
      }
    }
    weights_.emplace(std::vector<int>(), *empty);
  }

  double operator()(const std::vector<int>& string) {
    return static_cast<double>(Weights(string)[grammar_.start]);
  }

  // By symbol.
  const std::vector<long double>& Weights(const std::vector<int>& string) {
    const auto found = weights_.find(string);
    if (found != weights_.end()) return found->second;
    const std::size_t length = string.size();
    std::vector<long double> constant(static_cast<std::size_t>(grammar_.symbols()), 0.0L);
    // Until all else is known, nothing makes the whole string.
    const std::vector<long double> nothing = constant;
    std::vector<std::vector<const std::vector<long double>*>> inside(length + 1);  // [begin][end]
    for (std::size_t begin = 0; begin <= length; ++begin) {
      inside[begin].resize(length + 1);
      for (std::size_t end = begin; end <= length; ++end) {
        const bool whole = begin == 0 && end == length;
        inside[begin][end] =
            whole ? &nothing : &Weights({string.begin() + begin, string.begin() + end});
      }
    }
    for (const Rule& rule : grammar_.rules) {
      std::vector<long double> ways(length + 1, 0.0L);  // of the symbols so far, by end
      ways[0] = rule.weight.ToDouble();
      for (int symbol : rule.right) {
        std::vector<long double> next(length + 1, 0.0L);
        for (std::size_t begin = 0; begin <= length; ++begin) {
          if (ways[begin] == 0) continue;
          for (std::size_t end = begin; end <= length; ++end) {
            next[end] += ways[begin] * (*inside[begin][end])[symbol];
          }
        }
        ways = std::move(next);
      }
      constant[rule.left] += ways[length];
    }
    if (length == 1) constant[string[0]] = 1;
    return weights_.emplace(string, Closed(constant)).first->second;
  }

 private:
  struct WholeTerm {
    int left;
    int right;
    long double weight;
  };

  // The least solution of x = constant + (whole terms of x).
  std::vector<long double> Closed(const std::vector<long double>& constant) const {
    std::vector<long double> values = constant;
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      std::vector<long double> next = constant;
      for (const WholeTerm& term : whole_terms_)
        next[term.left] += term.weight * values[term.right];
      if (next == values) return values;
      values = std::move(next);
    }
    throw Error("pushdown::testing_oracle::InsideOracle", "does not converge");
  }

  const Grammar& grammar_;
  std::vector<WholeTerm> whole_terms_;
  std::map<std::vector<int>, std::vector<long double>> weights_;  // by string, then symbol
};

}  // namespace pushdown::testing_oracle
