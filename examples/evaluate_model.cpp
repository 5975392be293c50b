// Compares a run with the exact optimum of its language at each length of the strings. A model that
// also has to predict where a string ends, as all do, cannot quite reach the optimum of a length.

#include <pushdown/run/evaluation.h>

#include <cstdio>

int main(int argc, char** argv) {
  using namespace pushdown;
  if (argc != 2) return 2;
  const Evaluation evaluation = Evaluate(argv[1], {.lengths = LengthRange{3, 15}});
  for (const auto& [length, comparison] : evaluation.by_length) {
    std::printf("%3d symbols: %.3f nats a symbol, %+.3f from the optimum of this length\n", length,
                comparison.model.PerSymbol(), comparison.difference());
  }
}
