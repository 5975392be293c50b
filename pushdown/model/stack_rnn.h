#pragma once

#include <memory>
#include <span>

#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"

namespace pushdown {

// A stack RNN as a language model of one string w_1 .. w_n at a time (the paper's section 2):
//   h_0 = c_0 = 0, r_0 is the reading of the initial stack, y_0 = output(h_0) predicts w_1;
//   h_t = LSTM(h_{t-1}, [w_t; r_{t-1}]), y_t = output(h_t) predicts w_{t+1}, y_n the end;
//   the stack takes the actions of h_t, t < n, and r_t is its reading.
// Parameters and gradients are arenas that ParameterLayout describes. An object is the workspace of
// one thread; it allocates nothing after construction (but see NondeterministicStack).
template <typename T>
class StackRnn {
 public:
  // For strings of up to max_length symbols.
  StackRnn(const ModelSpec& spec, int max_length, bool gradients = true);
  ~StackRnn();
  StackRnn(StackRnn&& other) noexcept;
  StackRnn& operator=(StackRnn&& other) noexcept;

  const ModelSpec& spec() const;
  const ParameterLayout& layout() const;

  // -log p(string), the sum of the losses of its symbols and its end. Not finite if the parameters
  // or what is computed from them are not; throws Error, naming the step, if the stack refuses its
  // actions for that reason.
  double Forward(const T* parameters, std::span<const int> string);
  // Adds `scale` times the gradient of the newest Forward, once after each and with the same
  // parameters, to `gradient`.
  void Backward(const T* parameters, T scale, T* gradient);

  // The same symbol by symbol, at most max_length of them: Start, then Step for each symbol, with
  // the same parameters.
  // Both write log p of each next symbol, the end last, to log_probabilities [outputs].
  void Start(const T* parameters, T* log_probabilities);
  void Step(const T* parameters, int symbol, T* log_probabilities);

  // Of the newest Forward, or the newest Start and the Steps since, of n symbols: h_t for t <= n,
  // the reading r_t for t < n (and r_0), and the actions of which r_t is the reading, for 0 < t < n
  // (see Recurrence). Views are good until the next call. Throw Error if there is no such t.
  std::span<const T> hidden(int t) const;
  std::span<const T> reading(int t) const;
  std::span<const T> actions(int t) const;
  // After the Step of symbol t: h_t, the reading r_{t-1} that went into it, and the log of the
  // total weight of the runs of which r_{t-1} is the reading (0 if the stack has no runs). After
  // Start: h_0, r_0 and 0.
  std::span<const T> hidden() const { return hidden(length_); }
  std::span<const T> reading() const { return reading(length_ > 0 ? length_ - 1 : 0); }
  double LogStackWeight() const;

  // What constructing takes, and what an object takes at most (see NondeterministicStack).
  static double WorkspaceBytes(const ModelSpec& spec, int max_length, bool gradients);
  static double EstimateBytes(const ModelSpec& spec, int max_length, bool gradients);

 private:
  void CheckSymbol(int symbol) const;
  void CheckTime(const char* what, int t, int first, int last) const;
  int max_length() const;
  void AppendInput(const T* parameters, int symbol);
  void AddInputGradients(T* gradient) const;
  void StartString(const T* parameters);
  void WriteLogProbabilities(const T* parameters, T* log_probabilities);

  struct Parts;
  std::unique_ptr<Parts> parts_;
  int length_ = 0;  // of the string so far
};

extern template class StackRnn<float>;
extern template class StackRnn<double>;

}  // namespace pushdown
