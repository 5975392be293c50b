#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pushdown/model/model_spec.h"

namespace pushdown {

// A model that reads symbols one after the other, and predicts the next one, computed in float or
// in double. Models of strings and of text have the same interface.
template <typename T>
class PredictorOf {
 public:
  virtual ~PredictorOf() = default;

  // Begins a string, or a text.
  virtual void Start() = 0;
  // Throws Error (kNumeric) if the probabilities that follow are not finite.
  virtual void Read(int symbol) = 0;
  // The symbol that ends a string or a sentence. A text continues after the end of a sentence, so
  // that Read accepts this symbol; a string does not continue after its end.
  virtual int end() const = 0;

  // What Restore takes to continue from here, for a search that goes on from several places.
  virtual std::string Save() const = 0;
  // Returns to where Save was called. The probabilities are known again after the next Read.
  virtual void Restore(const std::string& saved) = 0;

  // log p of each next symbol.
  std::span<const T> log_probabilities() const { return log_probabilities_; }
  // After Read(w_t): the hidden state h_t, and the reading r_{t-1} that it was computed from. All
  // views are valid until the next call.
  virtual std::span<const T> hidden() const = 0;
  virtual std::span<const T> reading() const = 0;
  // After Read(w_t): the actions a_{t-1} that the stack took before, of which r_{t-1} is the
  // reading (see StackRnn::actions). Empty if that is the reading of the initial stack.
  virtual std::span<const T> actions() const = 0;

 protected:
  explicit PredictorOf(const ModelSpec& spec);
  // Start and Read call this at their end.
  void CheckFinite() const;

  std::vector<T> log_probabilities_;
};

using Predictor = PredictorOf<float>;

// A predictor of strings of up to max_length symbols. The parameters must outlive it.
template <typename T = float>
std::unique_ptr<PredictorOf<T>> MakeStringPredictor(const ModelSpec& spec,
                                                    std::span<const float> parameters,
                                                    int max_length);
// A predictor of text, in which `end` is the end of a sentence. The parameters must outlive it.
template <typename T = float>
std::unique_ptr<PredictorOf<T>> MakeTextPredictor(const ModelSpec& spec,
                                                  std::span<const float> parameters, int end,
                                                  int threads);

}  // namespace pushdown
