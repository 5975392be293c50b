#include "pushdown/report/automaton_layout.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/automaton_format.h"
#include "pushdown/process.h"
#include "pushdown/random.h"
#include "tests/experiment/checks.h"
#include "tests/formal/awkwardly_named_automaton.h"

namespace pushdown {
namespace {

using testing_experiment::ErrorMessage;
using testing_experiment::ExpectContains;
using testing_experiment::Replaced;

const PushdownAutomaton& TwoStates() {
  static const PushdownAutomaton automaton = ParseAutomaton(
      "bottom: $\naccept: r\nq a $ -> q $ X | r X\nq b $ -> q $ X\nr b X -> r eps\n"
      "r eps X -> q X\n");
  return automaton;
}

class LayoutTest : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      RunProcess({"dot", "-V"});
    } catch (const Error&) {
      GTEST_SKIP() << "Graphviz is not installed (Debian: graphviz)";
    }
  }
};

void ExpectInside(const AutomatonLayout& layout, const LayoutPoint& point) {
  // Control points of curves may be a little outside.
  const double margin = 20 + 0.01 * (layout.width + layout.height);
  EXPECT_GE(point.x, -margin);
  EXPECT_LE(point.x, layout.width + margin);
  EXPECT_GE(point.y, -margin);
  EXPECT_LE(point.y, layout.height + margin);
}

// One edge for each pair of states, and everything inside of the picture.
void ExpectLayoutOf(const PushdownAutomaton& automaton, const AutomatonLayout& layout) {
  EXPECT_GT(layout.width, 0);
  EXPECT_GT(layout.height, 0);
  ASSERT_EQ(layout.states.size(), automaton.states.size());
  for (const LayoutState& state : layout.states) {
    EXPECT_GT(state.rx, 0);
    EXPECT_GT(state.ry, 0);
    EXPECT_GE(state.centre.x, state.rx - 1);
    EXPECT_LE(state.centre.x, layout.width - state.rx + 1);
    EXPECT_GE(state.centre.y, state.ry - 1);
    EXPECT_LE(state.centre.y, layout.height - state.ry + 1);
  }
  ASSERT_TRUE(layout.start);
  ExpectInside(layout, layout.start->tip);
  std::set<std::pair<int, int>> pairs;
  std::set<std::size_t> transitions;
  for (const LayoutEdge& edge : layout.edges) {
    EXPECT_TRUE(pairs.insert({edge.from, edge.to}).second);
    EXPECT_EQ(edge.arrow.curve.size() % 3, 1u);
    EXPECT_GT(edge.arrow.curve.size(), 3u);
    for (const LayoutPoint& point : edge.arrow.curve) ExpectInside(layout, point);
    ExpectInside(layout, edge.arrow.tip);
    ASSERT_TRUE(edge.label);
    ExpectInside(layout, *edge.label);
    EXPECT_FALSE(edge.transitions.empty());
    for (const std::size_t n : edge.transitions) {
      EXPECT_EQ(automaton.transitions[n].from.state, edge.from);
      EXPECT_EQ(automaton.transitions[n].to, edge.to);
      EXPECT_TRUE(transitions.insert(n).second);
    }
  }
  EXPECT_EQ(transitions.size(), automaton.transitions.size());
}

TEST_F(LayoutTest, EveryPairOfStatesHasOneEdge) {
  std::string note;
  const std::optional<AutomatonLayout> layout = LayOut(TwoStates(), note, 10);
  ASSERT_TRUE(layout) << note;
  EXPECT_EQ(note, "");
  ExpectLayoutOf(TwoStates(), *layout);
  ASSERT_EQ(layout->edges.size(), 4u);
  EXPECT_EQ(layout->edges[0].transitions, (std::vector<std::size_t>{0, 2}));
  // From left to right, and an arrow ends at the state that it goes to.
  EXPECT_LT(layout->states[0].centre.x, layout->states[1].centre.x);
  const LayoutEdge& edge = layout->edges[1];
  EXPECT_EQ(edge.to, 1);
  EXPECT_NEAR(edge.arrow.tip.x, layout->states[1].centre.x, layout->states[1].rx + 5);
  EXPECT_NEAR(edge.arrow.tip.y, layout->states[1].centre.y, layout->states[1].ry + 5);
}

TEST_F(LayoutTest, NamesMayBeAnything) {
  Random random(1);
  for (int n = 0; n < 10; ++n) {
    const PushdownAutomaton automaton = testing_oracle::AwkwardlyNamedAutomaton(random);
    std::string note;
    const std::optional<AutomatonLayout> layout = LayOut(automaton, note, 10);
    ASSERT_TRUE(layout) << note << "\n" << SerializeAutomaton(automaton);
    ExpectLayoutOf(automaton, *layout);
  }
}

// It would take minutes.
TEST_F(LayoutTest, GraphvizIsNotWaitedForForever) {
  Random random(1);
  PushdownAutomaton automaton;
  automaton.stack_symbols = {"$"};
  automaton.inputs.Add("a");
  for (int n = 0; n < 200; ++n) automaton.states.push_back(std::to_string(n));
  const auto state = [&random] { return static_cast<int>(random.Below(200)); };
  for (int n = 0; n < 2000; ++n) {
    automaton.transitions.push_back({{state(), 0}, 0, state(), {0}});
  }
  std::string note;
  EXPECT_FALSE(LayOut(automaton, note, 0.25));
  EXPECT_EQ(note, "There is no drawing: Graphviz takes too long.");
}

TEST(AutomatonLayout, LargeAutomataHaveNone) {
  PushdownAutomaton automaton = TwoStates();
  for (int n = 0; n < 200; ++n) automaton.states.push_back("s" + std::to_string(n));
  std::string note;
  EXPECT_FALSE(LayOut(automaton, note, 10));
  EXPECT_EQ(note, "There is no drawing: 202 states and 5 transitions are too many for one.");
}

TEST(AutomatonLayout, WithoutGraphvizThereIsANote) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  std::string note;
  EXPECT_FALSE(LayOut(TwoStates(), note, 10));
  setenv("PATH", path.c_str(), 1);
  ExpectContains(note, "Graphviz is not installed (Debian: graphviz)");
}

// What dot printed for an automaton with one state and one transition, shortened.
constexpr const char* kDrawing = R"({"bb": "0,10,100,60",
  "objects": [{"name": "start", "pos": "2,20", "width": "0.05", "height": "0.05"},
              {"name": "q0", "pos": "70,20", "width": "0.5", "height": "0.25"}],
  "edges": [{"tail": 0, "head": 1, "pos": "e,52,20 4,20 10,20 20,20 42,20"},
            {"tail": 1, "head": 1, "pos": "e,80,30 60,30 60,50 80,50 80,40", "lp": "70,55"}]})";

TEST(AutomatonLayout, IsWhatDotPrints) {
  const PushdownAutomaton automaton = ParseAutomaton("bottom: $\naccept: q\nq a $ -> q $\n");
  const AutomatonLayout layout = ParseLayout(kDrawing, automaton);
  EXPECT_EQ(layout.width, 100);
  EXPECT_EQ(layout.height, 50);
  // y = 60 - 20; half of 0.5 inches of 72 points.
  EXPECT_EQ(layout.states[0].centre.x, 70);
  EXPECT_EQ(layout.states[0].centre.y, 40);
  EXPECT_EQ(layout.states[0].rx, 18);
  EXPECT_EQ(layout.states[0].ry, 9);
  ASSERT_TRUE(layout.start);
  EXPECT_EQ(layout.start->tip.x, 52);
  ASSERT_EQ(layout.edges.size(), 1u);
  const LayoutArrow& arrow = layout.edges[0].arrow;
  ASSERT_EQ(arrow.curve.size(), 4u);
  EXPECT_EQ(arrow.curve[1].x, 60);
  EXPECT_EQ(arrow.curve[1].y, 10);
  EXPECT_EQ(arrow.tip.y, 30);
  EXPECT_EQ(layout.edges[0].label->y, 5);

  const struct {
    const char* from;
    const char* to;
  } cases[] = {{"0,10,100,60", "0,10,100"},    {"0,10,100,60", "0,10,100,inf"},
               {"0,10,100,60", "0,10,,60"},    {"\"q0\"", "\"q1\""},
               {"\"70,20\"", "\"70\""},        {"\"0.25\"", "\"wide\""},
               {"\"tail\": 1", "\"tail\": 2"}, {"\"tail\": 1", "\"tail\": 0"},
               {"80,50 80,40", "80,50"},       {"\"lp\"", "\"xlp\""}};
  for (const auto& each : cases) {
    EXPECT_NE(ErrorMessage([&] { ParseLayout(Replaced(kDrawing, each.from, each.to), automaton); }),
              "")
        << each.to;
  }
}

}  // namespace
}  // namespace pushdown
