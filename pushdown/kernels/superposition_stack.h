#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/kernels/rows.h"
#include "pushdown/kernels/stack_spec.h"

namespace pushdown {

// Independent superposition stacks (the paper's section 2.1) of one sequence. The new stack is
//   V_t[j] = push * V_{t-1}[j-1] + no-op * V_{t-1}[j] + pop * V_{t-1}[j+1],  V_{t-1}[-1] = v_t,
// zero below the last element; the reading is V_t[0] of every stack, and it is zero at first. The
// three action weights are used as they are given: they need not sum to one.
//
// One sequence: Start, Step for t = 1 .. T, then BackwardStep T times. Endless input: chunks of
// Steps and their BackwardSteps with Carry after each. For one thread at a time; allocates nothing
// after construction.
template <typename T>
class SuperpositionStack {
 public:
  // Without a depth limit, max_steps is the length of the longest sequence; with one, of the
  // longest chunk.
  SuperpositionStack(const SuperpositionStackSpec& spec, int max_steps, bool gradients = true);

  const SuperpositionStackSpec& spec() const { return spec_; }

  void Start(T* reading);      // [reading_size]
  void Step(const T* actions,  // [stacks][push, no-op, pop]
            const T* vector,   // [reading_size]
            T* reading);       // [reading_size]
  // Undoes the newest step that has not been undone.
  void BackwardStep(const T* reading_gradient,  // [reading_size]
                    T* action_gradient,         // [stacks][3]
                    T* vector_gradient);        // [reading_size]
  // No step is undone any more: the newest one is the next that BackwardStep undoes.
  void RestartBackward() { undone_ = 0; }
  // Ends a chunk: what came before is a constant for the gradients of what follows. With a depth
  // limit, memory does not grow from chunk to chunk.
  void Carry();
  // What the next chunk takes over from those before it, in bytes of this machine; to be asked
  // after Start or Carry, before any Step.
  std::string Carried() const;
  // Instead of Start and the chunks before: all that follows is the same, bit for bit. The stack
  // that was asked may have been made for other max_steps, and with or without gradients. Throws
  // Error, and changes nothing, if the bytes are not those of a stack of this specification.
  void RestoreCarried(std::string_view carried);

  void ForwardSequence(int steps, const T* actions,             // [T, stacks, 3]
                       const T* vectors,                        // [T, reading_size]
                       T* readings);                            // [T + 1, reading_size]
  void BackwardSequence(int steps, const T* reading_gradients,  // [T + 1, reading_size]
                        T* action_gradients,                    // [T, stacks, 3]
                        T* vector_gradients);                   // [T, reading_size]

  static double EstimateBytes(const SuperpositionStackSpec& spec, int max_steps, bool gradients);

 private:
  using Buffer = hwy::AlignedFreeUniquePtr<T[]>;

  // One of the stacks: at each time t, v_{t+1} followed by V_t and two elements of zeros.
  struct Single {
    int size = 0;
    Buffer elements;
    std::vector<std::int64_t> offsets;  // of each time in `elements`
    std::vector<T> actions;             // [t][3]
    // The derivatives by V_t, between two elements of zeros on either side.
    Buffer gradient;
    Buffer earlier_gradient;

    T* at(int t) const { return elements.get() + offsets[t]; }
  };

  // Elements that V_t can have, t being the time within a chunk.
  int Height(int t) const;

  SuperpositionStackSpec spec_;
  int max_steps_;
  bool gradients_;
  int now_ = 0;
  int undone_ = 0;
  int boundary_ = 0;
  int start_height_ = 0;  // of V_0, which is not empty after Carry
  std::vector<Single> stacks_;
};

extern template class SuperpositionStack<float>;
extern template class SuperpositionStack<double>;

}  // namespace pushdown
