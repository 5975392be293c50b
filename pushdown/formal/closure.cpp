#include "pushdown/formal/closure.h"

#include <algorithm>
#include <cstddef>

#include "pushdown/interruption.h"

namespace pushdown {

std::vector<std::vector<int>> StronglyConnectedComponents(
    const std::vector<std::vector<int>>& successors) {
  // Tarjan's algorithm without recursion: a grammar can be deeper than the program's stack.
  constexpr int kNew = -1;
  struct Visit {
    int node;
    std::size_t next;  // the next successor to visit
  };
  const std::size_t count = successors.size();
  std::vector<int> order(count, kNew);
  std::vector<int> low(count, 0);
  std::vector<bool> open(count, false);
  std::vector<int> opened;
  std::vector<Visit> visits;
  std::vector<std::vector<int>> components;
  int visited = 0;
  const auto enter = [&](int node) {
    order[node] = low[node] = visited++;
    open[node] = true;
    opened.push_back(node);
    visits.push_back({node, 0});
  };
  for (std::size_t root = 0; root < count; ++root) {
    if (order[root] != kNew) continue;
    enter(static_cast<int>(root));
    while (!visits.empty()) {
      const int node = visits.back().node;
      if (visits.back().next < successors[node].size()) {
        const int to = successors[node][visits.back().next++];
        if (order[to] == kNew) {
          enter(to);
        } else if (open[to]) {
          low[node] = std::min(low[node], order[to]);
        }
        continue;
      }
      visits.pop_back();
      if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[node]);
      if (low[node] != order[node]) continue;
      std::vector<int>& component = components.emplace_back();
      int member = kNew;
      do {
        member = opened.back();
        opened.pop_back();
        open[member] = false;
        component.push_back(member);
      } while (member != node);
      std::sort(component.begin(), component.end());
    }
  }
  return components;
}

bool WeightMatrix::AddPathsThrough(int via) {
  CheckInterruption();
  WeightMatrix& matrix = *this;
  const double rest = 1 - matrix(via, via).ToDouble();
  if (!(rest > 0)) return false;
  const Weight around = 1 / rest;
  for (int from = 0; from < size_; ++from) {
    if (from == via || matrix(from, via).IsZero()) continue;
    const Weight arriving = matrix(from, via) * around;
    for (int to = 0; to < size_; ++to) {
      if (to != via) matrix(from, to) += arriving * matrix(via, to);
    }
    matrix(from, via) = arriving;
  }
  for (int to = 0; to < size_; ++to) {
    if (to != via) matrix(via, to) *= around;
  }
  matrix(via, via) = around;
  return true;
}

bool WeightMatrix::Star() {
  // Backwards: nonterminals that were added to a grammar come last, and have few neighbours.
  for (int via = size_ - 1; via >= 0; --via) {
    if (!AddPathsThrough(via)) return false;
  }
  return true;
}

bool WeightMatrix::HasNoEigenvalueAboveOne(double tolerance) {
  // If the largest eigenvalue is exactly one, all cycles through the last node together weigh one.
  const int last = size_ - 1;
  for (int via = 0; via < last; ++via) {
    if (!AddPathsThrough(via)) return false;
  }
  return (*this)(last, last).ToDouble() <= 1 + tolerance;
}

}  // namespace pushdown
