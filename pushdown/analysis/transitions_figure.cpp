#include "pushdown/analysis/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/figure_parts.h"
#include "pushdown/analysis/run_json.h"
#include "pushdown/error.h"
#include "pushdown/escaped_text.h"
#include "pushdown/json.h"

namespace pushdown {
namespace {

// The names of states and stack symbols by their numbers; null if the model has none.
Json AutomatonJson(const NondeterministicStackSpec* stack) {
  if (stack == nullptr) return nullptr;
  Json automaton = {{"states", Json::array()}, {"symbols", Json::array()}};
  for (int q = 0; q < stack->states; ++q) automaton["states"].push_back(StateName(q));
  for (int x = 0; x < stack->symbols; ++x) automaton["symbols"].push_back(StackSymbolName(x));
  return automaton;
}

Json SymbolJson(const TrainedModel& model, const TransitionAverages::Symbol& symbol,
                double threshold) {
  Json object = {{"symbol", model.vocabulary.name(symbol.symbol)}, {"count", symbol.count}};
  const NondeterministicStackSpec* stack = model.spec.nondeterministic();
  if (stack == nullptr) {
    object["stacks"] = Json::array();
    for (std::size_t n = 0; n + 2 < symbol.average.size(); n += 3) {
      object["stacks"].push_back({{"push", symbol.average[n]},
                                  {"no-op", symbol.average[n + 1]},
                                  {"pop", symbol.average[n + 2]}});
    }
    return object;
  }
  const OperationShares operations = OperationsOf(*stack, symbol);
  object["push"] = operations.push;
  object["replace"] = operations.replace;
  object["pop"] = operations.pop;
  object["transitions"] = Json::array();
  for (const std::size_t place : LargestTransitions(symbol, threshold)) {
    const StepTransition transition = TransitionAt(*stack, place);
    object["transitions"].push_back({{"from", {transition.from_state, transition.from_symbol}},
                                     {"transition", TransitionJson(transition.transition)},
                                     {"probability", symbol.average[place]},
                                     {"text", TransitionText(transition)}});
  }
  return object;
}

std::string TransitionsCsv(const TrainedModel& model, std::span<const TransitionAverages> parts,
                           double threshold) {
  const NondeterministicStackSpec* stack = model.spec.nondeterministic();
  std::string text = "positions,symbol,count,";
  text += stack == nullptr ? "stack,push,no_op,pop\n"
                           : "probability,from_state,from_symbol,operation,to_state,to_symbol\n";
  for (const TransitionAverages& part : parts) {
    for (const TransitionAverages::Symbol& symbol : part.symbols) {
      const std::string begin =
          fmt::format("{},{},{}", CsvField(PositionRuleText(part.positions, model.vocabulary)),
                      CsvField(model.vocabulary.name(symbol.symbol)), symbol.count);
      if (stack == nullptr) {
        for (std::size_t n = 0; n + 2 < symbol.average.size(); n += 3) {
          text += fmt::format("{},{},{},{},{}\n", begin, n / 3 + 1, symbol.average[n],
                              symbol.average[n + 1], symbol.average[n + 2]);
        }
        continue;
      }
      for (const std::size_t place : LargestTransitions(symbol, threshold)) {
        const StepTransition transition = TransitionAt(*stack, place);
        const auto& [operation, state, pushed] = transition.transition;
        text += fmt::format("{},{},{},{},{},{},{}\n", begin, symbol.average[place],
                            transition.from_state, StackSymbolName(transition.from_symbol),
                            OperationName(operation), state,
                            operation == StackOperation::kPop ? "" : StackSymbolName(pushed));
      }
    }
  }
  return text;
}

}  // namespace

double MostTransitions(const ModelSpec& spec, double threshold) {
  const NondeterministicStackSpec* stack = spec.nondeterministic();
  if (stack == nullptr) return spec.superposition()->stacks();
  // Their probabilities sum to one.
  const double all = stack->logits_size();
  return threshold > 0 ? std::min(all, 1 / threshold) : all;
}

double TransitionsFigureBytes(const ModelSpec& spec, double threshold, FigureFormat format) {
  constexpr double kRowText = 80;
  constexpr double kObjectText = 130;
  const double transitions = MostTransitions(spec, threshold);
  if (format == FigureFormat::kCsv) return kTextGrowth * kRowText * transitions;
  return kJsonObjectBytes + (kJsonObjectBytes + kTextGrowth * kObjectText) * transitions;
}

std::string TransitionsFigure(const TrainedModel& model, std::span<const TransitionAverages> parts,
                              double threshold, FigureFormat format) {
  if (format == FigureFormat::kCsv) return TransitionsCsv(model, parts, threshold);
  if (format != FigureFormat::kJson) {
    throw Error("pushdown::TransitionsFigure",
                "transitions have no figure, only text, csv and json");
  }
  Json object = {{"model", FigureModelJson(model)},
                 {"automaton", AutomatonJson(model.spec.nondeterministic())},
                 {"threshold", threshold},
                 {"parts", Json::array()}};
  for (const TransitionAverages& part : parts) {
    Json symbols = Json::array();
    for (const TransitionAverages::Symbol& symbol : part.symbols) {
      symbols.push_back(SymbolJson(model, symbol, threshold));
    }
    object["parts"].push_back({{"positions", PositionRuleText(part.positions, model.vocabulary)},
                               {"symbols", std::move(symbols)}});
  }
  return JsonLine(object);
}

}  // namespace pushdown
