#include "pushdown/run/beam_search.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/memory.h"

namespace pushdown {
namespace {

// A string that has not ended.
struct Hypothesis {
  std::vector<int> symbols = {};
  double log_p = 0;
  std::shared_ptr<const std::string> before = {};  // the predictor before the last symbol; or null
};

// A hypothesis with one more symbol.
struct Extension {
  double log_p = 0;
  std::size_t parent = 0;
  int symbol = 0;
};

// Keeps the most probable ones of a list in their order. The sort is stable, so that what was found
// first stays first.
template <typename T>
void KeepBest(std::vector<T>& list, std::size_t count) {
  std::stable_sort(list.begin(), list.end(),
                   [](const T& a, const T& b) { return a.log_p > b.log_p; });
  if (list.size() > count) list.resize(count);
}

}  // namespace

std::vector<SampledString> BeamSearch(Predictor& predictor, const BeamOptions& options,
                                      const std::function<void(double)>& progress) {
  if (options.beams < 1) throw Error("pushdown::BeamSearch", "there must be at least one beam");
  const auto beams = static_cast<std::size_t>(options.beams);
  const auto max_length = static_cast<std::size_t>(std::max(0, options.max_length));
  predictor.Start();
  for (const int symbol : options.prompt) {
    if (progress) progress(0);
    predictor.Read(symbol);
  }
  const std::size_t outputs = predictor.log_probabilities().size();
  const double symbols_bytes = static_cast<double>(max_length) * sizeof(int);
  const double hypothesis_bytes = static_cast<double>(predictor.Save().size()) +
                                  2 * (symbols_bytes + sizeof(Hypothesis)) + 3 * sizeof(Extension);
  CheckMemory(2.0 * static_cast<double>(beams) * hypothesis_bytes +
                  2.0 * static_cast<double>(outputs) * sizeof(Extension),
              "a beam search with " + std::to_string(beams) + " hypotheses",
              "a smaller --beam or --max-length needs less");
  std::vector<SampledString> ended;
  std::vector<Hypothesis> hypotheses = {{.symbols = options.prompt}};
  for (std::size_t length = options.prompt.size(); !hypotheses.empty(); ++length) {
    std::vector<Extension> extensions;
    std::vector<std::shared_ptr<const std::string>> states;
    for (std::size_t n = 0; n < hypotheses.size(); ++n) {
      const Hypothesis& hypothesis = hypotheses[n];
      if (progress) progress(static_cast<double>(length) / static_cast<double>(max_length + 1));
      if (hypothesis.before) {
        predictor.Restore(*hypothesis.before);
        predictor.Read(hypothesis.symbols.back());
      }
      const std::span<const float> next = predictor.log_probabilities();
      const auto log_p = [&](int symbol) {
        return hypothesis.log_p + static_cast<double>(next[static_cast<std::size_t>(symbol)]);
      };
      ended.push_back(
          {.symbols = hypothesis.symbols, .log_p = log_p(predictor.end()), .ended = true});
      if (length >= max_length) continue;
      // One more, since the end may be among them.
      const int most = static_cast<int>(std::min(beams, outputs)) + 1;
      for (const int symbol : MostProbable(next, most)) {
        if (symbol != predictor.end()) extensions.push_back({log_p(symbol), n, symbol});
      }
      // All extensions together would be many times as many as are kept.
      if (extensions.size() > 2 * beams + outputs) KeepBest(extensions, beams);
      states.push_back(std::make_shared<const std::string>(predictor.Save()));
    }
    KeepBest(ended, beams);
    KeepBest(extensions, beams);
    std::vector<Hypothesis> longer;
    for (const Extension& extension : extensions) {
      if (ended.size() == beams && extension.log_p <= ended.back().log_p) break;
      longer.push_back(
          {hypotheses[extension.parent].symbols, extension.log_p, states[extension.parent]});
      longer.back().symbols.push_back(extension.symbol);
    }
    hypotheses = std::move(longer);
  }
  if (progress) progress(1);
  return ended;
}

}  // namespace pushdown
