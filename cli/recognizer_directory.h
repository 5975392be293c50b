#pragma once

#include <string>
#include <vector>

#include "pushdown/formal/pushdown_automaton.h"
#include "pushdown/recognizer/recognizer.h"

namespace pushdown::cli {

// A directory of `pushdown compile`: model.safetensors, and config.json with the automaton.
struct CompiledRecognizer {
  std::vector<std::string> sources;  // the files that it was made from
  PushdownAutomaton automaton;
  RecognizerNetwork network;
};

// Throws Error if the directory holds something, or cannot be written.
void WriteRecognizer(const std::string& path, const CompiledRecognizer& recognizer);

// Throws UsageError, naming the file.
CompiledRecognizer ReadRecognizer(const std::string& path);

}  // namespace pushdown::cli
