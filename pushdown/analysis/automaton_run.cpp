#include "pushdown/analysis/automaton_run.h"

#include <fmt/format.h>

namespace pushdown {

const char* OperationName(StackOperation operation) {
  switch (operation) {
    case StackOperation::kPush:
      return "push";
    case StackOperation::kReplace:
      return "replace";
    case StackOperation::kPop:
      break;
  }
  return "pop";
}

StepTransition TransitionAt(const NondeterministicStackSpec& spec, std::size_t n) {
  const int per_pair = spec.logits_per_pair();
  const int from = static_cast<int>(n) / per_pair;
  const int to = static_cast<int>(n) % per_pair;
  StepTransition result = {.from_state = from / spec.symbols, .from_symbol = from % spec.symbols};
  if (to >= 2 * spec.pairs()) {
    result.transition = {StackOperation::kPop, to - 2 * spec.pairs(), -1};
  } else {
    const int pair = to % spec.pairs();
    result.transition = {to < spec.pairs() ? StackOperation::kPush : StackOperation::kReplace,
                         pair / spec.symbols, pair % spec.symbols};
  }
  return result;
}

std::vector<int> AutomatonRun::Stack() const {
  std::vector<int> last;
  ForEachConfiguration([&](int t, int /*state*/, std::span<const int> stack) {
    if (t == static_cast<int>(transitions.size())) last.assign(stack.begin(), stack.end());
  });
  return last;
}

void AutomatonRun::ForEachConfiguration(
    const std::function<void(int t, int state, std::span<const int> stack)>& visit) const {
  std::vector<int> stack = {0};
  visit(0, 0, stack);
  int t = 0;
  for (const RunTransition& transition : transitions) {
    switch (transition.operation) {
      case StackOperation::kPush:
        stack.push_back(transition.symbol);
        break;
      case StackOperation::kReplace:
        stack.back() = transition.symbol;
        break;
      case StackOperation::kPop:
        stack.pop_back();
        break;
    }
    visit(++t, transition.state, stack);
  }
}

std::string StateName(int state) { return fmt::format("q{}", state); }

std::string StackSymbolName(int symbol) {
  return symbol == 0 ? "⊥" : fmt::format("{}", symbol - 1);
}

}  // namespace pushdown
