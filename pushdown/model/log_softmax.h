#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace pushdown {

// log p of each output in place of its logit.
template <typename T>
void LogSoftmaxInPlace(std::span<T> logits) {
  const auto largest = static_cast<double>(*std::max_element(logits.begin(), logits.end()));
  double sum = 0;
  for (const T logit : logits) sum += std::exp(static_cast<double>(logit) - largest);
  const double shift = largest + std::log(sum);
  for (T& logit : logits) logit = static_cast<T>(static_cast<double>(logit) - shift);
}

}  // namespace pushdown
