#include "pushdown/report/report_data.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pushdown/report/automaton_layout.h"
#include "pushdown/report/json_field.h"
#include "pushdown/run/run_config.h"

namespace pushdown {
namespace {

Json Number(const std::optional<double>& value, int digits = 5) {
  return value ? ShortNumber(*value, digits) : Json();
}

Json SettingsValues(const std::vector<NamedSetting>& settings) {
  Json values = Json::object();
  for (const NamedSetting& setting : settings) values[setting.name] = setting.value;
  return values;
}

Json IntervalJson(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {ShortNumber(interval->low), ShortNumber(interval->high)};
}

Json PublishedNumbers(const PublishedCell& cell) {
  return {{"mean", Number(cell.mean)},
          {"sd", Number(cell.sd)},
          {"best", Number(cell.best)},
          {"test", Number(cell.test)}};
}

Json PublishedJson(const std::optional<PublishedResults>& published) {
  if (!published) return nullptr;
  Json cells = Json::array();
  for (const PublishedCell& cell : published->cells) {
    Json numbers = {{"values", SettingsValues(cell.keys)}};
    numbers.update(PublishedNumbers(cell));
    cells.push_back(std::move(numbers));
  }
  return {{"source", published->source}, {"runs", published->runs}, {"cells", std::move(cells)}};
}

Json ComparisonJson(const std::optional<RowComparison>& comparison) {
  if (!comparison) return nullptr;
  Json value = PublishedNumbers(comparison->published);
  const std::optional<WelchTest>& test = comparison->test;
  value["t"] = test ? ShortNumber(test->t) : Json();
  value["degrees_of_freedom"] = test ? ShortNumber(test->degrees_of_freedom) : Json();
  value["p"] = test ? ShortNumber(test->p) : Json();
  value["adjusted_p"] = test ? ShortNumber(comparison->adjusted_p) : Json();
  value["differs"] = comparison->differs;
  value["mean_interval"] = IntervalJson(comparison->mean_interval);
  value["best_interval"] = IntervalJson(comparison->best_interval);
  return value;
}

// JavaScript has no integers beyond this; as a text, they stay what they are.
Json SeedJson(const std::optional<std::uint64_t>& seed) {
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  if (!seed) return nullptr;
  return *seed <= kExact ? Json(*seed) : Json(std::to_string(*seed));
}

Json RunJson(const RunRecord& record, const std::string& name, Measure measure) {
  Json rates = Json::array();
  for (const RateChange& change : record.rates) {
    rates.push_back({change.epoch, ShortNumber(change.learning_rate)});
  }
  Json curve = Json::array();
  for (const double score : record.curve) curve.push_back(ShortNumber(score));
  return {{"name", name},
          {"state", StateName(record.state)},
          {"failure", record.failure},
          {"epochs", record.epochs},
          {"best_epoch", record.best_epoch},
          {"score", Number(ScoreOf(record, measure))},
          {"test_score", Number(TestScoreOf(record, measure))},
          {"learning_rate", record.learning_rate > 0 ? ShortNumber(record.learning_rate) : Json()},
          {"rates", std::move(rates)},
          {"clipping", Number(record.clipping)},
          {"seed", SeedJson(record.seed)},
          {"seconds", ShortNumber(record.seconds)},
          {"stopped_by", record.stopped_by},
          {"machine", record.machine},
          {"version", record.version},
          {"revision", record.revision},
          {"begun", record.begun},
          {"curve", std::move(curve)},
          {"by_length", ByLengthJson(record)}};
}

Json CellJson(const TableRow& row, const ResultsInput& input) {
  const ExperimentResults& results = input.results;
  Json restarts = Json::array();
  Json best_run;
  for (const std::size_t n : row.cells) {
    const CellResults& cell = results.cells[n];
    for (std::size_t run = 0; run < cell.runs.size(); ++run) {
      const std::string name = RunNameOf(cell, run);
      if (name == row.best_run) best_run = restarts.size();
      restarts.push_back(RunJson(cell.runs[run], name, results.measure));
    }
  }
  const CellResults& first = results.cells[row.cells.front()];
  const std::optional<LengthRange>& lengths = first.training_lengths;
  const SampleSummary& scores = row.scores;
  const auto of_scores = [&scores](double value) {
    return scores.count > 0 ? ShortNumber(value) : Json();
  };
  const bool has_solved = row.finished > 0 && results.measure == Measure::kDifference;
  return {{"name", first.name},
          {"values", SettingsValues(first.keys)},
          {"training_lengths", lengths ? Json{lengths->min, lengths->max} : Json()},
          {"runs", row.runs},
          {"finished", row.finished},
          {"failed", row.failed},
          {"best", of_scores(scores.best)},
          {"mean", of_scores(scores.mean)},
          {"sd", scores.count > 1 ? ShortNumber(scores.sd) : Json()},
          {"median", of_scores(scores.median)},
          {"lower_quartile", of_scores(scores.lower_quartile)},
          {"upper_quartile", of_scores(scores.upper_quartile)},
          {"solved", has_solved ? ShortNumber(row.solved) : Json()},
          {"epochs", row.finished > 0 ? ShortNumber(row.epochs) : Json()},
          {"seconds", ShortNumber(row.seconds)},
          {"test", Number(row.test)},
          {"best_run", std::move(best_run)},
          {"comparison", ComparisonJson(row.comparison)},
          {"restarts", std::move(restarts)}};
}

Json HeadJson(const AutomatonHead& head) { return {head.state, head.top}; }

// A hundredth of a point is less than can be seen.
Json Coordinate(double value) { return ShortNumber(std::round(value * 100) / 100, 8); }

Json PointJson(const LayoutPoint& point) { return {Coordinate(point.x), Coordinate(point.y)}; }

// A path of SVG.
std::string PathText(const LayoutArrow& arrow) {
  std::string text;
  for (std::size_t n = 0; n < arrow.curve.size(); ++n) {
    const LayoutPoint& point = arrow.curve[n];
    text += fmt::format("{}{} {}",
                        n == 0   ? "M"
                        : n == 1 ? "C"
                                 : " ",
                        Coordinate(point.x).dump(), Coordinate(point.y).dump());
  }
  return text;
}

Json LayoutJson(const AutomatonLayout& layout) {
  Json states = Json::array();
  for (const LayoutState& state : layout.states) {
    states.push_back({{"x", Coordinate(state.centre.x)},
                      {"y", Coordinate(state.centre.y)},
                      {"rx", Coordinate(state.rx)},
                      {"ry", Coordinate(state.ry)}});
  }
  Json start;
  if (layout.start) {
    start = {{"path", PathText(*layout.start)}, {"tip", PointJson(layout.start->tip)}};
  }
  Json edges = Json::array();
  for (const LayoutEdge& edge : layout.edges) {
    edges.push_back({{"from", edge.from},
                     {"to", edge.to},
                     {"path", PathText(edge.arrow)},
                     {"tip", PointJson(edge.arrow.tip)},
                     {"label", edge.label ? PointJson(*edge.label) : Json()},
                     {"transitions", edge.transitions}});
  }
  return {{"width", Coordinate(layout.width)},
          {"height", Coordinate(layout.height)},
          {"states", std::move(states)},
          {"start", std::move(start)},
          {"edges", std::move(edges)}};
}

}  // namespace

Json ResultsJson(const ResultsInput& input, const ResultTable& table) {
  const ExperimentResults& results = input.results;
  Json cells = Json::array();
  for (const TableRow& row : table.rows) cells.push_back(CellJson(row, input));
  return {{"name", results.name},
          {"title", results.title},
          {"kind", KindName(results.kind)},
          {"measure", MeasureName(results.measure)},
          {"solved", results.solved},
          {"version", results.version},
          {"source", results.source},
          {"path", input.path},
          {"settings", SettingsValues(results.common)},
          {"keys", table.keys},
          {"published", PublishedJson(table.published)},
          {"cells", std::move(cells)}};
}

Json ByLengthJson(const RunRecord& record) {
  if (!record.test || record.test->by_length.empty()) return nullptr;
  const std::vector<TestRecord::Length>& rows = record.test->by_length;
  Json columns = {{"lengths", Json::array()},
                  {"strings", Json::array()},
                  {"cross_entropy", Json::array()},
                  {"difference_length", Json::array()},
                  {"difference_set", Json::array()}};
  const double lengths = static_cast<double>(rows.size());
  for (const TestRecord::Length& row : rows) {
    columns["lengths"].push_back(row.length);
    columns["strings"].push_back(row.strings);
    columns["cross_entropy"].push_back(ShortNumber(row.cross_entropy));
    Json by_length;
    Json by_set;
    if (row.lower_bound) {
      const double difference = row.cross_entropy - *row.lower_bound;
      by_length = ShortNumber(difference, 4);
      by_set = ShortNumber(difference - std::log(lengths) / (row.length + 1.0), 4);
    }
    columns["difference_length"].push_back(std::move(by_length));
    columns["difference_set"].push_back(std::move(by_set));
  }
  return columns;
}

Json AutomatonJson(const AutomatonInput& input, double layout_seconds) {
  const PushdownAutomaton& automaton = input.automaton;
  Json transitions = Json::array();
  for (const AutomatonTransition& transition : automaton.transitions) {
    transitions.push_back(
        {{"from", HeadJson(transition.from)},
         {"input", transition.input == kNoInput ? Json() : Json(transition.input)},
         {"to", transition.to},
         {"pushed", transition.pushed}});
  }
  Json accepting = Json::array();
  for (const std::vector<AutomatonHead>& language : automaton.accepting) {
    Json heads = Json::array();
    for (const AutomatonHead& head : language) heads.push_back(HeadJson(head));
    accepting.push_back(std::move(heads));
  }
  std::string note;
  const std::optional<AutomatonLayout> layout = LayOut(automaton, note, layout_seconds);
  return {{"name", input.name},
          {"source", input.source},
          {"kind", input.recognizer ? "recognizer" : "automaton"},
          {"inputs", automaton.inputs.names()},
          {"states", automaton.states},
          {"stack_symbols", automaton.stack_symbols},
          {"transitions", std::move(transitions)},
          {"accepting", std::move(accepting)},
          {"layout", layout ? LayoutJson(*layout) : Json()},
          {"note", note.empty() ? Json() : Json(note)}};
}

}  // namespace pushdown
