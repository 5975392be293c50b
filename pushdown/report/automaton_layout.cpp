#include "pushdown/report/automaton_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/formal/automaton_drawing.h"
#include "pushdown/json.h"
#include "pushdown/printable.h"
#include "pushdown/process.h"
#include "pushdown/report/json_field.h"

namespace pushdown {
namespace {

constexpr double kPointsPerInch = 72;
// The page shows as many lines of an arrow's label (report/data/automaton_text.js).
constexpr std::size_t kLabelLines = 5;

[[noreturn]] void Refuse(const std::string& message) {
  throw Error("pushdown::ParseLayout", message);
}

// Numbers that are separated by commas.
std::vector<double> ParseNumbers(std::string_view text) {
  std::vector<double> numbers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string number(text.substr(0, end));
    char* parsed = nullptr;
    numbers.push_back(std::strtod(number.c_str(), &parsed));
    if (number.empty() || *parsed != '\0' || !std::isfinite(numbers.back())) {
      Refuse("expected numbers, found " + Quoted(number));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return numbers;
}

// Graphviz has y upwards.
class Picture {
 public:
  explicit Picture(const std::string& bounding_box) {
    const std::vector<double> box = ParseNumbers(bounding_box);
    if (box.size() != 4) Refuse("bb: expected four numbers");
    left_ = box[0];
    top_ = box[3];
    width = box[2] - box[0];
    height = box[3] - box[1];
  }

  LayoutPoint Point(std::string_view text) const {
    const std::vector<double> numbers = ParseNumbers(text);
    if (numbers.size() != 2) Refuse("pos: expected two numbers");
    return {numbers[0] - left_, top_ - numbers[1]};
  }

  // "e,X,Y X,Y X,Y ...": the tip, and the points of the curve.
  LayoutArrow Arrow(std::string_view text) const {
    LayoutArrow arrow;
    std::optional<LayoutPoint> tip;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      const std::string_view point = text.substr(0, end);
      if (point.starts_with("e,")) {
        tip = Point(point.substr(2));
      } else {
        arrow.curve.push_back(Point(point));
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (arrow.curve.size() % 3 != 1) Refuse("pos: expected Bezier curves");
    arrow.tip = tip.value_or(arrow.curve.back());
    return arrow;
  }

  double width = 0;
  double height = 0;

 private:
  double left_ = 0;
  double top_ = 0;
};

// Half of an extent, which Graphviz has in inches.
double HalfOf(const JsonField& inches) {
  const std::vector<double> numbers = ParseNumbers(inches.Text());
  if (numbers.size() != 1) inches.Fail("expected a number");
  return numbers[0] * kPointsPerInch / 2;
}

// The state that an object of the drawing is, or nothing for the point that the first arrow
// comes from.
std::optional<std::size_t> StateOf(const JsonField& name, std::size_t states) {
  if (name.Text() == kStartNode) return std::nullopt;
  for (std::size_t state = 0; state < states; ++state) {
    if (name.Text() == StateNode(static_cast<int>(state))) return state;
  }
  name.Fail("is no state");
}

}  // namespace

AutomatonLayout ParseLayout(const std::string& text, const PushdownAutomaton& automaton) {
  const nlohmann::json drawing = ReadJson(text);
  const JsonField field(drawing);
  const Picture picture(field["bb"].Text());
  AutomatonLayout layout;
  layout.width = picture.width;
  layout.height = picture.height;
  layout.states.resize(automaton.states.size());

  std::vector<std::optional<std::size_t>> state_of;  // by the numbers of objects
  const JsonField objects = field["objects"];
  for (std::size_t n = 0; n < objects.size(); ++n) {
    state_of.push_back(StateOf(objects.At(n)["name"], automaton.states.size()));
    if (!state_of.back()) continue;
    layout.states[*state_of.back()] = {.centre = picture.Point(objects.At(n)["pos"].Text()),
                                       .rx = HalfOf(objects.At(n)["width"]),
                                       .ry = HalfOf(objects.At(n)["height"])};
  }
  if (state_of.size() != automaton.states.size() + 1) Refuse("expected all states");

  std::map<std::pair<int, int>, LayoutEdge> edges;
  for (std::size_t n = 0; n < automaton.transitions.size(); ++n) {
    const AutomatonTransition& transition = automaton.transitions[n];
    LayoutEdge& edge = edges[{transition.from.state, transition.to}];
    edge.from = transition.from.state;
    edge.to = transition.to;
    edge.transitions.push_back(n);
  }
  // There is always that into the first state.
  const JsonField drawn = field["edges"];
  drawn.ExpectSize(edges.size() + 1);
  for (std::size_t n = 0; n < drawn.size(); ++n) {
    const int last = static_cast<int>(state_of.size()) - 1;
    const auto from = state_of[static_cast<std::size_t>(drawn.At(n)["tail"].Integer(0, last))];
    const auto to = state_of[static_cast<std::size_t>(drawn.At(n)["head"].Integer(0, last))];
    const LayoutArrow arrow = picture.Arrow(drawn.At(n)["pos"].Text());
    if (!from || !to) {
      layout.start = arrow;
      continue;
    }
    const auto found = edges.find({static_cast<int>(*from), static_cast<int>(*to)});
    if (found == edges.end()) Refuse("expected the edges of the automaton");
    found->second.arrow = arrow;
    found->second.label = picture.Point(drawn.At(n)["lp"].Text());
  }
  for (auto& [ends, edge] : edges) {
    if (edge.arrow.curve.empty()) Refuse("expected the edges of the automaton");
    layout.edges.push_back(std::move(edge));
  }
  return layout;
}

std::optional<AutomatonLayout> LayOut(const PushdownAutomaton& automaton, std::string& note,
                                      double seconds) {
  // Nobody could read such a drawing.
  constexpr std::size_t kMostStates = 200;
  constexpr std::size_t kMostTransitions = 2000;
  if (automaton.states.size() > kMostStates || automaton.transitions.size() > kMostTransitions) {
    note = fmt::format("There is no drawing: {} states and {} transitions are too many for one.",
                       automaton.states.size(), automaton.transitions.size());
    return std::nullopt;
  }
  ProcessOutput output;
  try {
    output = RunProcess({"dot", "-Tjson0", "-Nfontname=Helvetica", "-Nfontsize=12",
                         "-Efontname=Helvetica", "-Efontsize=12"},
                        {.input = AutomatonDot(automaton, kLabelLines), .seconds = seconds});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kSystem) throw;
    note = fmt::format("There is no drawing: Graphviz is not installed (Debian: graphviz); {}.",
                       error.message());
    return std::nullopt;
  }
  if (output.timed_out) {
    note = "There is no drawing: Graphviz takes too long.";
    return std::nullopt;
  }
  try {
    if (output.exit_code != 0) Refuse(output.error.substr(0, output.error.find('\n')));
    return ParseLayout(output.out, automaton);
  } catch (const Error& error) {
    note =
        fmt::format("There is no drawing: Graphviz failed: {}.", Printable(error.message(), 200));
    return std::nullopt;
  }
}

}  // namespace pushdown
