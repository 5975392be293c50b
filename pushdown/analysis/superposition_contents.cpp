#include "pushdown/analysis/superposition_contents.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace pushdown {
namespace {

// Each element with a last component of its own, which is pushed as 1.
using Elements = std::vector<std::vector<double>>;

// V_t[j] = push * V_{t-1}[j-1] + no-op * V_{t-1}[j] + pop * V_{t-1}[j+1], V_{t-1}[-1] = v_t.
Elements Next(const Elements& stack, const std::array<double, 3>& actions,
              const std::vector<double>& pushed, int depth_limit) {
  const auto [push, no_op, pop] = actions;
  std::size_t height = stack.size() + 1;
  if (depth_limit > 0) height = std::min(height, static_cast<std::size_t>(depth_limit));
  Elements next(height, std::vector<double>(pushed.size()));
  for (std::size_t depth = 0; depth < height; ++depth) {
    const auto add = [&](double weight, const std::vector<double>& element) {
      for (std::size_t n = 0; n < element.size(); ++n) next[depth][n] += weight * element[n];
    };
    add(push, depth == 0 ? pushed : stack[depth - 1]);
    if (depth < stack.size()) add(no_op, stack[depth]);
    if (depth + 1 < stack.size()) add(pop, stack[depth + 1]);
  }
  return next;
}

void Append(const Elements& stack, std::size_t depths, InspectedSuperposition& contents) {
  Elements& elements = contents.elements.emplace_back();
  std::vector<double>& norms = contents.norms.emplace_back();
  std::vector<double>& weights = contents.weights.emplace_back();
  for (std::size_t depth = 0; depth < std::min(depths, stack.size()); ++depth) {
    std::vector<double> element = stack[depth];
    weights.push_back(element.back());
    element.pop_back();
    double squares = 0;
    for (const double component : element) squares += component * component;
    norms.push_back(std::sqrt(squares));
    elements.push_back(std::move(element));
  }
}

}  // namespace

std::vector<InspectedSuperposition> SuperpositionContents(const SuperpositionStackSpec& spec,
                                                          std::span<const SuperpositionStep> steps,
                                                          int depths) {
  std::vector<InspectedSuperposition> result;
  std::size_t offset = 0;
  for (std::size_t k = 0; k < spec.sizes.size(); ++k) {
    InspectedSuperposition& contents = result.emplace_back();
    contents.size = spec.sizes[k];
    const auto size = static_cast<std::size_t>(contents.size);
    Elements stack;
    Append(stack, static_cast<std::size_t>(depths), contents);
    for (const SuperpositionStep& step : steps) {
      const std::array<double, 3> actions = {step.actions[3 * k], step.actions[3 * k + 1],
                                             step.actions[3 * k + 2]};
      const std::span<const double> vector = step.vector.subspan(offset, size);
      std::vector<double> pushed(vector.begin(), vector.end());
      pushed.push_back(1);
      stack = Next(stack, actions, pushed, spec.depth_limit);
      contents.actions.push_back(actions);
      Append(stack, static_cast<std::size_t>(depths), contents);
    }
    offset += size;
  }
  return result;
}

}  // namespace pushdown
