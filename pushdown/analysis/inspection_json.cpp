#include "pushdown/analysis/inspection_json.h"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "pushdown/analysis/run_json.h"
#include "pushdown/analysis/transition_marginals.h"

namespace pushdown {
namespace {

// null is not known; "-inf", which no JSON number is, is impossible.
Json OptimumLogJson(const std::optional<double>& log_p) {
  if (!log_p) return nullptr;
  return std::isinf(*log_p) ? Json("-inf") : Json(*log_p);
}

Json PredictionsJson(const Inspection& inspection) {
  Json predictions = Json::array();
  for (const InspectedPrediction& prediction : inspection.predictions) {
    predictions.push_back({{"symbol", prediction.symbol},
                           {"log_p", prediction.log_p},
                           {"optimum_log_p", OptimumLogJson(prediction.optimum_log_p)}});
  }
  return predictions;
}

Json OptimumJson(const InspectedOptimum& optimum) {
  Json json = {{"lengths", {optimum.lengths.min, optimum.lengths.max}},
               {"log_p", OptimumLogJson(optimum.log_p)},
               {"member", nullptr},
               {"objection", nullptr}};
  if (optimum.member) json["member"] = *optimum.member;
  if (!optimum.objection.empty()) json["objection"] = optimum.objection;
  return json;
}

Json AutomatonJson(const InspectedAutomaton& automaton, const InspectionJsonOptions& options) {
  const RunMarginals& marginals = automaton.marginals;
  Json transitions = Json::array();
  Json operations = Json::array();
  Json tops_given_all = Json::array();
  for (int t = 1; t <= marginals.steps; ++t) {
    const auto [push, replace, pop] = OperationMarginals(automaton.spec, marginals, t);
    operations.push_back({{"push", push}, {"replace", replace}, {"pop", pop}});
    tops_given_all.push_back(PairMarginals(automaton.spec, marginals, t));
    Json step = Json::array();
    for (const TransitionMarginal& marginal :
         TransitionMarginals(automaton.spec, marginals, t, options.min_probability)) {
      step.push_back({{"from", {marginal.state, marginal.symbol}},
                      {"transition", TransitionJson(marginal.transition)},
                      {"probability", marginal.probability}});
    }
    transitions.push_back(std::move(step));
  }
  tops_given_all.push_back(automaton.tops.back());  // after the last step, all is known
  return {{"states", automaton.state_names},
          {"symbols", automaton.symbol_names},
          {"vector_size", automaton.spec.vector_size},
          {"window", automaton.spec.window},
          {"log_weight", automaton.log_weight},
          {"tops", automaton.tops},
          {"tops_given_all", std::move(tops_given_all)},
          {"transitions", std::move(transitions)},
          {"operations", std::move(operations)},
          {"expected_heights", marginals.expected_heights},
          {"expected_heights_given_all", marginals.expected_heights_given_all},
          {"heights", marginals.heights},
          {"pushed_in", marginals.pushed_in},
          {"runs", RunsJson(automaton.runs)},
          {"samples", RunsJson(automaton.samples)}};
}

Json RecognitionJson(const InspectedRecognition& recognition) {
  Json json = {{"accepted", nullptr},
               {"y", recognition.y},
               {"log_runs", recognition.log_runs},
               {"mass", recognition.acceptance}};
  if (recognition.accepted) json["accepted"] = *recognition.accepted;
  return json;
}

}  // namespace

Json InspectionJson(const Inspection& inspection, const InspectionJsonOptions& options) {
  Json json = {{"kind", InspectedKindName(inspection.kind)},
               {"model", inspection.model},
               {"hidden_units", inspection.hidden_units},
               {"string", inspection.string},
               {"inputs", inspection.inputs},
               {"predictions", PredictionsJson(inspection)},
               {"log_p", inspection.log_p},
               {"optimum", nullptr},
               {"recognition", nullptr},
               {"readings", inspection.readings},
               {"automaton", nullptr},
               {"superposition", nullptr}};
  if (inspection.predictions.empty()) json["log_p"] = nullptr;
  if (inspection.optimum) json["optimum"] = OptimumJson(*inspection.optimum);
  if (inspection.recognition) json["recognition"] = RecognitionJson(*inspection.recognition);
  if (inspection.automaton) json["automaton"] = AutomatonJson(*inspection.automaton, options);
  if (!inspection.superposition.empty()) {
    json["superposition"] = Json::array();
    for (const InspectedSuperposition& stack : inspection.superposition) {
      json["superposition"].push_back({{"size", stack.size},
                                       {"actions", stack.actions},
                                       {"weights", stack.weights},
                                       {"norms", stack.norms},
                                       {"elements", stack.elements}});
    }
  }
  return json;
}

}  // namespace pushdown
