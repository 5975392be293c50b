#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pushdown/kernels/nondeterministic_stack_reference.h"
#include "pushdown/kernels/stack_spec.h"
#include "tests/kernels/random_stack.h"
#include "tests/kernels/superposition_dense.h"

namespace pushdown::testing_cli {

using nlohmann::json;

// One sequence, every array flat in the order of the file.
struct SequenceArrays {
  std::vector<std::string> names;
  std::vector<std::vector<double>> arrays;
  std::vector<std::vector<int>> shapes;
};

inline void Flatten(const json& value, std::vector<double>& flat) {
  if (value.is_array()) {
    for (const json& element : value) Flatten(element, flat);
  } else {
    flat.push_back(value.get<double>());
  }
}

inline json Nested(const std::vector<double>& values, const std::vector<int>& shape,
                   std::size_t level, std::size_t& next) {
  if (level == shape.size()) {
    const double value = values[next++];
    return std::isinf(value) ? json("-inf") : json(value);
  }
  json array = json::array();
  for (int n = 0; n < shape[level]; ++n) array.push_back(Nested(values, shape, level + 1, next));
  return array;
}

inline json Nested(const std::vector<double>& values, const std::vector<int>& shape) {
  std::size_t next = 0;
  return Nested(values, shape, 0, next);
}

// Multiples of 1/64, which a float holds exactly, so that both types compute with the same input.
inline std::vector<double> RandomSixtyFourths(std::uint64_t seed, std::size_t count, double low,
                                              double high, double minus_infinity_share = 0) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    value = std::round(random.Uniform(low, high) * 64) / 64;
    const bool drop = random.Uniform(0, 1) < minus_infinity_share;
    if (drop) value = -std::numeric_limits<double>::infinity();
  }
  return values;
}

inline std::size_t Count(const std::vector<int>& shape) {
  std::size_t count = 1;
  for (int size : shape) count *= static_cast<std::size_t>(size);
  return count;
}

inline SequenceArrays RandomSequence(const StackSpec& spec, int steps, std::uint64_t seed) {
  SequenceArrays sequence;
  const auto add = [&](const std::string& name, std::vector<int> shape, double low, double high,
                       double minus_infinity_share = 0) {
    sequence.names.push_back(name);
    sequence.arrays.push_back(
        RandomSixtyFourths(++seed, Count(shape), low, high, minus_infinity_share));
    sequence.shapes.push_back(std::move(shape));
  };
  if (const auto* superposition = std::get_if<SuperpositionStackSpec>(&spec)) {
    add("actions", {steps, superposition->stacks(), 3}, 0, 1);
    add("vectors", {steps, superposition->reading_size()}, -2, 2);
    return sequence;
  }
  const auto& s = std::get<NondeterministicStackSpec>(spec);
  add("push", {steps, s.states, s.symbols, s.states, s.symbols}, -2, 2);  // so that runs survive
  add("replace", {steps, s.states, s.symbols, s.states, s.symbols}, -2, 2, 0.1);
  add("pop", {steps, s.states, s.symbols, s.states}, -2, 2, 0.1);
  if (s.vector_size > 0) {
    add("vectors", {steps, s.vector_size}, -2, 2);
    add("bottom_vector", {s.vector_size}, -2, 2);
  }
  return sequence;
}

inline json ToJson(const SequenceArrays& sequence) {
  json object = json::object();
  for (std::size_t n = 0; n < sequence.names.size(); ++n) {
    object[sequence.names[n]] = Nested(sequence.arrays[n], sequence.shapes[n]);
  }
  return object;
}

// The readings by the oracles of the kernels, which share no code with them: [T + 1, size].
// `arrays` is in the order of RandomSequence.
template <typename N>
std::vector<N> OracleReadings(const StackSpec& spec, int steps,
                              const std::vector<std::vector<N>>& arrays) {
  if (const auto* superposition = std::get_if<SuperpositionStackSpec>(&spec)) {
    return testing_oracle::DenseSuperpositionReadings<N>(
        superposition->sizes, superposition->depth_limit, steps, arrays[0], arrays[1]);
  }
  const auto& s = std::get<NondeterministicStackSpec>(spec);
  std::vector<N> logits;  // [T][q,x][push (r,y) | replace (r,y) | pop r]
  for (int row = 0; row < steps * s.pairs(); ++row) {
    const auto append = [&](const std::vector<N>& from, int size) {
      logits.insert(logits.end(), from.begin() + row * size, from.begin() + (row + 1) * size);
    };
    append(arrays[0], s.pairs());
    append(arrays[1], s.pairs());
    append(arrays[2], s.states);
  }
  const bool vectors = s.vector_size > 0;
  return ReferenceReadings<N>(s, steps, logits, vectors ? arrays[3] : std::vector<N>(),
                              vectors ? arrays[4] : std::vector<N>());
}

// The derivatives of sum(coefficients * readings) by one array, by complex steps. With chunks, an
// element of step t only counts in the readings up to the end of its chunk.
inline std::vector<double> OracleGradient(const StackSpec& spec, int steps,
                                          const SequenceArrays& sequence, std::size_t array,
                                          const std::vector<double>& coefficients, int chunk) {
  using Complex = std::complex<double>;
  constexpr double kStep = 1e-50;
  std::vector<std::vector<Complex>> arrays;
  for (const auto& values : sequence.arrays) arrays.emplace_back(values.begin(), values.end());
  const std::size_t size = coefficients.size() / static_cast<std::size_t>(steps + 1);
  const bool by_step = sequence.names[array] != "bottom_vector";
  std::vector<double> gradient;
  for (std::size_t n = 0; n < arrays[array].size(); ++n) {
    const Complex value = arrays[array][n];
    arrays[array][n] = Complex(value.real(), kStep);
    const std::vector<Complex> readings = OracleReadings(spec, steps, arrays);
    arrays[array][n] = value;
    const int t =
        by_step ? static_cast<int>(n / (arrays[array].size() / static_cast<std::size_t>(steps)))
                : 0;
    const int end = chunk > 0 ? std::min(steps, (t / chunk + 1) * chunk) : steps;
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(end + 1) * size; ++j) {
      sum += coefficients[j] * readings[j].imag() / kStep;
    }
    gradient.push_back(sum);
  }
  return gradient;
}

}  // namespace pushdown::testing_cli
