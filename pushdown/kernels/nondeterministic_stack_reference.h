#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/stack_spec.h"

// The recurrences of the paper as they are written there, in log space and float64: slow, and
// meant to be compared with. N is double, or std::complex<double> for derivatives: with an
// imaginary step of 1e-50 on one input, the imaginary parts of the readings divided by 1e-50 are
// their derivatives, free of cancellation.

namespace pushdown {

namespace internal {

// The number sign * exp(log_abs). Zero is sign = 0 and takes no part in arithmetic, so that no
// infinity ever meets a subtraction or a complex product, where it would become NaN.
template <typename N>
struct LogNumber {
  N log_abs{};
  int sign = 0;

  static LogNumber One() { return {N(0), 1}; }

  static LogNumber FromLog(N log) {
    if (std::real(log) == -std::numeric_limits<double>::infinity()) return {};
    return {log, 1};
  }

  // A complex value with a real part of zero is not zero: it carries a derivative, in a logarithm
  // with an imaginary part of +-pi/2.
  static LogNumber FromValue(N value) {
    if (value == N(0)) return {};
    if (std::real(value) < 0) return {std::log(-value), -1};
    return {std::log(value), 1};
  }

  N Value() const {
    if (sign == 0) return N(0);
    return sign < 0 ? -std::exp(log_abs) : std::exp(log_abs);
  }

  friend LogNumber operator*(const LogNumber& a, const LogNumber& b) {
    if (a.sign == 0 || b.sign == 0) return {};
    return {a.log_abs + b.log_abs, a.sign * b.sign};
  }

  // The divisor is not zero.
  friend LogNumber operator/(const LogNumber& a, const LogNumber& b) {
    if (a.sign == 0) return {};
    return {a.log_abs - b.log_abs, a.sign * b.sign};
  }
};

// A sum kept relative to its largest term so far: log-sum-exp in one pass. Terms of opposite sign
// cancel as exactly as they would in floating point without logarithms.
template <typename N>
class LogSum {
 public:
  LogSum& operator+=(const LogNumber<N>& term) {
    if (term.sign == 0) return *this;
    const double level = std::real(term.log_abs);
    if (level > level_) {
      scaled_ *= std::exp(level_ - level);
      level_ = level;
    }
    const N scaled_term = std::exp(term.log_abs - level_);
    if (term.sign < 0) {
      scaled_ -= scaled_term;
    } else {
      scaled_ += scaled_term;
    }
    return *this;
  }

  LogNumber<N> Total() const {
    LogNumber<N> total = LogNumber<N>::FromValue(scaled_);
    if (total.sign != 0) total.log_abs += level_;
    return total;
  }

 private:
  double level_ = -std::numeric_limits<double>::infinity();
  N scaled_{};
};

// gamma or one component of zeta: [i -> t][q,x -> r,y] for -1 <= i < t <= steps, zero until set.
template <typename N>
class InnerWeights {
 public:
  InnerWeights(int steps, int pairs)
      : pairs_(static_cast<std::size_t>(pairs)), weights_(ColumnOffset(steps + 1)) {}

  LogNumber<N>& operator()(int i, int t, int qx, int ry) { return weights_[Index(i, t, qx, ry)]; }
  const LogNumber<N>& operator()(int i, int t, int qx, int ry) const {
    return weights_[Index(i, t, qx, ry)];
  }

 private:
  // Column t has the t + 1 rows i = -1 .. t - 1.
  std::size_t ColumnOffset(int t) const {
    const std::size_t column = static_cast<std::size_t>(t);
    return column * (column + 1) / 2 * pairs_ * pairs_;
  }
  std::size_t Index(int i, int t, int qx, int ry) const {
    const std::size_t row = static_cast<std::size_t>(i + 1);
    return ColumnOffset(t) + (row * pairs_ + static_cast<std::size_t>(qx)) * pairs_ +
           static_cast<std::size_t>(ry);
  }

  std::size_t pairs_;
  std::vector<LogNumber<N>> weights_;
};

template <typename N>
class ReferenceStack {
 public:
  ReferenceStack(const NondeterministicStackSpec& spec, int steps, const std::vector<N>& logits,
                 const std::vector<N>& vectors, const std::vector<N>& bottom_vector)
      : spec_(spec),
        logits_(logits),
        vectors_(vectors),
        bottom_vector_(bottom_vector),
        gamma_(steps, spec.pairs()),
        gamma_prime_(static_cast<std::size_t>(steps) * spec.pairs() * spec.states),
        zeta_(static_cast<std::size_t>(spec.vector_size), InnerWeights<N>(steps, spec.pairs())),
        alpha_(static_cast<std::size_t>(steps + 2) * spec.pairs()) {
    Initialize();
  }

  // Column t of gamma and zeta, and alpha[t]; columns 0 .. t - 1 must be there already.
  void Advance(int t) {
    ComputeGammaPrime(t);
    for (int i = FirstRow(t); i < t; ++i) {
      ComputeInnerWeights(i, t, LogNumber<N>::One(), gamma_);
      for (int j = 0; j < spec_.vector_size; ++j) {
        const N component = vectors_[static_cast<std::size_t>(t - 1) * spec_.vector_size + j];
        ComputeInnerWeights(i, t, LogNumber<N>::FromValue(component), zeta_[j]);
      }
    }
    for (int ry = 0; ry < spec_.pairs(); ++ry) Alpha(t, ry) = SumOverRows(t, ry, gamma_);
  }

  // The weight of all runs of length t.
  LogNumber<N> Total(int t) const {
    LogSum<N> sum;
    for (int ry = 0; ry < spec_.pairs(); ++ry) sum += Alpha(t, ry);
    return sum.Total();
  }

  // r_t, appended: equation rns-rnn-reading or vrns-reading.
  void AppendReading(int t, std::vector<N>& readings) const {
    const LogNumber<N> total = Total(t);
    if (total.sign == 0) {
      throw Error("pushdown::ReferenceReadings",
                  "no run of the automaton survives step " + std::to_string(t));
    }
    for (int ry = 0; ry < spec_.pairs(); ++ry) {
      if (spec_.vector_size == 0) readings.push_back((Alpha(t, ry) / total).Value());
      for (int j = 0; j < spec_.vector_size; ++j) {
        readings.push_back((Eta(t, ry, j) / total).Value());
      }
    }
  }

 private:
  // (q_0, bottom) and every (state, symbol), as they are numbered in NondeterministicStackSpec.
  static constexpr int kInitialPair = 0;
  int Pair(int state, int symbol) const { return state * spec_.symbols + symbol; }

  // Delta[t][q,x -> r,xy], Delta[t][s,z -> r,y] and Delta[t][s,z -> r,epsilon].
  LogNumber<N> Push(int t, int qx, int ry) const { return Delta(t, qx, ry); }
  LogNumber<N> Replace(int t, int sz, int ry) const { return Delta(t, sz, spec_.pairs() + ry); }
  LogNumber<N> Pop(int t, int sz, int r) const { return Delta(t, sz, 2 * spec_.pairs() + r); }
  LogNumber<N> Delta(int t, int from, int operation) const {
    const std::size_t step = static_cast<std::size_t>(t - 1);
    return LogNumber<N>::FromLog(
        logits_[(step * spec_.pairs() + from) * spec_.logits_per_pair() + operation]);
  }

  LogNumber<N>& GammaPrime(int k, int uy, int r) {
    return gamma_prime_[(static_cast<std::size_t>(k) * spec_.pairs() + uy) * spec_.states + r];
  }
  LogNumber<N>& Alpha(int t, int ry) {
    return alpha_[static_cast<std::size_t>(t + 1) * spec_.pairs() + ry];
  }
  const LogNumber<N>& Alpha(int t, int ry) const {
    return alpha_[static_cast<std::size_t>(t + 1) * spec_.pairs() + ry];
  }

  // The oldest row i of column t that the equations and the window leave.
  int FirstRow(int t) const {
    const int first = spec_.bottom == Bottom::kOld ? 0 : -1;
    return spec_.window > 0 && t - spec_.window > first ? t - spec_.window : first;
  }

  void Initialize() {
    // Equation rns-rnn-alpha-init; there is no row -1.
    if (spec_.bottom == Bottom::kOld) {
      Alpha(0, kInitialPair) = LogNumber<N>::One();
      return;
    }
    // Equations new-rns-rnn-alpha-init, new-rns-rnn-gamma-init and vrns-zeta-bottom.
    Alpha(-1, kInitialPair) = LogNumber<N>::One();
    gamma_(-1, 0, kInitialPair, kInitialPair) = LogNumber<N>::One();
    for (int j = 0; j < spec_.vector_size; ++j) {
      const LogNumber<N> component = LogNumber<N>::FromValue(bottom_vector_[j]);
      zeta_[j](-1, 0, kInitialPair, kInitialPair) = component;
      if (spec_.initial_vector == InitialVector::kPaperCode) {
        for (int qx = 0; qx < spec_.pairs(); ++qx) {
          for (int ry = 0; ry < spec_.pairs(); ++ry) zeta_[j](-1, 0, qx, ry) = component;
        }
      }
    }
    for (int ry = 0; ry < spec_.pairs(); ++ry) Alpha(0, ry) = SumOverRows(0, ry, gamma_);
  }

  // Equation new-rns-rnn-gamma-prime. It is needed only above the oldest row of column t.
  void ComputeGammaPrime(int t) {
    for (int k = FirstRow(t) + 1; k <= t - 2; ++k) {
      for (int uy = 0; uy < spec_.pairs(); ++uy) {
        for (int r = 0; r < spec_.states; ++r) {
          LogSum<N> sum;
          for (int sz = 0; sz < spec_.pairs(); ++sz) {
            sum += gamma_(k, t - 1, uy, sz) * Pop(t, sz, r);
          }
          GammaPrime(k, uy, r) = sum.Total();
        }
      }
    }
  }

  // Equations new-rns-rnn-gamma and vrns-zeta, which differ only in what is pushed: 1, or a
  // component of v_t.
  void ComputeInnerWeights(int i, int t, const LogNumber<N>& pushed, InnerWeights<N>& inner) {
    for (int qx = 0; qx < spec_.pairs(); ++qx) {
      for (int r = 0; r < spec_.states; ++r) {
        for (int y = 0; y < spec_.symbols; ++y) {
          const int ry = Pair(r, y);
          LogSum<N> sum;
          if (i == t - 1) {
            sum += Push(t, qx, ry) * pushed;
          } else {
            for (int sz = 0; sz < spec_.pairs(); ++sz) {
              sum += inner(i, t - 1, qx, sz) * Replace(t, sz, ry);
            }
          }
          for (int k = i + 1; k <= t - 2; ++k) {
            for (int u = 0; u < spec_.states; ++u) {
              sum += inner(i, k, qx, Pair(u, y)) * GammaPrime(k, Pair(u, y), r);
            }
          }
          inner(i, t, qx, ry) = sum.Total();
        }
      }
    }
  }

  // Equation new-rns-rnn-alpha (rns-rnn-alpha for the old bottom), and eta of equation
  // vrns-reading.
  LogNumber<N> SumOverRows(int t, int ry, const InnerWeights<N>& inner) const {
    LogSum<N> sum;
    for (int i = FirstRow(t); i < t; ++i) {
      for (int qx = 0; qx < spec_.pairs(); ++qx) sum += Alpha(i, qx) * inner(i, t, qx, ry);
    }
    return sum.Total();
  }

  LogNumber<N> Eta(int t, int ry, int j) const {
    // The original equations have no push of the initial element, hence no zeta for it; it is on
    // top at t = 0 only.
    if (spec_.bottom == Bottom::kOld && t == 0) {
      return Alpha(0, ry) * LogNumber<N>::FromValue(bottom_vector_[j]);
    }
    return SumOverRows(t, ry, zeta_[j]);
  }

  const NondeterministicStackSpec& spec_;
  const std::vector<N>& logits_;
  const std::vector<N>& vectors_;
  const std::vector<N>& bottom_vector_;
  InnerWeights<N> gamma_;
  std::vector<LogNumber<N>> gamma_prime_;  // of the current column: [k][u,y -> r]
  std::vector<InnerWeights<N>> zeta_;      // [m]
  std::vector<LogNumber<N>> alpha_;        // [t + 1][r,y]
};

inline void CheckReferenceSize(const char* name, std::size_t size, std::size_t expected) {
  if (size == expected) return;
  throw Error("pushdown::ReferenceReadings", std::string(name) + " has " + std::to_string(size) +
                                                 " values where " + std::to_string(expected) +
                                                 " are expected");
}

}  // namespace internal

// The readings r_0 .. r_T of a nondeterministic stack. Logits are finite, or -infinity for a
// weight of zero. Throws Error if no run survives some step.
template <typename N>
std::vector<N> ReferenceReadings(  // returns [T + 1, reading_size]
    const NondeterministicStackSpec& spec, int steps,
    const std::vector<N>& logits,           // [T, q,x, push (r,y) | replace (r,y) | pop r]
    const std::vector<N>& vectors,          // [T, m], v_1 .. v_T
    const std::vector<N>& bottom_vector) {  // [m], v_0
  const std::size_t step_count = static_cast<std::size_t>(steps);
  internal::CheckReferenceSize("logits", logits.size(), step_count * spec.logits_size());
  internal::CheckReferenceSize("vectors", vectors.size(), step_count * spec.vector_size);
  internal::CheckReferenceSize("bottom_vector", bottom_vector.size(), spec.vector_size);
  if (spec.initial_vector == InitialVector::kPaperCode && spec.bottom == Bottom::kOld) {
    throw Error("pushdown::ReferenceReadings",
                "the initial vector of the paper's code needs the "
                "fixed bottom");
  }

  std::vector<N> readings;
  readings.reserve((step_count + 1) * spec.reading_size());
  internal::ReferenceStack<N> stack(spec, steps, logits, vectors, bottom_vector);
  stack.AppendReading(0, readings);
  for (int t = 1; t <= steps; ++t) {
    stack.Advance(t);
    stack.AppendReading(t, readings);
  }
  return readings;
}

}  // namespace pushdown
