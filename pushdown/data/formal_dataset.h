#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "pushdown/data/string_distribution.h"

namespace pushdown {

// The paper's splits: training and validation sets sampled from p_L batch by batch, all strings of
// a batch having one length, and a test set with the same number of strings of every length.
struct FormalDatasetOptions {
  LengthRange lengths = {40, 80};  // of the training and validation sets
  LengthRange test_lengths = {40, 100};
  int training_size = 10000;
  int validation_size = 1000;
  int test_size_per_length = 100;  // 0: no test set
  int batch_size = 10;
  std::uint64_t seed = 1;
  std::uint64_t test_seed = 1;  // apart, so that training sets of many seeds share a test set
};

struct FormalSplit {
  std::vector<std::vector<int>> strings;
  LengthRange range;              // of the lengths of p_L
  std::size_t valid_lengths = 0;  // how many lengths of the range the language has
  CrossEntropy lower_bound;       // H(S, p_L)
  std::map<int, CrossEntropy> lower_bound_by_length;
};

struct FormalDataset {
  FormalSplit training;
  FormalSplit validation;
  FormalSplit test;
};

// `size_per_length` strings of every length in the range that the language has.
FormalSplit MakeTestSplit(const Language& language, LengthRange range, int size_per_length,
                          std::uint64_t seed, const std::function<void(double)>& progress = {});

// The language's max_length must cover both ranges. Throws Error for options that are out of range
// and ranges without strings.
FormalDataset MakeFormalDataset(const Language& language, const FormalDatasetOptions& options,
                                const std::function<void(double)>& progress = {});

}  // namespace pushdown
