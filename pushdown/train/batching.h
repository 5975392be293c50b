#pragma once

#include <cstdint>

namespace pushdown {

// How strings are put into batches for training.
struct StringsBatching {
  int batch_size = 10;
  std::uint64_t shuffle_seed = 1;  // of the order of the batches, which differs in each epoch
};

// How a stream of text is cut into batches, in training and in evaluation.
struct TextBatching {
  int rows = 32;          // parts of the text that are read side by side
  int chunk_length = 35;  // steps of a batch; gradients are cut between chunks
};

}  // namespace pushdown
