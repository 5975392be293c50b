// A project of somebody else's that uses the installed package.

#include <pushdown/formal/languages.h>
#include <pushdown/kernels/nondeterministic_stack.h>

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
  // Two stack symbols: push the second with weight 3, or keep the bottom with weight 1.
  const double never = -INFINITY;
  const std::vector<double> logits = {never, std::log(3.0), 0,     never, never,
                                      never, never,         never, never, never};
  std::vector<double> reading(2);
  pushdown::NondeterministicStack<double> stack({.states = 1, .symbols = 2}, /*max_steps=*/1);
  stack.Start(nullptr, reading.data());
  stack.Step(logits.data(), nullptr, reading.data());
  std::printf("%.3f %.3f\n", reading[0], reading[1]);
  if (std::abs(reading[0] - 0.25) > 1e-15 || std::abs(reading[1] - 0.75) > 1e-15) return 1;

  // One of the two strings (1 )1 and (2 )2.
  const auto dyck = pushdown::MakeLanguage(pushdown::FindLanguage("dyck"), {.symbols = 2}, 10);
  pushdown::Random random(1);
  const double log_p = dyck->LogProbabilityGivenLength(dyck->Sample(2, random));
  std::printf("%.3f\n", log_p);
  return std::abs(log_p - std::log(0.5)) < 1e-12 ? 0 : 1;
}
