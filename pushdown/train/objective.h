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

// What a Trainer minimises: the loss of a model on training data, which come in batches, and by
// which validation data it is judged.
class Objective {
 public:
  virtual ~Objective() = default;

  virtual const ParameterLayout& layout() const = 0;
  virtual WorkerPool& pool() = 0;
  virtual int batches() const = 0;                 // in an epoch
  virtual long long training_symbols() const = 0;  // that are predicted in an epoch

  // The batches 0 .. batches()-1 of an epoch come in this order; epochs are numbered from 1.
  // Returns the sum of -log p in nats, and writes the gradient of what is minimised, a mean.
  virtual double Gradient(int epoch, int batch, std::span<const float> parameters,
                          std::span<float> gradient) = 0;
  // Where the newest gradient was written; it is zero elsewhere. In ascending order.
  virtual std::span<const ParameterRange> gradient_ranges() const = 0;

  // The cross-entropy of the validation data in nats a symbol.
  virtual double Validate(std::span<const float> parameters) = 0;

  // What the next batch of an epoch takes over from those before it, beside the parameters; empty
  // if there is nothing. Validate leaves it alone or follows the last batch of an epoch.
  virtual std::string Carried() const { return {}; }
  // Goes on with a batch other than the first one of an epoch. Throws Error.
  virtual void RestoreCarried(std::span<const float> parameters, std::string_view carried) = 0;
};

}  // namespace pushdown
