#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pushdown/kernels/bottom_weights.h"
#include "pushdown/kernels/stack_readings.h"
#include "pushdown/kernels/stack_spec.h"
#include "pushdown/kernels/stack_wfa.h"

namespace pushdown {

// A float stack goes over to double where logits are further apart; see NondeterministicStack.
inline constexpr float kMaxFloatSpread = 60;

// The differentiable nondeterministic stack of one sequence: RNS (readings are the distribution
// over pairs of state and top symbol) and VRNS (readings are the expected top vectors, by pair).
// P = pairs, Q = states, m = vector size; vectors are null for RNS.
//
// One sequence: Start, Step for t = 1 .. T; then, for gradients, BackwardStep T times (for
// t = T .. 1) and BackwardStart. Endless input: Start, then chunks of Steps with the BackwardSteps
// of the chunk and Carry after each; only the first chunk has a BackwardStart.
//
// Logits of any size are legal, and -inf. Inside, probabilities below the smallest number of the
// type (1e-38 or 1e-308) become zero, and a run that is lost that way could later have been the
// only one left. A float stack therefore goes over to double at the first step whose logits are
// more than kMaxFloatSpread apart, impossible transitions included, and stays there until the next
// Start.
//
// An object is for one thread at a time, and can be used again for any number of sequences. It
// allocates nothing after construction, except once, if it has to go over to double.
template <typename T>
class NondeterministicStack {
 public:
  // Without a window, max_steps is the length of the longest sequence; with one, of the longest
  // chunk. Backward steps need gradients = true, which takes more memory.
  NondeterministicStack(const NondeterministicStackSpec& spec, int max_steps,
                        bool gradients = true);
  NondeterministicStack(NondeterministicStack&& other) noexcept;
  NondeterministicStack& operator=(NondeterministicStack&& other) noexcept;
  ~NondeterministicStack();

  const NondeterministicStackSpec& spec() const { return spec_; }

  void Start(const T* bottom_vector,  // [m]
             T* reading);             // [reading_size]
  // Throws Error, naming the step, if no run survives or a logit is NaN or +inf.
  void Step(const T* logits,  // [P (q,x)][push (r,y) | replace (r,y) | pop r]
            const T* vector,  // [m]
            T* reading);      // [reading_size]

  // log of the total weight of all runs after the newest Step, undone or not; 0 after Start. After
  // RestoreCarried, relative to the weight at that time.
  double LogWeight() const;

  // Undoes the newest step that has not been undone, given the loss's derivatives by its reading.
  void BackwardStep(const T* reading_gradient,    // [reading_size]
                    T* logit_gradient,            // [P, 2P + Q]
                    T* vector_gradient);          // [m]
  void BackwardStart(const T* reading_gradient,   // [reading_size]
                     T* bottom_vector_gradient);  // [m]
  // No step is undone any more: the newest one is the next that BackwardStep undoes.
  void RestartBackward();

  // Ends a chunk: what came before is a constant for the gradients of what follows. With a window,
  // memory does not grow from chunk to chunk.
  void Carry();
  // What the next chunk takes over from those before it, in bytes of this machine; to be asked
  // after Start or Carry, before any Step.
  std::string Carried() const;
  // Instead of Start and the chunks before: all that follows is the same, bit for bit. The stack
  // that was asked may have been made for other max_steps, and with or without gradients. Throws
  // Error, and changes nothing, if the bytes are not those of a stack of this specification.
  void RestoreCarried(std::string_view carried);

  void ForwardSequence(int steps, const T* logits,              // [T, P, 2P + Q]
                       const T* vectors,                        // [T, m]
                       const T* bottom_vector,                  // [m]
                       T* readings);                            // [T + 1, reading_size]
  void BackwardSequence(int steps, const T* reading_gradients,  // [T + 1, reading_size]
                        T* logit_gradients,                     // [T, P, 2P + Q]
                        T* vector_gradients,                    // [T, m]
                        T* bottom_vector_gradient);             // [m]

  // What constructing takes.
  static double WorkspaceBytes(const NondeterministicStackSpec& spec, int max_steps,
                               bool gradients);
  // What going over to double takes.
  static double WideBytes(const NondeterministicStackSpec& spec, int max_steps, bool gradients);
  // At most: both.
  static double EstimateBytes(const NondeterministicStackSpec& spec, int max_steps, bool gradients);

 private:
  template <typename U>
  friend class NondeterministicStack;
  struct Wide;

  bool has_vectors() const { return spec_.vector_size > 0; }
  void CheckVector(const T* vector, const char* function) const;
  // Goes over to double, where the state of a stack of floats is copied.
  void Widen();
  template <typename U>
  void CopyFrom(const NondeterministicStack<U>& other);

  NondeterministicStackSpec spec_;
  int max_steps_;
  bool gradients_;
  bool started_ = false;
  bool widened_ = false;        // wide_ does all the work
  std::unique_ptr<Wide> wide_;  // once it has been needed
  StackWfa<T> stack_;
  StackReadings<T> readings_;
  std::unique_ptr<BottomWeights<T>> bottom_;  // with InitialVector::kPaperCode only
  int undone_ = 0;                            // backward steps since the newest step
};

extern template class NondeterministicStack<float>;
extern template class NondeterministicStack<double>;

}  // namespace pushdown
