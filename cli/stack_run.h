#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cli/stack_file.h"
#include "pushdown/analysis/automaton_runs.h"

namespace pushdown::cli {

// What is asked about the runs of the automaton of a nondeterministic stack.
struct RunsRequest {
  int best = 0;     // how many of the most probable runs
  int samples = 0;  // how many sampled runs
  std::uint64_t seed = 1;
  bool marginals = false;

  bool any() const { return best > 0 || samples > 0 || marginals; }
};

struct RunsResults {
  std::vector<AutomatonRun> best;
  std::vector<AutomatonRun> samples;
  RunMarginals marginals;
};

struct StackRunOptions {
  int chunk = 0;  // steps after which gradients are cut; 0: they are not
  bool gradients = false;
  RunsRequest runs = {};                      // which are computed in double
  double memory_limit = 0;                    // in bytes
  std::function<void(double)> progress = {};  // is told the fraction of the work that is done
};

template <typename T>
struct StackResults {
  std::vector<T> readings;   // [T + 1, reading_size]
  StackArrays<T> gradients;  // of sum(coefficients * readings)
  RunsResults runs;
};

// Bytes that RunStackFile takes for the stack and the results.
template <typename T>
double EstimateRunBytes(const StackFile<T>& file, const StackRunOptions& options);

// The results of each sequence. Throws UsageError if the stack is too large, or if runs are asked
// for and it has none, and RunError, naming the sequence, if no run survives a step or a result is
// not finite.
template <typename T>
std::vector<StackResults<T>> RunStackFile(const StackFile<T>& file, const StackRunOptions& options);

extern template double EstimateRunBytes(const StackFile<float>&, const StackRunOptions&);
extern template double EstimateRunBytes(const StackFile<double>&, const StackRunOptions&);
extern template std::vector<StackResults<float>> RunStackFile(const StackFile<float>&,
                                                              const StackRunOptions&);
extern template std::vector<StackResults<double>> RunStackFile(const StackFile<double>&,
                                                               const StackRunOptions&);

}  // namespace pushdown::cli
