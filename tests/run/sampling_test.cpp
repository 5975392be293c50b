// How the next symbol is chosen: top-k against a truncation by hand, and beam search against the
// enumeration of all strings.

#include "pushdown/run/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/run/beam_search.h"
#include "pushdown/run/scoring.h"
#include "tests/run/known_model.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

using testing_files::TemporaryDirectory;
using testing_runs::KnownStrings;
using testing_runs::KnownText;
using testing_runs::SmallRun;
using testing_runs::SmallTextRun;
using testing_runs::WriteText;
using Strings = std::vector<std::vector<int>>;

std::vector<float> Logs(const std::vector<double>& probabilities) {
  std::vector<float> logs;
  for (const double p : probabilities) logs.push_back(static_cast<float>(std::log(p)));
  return logs;
}

void ExpectFrequencies(const std::vector<double>& probabilities, double temperature, int top_k,
                       const std::vector<double>& expected) {
  constexpr int kCount = 20000;
  const std::vector<float> logs = Logs(probabilities);
  Random random(3, 0);
  std::vector<int> counts(logs.size());
  for (int n = 0; n < kCount; ++n) {
    ++counts[static_cast<std::size_t>(ChooseSymbol(logs, temperature, random, top_k))];
  }
  for (std::size_t n = 0; n < counts.size(); ++n) {
    const double p = expected[n];
    // Five standard deviations; what was cut off never comes.
    EXPECT_NEAR(counts[n], kCount * p, 5 * std::sqrt(kCount * p * (1 - p))) << n;
  }
}

TEST(TopK, TheMostProbableOnesShareTheProbability) {
  ExpectFrequencies({0.1, 0.5, 0.1, 0.3}, 1, 2, {0, 5.0 / 8, 0, 3.0 / 8});
  // Of equally probable ones, the first.
  ExpectFrequencies({0.1, 0.5, 0.1, 0.3}, 1, 3, {1.0 / 9, 5.0 / 9, 0, 3.0 / 9});
  ExpectFrequencies({0.1, 0.5, 0.1, 0.3}, 1, 1, {0, 1, 0, 0});
  // p^2 at this temperature.
  ExpectFrequencies({0.1, 0.5, 0.1, 0.3}, 0.5, 2, {0, 25.0 / 34, 0, 9.0 / 34});
}

TEST(TopK, AllSymbolsAreDrawnAsWithoutIt) {
  const std::vector<float> logs = Logs({0.1, 0.5, 0.1, 0.3});
  for (const int top_k : {4, 100}) {
    Random random(5, 0);
    Random same(5, 0);
    for (int n = 0; n < 100; ++n) {
      EXPECT_EQ(ChooseSymbol(logs, 1, random, top_k), ChooseSymbol(logs, 1, same));
    }
  }
}

TEST(TopK, StringsHaveNoOtherSymbols) {
  const TrainedModel model = KnownStrings({"a", "b", "c"}, {0.2, 0.4, 0.1, 0.3});
  std::set<int> seen;
  for (const SampledString& sample : model.Sample(100, {.top_k = 2, .max_length = 50})) {
    seen.insert(sample.symbols.begin(), sample.symbols.end());
    EXPECT_TRUE(sample.ended);
    // The probabilities are still those of the model.
    EXPECT_NEAR(sample.log_p,
                static_cast<double>(sample.symbols.size()) * std::log(0.4) + std::log(0.3), 1e-4);
  }
  EXPECT_EQ(seen, std::set<int>{1});
}

TEST(BeamSearch, MoreHypothesesThanMemoryHoldsAreRefused) {
  const TrainedModel model = KnownStrings({"a", "b"}, {0.5, 0.2, 0.3});
  const std::unique_ptr<Predictor> predictor = model.MakePredictor(1000);
  try {
    BeamSearch(*predictor, {.beams = 2000000000, .max_length = 1000});
    FAIL() << "it was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kLimit);
  }
}

TEST(BeamSearch, StringsByHand) {
  const TrainedModel models[] = {KnownStrings({"a", "b"}, {0.5, 0.2, 0.3}),
                                 KnownText({"a", "b", "<eos>"}, {0.5, 0.2, 0.3})};
  for (const TrainedModel& model : models) {
    const std::unique_ptr<Predictor> predictor = model.MakePredictor(10);
    // "" has 0.3, and a 0.5; then a a has 0.25, which is less.
    const std::vector<SampledString> one = BeamSearch(*predictor, {.beams = 1, .max_length = 10});
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].symbols, std::vector<int>{});
    EXPECT_NEAR(one[0].log_p, std::log(0.3), 1e-5);
    // "", a with 0.15, a a with 0.075, b with 0.06, a a a with 0.0375, a b and b a with 0.03.
    const std::vector<SampledString> five = BeamSearch(*predictor, {.beams = 5, .max_length = 10});
    ASSERT_EQ(five.size(), 5u);
    EXPECT_EQ(five[1].symbols, (std::vector<int>{0}));
    EXPECT_EQ(five[2].symbols, (std::vector<int>{0, 0}));
    EXPECT_EQ(five[3].symbols, (std::vector<int>{1}));
    EXPECT_EQ(five[4].symbols, (std::vector<int>{0, 0, 0}));
    EXPECT_NEAR(five[4].log_p, std::log(0.0375), 1e-5);
    for (const SampledString& string : five) EXPECT_TRUE(string.ended);
    // A prompt is part of the string, and not of log p.
    const std::vector<SampledString> prompted =
        BeamSearch(*predictor, {.beams = 2, .max_length = 10, .prompt = {1}});
    ASSERT_EQ(prompted.size(), 2u);
    EXPECT_EQ(prompted[1].symbols, (std::vector<int>{1, 0}));
    EXPECT_NEAR(prompted[1].log_p, std::log(0.15), 1e-5);
    // No more than there are.
    EXPECT_EQ(BeamSearch(*predictor, {.beams = 9, .max_length = 1}).size(), 3u);
    EXPECT_EQ(BeamSearch(*predictor, {.beams = 9, .max_length = 1, .prompt = {0, 1}}).size(), 1u);
  }
}

// All strings of up to max_length symbols that begin with the prompt.
Strings AllStrings(const TrainedModel& model, const std::vector<int>& prompt, int max_length) {
  Strings all = {prompt};
  for (std::size_t n = 0; n < all.size(); ++n) {
    if (static_cast<int>(all[n].size()) == max_length) continue;
    for (int symbol = 0; symbol < model.vocabulary.size(); ++symbol) {
      if (symbol == model.end()) continue;
      all.push_back(all[n]);
      all.back().push_back(symbol);
    }
  }
  return all;
}

// With as many beams as there are strings of the greatest length, nothing is lost. The enumeration
// reads whole strings, the search symbol by symbol from where it was.
void ExpectBestStrings(const TrainedModel& model, const std::vector<int>& prompt, int max_length,
                       int beams) {
  const Strings all = AllStrings(model, prompt, max_length);
  std::map<std::vector<int>, double> expected;
  const double of_prompt = [&] {
    double sum = 0;
    const Trace trace = model.Read(prompt);
    for (std::size_t n = 0; n < prompt.size(); ++n) sum += trace.log_probabilities[n];
    return sum;
  }();
  std::vector<double> best;
  for (const std::vector<int>& string : all) {
    const double log_p = ScoreStrings(model, Strings{string})[0].log_p() - of_prompt;
    expected[string] = log_p;
    best.push_back(log_p);
  }
  std::sort(best.rbegin(), best.rend());
  const std::unique_ptr<Predictor> predictor = model.MakePredictor(max_length);
  const std::vector<SampledString> found =
      BeamSearch(*predictor, {.beams = beams, .max_length = max_length, .prompt = prompt});
  ASSERT_EQ(found.size(), std::min(best.size(), static_cast<std::size_t>(beams)));
  std::set<std::vector<int>> distinct;
  for (std::size_t n = 0; n < found.size(); ++n) {
    EXPECT_NEAR(found[n].log_p, best[n], 1e-4) << n;
    EXPECT_NEAR(found[n].log_p, expected.at(found[n].symbols), 1e-4) << n;
    distinct.insert(found[n].symbols);
  }
  EXPECT_EQ(distinct.size(), found.size());
}

TEST(BeamSearch, FindsTheMostProbableOfAllStrings) {
  const TemporaryDirectory directory;
  for (const char* name : {"rns-1-2", "vrns-1-2-2", "sup-2"}) {
    SCOPED_TRACE(name);
    const std::string run = directory.path() + "/" + name;
    pushdown::Run::Create(run, SmallRun({}, name)).Train({.threads = 1});
    const TrainedModel model = OpenModel(run);
    ExpectBestStrings(model, {}, 4, 81);
    ExpectBestStrings(model, {0, 2}, 5, 27);
  }
}

TEST(BeamSearch, FindsTheMostProbableOfAllSentences) {
  const TemporaryDirectory directory;
  WriteText(directory, "text");
  const std::string run = directory.path() + "/lm";
  pushdown::Run::Create(run, SmallTextRun(directory.path() + "/text")).Train({.threads = 1});
  TrainedModel model = OpenModel(run);
  // Hardly trained, it would predict nearly the same words after all others.
  for (float& parameter : model.parameters) parameter *= 20;
  ExpectBestStrings(model, {}, 3, 64);
  // Longer than the window of four.
  ExpectBestStrings(model, model.EncodePrompt("a b a b"), 6, 16);
}

}  // namespace
}  // namespace pushdown
