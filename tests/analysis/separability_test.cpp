#include "pushdown/analysis/separability.h"

#include <gtest/gtest.h>

#include <vector>

#include "pushdown/error.h"

namespace pushdown {
namespace {

PointTable OnALine(std::vector<double> values) { return {1, std::move(values)}; }

// Label 0 at 0 and 1, label 1 at 4 and 6. Silhouettes: of 0, a = 1 and b = (4+6)/2 = 5: 4/5; of 1,
// a = 1 and b = (3+5)/2 = 4: 3/4; of 4, a = 2 and b = 3.5: 3/7; of 6, a = 2 and b = 5.5: 7/11.
TEST(Separability, OfFourPointsIsThatComputedByHand) {
  const std::vector<int> labels = {0, 0, 1, 1};
  const Separability found = MeasureSeparability(OnALine({0, 1, 4, 6}), labels);
  EXPECT_EQ(found.labels, 2);
  EXPECT_EQ(found.majority, 0.5);
  EXPECT_NEAR(*found.silhouette, (4.0 / 5 + 3.0 / 4 + 3.0 / 7 + 7.0 / 11) / 4, 1e-15);
  EXPECT_EQ(found.silhouette_points, 4u);
  EXPECT_EQ(*found.nearest_centroid, 1);  // the mean of 6 without itself is 4, that of 0 is 1
}

// Label 5 at 0 and 4, label 7 at 5, 6 and 7. The mean of 4 without itself is 0, which is further
// away than 6. Of 0 it is 4, which is nearer than 6. Of 5 it is 6.5, which is nearer than 2.
TEST(Separability, APointDoesNotCountForItsOwnMean) {
  const std::vector<int> labels = {5, 5, 7, 7, 7};
  const Separability found = MeasureSeparability(OnALine({0, 4, 5, 6, 7}), labels);
  EXPECT_NEAR(*found.nearest_centroid, 4.0 / 5, 1e-15);
  EXPECT_NEAR(found.majority, 3.0 / 5, 1e-15);
}

// At 3.2 with others of its label at 0 only: with itself, the mean is 1.6, which is nearer than 5;
// without itself it is 0, which is further away.
TEST(Separability, LeavingOneOutMakesADifference) {
  const std::vector<int> labels = {0, 0, 1, 1};
  const Separability found = MeasureSeparability(OnALine({0, 3.2, 5, 5}), labels);
  EXPECT_NEAR(*found.nearest_centroid, 3.0 / 4, 1e-15);
}

TEST(Separability, TheOnlyPointOfALabelIsWrongAndHasNoSilhouette) {
  const std::vector<int> labels = {0, 0, 1};
  const Separability found = MeasureSeparability(OnALine({0, 1, 10}), labels);
  EXPECT_NEAR(*found.nearest_centroid, 2.0 / 3, 1e-15);
  EXPECT_NEAR(*found.silhouette, (9.0 / 10 + 8.0 / 9) / 3, 1e-15);
}

TEST(Separability, PointsThatAreAllTheSameAreNotApart) {
  const std::vector<int> labels = {0, 1, 0, 1};
  const Separability found = MeasureSeparability(OnALine({2, 2, 2, 2}), labels);
  EXPECT_EQ(*found.nearest_centroid, 0);
  EXPECT_EQ(*found.silhouette, 0);
}

TEST(Separability, OfOneLabelDoesNotExist) {
  const std::vector<int> labels = {3, 3};
  const Separability found = MeasureSeparability(OnALine({1, 2}), labels);
  EXPECT_EQ(found.labels, 1);
  EXPECT_EQ(found.majority, 1);
  EXPECT_FALSE(found.silhouette);
  EXPECT_FALSE(found.nearest_centroid);
}

// Of 0, 1, 4 and 6, the first and the third.
TEST(Separability, OfManyPointsTheSilhouetteIsThatOfSome) {
  const std::vector<int> labels = {0, 0, 1, 1};
  const Separability found = MeasureSeparability(OnALine({0, 1, 4, 6}), labels, {}, 2);
  EXPECT_NEAR(*found.silhouette, (4.0 / 5 + 3.0 / 7) / 2, 1e-15);
  EXPECT_EQ(found.silhouette_points, 2u);
}

TEST(Separability, NeedsALabelForEachPoint) {
  EXPECT_THROW(MeasureSeparability(OnALine({1, 2}), std::vector<int>{1}), Error);
  EXPECT_THROW(MeasureSeparability(OnALine({}), std::vector<int>{}), Error);
}

}  // namespace
}  // namespace pushdown
