#include "pushdown/analysis/figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/escaped_text.h"
#include "tests/analysis/small_models.h"

namespace pushdown {
namespace {

using nlohmann::json;
using testing_analysis::RandomModel;
using Strings = std::vector<std::vector<int>>;

std::size_t CountOf(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// As far as that can be told without LaTeX.
void ExpectWellFormedLatex(const std::string& text) {
  int depth = 0;
  for (std::size_t n = 0; n < text.size(); ++n) {
    if (n > 0 && text[n - 1] == '\\') continue;
    if (text[n] == '{') ++depth;
    if (text[n] == '}') --depth;
    ASSERT_GE(depth, 0);
  }
  EXPECT_EQ(depth, 0);
  EXPECT_GT(CountOf(text, "\\begin{tikzpicture}"), 0u);
  for (const char* environment : {"tikzpicture", "axis"}) {
    EXPECT_EQ(CountOf(text, std::string("\\begin{") + environment + "}"),
              CountOf(text, std::string("\\end{") + environment + "}"));
  }
  EXPECT_EQ(text.find("⊥"), text.npos);
}

class Figures : public ::testing::Test {
 protected:
  VectorPca Pca() const { return AnalyzeVectors(model_, strings_); }
  std::vector<VectorSeries> Series() const {
    return ReadVectors(model_, strings_, VectorKind::kReadings);
  }

  TrainedModel model_ = RandomModel("rns-2-3");
  Strings strings_ = {model_.Encode("a b # b a"), model_.Encode("b # b")};
};

TEST_F(Figures, PcaJsonHasEverything) {
  const VectorPca pca = Pca();
  const json found = json::parse(PcaFigure(model_, pca, FigureFormat::kJson));
  EXPECT_EQ(found["model"]["name"], "rns-2-3");
  EXPECT_EQ(found["of"], "readings");
  EXPECT_EQ(found["positions"], "after:#");
  EXPECT_EQ(found["strings"], 2);
  EXPECT_EQ(found["names"].size(), 6u);
  EXPECT_EQ(found["variances"].size(), 6u);
  ASSERT_EQ(found["components"].size(), 2u);
  EXPECT_EQ(found["components"][1]["direction"].size(), 6u);
  ASSERT_EQ(found["points"].size(), 3u);
  EXPECT_EQ(found["points"][1]["symbol"], "a");
  EXPECT_EQ(found["points"][1]["position"], 5);
  EXPECT_EQ(found["points"][2]["string"], 2);
  EXPECT_EQ(found["points"][0]["projected"][1], pca.components.projected[0][1]);
  EXPECT_TRUE(found["separability"]["all_dimensions"]["nearest_centroid"].is_number());
  EXPECT_TRUE(found["separability"]["components"]["silhouette"].is_number());
}

TEST_F(Figures, PcaInOtherFormats) {
  const VectorPca pca = Pca();
  const std::string csv = PcaFigure(model_, pca, FigureFormat::kCsv);
  EXPECT_EQ(CountOf(csv, "\n"), 4u);
  EXPECT_TRUE(csv.starts_with("string,position,symbol,pc1,pc2\n1,4,b,")) << csv;
  const json vega = json::parse(PcaFigure(model_, pca, FigureFormat::kVegaLite));
  EXPECT_EQ(vega["$schema"], "https://vega.github.io/schema/vega-lite/v5.json");
  EXPECT_EQ(vega["data"]["values"].size(), 3u);
  EXPECT_EQ(vega["data"]["values"][2]["symbol"], "b");
  const std::string pgf = PcaFigure(model_, pca, FigureFormat::kPgfPlots);
  ExpectWellFormedLatex(pgf);
  EXPECT_EQ(CountOf(pgf, "\\addplot"), 2u);
  EXPECT_EQ(CountOf(pgf, "\n  ("), 3u);
}

TEST_F(Figures, NumbersThatDoNotExistAreNull) {
  strings_ = {model_.Encode("b # b")};  // a single point
  const json found = json::parse(PcaFigure(model_, Pca(), FigureFormat::kJson));
  EXPECT_TRUE(found["components"][0]["share"].is_null());
  EXPECT_TRUE(found["separability"]["components"]["silhouette"].is_null());
  ExpectWellFormedLatex(PcaFigure(model_, Pca(), FigureFormat::kPgfPlots));
}

TEST_F(Figures, SeriesInEveryFormat) {
  const std::vector<VectorSeries> series = Series();
  const auto figure = [&](FigureFormat format) {
    return SeriesFigure(model_, VectorKind::kReadings, series, format);
  };
  const json found = json::parse(figure(FigureFormat::kJson));
  ASSERT_EQ(found["strings"].size(), 2u);
  EXPECT_EQ(found["strings"][0]["symbols"], json({"a", "b", "#", "b", "a"}));
  ASSERT_EQ(found["strings"][0]["vectors"].size(), 5u);
  // The initial stack: the state 0 and the bottom symbol.
  EXPECT_EQ(found["strings"][1]["vectors"][0], json({1.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
  const std::string csv = figure(FigureFormat::kCsv);
  EXPECT_TRUE(csv.starts_with("string,t,symbol,q0 ⊥,q0 0,q0 1,q1 ⊥,q1 0,q1 1\n1,1,a,1,0,0,0,0,0\n"))
      << csv;
  EXPECT_EQ(CountOf(csv, "\n"), 9u);
  const json vega = json::parse(figure(FigureFormat::kVegaLite));
  EXPECT_EQ(vega["data"]["values"].size(), 8u * 6);
  EXPECT_TRUE(vega.contains("facet"));
  const std::string pgf = figure(FigureFormat::kPgfPlots);
  ExpectWellFormedLatex(pgf);
  EXPECT_EQ(CountOf(pgf, "\\begin{tikzpicture}"), 2u);
  EXPECT_NE(pgf.find("yticklabels={{a},{b},{\\#},{b},{a}}"), pgf.npos);
  EXPECT_NE(pgf.find("\\(\\bot\\)"), pgf.npos);

  const json one = json::parse(SeriesFigure(model_, VectorKind::kReadings,
                                            std::span(series).first(1), FigureFormat::kVegaLite));
  EXPECT_EQ(one["mark"], "rect");
}

TEST_F(Figures, TransitionsAboveTheThreshold) {
  const std::vector<TransitionAverages> parts = {AverageTransitions(model_, strings_)};
  const json figure = json::parse(TransitionsFigure(model_, parts, 0, FigureFormat::kJson));
  EXPECT_EQ(figure["automaton"], json({{"states", {"q0", "q1"}}, {"symbols", {"⊥", "0", "1"}}}));
  const json all = figure["parts"][0];
  EXPECT_EQ(all["positions"], "all");
  ASSERT_EQ(all["symbols"].size(), 3u);
  const json symbol = all["symbols"][1];
  EXPECT_EQ(symbol["symbol"], "b");
  EXPECT_EQ(symbol["count"], 3);
  EXPECT_EQ(symbol["transitions"].size(), 84u);
  double sum = 0;
  double last = 1;
  int found = 0;
  for (const json& transition : symbol["transitions"]) {
    const double probability = transition["probability"];
    EXPECT_LE(probability, last);
    last = probability;
    sum += probability;
    EXPECT_EQ(transition["from"].size(), 2u);
    EXPECT_EQ(transition["transition"].size(), transition["transition"][0] == "pop" ? 2u : 3u);
    if (transition["transition"] == json({"push", 1, 2}) && transition["from"] == json({0, 1})) {
      EXPECT_EQ(transition["text"], "push 1 on 0, going from q0 to q1");
      ++found;
    }
  }
  EXPECT_EQ(found, 1);
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_NEAR(
      symbol["push"].get<double>() + symbol["replace"].get<double>() + symbol["pop"].get<double>(),
      1, 1e-6);
  const std::string csv = TransitionsFigure(model_, parts, 0.2, FigureFormat::kCsv);
  const json some =
      json::parse(TransitionsFigure(model_, parts, 0.2, FigureFormat::kJson))["parts"][0];
  std::size_t rows = 1;
  for (const json& each : some["symbols"]) {
    rows += each["transitions"].size();
    for (const json& transition : each["transitions"]) {
      EXPECT_GE(transition["probability"].get<double>(), 0.2);
    }
  }
  EXPECT_EQ(CountOf(csv, "\n"), rows);
  EXPECT_THROW(TransitionsFigure(model_, parts, 0, FigureFormat::kVegaLite), Error);
}

TEST_F(Figures, ActionsOfSuperpositionStacks) {
  model_ = testing_analysis::ZeroModel("sup-2-1");
  const std::vector<TransitionAverages> parts = {AverageTransitions(model_, strings_)};
  const json found = json::parse(TransitionsFigure(model_, parts, 0, FigureFormat::kJson));
  EXPECT_TRUE(found["automaton"].is_null());
  EXPECT_NEAR(found["parts"][0]["symbols"][0]["stacks"][1]["no-op"].get<double>(), 1.0 / 3, 1e-6);
  EXPECT_TRUE(TransitionsFigure(model_, parts, 0, FigureFormat::kCsv)
                  .starts_with("positions,symbol,count,stack,push,no_op,pop\nall,a,1,1,0.33"));
}

TEST(ShadeRanges, BeginBelowZeroIfANumberDoes) {
  const std::vector<VectorSeries> positive = {{{0}, {{0.5f, 0.25f}}}};
  EXPECT_EQ(ShadesOf(positive).low, 0);
  EXPECT_EQ(ShadesOf(positive).high, 1);
  const std::vector<VectorSeries> negative = {{{0}, {{0.5f, -0.25f}}}};
  EXPECT_EQ(ShadesOf(negative).low, -1);
}

TEST(EscapedText, IsWhatTheFormatNeeds) {
  EXPECT_EQ(CsvField("a b"), "a b");
  EXPECT_EQ(CsvField("a,\"b\""), "\"a,\"\"b\"\"\"");
  EXPECT_EQ(LatexText("50% of #_{x}"), "50\\% of \\#\\_\\{x\\}");
  EXPECT_EQ(LatexText("a^b\\"), "a\\^{}b\\textbackslash{}");
}

}  // namespace
}  // namespace pushdown
