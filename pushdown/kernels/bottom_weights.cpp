#include "pushdown/kernels/bottom_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pushdown/error.h"
#include "pushdown/kernels/carried_bytes.h"
#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/zero_buffer.h"

namespace pushdown {

template <typename T>
struct BottomWeights<T>::Sizes {
  Sizes(const NondeterministicStackSpec& spec, int max_steps)
      : times(static_cast<std::size_t>(max_steps) +
              static_cast<std::size_t>(std::max(spec.window, 1))),
        gradient_stride(static_cast<std::size_t>(RowStride<T>(static_cast<int>(times)))),
        share_gradient(static_cast<std::size_t>(spec.pairs()) * gradient_stride),
        logits(static_cast<std::size_t>(spec.logits_size())) {}

  std::size_t times;  // as many as a StackWfa has, with at most one row for each
  std::size_t gradient_stride;
  std::size_t share_gradient;
  std::size_t logits;
};

template <typename T>
BottomWeights<T>::BottomWeights(const NondeterministicStackSpec& spec, int max_steps,
                                bool gradients)
    : spec_(spec), everywhere_(spec, max_steps, gradients) {
  const Sizes sizes(spec, max_steps);
  gradient_stride_ = static_cast<std::ptrdiff_t>(sizes.gradient_stride);
  log_ratio_.resize(sizes.times);
  share_gradient_ = ZeroBuffer<T>(sizes.share_gradient);
  log_alpha_gradient_.resize(static_cast<std::size_t>(spec.pairs()));
  logit_gradient_.resize(sizes.logits);
}

template <typename T>
double BottomWeights<T>::EstimateBytes(const NondeterministicStackSpec& spec, int max_steps,
                                       bool gradients) {
  const Sizes sizes(spec, max_steps);
  const std::size_t elements =
      sizes.share_gradient + static_cast<std::size_t>(spec.pairs()) + sizes.logits;
  return StackWfa<T>::EstimateBytes(spec, max_steps, gradients) +
         static_cast<double>(sizes.times) * sizeof(double) +
         static_cast<double>(elements) * sizeof(T);
}

template <typename T>
void BottomWeights<T>::Start() {
  everywhere_.Reset(StackWfa<T>::Start::kEverywhere);
  newest_log_ratio_ = everywhere_.column(0).log_scale;
  log_ratio_[0] = newest_log_ratio_;
}

template <typename T>
void BottomWeights<T>::Step(const StackWfa<T>& stack, const T* logits) {
  const int t = stack.now();
  if (!InReach(stack.absolute_time(t))) return;
  everywhere_.Step(logits);
  newest_log_ratio_ += everywhere_.column(everywhere_.now()).log_scale - stack.column(t).log_scale;
  log_ratio_[static_cast<std::size_t>(t)] = newest_log_ratio_;
}

template <typename T>
int BottomWeights<T>::Time(const StackWfa<T>& stack, int t) const {
  const auto time = stack.absolute_time(t) - everywhere_.absolute_time(0);
  return time <= everywhere_.now() ? static_cast<int>(time) : -1;
}

template <typename T>
T BottomWeights<T>::Factor(const StackWfa<T>& stack, int t, int pair) const {
  const int time = Time(stack, t);
  const WfaColumn<T>& column = everywhere_.column(time);
  if (column.attention[pair * (time - column.low)] == 0) return 0;
  const double factor = std::exp(column.log_alpha[pair] + log_ratio_[static_cast<std::size_t>(t)]);
  if (!(factor <= static_cast<double>(std::numeric_limits<T>::max()))) {
    throw Error(ErrorKind::kNumeric, "pushdown::NondeterministicStack",
                "initial vector \"paper-code\": the weight of the bottom vector in the reading of "
                "step " +
                    std::to_string(stack.absolute_time(t)) + " overflows");
  }
  return static_cast<T>(factor);
}

template <typename T>
T BottomWeights<T>::Weight(const StackWfa<T>& stack, int t, int pair) const {
  const int time = Time(stack, t);
  const WfaColumn<T>& column = everywhere_.column(time);
  return Factor(stack, t, pair) * column.attention[pair * (time - column.low)];
}

template <typename T>
void BottomWeights<T>::BackwardStep(const StackWfa<T>& stack, int t, T* logit_gradient) {
  const int time = Time(stack, t);
  if (time < 0) return;
  everywhere_.BackwardStep(time, log_alpha_gradient_.data(), share_gradient_.get(),
                           gradient_stride_, logit_gradient_.data());
  for (std::size_t j = 0; j < logit_gradient_.size(); ++j) logit_gradient[j] += logit_gradient_[j];
}

template <typename T>
std::size_t BottomWeights<T>::CarriedBytes(std::int64_t time) const {
  return InReach(time + 1) ? sizeof(double) + everywhere_.CarriedBytes(time) : 0;
}

template <typename T>
void BottomWeights<T>::AppendCarried(std::int64_t time, std::string& bytes) const {
  if (!InReach(time + 1)) return;
  AppendNumbers(&newest_log_ratio_, 1, bytes);
  everywhere_.AppendCarried(bytes);
}

template <typename T>
bool BottomWeights<T>::AcceptsCarried(std::int64_t time, std::string_view bytes) const {
  if (!InReach(time + 1)) return true;
  double log_ratio = 0;
  TakeNumbers(bytes, &log_ratio, 1);
  return std::isfinite(log_ratio) && everywhere_.AcceptsCarried(bytes);
}

template <typename T>
void BottomWeights<T>::RestoreCarried(std::int64_t time, std::string_view bytes) {
  // Left at its beginning, the second WFA does not concern later readings.
  everywhere_.Reset(StackWfa<T>::Start::kEverywhere);
  newest_log_ratio_ = 0;
  if (!InReach(time + 1)) return;
  TakeNumbers(bytes, &newest_log_ratio_, 1);
  everywhere_.RestoreCarried(time, bytes);
}

template class BottomWeights<float>;
template class BottomWeights<double>;

}  // namespace pushdown
