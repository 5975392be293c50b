#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"
#include "pushdown/model/text_chunk.h"
#include "pushdown/worker_pool.h"

namespace pushdown {

// A stack RNN as a language model of running text, several rows side by side (the paper's section
// 6). Rows begin with h_0 = c_0 = 0 and the initial stack; in each step
//   h_t = LSTM(h_{t-1}, [embedding of the input x_t; r_{t-1}]), output(h_t) predicts the target,
//   the stack takes the actions of h_t, and r_t is its reading.
// Text is read in chunks. State is carried from chunk to chunk, and gradients are cut between them.
//
// Parameters and gradients are arenas that ParameterLayout describes. Work is spread over the
// threads of a pool, and results do not depend on their number.
template <typename T>
class TextModel {
 public:
  // For up to max_rows rows and chunks of up to max_steps steps. The pool must outlive this. Throws
  // Error if the stack has neither window nor depth limit, and would grow without end.
  TextModel(const ModelSpec& spec, int max_rows, int max_steps, bool gradients, WorkerPool& pool);
  ~TextModel();
  TextModel(TextModel&& other) noexcept;
  TextModel& operator=(TextModel&& other) noexcept;

  const ModelSpec& spec() const;
  const ParameterLayout& layout() const;
  WorkerPool& pool() const { return *pool_; }
  int max_rows() const;
  int max_steps() const;

  // They must outlive their use and not change; after a change, this is called again.
  void SetParameters(const T* parameters);
  // Begins `rows` rows anew.
  void Start(int rows);

  // Both read the next chunk of all rows, and return the sum of -log p of its targets, or 0 if it
  // has none. A chunk whose last step lacks rows ends them all. Throw Error, naming the row, if a
  // stack refuses its actions, because they are not finite.
  double Loss(const TextChunk& chunk);
  // Also writes the gradient of the mean of -log p, all of it but for the embeddings of words that
  // are not among the inputs, which are left as they are: there it is zero.
  double Gradient(const TextChunk& chunk, T* gradient);

  // Of the newest chunk: -log p of each target, and after Gradient the inputs in ascending order,
  // each once.
  std::span<const double> losses() const;
  std::span<const int> distinct_inputs() const;

  // Of a row after step 1, 2, .. of the newest chunk: the hidden state, the actions that the stack
  // has taken (see Recurrence) and the reading it has given. Step 0 is what the next chunk goes on
  // from: the beginning, or the newest chunk's last step. Of rows that have come to their ends
  // there are neither step 0 nor actions and readings of the last one. Views are good until the
  // next call. Throw Error if there is no such step.
  std::span<const T> hidden(int row, int step) const;
  std::span<const T> reading(int row, int step) const;
  std::span<const T> actions(int row, int step) const;

  // log p of each next token of a row after the newest chunk.
  void LogProbabilities(int row, std::span<T> log_probabilities);

  // What the next chunk takes over from those before it, in bytes.
  std::string Carried() const;
  // Instead of Start and the chunks before. Throws Error if it is not that of such a model.
  void RestoreCarried(int rows, std::string_view carried);

  static double EstimateBytes(const ModelSpec& spec, int max_rows, int max_steps, bool gradients,
                              int threads);

 private:
  int rows() const;
  int PlaceOf(const char* what, int row, int step, int first, bool needs_stack) const;
  template <typename Task>
  void ForRows(const Task& task);
  void Begin(const TextChunk& chunk);
  void ReadInputs(const TextChunk& chunk);
  void WeightGradients(T* gradient);

  struct Parts;
  std::unique_ptr<Parts> parts_;
  WorkerPool* pool_;
  const T* parameters_ = nullptr;
  int tokens_ = 0;      // of the newest chunk
  bool ready_ = false;  // there are rows
  bool first_ = true;   // no chunk has been read since Start
  bool ended_ = false;  // rows have come to their ends
};

extern template class TextModel<float>;
extern template class TextModel<double>;

}  // namespace pushdown
