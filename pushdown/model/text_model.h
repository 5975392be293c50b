#pragma once

#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pushdown/kernels/blas.h"
#include "pushdown/kernels/panels.h"
#include "pushdown/model/driven_stack.h"
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

  const ModelSpec& spec() const { return spec_; }
  const ParameterLayout& layout() const { return layout_; }
  WorkerPool& pool() const { return *pool_; }
  int max_rows() const { return max_rows_; }
  int max_steps() const { return max_steps_; }

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

  // Of the newest chunk: -log p of each target, and the inputs in ascending order, each once.
  std::span<const double> losses() const { return losses_; }
  std::span<const int> distinct_inputs() const { return distinct_inputs_; }

  // log p of each next token of a row after the newest chunk.
  void LogProbabilities(int row, std::span<T> log_probabilities);

  // What the next chunk takes over from those before it, in bytes.
  std::string Carried() const;
  // Instead of Start and the chunks before. Throws Error if it is not that of such a model.
  void RestoreCarried(int rows, std::string_view carried);

  static double EstimateBytes(const ModelSpec& spec, int max_rows, int max_steps, bool gradients,
                              int threads);

 private:
  using Buffer = hwy::AlignedFreeUniquePtr<T[]>;

  // Tokens of a chunk are numbered step * rows + row. A place is where a token finds what the one
  // before it in its row has left: that of token n is n, and it leaves something at n + rows.
  T* hidden(int place) const { return states_.get() + reading_stride_ + place * state_stride_; }
  T* state(int place) const { return hidden(place) - reading_size_; }
  T* hidden_gradient(int place) const {
    return state_gradients_.get() + reading_stride_ + place * state_stride_;
  }
  T* state_gradient(int place) const { return hidden_gradient(place) - reading_size_; }
  T* cell(int place) const { return cells_.get() + place * cell_stride_; }
  T* input(int token) const { return inputs_.get() + token * input_stride_; }
  T* input_gradient(int token) const { return input_gradients_.get() + token * input_stride_; }
  T* tanh_cell(int token) const { return tanh_cells_.get() + token * cell_stride_; }
  T* gates(int token) const { return gates_.get() + token * gate_stride_; }
  T* gate_gradient(int token) const { return gate_gradients_.get() + token * gate_stride_; }
  T* actions(int token) const { return actions_.get() + token * action_stride_; }
  T* action_gradient(int token) const { return action_gradients_.get() + token * action_stride_; }
  T* scaled_hidden(int token) const { return scaled_hidden_.get() + token * scaled_stride_; }

  // Some tokens, or rows, that a thread takes at once.
  struct Range {
    int begin;
    int end;
    int size() const { return end - begin; }
  };
  void ForRanges(int count, int size, const std::function<void(int worker, Range)>& task);
  int RowsAtOnce() const;
  // The tokens that some rows have in a step.
  Range TokensOf(const TextChunk& chunk, int step, Range rows) const;

  void Begin(const TextChunk& chunk);
  void ReadInputs(const TextChunk& chunk, Range tokens);
  void ForwardRows(const TextChunk& chunk, Range rows);
  void StepStacks(Range tokens);
  void EndRows(const TextChunk& chunk, Range rows);
  void ForwardOutputs(const TextChunk& chunk, Range tokens, T* logits);
  void BackwardOutputs(const TextChunk& chunk, Range tokens, T* logits);
  void BackwardRows(const TextChunk& chunk, Range rows);
  void WeightGradients(const TextChunk& chunk, T* gradient);
  void AddWeightTasks(int tokens, int inputs, int outputs, Steps<const T> in, Steps<const T> out,
                      T* gradient, std::vector<std::function<void()>>& tasks) const;
  void EmbeddingGradients(const TextChunk& chunk, T* gradient);
  void SortInputs(const TextChunk& chunk);

  ModelSpec spec_;
  ParameterLayout layout_;
  int max_rows_;
  int max_steps_;
  bool gradients_;
  WorkerPool* pool_;
  const T* parameters_ = nullptr;
  int rows_ = 0;
  bool first_ = true;                   // no chunk has been read since Start
  bool ended_ = false;                  // rows have come to their ends
  std::vector<DrivenStack<T>> stacks_;  // by row

  // Strides are whole vectors, and h_t begins with one. They include what kernels read beyond the
  // end of a row, since the next row may be one that another thread is writing.
  int reading_size_;
  std::ptrdiff_t reading_stride_ = 0;
  std::ptrdiff_t state_stride_ = 0;
  std::ptrdiff_t cell_stride_ = 0;
  std::ptrdiff_t gate_stride_ = 0;
  std::ptrdiff_t action_stride_ = 0;
  std::ptrdiff_t input_stride_ = 0;
  std::ptrdiff_t scaled_stride_ = 0;
  std::ptrdiff_t logit_stride_ = 0;
  // Copies of the weights, with the bias as their last row, and of their transposes without it.
  PanelMatrix<T> recurrent_;             // [R + H + 1, 4H]
  PanelMatrix<T> recurrent_transposed_;  // [4H, R + H]
  PanelMatrix<T> stack_layers_;          // [H + 1, outputs of layout_.stack]
  PanelMatrix<T> stack_transposed_;      // [outputs of layout_.stack, H]

  Buffer states_;      // [place][r; h; 1]
  Buffer cells_;       // [place][H]
  Buffer inputs_;      // [token][E]
  Buffer tanh_cells_;  // [token][H]
  Buffer gates_;       // [token][4H]
  Buffer actions_;     // [token][outputs of layout_.stack]: what the stack took
  // With gradients [token][outputs]; otherwise a block of them for each thread.
  Buffer logits_;
  std::vector<double> losses_;

  // Derivatives, with those of a time in the places of what they are the derivatives by.
  Buffer state_gradients_;   // [place][r; h; 1]
  Buffer cell_gradients_;    // [row][H]
  Buffer gate_gradients_;    // [token][4H]: before the activation
  Buffer action_gradients_;  // [token][outputs of layout_.stack]: before the activation
  Buffer input_gradients_;   // [token][E]
  Buffer scaled_hidden_;     // [token][h; 1]: times what the output layer's derivatives lack
  Buffer bottom_gradients_;  // [row][m]
  std::vector<int> distinct_inputs_;
  std::vector<int> by_input_;     // tokens in the order of their inputs
  std::vector<int> input_begin_;  // where in by_input_ the tokens of each distinct input begin
};

extern template class TextModel<float>;
extern template class TextModel<double>;

}  // namespace pushdown
