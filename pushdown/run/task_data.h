#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pushdown/data/string_distribution.h"
#include "pushdown/formal/language.h"
#include "pushdown/run/language_choice.h"
#include "pushdown/run/settings.h"

namespace pushdown {

// The lower bound H(S, p_L) of a set of strings whose language is known.
struct LowerBound {
  LengthRange range;  // the lengths of p_L
  CrossEntropy all;
  std::map<int, CrossEntropy> by_length;
};

struct TaskSplit {
  std::vector<std::vector<int>> strings;
  std::optional<LowerBound> lower_bound;
};

struct TaskData {
  SymbolTable alphabet;
  TaskSplit training;
  TaskSplit validation;
  TaskSplit test;  // may be empty
};

// The language of a run, for strings of up to max_length symbols; null if the language is not
// known. Throws Error.
std::unique_ptr<Language> LanguageOf(const RunSettings& settings, int max_length,
                                     const StageProgress& progress = {});

// The length of the longest string that the sets of a run can have, if they are sampled.
int MaxLength(const RunSettings& settings);

enum class TestSet { kNone, kIncluded };

// The sets of a run, which are sampled from its language or read from its data directory.
// `language` must be LanguageOf(settings, n) for an n of at least MaxLength(settings). Throws
// Error.
TaskData MakeTaskData(const RunSettings& settings, const Language* language, TestSet test_set,
                      const StageProgress& progress = {});

// Throws Error if the sets would not fit into the memory of the machine, for example because a size
// was given with too many zeros. There are `test_lengths` lengths in the test set.
void CheckSetMemory(const FormalDatasetOptions& options, const SymbolTable& alphabet,
                    std::size_t test_lengths);

// Distinguishes training and validation sets from others.
std::string FingerprintOf(const SymbolTable& alphabet, std::span<const std::vector<int>> training,
                          std::span<const std::vector<int>> validation);
std::string FingerprintOf(const TaskData& data);

// A test set of `count` strings of each length in the range that the language has.
TaskSplit SampleEveryLength(const Language& language, LengthRange range, int count,
                            std::uint64_t seed, const StageProgress& progress = {});

}  // namespace pushdown
