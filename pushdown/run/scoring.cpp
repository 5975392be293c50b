#include "pushdown/run/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "pushdown/data/token_lines.h"
#include "pushdown/error.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/memory.h"
#include "pushdown/printable.h"
#include "pushdown/run/text_evaluation.h"
#include "pushdown/worker_pool.h"

namespace pushdown {
namespace {

using Strings = std::span<const std::vector<int>>;

std::size_t LongestOf(Strings strings) {
  std::size_t longest = 0;
  for (const std::vector<int>& string : strings) longest = std::max(longest, string.size());
  return longest;
}

// Threads share the strings. A predictor of each of them reads symbol by symbol.
template <typename T>
std::vector<StringScore> ScoreSeparateStrings(const TrainedModel& model, Strings strings,
                                              int threads, const StageProgress& progress) {
  const int longest = std::max(1, static_cast<int>(LongestOf(strings)));
  threads =
      std::clamp(threads, 1, std::clamp(static_cast<int>(strings.size()), 1, kMaxBlasCallers));
  CheckMemory(threads * model.PredictorBytes<T>(longest),
              fmt::format("{} with strings of {} symbols on {} thread{}", ModelName(model.spec),
                          longest, threads, threads == 1 ? "" : "s"),
              "fewer --threads or shorter strings need less");
  WorkerPool pool(threads);
  ReserveBlasBuffers(pool.threads());
  std::vector<std::unique_ptr<PredictorOf<T>>> predictors(static_cast<std::size_t>(pool.threads()));
  for (std::unique_ptr<PredictorOf<T>>& each : predictors) each = model.MakePredictor<T>(longest);
  std::size_t total = 0;
  for (const std::vector<int>& string : strings) total += string.size() + 1;
  std::atomic<std::size_t> done = 0;
  std::vector<StringScore> scores(strings.size());
  pool.Run(static_cast<int>(strings.size()), [&](int worker, int index) {
    const auto n = static_cast<std::size_t>(index);
    PredictorOf<T>& predictor = *predictors[static_cast<std::size_t>(worker)];
    const auto add = [&](int symbol) {
      scores[n].log_probabilities.push_back(
          static_cast<double>(predictor.log_probabilities()[static_cast<std::size_t>(symbol)]));
      ++done;
      // Worker 0 is the calling thread.
      if (worker == 0 && progress) {
        progress("scoring", static_cast<double>(done) / static_cast<double>(total));
      }
    };
    try {
      predictor.Start();
      for (const int symbol : strings[n]) {
        add(symbol);
        predictor.Read(symbol);
      }
      add(predictor.end());
    } catch (const Error& error) {
      throw Error(error.kind(), error.function(),
                  fmt::format("string {}: {}", n + 1, error.message()));
    }
  });
  return scores;
}

std::vector<StringScore> ScoreTextLines(const TrainedModel& model, Strings sentences,
                                        const ScoringOptions& options,
                                        const StageProgress& progress) {
  std::vector<int> text;
  for (const std::vector<int>& sentence : sentences) {
    text.insert(text.end(), sentence.begin(), sentence.end());
    text.push_back(model.end());
  }
  const std::vector<double> losses =
      options.running ? ScoreText(model, text, {.rows = 1}, options.threads, progress)
                      : ScoreSentences(model, text, options.threads, progress);
  std::vector<StringScore> scores;
  std::size_t place = 0;
  for (const std::vector<int>& sentence : sentences) {
    StringScore& score = scores.emplace_back();
    for (std::size_t n = 0; n <= sentence.size(); ++n) {
      if (!std::isfinite(losses[place])) {
        throw Error(
            ErrorKind::kNumeric, "pushdown::ScoreStrings",
            fmt::format("the model gives no finite probability to sentence {}", scores.size()));
      }
      score.log_probabilities.push_back(-losses[place++]);
    }
  }
  return scores;
}

}  // namespace

double StringScore::log_p() const {
  return std::accumulate(log_probabilities.begin(), log_probabilities.end(), 0.0);
}

std::vector<StringScore> ScoreStrings(const TrainedModel& model, Strings strings,
                                      const ScoringOptions& options,
                                      const StageProgress& progress) {
  for (const std::vector<int>& string : strings) model.CheckSymbols(string);
  if (strings.empty()) return {};
  if (options.in_double && options.running) {
    throw Error("pushdown::ScoreStrings", "running text is not computed in double");
  }
  if (options.in_double) {
    return ScoreSeparateStrings<double>(model, strings, options.threads, progress);
  }
  if (model.kind == DataKind::kText) return ScoreTextLines(model, strings, options, progress);
  if (options.running) {
    throw Error("pushdown::ScoreStrings",
                "strings do not follow from each other; only a model of text reads running text");
  }
  return ScoreSeparateStrings<float>(model, strings, options.threads, progress);
}

std::vector<NextSymbol> NextSymbols(Predictor& predictor, std::span<const int> prefix, int top,
                                    const std::function<void()>& check) {
  predictor.Start();
  for (const int symbol : prefix) {
    if (check) check();
    predictor.Read(symbol);
  }
  const std::span<const float> log_probabilities = predictor.log_probabilities();
  std::vector<NextSymbol> next;
  for (const int symbol : MostProbable(log_probabilities, top)) {
    next.push_back(
        {symbol, static_cast<double>(log_probabilities[static_cast<std::size_t>(symbol)])});
  }
  return next;
}

std::vector<NextSymbol> NextSymbols(const TrainedModel& model, std::span<const int> prefix,
                                    int top) {
  model.CheckSymbols(prefix);
  return NextSymbols(*model.MakePredictor(std::max(1, static_cast<int>(prefix.size()))), prefix,
                     top);
}

StringPairs EncodePairs(const TrainedModel& model, std::string_view text, const std::string& name) {
  const auto fail = [&name](const std::string& message) {
    throw Error("pushdown::EncodePairs", Printable(name, 200) + ": " + message);
  };
  // As two texts, so that lines keep their numbers.
  std::string first;
  std::string second;
  const auto read = [&](std::string_view line, std::size_t number) {
    const std::size_t tab = line.find('\t');
    if (tab == line.npos || line.find('\t', tab + 1) != line.npos) {
      fail(fmt::format("line {}: has {}; a pair is two strings with one tab between them", number,
                       tab == line.npos ? "no tab" : "more than one tab"));
    }
    first.append(line.substr(0, tab)) += '\n';
    second.append(line.substr(tab + 1)) += '\n';
  };
  ForEachLine(text, read, fail);
  return {model.EncodeLines(first, name + ", the first of each pair"),
          model.EncodeLines(second, name + ", the second of each pair")};
}

double PairScores::accuracy() const {
  return pairs.empty() ? std::numeric_limits<double>::quiet_NaN()
                       : correct / static_cast<double>(pairs.size());
}

PairScores ScorePairs(const TrainedModel& model, const StringPairs& pairs,
                      const ScoringOptions& options, const StageProgress& progress) {
  if (pairs.first.size() != pairs.second.size()) {
    throw Error("pushdown::ScorePairs", "the pairs do not have two strings each");
  }
  if (options.running) {
    throw Error("pushdown::ScorePairs", "pairs are alternatives, and cannot be running text");
  }
  // All at once, so that threads and rows have enough to do.
  std::vector<std::vector<int>> all = pairs.first;
  all.insert(all.end(), pairs.second.begin(), pairs.second.end());
  const std::vector<StringScore> scores = ScoreStrings(model, all, options, progress);
  PairScores result;
  const std::size_t count = pairs.first.size();
  for (std::size_t n = 0; n < count; ++n) {
    // The same sentence may be rounded in two ways, beside others or alone.
    const bool same = pairs.first[n] == pairs.second[n];
    const PairScore& pair = result.pairs.emplace_back(
        PairScore{scores[n].log_p(), scores[same ? n : n + count].log_p()});
    if (pair.first > pair.second) ++result.correct;
    if (pair.first == pair.second) ++result.equal;
  }
  return result;
}

}  // namespace pushdown
