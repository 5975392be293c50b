#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pushdown/random.h"
#include "pushdown/run/predictor.h"

namespace pushdown {

struct SamplingOptions {
  std::uint64_t seed = 1;
  double temperature = 1;        // below 1, improbable symbols become rarer; 0: the most probable
  int top_k = 0;                 // draws from the k most probable symbols only; 0: from all
  int max_length = 0;            // longer strings are cut, the prompt included; 0: a default
  std::vector<int> prompt = {};  // every sample begins with it
  bool running = false;          // text only: each sentence continues the sentences before it
};

struct SampledString {
  std::vector<int> symbols = {};  // including the prompt, without the end
  double log_p = 0;               // of what follows the prompt, including the end if there is one
  bool ended = false;             // false if the string was cut
};

// Samples strings or sentences. Each has a number, 0, 1, 2, ..., and a stream of random numbers of
// its own, so that it does not depend on how many are sampled.
class Sampler {
 public:
  // The predictor must outlive the sampler. `check`, if there is one, is called before each symbol,
  // and may throw.
  Sampler(Predictor& predictor, SamplingOptions options, std::function<void()> check = {});

  SampledString Next();

 private:
  Predictor& predictor_;
  SamplingOptions options_;
  std::function<void()> check_;
  std::uint64_t number_ = 0;
};

// Draws the next symbol, with a probability proportional to p^(1/temperature) if it is one of the
// top_k most probable symbols, and zero otherwise. At temperature zero, the result is the most
// probable symbol. The end is a symbol like others.
int ChooseSymbol(std::span<const float> log_probabilities, double temperature, Random& random,
                 int top_k = 0);

// The most probable symbols in their order, at most `count` of them (0: all). Of equally probable
// ones, the symbol with the smaller number comes first.
std::vector<int> MostProbable(std::span<const float> log_probabilities, int count);

}  // namespace pushdown
