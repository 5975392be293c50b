#pragma once

#include <cstdint>
#include <string>

#include "cli/command.h"

namespace pushdown::cli {

// `pushdown generate` and `pushdown lm generate`.
struct GenerateCommand {
  std::string run = {};
  std::int64_t count = 10;
  std::uint64_t seed = 1;
  double temperature = 1;
  bool greedy = false;
  int top_k = 0;       // 0: all
  int beams = 0;       // 0: no beam search
  int max_length = 0;  // 0: not given
  std::string prompt = {};
  bool running = false;
  bool json = false;
  int threads = 1;
  bool lm = false;  // for text only, and prints sentences without marks
};

// The command must live until it runs.
void AddGenerateOptions(Command generate, GenerateCommand& command);
// `generate` says which options are given.
void Generate(const Command& generate, GenerateCommand command);

// What is the same in the help of both.
extern const char* const kGenerateHelp;

}  // namespace pushdown::cli
