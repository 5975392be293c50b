// The two lower bounds that a model is compared with. The language is marked reversal, w # w
// reversed over two symbols, which has 2^((n-1)/2) strings of an odd length n and no others.

#include "pushdown/run/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

using testing_files::TemporaryDirectory;
using testing_runs::SmallRun;

// -log p of a string that is drawn from the strings of one of so many lengths.
double LossByHand(int length, int lengths) {
  return std::log(lengths) + (length - 1) / 2 * std::log(2);
}

// All lower bounds of an evaluation are those of p_L over so many lengths.
void ExpectBound(const Evaluation& evaluation, int lengths) {
  double loss = 0;
  long long symbols = 0;
  for (const auto& [length, comparison] : evaluation.by_length) {
    ASSERT_TRUE(comparison.lower_bound);
    EXPECT_EQ(comparison.lower_bound->strings(), comparison.model.strings());
    EXPECT_NEAR(comparison.lower_bound->PerSymbol(), LossByHand(length, lengths) / (length + 1),
                1e-12);
    const long long strings = comparison.model.strings();
    loss += static_cast<double>(strings) * LossByHand(length, lengths);
    symbols += strings * (length + 1);
  }
  ASSERT_TRUE(evaluation.all.lower_bound);
  EXPECT_EQ(evaluation.all.lower_bound->symbols(), symbols);
  EXPECT_NEAR(evaluation.all.lower_bound->PerSymbol(), loss / static_cast<double>(symbols), 1e-12);
}

class EvaluationBound : public ::testing::Test {
 protected:
  void SetUp() override {
    // The validation set has 3 lengths, 3 to 7, and the test set 6, 3 to 13.
    pushdown::Run::Create(run_, SmallRun({{"test-lengths", "3:13"}, {"validation-size", "60"}}))
        .Train({.threads = 1});
  }

  const TemporaryDirectory directory_;
  const std::string run_ = directory_.path() + "/run";
};

TEST_F(EvaluationBound, IsThatOfEachLengthForTheTestSet) {
  const Evaluation evaluation = Evaluate(run_, {});
  EXPECT_EQ(evaluation.bound, BoundKind::kLength);
  EXPECT_FALSE(evaluation.bound_lengths);
  EXPECT_EQ(evaluation.by_length.size(), 6u);
  ExpectBound(evaluation, 1);
}

TEST_F(EvaluationBound, IsThatOfTheSetForTheOtherSets) {
  for (const DataSplit split : {DataSplit::kTraining, DataSplit::kValidation}) {
    const Evaluation evaluation = Evaluate(run_, {.split = split});
    EXPECT_GT(evaluation.by_length.size(), 1u);
    EXPECT_EQ(evaluation.bound, BoundKind::kSet);
    ASSERT_TRUE(evaluation.bound_lengths);
    EXPECT_EQ(evaluation.bound_lengths->min, 3);
    EXPECT_EQ(evaluation.bound_lengths->max, 7);
    ExpectBound(evaluation, 3);
  }
}

TEST_F(EvaluationBound, IsTheKindThatIsAskedFor) {
  ExpectBound(Evaluate(run_, {.bound = BoundKind::kSet}), 6);
  ExpectBound(Evaluate(run_, {.split = DataSplit::kValidation, .bound = BoundKind::kLength}), 1);
  // Some of the lengths, and lengths that are sampled.
  for (const LengthRange lengths : {LengthRange{5, 9}, LengthRange{11, 15}}) {
    ExpectBound(Evaluate(run_, {.lengths = lengths}), 1);
    ExpectBound(Evaluate(run_, {.lengths = lengths, .bound = BoundKind::kLength}), 1);
    ExpectBound(Evaluate(run_, {.lengths = lengths, .bound = BoundKind::kSet}), 3);
  }
}

TEST_F(EvaluationBound, IsThatOfTheSetIfItsLengthsAreGiven) {
  EvaluationRequest request = {.bound_lengths = LengthRange{3, 41}};
  for (const std::optional<BoundKind> bound : {std::optional<BoundKind>(), {BoundKind::kSet}}) {
    request.bound = bound;
    const Evaluation evaluation = Evaluate(run_, request);
    EXPECT_EQ(evaluation.bound, BoundKind::kSet);
    ExpectBound(evaluation, 20);
  }
  request.bound = BoundKind::kLength;
  try {
    Evaluate(run_, request);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    EXPECT_NE(error.message().find("do not go together"), std::string::npos) << error.message();
  }
}

// Zeros give the three symbols and the end equal probabilities.
TEST_F(EvaluationBound, ParametersCanBeOthersThanThoseOfTheFile) {
  EvaluationRequest request;
  request.parameters = std::vector<float>(OpenModel(run_).parameters.size());
  EXPECT_NEAR(Evaluate(run_, request).all.model.PerSymbol(), std::log(4), 1e-6);
  EXPECT_GT(std::abs(Evaluate(run_, {}).all.model.PerSymbol() - std::log(4)), 1e-3);
  request.parameters->pop_back();
  EXPECT_THROW(Evaluate(run_, request), Error);
}

TEST(Evaluation, BoundsHaveNames) {
  for (const BoundKind bound : {BoundKind::kSet, BoundKind::kLength}) {
    EXPECT_EQ(ParseBound(BoundName(bound)), bound);
  }
  EXPECT_STREQ(BoundName(BoundKind::kSet), "set");
  EXPECT_STREQ(BoundName(BoundKind::kLength), "length");
  EXPECT_THROW(ParseBound("lengths"), Error);
}

}  // namespace
}  // namespace pushdown
