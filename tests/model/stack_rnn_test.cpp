// Stack RNNs against the equations of the paper, written out number by number, and against
// complex-step derivatives of these; on every SIMD target.

#include "pushdown/model/stack_rnn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/simd.h"
#include "tests/kernels/random_stack.h"
#include "tests/model/model_problem.h"
#include "tests/model/stack_rnn_reference.h"

namespace pushdown {
namespace {

using namespace testing_oracle;  // NOLINT(google-build-using-namespace): this file is about it

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Runs `check` on every SIMD target. Oracles are slow, so that they are asked once for all targets.
template <typename Check>
void OnEveryTarget(const Check& check) {
  const std::string before = ActiveSimdTarget();
  for (const std::string& target : AvailableSimdTargets()) {
    SCOPED_TRACE("SIMD target " + target);
    ForceSimdTarget(target);
    check();
  }
  ForceSimdTarget(before);
}

template <typename T>
double LossOf(const ModelProblem& problem) {
  StackRnn<T> model(problem.spec, static_cast<int>(problem.string.size()), false);
  return model.Forward(ParametersAs<T>(problem.parameters).data(), problem.string);
}

template <typename T>
std::vector<double> GradientOf(const ModelProblem& problem) {
  StackRnn<T> model(problem.spec, static_cast<int>(problem.string.size()));
  const auto parameters = ParametersAs<T>(problem.parameters);
  std::vector<T> gradient(parameters.size());
  model.Forward(parameters.data(), problem.string);
  model.Backward(parameters.data(), 1, gradient.data());
  return {gradient.begin(), gradient.end()};
}

double Norm(const std::vector<double>& values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

double Dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void ExpectLoss(const ModelProblem& problem, double expected, double double_tolerance,
                double float_tolerance) {
  EXPECT_NEAR(LossOf<double>(problem), expected, double_tolerance * std::max(1.0, expected))
      << problem;
  EXPECT_NEAR(LossOf<float>(problem), expected, float_tolerance * std::max(1.0, expected))
      << problem;
}

// Every entry, within a tolerance relative to the norm of the whole.
void ExpectGradient(const ModelProblem& problem, const std::vector<double>& actual,
                    const std::vector<double>& expected, double tolerance, const char* type) {
  const ParameterLayout layout(problem.spec);
  ASSERT_EQ(actual.size(), expected.size());
  const double norm = Norm(expected);
  for (const ParameterTensor& tensor : layout.tensors) {
    for (std::size_t j = tensor.offset; j < tensor.offset + tensor.size(); ++j) {
      ASSERT_NEAR(actual[j], expected[j], tolerance * norm)
          << type << " " << problem << ": " << tensor.name << " entry " << j - tensor.offset;
    }
  }
}

// Hidden sizes around the widths of vectors, each with an alphabet.
struct Size {
  int hidden_units;
  int symbols;
};
constexpr Size kSizes[] = {{1, 1}, {3, 2}, {5, 3}, {7, 4}, {17, 5}, {20, 2}, {33, 3}};
constexpr int kLengths[] = {0, 1, 2, 3, 7, 12};

class EveryModel : public testing::TestWithParam<ModelCase> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryModel, testing::ValuesIn(ModelCases()),
                         [](const auto& test) { return test.param.TestName(); });

TEST_P(EveryModel, LossIsThatOfTheEquations) {
  for (const Size size : kSizes) {
    for (int length : kLengths) {
      const ModelProblem problem(GetParam(), size.hidden_units, size.symbols, length,
                                 static_cast<std::uint64_t>(100 * size.hidden_units + length));
      const double expected = ReferenceLoss(problem.spec, problem.parameters, problem.string);
      OnEveryTarget([&] { ExpectLoss(problem, expected, 1e-13, 2e-6); });
    }
  }
}

// Gates that are open or closed, actions that are nearly certain, logits of the automaton so far
// apart that a float stack goes over to double.
TEST_P(EveryModel, LossIsThatOfTheEquationsForLargeParameters) {
  for (double bound : {3.0, 10.0, 30.0}) {
    for (std::uint64_t seed : {1, 2, 3}) {
      const ModelProblem problem(GetParam(), 7, 3, 12, seed, bound);
      const double expected = ReferenceLoss(problem.spec, problem.parameters, problem.string);
      OnEveryTarget([&] { ExpectLoss(problem, expected, 1e-11, 1e-4); });
    }
  }
}

TEST_P(EveryModel, EveryDerivativeIsThatOfTheEquations) {
  for (const auto& [size, length] :
       {std::pair(Size{3, 2}, 3), std::pair(Size{1, 4}, 7), std::pair(Size{5, 1}, 2),
        std::pair(Size{2, 3}, 7), std::pair(Size{17, 2}, 3), std::pair(Size{9, 2}, 1),
        std::pair(Size{4, 3}, 0)}) {
    const ModelProblem problem(GetParam(), size.hidden_units, size.symbols, length, 7);
    const auto expected = ReferenceGradient(problem.spec, problem.parameters, problem.string);
    OnEveryTarget([&] {
      ExpectGradient(problem, GradientOf<double>(problem), expected, 1e-13, "double");
      ExpectGradient(problem, GradientOf<float>(problem), expected, 5e-6, "float");
    });
  }
}

// A derivative in a random direction sees every entry of the gradient at once, at sizes for which
// there is no time for one after the other.
void ExpectGradientsInRandomDirections(const ModelProblem& problem, double double_tolerance,
                                       double float_tolerance) {
  std::vector<std::vector<double>> directions;
  std::vector<double> expected;
  for (std::uint64_t seed : {11, 12}) {
    directions.push_back(UniformValues(seed, problem.parameters.size(), -1, 1));
    expected.push_back(
        ReferenceDerivative(problem.spec, problem.parameters, problem.string, directions.back()));
  }
  OnEveryTarget([&] {
    const auto in_double = GradientOf<double>(problem);
    const auto in_float = GradientOf<float>(problem);
    const double norm = Norm(in_double);
    for (std::size_t j = 0; j < directions.size(); ++j) {
      EXPECT_NEAR(Dot(in_double, directions[j]), expected[j], double_tolerance * norm) << problem;
    }
    // In float, entry by entry: errors could cancel in the sum, and those of double cannot hide.
    ExpectGradient(problem, in_float, in_double, float_tolerance, "float");
  });
}

TEST_P(EveryModel, GradientIsThatOfTheEquationsAtEverySize) {
  for (const Size size : kSizes) {
    for (int length : {3, 12}) {
      ExpectGradientsInRandomDirections(
          ModelProblem(GetParam(), size.hidden_units, size.symbols, length,
                       static_cast<std::uint64_t>(size.hidden_units + length)),
          1e-12, 1e-5);
    }
  }
}

TEST_P(EveryModel, GradientIsThatOfTheEquationsForLargeParameters) {
  for (std::uint64_t seed : {1, 2}) {
    ExpectGradientsInRandomDirections(ModelProblem(GetParam(), 7, 3, 12, seed, 3), 1e-11, 1e-4);
  }
}

TEST_P(EveryModel, BackwardAddsTheScaledGradient) {
  const ModelProblem problem(GetParam(), 5, 3, 7);
  const auto expected = GradientOf<double>(problem);
  StackRnn<double> model(problem.spec, 7);
  std::vector<double> sum(problem.parameters.size(), 3);
  model.Forward(problem.parameters.data(), problem.string);
  model.Backward(problem.parameters.data(), -2.5, sum.data());
  model.Forward(problem.parameters.data(), problem.string);
  model.Backward(problem.parameters.data(), 0.5, sum.data());
  for (std::size_t j = 0; j < sum.size(); ++j) {
    ASSERT_NEAR(sum[j], 3 - 2 * expected[j], 1e-13 * (3 + Norm(expected)))
        << problem << " entry " << j;
  }
}

TEST_P(EveryModel, AnObjectCanBeUsedAgain) {
  constexpr int kMaxLength = 12;
  StackRnn<float> used(GetParam().Spec(5, 3), kMaxLength);
  for (int length : {12, 0, 7, 1, 12, 2, 3}) {
    // Other parameters and another string each time.
    const ModelProblem problem(GetParam(), 5, 3, length, static_cast<std::uint64_t>(length + 50));
    const auto parameters = ParametersAs<float>(problem.parameters);
    StackRnn<float> fresh(problem.spec, kMaxLength);
    EXPECT_EQ(used.Forward(parameters.data(), problem.string),
              fresh.Forward(parameters.data(), problem.string))
        << problem;
    std::vector<float> gradient(parameters.size());
    std::vector<float> expected(parameters.size());
    used.Backward(parameters.data(), 1, gradient.data());
    fresh.Backward(parameters.data(), 1, expected.data());
    EXPECT_EQ(gradient, expected) << problem;
    // What has gone symbol by symbol in between leaves no trace either.
    std::vector<float> log_probabilities(4);
    used.Start(parameters.data(), log_probabilities.data());
    used.Step(parameters.data(), 1, log_probabilities.data());
  }
}

TEST_P(EveryModel, RoomForLongerStringsChangesNothing) {
  const ModelProblem problem(GetParam(), 5, 3, 7);
  StackRnn<double> model(problem.spec, 40);
  EXPECT_NEAR(model.Forward(problem.parameters.data(), problem.string), LossOf<double>(problem),
              1e-13)
      << problem;
}

// -log p of the string from the log-probabilities of each step, which must be a distribution.
template <typename T>
double StepwiseLoss(StackRnn<T>& model, const ModelProblem& problem, double tolerance) {
  const auto parameters = ParametersAs<T>(problem.parameters);
  std::vector<T> log_probabilities(static_cast<std::size_t>(problem.spec.outputs()));
  const auto expect_distribution = [&] {
    double sum = 0;
    for (T log : log_probabilities) sum += std::exp(static_cast<double>(log));
    EXPECT_NEAR(sum, 1, tolerance) << problem;
  };
  double loss = 0;
  model.Start(parameters.data(), log_probabilities.data());
  expect_distribution();
  for (int symbol : problem.string) {
    loss -= static_cast<double>(log_probabilities[static_cast<std::size_t>(symbol)]);
    // Overwritten, not added to.
    std::fill(log_probabilities.begin(), log_probabilities.end(), static_cast<T>(kNan));
    model.Step(parameters.data(), symbol, log_probabilities.data());
    expect_distribution();
  }
  return loss - static_cast<double>(log_probabilities.back());
}

TEST_P(EveryModel, StepsAgreeWithTheWholeString) {
  OnEveryTarget([&] {
    for (int length : kLengths) {
      for (const Size size : {Size{3, 1}, Size{5, 3}, Size{17, 5}}) {
        const ModelProblem problem(GetParam(), size.hidden_units, size.symbols, length, 3);
        for (bool gradients : {false, true}) {
          StackRnn<double> in_double(problem.spec, length, gradients);
          const double loss = LossOf<double>(problem);
          EXPECT_NEAR(StepwiseLoss(in_double, problem, 1e-13), loss, 1e-13 * std::max(1.0, loss))
              << problem;
          StackRnn<float> in_float(problem.spec, length, gradients);
          EXPECT_NEAR(StepwiseLoss(in_float, problem, 2e-6), loss, 2e-6 * std::max(1.0, loss))
              << problem;
        }
      }
    }
  });
}

template <typename T>
void ExpectNear(std::span<const T> actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t n = 0; n < actual.size(); ++n) {
    EXPECT_NEAR(actual[n], expected[n], tolerance) << "entry " << n;
  }
}

// The hidden state, the reading it has seen and the weight of its runs, after Start and each Step;
// then all times again, after the last Step and after Forward.
template <typename T>
void ExpectStates(const ModelProblem& problem, double tolerance) {
  const ParameterLayout layout(problem.spec);
  ReferenceStackRnn<double> reference(problem.spec, layout, problem.parameters);
  const auto states = reference.States(problem.string);
  const auto parameters = ParametersAs<T>(problem.parameters);
  const auto length = static_cast<int>(problem.string.size());
  // Actions are sums over the hidden units, times weights.
  const double action_tolerance =
      tolerance * problem.spec.hidden_units * std::max(1.0, problem.parameter_bound);
  std::vector<T> log_probabilities(static_cast<std::size_t>(problem.spec.outputs()));
  StackRnn<T> model(problem.spec, length, false);
  model.Start(parameters.data(), log_probabilities.data());
  for (std::size_t t = 0; t < states.size(); ++t) {
    SCOPED_TRACE("step " + std::to_string(t));
    if (t > 0) model.Step(parameters.data(), problem.string[t - 1], log_probabilities.data());
    ExpectNear(model.hidden(), states[t].hidden, tolerance);
    ExpectNear(model.reading(), states[t].reading, tolerance);
    const double weight = states[t].log_stack_weight;
    EXPECT_NEAR(model.LogStackWeight(), weight, tolerance * (1 + std::abs(weight))) << problem;
  }
  for (const bool whole : {false, true}) {
    if (whole) model.Forward(parameters.data(), problem.string);
    for (int t = 0; t <= length; ++t) {
      SCOPED_TRACE("time " + std::to_string(t));
      ExpectNear(model.hidden(t), states[static_cast<std::size_t>(t)].hidden, tolerance);
      if (t < length) {
        ExpectNear(model.reading(t), states[static_cast<std::size_t>(t) + 1].reading, tolerance);
      }
      if (t > 0 && t < length) {
        ExpectNear(model.actions(t), reference.TakenActions(t), action_tolerance);
      }
    }
  }
}

TEST_P(EveryModel, StatesAreThoseOfTheEquations) {
  OnEveryTarget([&] {
    for (double bound : {1.0, 30.0}) {  // with 30, a float stack goes over to double
      const ModelProblem problem(GetParam(), 5, 3, 12, 3, bound);
      ExpectStates<double>(problem, 1e-11);
      ExpectStates<float>(problem, bound * 1e-5);
    }
  });
}

TEST_P(EveryModel, RefusesTimesThatHaveNotBeen) {
  const ModelProblem problem(GetParam(), 3, 2, 4);
  StackRnn<double> model(problem.spec, 10);
  model.Forward(problem.parameters.data(), problem.string);
  for (const int t :
       {-1, 5, 10, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    EXPECT_THROW(model.hidden(t), Error) << t;
    EXPECT_THROW(model.reading(t), Error) << t;
    EXPECT_THROW(model.actions(t), Error) << t;
  }
  // Nothing reads the stack after the last symbol, and nothing acts on it before the first.
  EXPECT_THROW(model.reading(4), Error);
  EXPECT_THROW(model.actions(4), Error);
  EXPECT_THROW(model.actions(0), Error);
  model.Forward(problem.parameters.data(), {});
  EXPECT_EQ(model.reading(0).size(), static_cast<std::size_t>(problem.spec.reading_size()));
  EXPECT_THROW(model.hidden(1), Error);
}

TEST_P(EveryModel, EveryStartIsAnew) {
  const ModelProblem problem(GetParam(), 5, 3, 7);
  StackRnn<double> model(problem.spec, 7, false);
  const double first = StepwiseLoss(model, problem, 1e-13);
  model.Forward(problem.parameters.data(), std::vector<int>{2, 2, 1});
  EXPECT_EQ(StepwiseLoss(model, problem, 1e-13), first) << problem;
}

// Of a loss that is not finite, or an Error.
template <typename T>
bool Complains(StackRnn<T>& model, const std::vector<T>& parameters, const std::vector<int>& word) {
  try {
    return !std::isfinite(model.Forward(parameters.data(), word));
  } catch (const Error&) {
    return true;
  }
}

// Functions that are computed from clamped arguments may lose a NaN, on some target.
template <typename T>
void ExpectComplaintsOfEveryNan(const ModelProblem& problem) {
  StackRnn<T> model(problem.spec, static_cast<int>(problem.string.size()));
  auto parameters = ParametersAs<T>(problem.parameters);
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const T before = parameters[j];
    parameters[j] = static_cast<T>(kNan);
    ASSERT_TRUE(Complains(model, parameters, problem.string)) << problem << " entry " << j;
    parameters[j] = before;
  }
  EXPECT_FALSE(Complains(model, parameters, problem.string)) << problem;
}

TEST_P(EveryModel, NanParametersNeverGiveAFiniteLoss) {
  // Every symbol occurs, and after the stack has been used.
  ModelProblem problem(GetParam(), 3, 2, 0);
  problem.string = {0, 1, 0, 1};
  OnEveryTarget([&] {
    ExpectComplaintsOfEveryNan<double>(problem);
    ExpectComplaintsOfEveryNan<float>(problem);
  });
}

TEST_P(EveryModel, RefusesSymbolsThatAreNotThere) {
  const ModelProblem problem(GetParam(), 3, 2, 3);
  const double* parameters = problem.parameters.data();
  StackRnn<double> model(problem.spec, 5);
  std::vector<double> log_probabilities(3);
  const double loss = model.Forward(parameters, problem.string);
  for (int symbol : {-1, 2, 3, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    EXPECT_THROW(model.Forward(parameters, std::vector<int>{0, symbol}), Error) << symbol;
    EXPECT_THROW(model.Forward(parameters, std::vector<int>{symbol}), Error) << symbol;
    model.Start(parameters, log_probabilities.data());
    EXPECT_THROW(model.Step(parameters, symbol, log_probabilities.data()), Error) << symbol;
  }
  EXPECT_EQ(model.Forward(parameters, problem.string), loss) << "usable after a refusal";
}

TEST_P(EveryModel, RefusesStringsThatAreTooLong) {
  const ModelProblem problem(GetParam(), 3, 2, 4);
  const double* parameters = problem.parameters.data();
  for (int max_length : {0, 1, 3}) {
    StackRnn<double> model(problem.spec, max_length);
    EXPECT_THROW(model.Forward(parameters, problem.string), Error) << max_length;
    std::vector<double> log_probabilities(3);
    model.Start(parameters, log_probabilities.data());
    for (int t = 0; t < max_length; ++t) model.Step(parameters, 0, log_probabilities.data());
    EXPECT_THROW(model.Step(parameters, 0, log_probabilities.data()), Error) << max_length;
  }
  EXPECT_THROW(StackRnn<float>(problem.spec, -1), Error);
}

TEST_P(EveryModel, EstimatesMoreMemoryForMore) {
  const ModelSpec spec = GetParam().Spec(20, 3);
  const double bytes = StackRnn<float>::EstimateBytes(spec, 40, true);
  // The states and gates alone.
  EXPECT_GT(bytes, 40 * 20 * 6 * sizeof(float));
  EXPECT_GT(bytes, StackRnn<float>::EstimateBytes(spec, 40, false));
  EXPECT_GT(StackRnn<float>::EstimateBytes(spec, 80, true), bytes);
}

TEST(StackRnn, RefusesASpecificationThatIsOutOfRange) {
  EXPECT_THROW(StackRnn<float>(ModelSpec{.hidden_units = 0}, 10), Error);
  EXPECT_THROW(StackRnn<float>(ModelSpec{.symbols = -1}, 10), Error);
}

// One unit, one symbol, by hand: with all weights zero, each gate is a function of its bias. The
// input gate is open and the output gate too: c_1 = tanh(g), c_2 = sigmoid(f) c_1 + tanh(g).
TEST(StackRnnByHand, GatesAreInputForgetCandidateOutput) {
  const ModelSpec spec = ParseModelSpec("lstm", 1, 1);
  const ParameterLayout layout(spec);
  std::vector<double> parameters(layout.size);
  double* bias = parameters.data() + layout.controller.bias;
  bias[0] = 40;
  bias[1] = std::log(3.0);  // sigmoid: 0.75
  bias[2] = std::atanh(0.5);
  bias[3] = 40;
  parameters[layout.output.weights + 1] = 2;  // the logit of the end
  parameters[layout.output.bias] = 1;         // that of the symbol
  const double h1 = std::tanh(0.5);
  const double h2 = std::tanh(0.75 * 0.5 + 0.5);
  const double expected = std::log1p(std::exp(0.0 - 1)) + std::log1p(std::exp(2 * h1 - 1)) +
                          std::log1p(std::exp(1 - 2 * h2));
  StackRnn<double> model(spec, 2);
  EXPECT_NEAR(model.Forward(parameters.data(), std::vector<int>{0, 0}), expected, 1e-14);
}

// Without any parameters, all outputs are equally probable.
TEST(StackRnnByHand, ZeroParametersAreUniform) {
  for (const ModelCase& model_case : ModelCases()) {
    const ModelSpec spec = model_case.Spec(4, 3);
    const std::vector<double> parameters(ParameterLayout(spec).size);
    StackRnn<double> model(spec, 5);
    EXPECT_NEAR(model.Forward(parameters.data(), std::vector<int>{0, 1, 2, 2, 1}),
                6 * std::log(4.0), 1e-13)
        << model_case.name;
  }
}

}  // namespace
}  // namespace pushdown
