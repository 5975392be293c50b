#include "pushdown/formal/prefix_weights.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "pushdown/error.h"
#include "pushdown/formal/chart_parser.h"
#include "pushdown/interruption.h"

namespace pushdown {
namespace {

constexpr double kMaxBytes = 1e9;
constexpr double kMaxProducts = 2e10;

// The weight of all that surrounds a symbol which comes right after a prefix, by how many symbols
// come after it: D(A, j, r) is the total weight of the leftmost derivations that have derived the
// first j symbols of the string, and go on with A and then with r symbols, whichever they are. With
// inside weights I of substrings and free weights F of lengths,
//   D(S, 0, 0) = 1,
//   D(B, j, r + l) += D(A, j, r) p(A -> B C) F(C, l),
//   D(C, k, r)     += D(A, j, r) p(A -> B C) I(B, j, k).
// A string of length j + 1 + r begins with the first j + 1 symbols if the symbol is the terminal
// that the string has there.
class Contexts {
 public:
  Contexts(const NormalGrammar& grammar, int lengths)
      : grammar_(grammar), lengths_(static_cast<std::size_t>(lengths)) {}

  // [r]: for one position and symbol.
  std::span<Weight> At(int position, int symbol) {
    const auto row =
        static_cast<std::size_t>(position) * static_cast<std::size_t>(grammar_.symbols()) +
        static_cast<std::size_t>(symbol);
    return std::span(weights_).subspan(row * lengths_, lengths_);
  }
  void AddPosition() {
    weights_.resize(weights_.size() + lengths_ * static_cast<std::size_t>(grammar_.symbols()));
  }

 private:
  const NormalGrammar& grammar_;
  std::size_t lengths_;
  std::vector<Weight> weights_;  // [position, symbol, r]
};

}  // namespace

std::vector<std::vector<Weight>> PrefixWeights(const NormalGrammar& grammar,
                                               const InsideWeights& inside,
                                               std::span<const int> string, int longest) {
  const int length = static_cast<int>(string.size());
  const double columns = longest + 1.0;
  if (columns * length * grammar.symbols() * sizeof(Weight) > kMaxBytes ||
      columns * columns * length * static_cast<double>(grammar.pairs().size()) > kMaxProducts) {
    throw Error(ErrorKind::kLimit, "pushdown::PrefixWeights",
                "the grammar is too large for the prefixes of strings of " +
                    std::to_string(longest) + " symbols");
  }
  std::vector<std::vector<Weight>> weights(
      string.size() + 1, std::vector<Weight>(static_cast<std::size_t>(longest) + 1));
  for (int n = 0; n <= longest; ++n) weights[0][static_cast<std::size_t>(n)] = inside.OfLength(n);

  const std::vector<std::vector<Constituent>> constituents = LeftConstituents(grammar, string);
  Contexts contexts(grammar, longest + 1);
  for (int j = 0; j < length && j < longest; ++j) {
    const auto position = static_cast<std::size_t>(j);
    const int most_after = longest - j - 1;
    const auto is_wrong_terminal = [&](int symbol) {
      return grammar.IsTerminal(symbol) && symbol != string[position];
    };
    contexts.AddPosition();
    if (j == 0) contexts.At(0, grammar.start())[0] = 1;
    for (const Constituent& left : constituents[position]) {
      CheckInterruption();
      const NormalGrammar::PairRange pairs = grammar.PairsWithLeft(left.symbol);
      for (int pair = pairs.first; pair < pairs.last; ++pair) {
        const int right = grammar.pairs()[static_cast<std::size_t>(pair)].right;
        if (is_wrong_terminal(right)) continue;
        const std::span<Weight> to = contexts.At(j, right);
        for (const NormalGrammar::Parent& parent : grammar.PairParents(pair)) {
          const Weight weight = parent.weight * left.weight;
          const std::span<const Weight> from = contexts.At(left.start, parent.symbol);
          for (int after = 0; after <= most_after; ++after) {
            const auto r = static_cast<std::size_t>(after);
            if (from[r]) to[r] += from[r] * weight;
          }
        }
      }
    }
    // A left symbol has more after it than its parent, so that ascending numbers are an order.
    for (int after = 0; after <= most_after; ++after) {
      CheckInterruption();
      for (int symbol = grammar.terminals(); symbol < grammar.symbols(); ++symbol) {
        const Weight context = contexts.At(j, symbol)[static_cast<std::size_t>(after)];
        if (context.IsZero()) continue;
        for (const NormalGrammar::Expansion& expansion : grammar.Expansions(symbol)) {
          const Weight weight = context * expansion.weight;
          if (expansion.pair < 0) {
            if (expansion.terminal == string[position]) {
              contexts.At(j, expansion.terminal)[static_cast<std::size_t>(after)] += weight;
            }
            continue;
          }
          const auto [left, right] = grammar.pairs()[static_cast<std::size_t>(expansion.pair)];
          if (is_wrong_terminal(left)) continue;
          const std::span<Weight> to = contexts.At(j, left);
          const int most_right =
              grammar.IsTerminal(right) ? std::min(1, most_after - after) : most_after - after;
          for (int of_right = 1; of_right <= most_right; ++of_right) {
            to[static_cast<std::size_t>(after + of_right)] +=
                weight * inside.OfSymbol(right, of_right);
          }
        }
      }
    }
    const std::span<const Weight> of_terminal = contexts.At(j, string[position]);
    for (int after = 0; after <= most_after; ++after) {
      weights[position + 1][static_cast<std::size_t>(j + 1 + after)] =
          of_terminal[static_cast<std::size_t>(after)];
    }
  }
  return weights;
}

}  // namespace pushdown
