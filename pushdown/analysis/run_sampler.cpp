#include "pushdown/analysis/run_sampler.h"

#include <cstddef>

#include "pushdown/error.h"
#include "pushdown/kernels/denormals.h"

namespace pushdown {
namespace {

// Draws a number in proportion to weights that sum to `total`.
class Lottery {
 public:
  Lottery(double total, Random& random) : rest_(total * random.Uniform()) {}

  // True if this number is drawn; none must be offered after that.
  bool Offer(double weight, int number) {
    if (!(weight > 0)) return false;
    drawn_ = number;
    rest_ -= weight;
    return rest_ < 0;
  }
  // If rounding has lost a little of the total, it is the last number that had a weight.
  int drawn() const {
    if (drawn_ < 0) {
      throw Error(ErrorKind::kNumeric, "pushdown::RunSampler",
                  "probabilities have become too small for numbers of double precision");
    }
    return drawn_;
  }

 private:
  double rest_;
  int drawn_ = -1;
};

}  // namespace

double RunSampler::Share(int i, int t, int source, int target) const {
  const WfaColumn<double>& column = wfa_.column(t);
  return column.shares[target * column.stride + (i - column.low) * spec_.pairs() + source];
}

// The stretch whose symbol is on top after t steps, given the pair.
RunSampler::Stretch RunSampler::SampleTop(int t, int target, Random& random) const {
  const int pairs = spec_.pairs();
  const WfaColumn<double>& column = wfa_.column(t);
  const double* shares = column.shares + target * column.stride;
  Lottery lottery(1, random);
  // The newest rows first, which are the likeliest.
  for (int n = (t - column.low) * pairs - 1; n >= 0; --n) {
    if (lottery.Offer(shares[n], n)) break;
  }
  return {column.low + lottery.drawn() / pairs, t, lottery.drawn() % pairs, target};
}

// How the last step of a stretch was taken: by replacing, in which case the result is the pair
// before, or by popping back to time k and state u, in which case it is P + k * |Q| + u.
int RunSampler::SampleLastStep(const Stretch& stretch, Random& random) const {
  const auto [i, t, source, target] = stretch;
  const int pairs = spec_.pairs();
  const int states = spec_.states;
  const int symbols = spec_.symbols;
  const WfaColumn<double>& column = wfa_.column(t);
  Lottery lottery(Share(i, t, source, target), random);
  for (int from = 0; from < pairs; ++from) {
    const double share = column.transitions[from * 2 * pairs + pairs + target];
    if (!(share > 0)) continue;
    if (lottery.Offer(share * Share(i, t - 1, source, from), from)) return from;
  }
  const double* uncovered = column.uncovered + target / symbols * column.stride;
  for (int k = t - 2; k > i; --k) {
    for (int u = 0; u < states; ++u) {
      const int pair = u * symbols + target % symbols;
      const double share = uncovered[(k - column.low) * pairs + pair];
      if (!(share > 0)) continue;
      const int number = pairs + k * states + u;
      if (lottery.Offer(share * Share(i, k, source, pair), number)) return number;
    }
  }
  return lottery.drawn();
}

// The pair from which step t popped what had been pushed in step k + 1 on top of a pair, to a
// state.
int RunSampler::SamplePopped(int k, int t, int below, int state, Random& random) const {
  const int pairs = spec_.pairs();
  const double* pop = wfa_.column(t).pop;
  const auto weight = [&](int from) {
    return Share(k, t - 1, below, from) * pop[from * spec_.states + state];
  };
  double total = 0;
  for (int from = 0; from < pairs; ++from) total += weight(from);
  Lottery lottery(total, random);
  for (int from = 0; from < pairs; ++from) {
    if (lottery.Offer(weight(from), from)) break;
  }
  return lottery.drawn();
}

void RunSampler::SampleStretch(const Stretch& whole, Random& random,
                               std::vector<RunTransition>& transitions) const {
  const int pairs = spec_.pairs();
  const int states = spec_.states;
  const int symbols = spec_.symbols;
  std::vector<Stretch> stretches = {whole};
  while (!stretches.empty()) {
    Stretch stretch = stretches.back();
    stretches.pop_back();
    while (stretch.t > stretch.i + 1) {
      const int t = stretch.t;
      const int state = stretch.target / symbols;
      const int symbol = stretch.target % symbols;
      const int step = SampleLastStep(stretch, random);
      RunTransition& transition = transitions[static_cast<std::size_t>(t - 1)];
      if (step < pairs) {
        transition = {StackOperation::kReplace, state, symbol};
        stretch.t = t - 1;
        stretch.target = step;
      } else {
        transition = {StackOperation::kPop, state, -1};
        stretch.t = (step - pairs) / states;
        stretch.target = (step - pairs) % states * symbols + symbol;
        stretches.push_back({stretch.t, t - 1, stretch.target,
                             SamplePopped(stretch.t, t, stretch.target, state, random)});
      }
    }
    if (stretch.i < 0) continue;  // the bottom symbol is not pushed
    transitions[static_cast<std::size_t>(stretch.i)] = {
        StackOperation::kPush, stretch.target / symbols, stretch.target % symbols};
  }
}

std::vector<RunTransition> RunSampler::Sample(Random& random) const {
  const FlushDenormals flush;
  int t = wfa_.now();
  std::vector<RunTransition> transitions(static_cast<std::size_t>(t));
  Lottery lottery(1, random);
  for (int pair = 0; pair < spec_.pairs(); ++pair) {
    if (lottery.Offer(wfa_.column(t).alpha[pair], pair)) break;
  }
  int target = lottery.drawn();
  // From the top of the last stack down to its bottom, which has no row if it is the old one.
  while (t > 0) {
    const Stretch top = SampleTop(t, target, random);
    SampleStretch(top, random, transitions);
    t = top.i;
    target = top.source;
  }
  return transitions;
}

}  // namespace pushdown
