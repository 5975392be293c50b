#include "cli/text_data.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/memory.h"
#include "cli/task_data.h"

namespace pushdown::cli {

double MaxTextBytes() { return MemoryLimit() / 8; }

TextCorpus ReadTextData(const std::string& directory) {
  try {
    return ReadTextCorpus(directory, MaxTextBytes());
  } catch (const Error& error) {
    ThrowIfInterrupted();
    throw UsageError("--data: " + MessageForUser(error));
  }
}

std::string PerplexityText(double cross_entropy) {
  const double perplexity = std::exp(cross_entropy);
  return perplexity < 1e6 ? fmt::format("{:.2f}", perplexity) : fmt::format("{:.3g}", perplexity);
}

// A text is one long string.
std::string FingerprintOf(const TextCorpus& corpus) {
  return FingerprintOf(corpus.vocabulary, {&corpus.training, 1}, {&corpus.validation, 1});
}

}  // namespace pushdown::cli
