#include "pushdown/analysis/figures.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/figure_parts.h"
#include "pushdown/error.h"
#include "pushdown/escaped_text.h"
#include "pushdown/json.h"

namespace pushdown {
namespace {

const char* OperationName(AveragedTransition::Operation operation) {
  constexpr std::array<const char*, 3> kOperations = {"push", "replace", "pop"};
  return kOperations[static_cast<std::size_t>(operation)];
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
    const AveragedTransition transition = TransitionAt(*stack, place);
    const bool pops = transition.to_symbol < 0;
    object["transitions"].push_back(
        {{"probability", symbol.average[place]},
         {"from_state", transition.from_state},
         {"from_symbol", StackSymbolName(transition.from_symbol)},
         {"operation", OperationName(transition.operation)},
         {"to_state", transition.to_state},
         {"to_symbol", pops ? Json() : Json(StackSymbolName(transition.to_symbol))},
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
        const AveragedTransition transition = TransitionAt(*stack, place);
        text += fmt::format("{},{},{},{},{},{},{}\n", begin, symbol.average[place],
                            transition.from_state, StackSymbolName(transition.from_symbol),
                            OperationName(transition.operation), transition.to_state,
                            transition.to_symbol < 0 ? "" : StackSymbolName(transition.to_symbol));
      }
    }
  }
  return text;
}

}  // namespace

std::string TransitionsFigure(const TrainedModel& model, std::span<const TransitionAverages> parts,
                              double threshold, FigureFormat format) {
  if (format == FigureFormat::kCsv) return TransitionsCsv(model, parts, threshold);
  if (format != FigureFormat::kJson) {
    throw Error("pushdown::TransitionsFigure",
                "transitions have no figure, only text, csv and json");
  }
  Json object = {
      {"model", FigureModelJson(model)}, {"threshold", threshold}, {"parts", Json::array()}};
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
