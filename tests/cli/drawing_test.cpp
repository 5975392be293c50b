#include "cli/drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "cli/run_drawing.h"
#include "cli/terminal.h"

namespace pushdown::cli {
namespace {

TEST(DrawingTest, NamesAreCutByCharacters) {
  EXPECT_EQ(NameText("abcd", 4), "abcd");
  EXPECT_EQ(NameText("abcde", 4), "abc…");
  EXPECT_EQ(NameText("abcdef", 4), "abc…");
  EXPECT_EQ(NameText("abcdefg", 4), "abc…");
  EXPECT_EQ(NameText("10", 1), "…");
  EXPECT_EQ(NameText("préférées", 9), "préférées");
  EXPECT_EQ(NameText("préférées", 8), "préféré…");
  EXPECT_EQ(NameText("préférées", 7), "préfér…");
  EXPECT_EQ(NameText("préférées", 3), "pr…");
  EXPECT_EQ(NameText("éé", 1), "…");
  EXPECT_EQ(NameText("é", 1), "é");
  EXPECT_EQ(NameText("a", 0), "");
}

TEST(DrawingTest, TheBeginningMayBeCutInstead) {
  EXPECT_EQ(NameText("préférées", 9, NameCut::kBeginning), "préférées");
  EXPECT_EQ(NameText("préférées", 8, NameCut::kBeginning), "…éférées");
  EXPECT_EQ(NameText("⊥ 0 1", 4, NameCut::kBeginning), "…0 1");
  EXPECT_EQ(NameText("10", 1, NameCut::kBeginning), "…");
}

TEST(DrawingTest, TablesShowTheTopsOfStacks) {
  using enum DrawingTable::Cells;
  DrawingTable table({{"step", kNumbers}, {"stack", kStacks}});
  std::string stack = "⊥";
  for (int n = 0; n < 50; ++n) stack += " 0";
  table.Add({"7", stack + " 1"});
  std::string shown;  // of 80 columns, 6 are for the step
  for (int n = 0; n < 36; ++n) shown += "0 ";
  EXPECT_EQ(table.Text(), "step  stack\n7     …" + shown + "1\n");
}

TEST(DrawingTest, NamesHaveAllWidths) {
  for (const char* character : {"a", "é", "→"}) {
    std::string name;
    for (std::size_t size = 0; size < 12; ++size) {
      for (std::size_t columns = 0; columns < 12; ++columns) {
        EXPECT_EQ(Columns(NameText(name, columns)), std::min(size, columns)) << name;
      }
      name += character;
    }
  }
}

TEST(DrawingTest, ARunIsATableOfSteps) {
  const AutomatonRun run = {.transitions = {{StackOperation::kPush, 1, 2},
                                            {StackOperation::kPush, 1, 1},
                                            {StackOperation::kReplace, 0, 2},
                                            {StackOperation::kPop, 0, -1}}};
  const std::string inputs[] = {"a", "b", "#", "b", "a"};
  const std::string states[] = {"q0", "q1"};
  const std::string symbols[] = {"⊥", "0", "1"};
  RunDrawing drawing = {
      .inputs = inputs, .states = states, .symbols = symbols, .first = 0, .last = 4};
  EXPECT_EQ(RunTable(run, drawing),
            "step  read     transition           stack\n"
            "0     (start)                       ⊥\n"
            "1     a        q0 ⊥ push 1 → q1     ⊥ 1\n"
            "2     b        q1 1 push 0          ⊥ 1 0\n"
            "3     #        q1 0 replace 1 → q0  ⊥ 1 1\n"
            "4     b        q0 1 pop             ⊥ 1\n");
  drawing.first = 2;
  drawing.last = 2;
  EXPECT_EQ(RunTable(run, drawing),
            "step  read  transition   stack\n"
            "2     b     q1 1 push 0  ⊥ 1 0\n");
}

TEST(DrawingTest, TablesOfLongRunsShowTheTop) {
  AutomatonRun run;
  run.transitions.assign(100, {StackOperation::kPush, 0, 1});
  run.transitions.push_back({StackOperation::kReplace, 0, 2});
  const std::vector<std::string> inputs(101, "a");
  const std::string states[] = {"q0"};
  const std::string symbols[] = {"⊥", "0", "1"};
  // The other columns take 4, 4 and 14, and 2 between all of them: 52 are left.
  std::string shown;
  for (int n = 0; n < 25; ++n) shown += "0 ";
  EXPECT_EQ(
      RunTable(run,
               {.inputs = inputs, .states = states, .symbols = symbols, .first = 101, .last = 101}),
      "step  read  transition      stack\n"
      "101   a     q0 0 replace 1  …" +
          shown + "1\n");
}

}  // namespace
}  // namespace pushdown::cli
