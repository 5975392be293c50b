#include "pushdown/run/text_data.h"

#include <filesystem>
#include <system_error>

#include "pushdown/error.h"
#include "pushdown/memory.h"
#include "pushdown/run/task_data.h"

namespace pushdown {

double MaxTextBytes() { return MemoryLimit() / 8; }

std::string DataComplaint(const std::string& directory, const std::string& message) {
  std::error_code ignored;
  const bool moved = !std::filesystem::exists(directory, ignored);
  return "--data: " + message + (moved ? "; if it was moved, give --data DIR" : "");
}

TextCorpus ReadTextData(const std::string& directory) {
  try {
    return ReadTextCorpus(directory, MaxTextBytes());
  } catch (const Error& error) {
    throw Error(error.kind(), error.function(), DataComplaint(directory, error.message()));
  }
}

// A text is one long string.
std::string FingerprintOf(const TextCorpus& corpus) {
  return FingerprintOf(corpus.vocabulary, {&corpus.training, 1}, {&corpus.validation, 1});
}

}  // namespace pushdown
