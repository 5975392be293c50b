#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pushdown/data/string_distribution.h"

namespace pushdown::cli {

// `pushdown score MODEL` and `pushdown lm score`: what a trained model says of strings or
// sentences.
struct ModelScoreCommand {
  std::string model;
  std::vector<std::string> strings;
  std::string file = "-";  // if there are no strings
  bool tokens = false;
  bool next = false;
  int top = 0;  // 0: all
  bool pairs = false;
  bool running = false;
  std::optional<LengthRange> lengths;  // nothing: those of the training
  bool json = false;
  int threads = 1;
  bool lm = false;  // `pushdown lm score`, which is for text only and has no headings
};

void ScoreWithModel(const ModelScoreCommand& command);

}  // namespace pushdown::cli
