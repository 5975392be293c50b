#include "pushdown/analysis/run_json.h"

namespace pushdown {

Json TransitionJson(const RunTransition& transition) {
  Json json = {OperationName(transition.operation), transition.state};
  if (transition.operation != StackOperation::kPop) json.push_back(transition.symbol);
  return json;
}

Json RunJson(const AutomatonRun& run) {
  Json transitions = Json::array();
  for (const RunTransition& transition : run.transitions) {
    transitions.push_back(TransitionJson(transition));
  }
  return {{"log_weight", run.log_weight},
          {"probability", run.probability},
          {"state", run.state()},
          {"stack", run.Stack()},
          {"transitions", std::move(transitions)}};
}

Json RunsJson(std::span<const AutomatonRun> runs) {
  Json json = Json::array();
  for (const AutomatonRun& run : runs) json.push_back(RunJson(run));
  return json;
}

}  // namespace pushdown
