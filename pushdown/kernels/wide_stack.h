#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "pushdown/kernels/nondeterministic_stack.h"

namespace pushdown {

// The weights of the bottom vector in the paper's code may be of any size, beyond all others.
template <typename T>
bool StartsWide(const NondeterministicStackSpec& spec) {
  return std::is_same_v<T, float> && spec.initial_vector == InitialVector::kPaperCode;
}

// The same stack in double, and what crosses over to it and back.
template <typename T>
struct NondeterministicStack<T>::Wide {
  Wide(const NondeterministicStackSpec& spec, int max_steps, bool gradients)
      : stack(spec, max_steps, gradients),
        logits(static_cast<std::size_t>(spec.logits_size())),
        vector(static_cast<std::size_t>(spec.vector_size)),
        reading(static_cast<std::size_t>(spec.reading_size())) {}

  static const double* In(const T* values, std::vector<double>& buffer) {
    std::copy_n(values, buffer.size(), buffer.begin());
    return buffer.data();
  }
  static void Out(const std::vector<double>& buffer, T* values) {
    std::transform(buffer.begin(), buffer.end(), values,
                   [](double value) { return static_cast<T>(value); });
  }

  NondeterministicStack<double> stack;
  std::vector<double> logits;
  std::vector<double> vector;
  std::vector<double> reading;
};

}  // namespace pushdown
