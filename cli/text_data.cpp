#include "cli/text_data.h"

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

// A text is one long string.
std::string FingerprintOf(const TextCorpus& corpus) {
  return FingerprintOf(corpus.vocabulary, {&corpus.training, 1}, {&corpus.validation, 1});
}

}  // namespace pushdown::cli
