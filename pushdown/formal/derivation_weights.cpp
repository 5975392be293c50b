#include "pushdown/formal/derivation_weights.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "pushdown/error.h"
#include "pushdown/formal/closure.h"

namespace pushdown {
namespace {

// The equations x_A = sum over rules A -> X Y Z of weight * x_X * x_Y * x_Z, solved for one
// strongly connected component of nonterminals after the other.
class DerivationEquations {
 public:
  DerivationEquations(const Grammar& grammar, double terminal_weight)
      : grammar_(grammar),
        solved_(static_cast<std::size_t>(grammar.symbols())),
        certain_(static_cast<std::size_t>(grammar.symbols()), false),
        lossless_(static_cast<std::size_t>(grammar.symbols()), true),
        variables_(static_cast<std::size_t>(grammar.symbols()), kNone),
        rules_(static_cast<std::size_t>(grammar.symbols())) {
    const std::vector<bool> deriving = DerivingSymbols(grammar, terminal_weight > 0);
    for (int terminal = 0; terminal < grammar.terminals.size(); ++terminal) {
      solved_[terminal] = terminal_weight;
      certain_[terminal] = terminal_weight == 1;
    }
    // Rules that contribute nothing are left out, which removes much recursion.
    for (const Rule& rule : grammar.rules) {
      bool contributes = true;
      for (int symbol : rule.right) contributes = contributes && deriving[symbol];
      if (contributes) {
        rules_[rule.left].push_back(&rule);
      } else {
        lossless_[rule.left] = false;
      }
    }
  }

  std::vector<Weight> Solve() {
    std::vector<std::vector<int>> successors(solved_.size());
    for (std::size_t left = 0; left < rules_.size(); ++left) {
      for (const Rule* rule : rules_[left]) {
        for (int symbol : rule->right) {
          if (!grammar_.IsTerminal(symbol)) successors[left].push_back(symbol);
        }
      }
    }
    for (const std::vector<int>& component : StronglyConnectedComponents(successors)) {
      if (grammar_.IsTerminal(component.front())) continue;
      bool recursive = component.size() > 1;
      for (int to : successors[component.front()]) recursive |= to == component.front();
      SolveComponent(component, recursive);
    }
    return solved_;
  }

 private:
  static constexpr int kNone = -1;

  // The right side of a symbol's equation for the values in solved_. If a row is given, the
  // derivatives with respect to the component's variables are added to it.
  Weight Evaluate(int left, Weight* derivatives) {
    Weight total;
    for (const Rule* rule : rules_[left]) {
      const std::vector<int>& right = rule->right;
      // before[n]: the product of the weight and the first n symbols.
      before_.assign(1, rule->weight);
      for (int symbol : right) before_.push_back(before_.back() * solved_[symbol]);
      total += before_.back();
      if (derivatives == nullptr) continue;
      Weight after = 1;
      for (std::size_t n = right.size(); n-- > 0;) {
        const int variable = variables_[right[n]];
        if (variable != kNone) derivatives[variable] += before_[n] * after;
        after *= solved_[right[n]];
      }
    }
    return total;
  }

  // The Jacobian at solved_, and the right sides.
  WeightMatrix Linearize(const std::vector<int>& component, std::vector<Weight>& right_sides) {
    const int size = static_cast<int>(component.size());
    WeightMatrix jacobian(size);
    for (int n = 0; n < size; ++n) right_sides[n] = Evaluate(component[n], &jacobian(n, 0));
    return jacobian;
  }

  void SolveComponent(const std::vector<int>& component, bool recursive) {
    if (component.size() > kMaxRecursive) {
      throw Error("pushdown::DerivationWeights",
                  std::to_string(component.size()) + " nonterminals derive each other, " +
                      grammar_.name(component.front()) + " among them; at most " +
                      std::to_string(kMaxRecursive) + " are supported");
    }
    for (std::size_t n = 0; n < component.size(); ++n) {
      variables_[component[n]] = static_cast<int>(n);
    }
    if (IsCertain(component, recursive)) {
      for (int symbol : component) {
        solved_[symbol] = 1;
        certain_[symbol] = true;
      }
    } else if (recursive) {
      Newton(component);
    } else {
      solved_[component.front()] = Evaluate(component.front(), nullptr);
    }
    for (int symbol : component) variables_[symbol] = kNone;
  }

  // Whether the least solution is exactly x = 1. This is a solution if no rule was left out, and it
  // is the least one if the Jacobian at x = 1 has no eigenvalue above 1. Newton's method would find
  // it too, but loses half of the digits if an eigenvalue is 1; no other solution has this problem.
  bool IsCertain(const std::vector<int>& component, bool recursive) {
    constexpr double kRounding = 1e-9;
    for (int left : component) {
      Weight sum;
      for (const Rule* rule : rules_[left]) {
        sum += rule->weight;
        for (int symbol : rule->right) {
          if (!certain_[symbol] && variables_[symbol] == kNone) return false;
        }
      }
      if (!lossless_[left] || std::abs(sum.ToDouble() - 1) > kRounding) return false;
    }
    if (!recursive) return true;
    for (int symbol : component) solved_[symbol] = 1;
    std::vector<Weight> right_sides(component.size());
    return Linearize(component, right_sides).HasNoEigenvalueAboveOne(kRounding);
  }

  // From zero, Newton's method approaches the least solution from below (Etessami and Yannakakis
  // 2009).
  void Newton(const std::vector<int>& component) {
    constexpr int kMaxIterations = 200;
    constexpr double kConverged = 1e-15;
    constexpr double kNearlyConverged = 1e-8;  // from here on, changes may be rounding errors
    const int size = static_cast<int>(component.size());
    for (int symbol : component) solved_[symbol] = 0;
    std::vector<Weight> right_sides(component.size());
    double previous = 1;
    for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
      WeightMatrix star = Linearize(component, right_sides);
      if (!star.Star()) return;  // so nearly critical that rounding errors dominate from here on
      for (int n = 0; n < size; ++n) right_sides[n] -= solved_[component[n]];
      double change = 0;  // relative
      for (int row = 0; row < size; ++row) {
        Weight step;
        for (int column = 0; column < size; ++column) {
          step += star(row, column) * right_sides[column];
        }
        Weight& value = solved_[component[row]];
        value += step;
        // Every variable of the component is positive in the end.
        change = std::max(change, value.IsZero() ? 1.0 : (step / value).ToDouble());
      }
      if (change <= kConverged || (change < kNearlyConverged && change >= previous)) return;
      previous = change;
    }
  }

  const Grammar& grammar_;
  std::vector<Weight> solved_;                   // by symbol
  std::vector<bool> certain_;                    // by symbol: solved_ is 1, without rounding errors
  std::vector<bool> lossless_;                   // by symbol: no rule was left out
  std::vector<int> variables_;                   // by symbol: index within the component, or kNone
  std::vector<std::vector<const Rule*>> rules_;  // by left side
  std::vector<Weight> before_;
};

}  // namespace

std::vector<Weight> DerivationWeights(const Grammar& grammar, double terminal_weight) {
  return DerivationEquations(grammar, terminal_weight).Solve();
}

}  // namespace pushdown
