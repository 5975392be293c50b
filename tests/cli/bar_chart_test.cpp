#include "cli/bar_chart.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pushdown::cli {
namespace {

TEST(BarChartTest, EightHeightsARow) {
  // The full height is 32 eighths.
  EXPECT_EQ(BarChart({{"40", 32}, {"50", 1}, {"60", 12}, {"70", 24}}),
            "32 ┤███\n"
            "   │███         ███\n"
            "   │███     ▄▄▄ ███\n"
            "   │███ ▁▁▁ ███ ███\n"
            " 0 ┼┬───┬───┬───┬───\n"
            "    40  50  60  70\n");
}

TEST(BarChartTest, WhatIsNotPositiveHasNoHeight) {
  EXPECT_EQ(BarChart({{"1", -5}, {"2", 0}, {"3", 0.25}, {"4", 1e-9}}),
            "0.25 ┤        ███\n"
            "     │        ███\n"
            "     │        ███\n"
            "     │        ███ ▁▁▁\n"
            "   0 ┼┬───┬───┬───┬───\n"
            "      1   2   3   4\n");
}

TEST(BarChartTest, ManyBarsAreNarrowAndHaveFewerLabels) {
  std::vector<Bar> bars;
  for (int n = 0; n < 60; ++n) bars.push_back({std::to_string(100 + n), 1});
  const std::string chart = BarChart(bars);
  std::string row;
  for (int n = 0; n < 60; ++n) row += "█";
  EXPECT_EQ(chart.substr(0, chart.find('\n')), "1 ┤" + row);
  EXPECT_NE(chart.find("\n   100  105  110  115  120  125  130  135  140  145  150  155\n"),
            std::string::npos)
      << chart;
  bars.resize(20);
  EXPECT_NE(BarChart(bars).find("\n   100   102   104"), std::string::npos) << BarChart(bars);
}

}  // namespace
}  // namespace pushdown::cli
