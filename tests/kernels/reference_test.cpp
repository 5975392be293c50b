// The oracles of the stack kernels, checked against each other and against hand calculations: the
// recurrences of the paper (nondeterministic_stack_reference.h), the enumeration of every run
// (enumeration.h) and the dense superposition stack (superposition_dense.h).

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/nondeterministic_stack_reference.h"
#include "pushdown/kernels/stack_spec.h"
#include "tests/kernels/enumeration.h"
#include "tests/kernels/random_stack.h"
#include "tests/kernels/superposition_dense.h"

namespace pushdown {
namespace {

using testing_oracle::DenseSuperpositionReadings;
using testing_oracle::EnumeratedReadings;
using testing_oracle::RandomLogits;
using testing_oracle::UniformValues;
using Complex = std::complex<double>;

NondeterministicStackSpec MakeSpec(int states, int symbols, int vector_size) {
  NondeterministicStackSpec spec;
  spec.states = states;
  spec.symbols = symbols;
  spec.vector_size = vector_size;
  return spec;
}

std::string Describe(const NondeterministicStackSpec& spec, int steps, std::uint64_t seed) {
  return "states " + std::to_string(spec.states) + " symbols " + std::to_string(spec.symbols) +
         " m " + std::to_string(spec.vector_size) + " window " + std::to_string(spec.window) +
         (spec.bottom == Bottom::kOld ? " old" : " fixed") +
         (spec.initial_vector == InitialVector::kPaperCode ? " paper-code" : "") + " n" +
         std::to_string(steps) + " seed " + std::to_string(seed);
}

std::vector<double> LogWeights(std::vector<double> weights) {
  for (double& weight : weights) weight = std::log(weight);
  return weights;
}

void ExpectNear(const std::vector<double>& actual, const std::vector<double>& expected,
                double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t n = 0; n < actual.size(); ++n) {
    EXPECT_NEAR(actual[n], expected[n], tolerance) << "at " << n;
  }
}

// A hand calculation holds for both oracles.
void ExpectReadings(const NondeterministicStackSpec& spec, int steps,
                    const std::vector<double>& logits, const std::vector<double>& vectors,
                    const std::vector<double>& bottom_vector, const std::vector<double>& expected) {
  {
    SCOPED_TRACE("reference");
    ExpectNear(ReferenceReadings(spec, steps, logits, vectors, bottom_vector), expected, 1e-14);
  }
  {
    SCOPED_TRACE("enumeration");
    ExpectNear(EnumeratedReadings(spec, steps, logits, vectors, bottom_vector), expected, 1e-14);
  }
}

struct Variant {
  const char* name;
  int vector_size;
  Bottom bottom;
  InitialVector initial_vector;
};

constexpr Variant kVariants[] = {
    {"RnsFixedBottom", 0, Bottom::kFixed, InitialVector::kCorrect},
    {"RnsOldBottom", 0, Bottom::kOld, InitialVector::kCorrect},
    {"Vrns1FixedBottom", 1, Bottom::kFixed, InitialVector::kCorrect},
    {"Vrns1OldBottom", 1, Bottom::kOld, InitialVector::kCorrect},
    {"Vrns1PaperCode", 1, Bottom::kFixed, InitialVector::kPaperCode},
    {"Vrns2FixedBottom", 2, Bottom::kFixed, InitialVector::kCorrect},
    {"Vrns2OldBottom", 2, Bottom::kOld, InitialVector::kCorrect},
    {"Vrns2PaperCode", 2, Bottom::kFixed, InitialVector::kPaperCode},
};

class ReferenceAgreement : public ::testing::TestWithParam<std::tuple<Variant, int>> {};

TEST_P(ReferenceAgreement, WithEnumerationOfEveryRun) {
  const auto& [variant, window] = GetParam();
  for (int states = 1; states <= 3; ++states) {
    for (int symbols = 1; symbols <= 3; ++symbols) {
      NondeterministicStackSpec spec = MakeSpec(states, symbols, variant.vector_size);
      spec.window = window;
      spec.bottom = variant.bottom;
      spec.initial_vector = variant.initial_vector;
      // As many steps as keep the runs below 5 million: from 14 steps for 1-1 to 5 for 3-3.
      const int operations = spec.logits_per_pair();
      int steps = 1;
      for (double runs = operations; runs * operations < 5e6; runs *= operations) ++steps;

      const std::uint64_t seed = std::uint64_t{100} * states + std::uint64_t{10} * symbols;
      SCOPED_TRACE(Describe(spec, steps, seed));
      const std::size_t vector_values = static_cast<std::size_t>(steps) * spec.vector_size;
      const std::vector<double> logits = RandomLogits(seed, spec, steps, -3.0, 3.0, 0.15);
      const std::vector<double> vectors = UniformValues(seed + 1, vector_values, -1.0, 1.0);
      const std::vector<double> bottom_vector =
          UniformValues(seed + 2, spec.vector_size, -1.0, 1.0);
      ExpectNear(ReferenceReadings(spec, steps, logits, vectors, bottom_vector),
                 EnumeratedReadings(spec, steps, logits, vectors, bottom_vector), 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllOptions, ReferenceAgreement,
                         ::testing::Combine(::testing::ValuesIn(kVariants),
                                            ::testing::Values(0, 1, 2, 3, 5)),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param).name) + "Window" +
                                  std::to_string(std::get<1>(instance.param));
                         });

// |Q| = 2 and |Gamma| = 2, pairs (0,0) (0,1) (1,0) (1,1), a row of logits being
// [push to each pair | replace by each pair | pop to state 0, 1]. One operation a step has a
// weight that a run can use; the weights 5 belong to pairs where no run is.
TEST(ReferenceHandCalculation, LayoutFollowsOneRun) {
  const std::vector<double> weights = {
      // t = 1: in (0,0), push 1 and go to state 1. The stack is 0 1.
      0, 0, 0, 2, 0, 0, 0, 0, 0, 0,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      // t = 2: in (1,1), replace by 0 and go to state 0. The stack is 0 0.
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      0, 0, 0, 0, 3, 0, 0, 0, 0, 0,  //
      // t = 3: in (0,0), push 1 and stay in state 0. The stack is 0 0 1.
      0, 2, 0, 0, 0, 0, 0, 0, 0, 0,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      // t = 4: in (0,1), pop and go to state 1. The stack is 0 0.
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      0, 0, 0, 0, 0, 0, 0, 0, 0, 3,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
      5, 0, 0, 0, 0, 0, 0, 0, 0, 0,  //
  };
  const std::vector<double> expected = {
      1, 0, 0, 0,  // (0,0)
      0, 0, 0, 1,  // (1,1)
      1, 0, 0, 0,  // (0,0)
      0, 1, 0, 0,  // (0,1)
      0, 0, 1, 0,  // (1,0)
  };
  ExpectReadings(MakeSpec(2, 2, 0), 4, LogWeights(weights), {}, {}, expected);

  // With vectors: on top are v_0, v_1 (pushed), v_1 (replacing keeps it), v_3 and v_1 again.
  const std::vector<double> vectors = {2, -1, 3, -2, 5, -3, 7, -4};  // v_1 .. v_4
  const std::vector<double> bottom_vector = {-6, 8};
  const std::vector<double> expected_vectors = {
      -6, 8,  0, 0,  0, 0,  0, 0,   //
      0,  0,  0, 0,  0, 0,  2, -1,  //
      2,  -1, 0, 0,  0, 0,  0, 0,   //
      0,  0,  5, -3, 0, 0,  0, 0,   //
      0,  0,  0, 0,  2, -1, 0, 0,   //
  };
  ExpectReadings(MakeSpec(2, 2, 2), 4, LogWeights(weights), vectors, bottom_vector,
                 expected_vectors);
  // The old bottom allows all of this: what is popped lies two above the initial element.
  NondeterministicStackSpec old_bottom = MakeSpec(2, 2, 2);
  old_bottom.bottom = Bottom::kOld;
  ExpectReadings(old_bottom, 4, LogWeights(weights), vectors, bottom_vector, expected_vectors);
}

// |Q| = 1, |Gamma| = 2 (b, the bottom symbol, and a).
// t = 1: from b: push b 1, push a 2, replace by b 3, pop 4 (impossible for the initial element).
//   Stacks: bb 1, ba 2, b 3.  Top b: 1 + 3 = 4, top a: 2, together 6.
// t = 2: from b: push a 1, pop 2; from a: replace by b 3, pop 1.
//   bb 1: bba 1, b 2.   ba 2: bb 6, b 2.   b 3: ba 3.
//   Top b: 2 + 6 + 2 = 10, top a: 1 + 3 = 4, together 14.
TEST(ReferenceHandCalculation, RunsThatReachTheSameTopAreAdded) {
  const std::vector<double> weights = {
      1, 2, 3, 0, 4,  // from b: push b, push a, replace by b, replace by a, pop
      0, 0, 0, 0, 0,  // from a
      0, 1, 0, 0, 2,  // from b
      0, 0, 3, 0, 1,  // from a
  };
  ExpectReadings(MakeSpec(1, 2, 0), 2, LogWeights(weights), {}, {},
                 {1, 0, 4.0 / 6, 2.0 / 6, 10.0 / 14, 4.0 / 14});
}

// |Q| = |Gamma| = m = 1; at every step push has weight 1, replace 2 and pop 3. Stacks are written
// as the indices of their vectors, top last, each with its weight.
class OneSymbolStack : public ::testing::Test {
 protected:
  void ExpectThreeSteps(const std::vector<double>& expected) {
    ExpectReadings(spec_, 3, LogWeights({1, 2, 3, 1, 2, 3, 1, 2, 3}), {kV1, kV2, kV3}, {kV0},
                   expected);
  }

  static constexpr double kV0 = 1, kV1 = -2, kV2 = 3, kV3 = 4;
  NondeterministicStackSpec spec_ = MakeSpec(1, 1, 1);
};

// t = 1: 01 1, 0 2.                                        Top 1: 1, 0: 2, together 3.
// t = 2: from 01: 012 1, 01 2, 0 3; from 0: 02 2, 0 4.     Top 2: 3, 1: 2, 0: 7, together 12.
// t = 3: from 012 (1): top 3 1, top 2 2, top 1 3;
//        from 01 (2):  top 3 2, top 1 4, top 0 6;
//        from 02 (2):  top 3 2, top 2 4, top 0 6;
//        from 0 (7):   top 3 7, top 0 14.
//        Top 3: 12, 2: 6, 1: 7, 0: 26, together 51.
TEST_F(OneSymbolStack, FixedBottomIsReplacedAndUncovered) {
  ExpectThreeSteps({kV0, (kV1 + 2 * kV0) / 3, (3 * kV2 + 2 * kV1 + 7 * kV0) / 12,
                    (12 * kV3 + 6 * kV2 + 7 * kV1 + 26 * kV0) / 51});
}

// t = 1: 01 1.
// t = 2: 012 1, 01 2 (1 must not be popped).               Top 2: 1, 1: 2, together 3.
// t = 3: from 012 (1): top 3 1, top 2 2, top 1 3; from 01 (2): top 3 2, top 1 4.
//        Top 3: 3, 2: 2, 1: 7, together 12.
TEST_F(OneSymbolStack, OldBottomIsNeverSeenAgain) {
  spec_.bottom = Bottom::kOld;
  ExpectThreeSteps({kV0, kV1, (kV2 + 2 * kV1) / 3, (3 * kV3 + 2 * kV2 + 7 * kV1) / 12});
}

// Only the element pushed at the last step may be on top.
TEST_F(OneSymbolStack, WindowOfOneOnlyPushes) {
  spec_.window = 1;
  ExpectThreeSteps({kV0, kV1, kV2, kV3});
}

// On top at t = 1: 1 or 0; at t = 2: 2 or 1; at t = 3: 3 or 2.
// t = 1: 01 1, 0 2.
// t = 2: 012 1, 01 2, 02 2.                                Top 2: 3, 1: 2, together 5.
// t = 3: from 012 (1): top 3 1, top 2 2; from 01 (2): top 3 2; from 02 (2): top 3 2, top 2 4.
//        Top 3: 5, 2: 6, together 11.
TEST_F(OneSymbolStack, WindowOfTwoDropsOlderTops) {
  spec_.window = 2;
  ExpectThreeSteps({kV0, (kV1 + 2 * kV0) / 3, (3 * kV2 + 2 * kV1) / 5, (5 * kV3 + 6 * kV2) / 11});
}

// As without a window, except that 0 is not on top at t = 3: 51 - 26 = 25 remains.
TEST_F(OneSymbolStack, WindowOfThreeIsTheFirstToPop) {
  spec_.window = 3;
  ExpectThreeSteps({kV0, (kV1 + 2 * kV0) / 3, (3 * kV2 + 2 * kV1 + 7 * kV0) / 12,
                    (12 * kV3 + 6 * kV2 + 7 * kV1) / 25});
}

// |Q| = 1, |Gamma| = 2 (b and a), v_0 = 2, v_1 = 5.
// t = 1: from b: push b 1, replace by b 2, replace by a 1; from a: push b 7, replace by b 3,
// replace by a 1. Denominator, from b only: 1 + 2 + 1 = 4.
// Numerator of b: push 1 * 5, replace from b 2 * 2, replace from a 3 * 2, but not the push from a.
// Numerator of a: replace from b 1 * 2, replace from a 1 * 2.
TEST(ReferenceHandCalculation, PaperCodeStartsFromEveryPairInTheNumerator) {
  NondeterministicStackSpec spec = MakeSpec(1, 2, 1);
  const std::vector<double> logits = LogWeights({1, 0, 2, 1, 0, 7, 0, 3, 1, 0});
  ExpectReadings(spec, 1, logits, {5}, {2}, {2, 0, (5.0 + 4) / 4, 2.0 / 4});
  spec.initial_vector = InitialVector::kPaperCode;
  ExpectReadings(spec, 1, logits, {5}, {2}, {2, 2, (5.0 + 4 + 6) / 4, (2.0 + 2) / 4});
}

TEST(ReferenceHandCalculation, NoStepsGiveTheInitialReading) {
  ExpectReadings(MakeSpec(2, 2, 0), 0, {}, {}, {}, {1, 0, 0, 0});
  NondeterministicStackSpec spec = MakeSpec(2, 1, 2);
  ExpectReadings(spec, 0, {}, {}, {-1, 3}, {-1, 3, 0, 0});
  spec.bottom = Bottom::kOld;
  ExpectReadings(spec, 0, {}, {}, {-1, 3}, {-1, 3, 0, 0});
}

template <typename Function>
std::string ErrorOf(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReferenceErrors, NameTheStepThatNoRunSurvives) {
  NondeterministicStackSpec spec = MakeSpec(1, 1, 0);
  const std::vector<double> only_pop = LogWeights({0, 0, 1});
  EXPECT_NE(ErrorOf([&] { ReferenceReadings(spec, 1, only_pop, {}, {}); }).find("step 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { EnumeratedReadings(spec, 1, only_pop, {}, {}); }).find("step 1"),
            std::string::npos);

  const std::vector<double> push_then_pop = LogWeights({1, 0, 0, 0, 0, 1});
  ExpectReadings(spec, 2, push_then_pop, {}, {}, {1, 1, 1});
  spec.bottom = Bottom::kOld;
  EXPECT_NE(ErrorOf([&] { ReferenceReadings(spec, 2, push_then_pop, {}, {}); }).find("step 2"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { EnumeratedReadings(spec, 2, push_then_pop, {}, {}); }).find("step 2"),
            std::string::npos);
}

// With the paper's code the numerator may survive where the denominator does not.
TEST(ReferenceErrors, OnlyProperRunsKeepTheStackAlive) {
  NondeterministicStackSpec spec = MakeSpec(1, 2, 1);
  spec.initial_vector = InitialVector::kPaperCode;
  const std::vector<double> only_from_a = LogWeights({0, 0, 0, 0, 0, 1, 1, 1, 1, 1});
  EXPECT_NE(ErrorOf([&] { ReferenceReadings(spec, 1, only_from_a, {1}, {1}); }).find("step 1"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { EnumeratedReadings(spec, 1, only_from_a, {1}, {1}); }).find("step 1"),
            std::string::npos);
}

TEST(ReferenceErrors, RefuseWrongShapesAndOptions) {
  NondeterministicStackSpec spec = MakeSpec(1, 1, 1);
  EXPECT_THROW(ReferenceReadings<double>(spec, 1, {0, 0}, {1}, {1}), Error);
  EXPECT_THROW(ReferenceReadings<double>(spec, 1, {0, 0, 0}, {}, {1}), Error);
  EXPECT_THROW(ReferenceReadings<double>(spec, 1, {0, 0, 0}, {1}, {}), Error);
  spec.bottom = Bottom::kOld;
  spec.initial_vector = InitialVector::kPaperCode;
  EXPECT_THROW(ReferenceReadings<double>(spec, 1, {0, 0, 0}, {1}, {1}), Error);
}

// Weights from exp(-200) to exp(200) over 40 steps leave the range of double many times over.
TEST(Reference, StaysInRangeForExtremeWeights) {
  const int steps = 40;
  const NondeterministicStackSpec spec = MakeSpec(2, 2, 0);
  const std::vector<double> readings =
      ReferenceReadings(spec, steps, RandomLogits(7, spec, steps, -200.0, 200.0, 0.1), {}, {});
  for (int t = 0; t <= steps; ++t) {
    double total = 0.0;
    for (int ry = 0; ry < spec.pairs(); ++ry) {
      total += readings[static_cast<std::size_t>(t) * spec.pairs() + ry];
    }
    // Logarithms near 200 * 40 are exact to 1e-12.
    EXPECT_NEAR(total, 1.0, 1e-11) << "step " << t;
  }
}

// The inputs of a stack in one vector, [logits | vectors | bottom vector], and a scalar function of
// its readings with fixed random coefficients.
class StackFunction {
 public:
  StackFunction(const NondeterministicStackSpec& spec, int steps)
      : spec_(spec),
        steps_(steps),
        coefficients_(UniformValues(5, static_cast<std::size_t>(steps + 1) * spec.reading_size(),
                                    -1.0, 1.0)) {}

  template <typename N>
  N operator()(const std::vector<N>& inputs) const {
    const auto vectors = inputs.begin() + static_cast<std::ptrdiff_t>(steps_) * spec_.logits_size();
    const auto bottom_vector = vectors + static_cast<std::ptrdiff_t>(steps_) * spec_.vector_size;
    const std::vector<N> readings = ReferenceReadings<N>(
        spec_, steps_, std::vector<N>(inputs.begin(), vectors),
        std::vector<N>(vectors, bottom_vector), std::vector<N>(bottom_vector, inputs.end()));
    N sum(0);
    for (std::size_t n = 0; n < readings.size(); ++n) sum += coefficients_[n] * readings[n];
    return sum;
  }

  double ComplexStep(const std::vector<double>& inputs, std::size_t n) const {
    std::vector<Complex> stepped(inputs.begin(), inputs.end());
    stepped[n] += Complex(0.0, 1e-50);
    return (*this)(stepped).imag() / 1e-50;
  }

  double CentralDifference(const std::vector<double>& inputs, std::size_t n) const {
    const double step = 1e-6;
    std::vector<double> above = inputs, below = inputs;
    above[n] += step;
    below[n] -= step;
    return ((*this)(above) - (*this)(below)) / (2 * step);
  }

 private:
  const NondeterministicStackSpec& spec_;
  int steps_;
  std::vector<double> coefficients_;
};

class ComplexStep : public ::testing::TestWithParam<Variant> {};

TEST_P(ComplexStep, AgreesWithFiniteDifferences) {
  const int steps = 5;
  for (int window : {0, 3}) {
    NondeterministicStackSpec spec = MakeSpec(2, 2, GetParam().vector_size);
    spec.window = window;
    spec.bottom = GetParam().bottom;
    spec.initial_vector = GetParam().initial_vector;
    const std::uint64_t seed = 11;
    SCOPED_TRACE(Describe(spec, steps, seed));

    std::vector<double> inputs = RandomLogits(seed, spec, steps, -2.0, 2.0, 0.1);
    const std::vector<double> all_vectors =
        UniformValues(seed + 1, static_cast<std::size_t>(steps + 1) * spec.vector_size, -1.0, 1.0);
    if (spec.vector_size > 0) {
      ASSERT_LT(*std::min_element(all_vectors.begin(), all_vectors.end()), -0.1);
    }
    inputs.insert(inputs.end(), all_vectors.begin(), all_vectors.end());

    const StackFunction function(spec, steps);
    for (std::size_t n = 0; n < inputs.size(); ++n) {
      // The central difference is exact to 1e-12 (step squared) plus 1e-10 (rounding / step).
      const double expected = std::isinf(inputs[n]) ? 0.0 : function.CentralDifference(inputs, n);
      EXPECT_NEAR(function.ComplexStep(inputs, n), expected, 1e-9) << "input " << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllOptions, ComplexStep, ::testing::ValuesIn(kVariants),
                         [](const auto& instance) { return std::string(instance.param.name); });

// r_1 = (v_1 + v_0) / 2 for a push and a replacement of the same weight. At v_1 = 0 the logarithm
// of v_1 is infinite, and at v_1 = -v_0 the sum cancels; the derivatives 1/2 are the same.
TEST(ComplexStepAtZero, VectorsThatVanishOrCancelKeepTheirDerivatives) {
  const NondeterministicStackSpec spec = MakeSpec(1, 1, 1);
  const std::vector<Complex> logits(3);
  for (double v1 : {0.0, 0.7, -0.7}) {
    const Complex at_v1 =
        ReferenceReadings<Complex>(spec, 1, logits, {Complex(v1, 1e-50)}, {Complex(0.7)})[1];
    const Complex at_v0 =
        ReferenceReadings<Complex>(spec, 1, logits, {Complex(v1)}, {Complex(0.7, 1e-50)})[1];
    EXPECT_NEAR(at_v1.real(), (v1 + 0.7) / 2, 1e-15) << v1;
    EXPECT_NEAR(at_v1.imag() / 1e-50, 0.5, 1e-14) << v1;
    EXPECT_NEAR(at_v0.imag() / 1e-50, 0.5, 1e-14) << v1;
  }
}

// One stack of vectors (u, 10u), offered u = 1, 2, 4, 8 to push. The first components, top first,
// for the actions (push, no-op, pop):
// t = 1: (1/2, 1/4, 1/4): 1/2 * 1 | 0                              = 1/2 | 0
// t = 2: (1/2, 1/2, 0):   1/2 * 2 + 1/2 * 1/2 | 1/2 * 1/2          = 5/4 | 1/4 | 0
// t = 3: (1/4, 1/4, 1/2): 1/4 * 4 + 1/4 * 5/4 + 1/2 * 1/4 | ..     = 23/16 | 3/8 | 1/16
//        second: 1/4 * 5/4 + 1/4 * 1/4 + 1/2 * 0 = 6/16
// t = 4: (0, 0, 1): the second                                     = 3/8
TEST(DenseSuperposition, HandCalculation) {
  const std::vector<double> actions = {0.5,  0.25, 0.25, 0.5, 0.5, 0,  //
                                       0.25, 0.25, 0.5,  0,   0,   1};
  const std::vector<double> vectors = {1, 10, 2, 20, 4, 40, 8, 80};
  ExpectNear(DenseSuperpositionReadings<double>({2}, 0, 4, actions, vectors),
             {0, 0, 0.5, 5, 1.25, 12.5, 23.0 / 16, 230.0 / 16, 0.375, 3.75}, 1e-15);
  // With one element there is nothing to uncover: t = 3: 1 + 5/16, t = 4: 0.
  ExpectNear(DenseSuperpositionReadings<double>({2}, 1, 4, actions, vectors),
             {0, 0, 0.5, 5, 1.25, 12.5, 21.0 / 16, 210.0 / 16, 0, 0}, 1e-15);
}

// Pushes 1, 2, 3 and pops three times; what was pushed below depth 2 is lost.
TEST(DenseSuperposition, DepthLimitDropsTheDeepest) {
  const std::vector<double> actions = {1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1};
  const std::vector<double> vectors = {1, 2, 3, 9, 9, 9};
  ExpectNear(DenseSuperpositionReadings<double>({1}, 0, 6, actions, vectors), {0, 1, 2, 3, 2, 1, 0},
             0.0);
  ExpectNear(DenseSuperpositionReadings<double>({1}, 3, 6, actions, vectors), {0, 1, 2, 3, 2, 1, 0},
             0.0);
  ExpectNear(DenseSuperpositionReadings<double>({1}, 2, 6, actions, vectors), {0, 1, 2, 3, 2, 0, 0},
             0.0);
}

TEST(DenseSuperposition, StacksAreIndependent) {
  // The first stack (size 1) pushes, pushes, pops; the second (size 2) pushes, keeps, pushes.
  const std::vector<double> actions = {1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0};
  const std::vector<double> vectors = {1, 10, 11, 2, 20, 21, 3, 30, 31};
  ExpectNear(DenseSuperpositionReadings<double>({1, 2}, 0, 3, actions, vectors),
             {0, 0, 0, 1, 10, 11, 2, 10, 11, 1, 30, 31}, 0.0);
}

// d/da_push of a reading push * v + ... is v, by complex step.
TEST(DenseSuperposition, TakesComplexSteps) {
  const std::vector<Complex> actions = {{0.5, 1e-50}, 0.25, 0.25};
  const std::vector<Complex> readings =
      DenseSuperpositionReadings<Complex>({1}, 0, 1, actions, {Complex(-3.0)});
  EXPECT_EQ(readings[1].real(), -1.5);
  EXPECT_DOUBLE_EQ(readings[1].imag() / 1e-50, -3.0);
}

}  // namespace
}  // namespace pushdown
