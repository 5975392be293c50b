#include "pushdown/kernels/superposition_stack.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/kernels/carried_bytes.h"
#include "pushdown/kernels/denormals.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/kernels/superposition_kernels.h"
#include "pushdown/kernels/zero_buffer.h"

namespace pushdown {
namespace {

// The zeros that stand after a stack of vectors, and with which it may be read.
template <typename T>
std::int64_t Margin(int size) {
  return 2 * static_cast<std::int64_t>(size) + kRowPadding<T>;
}

// The greatest height of V_t, t being the time within a chunk.
int MaxHeight(const SuperpositionStackSpec& spec, int t) {
  return spec.depth_limit > 0 ? spec.depth_limit : t;
}

// Where the elements of one of the stacks are.
template <typename T>
class Layout {
 public:
  Layout(const SuperpositionStackSpec& spec, int size, int max_steps, bool gradients)
      : spec_(spec), size_(size), max_steps_(max_steps), gradients_(gradients) {}

  // Offsets within a slot are ints.
  bool TooLarge() const { return static_cast<double>(Slot(max_steps_)) > 1e9; }
  // Of the slot of time t, that is [v_{t+1}, V_t, zeros]. Without gradients, only the newest two
  // are needed.
  std::int64_t Offset(int t) const {
    if (!gradients_) return t % 2 * Slot(max_steps_);
    if (spec_.depth_limit > 0) return t * Slot(t);
    // Slot(0) + ... + Slot(t - 1), where each is `size` larger than the one before.
    return t * Slot(0) + std::int64_t{t} * (t - 1) / 2 * size_;
  }
  std::int64_t Elements() const {
    return gradients_ ? Offset(max_steps_ + 1) : 2 * Slot(max_steps_);
  }
  // Of each of the two buffers for derivatives.
  std::int64_t GradientElements() const {
    return gradients_ ? Margin<T>(size_) + Slot(max_steps_) : 0;
  }
  std::int64_t Actions() const { return 3 * (std::int64_t{max_steps_} + 1); }

 private:
  // Elements of the slot of time t.
  std::int64_t Slot(int t) const {
    return (static_cast<std::int64_t>(MaxHeight(spec_, t)) + 1) * size_ + Margin<T>(size_);
  }

  const SuperpositionStackSpec& spec_;
  int size_;
  int max_steps_;
  bool gradients_;
};

// What Carried begins with.
template <typename T>
std::string CarriedHeader(const SuperpositionStackSpec& spec) {
  constexpr std::int64_t kMagic = 0x3170'7573'7473'6470;  // "pdstsup1"
  std::vector<std::int64_t> words = {kMagic, sizeof(T), spec.depth_limit, spec.stacks()};
  words.insert(words.end(), spec.sizes.begin(), spec.sizes.end());
  std::string header;
  AppendNumbers(words.data(), words.size(), header);
  return header;
}

}  // namespace

template <typename T>
SuperpositionStack<T>::SuperpositionStack(const SuperpositionStackSpec& spec, int max_steps,
                                          bool gradients)
    : spec_(spec), max_steps_(max_steps), gradients_(gradients) {
  Validate(spec);
  ValidateSteps(max_steps);
  InitializeSimdTarget();
  for (int size : spec.sizes) {
    const Layout<T> layout(spec, size, max_steps, gradients);
    if (layout.TooLarge()) {
      throw Error(ErrorKind::kLimit, "pushdown::SuperpositionStack",
                  StackName(spec) + " with " + std::to_string(max_steps) + " steps is too large");
    }
    Single single;
    single.size = size;
    for (int t = 0; t <= max_steps; ++t) single.offsets.push_back(layout.Offset(t));
    single.elements = ZeroBuffer<T>(static_cast<std::size_t>(layout.Elements()));
    single.actions.resize(static_cast<std::size_t>(layout.Actions()));
    if (gradients) {
      const auto gradient_size = static_cast<std::size_t>(layout.GradientElements());
      single.gradient = ZeroBuffer<T>(gradient_size);
      single.earlier_gradient = ZeroBuffer<T>(gradient_size);
    }
    stacks_.push_back(std::move(single));
  }
}

template <typename T>
double SuperpositionStack<T>::EstimateBytes(const SuperpositionStackSpec& spec, int max_steps,
                                            bool gradients) {
  double bytes = 0;
  for (int size : spec.sizes) {
    const Layout<T> layout(spec, size, max_steps, gradients);
    if (layout.TooLarge()) return std::numeric_limits<double>::infinity();
    const std::int64_t elements =
        layout.Elements() + 2 * layout.GradientElements() + layout.Actions();
    bytes += static_cast<double>(elements) * sizeof(T) +
             (max_steps + 1.0) * sizeof(std::int64_t);  // the offsets
  }
  return bytes;
}

template <typename T>
int SuperpositionStack<T>::Height(int t) const {
  const int height = start_height_ + t;
  return spec_.depth_limit > 0 ? std::min(height, spec_.depth_limit) : height;
}

template <typename T>
void SuperpositionStack<T>::Start(T* reading) {
  now_ = 0;
  undone_ = 0;
  boundary_ = 0;
  start_height_ = 0;
  for (Single& single : stacks_) {
    std::fill_n(single.at(0) + single.size, Margin<T>(single.size), T{0});
  }
  std::fill_n(reading, spec_.reading_size(), T{0});
}

template <typename T>
void SuperpositionStack<T>::Step(const T* actions, const T* vector, T* reading) {
  if (now_ == max_steps_) {
    throw Error("pushdown::SuperpositionStack::Step", "more steps than the stack was made for");
  }
  const FlushDenormals flush;
  const SuperpositionKernels<T>& kernels = ActiveSuperpositionKernels<T>();
  const int t = ++now_;
  undone_ = 0;
  for (Single& single : stacks_) {
    const int size = single.size;
    const int length = Height(t) * size;
    T* old_stack = single.at(t - 1);
    T* new_stack = single.at(t) + size;
    std::copy_n(vector, size, old_stack);
    std::copy_n(actions, 3, single.actions.data() + 3 * t);
    kernels.superpose(old_stack, size, actions, length, new_stack);
    // A longer stack may have stood here before, if heights at a time differ or times share a
    // place.
    if (spec_.depth_limit > 0 || !gradients_) {
      std::fill_n(new_stack + length, Margin<T>(size), T{0});
    }
    std::copy_n(new_stack, size, reading);
    actions += 3;
    vector += size;
    reading += size;
  }
}

template <typename T>
void SuperpositionStack<T>::BackwardStep(const T* reading_gradient, T* action_gradient,
                                         T* vector_gradient) {
  if (!gradients_) {
    throw Error("pushdown::SuperpositionStack::BackwardStep", "made without gradients");
  }
  const int t = now_ - undone_;
  if (t <= boundary_) {
    throw Error("pushdown::SuperpositionStack::BackwardStep", "no step of this chunk is left");
  }
  const FlushDenormals flush;
  const SuperpositionKernels<T>& kernels = ActiveSuperpositionKernels<T>();
  for (Single& single : stacks_) {
    const int size = single.size;
    const int length = Height(t) * size;
    const int old_length = Height(t - 1) * size;
    T* gradient = single.gradient.get() + 2 * size;
    if (undone_ == 0) std::fill_n(gradient, length + Margin<T>(size), T{0});
    for (int j = 0; j < size; ++j) gradient[j] += reading_gradient[j];

    const T* actions = single.actions.data() + 3 * t;
    kernels.action_gradient(single.at(t - 1), size, gradient, length, action_gradient);

    // Derivatives by v_t, then by V_{t-1}.
    const T reversed[3] = {actions[2], actions[1], actions[0]};
    T* earlier = single.earlier_gradient.get() + size;
    kernels.superpose(single.gradient.get(), size, reversed, old_length + size, earlier);
    std::fill_n(earlier + old_length + size, Margin<T>(size), T{0});
    std::copy_n(earlier, size, vector_gradient);
    std::fill_n(earlier, size, T{0});
    std::swap(single.gradient, single.earlier_gradient);

    reading_gradient += size;
    action_gradient += 3;
    vector_gradient += size;
  }
  ++undone_;
}

template <typename T>
void SuperpositionStack<T>::Carry() {
  undone_ = 0;
  if (spec_.depth_limit == 0) {
    boundary_ = now_;
    return;
  }
  start_height_ = Height(now_);
  for (Single& single : stacks_) {
    std::copy_n(single.at(now_) + single.size, start_height_ * single.size + Margin<T>(single.size),
                single.at(0) + single.size);
  }
  now_ = 0;
  boundary_ = 0;
}

template <typename T>
std::string SuperpositionStack<T>::Carried() const {
  if (now_ != boundary_) {
    throw Error("pushdown::SuperpositionStack::Carried",
                "this is for the time after Start or Carry, "
                "before any Step");
  }
  std::string bytes = CarriedHeader<T>(spec_);
  const std::int64_t height = Height(now_);
  AppendNumbers(&height, 1, bytes);
  for (const Single& single : stacks_) {
    AppendNumbers(single.at(now_) + single.size, static_cast<std::size_t>(height * single.size),
                  bytes);
  }
  return bytes;
}

template <typename T>
void SuperpositionStack<T>::RestoreCarried(std::string_view carried) {
  const auto refuse = [](const std::string& why) {
    throw Error("pushdown::SuperpositionStack::RestoreCarried", why);
  };
  const std::string header = CarriedHeader<T>(spec_);
  if (carried.substr(0, header.size()) != header) {
    refuse("not from a stack " + StackName(spec_) + " with the same options, on such a machine");
  }
  carried.remove_prefix(header.size());
  std::int64_t height = 0;
  TakeNumbers(carried, &height, 1);
  const int highest = MaxHeight(spec_, max_steps_);
  if (height < 0 || height > highest) {
    refuse("the stack has " + std::to_string(height) + " elements, this one has room for " +
           std::to_string(highest));
  }
  const auto expected = static_cast<std::size_t>(height * spec_.reading_size()) * sizeof(T);
  if (carried.size() != expected) {
    refuse(std::to_string(carried.size()) + " bytes after the header, must be " +
           std::to_string(expected));
  }

  const bool limited = spec_.depth_limit > 0;
  now_ = limited ? 0 : static_cast<int>(height);
  undone_ = 0;
  boundary_ = now_;
  start_height_ = limited ? static_cast<int>(height) : 0;
  for (Single& single : stacks_) {
    T* elements = single.at(now_) + single.size;
    const std::int64_t length = height * single.size;
    TakeNumbers(carried, elements, static_cast<std::size_t>(length));
    std::fill_n(elements + length, Margin<T>(single.size), T{0});
  }
}

template <typename T>
void SuperpositionStack<T>::ForwardSequence(int steps, const T* actions, const T* vectors,
                                            T* readings) {
  Start(readings);
  for (int t = 1; t <= steps; ++t) {
    readings += spec_.reading_size();
    Step(actions, vectors, readings);
    actions += spec_.actions_size();
    vectors += spec_.reading_size();
  }
}

template <typename T>
void SuperpositionStack<T>::BackwardSequence(int steps, const T* reading_gradients,
                                             T* action_gradients, T* vector_gradients) {
  for (std::ptrdiff_t t = steps; t >= 1; --t) {
    BackwardStep(reading_gradients + t * spec_.reading_size(),
                 action_gradients + (t - 1) * spec_.actions_size(),
                 vector_gradients + (t - 1) * spec_.reading_size());
  }
}

template class SuperpositionStack<float>;
template class SuperpositionStack<double>;

}  // namespace pushdown
