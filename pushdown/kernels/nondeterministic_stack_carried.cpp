// What a nondeterministic stack takes over from one chunk of an endless input to the next.

#include <array>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/carried_bytes.h"
#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/wide_stack.h"

namespace pushdown {
namespace {

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

template <typename T>
void NondeterministicStack<T>::Carry() {
  if (widened_) return wide_->stack.Carry();
  const int newest = stack_.now();
  const int shift = stack_.Carry();
  if (bottom_) bottom_->Carry();
  undone_ = 0;
  readings_.Shift(shift, newest);
}

template <typename T>
std::string NondeterministicStack<T>::Carried() const {
  if (widened_) return wide_->stack.Carried();  // and its header says so
  if (!started_ || stack_.now() != stack_.boundary()) {
    throw Error("pushdown::NondeterministicStack::Carried",
                "this is for the time after Start or Carry, before any Step");
  }
  std::string bytes = CarriedHeader<T>(spec_);
  const int now = stack_.now();
  const std::int64_t time = stack_.absolute_time(now);
  AppendNumbers(&time, 1, bytes);
  if (time == 0) {  // Start makes the rest
    readings_.AppendVectors(0, 1, bytes);
    return bytes;
  }
  stack_.AppendCarried(bytes);
  if (bottom_) bottom_->AppendCarried(time, bytes);
  readings_.AppendVectors(now, stack_.CarriedRows(time), bytes);
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
    throw Error("pushdown::NondeterministicStack::RestoreCarried", why);
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
  const std::size_t stack_size = started ? stack_.CarriedBytes(time) : 0;
  const std::size_t bottom_size = started && bottom_ ? bottom_->CarriedBytes(time) : 0;
  const int vectors = started ? stack_.CarriedRows(time) : 1;
  const std::size_t vectors_size =
      static_cast<std::size_t>(vectors) * static_cast<std::size_t>(spec_.vector_size) * sizeof(T);
  const std::size_t expected = stack_size + bottom_size + vectors_size;
  if (carried.size() != expected) {
    refuse(std::to_string(carried.size()) + " bytes after the header, must be " +
           std::to_string(expected));
  }
  const std::string_view stack_bytes = carried.substr(0, stack_size);
  const std::string_view bottom_bytes = carried.substr(stack_size, bottom_size);
  std::string_view vector_bytes = carried.substr(stack_size + bottom_size);
  if ((started && !stack_.AcceptsCarried(stack_bytes)) ||
      (started && bottom_ && !bottom_->AcceptsCarried(time, bottom_bytes))) {
    refuse("a number is out of range");
  }

  if (!started) {
    std::vector<T> vector(static_cast<std::size_t>(spec_.vector_size));
    TakeNumbers(vector_bytes, vector.data(), vector.size());
    std::vector<T> reading(static_cast<std::size_t>(spec_.reading_size()));
    return Start(vector.data(), reading.data());
  }
  started_ = true;
  widened_ = false;
  undone_ = 0;
  stack_.RestoreCarried(time, stack_bytes);
  if (bottom_) bottom_->RestoreCarried(time, bottom_bytes);
  readings_.RestoreVectors(stack_.now(), vectors, vector_bytes);
}

// The rest of the class is compiled in nondeterministic_stack.cpp.
template void NondeterministicStack<float>::Carry();
template void NondeterministicStack<double>::Carry();
template std::string NondeterministicStack<float>::Carried() const;
template std::string NondeterministicStack<double>::Carried() const;
template void NondeterministicStack<float>::RestoreCarried(std::string_view carried);
template void NondeterministicStack<double>::RestoreCarried(std::string_view carried);

}  // namespace pushdown
