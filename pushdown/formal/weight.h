#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace pushdown {

// A number >= 0 with the precision of a double and a practically unlimited range: the probability
// of a string of 500 symbols is often below 1e-308. These numbers, with + and *, are the semiring
// of the formal languages. Sums and products take a few instructions, and unlike logarithms of
// small numbers they lose no digits.
class Weight {
 public:
  constexpr Weight() = default;  // zero
  // value must be finite and >= 0.
  constexpr Weight(double value) {  // NOLINT(google-explicit-constructor): a number like others
    if (value > 0) {
      mantissa_ = value;
      exponent_ = 0;
      Normalize();
    }
  }

  bool IsZero() const { return mantissa_ == 0; }
  explicit operator bool() const { return !IsZero(); }
  // Beyond the range of double: 0 or infinity.
  double ToDouble() const {
    if (exponent_ == 0) return mantissa_;
    if (exponent_ > 3) return std::numeric_limits<double>::infinity();
    return exponent_ < -3 ? 0.0 : std::ldexp(mantissa_, static_cast<int>(exponent_) * kDigitBits);
  }
  // -infinity for zero.
  double Log() const {
    constexpr double kLogDigit = kDigitBits * 0.693147180559945309417;
    return IsZero() ? -std::numeric_limits<double>::infinity()
                    : std::log(mantissa_) + static_cast<double>(exponent_) * kLogDigit;
  }

  Weight& operator*=(const Weight& other) {
    mantissa_ *= other.mantissa_;
    exponent_ += other.exponent_;
    Normalize();
    return *this;
  }
  // other must not be zero.
  Weight& operator/=(const Weight& other) {
    mantissa_ /= other.mantissa_;
    exponent_ -= other.exponent_;
    Normalize();
    return *this;
  }
  Weight& operator+=(const Weight& other) {
    if (exponent_ == other.exponent_) {
      mantissa_ += other.mantissa_;
      Normalize();
    } else if (exponent_ == other.exponent_ + 1) {
      mantissa_ += other.mantissa_ * kInverseDigit;
    } else if (exponent_ + 1 == other.exponent_) {
      mantissa_ = other.mantissa_ + mantissa_ * kInverseDigit;
      exponent_ = other.exponent_;
    } else if (exponent_ < other.exponent_) {
      *this = other;
    }  // else other is less than 2^-512 times this
    return *this;
  }
  // Zero if other is larger: then the difference is one of rounding.
  Weight& operator-=(const Weight& other) {
    if (exponent_ == other.exponent_) {
      mantissa_ = mantissa_ > other.mantissa_ ? mantissa_ - other.mantissa_ : 0.0;
      Normalize();
    } else if (exponent_ == other.exponent_ + 1) {
      mantissa_ -= other.mantissa_ * kInverseDigit;
      Normalize();
    } else if (exponent_ < other.exponent_) {
      *this = Weight();
    }
    return *this;
  }

  friend Weight operator*(Weight a, const Weight& b) { return a *= b; }
  friend Weight operator/(Weight a, const Weight& b) { return a /= b; }
  friend Weight operator+(Weight a, const Weight& b) { return a += b; }
  friend Weight operator-(Weight a, const Weight& b) { return a -= b; }
  friend bool operator==(const Weight& a, const Weight& b) = default;
  friend bool operator<(const Weight& a, const Weight& b) {
    return a.exponent_ != b.exponent_ ? a.exponent_ < b.exponent_ : a.mantissa_ < b.mantissa_;
  }

 private:
  // The value is mantissa * 2^(512 exponent), with the mantissa in [2^-256, 2^256): products of
  // mantissas stay in the range of a double, and few of them have to be normalized.
  static constexpr int kDigitBits = 512;
  static constexpr double kDigit = 0x1.0p512;
  static constexpr double kInverseDigit = 0x1.0p-512;
  static constexpr double kLow = 0x1.0p-256;
  static constexpr double kHigh = 0x1.0p256;
  // Zero has the smallest exponent, so that it is the smallest number; products do not overflow.
  static constexpr std::int64_t kZeroExponent = -(std::int64_t{1} << 60);

  constexpr void Normalize() {
    if (mantissa_ == 0) {
      exponent_ = kZeroExponent;
      return;
    }
    // More than one step is needed for the largest and the smallest doubles only.
    while (mantissa_ >= kHigh) {
      mantissa_ *= kInverseDigit;
      ++exponent_;
    }
    while (mantissa_ < kLow) {
      mantissa_ *= kDigit;
      --exponent_;
    }
  }

  double mantissa_ = 0;
  std::int64_t exponent_ = kZeroExponent;
};

}  // namespace pushdown
