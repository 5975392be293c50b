#include "pushdown/run/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

namespace pushdown {

Sampler::Sampler(Predictor& predictor, SamplingOptions options, std::function<void()> check)
    : predictor_(predictor), options_(std::move(options)), check_(std::move(check)) {}

SampledString Sampler::Next() {
  const auto read = [this](int symbol) {
    if (check_) check_();
    predictor_.Read(symbol);
  };
  if (options_.running && number_ > 0) {
    read(predictor_.end());
  } else {
    predictor_.Start();
  }
  Random random(options_.seed, number_++);
  SampledString sample;
  for (const int symbol : options_.prompt) {
    sample.symbols.push_back(symbol);
    read(symbol);
  }
  while (true) {
    const std::span<const float> log_probabilities = predictor_.log_probabilities();
    const int symbol =
        ChooseSymbol(log_probabilities, options_.temperature, random, options_.top_k);
    sample.ended = symbol == predictor_.end();
    const bool full = sample.symbols.size() >= static_cast<std::size_t>(options_.max_length);
    if (full && !sample.ended) return sample;
    sample.log_p += static_cast<double>(log_probabilities[static_cast<std::size_t>(symbol)]);
    if (sample.ended) return sample;
    sample.symbols.push_back(symbol);
    read(symbol);
  }
}

int ChooseSymbol(std::span<const float> log_probabilities, double temperature, Random& random,
                 int top_k) {
  if (top_k > 0 && static_cast<std::size_t>(top_k) < log_probabilities.size()) {
    const std::vector<int> kept = MostProbable(log_probabilities, top_k);
    std::vector<float> of_kept;
    of_kept.reserve(kept.size());
    for (const int symbol : kept) {
      of_kept.push_back(log_probabilities[static_cast<std::size_t>(symbol)]);
    }
    return kept[static_cast<std::size_t>(ChooseSymbol(of_kept, temperature, random))];
  }
  const auto best = std::max_element(log_probabilities.begin(), log_probabilities.end());
  const auto number = [&](auto symbol) {
    return static_cast<int>(symbol - log_probabilities.begin());
  };
  if (temperature == 0) return number(best);
  const auto weight = [&](float log_p) {
    return std::exp((static_cast<double>(log_p) - static_cast<double>(*best)) / temperature);
  };
  double total = 0;
  for (const float log_p : log_probabilities) total += weight(log_p);
  double rest = random.Uniform() * total;
  for (auto symbol = log_probabilities.begin(); symbol != log_probabilities.end(); ++symbol) {
    rest -= weight(*symbol);
    if (rest < 0) return number(symbol);
  }
  return number(best);  // rounding
}

std::vector<int> MostProbable(std::span<const float> log_probabilities, int count) {
  std::vector<int> symbols(log_probabilities.size());
  std::iota(symbols.begin(), symbols.end(), 0);
  const auto log_p = [&](int symbol) {
    return log_probabilities[static_cast<std::size_t>(symbol)];
  };
  const std::size_t kept =
      count > 0 ? std::min(static_cast<std::size_t>(count), symbols.size()) : symbols.size();
  const auto end = symbols.begin() + static_cast<std::ptrdiff_t>(kept);
  std::partial_sort(symbols.begin(), end, symbols.end(), [&](int a, int b) {
    return log_p(a) != log_p(b) ? log_p(a) > log_p(b) : a < b;
  });
  symbols.erase(end, symbols.end());
  return symbols;
}

}  // namespace pushdown
