// Scores of somebody's own strings: against models whose probabilities are known by hand, and
// against other implementations for trained ones.

#include "pushdown/run/scoring.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/run/language_score.h"
#include "tests/model/stack_rnn_reference.h"
#include "tests/run/known_model.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

using testing_files::TemporaryDirectory;
using testing_oracle::ReferenceStackRnn;
using testing_runs::KnownStrings;
using testing_runs::KnownText;
using testing_runs::SmallRun;
using testing_runs::SmallTextRun;
using testing_runs::WriteText;
using Strings = std::vector<std::vector<int>>;

constexpr double kA = 0.5;
constexpr double kB = 0.2;
constexpr double kEnd = 0.3;
constexpr double kRounding = 1e-5;  // of probabilities that are floats

// Both kinds, with the same numbers for a and b.
std::vector<TrainedModel> KnownModels() {
  return {KnownStrings({"a", "b"}, {kA, kB, kEnd}), KnownText({"a", "b", "<eos>"}, {kA, kB, kEnd})};
}

template <typename Call>
std::string MessageOf(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput);
    return error.message();
  }
  return "no Error";
}

TEST(Scoring, EverySymbolAndTheEndHaveTheirProbability) {
  for (const TrainedModel& model : KnownModels()) {
    const Strings strings = model.EncodeLines("a b\n\nb\n", "text");
    ASSERT_EQ(strings, (Strings{{0, 1}, {}, {1}}));
    const std::vector<StringScore> scores = ScoreStrings(model, strings);
    ASSERT_EQ(scores.size(), 3u);
    ASSERT_EQ(scores[0].log_probabilities.size(), 3u);
    EXPECT_NEAR(scores[0].log_probabilities[0], std::log(kA), kRounding);
    EXPECT_NEAR(scores[0].log_probabilities[1], std::log(kB), kRounding);
    EXPECT_NEAR(scores[0].log_probabilities[2], std::log(kEnd), kRounding);
    EXPECT_NEAR(scores[0].log_p(), std::log(kA * kB * kEnd), kRounding);
    EXPECT_NEAR(scores[1].log_p(), std::log(kEnd), kRounding);
    EXPECT_NEAR(scores[2].log_p(), std::log(kB * kEnd), kRounding);
    EXPECT_TRUE(ScoreStrings(model, {}).empty());
  }
}

TEST(Scoring, NextSymbolsAreSortedAndOfEquallyProbableOnesTheFirstComesFirst) {
  const TrainedModel model = KnownStrings({"a", "b", "c"}, {0.2, 0.3, 0.2, 0.3});
  const std::vector<NextSymbol> next = NextSymbols(model, std::vector<int>{1, 1});
  ASSERT_EQ(next.size(), 4u);
  const int order[] = {1, model.end(), 0, 2};
  const double probability[] = {0.3, 0.3, 0.2, 0.2};
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(next[n].symbol, order[n]);
    EXPECT_NEAR(next[n].log_p, std::log(probability[n]), kRounding);
  }
  EXPECT_EQ(model.OutputName(next[1].symbol), "<eos>");
  EXPECT_EQ(model.OutputName(next[2].symbol), "a");
  EXPECT_EQ(NextSymbols(model, {}, 3).size(), 3u);
  EXPECT_EQ(NextSymbols(model, {}, 30).size(), 4u);
}

TEST(Scoring, PairsAreComparedByTheirProbabilities) {
  for (const TrainedModel& model : KnownModels()) {
    // 0.25 > 0.04; 0.2 < 0.5; equal; a shorter string is more probable; the same string.
    const StringPairs pairs =
        EncodePairs(model, "a a\tb b\nb\ta\na b\tb a\r\na\ta a\na a a\ta a a\n", "text");
    const PairScores scores = ScorePairs(model, pairs);
    ASSERT_EQ(scores.pairs.size(), 5u);
    EXPECT_NEAR(scores.pairs[0].difference(), std::log(0.25 / 0.04), kRounding);
    EXPECT_NEAR(scores.pairs[1].difference(), std::log(0.2 / 0.5), kRounding);
    EXPECT_NEAR(scores.pairs[2].difference(), 0, kRounding);
    EXPECT_NEAR(scores.pairs[3].difference(), std::log(2), kRounding);
    EXPECT_EQ(scores.pairs[4].difference(), 0);
    EXPECT_EQ(scores.correct, 2);
    EXPECT_EQ(scores.equal, 2);
  }
  const TrainedModel model = KnownModels()[0];
  const PairScores scores = ScorePairs(model, {{{0}, {1}, {0}, {0}}, {{1}, {0}, {0}, {1}}});
  EXPECT_EQ(scores.correct, 2);
  EXPECT_EQ(scores.equal, 1);
  EXPECT_EQ(scores.accuracy(), 0.5);
  EXPECT_TRUE(std::isnan(ScorePairs(model, {}).accuracy()));
}

TEST(Scoring, WhatCannotBeReadIsNamedWithItsLine) {
  const TrainedModel model = KnownModels()[0];
  EXPECT_EQ(MessageOf([&] { model.EncodeLines("a\nb x\n", "file"); }),
            "file: line 2, position 2: \"x\" is not a symbol of the model; they are: a b");
  EXPECT_EQ(MessageOf([&] { model.EncodeLines("", "file"); }), "file: is empty");
  std::string many;
  for (int n = 0; n <= Language::kMaxLength; ++n) many += "a ";
  EXPECT_EQ(MessageOf([&] { model.EncodeLines("\n" + many, "file"); }),
            "file: line 2: has 10001 symbols, and no string may have more than 10000");
  EXPECT_EQ(MessageOf([&] { EncodePairs(model, "a\tb\na b\n", "file"); }),
            "file: line 2: has no tab; a pair is two strings with one tab between them");
  EXPECT_EQ(MessageOf([&] { EncodePairs(model, "a\tb\ta\n", "file"); }),
            "file: line 1: has more than one tab; a pair is two strings with one tab between them");
  EXPECT_EQ(MessageOf([&] { EncodePairs(model, "a\tb\na\tb x\n", "file"); }),
            "file, the second of each pair: line 2, position 2: \"x\" is not a symbol of the "
            "model; they are: a b");
  EXPECT_EQ(MessageOf([&] { ScoreStrings(model, Strings{{0, 2}}); }), "there is no symbol 2");
  EXPECT_EQ(MessageOf([&] { ScoreStrings(model, Strings{{-1}}); }), "there is no symbol -1");
  EXPECT_NE(MessageOf([&] {
              ScoreStrings(model, Strings{{0}}, {.running = true});
            }).find("only a model of text"),
            std::string::npos);
  EXPECT_EQ(MessageOf([&] { model.EncodePrompt("a x"); }),
            "\"x\" is not in the model's vocabulary; it has: a b");
  EXPECT_EQ(MessageOf([&] { model.EncodePrompt("a\nb"); }), "has more than one line");
  const TrainedModel text = KnownModels()[1];
  EXPECT_EQ(MessageOf([&] { text.EncodePrompt("a <eos>"); }),
            "\"<eos>\" ends a sentence, and cannot be in one");
}

// Runs that have been trained.
class TrainedScoring : public ::testing::Test {
 protected:
  TrainedScoring() {
    pushdown::Run::Create(strings_, SmallRun()).Train({.threads = 1});
    WriteText(directory_, "text");
    pushdown::Run::Create(text_, SmallTextRun(directory_.path() + "/text")).Train({.threads = 1});
  }

  TemporaryDirectory directory_;
  std::string strings_ = directory_.path() + "/strings";
  std::string text_ = directory_.path() + "/lm";
};

TEST_F(TrainedScoring, StringsHaveTheProbabilitiesOfTheEquations) {
  const TrainedModel model = OpenModel(strings_);
  const ParameterLayout layout(model.spec);
  const std::vector<double> parameters(model.parameters.begin(), model.parameters.end());
  ReferenceStackRnn<double> reference(model.spec, layout, parameters);
  const Strings strings = model.EncodeLines("0 1 # 1 0\n\n# # #\n1\n", "text");
  const std::vector<StringScore> scores = ScoreStrings(model, strings);
  for (std::size_t n = 0; n < strings.size(); ++n) {
    EXPECT_NEAR(scores[n].log_p(), -reference.Loss(strings[n]), 1e-4) << n;
  }
  const std::vector<StringScore> threads = ScoreStrings(model, strings, {.threads = 3});
  for (std::size_t n = 0; n < strings.size(); ++n) {
    EXPECT_EQ(threads[n].log_probabilities, scores[n].log_probabilities) << n;
  }
}

// One path reads sentences side by side, the other one word by word.
TEST_F(TrainedScoring, SentencesAreReadAloneOrAsOneText) {
  const TrainedModel model = OpenModel(text_);
  const Strings sentences = model.EncodeLines("a b a\n\nc zebra\n", "text");
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_EQ(model.Decode(sentences[2]), "c <unk>");
  const std::vector<StringScore> alone = ScoreStrings(model, sentences);
  const std::vector<StringScore> running = ScoreStrings(model, sentences, {.running = true});
  std::vector<int> all;
  for (std::size_t n = 0; n < sentences.size(); ++n) {
    std::vector<int> tokens = sentences[n];
    tokens.push_back(model.end());
    const Trace trace = model.Read(tokens);
    ASSERT_EQ(alone[n].log_probabilities.size(), tokens.size());
    for (std::size_t k = 0; k < tokens.size(); ++k) {
      EXPECT_NEAR(alone[n].log_probabilities[k], trace.log_probabilities[k], kRounding);
    }
    all.insert(all.end(), tokens.begin(), tokens.end());
  }
  const Trace trace = model.Read(all);
  std::size_t place = 0;
  for (const StringScore& score : running) {
    for (const double log_p : score.log_probabilities) {
      EXPECT_NEAR(log_p, trace.log_probabilities[place++], kRounding);
    }
  }
  EXPECT_EQ(place, all.size());
}

// Marked reversal, w # w reversed over two symbols: 2^((n-1)/2) strings of an odd length n.
TEST_F(TrainedScoring, TheLanguageOfAModelHasExactProbabilities) {
  const TrainedModel model = OpenModel(strings_);
  const std::optional<LengthRange> lengths = TrainingLengthsOf(model);
  ASSERT_TRUE(lengths);
  EXPECT_EQ(lengths->min, 3);
  EXPECT_EQ(lengths->max, 7);
  const std::unique_ptr<Language> language = LanguageOf(model, 9);
  const LanguageScorer scorer(*language, lengths);
  const LanguageScore member = scorer.Score(model.Encode("0 1 # 1 0"));
  EXPECT_EQ(member.member, true);
  EXPECT_NEAR(member.log_p, -std::log(3) - 2 * std::log(2), 1e-12);  // three lengths
  EXPECT_NEAR(member.log_p_given_length, -2 * std::log(2), 1e-12);
  EXPECT_EQ(member.objection, "");
  const LanguageScore other = scorer.Score(model.Encode("0 1 # 1 1"));
  EXPECT_EQ(other.member, false);
  EXPECT_EQ(other.log_p, LanguageScore::kMinusInfinity);
  EXPECT_EQ(other.objection.rfind("position 5: ", 0), 0u) << other.objection;
  // In the language, but longer than the strings of the training, or than what is parsed.
  const LanguageScore longer = scorer.Score(model.Encode("0 1 1 1 # 1 1 1 0"));
  EXPECT_EQ(longer.member, true);
  EXPECT_EQ(longer.log_p, LanguageScore::kMinusInfinity);
  EXPECT_NEAR(longer.log_p_given_length, -4 * std::log(2), 1e-12);
  EXPECT_EQ(longer.objection, "has 9 symbols, which is not in --lengths 3:7");
  const LanguageScore longest = scorer.Score(model.Encode("0 1 1 1 1 # 1 1 1 1 0"));
  EXPECT_FALSE(longest.member);
  EXPECT_TRUE(std::isnan(longest.log_p_given_length));
  // A symbol that is not in it.
  EXPECT_EQ(scorer.Score("0 x # x 0").objection,
            "position 2: \"x\" is not a symbol of the language; they are: 0 1 #");

  // A model without its run does not know the lengths.
  std::filesystem::copy_file(model.path, directory_.path() + "/alone.safetensors");
  const TrainedModel alone = OpenModel(directory_.path() + "/alone.safetensors");
  EXPECT_FALSE(TrainingLengthsOf(alone));
  const LanguageScore unknown =
      LanguageScorer(*language, std::nullopt).Score(alone.Encode("0 1 # 1 0"));
  EXPECT_TRUE(std::isnan(unknown.log_p));
  EXPECT_NEAR(unknown.log_p_given_length, -2 * std::log(2), 1e-12);
  EXPECT_EQ(unknown.objection, "");
  EXPECT_EQ(LanguageOf(OpenModel(text_), 9), nullptr);
}

}  // namespace
}  // namespace pushdown
