#pragma once

#include <functional>
#include <vector>

#include "cli/stack_file.h"

namespace pushdown::cli {

struct StackRunOptions {
  int chunk = 0;  // steps after which gradients are cut; 0: they are not
  bool gradients = false;
  double memory_limit = 0;                    // in bytes
  std::function<void(double)> progress = {};  // is told the fraction of the work that is done
};

template <typename T>
struct StackResults {
  std::vector<T> readings;   // [T + 1, reading_size]
  StackArrays<T> gradients;  // of sum(coefficients * readings)
};

// Bytes that RunStackFile takes for the stack and the results.
template <typename T>
double EstimateRunBytes(const StackFile<T>& file, const StackRunOptions& options);

// The results of each sequence. Throws UsageError if the stack is too large, and RunError, naming
// the sequence, if no run survives a step or a result is not finite.
template <typename T>
std::vector<StackResults<T>> RunStackFile(const StackFile<T>& file, const StackRunOptions& options);

extern template double EstimateRunBytes(const StackFile<float>&, const StackRunOptions&);
extern template double EstimateRunBytes(const StackFile<double>&, const StackRunOptions&);
extern template std::vector<StackResults<float>> RunStackFile(const StackFile<float>&,
                                                              const StackRunOptions&);
extern template std::vector<StackResults<double>> RunStackFile(const StackFile<double>&,
                                                               const StackRunOptions&);

}  // namespace pushdown::cli
