#include "pushdown/report/inspection_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/analysis/automaton_run.h"
#include "pushdown/analysis/run_json.h"
#include "pushdown/report/json_field.h"

namespace pushdown {
namespace {

constexpr int kMost = std::numeric_limits<int>::max();

// How a row of numbers is read: JsonField::Numbers or JsonField::Shares.
using ReadRow = std::vector<double> (JsonField::*)(std::size_t) const;

// A table of numbers, whose rows may have different sizes.
Json Table(const JsonField& field, std::size_t rows,
           const std::function<std::size_t(std::size_t)>& columns,
           ReadRow read = &JsonField::Numbers) {
  field.ExpectSize(rows);
  Json table = Json::array();
  for (std::size_t row = 0; row < rows; ++row) {
    table.push_back(ShortNumbers((field.At(row).*read)(columns(row))));
  }
  return table;
}

Json Table(const JsonField& field, std::size_t rows, std::size_t columns,
           ReadRow read = &JsonField::Numbers) {
  return Table(
      field, rows, [columns](std::size_t) { return columns; }, read);
}

// Of logarithms, differences are shown.
Json Logarithm(const JsonField& field) { return ShortNumberOrNull(field, 7); }

// null is not known, and "-inf" is impossible.
Json OptimumLog(const JsonField& field) {
  constexpr const char* kImpossible = "-inf";
  if (field.is_null() || field.is_number()) return Logarithm(field);
  if (field.Text() != kImpossible) field.Fail("expected a number, \"-inf\" or null");
  return kImpossible;
}

Json TruthOrNull(const JsonField& field) { return field.is_null() ? Json() : Json(field.Truth()); }

std::string Choice(const JsonField& field, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (field.Text() == name) return name;
  }
  field.Fail(fmt::format("expected {}, found {}", fmt::join(names, ", "),
                         nlohmann::json(field.Text()).dump()));
}

Json Optimum(const JsonField& field) {
  if (field.is_null()) return nullptr;
  const JsonField lengths = field["lengths"];
  lengths.ExpectSize(2);
  const JsonField objection = field["objection"];
  return {{"lengths", {lengths.At(0).Integer(0, kMost), lengths.At(1).Integer(0, kMost)}},
          {"log_p", OptimumLog(field["log_p"])},
          {"member", TruthOrNull(field["member"])},
          {"objection", objection.is_null() ? Json() : Json(objection.Text())}};
}

Json Recognition(const JsonField& field) {
  if (field.is_null()) return nullptr;
  const JsonField mass = field["mass"];
  return {{"accepted", TruthOrNull(field["accepted"])},
          {"y", ShortNumberOrNull(field["y"])},
          {"log_runs", Logarithm(field["log_runs"])},
          {"mass", ShortNumbers(mass.Numbers(mass.size()))}};
}

// An automaton as the model has it: T steps, Q states and G stack symbols.
class AutomatonReader {
 public:
  AutomatonReader(const JsonField& field, std::size_t steps)
      : field_(field),
        steps_(steps),
        states_(field["states"].Texts()),
        symbols_(field["symbols"].Texts()) {
    if (states_.empty()) field["states"].Fail("expected at least one state");
    if (symbols_.empty()) field["symbols"].Fail("expected at least one symbol");
  }

  std::size_t pairs() const { return states_.size() * symbols_.size(); }
  std::size_t vector_size() const {
    return static_cast<std::size_t>(field_["vector_size"].Integer(0, 1 << 20));
  }

  Json Read() const {
    const auto by_time = [](std::size_t t) { return t + 1; };
    const ReadRow shares = &JsonField::Shares;
    // Without `heights`, which no figure shows and which are half of a long inspection.
    return {{"states", states_},
            {"symbols", symbols_},
            {"vector_size", vector_size()},
            {"window", field_["window"].Integer(0, kMost)},
            {"log_weight", Logarithm(field_["log_weight"])},
            {"tops", Table(field_["tops"], steps_ + 1, pairs(), shares)},
            {"tops_given_all", Table(field_["tops_given_all"], steps_ + 1, pairs(), shares)},
            {"transitions", Transitions()},
            {"operations", Operations()},
            {"pushed_in", Table(field_["pushed_in"], steps_ + 1, by_time, shares)},
            {"runs", Runs("runs")},
            {"samples", Runs("samples")}};
  }

 private:
  int State(const JsonField& field) const { return Index(field, states_.size()); }
  int Symbol(const JsonField& field) const { return Index(field, symbols_.size()); }
  static int Index(const JsonField& field, std::size_t count) {
    return field.Integer(0, static_cast<int>(count) - 1);
  }

  RunTransition Transition(const JsonField& field) const {
    const std::string name = Choice(field.At(0), {"push", "replace", "pop"});
    const bool pops = name == OperationName(StackOperation::kPop);
    field.ExpectSize(pops ? 2 : 3);
    if (pops) return {.operation = StackOperation::kPop, .state = State(field.At(1))};
    return {.operation = name == OperationName(StackOperation::kPush) ? StackOperation::kPush
                                                                      : StackOperation::kReplace,
            .state = State(field.At(1)),
            .symbol = Symbol(field.At(2))};
  }

  Json Transitions() const {
    const JsonField field = field_["transitions"];
    field.ExpectSize(steps_);
    Json all = Json::array();
    for (std::size_t t = 0; t < steps_; ++t) {
      const JsonField step = field.At(t);
      Json transitions = Json::array();
      for (std::size_t n = 0; n < step.size(); ++n) {
        const JsonField each = step.At(n);
        const JsonField from = each["from"];
        from.ExpectSize(2);
        transitions.push_back({{"from", {State(from.At(0)), Symbol(from.At(1))}},
                               {"transition", TransitionJson(Transition(each["transition"]))},
                               {"probability", ShortNumber(each["probability"].Share(), 4)}});
      }
      all.push_back(std::move(transitions));
    }
    return all;
  }

  Json Operations() const {
    const JsonField field = field_["operations"];
    field.ExpectSize(steps_);
    Json all = Json::array();
    for (std::size_t t = 0; t < steps_; ++t) {
      Json step;
      for (const char* name : {"push", "replace", "pop"}) {
        step[name] = ShortNumber(field.At(t)[name].Share());
      }
      all.push_back(std::move(step));
    }
    return all;
  }

  Json Run(const JsonField& field) const {
    const JsonField transitions = field["transitions"];
    transitions.ExpectSize(steps_);
    AutomatonRun run;
    std::size_t height = 0;  // of symbols above the bottom one
    for (std::size_t t = 0; t < steps_; ++t) {
      run.transitions.push_back(Transition(transitions.At(t)));
      const StackOperation operation = run.transitions.back().operation;
      if (operation == StackOperation::kPop && height == 0) {
        transitions.At(t).Fail("the bottom symbol cannot be popped");
      }
      if (operation == StackOperation::kPush) ++height;
      if (operation == StackOperation::kPop) --height;
    }
    // As they are, and not as the file has them, so that they are right.
    Json json = RunJson(run);
    json["log_weight"] = Logarithm(field["log_weight"]);
    json["probability"] = ShortNumber(field["probability"].Share());
    return json;
  }

  Json Runs(const char* name) const {
    const JsonField field = field_[name];
    Json runs = Json::array();
    for (std::size_t n = 0; n < field.size(); ++n) runs.push_back(Run(field.At(n)));
    return runs;
  }

  const JsonField field_;
  const std::size_t steps_;
  const std::vector<std::string> states_;
  const std::vector<std::string> symbols_;
};

Json Superposition(const JsonField& field, std::size_t steps, std::size_t& reading_size) {
  Json stacks = Json::array();
  for (std::size_t n = 0; n < field.size(); ++n) {
    const JsonField stack = field.At(n);
    const auto size = static_cast<std::size_t>(stack["size"].Integer(1, 1 << 20));
    reading_size += size;
    const JsonField weights = stack["weights"];
    weights.ExpectSize(steps + 1);
    const auto depths = [&weights](std::size_t t) { return weights.At(t).size(); };
    const JsonField elements = stack["elements"];
    elements.ExpectSize(steps + 1);
    Json vectors = Json::array();
    for (std::size_t t = 0; t <= steps; ++t)
      vectors.push_back(Table(elements.At(t), depths(t), size));
    stacks.push_back({{"size", size},
                      {"actions", Table(stack["actions"], steps, 3)},
                      {"weights", Table(weights, steps + 1, depths)},
                      {"norms", Table(stack["norms"], steps + 1, depths)},
                      {"elements", std::move(vectors)}});
  }
  return stacks;
}

Json Predictions(const JsonField& field, std::size_t count) {
  field.ExpectSize(count);
  Json predictions = Json::array();
  for (std::size_t n = 0; n < count; ++n) {
    const JsonField each = field.At(n);
    predictions.push_back({{"symbol", each["symbol"].Text()},
                           {"log_p", Logarithm(each["log_p"])},
                           {"optimum_log_p", OptimumLog(each["optimum_log_p"])}});
  }
  return predictions;
}

}  // namespace

bool IsInspection(const nlohmann::json& object) {
  return object.contains("inputs") && object.contains("readings") && object.contains("kind");
}

Json ReadInspection(const nlohmann::json& object) {
  const JsonField field(object);
  const std::string kind = Choice(field["kind"], {"strings", "text", "recognizer"});
  const std::vector<std::string> inputs = field["inputs"].Texts();
  if (inputs.empty() && kind != "strings") field["inputs"].Fail("expected at least one");
  const std::size_t steps = inputs.empty() ? 0 : inputs.size() - 1;
  // A model of strings predicts each input and the end, one of text what follows each input.
  const std::size_t predictions = kind == "strings" ? inputs.size() + 1
                                  : kind == "text"  ? inputs.size()
                                                    : 0;
  if ((kind == "recognizer") == field["recognition"].is_null()) {
    field["recognition"].Fail("expected of a recognizer, and of nothing else");
  }
  Json automaton;
  Json superposition;
  std::size_t reading_size = 0;
  if (!field["automaton"].is_null()) {
    const AutomatonReader reader(field["automaton"], steps);
    automaton = reader.Read();
    reading_size = reader.pairs() * std::max<std::size_t>(reader.vector_size(), 1);
  }
  if (!field["superposition"].is_null()) {
    if (reading_size > 0) field["superposition"].Fail("expected null beside an automaton");
    superposition = Superposition(field["superposition"], steps, reading_size);
  }
  return {{"kind", kind},
          {"model", field["model"].Text()},
          {"hidden_units", field["hidden_units"].Integer(0, kMost)},
          {"string", field["string"].Text()},
          {"inputs", inputs},
          {"predictions", Predictions(field["predictions"], predictions)},
          {"log_p", Logarithm(field["log_p"])},
          {"optimum", Optimum(field["optimum"])},
          {"recognition", Recognition(field["recognition"])},
          {"readings", Table(field["readings"], reading_size > 0 ? steps + 1 : 0, reading_size)},
          {"automaton", std::move(automaton)},
          {"superposition", std::move(superposition)}};
}

}  // namespace pushdown
