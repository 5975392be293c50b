#include "python/bindings/automaton_runs.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "pushdown/analysis/run_json.h"
#include "pushdown/error.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/memory.h"
#include "python/bindings/arrays.h"
#include "python/bindings/interrupts.h"
#include "python/bindings/values.h"

namespace pushdown::python {

namespace {

using MakeRuns = std::function<AutomatonRuns(const std::function<void()>& check)>;

// What is asked for is computed when it is asked for, by one thread at a time, and the check that
// the runs were made with must be that of the call that is being answered.
class BoundRuns {
 public:
  template <typename Work>
  auto Do(const Work& work) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) {
      throw Error("pushdown.AutomatonRuns", "another thread is using these runs");
    }
    return Interruptible([&](Attention& attention) {
      const OneBlasThread one;
      attention_ = &attention;
      return work();
    });
  }

  explicit BoundRuns(const MakeRuns& make) {
    runs_ = Do([&] {
      return std::make_unique<AutomatonRuns>(make([this] { attention_.load()->Check(); }));
    });
  }

  const AutomatonRuns& runs() const { return *runs_; }

 private:
  std::mutex mutex_;
  std::atomic<const Attention*> attention_ = nullptr;
  std::unique_ptr<AutomatonRuns> runs_;
};

std::unique_ptr<BoundRuns> FromLogits(int states, int symbols, const py::object& logits, int window,
                                      bool old_bottom) {
  const NondeterministicStackSpec spec = {.states = states,
                                          .symbols = symbols,
                                          .window = window,
                                          .bottom = old_bottom ? Bottom::kOld : Bottom::kFixed};
  Validate(spec);
  const Strided<double> given(logits, "logits", {-1}, spec.logits_size(),
                              {spec.pairs(), spec.logits_per_pair()});
  const int steps = static_cast<int>(std::min<py::ssize_t>(given.size(0), kMaxSteps + 1));
  ValidateSteps(steps);
  CheckMemory(AutomatonRuns::EstimateBytes(spec, steps), fmt::format("all runs of {} steps", steps),
              "fewer steps need less");
  std::vector<double> all;
  for (py::ssize_t t = 0; t < given.size(0); ++t) {
    all.insert(all.end(), given.at(t), given.at(t) + spec.logits_size());
  }
  return std::make_unique<BoundRuns>(
      [&](const std::function<void()>& check) { return AutomatonRuns(spec, all, check); });
}

py::object RunList(const std::vector<AutomatonRun>& runs) { return FromJson(RunsJson(runs)); }

py::list BestStacks(BoundRuns& bound, int count) {
  const std::vector<StackOutcome> stacks = bound.Do([&] { return bound.runs().BestStacks(count); });
  py::list result;
  for (const StackOutcome& stack : stacks) {
    py::dict entry;
    entry["stack"] = stack.best.Stack();
    entry["probability"] = stack.probability;
    entry["best"] = FromJson(RunJson(stack.best));
    result.append(entry);
  }
  return result;
}

// Rows of 1, 2, .. numbers as a square, with zeros behind them.
py::array_t<double> Triangle(const std::vector<std::vector<double>>& rows) {
  const auto size = static_cast<py::ssize_t>(rows.size());
  py::array_t<double> square({size, size});
  double* data = square.mutable_data();
  for (const std::vector<double>& row : rows) {
    for (std::size_t n = 0; n < rows.size(); ++n) *data++ = n < row.size() ? row[n] : 0.0;
  }
  return square;
}

py::dict Marginals(BoundRuns& bound) {
  const RunMarginals marginals = bound.Do([&] { return bound.runs().Marginals(); });
  const NondeterministicStackSpec& spec = bound.runs().spec();
  py::array_t<double> transitions({py::ssize_t{marginals.steps}, py::ssize_t{spec.pairs()},
                                   py::ssize_t{spec.logits_per_pair()}});
  std::copy(marginals.transitions.begin(), marginals.transitions.end(), transitions.mutable_data());
  py::dict result;
  result["transitions"] = transitions;
  result["heights"] = Triangle(marginals.heights);
  result["expected_heights"] = Copied<double>(marginals.expected_heights);
  result["expected_heights_given_all"] = Copied<double>(marginals.expected_heights_given_all);
  result["pushed_in"] = Triangle(marginals.pushed_in);
  return result;
}

py::array_t<double> Alpha(const BoundRuns& bound) {
  std::vector<std::vector<double>> rows;
  for (int t = 0; t <= bound.runs().steps(); ++t) {
    rows.emplace_back(bound.runs().alpha(t).begin(), bound.runs().alpha(t).end());
  }
  return Matrix<double>(rows, bound.runs().spec().pairs());
}

}  // namespace

py::object RunsObject(const MakeRuns& make) { return py::cast(std::make_unique<BoundRuns>(make)); }

void BindAutomatonRuns(py::module_& module) {
  py::class_<BoundRuns>(module, "AutomatonRuns")
      .def(py::init(&FromLogits), py::arg("states"), py::arg("symbols"), py::arg("logits"),
           py::arg("window"), py::arg("old_bottom"))
      .def_property_readonly("states", [](const BoundRuns& b) { return b.runs().spec().states; })
      .def_property_readonly("symbols", [](const BoundRuns& b) { return b.runs().spec().symbols; })
      .def_property_readonly("steps", [](const BoundRuns& b) { return b.runs().steps(); })
      .def_property_readonly("log_weight", [](const BoundRuns& b) { return b.runs().log_weight(); })
      .def("alpha", &Alpha)
      .def(
          "best",
          [](BoundRuns& b, int count) {
            return RunList(b.Do([&] { return b.runs().Best(count); }));
          },
          py::arg("count"))
      .def(
          "best_ending_in",
          [](BoundRuns& b, int count, int state, int symbol) {
            return RunList(b.Do([&] { return b.runs().BestEndingIn(state, symbol, count); }));
          },
          py::arg("count"), py::arg("state"), py::arg("symbol"))
      .def("best_stacks", &BestStacks, py::arg("count"))
      .def(
          "stack_probability",
          [](BoundRuns& b, const std::vector<int>& stack) {
            return b.Do([&] { return b.runs().StackProbability(stack); });
          },
          py::arg("stack"))
      .def(
          "sample",
          [](BoundRuns& b, int count, std::uint64_t seed) {
            return RunList(b.Do([&] { return b.runs().Sample(count, seed); }));
          },
          py::arg("count"), py::arg("seed"))
      .def("marginals", &Marginals);
}

}  // namespace pushdown::python
