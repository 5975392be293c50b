#include "pushdown/formal/inside_weights.h"

#include <string>

#include "pushdown/error.h"
#include "pushdown/interruption.h"

namespace pushdown {
namespace {

constexpr double kMaxBytes = 2e9;
constexpr double kMaxProducts = 1e12;

}  // namespace

InsideWeights::InsideWeights(const NormalGrammar& grammar, int max_length,
                             const std::function<void(double)>& progress)
    : grammar_(grammar), max_length_(max_length) {
  if (max_length < 0) {
    throw Error("pushdown::InsideWeights", "the longest length is " + std::to_string(max_length));
  }
  const int pair_count = static_cast<int>(grammar.pairs().size());
  int rows = 0;
  for (const NormalGrammar::Pair& pair : grammar.pairs()) {
    const bool convolution = !grammar.IsTerminal(pair.left) && !grammar.IsTerminal(pair.right);
    convolutions_.push_back(convolution ? rows++ : -1);
  }
  const double columns = max_length + 1.0;
  const double bytes = (rows + grammar.symbols() - grammar.terminals()) * columns * sizeof(Weight);
  if (bytes > kMaxBytes || rows * columns * columns / 2 > kMaxProducts) {
    throw Error(
        ErrorKind::kLimit, "pushdown::InsideWeights",
        "the grammar is too large for strings of " + std::to_string(max_length) + " symbols");
  }
  const auto lengths = static_cast<std::size_t>(max_length) + 1;
  weights_.resize(static_cast<std::size_t>(grammar.symbols() - grammar.terminals()) * lengths);
  pair_weights_.resize(static_cast<std::size_t>(rows) * lengths);

  for (int length = 1; length <= max_length; ++length) {
    if (length == 1) {
      for (int terminal = 0; terminal < grammar.terminals(); ++terminal) {
        for (const auto& parent : grammar.TerminalParents(terminal)) {
          At(parent.symbol, 1) += parent.weight;
        }
      }
    }
    for (int pair = 0; pair < pair_count; ++pair) {
      CheckInterruption();
      if (convolutions_[pair] >= 0) {
        const auto [left, right] = grammar.pairs()[pair];
        Weight sum;
        for (int split = 1; split < length; ++split) {
          sum += At(left, split) * At(right, length - split);
        }
        pair_weights_[convolutions_[pair] * lengths + length] = sum;
      }
      const Weight weight = OfPair(pair, length);
      if (weight.IsZero()) continue;
      for (const auto& parent : grammar.PairParents(pair)) {
        At(parent.symbol, length) += parent.weight * weight;
      }
    }
    const double done = static_cast<double>(length) / max_length;
    if (progress) progress(done * done);
  }
}

Weight& InsideWeights::At(int symbol, int length) {
  return weights_[static_cast<std::size_t>(symbol - grammar_.terminals()) *
                      (static_cast<std::size_t>(max_length_) + 1) +
                  length];
}

const Weight& InsideWeights::At(int symbol, int length) const {
  return const_cast<InsideWeights*>(this)->At(symbol, length);
}

Weight InsideWeights::OfPair(int pair, int length) const {
  const auto [left, right] = grammar_.pairs()[pair];
  if (length < 2) return 0;
  if (convolutions_[pair] >= 0) {
    return pair_weights_[convolutions_[pair] * (static_cast<std::size_t>(max_length_) + 1) +
                         length];
  }
  if (!grammar_.IsTerminal(left)) return At(left, length - 1);
  if (!grammar_.IsTerminal(right)) return At(right, length - 1);
  return length == 2 ? 1 : 0;
}

Weight InsideWeights::OfLength(int length) const {
  if (length < 0 || length > max_length_) {
    throw Error("pushdown::InsideWeights::OfLength", "length " + std::to_string(length) +
                                                         " is not between 0 and " +
                                                         std::to_string(max_length_));
  }
  return length == 0 ? grammar_.epsilon_weight() : At(grammar_.start(), length);
}

std::vector<int> InsideWeights::Sample(int length, Random& random) const {
  if (OfLength(length).IsZero()) {
    throw Error("pushdown::InsideWeights::Sample",
                "there is no string of length " + std::to_string(length));
  }
  std::vector<int> string;
  string.reserve(static_cast<std::size_t>(length));
  struct Goal {
    int symbol;
    int length;
  };
  std::vector<Goal> goals;  // the next one last
  if (length > 0) goals.push_back({grammar_.start(), length});
  while (!goals.empty()) {
    const Goal goal = goals.back();
    goals.pop_back();
    if (grammar_.IsTerminal(goal.symbol)) {
      string.push_back(goal.symbol);
      continue;
    }
    // If rounding leaves some of the weight over, the last possible choice is taken.
    Weight left_over = At(goal.symbol, goal.length) * random.Uniform();
    const auto expansions = grammar_.Expansions(goal.symbol);
    const NormalGrammar::Expansion* chosen = expansions.data();
    for (const NormalGrammar::Expansion& expansion : expansions) {
      Weight weight = expansion.weight;
      if (expansion.pair >= 0) {
        weight *= OfPair(expansion.pair, goal.length);
      } else if (goal.length != 1) {
        continue;
      }
      if (weight.IsZero()) continue;
      chosen = &expansion;
      if (left_over < weight) break;
      left_over -= weight;
    }
    if (chosen->pair < 0) {
      string.push_back(chosen->terminal);
      continue;
    }
    const auto [left, right] = grammar_.pairs()[chosen->pair];
    int chosen_split = 0;
    if (grammar_.IsTerminal(left)) {
      chosen_split = 1;
    } else if (grammar_.IsTerminal(right)) {
      chosen_split = goal.length - 1;
    } else {
      left_over = OfPair(chosen->pair, goal.length) * random.Uniform();
      for (int split = 1; split < goal.length; ++split) {
        const Weight weight = At(left, split) * At(right, goal.length - split);
        if (weight.IsZero()) continue;
        chosen_split = split;
        if (left_over < weight) break;
        left_over -= weight;
      }
    }
    goals.push_back({right, goal.length - chosen_split});
    goals.push_back({left, chosen_split});
  }
  return string;
}

}  // namespace pushdown
