#include <algorithm>
#include <cmath>
#include <string>

#include "pushdown/error.h"
#include "pushdown/formal/closure.h"
#include "pushdown/formal/grammar.h"

namespace pushdown {
namespace {

// The equations x_A = sum over rules A -> X Y Z of weight * x_X * x_Y * x_Z, solved for one
// strongly connected component of nonterminals after the other.
class DerivationEquations {
 public:
  DerivationEquations(const Grammar& grammar, double terminal_weight)
      : grammar_(grammar),
        solved_(static_cast<std::size_t>(grammar.symbols())),
        variables_(static_cast<std::size_t>(grammar.symbols()), kNone),
        rules_(static_cast<std::size_t>(grammar.symbols())) {
    const std::vector<bool> deriving = DerivingSymbols(grammar, terminal_weight > 0);
    for (int terminal = 0; terminal < grammar.terminals.size(); ++terminal) {
      solved_[terminal] = terminal_weight;
    }
    // Rules that contribute nothing are left out, and with them much recursion.
    for (const Rule& rule : grammar.rules) {
      bool contributes = true;
      for (int symbol : rule.right) contributes = contributes && deriving[symbol];
      if (contributes) rules_[rule.left].push_back(&rule);
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
      if (recursive) {
        SolveRecursive(component);
      } else {
        solved_[component.front()] = Evaluate(component.front(), nullptr);
      }
    }
    return solved_;
  }

 private:
  static constexpr int kNone = -1;

  // The right side of a symbol's equation at solved_; its derivatives by the variables of the
  // component are added to the row, if there is one.
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

  void SolveRecursive(const std::vector<int>& component) {
    const std::size_t size = component.size();
    if (size > kMaxRecursive) {
      throw Error("[pushdown::DerivationWeights] " + std::to_string(size) +
                  " nonterminals derive each other, " + grammar_.name(component.front()) +
                  " among them; at most " + std::to_string(kMaxRecursive) + " are supported");
    }
    for (std::size_t n = 0; n < size; ++n) variables_[component[n]] = static_cast<int>(n);
    if (!AllOne(component)) Newton(component);
    for (int symbol : component) variables_[symbol] = kNone;
  }

  // If x = 1 solves the equations, it is the least solution exactly if the Jacobian there has no
  // eigenvalue above 1. This is the one case in which Newton's method would converge slowly and
  // lose half of the digits: where 1 is no solution, the least one is a simple root.
  bool AllOne(const std::vector<int>& component) {
    constexpr double kRounding = 1e-12;
    constexpr double kCritical = 1e-9;
    for (int symbol : component) solved_[symbol] = 1;
    std::vector<Weight> right_sides(component.size());
    WeightMatrix jacobian = Linearize(component, right_sides);
    bool solution = true;
    for (const Weight& side : right_sides) {
      solution = solution && std::abs(side.ToDouble() - 1) < kRounding;
    }
    return solution && jacobian.HasNoEigenvalueAboveOne(kCritical);
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
      if (!star.Star()) return;
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
  std::vector<int> variables_;                   // by symbol: index within the component, or kNone
  std::vector<std::vector<const Rule*>> rules_;  // by left side
  std::vector<Weight> before_;
};

}  // namespace

std::vector<Weight> DerivationWeights(const Grammar& grammar, double terminal_weight) {
  return DerivationEquations(grammar, terminal_weight).Solve();
}

}  // namespace pushdown
