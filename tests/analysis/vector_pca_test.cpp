#include "pushdown/analysis/vector_pca.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/model/stack_rnn.h"
#include "tests/analysis/small_models.h"

namespace pushdown {
namespace {

using testing_analysis::RandomModel;
using testing_analysis::ZeroModel;

// Of each point, the mean and what its projections add to it: with all components, the vector.
std::vector<double> Reconstructed(const VectorPca& pca, std::size_t point) {
  std::vector<double> vector = pca.components.mean;
  for (std::size_t k = 0; k < pca.components.directions.size(); ++k) {
    for (std::size_t d = 0; d < vector.size(); ++d) {
      vector[d] += pca.components.projected[point][k] * pca.components.directions[k][d];
    }
  }
  return vector;
}

// w # w^R with |w| = 2: the points are (r_2, w_4) and (r_3, w_5).
TEST(VectorPca, PointsAreTheReadingsBeforeTheSymbolsOfTheSecondHalf) {
  const TrainedModel model = RandomModel("rns-2-3");
  const std::vector<std::vector<int>> strings = {model.Encode("a b # b a"), model.Encode("#"),
                                                 model.Encode("b # b")};
  const VectorPca pca = AnalyzeVectors(
      model, strings,
      {.positions = ParsePositionRule("second-half", model.vocabulary), .components = 6});
  EXPECT_EQ(pca.strings, 3u);
  EXPECT_EQ(pca.names, (std::vector<std::string>{"q0 ⊥", "q0 0", "q0 1", "q1 ⊥", "q1 0", "q1 1"}));
  const std::vector<PredictionPoint> expected = {{1, 4, 1}, {1, 5, 0}, {3, 3, 1}};
  ASSERT_EQ(pca.points.size(), expected.size());
  StackRnn<float> network(model.spec, 5, /*gradients=*/false);
  for (std::size_t n = 0; n < expected.size(); ++n) {
    EXPECT_EQ(pca.points[n].string, expected[n].string);
    EXPECT_EQ(pca.points[n].position, expected[n].position);
    EXPECT_EQ(pca.points[n].symbol, expected[n].symbol);
    network.Forward(model.parameters.data(),
                    strings[static_cast<std::size_t>(expected[n].string - 1)]);
    const std::span<const float> reading = network.reading(expected[n].position - 2);
    const std::vector<double> found = Reconstructed(pca, n);
    for (std::size_t d = 0; d < 6; ++d) EXPECT_NEAR(found[d], reading[d], 1e-5) << n << " " << d;
  }
}

TEST(VectorPca, HiddenStatesAreThoseThatPredict) {
  const TrainedModel model = RandomModel("lstm");
  const std::vector<std::vector<int>> strings = {model.Encode("a b # b a")};
  const VectorPca pca = AnalyzeVectors(
      model, strings, {.of = VectorKind::kHidden, .positions = PositionRule{}, .components = 5});
  ASSERT_EQ(pca.points.size(), 4u);  // nothing is read before the first symbol
  StackRnn<float> network(model.spec, 5, /*gradients=*/false);
  network.Forward(model.parameters.data(), strings[0]);
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(pca.points[n].position, static_cast<int>(n) + 2);
    const std::span<const float> hidden = network.hidden(static_cast<int>(n) + 1);
    const std::vector<double> found = Reconstructed(pca, n);
    for (std::size_t d = 0; d < 5; ++d) EXPECT_NEAR(found[d], hidden[d], 1e-5) << n << " " << d;
  }
}

TEST(VectorPca, WorksForEveryModel) {
  for (const char* name :
       {"rns-1-1", "rns-2-2", "vrns-1-1-3", "vrns-2-2-2", "sup-3", "sup-2-1", "sup-h"}) {
    const TrainedModel model = RandomModel(name);
    const std::vector<std::vector<int>> strings = {model.Encode("a b b # b b a")};
    const VectorPca pca = AnalyzeVectors(model, strings);
    EXPECT_EQ(pca.names.size(), static_cast<std::size_t>(model.spec.reading_size())) << name;
    EXPECT_EQ(pca.points.size(), 3u) << name;
    EXPECT_EQ(pca.in_all_dimensions.labels, 2) << name;
    EXPECT_EQ(pca.components.directions.size(), name == std::string("rns-1-1") ? 1u : 2u);
  }
}

TEST(VectorPca, RefusesWhatHasNoPoints) {
  const std::vector<std::vector<int>> strings = {{0}};
  EXPECT_THROW(AnalyzeVectors(ZeroModel("lstm"), strings), Error);
  EXPECT_THROW(AnalyzeVectors(ZeroModel("rns-1-2"), strings), Error);
  EXPECT_THROW(AnalyzeVectors(ZeroModel("rns-1-2"), {}), Error);
}

TEST(SampledStrings, AreOfTheLanguageAndTheLengths) {
  TrainedModel model;
  model.language = ChooseTask("marked-reversal");
  const std::unique_ptr<Language> language = MakeLanguage(*model.language, 80);
  model.vocabulary = language->alphabet();
  const auto lengths_of = [&](const StringSampling& sampling, std::size_t low, std::size_t high) {
    const std::vector<std::vector<int>> strings = SampleStrings(model, sampling);
    for (const std::vector<int>& string : strings) {
      EXPECT_FALSE(language->FindObjection(string));
      EXPECT_GE(string.size(), low);
      EXPECT_LE(string.size(), high);
    }
    return strings;
  };
  EXPECT_EQ(lengths_of({}, 40, 80).size(), 100u);
  model.longest_training_length = 30;
  const auto strings = lengths_of({.count = 20}, 15, 30);
  EXPECT_EQ(strings, lengths_of({.count = 20}, 15, 30));
  EXPECT_NE(strings, lengths_of({.count = 20, .seed = 2}, 15, 30));
  lengths_of({.count = 3, .lengths = LengthRange{5, 5}}, 5, 5);

  model.vocabulary.Add("other");
  EXPECT_THROW(SampleStrings(model), Error);
  model.language.reset();
  EXPECT_THROW(SampleStrings(model), Error);
  model.kind = DataKind::kText;
  EXPECT_THROW(SampleStrings(model), Error);
}

}  // namespace
}  // namespace pushdown
