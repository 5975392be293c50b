#pragma once

#include <string>

#include "pushdown/recognizer/compile.h"

namespace pushdown::cli {

// A directory of `pushdown compile` has model.safetensors with the network, and config.json with
// the automaton.

// Throws Error if the directory holds something, or cannot be written.
void WriteRecognizer(const std::string& path, const CompiledRecognizer& recognizer);

// Throws UsageError, which names the file that is wrong.
CompiledRecognizer ReadRecognizer(const std::string& path);

}  // namespace pushdown::cli
