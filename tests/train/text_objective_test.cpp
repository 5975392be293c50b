#include "pushdown/train/text_objective.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/random.h"
#include "pushdown/train/text_benchmark.h"
#include "pushdown/train/text_scores.h"
#include "pushdown/train/trainer.h"

namespace pushdown {
namespace {

constexpr int kWords = 11;
constexpr int kEnd = 3;

std::vector<int> RandomText(int tokens, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> text(static_cast<std::size_t>(tokens));
  for (int& token : text) token = static_cast<int>(random.Below(kWords));
  return text;
}

ModelSpec TextSpec(const char* name = "vrns-2-2-2") {
  return ParseTextModelSpec(name, 6, kWords, {.embedding_size = 4, .window = 5});
}

std::vector<float> Parameters(const ModelSpec& spec) {
  const ParameterLayout layout(spec);
  std::vector<float> parameters(layout.size);
  Random random(7);
  InitializeUniformly(layout, 0.5, random, parameters.data());
  return parameters;
}

TEST(TextObjective, RangesAreWhereTheGradientIs) {
  const ModelSpec spec = TextSpec();
  const std::vector<int> text = RandomText(60, 1);
  TextObjective objective(spec, text, text, kEnd, {.rows = 2, .chunk_length = 3}, 2);
  EXPECT_EQ(objective.batches(), 10);
  EXPECT_EQ(objective.training_symbols(), 60);
  const std::vector<float> parameters = Parameters(spec);
  for (int batch = 0; batch < objective.batches(); ++batch) {
    constexpr float kUntouched = 123;
    std::vector<float> gradient(parameters.size(), kUntouched);
    objective.Gradient(1, batch, parameters, gradient);
    std::vector<bool> in_range(parameters.size());
    std::size_t before = 0;
    for (const ParameterRange& range : objective.gradient_ranges()) {
      EXPECT_LE(before, range.begin);
      EXPECT_LT(range.begin, range.end);
      before = range.end;
      for (std::size_t n = range.begin; n < range.end; ++n) in_range[n] = true;
    }
    for (std::size_t n = 0; n < gradient.size(); ++n) {
      EXPECT_EQ(gradient[n] != kUntouched, in_range[n]) << n;
    }
    // At most six words are read in a batch.
    EXPECT_LE(objective.gradient_ranges().size(), 7U);
  }
}

TEST(TextObjective, ValidationIsTheMeanOverAllTokens) {
  const ModelSpec spec = TextSpec();
  const std::vector<int> training = RandomText(60, 1);
  const std::vector<int> validation = RandomText(47, 2);
  TextObjective objective(spec, training, validation, kEnd, {.rows = 4, .chunk_length = 3}, 2);
  const std::vector<float> zeros(objective.layout().size);
  EXPECT_NEAR(objective.Validate(zeros, {}), std::log(kWords), 1e-6);
  const std::vector<float> parameters = Parameters(spec);
  WorkerPool pool(1);
  TextModel<float> model(spec, 4, 20, false, pool);
  model.SetParameters(parameters.data());
  const std::vector<double> losses = TextLosses(model, TextRows(validation, kEnd, 4, 20));
  ASSERT_EQ(losses.size(), 47U);
  EXPECT_NEAR(objective.Validate(parameters, {}),
              std::accumulate(losses.begin(), losses.end(), 0.0) / 47, 1e-6);
}

TEST(TextObjective, LearnsAPattern) {
  // After each word comes one that follows from the last two, so that some memory is needed.
  std::vector<int> text = {0, 1};
  while (text.size() < 1000) {
    text.push_back((2 * text[text.size() - 1] + text[text.size() - 2] + 1) % kWords);
  }
  TrainingOptions options;
  options.optimizer = Optimizer::kSgd;
  options.learning_rate = 2;
  options.clipping = 1;
  options.plateau = {.factor = 1 / 1.5, .patience = 0, .threshold = 0, .min_decrease = 0};
  options.patience = 5;
  options.max_epochs = 60;
  for (const char* name : {"lstm", "rns-2-2"}) {
    const ModelSpec spec = TextSpec(name);
    Trainer trainer(std::make_unique<TextObjective>(spec, text, std::span(text).first(200), kEnd,
                                                    TextBatching{.rows = 4, .chunk_length = 10}, 2),
                    options);
    trainer.Start(Parameters(spec));
    while (!trainer.finished()) trainer.Advance();
    EXPECT_LT(trainer.state().early_stopping.best, 0.3) << name;
  }
}

TEST(TextScores, SentencesAreScoredEachByItself) {
  const ModelSpec spec = TextSpec();
  const std::vector<float> parameters = Parameters(spec);
  WorkerPool pool(2);
  TextModel<float> model(spec, 4, 5, false, pool);
  model.SetParameters(parameters.data());
  std::vector<int> text;
  std::vector<std::vector<int>> sentences;
  for (int n = 0; n < 10; ++n) {
    std::vector<int> sentence = RandomText((n * 7) % 13, static_cast<std::uint64_t>(n));
    for (int& token : sentence) token = token == kEnd ? kEnd + 1 : token;
    sentence.push_back(kEnd);
    text.insert(text.end(), sentence.begin(), sentence.end());
    sentences.push_back(sentence);
  }
  double last = 0;
  const std::vector<double> losses = SentenceLosses(model, text, kEnd, [&](double fraction) {
    EXPECT_GT(fraction, last);
    last = fraction;
  });
  EXPECT_EQ(last, 1);
  ASSERT_EQ(losses.size(), text.size());
  const std::vector<std::size_t> begins = SentenceBegins(text, kEnd);
  ASSERT_EQ(begins.size(), sentences.size() + 1);
  EXPECT_EQ(begins.back(), text.size());
  for (std::size_t n = 0; n < sentences.size(); ++n) {
    const auto alone = TextLosses(model, TextRows(sentences[n], kEnd, 1, 5));
    ASSERT_EQ(begins[n + 1] - begins[n], alone.size());
    for (std::size_t k = 0; k < alone.size(); ++k) {
      EXPECT_NEAR(losses[begins[n] + k], alone[k], 1e-5);
    }
  }
}

TEST(TextBenchmark, DoesItsWork) {
  TextBenchmark benchmark(TextSpec("rns-2-2"), {.rows = 4, .chunk_length = 5}, 2);
  for (int n = 0; n < 6; ++n) {
    benchmark.Step();
    benchmark.Products();
  }
  benchmark.Validate();
  benchmark.Step();
  EXPECT_EQ(benchmark.tokens(), 20);
}

}  // namespace
}  // namespace pushdown
