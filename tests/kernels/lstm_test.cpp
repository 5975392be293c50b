// One step of an LSTM against its equations in double.

#include "pushdown/kernels/lstm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "pushdown/kernels/denormals.h"
#include "pushdown/random.h"
#include "tests/kernels/simd_targets.h"

namespace pushdown {
namespace {

// How far gates are read beyond their padding.
constexpr std::size_t kBeyond = 16;

class Lstm : public testing_oracle::WithSimdTarget {};
INSTANTIATE_TEST_SUITE_P(AllTargets, Lstm, testing::ValuesIn(AvailableSimdTargets()));

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

template <typename T>
std::vector<T> Padded(int size) {
  return std::vector<T>(static_cast<std::size_t>(AffineMatrix<T>::Stride(size)));
}

// One step with `rows` numbers of state, the last of which is 1.
template <typename T>
struct Step {
  Step(int unit_count, int rows, double bound)
      : units(unit_count),
        weights(rows, 4 * units),
        state(static_cast<std::size_t>(rows)),
        initial(Padded<T>(4 * units)),
        earlier_cell(Padded<T>(units)),
        gates(Padded<T>(4 * units).size() + kBeyond),
        cell(Padded<T>(units)),
        tanh_cell(Padded<T>(units)),
        hidden(Padded<T>(units + 1).size(), T{1}) {
    Random random(static_cast<std::uint64_t>(1000 * rows + units));
    const auto fill = [&](T* values, int size) {
      for (int n = 0; n < size; ++n) values[n] = static_cast<T>(random.Uniform(-bound, bound));
    };
    for (int row = 0; row < rows; ++row) fill(weights.row(row), 4 * units);
    fill(state.data(), rows);
    state.back() = 1;
    fill(initial.data(), 4 * units);
    fill(earlier_cell.data(), units);
  }
  void Forward() {
    LstmForward(units, weights, state.data(), initial.data(), earlier_cell.data(), gates.data(),
                cell.data(), tanh_cell.data(), hidden.data());
  }
  double Product(int column) const {
    auto sum = static_cast<double>(initial[static_cast<std::size_t>(column)]);
    for (std::size_t row = 0; row < state.size(); ++row) {
      sum += static_cast<double>(state[row]) *
             static_cast<double>(weights.row(static_cast<int>(row))[column]);
    }
    return sum;
  }

  int units;
  AffineMatrix<T> weights;
  std::vector<T> state;
  std::vector<T> initial;
  std::vector<T> earlier_cell;
  std::vector<T> gates;
  std::vector<T> cell;
  std::vector<T> tanh_cell;
  std::vector<T> hidden;
};

template <typename T>
void CheckStep(int units, int rows) {
  Step<T> step(units, rows, 1);
  step.Forward();
  const double tolerance = 4 * (rows + 2) * static_cast<double>(std::numeric_limits<T>::epsilon());

  // The gradients by hidden state and cell are given; the cell is also in the hidden state.
  std::vector<T> hidden_gradient = Padded<T>(units);
  std::vector<T> cell_gradient = Padded<T>(units);
  std::vector<T> gate_gradient = Padded<T>(4 * units);
  std::vector<T> state_gradient(static_cast<std::size_t>(rows), T{1});
  for (int n = 0; n < units; ++n) {
    hidden_gradient[static_cast<std::size_t>(n)] = static_cast<T>(std::cos(n));
    cell_gradient[static_cast<std::size_t>(n)] = static_cast<T>(std::sin(n));
  }
  LstmBackward(units, step.weights, step.gates.data(), step.earlier_cell.data(),
               step.tanh_cell.data(), hidden_gradient.data(), cell_gradient.data(),
               gate_gradient.data(), state_gradient.data());

  std::vector<double> expected_state_gradient(static_cast<std::size_t>(rows), 1);
  for (int n = 0; n < units; ++n) {
    SCOPED_TRACE(testing::Message() << units << " units, " << rows << " rows, unit " << n);
    const auto u = static_cast<std::size_t>(n);
    const double i = Sigmoid(step.Product(n));
    const double f = Sigmoid(step.Product(units + n));
    const double g = std::tanh(step.Product(2 * units + n));
    const double o = Sigmoid(step.Product(3 * units + n));
    const auto earlier = static_cast<double>(step.earlier_cell[u]);
    const double c = f * earlier + i * g;
    ASSERT_NEAR(step.cell[u], c, tolerance);
    ASSERT_NEAR(step.hidden[u], o * std::tanh(c), tolerance);
    const double dh = std::cos(n);
    const double dc = std::sin(n) + dh * o * (1 - std::tanh(c) * std::tanh(c));
    ASSERT_NEAR(cell_gradient[u], dc * f, 2 * tolerance);
    const double expected[4] = {dc * g * i * (1 - i), dc * earlier * f * (1 - f),
                                dc * i * (1 - g * g), dh * std::tanh(c) * o * (1 - o)};
    for (int gate = 0; gate < 4; ++gate) {
      const int column = gate * units + n;
      ASSERT_NEAR(gate_gradient[static_cast<std::size_t>(column)], expected[gate], 2 * tolerance);
      for (int row = 0; row + 1 < rows; ++row) {
        expected_state_gradient[static_cast<std::size_t>(row)] +=
            expected[gate] * static_cast<double>(step.weights.row(row)[column]);
      }
    }
  }
  EXPECT_EQ(step.hidden[static_cast<std::size_t>(units)], T{1}) << "for the bias of the next step";
  for (std::size_t n = static_cast<std::size_t>(4 * units); n < gate_gradient.size(); ++n) {
    ASSERT_EQ(gate_gradient[n], T{0}) << "beyond " << units << " units";
  }
  for (int row = 0; row < rows; ++row) {
    const auto n = static_cast<std::size_t>(row);
    ASSERT_NEAR(state_gradient[n], expected_state_gradient[n], 4 * units * tolerance)
        << units << " units, row " << row << " of " << rows;
  }
}

TEST_P(Lstm, StepAndGradientsAtEverySize) {
  for (int units = 1; units <= 70; ++units) {
    CheckStep<float>(units, units + 1 + units % 5);
    CheckStep<double>(units, units + 1 + units % 5);
  }
}

// One unit whose gates are functions of `initial` alone.
template <typename T>
Step<T> WithGates(T i, T f, T g, T o) {
  Step<T> step(1, 1, 0);
  std::copy_n(std::vector<T>{i, f, g, o}.data(), 4, step.initial.data());
  step.Forward();
  return step;
}

template <typename T>
void CheckAccuracy() {
  const double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
  for (double size = 1e-30; size < 60; size *= 1.07) {
    for (double sign : {-1.0, 1.0}) {
      const T x = static_cast<T>(sign * size);
      const auto exact = static_cast<double>(x);
      const Step<T> step = WithGates<T>(x, x, x, x);
      const double sigmoid = Sigmoid(exact);
      const double tanh = std::tanh(exact);
      ASSERT_NEAR(step.gates[0], sigmoid, 3 * epsilon * sigmoid) << x;
      ASSERT_NEAR(step.gates[1], sigmoid, 3 * epsilon * sigmoid) << x;
      ASSERT_NEAR(step.gates[2], tanh, 3 * epsilon * std::abs(tanh)) << x;
      ASSERT_NEAR(step.gates[3], sigmoid, 3 * epsilon * sigmoid) << x;
      const double tanh_cell = std::tanh(static_cast<double>(step.cell[0]));
      ASSERT_NEAR(step.tanh_cell[0], tanh_cell, 3 * epsilon * std::abs(tanh_cell)) << x;
    }
  }
}

TEST_P(Lstm, GatesAreAccurateRelatively) {
  CheckAccuracy<float>();
  CheckAccuracy<double>();
}

template <typename T>
void CheckLimits() {
  const T infinity = std::numeric_limits<T>::infinity();
  for (T large : {T{1000}, infinity}) {
    const Step<T> open = WithGates<T>(large, large, large, large);
    for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(open.gates[n], T{1}) << n;
    const Step<T> closed = WithGates<T>(-large, -large, -large, -large);
    for (std::size_t n : {0u, 1u, 3u}) EXPECT_NEAR(closed.gates[n], 0, 1e-38) << n;
    EXPECT_EQ(closed.gates[2], T{-1});
  }
  const T nan = std::numeric_limits<T>::quiet_NaN();
  for (std::size_t place = 0; place < 4; ++place) {
    T arguments[4] = {1, 1, 1, 1};
    arguments[place] = nan;
    const Step<T> step = WithGates<T>(arguments[0], arguments[1], arguments[2], arguments[3]);
    for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(std::isnan(step.gates[n]), n == place) << n;
    EXPECT_TRUE(std::isnan(step.hidden[0])) << place;
  }
}

// Where denormal numbers count as zero, as they do in networks, gates can be shut and open without
// any rest: networks that are constructed, not trained, depend on it.
template <typename T>
void CheckExactGates() {
  const FlushDenormals flush;
  const T infinity = std::numeric_limits<T>::infinity();
  constexpr bool kDouble = sizeof(T) == 8;
  for (T large : {T{kDouble ? 709.5 : 88}, T{710}, T{1000}, T{1e30F}, infinity}) {
    const Step<T> open = WithGates<T>(large, large, large, large);
    for (std::size_t n = 0; n < 4; ++n) EXPECT_EQ(open.gates[n], T{1}) << large << " gate " << n;
    const Step<T> closed = WithGates<T>(-large, -large, -large, -large);
    for (std::size_t n : {0u, 1u, 3u}) EXPECT_EQ(closed.gates[n], T{0}) << large << " gate " << n;
    EXPECT_EQ(closed.gates[2], T{-1}) << large;
    EXPECT_EQ(closed.cell[0], T{0});
    EXPECT_EQ(closed.hidden[0], T{0});
    // As biases, beside weights.
    Step<T> step(5, 3, 1);
    for (int n = 0; n < 20; ++n) step.weights.row(2)[n] = n % 2 == 0 ? large : -large;
    step.Forward();
    for (int n = 0; n < 20; ++n) {
      const T shut = n / 5 == 2 ? T{-1} : T{0};
      EXPECT_EQ(step.gates[static_cast<std::size_t>(n)], n % 2 == 0 ? T{1} : shut)
          << large << " column " << n;
    }
  }
  EXPECT_EQ(WithGates<T>(40, 40, 40, 40).gates[0], T{1});
  // Up to there, sigmoids have all their digits, and small hyperbolic tangents too.
  for (double x = kDouble ? -708 : -87; x < -20; x += 0.37) {
    const T gate = static_cast<T>(x);
    const double expected = Sigmoid(static_cast<double>(gate));
    EXPECT_NEAR(WithGates<T>(gate, 0, 0, 0).gates[0], expected,
                4 * static_cast<double>(std::numeric_limits<T>::epsilon()) * expected)
        << x;
  }
  const T tiny = static_cast<T>(kDouble ? 1e-300 : 1e-36);
  EXPECT_NEAR(WithGates<T>(0, 0, tiny, 0).gates[2] / tiny, 1,
              2 * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

TEST_P(Lstm, GatesAreExactAtTheirLimits) {
  CheckExactGates<float>();
  CheckExactGates<double>();
}

TEST_P(Lstm, GatesHaveTheirLimitsAndKeepNan) {
  CheckLimits<float>();
  CheckLimits<double>();
}

}  // namespace
}  // namespace pushdown
