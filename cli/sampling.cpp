#include "cli/sampling.h"

#include <algorithm>
#include <cmath>

namespace pushdown::cli {

int Choose(std::span<const float> log_probabilities, double temperature, Random& random) {
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

}  // namespace pushdown::cli
