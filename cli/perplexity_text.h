#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace pushdown::cli {

// exp of a cross-entropy in nats, which may be huge.
inline std::string PerplexityText(double cross_entropy) {
  const double perplexity = std::exp(cross_entropy);
  return perplexity < 1e6 ? fmt::format("{:.2f}", perplexity) : fmt::format("{:.3g}", perplexity);
}

}  // namespace pushdown::cli
