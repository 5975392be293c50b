// What stacks carry from chunk to chunk, saved and restored.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/superposition_stack.h"
#include "tests/kernels/stack_oracle.h"

namespace pushdown {
namespace {

using namespace testing_oracle;  // NOLINT(google-build-using-namespace): this file is about it

// Equal as bytes, so that NaN and the sign of zero count.
template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

// A problem that is solved in chunks, by any stacks.
template <typename T>
struct Chunks {
  explicit Chunks(const StackProblem& stack_problem)
      : problem(stack_problem),
        arguments(MakeArguments(problem).As<T>()),
        coefficients(As<T>(MakeCoefficients(problem))),
        results{std::vector<T>(coefficients.size()), arguments} {
    for (auto* array : {&results.gradients.logits, &results.gradients.vectors,
                        &results.gradients.bottom_vector}) {
      std::fill(array->begin(), array->end(), T{0});
    }
  }

  void Start(NondeterministicStack<T>& stack) {
    stack.Start(arguments.bottom_vector.data(), results.readings.data());
  }

  // Steps begin + 1 .. end, and back.
  void Run(NondeterministicStack<T>& stack, int begin, int end, bool backward = true) {
    const auto& spec = problem.spec;
    for (int t = begin; t < end; ++t) {
      stack.Step(arguments.logits.data() + t * spec.logits_size(),
                 arguments.vectors.data() + t * spec.vector_size,
                 results.readings.data() + (t + 1) * spec.reading_size());
    }
    for (int t = end - 1; backward && t >= begin; --t) {
      stack.BackwardStep(coefficients.data() + (t + 1) * spec.reading_size(),
                         results.gradients.logits.data() + t * spec.logits_size(),
                         results.gradients.vectors.data() + t * spec.vector_size);
    }
    if (backward && begin == 0) {
      stack.BackwardStart(coefficients.data(), results.gradients.bottom_vector.data());
    }
    stack.Carry();
  }

  StackProblem problem;
  StackArguments<T> arguments;
  std::vector<T> coefficients;
  StackResults<T> results;
};

template <typename T>
void ExpectSameResults(const Chunks<T>& actual, const Chunks<T>& expected, const std::string& at) {
  EXPECT_TRUE(SameBits(actual.results.readings, expected.results.readings)) << actual.problem << at;
  EXPECT_TRUE(SameBits(actual.results.gradients.logits, expected.results.gradients.logits))
      << actual.problem << at;
  EXPECT_TRUE(SameBits(actual.results.gradients.vectors, expected.results.gradients.vectors))
      << actual.problem << at;
  EXPECT_TRUE(
      SameBits(actual.results.gradients.bottom_vector, expected.results.gradients.bottom_vector))
      << actual.problem << at;
}

// Saved after every chunk, and restored into a stack that was made otherwise and has been used.
template <typename T>
void ExpectNothingLost(const StackProblem& problem, int chunk) {
  Chunks<T> whole(problem);
  const int max_steps = problem.spec.window > 0 ? chunk : problem.steps;
  NondeterministicStack<T> stack(problem.spec, max_steps);
  whole.Start(stack);
  std::vector<std::string> carried = {stack.Carried()};
  for (int begin = 0; begin < problem.steps; begin += chunk) {
    whole.Run(stack, begin, std::min(begin + chunk, problem.steps));
    carried.push_back(stack.Carried());
  }

  StackProblem other = problem;
  other.seed += 1;
  other.range = 2;
  Chunks<T> before(other);
  NondeterministicStack<T> used(problem.spec, max_steps + 3);
  before.Start(used);
  before.Run(used, 0, std::min(chunk, problem.steps));
  for (std::size_t n = 0; n < carried.size(); ++n) {
    const std::string at = " restored after chunk " + std::to_string(n);
    Chunks<T> rest = whole;
    const auto from = std::min(static_cast<int>(n) * chunk, problem.steps);
    // What follows is computed anew.
    std::fill(rest.results.readings.begin() + (from + 1) * problem.spec.reading_size(),
              rest.results.readings.end(), T{-1});
    std::fill(rest.results.gradients.logits.begin() + from * problem.spec.logits_size(),
              rest.results.gradients.logits.end(), T{-1});
    used.RestoreCarried(carried[n]);
    EXPECT_EQ(used.Carried(), carried[n]) << problem << at;
    for (int begin = from; begin < problem.steps; begin += chunk) {
      rest.Run(used, begin, std::min(begin + chunk, problem.steps));
    }
    EXPECT_EQ(used.Carried(), carried.back()) << problem << at;
    ExpectSameResults(rest, whole, at);
  }

  // Without gradients, on either side.
  NondeterministicStack<T> forward_only(problem.spec, max_steps, /*gradients=*/false);
  Chunks<T> forward = whole;
  forward.Start(forward_only);
  forward.Run(forward_only, 0, std::min(chunk, problem.steps), /*backward=*/false);
  EXPECT_EQ(forward_only.Carried(), carried[1]) << problem;
  forward_only.RestoreCarried(carried[carried.size() - 2]);
  const auto last = static_cast<int>(carried.size() - 2) * chunk;
  forward.Run(forward_only, last, problem.steps, /*backward=*/false);
  EXPECT_EQ(forward_only.Carried(), carried.back()) << problem;
  EXPECT_TRUE(SameBits(forward.results.readings, whole.results.readings)) << problem;
}

class CarriedStack : public testing::TestWithParam<std::pair<int, int>> {};
INSTANTIATE_TEST_SUITE_P(Sizes, CarriedStack,
                         testing::Values(std::pair(1, 1), std::pair(1, 3), std::pair(2, 2),
                                         std::pair(3, 2), std::pair(3, 3), std::pair(2, 1),
                                         std::pair(5, 1)),
                         [](const auto& test) {
                           return "States" + std::to_string(test.param.first) + "Symbols" +
                                  std::to_string(test.param.second);
                         });

TEST_P(CarriedStack, GoesOnAsIfItHadNotBeenInterrupted) {
  for (NondeterministicStackSpec spec : Variants(GetParam().first, GetParam().second)) {
    for (int chunk : {1, 4, 7}) {
      ExpectNothingLost<float>({spec, 15, 3, 0.1, 3}, chunk);
      ExpectNothingLost<double>({spec, 15, 3, 0.1, 3}, chunk);
    }
    if (spec.window != 5) continue;
    spec.window = 11;  // longer than chunks
    ExpectNothingLost<float>({spec, 40, 3, 0, 3}, 5);
  }
}

TEST_P(CarriedStack, KeepsWhatHasGoneOverToDouble) {
  for (const NondeterministicStackSpec& spec : Variants(GetParam().first, GetParam().second)) {
    ExpectNothingLost<float>({spec, 14, 100, 0.1, 5}, 4);
  }
}

TEST(CarriedStackOverTime, GoesOverToDoubleAfterItWasRestored) {
  for (const NondeterministicStackSpec& spec : Variants(2, 2)) {
    Chunks<float> whole({spec, 15, 3, 0, 5});
    const auto late = whole.arguments.logits.begin() + 12 * spec.logits_size();
    std::for_each(late, whole.arguments.logits.end(), [](float& logit) { logit *= 30; });
    NondeterministicStack<float> stack(spec, 15);
    whole.Start(stack);
    whole.Run(stack, 0, 8);
    const std::string carried = stack.Carried();
    whole.Run(stack, 8, 15);
    Chunks<float> rest = whole;
    NondeterministicStack<float> other(spec, 15);
    other.RestoreCarried(carried);
    rest.Run(other, 8, 15);
    ExpectSameResults(rest, whole, "");
    EXPECT_EQ(other.Carried(), stack.Carried());
  }
}

TEST(CarriedStackOverTime, ErrorsNameTheSameStep) {
  for (int window : {0, 3}) {
    const NondeterministicStackSpec spec{2, 2, 0, window};
    Chunks<double> chunks({spec, 21});
    NondeterministicStack<double> stack(spec, 25);
    chunks.Start(stack);
    chunks.Run(stack, 0, 20);
    NondeterministicStack<double> other(spec, 25);
    other.RestoreCarried(stack.Carried());
    std::vector<double> impossible(static_cast<std::size_t>(spec.logits_size()),
                                   -std::numeric_limits<double>::infinity());
    std::vector<double> reading(4);
    try {
      other.Step(impossible.data(), nullptr, reading.data());
      FAIL() << "no run survives";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("step 21"), std::string::npos) << error.what();
    }
  }
}

TEST(CarriedStackOverTime, SavesOnlyWhatIsInReach) {
  // With a window of D: columns of 1 .. D - 1 rows, P * P shares and P sums each.
  const NondeterministicStackSpec spec{1, 7, 0, 35};
  Chunks<float> chunks({spec, 70});
  NondeterministicStack<float> stack(spec, 35);
  chunks.Start(stack);
  chunks.Run(stack, 0, 35);
  const std::size_t header = 9 * sizeof(std::int64_t) + 7 * sizeof(double);
  EXPECT_EQ(stack.Carried().size(), header + 34 * 35 / 2 * (7 * 7 + 7) * sizeof(float));
  chunks.Run(stack, 35, 70);
  EXPECT_EQ(stack.Carried().size(), header + 34 * 35 / 2 * (7 * 7 + 7) * sizeof(float));
}

TEST(CarriedStackMisuse, IsRefused) {
  const NondeterministicStackSpec spec{2, 2, 1, 3};
  Chunks<float> chunks({spec, 12});
  NondeterministicStack<float> stack(spec, 12);
  EXPECT_THROW(stack.Carried(), Error) << "not started";
  chunks.Start(stack);
  const std::string beginning = stack.Carried();
  stack.Step(chunks.arguments.logits.data(), chunks.arguments.vectors.data(),
             chunks.results.readings.data());
  EXPECT_THROW(stack.Carried(), Error) << "within a chunk";
  stack.Carry();
  const std::string carried = stack.Carried();

  NondeterministicStackSpec others[] = {spec, spec, spec, spec, spec, spec};
  others[0].states = 1;
  others[1].symbols = 1;
  others[2].vector_size = 2;
  others[3].window = 4;
  others[4].bottom = Bottom::kOld;
  others[5].initial_vector = InitialVector::kPaperCode;
  for (const NondeterministicStackSpec& other : others) {
    NondeterministicStack<float> wrong(other, 12);
    EXPECT_THROW(wrong.RestoreCarried(carried), Error);
    EXPECT_THROW(wrong.RestoreCarried(beginning), Error);
  }
  NondeterministicStack<double> in_double(spec, 12);
  EXPECT_THROW(in_double.RestoreCarried(carried), Error);

  // What is refused changes nothing.
  EXPECT_THROW(stack.RestoreCarried(carried.substr(1)), Error);
  EXPECT_EQ(stack.Carried(), carried);

  // Without a window a stack has room for so many steps.
  Chunks<float> longer({{2, 2}, 12});
  NondeterministicStack<float> first({2, 2}, 12);
  longer.Start(first);
  longer.Run(first, 0, 12);
  NondeterministicStack<float> enough({2, 2}, 12);
  enough.RestoreCarried(first.Carried());
  NondeterministicStack<float> too_short({2, 2}, 11);
  EXPECT_THROW(too_short.RestoreCarried(first.Carried()), Error);
}

// Bytes that someone has changed: refused, or taken for another stack. The sanitizers say if it is
// neither.
template <typename Go>
void ChangeBytes(const std::string& carried, const Go& go) {
  const auto attempt = [&](const std::string& bytes) {
    try {
      go(bytes);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  ASSERT_TRUE(attempt(carried));
  for (std::size_t size = 0; size < carried.size(); ++size) {
    EXPECT_FALSE(attempt(carried.substr(0, size))) << size << " bytes";
  }
  EXPECT_FALSE(attempt(carried + '\0'));
  Random random(1);
  for (int n = 0; n < 1000; ++n) {
    std::string bytes = carried;
    const auto changes = 1 + random.Below(3);
    for (std::uint64_t k = 0; k < changes; ++k) {
      // Half of them where integers are.
      const auto limit = n % 2 == 0 ? bytes.size() : std::min<std::size_t>(80, bytes.size());
      bytes[random.Below(limit)] ^= static_cast<char>(1U << random.Below(8));
    }
    attempt(bytes);
  }
}

template <typename T>
void ChangeBytes(const StackProblem& problem) {
  Chunks<T> chunks(problem);
  NondeterministicStack<T> stack(problem.spec, problem.steps);
  chunks.Start(stack);
  const auto go_on = [&](int from) {
    return [&, from](const std::string& bytes) {
      NondeterministicStack<T> other(problem.spec, problem.steps);
      other.RestoreCarried(bytes);
      chunks.Run(other, from, from + 3, /*backward=*/from > 0);
    };
  };
  ChangeBytes(stack.Carried(), go_on(0));
  chunks.Run(stack, 0, 4);
  ChangeBytes(stack.Carried(), go_on(4));
  chunks.Run(stack, 4, 9);
  ChangeBytes(stack.Carried(), go_on(9));
}

TEST(CarriedStackChanged, IsRefusedOrGoesOn) {
  for (NondeterministicStackSpec spec : Variants(2, 1)) {
    if (spec.vector_size == 3) continue;
    ChangeBytes<float>({spec, 12, 3, 0, 2});
    ChangeBytes<double>({spec, 12, 3, 0, 2});
    if (spec.window == 3) ChangeBytes<float>({spec, 12, 100, 0, 2});
  }
}

TEST(CarriedStackChanged, NumbersOutOfRangeAreRefused) {
  const NondeterministicStackSpec spec{2, 1, 0, 4};
  Chunks<float> chunks({spec, 9});
  NondeterministicStack<float> stack(spec, 9);
  chunks.Start(stack);
  chunks.Run(stack, 0, 9);
  const std::string carried = stack.Carried();
  const std::size_t alphas = 9 * sizeof(std::int64_t);
  const std::size_t shares = alphas + 2 * sizeof(double);
  for (double value : {std::nan(""), 0.1, std::numeric_limits<double>::infinity()}) {
    std::string bytes = carried;
    std::memcpy(bytes.data() + alphas, &value, sizeof(value));
    EXPECT_THROW(stack.RestoreCarried(bytes), Error) << value;
  }
  for (float value : {std::nanf(""), -0.1F, 1.1F}) {
    for (std::size_t at = shares; at < carried.size(); at += sizeof(float)) {
      std::string bytes = carried;
      std::memcpy(bytes.data() + at, &value, sizeof(value));
      EXPECT_THROW(stack.RestoreCarried(bytes), Error) << value << " at " << at;
    }
  }
  for (std::int64_t time : {-1L, std::numeric_limits<std::int64_t>::max(), 1L << 61, 1L}) {
    std::string bytes = carried;
    std::memcpy(bytes.data() + 8 * sizeof(time), &time, sizeof(time));
    EXPECT_THROW(stack.RestoreCarried(bytes), Error) << time;
  }
}

// --- Superposition stacks.

template <typename T>
struct SuperpositionChunks {
  explicit SuperpositionChunks(const SuperpositionStackSpec& stack_spec, int steps)
      : spec(stack_spec) {
    const auto count = static_cast<std::size_t>(steps);
    const auto size = static_cast<std::size_t>(spec.reading_size());
    actions = As<T>(UniformValues(1, count * static_cast<std::size_t>(spec.actions_size()), 0, 1));
    vectors = As<T>(UniformValues(2, count * size, -1, 1));
    coefficients = As<T>(UniformValues(3, (count + 1) * size, -1, 1));
    readings.resize(coefficients.size());
    action_gradients.resize(actions.size());
    vector_gradients.resize(vectors.size());
  }

  void Run(SuperpositionStack<T>& stack, int begin, int end, bool backward = true) {
    const int size = spec.reading_size();
    for (int t = begin; t < end; ++t) {
      stack.Step(actions.data() + t * spec.actions_size(), vectors.data() + t * size,
                 readings.data() + (t + 1) * size);
    }
    for (int t = end - 1; backward && t >= begin; --t) {
      stack.BackwardStep(coefficients.data() + (t + 1) * size,
                         action_gradients.data() + t * spec.actions_size(),
                         vector_gradients.data() + t * size);
    }
    stack.Carry();
  }

  SuperpositionStackSpec spec;
  std::vector<T> actions;
  std::vector<T> vectors;
  std::vector<T> coefficients;
  std::vector<T> readings;
  std::vector<T> action_gradients;
  std::vector<T> vector_gradients;
};

template <typename T>
void ExpectNothingLost(const SuperpositionStackSpec& spec, int steps, int chunk) {
  SuperpositionChunks<T> whole(spec, steps);
  const int max_steps = spec.depth_limit > 0 ? chunk : steps;
  SuperpositionStack<T> stack(spec, max_steps);
  stack.Start(whole.readings.data());
  std::vector<std::string> carried = {stack.Carried()};
  for (int begin = 0; begin < steps; begin += chunk) {
    whole.Run(stack, begin, std::min(begin + chunk, steps));
    carried.push_back(stack.Carried());
  }
  SuperpositionStack<T> used(spec, max_steps + 2);
  SuperpositionChunks<T> before(spec, steps);
  used.Start(before.readings.data());
  before.Run(used, 0, std::min(chunk, steps));
  SuperpositionStack<T> forward_only(spec, max_steps, /*gradients=*/false);
  for (std::size_t n = 0; n < carried.size(); ++n) {
    SuperpositionChunks<T> rest = whole;
    SuperpositionChunks<T> forward = whole;
    used.RestoreCarried(carried[n]);
    forward_only.RestoreCarried(carried[n]);
    for (int begin = static_cast<int>(n) * chunk; begin < steps; begin += chunk) {
      rest.Run(used, begin, std::min(begin + chunk, steps));
      forward.Run(forward_only, begin, std::min(begin + chunk, steps), /*backward=*/false);
    }
    EXPECT_EQ(used.Carried(), carried.back());
    EXPECT_EQ(forward_only.Carried(), carried.back());
    EXPECT_TRUE(SameBits(rest.readings, whole.readings)) << StackName(spec) << " chunk " << n;
    EXPECT_TRUE(SameBits(forward.readings, whole.readings)) << StackName(spec) << " chunk " << n;
    EXPECT_TRUE(SameBits(rest.action_gradients, whole.action_gradients))
        << StackName(spec) << " chunk " << n;
    EXPECT_TRUE(SameBits(rest.vector_gradients, whole.vector_gradients))
        << StackName(spec) << " chunk " << n;
  }
}

TEST(CarriedSuperposition, GoesOnAsIfItHadNotBeenInterrupted) {
  for (const std::vector<int>& sizes : {std::vector{1}, std::vector{3}, std::vector{2, 17, 5}}) {
    for (int depth_limit : {0, 1, 2, 10}) {
      for (int chunk : {1, 4, 7}) {
        ExpectNothingLost<float>({sizes, depth_limit}, 15, chunk);
        ExpectNothingLost<double>({sizes, depth_limit}, 15, chunk);
      }
    }
  }
}

TEST(CarriedSuperposition, MisuseIsRefused) {
  const SuperpositionStackSpec spec{{2, 1}, 4};
  SuperpositionChunks<float> chunks(spec, 8);
  SuperpositionStack<float> stack(spec, 8);
  stack.Start(chunks.readings.data());
  stack.Step(chunks.actions.data(), chunks.vectors.data(), chunks.readings.data());
  EXPECT_THROW(stack.Carried(), Error) << "within a chunk";
  stack.Carry();
  const std::string carried = stack.Carried();
  for (const SuperpositionStackSpec& other :
       {SuperpositionStackSpec{{2, 1}, 5}, SuperpositionStackSpec{{1, 2}, 4},
        SuperpositionStackSpec{{2, 1, 1}, 4}, SuperpositionStackSpec{{2, 1}, 0}}) {
    EXPECT_THROW(SuperpositionStack<float>(other, 8).RestoreCarried(carried), Error);
  }
  EXPECT_THROW(SuperpositionStack<double>(spec, 8).RestoreCarried(carried), Error);
  EXPECT_THROW(NondeterministicStack<float>({2, 2}, 8).RestoreCarried(carried), Error);

  const SuperpositionStackSpec unlimited{{2, 1}, 0};
  SuperpositionStack<float> long_stack(unlimited, 8);
  long_stack.Start(chunks.readings.data());
  chunks.Run(long_stack, 0, 8);
  SuperpositionStack<float> too_short(unlimited, 7);
  EXPECT_THROW(too_short.RestoreCarried(long_stack.Carried()), Error);
}

TEST(CarriedSuperposition, ChangedBytesAreRefusedOrGoOn) {
  for (int depth_limit : {0, 3}) {
    const SuperpositionStackSpec spec{{2, 1}, depth_limit};
    SuperpositionChunks<float> chunks(spec, 8);
    SuperpositionStack<float> stack(spec, 8);
    stack.Start(chunks.readings.data());
    chunks.Run(stack, 0, 5);
    ChangeBytes(stack.Carried(), [&](const std::string& bytes) {
      SuperpositionStack<float> other(spec, 8);
      other.RestoreCarried(bytes);
      chunks.Run(other, 5, 8);
    });
  }
}

}  // namespace
}  // namespace pushdown
