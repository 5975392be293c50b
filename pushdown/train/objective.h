#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "pushdown/model/parameters.h"
#include "pushdown/worker_pool.h"

namespace pushdown {

// A part of the arena of parameters.
struct ParameterRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// What a Trainer minimises: the loss of a model on training data, which come in batches. The
// objective also has the validation data by which the model is judged.
class Objective {
 public:
  virtual ~Objective() = default;

  virtual const ParameterLayout& layout() const = 0;
  virtual WorkerPool& pool() = 0;
  virtual int batches() const = 0;                 // in an epoch
  virtual long long training_symbols() const = 0;  // how many symbols an epoch predicts

  // Batches are asked for in the order 0 .. batches()-1; epochs are numbered from 1. Returns the
  // sum of -log p in nats over the batch, and writes the gradient of the mean that is minimised.
  virtual double Gradient(int epoch, int batch, std::span<const float> parameters,
                          std::span<float> gradient) = 0;
  // The ranges, in ascending order, that the newest gradient was written to. It is zero elsewhere.
  virtual std::span<const ParameterRange> gradient_ranges() const = 0;

  // The cross-entropy of the validation data in nats a symbol. `check`, if there is one, is called
  // again and again on the calling thread; what it throws ends the validation.
  virtual double Validate(std::span<const float> parameters,
                          const std::function<void()>& check) = 0;

  // The state, apart from the parameters, that the next batch of an epoch takes over from the
  // batches before it, as bytes; empty if there is none. Validate may change it only after the last
  // batch of an epoch.
  virtual std::string Carried() const { return {}; }
  // Prepares to continue within an epoch, at a batch that is not its first one. Throws Error.
  virtual void RestoreCarried(std::span<const float> parameters, std::string_view carried) = 0;
};

}  // namespace pushdown
