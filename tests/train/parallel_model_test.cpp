// A model on several threads: the same numbers whatever their number, and those of the equations.

#include "pushdown/train/parallel_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pushdown/error.h"
#include "tests/model/model_problem.h"
#include "tests/model/stack_rnn_reference.h"

namespace pushdown {
namespace {

using testing_oracle::ParametersAs;
using testing_oracle::RandomParameters;
using testing_oracle::RandomString;
using testing_oracle::ReferenceGradient;
using testing_oracle::ReferenceLoss;

using Strings = std::vector<std::vector<int>>;

constexpr int kMaxLength = 9;

struct Setting {
  explicit Setting(const std::string& name, int hidden_units = 5)
      : spec(ParseModelSpec(name, hidden_units, 3)), parameters(RandomParameters(spec, 4, 1)) {
    for (int j = 0; j < 23; ++j) {
      strings.push_back(RandomString(3, j % (kMaxLength + 1), static_cast<std::uint64_t>(j)));
    }
  }

  std::vector<float> Floats() const { return ParametersAs<float>(parameters); }

  ModelSpec spec;
  std::vector<double> parameters;
  Strings strings;
};

// More strings than threads and fewer, out of order, and one that comes twice.
const std::vector<std::vector<int>>& Batches() {
  static const std::vector<std::vector<int>> batches = {
      {7}, {3, 9}, {22, 0, 5, 5, 17, 1, 2, 13}, {4, 14, 6}};
  return batches;
}

class EveryParallelModel : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, EveryParallelModel,
                         testing::Values("lstm", "sup-h", "sup-3-1-2", "rns-2-3", "vrns-2-2-3"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(EveryParallelModel, LogProbabilitiesAreThoseOfTheEquations) {
  const Setting setting(GetParam());
  ParallelModel model(setting.spec, kMaxLength, 2);
  const auto actual = model.LogProbabilities(setting.Floats(), setting.strings);
  ASSERT_EQ(actual.size(), setting.strings.size());
  for (std::size_t j = 0; j < actual.size(); ++j) {
    const double loss = ReferenceLoss(setting.spec, setting.parameters, setting.strings[j]);
    EXPECT_NEAR(actual[j], -loss, 2e-6 * std::max(1.0, loss)) << "string " << j;
  }
}

TEST_P(EveryParallelModel, LogProbabilitiesDoNotDependOnTheThreads) {
  const Setting setting(GetParam(), 20);
  ParallelModel alone(setting.spec, kMaxLength, 1);
  const auto expected = alone.LogProbabilities(setting.Floats(), setting.strings);
  for (int threads : {2, 3, 5}) {
    ParallelModel model(setting.spec, kMaxLength, threads);
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(model.LogProbabilities(setting.Floats(), setting.strings), expected)
          << threads << " threads";
    }
  }
}

TEST_P(EveryParallelModel, GradientIsTheMeanOfTheGradientsOfTheEquations) {
  const Setting setting(GetParam(), 3);
  ParallelModel model(setting.spec, kMaxLength, 2, 8);
  for (const std::vector<int>& batch : {std::vector<int>{3, 4, 16}, std::vector<int>{5}}) {
    double loss = 0;
    std::vector<double> expected(setting.parameters.size());
    for (int string : batch) {
      const auto& word = setting.strings[static_cast<std::size_t>(string)];
      loss += ReferenceLoss(setting.spec, setting.parameters, word);
      const auto gradient = ReferenceGradient(setting.spec, setting.parameters, word);
      for (std::size_t j = 0; j < gradient.size(); ++j) {
        expected[j] += gradient[j] / static_cast<double>(batch.size());
      }
    }
    // What the array holds before does not matter.
    std::vector<float> actual(expected.size(), std::numeric_limits<float>::quiet_NaN());
    EXPECT_NEAR(model.Gradient(setting.Floats(), setting.strings, batch, actual), loss,
                2e-6 * loss);
    double largest = 0;
    for (double value : expected) largest = std::max(largest, std::abs(value));
    for (std::size_t j = 0; j < expected.size(); ++j) {
      ASSERT_NEAR(actual[j], expected[j], 5e-6 * largest) << "entry " << j;
    }
  }
}

TEST_P(EveryParallelModel, GradientsDoNotDependOnTheThreads) {
  const Setting setting(GetParam(), 20);
  ParallelModel alone(setting.spec, kMaxLength, 1, 8);
  std::vector<std::vector<float>> gradients;
  std::vector<double> losses;
  for (const auto& batch : Batches()) {
    std::vector<float>& gradient = gradients.emplace_back(setting.parameters.size());
    losses.push_back(alone.Gradient(setting.Floats(), setting.strings, batch, gradient));
  }
  for (int threads : {2, 3, 5}) {
    ParallelModel model(setting.spec, kMaxLength, threads, 8);
    for (int round = 0; round < 3; ++round) {
      for (std::size_t j = 0; j < gradients.size(); ++j) {
        std::vector<float> gradient(setting.parameters.size(), 7);
        EXPECT_EQ(model.Gradient(setting.Floats(), setting.strings, Batches()[j], gradient),
                  losses[j])
            << threads << " threads, batch " << j;
        EXPECT_EQ(gradient, gradients[j]) << threads << " threads, batch " << j;
      }
    }
  }
}

TEST(ParallelModel, NoStringsHaveNoProbabilities) {
  const Setting setting("lstm");
  ParallelModel model(setting.spec, kMaxLength, 2);
  EXPECT_TRUE(model.LogProbabilities(setting.Floats(), Strings{}).empty());
}

// So many strings that the calling thread gets some of them, unless the machine is very busy.
Strings ManyStrings(const Setting& setting) {
  Strings many;
  for (int j = 0; j < 2000; ++j) {
    many.push_back(setting.strings[static_cast<std::size_t>(j) % setting.strings.size()]);
  }
  return many;
}

TEST(ParallelModel, TellsOfItsProgressOnTheCallingThread) {
  const Setting setting("rns-2-3", 20);
  const Strings many = ManyStrings(setting);
  for (int threads : {1, 3}) {
    ParallelModel model(setting.spec, kMaxLength, threads);
    const std::thread::id caller = std::this_thread::get_id();
    double last = 0;
    int calls = 0;
    const auto with = model.LogProbabilities(setting.Floats(), many, [&](double done) {
      ++calls;
      EXPECT_EQ(std::this_thread::get_id(), caller);
      EXPECT_GE(done, last);
      EXPECT_LE(done, 1);
      last = done;
    });
    EXPECT_EQ(last, 1) << threads << " threads";
    if (threads == 1) {
      EXPECT_GE(calls, 2) << "also while it works";
    }
    EXPECT_EQ(with, model.LogProbabilities(setting.Floats(), many));
  }
}

TEST(ParallelModel, WhatProgressThrowsEndsTheWork) {
  const Setting setting("rns-2-3", 20);
  const Strings many = ManyStrings(setting);
  for (int threads : {1, 3}) {
    ParallelModel model(setting.spec, kMaxLength, threads);
    const auto expected = model.LogProbabilities(setting.Floats(), many);
    int calls = 0;
    const auto refuse = [&](double) {
      ++calls;
      throw std::domain_error("enough");
    };
    EXPECT_THROW(model.LogProbabilities(setting.Floats(), many, refuse), std::domain_error)
        << threads << " threads";
    EXPECT_EQ(calls, 1) << "it goes on after an interruption, " << threads << " threads";
    EXPECT_EQ(model.LogProbabilities(setting.Floats(), many), expected) << "usable afterwards";
  }
}

// Whichever thread comes upon it first.
TEST(ParallelModel, AnErrorIsThatOfTheFirstString) {
  Setting setting("lstm");
  setting.strings[6] = {0, 1, 77};
  setting.strings[11] = {0, 55};
  for (int threads : {1, 2, 5}) {
    ParallelModel model(setting.spec, kMaxLength, threads);
    try {
      model.LogProbabilities(setting.Floats(), setting.strings);
      ADD_FAILURE() << "no Error";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("77"), std::string::npos) << error.what();
    }
  }
}

TEST(ParallelModel, EstimatesMoreMemoryForMore) {
  const ModelSpec spec = ParseModelSpec("rns-2-3", 20, 3);
  const double bytes = ParallelModel::EstimateBytes(spec, 40, 1, 10);
  EXPECT_GT(bytes, 10 * ParameterLayout(spec).size * sizeof(float)) << "a gradient a string";
  EXPECT_GT(ParallelModel::EstimateBytes(spec, 40, 2, 10), bytes);
  EXPECT_GT(ParallelModel::EstimateBytes(spec, 40, 1, 20), bytes);
  EXPECT_GT(bytes, ParallelModel::EstimateBytes(spec, 40, 1, 0)) << "no gradients";
}

}  // namespace
}  // namespace pushdown
