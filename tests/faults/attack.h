#pragma once

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "tests/cli/program.h"
#include "tests/sanitized.h"

namespace pushdown::testing_faults {

// Files by their path in a directory.
using FileTexts = std::map<std::string, std::string>;

// Whether everything is tried, as by `make test-faults`, or a sample of it.
inline bool TryAll() {
  const char* value = std::getenv("PUSHDOWN_FAULTS");
  return value != nullptr && std::string_view(value) == "all";
}

// Longer than any command here takes on the slowest machine: who takes longer hangs.
inline constexpr unsigned kHangSeconds = 60;

// Those of a run's files, or of its restarts', that are the same bit for bit whatever happened to
// the training.
inline FileTexts Results(FileTexts files) {
  std::erase_if(files, [](const auto& file) {
    return !file.first.ends_with("metrics.jsonl") && !file.first.ends_with("model.safetensors");
  });
  return files;
}

// A command that fails says why in its last line.
inline void ExpectComplaint(const testing_cli::ProgramResult& result) {
  const std::size_t size = result.err.size();
  const std::size_t before = size < 2 ? result.err.npos : result.err.rfind('\n', size - 2);
  const std::string last = result.err.substr(before == result.err.npos ? 0 : before + 1);
  EXPECT_TRUE(last.starts_with("pushdown: ") && last.ends_with("\n")) << result.err;
}

// What a process that ended has left half written, below a directory.
inline std::string Leftovers(const std::string& directory) {
  std::string names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.find(".tmp.") != name.npos) names += name + "\n";
  }
  return names;
}

}  // namespace pushdown::testing_faults
