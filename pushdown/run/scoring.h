#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/run/trained_model.h"

namespace pushdown {

// What a trained model says of somebody's own strings or sentences. Both kinds of models have the
// same functions. Strings are given without their ends; TrainedModel::EncodeLines reads them.

struct StringScore {
  std::vector<double> log_probabilities = {};  // of each symbol, and of the end

  // The sum, log p of the whole string. Natural, as all logarithms.
  double log_p() const;
};

struct ScoringOptions {
  // Text only: the sentences are one text, and each is read after those before it. Otherwise each
  // sentence is read as if it were the first one of a text.
  bool running = false;
  // Computes in double instead of float; not for running text.
  bool in_double = false;
  int threads = 1;
};

// The scores of strings or sentences, in their order. Throws Error, naming the string, if one has
// no finite probability.
std::vector<StringScore> ScoreStrings(const TrainedModel& model,
                                      std::span<const std::vector<int>> strings,
                                      const ScoringOptions& options = {},
                                      const StageProgress& progress = {});

// A symbol that may come next, or the end (TrainedModel::end).
struct NextSymbol {
  int symbol = 0;
  double log_p = 0;
};

// The distribution of the symbol after a prefix, the most probable first, at most `top` symbols
// (0: all). `check`, if there is one, is called before each symbol, and may throw. The predictor
// must be for strings of at least this length.
std::vector<NextSymbol> NextSymbols(Predictor& predictor, std::span<const int> prefix, int top = 0,
                                    const std::function<void()>& check = {});
std::vector<NextSymbol> NextSymbols(const TrainedModel& model, std::span<const int> prefix,
                                    int top = 0);

// Minimal pairs: of two strings, a good model finds the first one more probable.
struct StringPairs {
  std::vector<std::vector<int>> first = {};
  std::vector<std::vector<int>> second = {};  // as many
};

// Reads a text with a pair on each line, whose strings have a tab between them. Throws Error that
// begins with `name`, and names the line.
StringPairs EncodePairs(const TrainedModel& model, std::string_view text, const std::string& name);

struct PairScore {
  double first = 0;  // log p
  double second = 0;

  double difference() const { return first - second; }
};

struct PairScores {
  std::vector<PairScore> pairs = {};
  int correct = 0;  // in how many the first string is the more probable one
  int equal = 0;    // in how many both are equally probable, which does not count as correct

  // NaN if there are no pairs.
  double accuracy() const;
};

PairScores ScorePairs(const TrainedModel& model, const StringPairs& pairs,
                      const ScoringOptions& options = {}, const StageProgress& progress = {});

}  // namespace pushdown
