#include "pushdown/kernels/nondeterministic_stack.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "pushdown/error.h"
#include "pushdown/kernels/carried_bytes.h"
#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/zero_buffer.h"

namespace pushdown {
namespace {

// The weights of the bottom vector in the paper's code may be of any size, beyond all others.
template <typename T>
bool StartsWide(const NondeterministicStackSpec& spec) {
  return std::is_same_v<T, float> && spec.initial_vector == InitialVector::kPaperCode;
}

template <typename T>
bool NeedsDouble(const T* logits, int count) {
  if (std::is_same_v<T, double>) return false;
  constexpr int kAtOnce = 8;  // compilers turn this into vectors
  T low[kAtOnce];
  T high[kAtOnce];
  std::fill_n(low, kAtOnce, logits[0]);
  std::fill_n(high, kAtOnce, logits[0]);
  const auto include = [&](T logit, int n) {
    low[n] = logit < low[n] ? logit : low[n];
    high[n] = logit > high[n] ? logit : high[n];
  };
  int j = 0;
  for (; j + kAtOnce <= count; j += kAtOnce) {
    for (int n = 0; n < kAtOnce; ++n) include(logits[j + n], n);
  }
  for (; j < count; ++j) include(logits[j], 0);
  return *std::max_element(high, high + kAtOnce) - *std::min_element(low, low + kAtOnce) >
         static_cast<T>(kMaxFloatSpread);
}

// What Carried begins with.
template <typename T>
std::string CarriedHeader(const NondeterministicStackSpec& spec) {
  constexpr std::int64_t kMagic = 0x326b'6361'7473'6470;  // "pdstack2"
  const std::array<std::int64_t, 8> words = {kMagic,
                                             sizeof(T),
                                             spec.states,
                                             spec.symbols,
                                             spec.vector_size,
                                             spec.window,
                                             static_cast<std::int64_t>(spec.bottom),
                                             static_cast<std::int64_t>(spec.initial_vector)};
  std::string header;
  AppendNumbers(words.data(), words.size(), header);
  return header;
}

}  // namespace

// The same stack in double, and what crosses over to it and back.
template <typename T>
struct NondeterministicStack<T>::Wide {
  Wide(const NondeterministicStackSpec& spec, int max_steps, bool gradients)
      : stack(spec, max_steps, gradients),
        logits(static_cast<std::size_t>(spec.logits_size())),
        vector(static_cast<std::size_t>(spec.vector_size)),
        reading(static_cast<std::size_t>(spec.reading_size())) {}

  static const double* In(const T* values, std::vector<double>& buffer) {
    std::copy_n(values, buffer.size(), buffer.begin());
    return buffer.data();
  }
  static void Out(const std::vector<double>& buffer, T* values) {
    std::transform(buffer.begin(), buffer.end(), values,
                   [](double value) { return static_cast<T>(value); });
  }

  NondeterministicStack<double> stack;
  std::vector<double> logits;
  std::vector<double> vector;
  std::vector<double> reading;
};

template <typename T>
NondeterministicStack<T>::NondeterministicStack(const NondeterministicStackSpec& spec,
                                                int max_steps, bool gradients)
    : spec_(spec),
      max_steps_(max_steps),
      gradients_(gradients),
      wide_(StartsWide<T>(spec) ? std::make_unique<Wide>(spec, max_steps, gradients) : nullptr),
      // The smallest there is, if it is not used.
      stack_(wide_ ? NondeterministicStackSpec{} : spec, wide_ ? 0 : max_steps, gradients) {
  if (wide_) return;
  const auto pairs = static_cast<std::size_t>(spec.pairs());
  log_alpha_gradient_.resize(pairs);
  if (!has_vectors()) return;
  // As many times as stack_ has, and at most one row for each.
  const auto times =
      static_cast<std::size_t>(max_steps) + static_cast<std::size_t>(std::max(spec.window, 1));
  vector_stride_ = RowStride<T>(spec.vector_size);
  time_stride_ = RowStride<T>(static_cast<int>(times));
  const auto size = static_cast<std::size_t>(spec.vector_size);
  const auto stride = static_cast<std::size_t>(vector_stride_);
  const auto time_stride = static_cast<std::size_t>(time_stride_);
  vectors_ = ZeroBuffer<T>(times * stride);
  padded_ = ZeroBuffer<T>(pairs * stride);
  if (gradients) {
    vectors_by_time_ = ZeroBuffer<T>(size * time_stride);
    vector_gradients_ = ZeroBuffer<T>(size * time_stride);
    row_gradient_ = ZeroBuffer<T>(pairs * time_stride);
    readings_.resize(times * pairs * size);
    scaled_.resize(pairs * size);
  }
  if (spec.initial_vector == InitialVector::kPaperCode) {
    everywhere_ = std::make_unique<StackWfa<T>>(spec, max_steps, gradients);
    log_ratio_.resize(times);
    bottom_gradient_ = ZeroBuffer<T>(pairs * time_stride);
    logit_gradient_.resize(static_cast<std::size_t>(spec.logits_size()));
  }
}

template <typename T>
NondeterministicStack<T>::NondeterministicStack(NondeterministicStack&& other) noexcept = default;
template <typename T>
NondeterministicStack<T>& NondeterministicStack<T>::operator=(
    NondeterministicStack&& other) noexcept = default;
template <typename T>
NondeterministicStack<T>::~NondeterministicStack() = default;

template <typename T>
double NondeterministicStack<T>::WorkspaceBytes(const NondeterministicStackSpec& spec,
                                                int max_steps, bool gradients) {
  if (StartsWide<T>(spec)) {
    return NondeterministicStack<double>::WorkspaceBytes(spec, max_steps, gradients);
  }
  const double bytes = StackWfa<T>::EstimateBytes(spec, max_steps, gradients);
  if (spec.vector_size == 0) return bytes;
  const double times = max_steps + std::max(spec.window, 1);
  const double size = spec.vector_size;
  const double stride = RowStride<T>(spec.vector_size);
  const double time_stride = RowStride<T>(max_steps + std::max(spec.window, 1));
  double elements = (times + spec.pairs()) * stride;
  if (gradients) {
    elements += (2 * size + spec.pairs()) * time_stride + (times + 1) * spec.pairs() * size;
  }
  if (spec.initial_vector != InitialVector::kPaperCode) return bytes + elements * sizeof(T);
  return 2 * bytes + (elements + time_stride * spec.pairs() + spec.logits_size()) * sizeof(T);
}

template <typename T>
double NondeterministicStack<T>::WideBytes(const NondeterministicStackSpec& spec, int max_steps,
                                           bool gradients) {
  if (std::is_same_v<T, double> || StartsWide<T>(spec)) return 0;
  return NondeterministicStack<double>::WorkspaceBytes(spec, max_steps, gradients);
}

template <typename T>
double NondeterministicStack<T>::EstimateBytes(const NondeterministicStackSpec& spec, int max_steps,
                                               bool gradients) {
  return WorkspaceBytes(spec, max_steps, gradients) + WideBytes(spec, max_steps, gradients);
}

template <typename T>
void NondeterministicStack<T>::CheckVector(const T* vector, const char* function) const {
  if (has_vectors() && vector == nullptr) {
    throw Error(std::string("[pushdown::NondeterministicStack::") + function + "] " +
                StackName(spec_) + " needs a vector of " + std::to_string(spec_.vector_size) +
                " numbers, found null");
  }
}

template <typename T>
void NondeterministicStack<T>::Widen() {
  if constexpr (std::is_same_v<T, float>) {
    if (!wide_) wide_ = std::make_unique<Wide>(spec_, max_steps_, gradients_);
    wide_->stack.CopyFrom(*this);
    widened_ = true;
  }
}

template <typename T>
template <typename U>
void NondeterministicStack<T>::CopyFrom(const NondeterministicStack<U>& other) {
  started_ = other.started_;
  undone_ = 0;
  stack_.CopyFrom(other.stack_);
  if (!has_vectors()) return;
  const int times = stack_.now() + 1;
  for (int t = 0; t < times; ++t) {
    std::copy_n(other.vectors_.get() + t * other.vector_stride_, spec_.vector_size,
                vectors_.get() + t * vector_stride_);
  }
  if (!gradients_) return;
  for (int j = 0; j < spec_.vector_size; ++j) {
    std::copy_n(other.vectors_by_time_.get() + j * other.time_stride_, times,
                vectors_by_time_.get() + j * time_stride_);
  }
  std::copy(other.readings_.begin(), other.readings_.end(), readings_.begin());
}

template <typename T>
void NondeterministicStack<T>::Start(const T* bottom_vector, T* reading) {
  CheckVector(bottom_vector, "Start");
  started_ = true;
  widened_ = StartsWide<T>(spec_);
  if (widened_) {
    wide_->stack.Start(Wide::In(bottom_vector, wide_->vector), wide_->reading.data());
    return Wide::Out(wide_->reading, reading);
  }
  stack_.Reset(StackWfa<T>::Start::kBottom);
  undone_ = 0;
  if (everywhere_) {
    everywhere_->Reset(StackWfa<T>::Start::kEverywhere);
    newest_log_ratio_ = everywhere_->column(0).log_scale;
    log_ratio_[0] = newest_log_ratio_;
  }
  if (has_vectors()) SetVector(0, bottom_vector);
  WriteReading(reading);
}

template <typename T>
void NondeterministicStack<T>::Step(const T* logits, const T* vector, T* reading) {
  if (!started_) throw Error("[pushdown::NondeterministicStack::Step] Start comes first");
  CheckVector(vector, "Step");
  if (!widened_ && NeedsDouble(logits, spec_.logits_size())) Widen();
  if (widened_) {
    wide_->stack.Step(Wide::In(logits, wide_->logits), Wide::In(vector, wide_->vector),
                      wide_->reading.data());
    return Wide::Out(wide_->reading, reading);
  }
  stack_.Step(logits);
  undone_ = 0;
  const int t = stack_.now();
  if (everywhere_ && ReachesBottom(stack_.absolute_time(t))) {
    everywhere_->Step(logits);
    newest_log_ratio_ +=
        everywhere_->column(everywhere_->now()).log_scale - stack_.column(t).log_scale;
    log_ratio_[t] = newest_log_ratio_;
  }
  if (has_vectors()) SetVector(t, vector);
  WriteReading(reading);
}

template <typename T>
double NondeterministicStack<T>::LogWeight() const {
  return widened_ ? wide_->stack.LogWeight() : stack_.column(stack_.now()).log_weight;
}

template <typename T>
void NondeterministicStack<T>::Carry() {
  if (widened_) return wide_->stack.Carry();
  const int newest = stack_.now();
  const int shift = stack_.Carry();
  if (everywhere_) everywhere_->Carry();
  undone_ = 0;
  if (!has_vectors()) return;
  std::copy(vectors_.get() + shift * vector_stride_, vectors_.get() + (newest + 1) * vector_stride_,
            vectors_.get());
  for (int j = 0; gradients_ && j < spec_.vector_size; ++j) {
    T* row = vectors_by_time_.get() + j * time_stride_;
    std::copy(row + shift, row + newest + 1, row);
  }
}

template <typename T>
std::string NondeterministicStack<T>::Carried() const {
  if (widened_) return wide_->stack.Carried();  // and its header says so
  if (!started_ || stack_.now() != stack_.boundary()) {
    throw Error(
        "[pushdown::NondeterministicStack::Carried] this is for the time after Start or Carry, "
        "before any Step");
  }
  std::string bytes = CarriedHeader<T>(spec_);
  const int now = stack_.now();
  const std::int64_t time = stack_.absolute_time(now);
  AppendNumbers(&time, 1, bytes);
  if (time == 0) {  // Start makes the rest
    if (has_vectors()) {
      AppendNumbers(vectors_.get(), static_cast<std::size_t>(spec_.vector_size), bytes);
    }
    return bytes;
  }
  stack_.AppendCarried(bytes);
  if (everywhere_ && ReachesBottom(time + 1)) {
    AppendNumbers(&newest_log_ratio_, 1, bytes);
    everywhere_->AppendCarried(bytes);
  }
  if (!has_vectors()) return bytes;
  for (int t = now - stack_.CarriedRows(time) + 1; t <= now; ++t) {
    AppendNumbers(vectors_.get() + t * vector_stride_, static_cast<std::size_t>(spec_.vector_size),
                  bytes);
  }
  return bytes;
}

template <typename T>
void NondeterministicStack<T>::RestoreCarried(std::string_view carried) {
  if constexpr (std::is_same_v<T, float>) {
    const std::string wide_header = CarriedHeader<double>(spec_);
    if (carried.substr(0, wide_header.size()) == wide_header) {
      if (!wide_) wide_ = std::make_unique<Wide>(spec_, max_steps_, gradients_);
      wide_->stack.RestoreCarried(carried);
      started_ = true;
      widened_ = true;
      return;
    }
  }
  const auto refuse = [](const std::string& why) {
    throw Error("[pushdown::NondeterministicStack::RestoreCarried] " + why);
  };
  const std::string header = CarriedHeader<T>(spec_);
  if (StartsWide<T>(spec_) || carried.substr(0, header.size()) != header) {
    refuse("not from a stack " + StackName(spec_) + " with the same options, on such a machine");
  }
  carried.remove_prefix(header.size());
  std::int64_t time = 0;
  TakeNumbers(carried, &time, 1);
  if (!stack_.CanCarry(time)) {
    refuse("the stack is " + std::to_string(time) + " steps old, this one was made for " +
           std::to_string(max_steps_));
  }
  const bool started = time > 0;
  const bool both = started && everywhere_ && ReachesBottom(time + 1);
  const std::size_t wfa_size = started ? stack_.CarriedBytes(time) : 0;
  const std::size_t ratio_size = both ? sizeof(double) : 0;
  const std::size_t vectors = started ? static_cast<std::size_t>(stack_.CarriedRows(time)) : 1;
  const auto size = static_cast<std::size_t>(spec_.vector_size);
  const std::size_t expected = wfa_size * (both ? 2 : 1) + ratio_size + vectors * size * sizeof(T);
  if (carried.size() != expected) {
    refuse(std::to_string(carried.size()) + " bytes after the header, must be " +
           std::to_string(expected));
  }

  const auto take_bytes = [&](std::size_t count) {
    const std::string_view front = carried.substr(0, count);
    carried.remove_prefix(count);
    return front;
  };
  const std::string_view stack_bytes = take_bytes(wfa_size);
  double log_ratio = 0;
  if (both) TakeNumbers(carried, &log_ratio, 1);
  const std::string_view everywhere_bytes = take_bytes(both ? wfa_size : 0);
  if ((started && !stack_.AcceptsCarried(stack_bytes)) ||
      (both && !stack_.AcceptsCarried(everywhere_bytes)) || !std::isfinite(log_ratio)) {
    refuse("a number is out of range");
  }

  std::vector<T> vector(size);
  if (!started) {
    TakeNumbers(carried, vector.data(), size);
    std::vector<T> reading(static_cast<std::size_t>(spec_.reading_size()));
    return Start(vector.data(), reading.data());
  }
  started_ = true;
  widened_ = false;
  undone_ = 0;
  stack_.RestoreCarried(time, stack_bytes);
  if (everywhere_) {
    // Left at its beginning, it does not concern later readings.
    everywhere_->Reset(StackWfa<T>::Start::kEverywhere);
    if (both) everywhere_->RestoreCarried(time, everywhere_bytes);
    newest_log_ratio_ = log_ratio;
  }
  if (!has_vectors()) return;
  const int now = stack_.now();
  for (int t = now - stack_.CarriedRows(time) + 1; t <= now; ++t) {
    TakeNumbers(carried, vector.data(), size);
    SetVector(t, vector.data());
  }
}

template <typename T>
bool NondeterministicStack<T>::ReachesBottom(std::int64_t time) const {
  return spec_.window == 0 || time < spec_.window;
}

template <typename T>
void NondeterministicStack<T>::SetVector(int t, const T* vector) {
  std::copy_n(vector, spec_.vector_size, vectors_.get() + t * vector_stride_);
  for (int j = 0; gradients_ && j < spec_.vector_size; ++j) {
    vectors_by_time_[j * time_stride_ + t] = vector[j];
  }
}

template <typename T>
int NondeterministicStack<T>::TimeEverywhere(int t) const {
  if (!everywhere_) return -1;
  const auto time = stack_.absolute_time(t) - everywhere_->absolute_time(0);
  return time <= everywhere_->now() ? static_cast<int>(time) : -1;
}

// What the share of the bottom row in everywhere_ is multiplied by in the reading.
template <typename T>
T NondeterministicStack<T>::BottomFactor(int t, int pair) const {
  const int time = TimeEverywhere(t);
  const WfaColumn<T>& all = everywhere_->column(time);
  if (all.attention[pair * (time - all.low)] == 0) return 0;
  const double factor = std::exp(all.log_alpha[pair] + log_ratio_[t]);
  if (!(factor <= static_cast<double>(std::numeric_limits<T>::max()))) {
    throw Error(
        "[pushdown::NondeterministicStack] initial vector \"paper-code\": the weight of the "
        "bottom vector in the reading of step " +
        std::to_string(stack_.absolute_time(t)) + " overflows");
  }
  return static_cast<T>(factor);
}

template <typename T>
T NondeterministicStack<T>::BottomWeight(int t, int pair) const {
  const int time = TimeEverywhere(t);
  const WfaColumn<T>& all = everywhere_->column(time);
  return BottomFactor(t, pair) * all.attention[pair * (time - all.low)];
}

template <typename T>
void NondeterministicStack<T>::ClearVectorGradients() {
  std::fill_n(vector_gradients_.get(), spec_.vector_size * time_stride_, T{0});
}

template <typename T>
void NondeterministicStack<T>::WriteReading(T* reading) {
  const int t = stack_.now();
  const WfaColumn<T>& column = stack_.column(t);
  const int pairs = spec_.pairs();
  const int size = spec_.vector_size;
  if (size == 0) {
    std::copy_n(column.alpha, pairs, reading);
    return;
  }
  const int row_count = t - column.low;
  if (row_count == 0) {  // the old bottom at time 0 is on top, but not in a row
    std::fill_n(reading, spec_.reading_size(), T{0});
    std::copy_n(vectors_.get(), size, reading);
    return;
  }
  // eta_t[r,y] = alpha[t][r,y] * sum_i (sum_{q,x} S[i->t][q,x | r,y]) * v_{i+1}
  const int own = TimeEverywhere(t) >= 0 ? 1 : 0;  // the first row that is of stack_
  const T* vectors = vectors_.get() + (column.low + 1 + own) * vector_stride_;
  CombineRows<T>({vectors, vector_stride_, row_count - own}, {column.attention + own, 1, row_count},
                 {padded_.get(), vector_stride_, pairs}, size, false);
  for (int pair = 0; pair < pairs; ++pair) {
    const T* sums = padded_.get() + pair * vector_stride_;
    T* out = reading + pair * size;
    for (int j = 0; j < size; ++j) out[j] = column.alpha[pair] * sums[j];
    if (own == 0) continue;
    const T bottom = BottomWeight(t, pair);
    for (int j = 0; j < size; ++j) out[j] += bottom * vectors_[j];
  }
  if (gradients_) {
    std::copy_n(reading, spec_.reading_size(),
                readings_.data() + std::ptrdiff_t{t} * spec_.reading_size());
  }
}

// The transpose of WriteReading: adds to vector_gradients_, and leaves the derivatives by log alpha
// and by the shares of each row in log_alpha_gradient_, row_gradient_ and bottom_gradient_.
template <typename T>
void NondeterministicStack<T>::BackwardReading(int t, const T* reading_gradient) {
  const WfaColumn<T>& column = stack_.column(t);
  const int pairs = spec_.pairs();
  const int size = spec_.vector_size;
  if (size == 0) {
    T mean = 0;
    for (int pair = 0; pair < pairs; ++pair) mean += reading_gradient[pair] * column.alpha[pair];
    for (int pair = 0; pair < pairs; ++pair) {
      log_alpha_gradient_[pair] = column.alpha[pair] * (reading_gradient[pair] - mean);
    }
    return;
  }
  const int row_count = t - column.low;
  if (row_count == 0) {
    for (int j = 0; j < size; ++j) vector_gradients_[j * time_stride_] += reading_gradient[j];
    return;
  }
  const T* reading = readings_.data() + std::ptrdiff_t{t} * spec_.reading_size();
  T mean = 0;
  for (int j = 0; j < spec_.reading_size(); ++j) mean += reading[j] * reading_gradient[j];
  for (int pair = 0; pair < pairs; ++pair) {
    log_alpha_gradient_[pair] = -column.alpha[pair] * mean;
    for (int j = 0; j < size; ++j) {
      scaled_[pair * size + j] = column.alpha[pair] * reading_gradient[pair * size + j];
    }
  }
  // What rows, and the vectors v_{i+1} on top of them, receive.
  const T* vectors = vectors_by_time_.get() + (column.low + 1);
  CombineRows<T>({vectors, time_stride_, size}, {scaled_.data(), 1, size},
                 {row_gradient_.get(), time_stride_, pairs}, row_count, false);
  const int own = TimeEverywhere(t) >= 0 ? 1 : 0;  // as in WriteReading
  T* vector_gradients = vector_gradients_.get() + (column.low + 1);
  CombineRows<T>({column.attention + own, row_count, pairs}, {scaled_.data(), size, 1},
                 {vector_gradients + own, time_stride_, size}, row_count - own, true);
  if (own == 0) return;
  for (int pair = 0; pair < pairs; ++pair) {
    const T* gradient = reading_gradient + pair * size;
    const T bottom = BottomWeight(t, pair);
    T product = 0;
    for (int j = 0; j < size; ++j) {
      product += vectors[j * time_stride_] * gradient[j];
      vector_gradients[j * time_stride_] += bottom * gradient[j];
    }
    row_gradient_[pair * time_stride_] = 0;
    bottom_gradient_[pair * time_stride_] = BottomFactor(t, pair) * product;
  }
}

template <typename T>
void NondeterministicStack<T>::BackwardStep(const T* reading_gradient, T* logit_gradient,
                                            T* vector_gradient) {
  if (widened_) {
    wide_->stack.BackwardStep(Wide::In(reading_gradient, wide_->reading), wide_->logits.data(),
                              wide_->vector.data());
    Wide::Out(wide_->logits, logit_gradient);
    return Wide::Out(wide_->vector, vector_gradient);
  }
  const int t = stack_.now() - undone_;
  if (t <= stack_.boundary()) {
    throw Error("[pushdown::NondeterministicStack::BackwardStep] no step of this chunk is left");
  }
  if (!gradients_) {
    throw Error("[pushdown::NondeterministicStack::BackwardStep] made without gradients");
  }
  CheckVector(vector_gradient, "BackwardStep");
  if (undone_ == 0 && has_vectors()) ClearVectorGradients();
  BackwardReading(t, reading_gradient);
  stack_.BackwardStep(t, log_alpha_gradient_.data(), row_gradient_.get(), time_stride_,
                      logit_gradient);
  const int time = TimeEverywhere(t);
  if (time >= 0) {
    std::fill(log_alpha_gradient_.begin(), log_alpha_gradient_.end(), T{0});
    everywhere_->BackwardStep(time, log_alpha_gradient_.data(), bottom_gradient_.get(),
                              time_stride_, logit_gradient_.data());
    for (std::size_t j = 0; j < logit_gradient_.size(); ++j)
      logit_gradient[j] += logit_gradient_[j];
  }
  if (has_vectors()) {
    for (int j = 0; j < spec_.vector_size; ++j) {
      vector_gradient[j] = vector_gradients_[j * time_stride_ + t];
    }
  }
  ++undone_;
}

template <typename T>
void NondeterministicStack<T>::BackwardStart(const T* reading_gradient, T* bottom_vector_gradient) {
  if (widened_) {
    wide_->stack.BackwardStart(Wide::In(reading_gradient, wide_->reading), wide_->vector.data());
    return Wide::Out(wide_->vector, bottom_vector_gradient);
  }
  if (stack_.absolute_time(stack_.now() - undone_) != 0) {
    throw Error("[pushdown::NondeterministicStack::BackwardStart] the first step is not undone");
  }
  if (!has_vectors()) return;
  if (!gradients_) {
    throw Error("[pushdown::NondeterministicStack::BackwardStart] made without gradients");
  }
  CheckVector(bottom_vector_gradient, "BackwardStart");
  if (undone_ == 0) ClearVectorGradients();
  BackwardReading(0, reading_gradient);
  for (int j = 0; j < spec_.vector_size; ++j) {
    bottom_vector_gradient[j] = vector_gradients_[j * time_stride_];
  }
}

template <typename T>
void NondeterministicStack<T>::ForwardSequence(int steps, const T* logits, const T* vectors,
                                               const T* bottom_vector, T* readings) {
  Start(bottom_vector, readings);
  for (int t = 1; t <= steps; ++t) {
    readings += spec_.reading_size();
    Step(logits, vectors, readings);
    logits += spec_.logits_size();
    if (has_vectors()) vectors += spec_.vector_size;
  }
}

template <typename T>
void NondeterministicStack<T>::BackwardSequence(int steps, const T* reading_gradients,
                                                T* logit_gradients, T* vector_gradients,
                                                T* bottom_vector_gradient) {
  for (int t = steps; t >= 1; --t) {
    BackwardStep(reading_gradients + static_cast<std::ptrdiff_t>(t) * spec_.reading_size(),
                 logit_gradients + static_cast<std::ptrdiff_t>(t - 1) * spec_.logits_size(),
                 has_vectors()
                     ? vector_gradients + static_cast<std::ptrdiff_t>(t - 1) * spec_.vector_size
                     : nullptr);
  }
  BackwardStart(reading_gradients, bottom_vector_gradient);
}

template class NondeterministicStack<float>;
template class NondeterministicStack<double>;

}  // namespace pushdown
