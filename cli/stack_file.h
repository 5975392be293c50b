#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/kernels/stack_spec.h"

namespace pushdown::cli {

// The arrays of one sequence as the kernels take them, or the gradients by them.
// P = pairs, Q = states, m = vector size; the reading's size for superposition stacks.
template <typename T>
struct StackArrays {
  std::vector<T> actions;        // logits [T, P, 2P + Q], or [T, stacks, 3]
  std::vector<T> vectors;        // [T, m]; empty for rns
  std::vector<T> bottom_vector;  // [m] for vrns, empty otherwise
};

template <typename T>
struct StackSequence {
  int steps = 0;
  StackArrays<T> inputs;
  std::vector<T> coefficients;  // [T + 1, reading_size], or empty
};

template <typename T>
struct StackFile {
  StackSpec spec;  // window and depth limit are at most what the longest sequence can use
  int max_steps = 0;
  bool has_coefficients = false;
  std::vector<StackSequence<T>> sequences;
};

// One level of nested arrays in a file.
struct Dimension {
  std::int64_t size;
  std::int64_t stride;  // in the kernels' array, which may interleave several of the file's
  const char* unit;     // what is counted, for messages
};

// Where a field of a sequence is in the kernels' arrays.
template <typename T>
struct ArrayField {
  const char* name;
  std::vector<T> StackArrays<T>::*array;
  std::int64_t array_size;  // of the kernels' array
  std::int64_t offset;      // of the first element in it
  bool logits;              // "-inf" is allowed
  std::vector<Dimension> dimensions;
};

// The fields of a sequence, in the order in which they are written.
template <typename T>
std::vector<ArrayField<T>> FieldsOfSequence(const StackSpec& spec, int steps);

int ReadingSize(const StackSpec& spec);

// Reads an untrusted file of `pushdown stack run`. Throws UsageError, whose message
// begins with the path of the field that is wrong.
template <typename T>
StackFile<T> ReadStackFile(std::string_view text);

extern template StackFile<float> ReadStackFile(std::string_view text);
extern template StackFile<double> ReadStackFile(std::string_view text);
extern template std::vector<ArrayField<float>> FieldsOfSequence(const StackSpec& spec, int steps);
extern template std::vector<ArrayField<double>> FieldsOfSequence(const StackSpec& spec, int steps);

}  // namespace pushdown::cli
