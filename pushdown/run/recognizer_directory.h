#pragma once

#include <string>

#include "pushdown/recognizer/compile.h"

namespace pushdown {

// A directory of `pushdown compile` has model.safetensors with the network, and config.json with
// the automaton.

// Throws Error if the directory holds something, or cannot be written.
void WriteRecognizer(const std::string& path, const CompiledRecognizer& recognizer);

// Whether a directory holds a recognizer, and not a training. Throws Error if its config.json
// cannot be read.
bool HoldsRecognizer(const std::string& path);

// Throws Error, which names the file that is wrong.
CompiledRecognizer ReadRecognizer(const std::string& path);

}  // namespace pushdown
