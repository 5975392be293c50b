#include "pushdown/data/formal_dataset.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/formal/languages.h"
#include "tests/formal/chi_squared.h"

namespace pushdown {
namespace {

using testing_oracle::HasProbabilities;

using Strings = std::vector<std::vector<int>>;

// Small, and with a batch that is not full in the end.
FormalDatasetOptions SmallOptions() {
  FormalDatasetOptions options;
  options.lengths = {4, 12};
  options.test_lengths = {3, 16};
  options.training_size = 205;
  options.validation_size = 33;
  options.test_size_per_length = 7;
  options.batch_size = 10;
  return options;
}

std::unique_ptr<Language> MarkedReversal(int max_length = 20) {
  return MakeLanguage(FindLanguage("marked-reversal"), {}, max_length);
}

TEST(FormalDataset, HasThePapersSizesByDefault) {
  const FormalDatasetOptions options;
  EXPECT_EQ(options.lengths.min, 40);
  EXPECT_EQ(options.lengths.max, 80);
  EXPECT_EQ(options.test_lengths.min, 40);
  EXPECT_EQ(options.test_lengths.max, 100);
  const auto language = MarkedReversal(100);
  const FormalDataset data = MakeFormalDataset(*language, options);
  EXPECT_EQ(data.training.strings.size(), 10000u);
  EXPECT_EQ(data.validation.strings.size(), 1000u);
  EXPECT_EQ(data.test.strings.size(), 3000u) << "30 odd lengths from 41 to 99";
}

TEST(FormalDataset, HasTheSizesThatAreAskedFor) {
  const auto language = MarkedReversal();
  const FormalDataset data = MakeFormalDataset(*language, SmallOptions());
  EXPECT_EQ(data.training.strings.size(), 205u);
  EXPECT_EQ(data.validation.strings.size(), 33u);
  EXPECT_EQ(data.test.strings.size(), 49u) << "7 strings of 3, 5, ... 15 symbols";
  std::map<std::size_t, int> test_lengths;
  for (const auto& string : data.test.strings) ++test_lengths[string.size()];
  EXPECT_EQ(test_lengths, (std::map<std::size_t, int>{
                              {3, 7}, {5, 7}, {7, 7}, {9, 7}, {11, 7}, {13, 7}, {15, 7}}));
}

TEST(FormalDataset, StringsAreMembersWithinTheRange) {
  const auto language = MarkedReversal();
  const FormalDataset data = MakeFormalDataset(*language, SmallOptions());
  for (const FormalSplit* split : {&data.training, &data.validation, &data.test}) {
    for (const auto& string : split->strings) {
      EXPECT_FALSE(language->FindObjection(string));
      EXPECT_GE(static_cast<int>(string.size()), split->range.min);
      EXPECT_LE(static_cast<int>(string.size()), split->range.max);
    }
  }
  EXPECT_EQ(data.training.range.max, 12);
  EXPECT_EQ(data.validation.range.max, 12);
  EXPECT_EQ(data.test.range.max, 16);
}

TEST(FormalDataset, StringsOfABatchHaveOneLength) {
  const auto language = MarkedReversal();
  const FormalDataset data = MakeFormalDataset(*language, SmallOptions());
  for (const FormalSplit* split : {&data.training, &data.validation}) {
    std::set<std::size_t> lengths;
    for (std::size_t n = 0; n < split->strings.size(); ++n) {
      EXPECT_EQ(split->strings[n].size(), split->strings[n - n % 10].size()) << n;
      lengths.insert(split->strings[n].size());
    }
    EXPECT_GT(lengths.size(), 1u);
  }
}

TEST(FormalDataset, LengthsAndStringsHaveTheirProbabilities) {
  const auto language = MarkedReversal();
  FormalDatasetOptions options = SmallOptions();
  options.lengths = {1, 6};
  options.training_size = 6000;
  options.batch_size = 2;
  const FormalDataset data = MakeFormalDataset(*language, options);
  // Of lengths 1, 3, 5 there are 1, 2 and 4 strings. The two of a batch share their length only;
  // one of them is enough for strings that are independent.
  std::vector<std::vector<int>> first;
  std::vector<std::vector<int>> second;
  std::map<std::vector<int>, double> probabilities;
  for (std::size_t n = 0; n < data.training.strings.size(); ++n) {
    const auto& string = data.training.strings[n];
    (n % 2 == 0 ? first : second).push_back(string);
    const int word_length = static_cast<int>(string.size()) / 2;
    probabilities[string] = std::ldexp(1.0 / 3, -word_length);
  }
  EXPECT_EQ(probabilities.size(), 7u);
  EXPECT_TRUE(HasProbabilities(first, probabilities));
  EXPECT_TRUE(HasProbabilities(second, probabilities));
}

TEST(FormalDataset, TheSameSeedMakesTheSameData) {
  const auto language = MarkedReversal();
  const auto again = MarkedReversal();
  const FormalDataset a = MakeFormalDataset(*language, SmallOptions());
  const FormalDataset b = MakeFormalDataset(*again, SmallOptions());
  EXPECT_EQ(a.training.strings, b.training.strings);
  EXPECT_EQ(a.validation.strings, b.validation.strings);
  EXPECT_EQ(a.test.strings, b.test.strings);
}

TEST(FormalDataset, ASeedIsOfTrainingAndValidationOnly) {
  const auto language = MarkedReversal();
  FormalDatasetOptions options = SmallOptions();
  const FormalDataset a = MakeFormalDataset(*language, options);
  options.seed = 2;
  const FormalDataset b = MakeFormalDataset(*language, options);
  EXPECT_NE(a.training.strings, b.training.strings);
  EXPECT_NE(a.validation.strings, b.validation.strings);
  EXPECT_EQ(a.test.strings, b.test.strings);
}

TEST(FormalDataset, ATestSeedIsOfTheTestSetOnly) {
  const auto language = MarkedReversal();
  FormalDatasetOptions options = SmallOptions();
  const FormalDataset a = MakeFormalDataset(*language, options);
  options.test_seed = 2;
  const FormalDataset b = MakeFormalDataset(*language, options);
  EXPECT_EQ(a.training.strings, b.training.strings);
  EXPECT_EQ(a.validation.strings, b.validation.strings);
  EXPECT_NE(a.test.strings, b.test.strings);
}

TEST(FormalDataset, SplitsDoNotDependOnTheSizesOfOthers) {
  const auto language = MarkedReversal();
  const FormalDataset a = MakeFormalDataset(*language, SmallOptions());
  FormalDatasetOptions options = SmallOptions();
  options.training_size = 17;
  options.test_size_per_length = 3;
  const FormalDataset b = MakeFormalDataset(*language, options);
  EXPECT_EQ(a.validation.strings, b.validation.strings);
  options = SmallOptions();
  options.validation_size = 5;
  const FormalDataset c = MakeFormalDataset(*language, options);
  EXPECT_EQ(a.training.strings, c.training.strings);
  EXPECT_EQ(a.test.strings, c.test.strings);
}

TEST(FormalDataset, SplitsOfEqualSeedsAreNotCopiesOfEachOther) {
  const auto language = MarkedReversal(60);
  FormalDatasetOptions options;
  options.lengths = {41, 41};
  options.test_lengths = {41, 41};
  options.training_size = options.validation_size = options.test_size_per_length = 20;
  options.seed = options.test_seed = 5;
  const FormalDataset data = MakeFormalDataset(*language, options);
  // 60 strings out of 2^20: the chance that two coincide is 0.002.
  std::set<std::vector<int>> all;
  for (const FormalSplit* split : {&data.training, &data.validation, &data.test}) {
    all.insert(split->strings.begin(), split->strings.end());
  }
  EXPECT_EQ(all.size(), 60u);
}

// H(S, p_L) of marked reversals of two symbol types, by the definition: a string of l symbols has
// one of 2^((l-1)/2) words, and its length is one of so many.
double MarkedReversalEntropy(const Strings& strings, int lengths) {
  double log_probability = 0;
  double symbols = 0;
  for (const auto& string : strings) {
    const int length = static_cast<int>(string.size());
    const int word_length = (length - 1) / 2;
    log_probability -= std::log(lengths) + word_length * std::log(2.0);
    symbols += length + 1;
  }
  return -log_probability / symbols;
}

TEST(FormalDataset, LowerBoundsAreTheCrossEntropyOfTheDistribution) {
  const auto language = MarkedReversal();
  const FormalDataset data = MakeFormalDataset(*language, SmallOptions());
  const auto expect_bound = [&](const FormalSplit& split, int lengths) {
    EXPECT_NEAR(split.lower_bound.PerSymbol(), MarkedReversalEntropy(split.strings, lengths),
                1e-12);
    EXPECT_EQ(split.lower_bound.strings(), static_cast<long long>(split.strings.size()));
    std::map<int, Strings> by_length;
    for (const auto& string : split.strings) {
      by_length[static_cast<int>(string.size())].push_back(string);
    }
    ASSERT_EQ(split.lower_bound_by_length.size(), by_length.size());
    for (const auto& [length, strings] : by_length) {
      ASSERT_TRUE(split.lower_bound_by_length.contains(length));
      const CrossEntropy& bound = split.lower_bound_by_length.at(length);
      EXPECT_EQ(bound.strings(), static_cast<long long>(strings.size()));
      EXPECT_NEAR(bound.PerSymbol(), MarkedReversalEntropy(strings, lengths), 1e-12);
    }
  };
  expect_bound(data.training, 4);    // 5, 7, 9, 11
  expect_bound(data.validation, 4);  // the same range
  expect_bound(data.test, 7);        // 3, 5, ... 15
}

TEST(FormalDataset, OptionsOutOfRangeAreRefused) {
  const auto language = MarkedReversal();
  const auto refuses = [&](auto change) {
    FormalDatasetOptions options = SmallOptions();
    change(options);
    try {
      MakeFormalDataset(*language, options);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  using Options = FormalDatasetOptions;
  EXPECT_FALSE(refuses([](Options&) {}));
  EXPECT_TRUE(refuses([](Options& o) { o.training_size = -1; }));
  EXPECT_TRUE(refuses([](Options& o) { o.validation_size = -1; }));
  EXPECT_TRUE(refuses([](Options& o) { o.test_size_per_length = -1; }));
  EXPECT_TRUE(refuses([](Options& o) { o.batch_size = 0; }));
  EXPECT_TRUE(refuses([](Options& o) { o.batch_size = -10; }));
  EXPECT_TRUE(refuses([](Options& o) { o.lengths = {12, 4}; }));
  EXPECT_TRUE(refuses([](Options& o) { o.lengths = {-1, 4}; }));
  EXPECT_TRUE(refuses([](Options& o) { o.lengths = {4, 4}; })) << "no strings";
  EXPECT_TRUE(refuses([](Options& o) { o.lengths = {4, 21}; })) << "beyond the language's";
  EXPECT_TRUE(refuses([](Options& o) { o.test_lengths = {4, 4}; }));
  EXPECT_TRUE(refuses([](Options& o) { o.test_lengths = {4, 21}; }));
}

TEST(FormalDataset, ProgressGoesFromLittleToAll) {
  const auto language = MarkedReversal();
  std::vector<double> shares;
  MakeFormalDataset(*language, SmallOptions(), [&](double share) { shares.push_back(share); });
  ASSERT_FALSE(shares.empty());
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_GE(shares.front(), 0.0);
  EXPECT_EQ(shares.back(), 1.0);
}

}  // namespace
}  // namespace pushdown
