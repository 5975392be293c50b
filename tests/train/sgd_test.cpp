// Plain gradient descent by hand, and with the trainer that clips.

#include "pushdown/train/sgd.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <vector>

#include "pushdown/random.h"
#include "tests/train/carrying_objective.h"
#include "tests/train/training_problem.h"

namespace pushdown {
namespace {

using testing_oracle::CarryingObjective;
using testing_oracle::ExpectSame;
using testing_oracle::MakeCarryingTrainer;
using testing_oracle::Train;
using testing_oracle::TrainingProblem;

TEST(Sgd, StepByHand) {
  WorkerPool pool(2);
  std::vector<float> parameters = {1, 2, 3, 4, 5};
  const std::vector<float> gradient = {8, -8, 8, 16, 8};
  const std::vector<ParameterRange> ranges = {{0, 2}, {3, 4}};
  SgdStep(0.25, gradient, ranges, parameters, pool);
  EXPECT_EQ(parameters, (std::vector<float>{-1, 4, 3, 0, 5})) << "others are left alone";
  SgdStep(0.25, gradient, {}, parameters, pool);
  EXPECT_EQ(parameters, (std::vector<float>{-1, 4, 3, 0, 5}));
}

TEST(Sgd, DoesNotDependOnThreads) {
  Random random(1);
  std::vector<float> start(100'000);
  std::vector<float> gradient(start.size());
  for (float& value : start) value = static_cast<float>(random.Uniform(-1, 1));
  for (float& value : gradient) value = static_cast<float>(random.Uniform(-1, 1));
  const std::vector<ParameterRange> ranges = {{1, 2}, {1000, 1256}, {20'000, 99'999}};
  std::vector<float> expected = start;
  for (const ParameterRange& range : ranges) {
    for (std::size_t n = range.begin; n < range.end; ++n) expected[n] -= 0.3F * gradient[n];
  }
  for (int threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    std::vector<float> parameters = start;
    SgdStep(0.3, gradient, ranges, parameters, pool);
    EXPECT_EQ(parameters, expected) << threads;
  }
}

// Gradients of (3, 4) in two parameters far apart: the norm is 5, the threshold 1, the rate 0.5.
// What lies between has a gradient that must not be read.
class TwoParameters : public CarryingObjective {
 public:
  using CarryingObjective::CarryingObjective;
  double Gradient(int, int, std::span<const float>, std::span<float> gradient) override {
    std::fill(gradient.begin(), gradient.end(), 1e30F);
    gradient[1] = 3 * scale_;
    gradient[5] = 4 * scale_;
    return 1;
  }
  std::span<const ParameterRange> gradient_ranges() const override { return ranges_; }
  void set_scale(float scale) { scale_ = scale; }

 private:
  std::vector<ParameterRange> ranges_ = {{1, 2}, {5, 6}};
  float scale_ = 1;
};

TrainingOptions SgdOptions() {
  TrainingOptions options;
  options.optimizer = Optimizer::kSgd;
  options.learning_rate = 0.5;
  options.clipping = 1;
  return options;
}

TEST(SgdTraining, ClipsAndStepsByHand) {
  auto objective = std::make_unique<TwoParameters>(1);
  TwoParameters& gradients = *objective;
  Trainer trainer(std::move(objective), SgdOptions());
  trainer.Start(std::vector<float>(trainer.layout().size, 1.0F));
  trainer.Advance();
  const double factor = 1 / (5 + 1e-6);
  EXPECT_FLOAT_EQ(trainer.state().parameters[1], static_cast<float>(1 - 0.5 * 3 * factor));
  EXPECT_FLOAT_EQ(trainer.state().parameters[5], static_cast<float>(1 - 0.5 * 4 * factor));
  EXPECT_EQ(trainer.state().largest_gradient_norm, 5) << "before clipping";
  EXPECT_EQ(trainer.state().optimizer.steps, 1);
  EXPECT_TRUE(trainer.state().optimizer.mean.empty());
  EXPECT_TRUE(trainer.state().optimizer.square.empty());
  for (std::size_t n : {0u, 2u, 3u, 4u, 6u}) EXPECT_EQ(trainer.state().parameters[n], 1) << n;
  // Below the threshold, nothing is clipped.
  gradients.set_scale(0.125F);
  const float before = trainer.state().parameters[1];
  trainer.Advance();
  EXPECT_EQ(trainer.state().parameters[1], before - 0.5F * 0.375F);
  EXPECT_EQ(trainer.state().optimizer.steps, 2);
}

TEST(SgdTraining, StepsThatAreTooLongAreNotTaken) {
  const auto divergence = [](double rate, double clipping, float scale) -> std::string {
    auto objective = std::make_unique<TwoParameters>(1);
    objective->set_scale(scale);
    TrainingOptions options = SgdOptions();
    options.learning_rate = rate;
    options.clipping = clipping;
    Trainer trainer(std::move(objective), options);
    const std::vector<float> start(trainer.layout().size, 1.0F);
    trainer.Start(start);
    try {
      trainer.Advance();
      return "";
    } catch (const DivergedError& error) {
      EXPECT_EQ(trainer.state().parameters, start);
      EXPECT_EQ(trainer.state().batches, 0);
      EXPECT_EQ(trainer.state().optimizer.steps, 0);
      return error.what();
    }
  };
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(divergence(1, 1, 1e30F), "") << "a clipped step is short";
  EXPECT_NE(divergence(1, 1, infinity).find("the gradient is not finite"), std::string::npos);
  EXPECT_NE(divergence(1, 1e38, 1e30F).find("the step would be too large"), std::string::npos);
  EXPECT_NE(divergence(1e31, 1, 1).find("the step would be too large"), std::string::npos);
  EXPECT_NE(divergence(1e300, 1, 0).find("the step would be too large"), std::string::npos);
}

// Strings can be trained so, too.
TEST(SgdTraining, LearnsAndDoesNotDependOnThreads) {
  TrainingProblem problem("lstm");
  problem.options.optimizer = Optimizer::kSgd;
  problem.options.learning_rate = 0.2;
  Trainer alone = problem.Make(1);
  alone.Start(problem.parameters);
  const auto epochs = Train(alone);
  EXPECT_LT(epochs.back().training_cross_entropy, epochs.front().training_cross_entropy);
  for (int threads : {2, 5}) {
    Trainer trainer = problem.Make(threads);
    trainer.Start(problem.parameters);
    Train(trainer);
    ExpectSame(trainer.state(), alone.state());
  }
}

}  // namespace
}  // namespace pushdown
