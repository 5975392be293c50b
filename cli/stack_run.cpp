#include "cli/stack_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>

#include "cli/errors.h"
#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/superposition_stack.h"
#include "pushdown/memory.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

template <typename T, typename Spec>
using StackOf = std::conditional_t<std::is_same_v<Spec, SuperpositionStackSpec>,
                                   SuperpositionStack<T>, NondeterministicStack<T>>;

bool Bounded(const SuperpositionStackSpec& spec) { return spec.depth_limit > 0; }
bool Bounded(const NondeterministicStackSpec& spec) { return spec.window > 0; }

// What the constructors of the stacks want to know: only a stack of bounded memory forgets the
// steps of earlier chunks.
template <typename Spec>
int StepsKept(const Spec& spec, int max_steps, int chunk) {
  return Bounded(spec) && chunk > 0 ? std::min(chunk, max_steps) : max_steps;
}

// Knows how much of the work is done: a step takes as long as any other if memory is bounded, and
// otherwise longer with every step (as t for superposition stacks, t^2 for nondeterministic ones);
// backward it takes twice as long as forward.
class WorkMeter {
 public:
  template <typename T>
  WorkMeter(const StackFile<T>& file, const StackRunOptions& options)
      : options_(options),
        power_(std::visit([](const auto& spec) { return Bounded(spec); }, file.spec) ? 1
               : std::holds_alternative<SuperpositionStackSpec>(file.spec)           ? 2
                                                                                     : 3) {
    for (const StackSequence<T>& sequence : file.sequences) total_ += Sequence(sequence.steps);
  }

  void Forward(std::ptrdiff_t begin, std::ptrdiff_t t) const {
    Report(Sequence(begin) + Work(t) - Work(begin));
  }
  void Backward(std::ptrdiff_t begin, std::ptrdiff_t end, std::ptrdiff_t t) const {
    Report(Sequence(begin) + Work(end) - Work(begin) + 2 * (Work(end) - Work(t)));
  }
  void EndSequence(std::ptrdiff_t steps) { done_ += Sequence(steps); }
  // For work that is not counted: the progress may throw.
  void Wait(std::ptrdiff_t steps) const { Report(Sequence(steps)); }

 private:
  double Work(std::ptrdiff_t steps) const { return std::pow(static_cast<double>(steps), power_); }
  double Sequence(std::ptrdiff_t steps) const { return Work(steps) * (options_.gradients ? 3 : 1); }
  void Report(double in_this_sequence) const {
    if (options_.progress && total_ > 0) options_.progress((done_ + in_this_sequence) / total_);
  }

  const StackRunOptions& options_;
  int power_;
  double done_ = 0;
  double total_ = 0;
};

template <typename T>
void Start(NondeterministicStack<T>& stack, const StackArrays<T>& inputs, T* reading) {
  stack.Start(inputs.bottom_vector.data(), reading);
}
template <typename T>
void Start(SuperpositionStack<T>& stack, const StackArrays<T>& /*inputs*/, T* reading) {
  stack.Start(reading);
}

template <typename T>
void BackwardStart(NondeterministicStack<T>& stack, const T* reading_gradient,
                   StackArrays<T>& gradients) {
  stack.BackwardStart(reading_gradient, gradients.bottom_vector.data());
}
template <typename T>
void BackwardStart(SuperpositionStack<T>& /*stack*/, const T* /*reading_gradient*/,
                   StackArrays<T>& /*gradients*/) {}  // the initial reading is zero

template <typename T, typename Stack>
StackResults<T> RunSequence(Stack& stack, const StackSequence<T>& sequence,
                            const StackRunOptions& options, const WorkMeter& meter) {
  const std::ptrdiff_t steps = sequence.steps;
  const std::ptrdiff_t chunk = options.chunk > 0 ? options.chunk : std::max(sequence.steps, 1);
  const StackArrays<T>& inputs = sequence.inputs;
  const std::ptrdiff_t reading_size = stack.spec().reading_size();
  // Sizes of one step; with no steps they do not matter.
  const auto divisor = static_cast<std::size_t>(std::max(sequence.steps, 1));
  const auto actions_size = static_cast<std::ptrdiff_t>(inputs.actions.size() / divisor);
  const auto vector_size = static_cast<std::ptrdiff_t>(inputs.vectors.size() / divisor);

  StackResults<T> results;
  results.readings.resize(static_cast<std::size_t>((steps + 1) * reading_size));
  StackArrays<T>& gradients = results.gradients;
  if (options.gradients) {
    gradients.actions.resize(inputs.actions.size());
    gradients.vectors.resize(inputs.vectors.size());
    gradients.bottom_vector.resize(inputs.bottom_vector.size());
  }

  Start(stack, inputs, results.readings.data());
  for (std::ptrdiff_t begin = 0;; begin += chunk) {
    const std::ptrdiff_t end = std::min(steps, begin + chunk);
    for (std::ptrdiff_t t = begin; t < end; ++t) {
      stack.Step(inputs.actions.data() + t * actions_size, inputs.vectors.data() + t * vector_size,
                 results.readings.data() + (t + 1) * reading_size);
      meter.Forward(begin, t);
    }
    if (options.gradients) {
      const T* coefficients = sequence.coefficients.data();
      for (std::ptrdiff_t t = end - 1; t >= begin; --t) {
        stack.BackwardStep(coefficients + (t + 1) * reading_size,
                           gradients.actions.data() + t * actions_size,
                           gradients.vectors.data() + t * vector_size);
        meter.Backward(begin, end, t);
      }
      if (begin == 0) BackwardStart(stack, coefficients, gradients);
    }
    if (end == steps) return results;
    stack.Carry();
  }
}

template <typename T>
RunsResults RunsOfSequence(const NondeterministicStackSpec& spec, const StackSequence<T>& sequence,
                           const RunsRequest& request, const WorkMeter& meter) {
  RunsResults results;
  if (!request.any()) return results;
  const std::vector<double> logits(sequence.inputs.actions.begin(), sequence.inputs.actions.end());
  const AutomatonRuns runs(spec, logits, [&] { meter.Wait(sequence.steps); });
  results.best = runs.Best(request.best);
  results.samples = runs.Sample(request.samples, request.seed);
  if (request.marginals) results.marginals = runs.Marginals();
  for (const auto* list : {&results.best, &results.samples}) {
    for (const AutomatonRun& run : *list) {
      if (!std::isfinite(run.log_weight)) throw RunError("the weight of a run is not finite");
    }
  }
  return results;
}
template <typename T>
RunsResults RunsOfSequence(const SuperpositionStackSpec& spec, const StackSequence<T>& /*sequence*/,
                           const RunsRequest& request, const WorkMeter& /*meter*/) {
  if (request.any()) {
    throw UsageError(
        fmt::format("stack: {} has no runs; --runs, --samples and --marginals are for "
                    "rns and vrns",
                    Printable(StackName(spec))));
  }
  return {};
}

// What computing the runs of one sequence after the other takes, and what is kept of each; at most,
// since there may be fewer runs than are asked for.
template <typename T>
double RunsBytes(const NondeterministicStackSpec& spec, const StackFile<T>& file,
                 const RunsRequest& request) {
  if (!request.any()) return 0;
  constexpr double kSearch = 64;  // of each step of each of the best runs
  double bytes = AutomatonRuns::EstimateBytes(spec, file.max_steps) +
                 kSearch * request.best * (file.max_steps + 1.0);
  for (const StackSequence<T>& sequence : file.sequences) {
    const double steps = sequence.steps;
    bytes += (static_cast<double>(request.best) + request.samples) *
             (sizeof(AutomatonRun) + steps * sizeof(RunTransition));
    if (request.marginals) bytes += (steps + 1) * (spec.logits_size() + steps + 8) * sizeof(double);
  }
  return bytes;
}
template <typename T>
double RunsBytes(const SuperpositionStackSpec& /*spec*/, const StackFile<T>& /*file*/,
                 const RunsRequest& /*request*/) {
  return 0;
}

// JSON has no other numbers.
template <typename T>
void CheckFinite(const StackResults<T>& results, int reading_size) {
  const auto is_bad = [](T value) { return !std::isfinite(value); };
  const auto find = [&](const std::vector<T>& values) {
    return std::find_if(values.begin(), values.end(), is_bad);
  };
  const auto reading = find(results.readings);
  if (reading != results.readings.end()) {
    throw RunError(fmt::format("the reading of step {} is not finite",
                               (reading - results.readings.begin()) / reading_size));
  }
  for (const auto* values :
       {&results.gradients.actions, &results.gradients.vectors, &results.gradients.bottom_vector}) {
    if (find(*values) != values->end()) throw RunError("a gradient is not finite");
  }
}

template <typename T>
void CheckMemory(const StackFile<T>& file, const StackRunOptions& options) {
  const double bytes = EstimateRunBytes(file, options);
  if (bytes <= options.memory_limit) return;
  throw UsageError(fmt::format(
      "stack: {} with sequences of up to {} steps needs {} of memory, and {} may be used; {}, "
      "shorter sequences or a smaller stack need less",
      Printable(StackName(file.spec)), file.max_steps, Gigabytes(bytes),
      Gigabytes(options.memory_limit),
      std::holds_alternative<SuperpositionStackSpec>(file.spec) ? "a depth_limit" : "a window"));
}

}  // namespace

template <typename T>
double EstimateRunBytes(const StackFile<T>& file, const StackRunOptions& options) {
  if (file.sequences.empty()) return 0;
  double elements = 0;
  for (const StackSequence<T>& sequence : file.sequences) {
    elements += (sequence.steps + 1.0) * ReadingSize(file.spec);
    if (!options.gradients) continue;
    elements +=
        static_cast<double>(sequence.inputs.actions.size() + sequence.inputs.vectors.size() +
                            sequence.inputs.bottom_vector.size());
  }
  const double stack = std::visit(
      [&]<typename Spec>(const Spec& spec) {
        const double runs = RunsBytes(spec, file, options.runs);
        return runs + StackOf<T, Spec>::EstimateBytes(
                          spec, StepsKept(spec, file.max_steps, options.chunk), options.gradients);
      },
      file.spec);
  return stack + elements * sizeof(T);
}

template <typename T>
std::vector<StackResults<T>> RunStackFile(const StackFile<T>& file,
                                          const StackRunOptions& options) {
  std::vector<StackResults<T>> results;
  if (file.sequences.empty()) return results;
  CheckMemory(file, options);
  WorkMeter meter(file, options);
  std::visit(
      [&]<typename Spec>(const Spec& spec) {
        using Stack = StackOf<T, Spec>;
        std::unique_ptr<Stack> stack;
        try {
          stack = std::make_unique<Stack>(spec, StepsKept(spec, file.max_steps, options.chunk),
                                          options.gradients);
        } catch (const Error& error) {
          throw UsageError("stack: " + MessageForUser(error));
        }
        for (const StackSequence<T>& sequence : file.sequences) {
          const std::string name = fmt::format("sequences[{}]: ", results.size());
          try {
            results.push_back(RunSequence<T>(*stack, sequence, options, meter));
            results.back().runs = RunsOfSequence(spec, sequence, options.runs, meter);
            meter.EndSequence(sequence.steps);
            CheckFinite(results.back(), spec.reading_size());
          } catch (const Error& error) {
            throw RunError(name + MessageForUser(error));
          } catch (const RunError& error) {
            throw RunError(name + error.what());
          }
        }
      },
      file.spec);
  return results;
}

template double EstimateRunBytes(const StackFile<float>&, const StackRunOptions&);
template double EstimateRunBytes(const StackFile<double>&, const StackRunOptions&);
template std::vector<StackResults<float>> RunStackFile(const StackFile<float>&,
                                                       const StackRunOptions&);
template std::vector<StackResults<double>> RunStackFile(const StackFile<double>&,
                                                        const StackRunOptions&);

}  // namespace pushdown::cli
