#pragma once

// A stack RNN as its equations are written, number by number: slow, and meant to be compared with.
// N is double, or std::complex<double> for derivatives: with an imaginary step of 1e-50 on a
// parameter, the imaginary part of the loss divided by 1e-50 is the derivative, free of
// cancellation. Nothing here is shared with StackRnn but the layout of the parameters.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/nondeterministic_stack_reference.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"
#include "tests/kernels/superposition_dense.h"

namespace pushdown::testing_oracle {

template <typename N>
N ReferenceSigmoid(const N& x) {
  return N(1) / (N(1) + std::exp(-x));
}

template <typename N>
std::vector<N> ReferenceSigmoid(std::vector<N> values) {
  for (N& value : values) value = ReferenceSigmoid(value);
  return values;
}

// Relative to the largest, so that nothing overflows.
template <typename N>
std::vector<N> ReferenceLogSoftmax(std::vector<N> logits) {
  double largest = std::real(logits[0]);
  for (const N& logit : logits) largest = std::max(largest, std::real(logit));
  N sum = N(0);
  for (const N& logit : logits) sum += std::exp(logit - largest);
  for (N& logit : logits) logit -= largest + std::log(sum);
  return logits;
}

inline const ParameterTensor& FindTensor(const ParameterLayout& layout, const std::string& name) {
  for (const ParameterTensor& tensor : layout.tensors) {
    if (tensor.name == name) return tensor;
  }
  throw Error("pushdown::testing_oracle::FindTensor", "there is no " + name);
}

template <typename N>
class ReferenceStackRnn {
 public:
  // All three must outlive this.
  ReferenceStackRnn(const ModelSpec& spec, const ParameterLayout& layout,
                    const std::vector<N>& parameters)
      : spec_(spec), layout_(layout), parameters_(parameters) {}

  // Running text: StartText, then ReadText for each input and target, up to max_steps times.
  // Returns -log p of the target. Parameters may change in between.
  void StartText(int max_steps) {
    hidden_.assign(static_cast<std::size_t>(spec_.hidden_units), N(0));
    cell_ = hidden_;
    reading_ = StartStack(max_steps + 1);
    time_ = 0;
  }
  N ReadText(int input, int target) {
    const std::vector<N> embeddings = Tensor("embeddings");
    const auto embedding = embeddings.begin() + std::ptrdiff_t{input} * spec_.embedding_size;
    StepController({embedding, embedding + spec_.embedding_size}, reading_, hidden_, cell_);
    reading_ = StepStack(++time_, hidden_);
    return -ReferenceLogSoftmax(Affine("output", hidden_))[static_cast<std::size_t>(target)];
  }

  // Of a text, after the newest ReadText.
  const std::vector<N>& hidden() const { return hidden_; }
  const std::vector<N>& reading() const { return reading_; }

  // What the stack took at time t = 1, 2, ..: the operations' logits or the actions' probabilities,
  // then the pushed vectors unless they are the hidden state.
  std::vector<N> TakenActions(int t) const {
    std::vector<N> taken;
    const auto append = [&](const std::vector<N>& from, int size) {
      const auto begin = from.begin() + std::ptrdiff_t{t - 1} * size;
      taken.insert(taken.end(), begin, begin + size);
    };
    if (const auto* stack = spec_.nondeterministic()) {
      append(logits_, stack->logits_size());
      append(vectors_, stack->vector_size);
    } else if (const auto* superposition = spec_.superposition()) {
      append(actions_, superposition->actions_size());
      if (!spec_.push_hidden) append(vectors_, superposition->reading_size());
    }
    return taken;
  }

  // -log p of the string and its end.
  N Loss(const std::vector<int>& string) {
    N loss = N(0);
    std::size_t t = 0;
    for (const State& state : States(string)) {
      const auto log_probabilities = ReferenceLogSoftmax(Affine("output", state.hidden));
      loss -=
          log_probabilities[static_cast<std::size_t>(t < string.size() ? string[t] : spec_.end())];
      ++t;
    }
    return loss;
  }

  // h_t, which predicts w_{t+1}, and the reading r_{t-1} that went into it (r_0 at t = 0), with the
  // log of the total weight of its runs.
  struct State {
    std::vector<N> hidden;
    std::vector<N> reading;
    N log_stack_weight;
  };
  // t = 0 .. n.
  std::vector<State> States(const std::vector<int>& string) {
    std::vector<N> hidden(static_cast<std::size_t>(spec_.hidden_units));
    std::vector<N> cell = hidden;
    std::vector<N> reading = StartStack(static_cast<int>(string.size()));
    std::vector<State> states = {{hidden, reading, N(0)}};
    for (std::size_t t = 1; t <= string.size(); ++t) {
      std::vector<N> one_hot(static_cast<std::size_t>(spec_.symbols));
      one_hot[static_cast<std::size_t>(string[t - 1])] = N(1);
      StepController(one_hot, reading, hidden, cell);
      states.push_back({hidden, reading, LogStackWeight(static_cast<int>(t) - 1)});
      if (t < string.size()) reading = StepStack(static_cast<int>(t), hidden);
    }
    return states;
  }

 private:
  std::vector<N> Tensor(const std::string& name) const {
    const ParameterTensor& tensor = FindTensor(layout_, name);
    const auto begin = parameters_.begin() + static_cast<std::ptrdiff_t>(tensor.offset);
    return {begin, begin + static_cast<std::ptrdiff_t>(tensor.size())};
  }

  std::vector<N> Affine(const std::string& layer, const std::vector<N>& inputs) const {
    const std::vector<N> weights = Tensor(layer + ".weights");  // [inputs, outputs]
    std::vector<N> outputs = Tensor(layer + ".bias");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (std::size_t j = 0; j < outputs.size(); ++j) {
        outputs[j] += inputs[i] * weights[i * outputs.size() + j];
      }
    }
    return outputs;
  }

  // The LSTM of the paper's appendix B, on [symbol; reading; hidden state].
  void StepController(std::vector<N> inputs, const std::vector<N>& reading, std::vector<N>& hidden,
                      std::vector<N>& cell) const {
    inputs.insert(inputs.end(), reading.begin(), reading.end());
    inputs.insert(inputs.end(), hidden.begin(), hidden.end());
    const std::vector<N> gates = Affine("controller", inputs);
    const std::size_t units = hidden.size();
    for (std::size_t j = 0; j < units; ++j) {
      const N input_gate = ReferenceSigmoid(gates[j]);
      const N forget_gate = ReferenceSigmoid(gates[units + j]);
      const N candidate = std::tanh(gates[2 * units + j]);
      const N output_gate = ReferenceSigmoid(gates[3 * units + j]);
      cell[j] = forget_gate * cell[j] + input_gate * candidate;
      hidden[j] = output_gate * std::tanh(cell[j]);
    }
  }

  // r_0. There are length - 1 steps: nothing reads the stack after the last symbol.
  std::vector<N> StartStack(int length) {
    const int steps = std::max(length - 1, 0);
    logits_.clear();
    actions_.clear();
    vectors_.clear();
    if (const auto* stack = spec_.nondeterministic()) {
      // The oracle of the stack has references to these, which are filled as steps are made.
      logits_.resize(static_cast<std::size_t>(steps * stack->logits_size()));
      vectors_.resize(static_cast<std::size_t>(steps * stack->vector_size));
      bottom_vector_.clear();
      if (stack->vector_size > 0) {
        bottom_vector_ = ReferenceSigmoid(Tensor("stack.bottom_vector"));
      }
      automaton_.emplace(*stack, steps, logits_, vectors_, bottom_vector_);
      std::vector<N> reading;
      automaton_->AppendReading(0, reading);
      return reading;
    }
    return std::vector<N>(static_cast<std::size_t>(spec_.reading_size()));
  }

  N LogStackWeight(int t) const {
    return spec_.nondeterministic() == nullptr ? N(0) : automaton_->Total(t).log_abs;
  }

  // r_t, from the actions of h_t.
  std::vector<N> StepStack(int t, const std::vector<N>& hidden) {
    if (const auto* stack = spec_.nondeterministic()) {
      const std::vector<N> logits = Affine("stack.operations", hidden);
      std::copy(logits.begin(), logits.end(), logits_.begin() + (t - 1) * stack->logits_size());
      if (stack->vector_size > 0) {
        const std::vector<N> vector = ReferenceSigmoid(Affine("stack.vector", hidden));
        std::copy(vector.begin(), vector.end(), vectors_.begin() + (t - 1) * stack->vector_size);
      }
      automaton_->Advance(t);
      std::vector<N> reading;
      automaton_->AppendReading(t, reading);
      return reading;
    }
    if (const auto* stack = spec_.superposition()) {
      for (int k = 1; k <= stack->stacks(); ++k) {
        const std::string name = "stack." + std::to_string(k);
        for (const N& log : ReferenceLogSoftmax(Affine(name + ".actions", hidden))) {
          actions_.push_back(std::exp(log));
        }
        const std::vector<N> vector =
            spec_.push_hidden ? hidden : ReferenceSigmoid(Affine(name + ".vector", hidden));
        vectors_.insert(vectors_.end(), vector.begin(), vector.end());
      }
      const std::vector<N> readings =
          DenseSuperpositionReadings(stack->sizes, stack->depth_limit, t, actions_, vectors_);
      return {readings.end() - stack->reading_size(), readings.end()};
    }
    return {};
  }

  const ModelSpec& spec_;
  const ParameterLayout& layout_;
  const std::vector<N>& parameters_;
  // What the stack has been given so far, v_0 aside: [t][..].
  std::vector<N> logits_;
  std::vector<N> actions_;
  std::vector<N> vectors_;
  std::vector<N> bottom_vector_;
  std::optional<internal::ReferenceStack<N>> automaton_;
  // Of a text.
  std::vector<N> hidden_;
  std::vector<N> cell_;
  std::vector<N> reading_;
  int time_ = 0;
};

template <typename N>
N ReferenceLoss(const ModelSpec& spec, const std::vector<N>& parameters,
                const std::vector<int>& string) {
  const ParameterLayout layout(spec);
  return ReferenceStackRnn<N>(spec, layout, parameters).Loss(string);
}

// The derivative of the loss in a direction.
inline double ReferenceDerivative(const ModelSpec& spec, const std::vector<double>& parameters,
                                  const std::vector<int>& string,
                                  const std::vector<double>& direction) {
  constexpr double kStep = 1e-50;
  std::vector<std::complex<double>> moved(parameters.begin(), parameters.end());
  for (std::size_t j = 0; j < moved.size(); ++j) moved[j].imag(kStep * direction[j]);
  return ReferenceLoss(spec, moved, string).imag() / kStep;
}

// By every parameter: as many evaluations as there are parameters.
inline std::vector<double> ReferenceGradient(const ModelSpec& spec,
                                             const std::vector<double>& parameters,
                                             const std::vector<int>& string) {
  constexpr double kStep = 1e-50;
  const ParameterLayout layout(spec);
  std::vector<std::complex<double>> moved(parameters.begin(), parameters.end());
  ReferenceStackRnn<std::complex<double>> model(spec, layout, moved);
  std::vector<double> gradient(parameters.size());
  for (std::size_t j = 0; j < moved.size(); ++j) {
    moved[j].imag(kStep);
    gradient[j] = model.Loss(string).imag() / kStep;
    moved[j].imag(0);
  }
  return gradient;
}

}  // namespace pushdown::testing_oracle
