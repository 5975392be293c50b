#include "pushdown/kernels/peak.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/simd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "pushdown/kernels/peak.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace pushdown {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Repeats x = factor * x + addend in `rounds` rounds, and returns how many times that is. The sum
// of all x is written, so that the compiler cannot leave them out.
double MultiplyAdd(int rounds, float factor, float addend, volatile float* sum) {
  // Enough of them to hide the latency, and few enough for 16 registers.
  constexpr int kVectors = 12;
  const hn::ScalableTag<float> d;
  using V = hn::Vec<decltype(d)>;
  const V factors = hn::Set(d, factor);
  const V addends = hn::Set(d, addend);
  V x[kVectors];
  for (int v = 0; v < kVectors; ++v) x[v] = hn::Set(d, static_cast<float>(v));
  for (int round = 0; round < rounds; ++round) {
    HWY_UNROLL(12)  // all, so that they stay in registers
    for (V& each : x) each = hn::MulAdd(each, factors, addends);
  }
  for (int v = 1; v < kVectors; ++v) x[0] = hn::Add(x[0], x[v]);
  *sum = hn::GetLane(hn::SumOfLanes(d, x[0]));
  return static_cast<double>(rounds) * kVectors * static_cast<double>(hn::Lanes(d));
}

}  // namespace HWY_NAMESPACE
}  // namespace pushdown
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace pushdown {
namespace {

HWY_EXPORT(MultiplyAdd);

using Clock = std::chrono::steady_clock;

double MedianRate(Clock::time_point deadline) {
  constexpr int kRounds = 20000;  // less than a millisecond
  // x goes to addend / (1 - factor) = 1, neither too large nor too small for fast arithmetic.
  volatile float half = 0.5F;
  volatile float sum = 0;
  std::vector<double> rates;
  Clock::time_point now = Clock::now();
  do {
    const Clock::time_point start = now;
    const double count = HWY_DYNAMIC_DISPATCH(MultiplyAdd)(kRounds, half, half, &sum);
    now = Clock::now();
    rates.push_back(count / std::chrono::duration<double>(now - start).count());
  } while (now < deadline);
  const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
  std::nth_element(rates.begin(), middle, rates.end());
  return *middle;
}

}  // namespace

double PeakMultiplyAdds(double seconds, int threads) {
  if (threads < 1) {
    throw Error("pushdown::PeakMultiplyAdds", std::to_string(threads) + " threads");
  }
  InitializeSimdTarget();
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(seconds));
  // More threads than CPUs take turns, and do not do more; 0 means that their number is not known.
  const int cpus = static_cast<int>(std::thread::hardware_concurrency());
  const int running = cpus > 0 ? std::min(threads, cpus) : threads;
  std::vector<std::future<double>> others;
  try {
    for (int n = 1; n < running; ++n) {
      others.push_back(std::async(std::launch::async, MedianRate, deadline));
    }
  } catch (const std::system_error&) {
    // As in WorkerPool, those that there are do the work.
  }
  double sum = MedianRate(deadline);
  for (std::future<double>& other : others) sum += other.get();
  return sum;
}

}  // namespace pushdown
#endif  // HWY_ONCE
