#include "python/bindings/stacks.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/kernels/nondeterministic_stack.h"
#include "pushdown/kernels/superposition_stack.h"
#include "pushdown/memory.h"
#include "pushdown/model/model_spec.h"
#include "python/bindings/arrays.h"
#include "python/bindings/interrupts.h"
#include "python/bindings/threads.h"

namespace pushdown::python {
namespace {

constexpr double kStepOverhead = 1e4;  // in multiply-adds

// What distinguishes the two kinds of stacks.

template <typename T>
struct NondeterministicKind {
  using Number = T;
  using Spec = NondeterministicStackSpec;
  using Stack = NondeterministicStack<T>;
  static constexpr bool kHasBottomVector = true;
  static int Actions(const Spec& spec) { return spec.logits_size(); }
  static std::vector<py::ssize_t> ActionAxes(const Spec& spec) {
    return {spec.pairs(), spec.logits_per_pair()};
  }
  static int VectorSize(const Spec& spec) { return spec.vector_size; }
  static int BottomSize(const Spec& spec) { return spec.vector_size; }
  // Multiply-adds of a sequence, roughly: of pops, replacements and vectors, and what else takes
  // the time of some.
  static double Work(const Spec& spec, int steps) {
    const double pairs = spec.pairs();
    return kStepOverhead * steps + PopMultiplyAdds(spec, steps) +
           1.0 * steps * steps * pairs * (pairs * pairs / 2 + spec.vector_size);
  }
};

template <typename T>
struct SuperpositionKind {
  using Number = T;
  using Spec = SuperpositionStackSpec;
  using Stack = SuperpositionStack<T>;
  static constexpr bool kHasBottomVector = false;
  static int Actions(const Spec& spec) { return spec.actions_size(); }
  static std::vector<py::ssize_t> ActionAxes(const Spec& spec) {
    return {spec.actions_size() / 3, 3};
  }
  static int VectorSize(const Spec& spec) { return spec.reading_size(); }
  static int BottomSize(const Spec& /*spec*/) { return 0; }
  static double Work(const Spec& spec, int steps) {
    return kStepOverhead * steps + 3.0 * steps * steps * spec.reading_size();
  }
};

// The stacks of a batch of sequences, one for each. An object is for one thread at a time, which is
// checked, since the interpreter's lock is released.
template <typename Kind>
class StackBatch {
 public:
  using T = typename Kind::Number;
  using Spec = typename Kind::Spec;
  using Stack = typename Kind::Stack;

  explicit StackBatch(const Spec& spec)
      : spec_((Validate(spec), spec)), axes_(Kind::ActionAxes(spec)) {}

  const Spec& spec() const { return spec_; }
  int batch() const { return batch_; }
  // What the stacks take, also while they are not used.
  double bytes() const {
    return static_cast<double>(stacks_.size()) *
           Stack::EstimateBytes(spec_, std::max(room_, 0), room_for_gradients_);
  }
  int steps() const { return steps_; }

  // Begins new sequences of up to max_steps steps, or chunks of them. Memory that is there is used
  // again. Returns the first readings [B, R].
  py::array_t<T> Start(int batch, int max_steps, bool gradients, const py::object& bottom) {
    const Use use(*this);
    const std::optional<Strided<T>> bottoms = Bottoms(bottom, batch);
    Prepare(batch, max_steps, gradients);
    py::array_t<T> readings = Readings({batch_});
    T* out = readings.mutable_data();
    Parallel([&](int n) { StartOne(n, bottoms, out + n * reading_size()); });
    return readings;
  }

  py::array_t<T> Step(const py::object& actions, const py::object& vectors) {
    const Use use(*this);
    CheckStarted();
    const Strided<T> action(actions, action_name(), {batch_}, Kind::Actions(spec_), axes_);
    const std::optional<Strided<T>> vector = Vectors(vectors, {batch_});
    py::array_t<T> readings = Readings({batch_});
    T* out = readings.mutable_data();
    Parallel([&](int n) {
      stacks_[Index(n)].Step(action.at(n), vector ? vector->at(n) : nullptr,
                             out + n * reading_size());
    });
    ++steps_;
    return readings;
  }

  // Undoes the newest step that has not been undone. `reading_gradient` may be None: zeros.
  py::tuple BackwardStep(const py::object& reading_gradient) {
    const Use use(*this);
    CheckGradients();
    const std::optional<Strided<T>> given = Gradients(reading_gradient, {batch_});
    py::array_t<T> actions({py::ssize_t{batch_}, py::ssize_t{Kind::Actions(spec_)}});
    py::array_t<T> vectors({py::ssize_t{batch_}, py::ssize_t{Kind::VectorSize(spec_)}});
    T* action = actions.mutable_data();
    T* vector = vectors.mutable_data();
    Parallel([&](int n) {
      stacks_[Index(n)].BackwardStep(given ? given->at(n) : zeros_.data(),
                                     action + std::ptrdiff_t{n} * Kind::Actions(spec_),
                                     vector + std::ptrdiff_t{n} * Kind::VectorSize(spec_));
    });
    return py::make_tuple(actions, vectors);
  }

  // The derivatives by the bottom vectors [B, m], after all steps are undone.
  py::array_t<T> BackwardStart(const py::object& reading_gradient) {
    const Use use(*this);
    CheckGradients();
    const std::optional<Strided<T>> given = Gradients(reading_gradient, {batch_});
    py::array_t<T> bottoms({py::ssize_t{batch_}, py::ssize_t{Kind::BottomSize(spec_)}});
    T* bottom = bottoms.mutable_data();
    if constexpr (Kind::kHasBottomVector) {
      Parallel([&](int n) {
        stacks_[Index(n)].BackwardStart(given ? given->at(n) : zeros_.data(),
                                        bottom + std::ptrdiff_t{n} * Kind::VectorSize(spec_));
      });
    }
    return bottoms;
  }

  void RestartBackward() {
    const Use use(*this);
    for (int n = 0; n < batch_; ++n) stacks_[Index(n)].RestartBackward();
  }

  void Carry() {
    const Use use(*this);
    CheckStarted();
    for (int n = 0; n < batch_; ++n) stacks_[Index(n)].Carry();
  }

  py::array_t<double> LogWeights() {
    const Use use(*this);
    CheckStarted();
    py::array_t<double> weights(py::ssize_t{batch_});
    if constexpr (Kind::kHasBottomVector) {
      for (int n = 0; n < batch_; ++n) weights.mutable_at(n) = stacks_[Index(n)].LogWeight();
    }
    return weights;
  }

  // Whole sequences [B, T, ...]; returns the readings [B, T + 1, R].
  py::array_t<T> Forward(const py::object& actions, const py::object& vectors,
                         const py::object& bottom, bool gradients) {
    const Use use(*this);
    const Strided<T> action(actions, action_name(), {-1, -1}, Kind::Actions(spec_), axes_);
    const int batch = CheckedInt(action.size(0));
    const int steps = CheckedInt(action.size(1));
    const std::optional<Strided<T>> vector = Vectors(vectors, {batch, steps});
    const std::optional<Strided<T>> bottoms = Bottoms(bottom, batch);
    Prepare(batch, steps, gradients);
    py::array_t<T> readings = Readings({batch, steps + 1});
    T* out = readings.mutable_data();
    LongParallel(steps, [&](int n, const auto& check) {
      T* reading = out + std::ptrdiff_t{n} * (steps + 1) * reading_size();
      StartOne(n, bottoms, reading);
      for (int t = 0; t < steps; ++t) {
        check();
        reading += reading_size();
        stacks_[Index(n)].Step(action.at(n, t), vector ? vector->at(n, t) : nullptr, reading);
      }
    });
    steps_ = steps;
    return readings;
  }

  // Of the newest Forward: the derivatives by actions [B, T, A], vectors [B, T, m] and bottom
  // vectors [B, m].
  py::tuple Backward(const py::object& reading_gradients) {
    const Use use(*this);
    CheckGradients();
    const int steps = steps_;
    const Strided<T> given(reading_gradients, "reading_gradients", {batch_, steps + 1},
                           reading_size());
    const std::ptrdiff_t action_size = Kind::Actions(spec_);
    const std::ptrdiff_t vector_size = Kind::VectorSize(spec_);
    py::array_t<T> actions({py::ssize_t{batch_}, py::ssize_t{steps}, action_size});
    py::array_t<T> vectors({py::ssize_t{batch_}, py::ssize_t{steps}, vector_size});
    py::array_t<T> bottoms({py::ssize_t{batch_}, py::ssize_t{Kind::BottomSize(spec_)}});
    T* action = actions.mutable_data();
    T* vector = vectors.mutable_data();
    T* bottom = bottoms.mutable_data();
    LongParallel(steps, [&](int n, const auto& check) {
      Stack& stack = stacks_[Index(n)];
      stack.RestartBackward();
      for (int t = steps; t >= 1; --t) {
        check();
        const std::ptrdiff_t step = std::ptrdiff_t{n} * steps + t - 1;
        stack.BackwardStep(given.at(n, t), action + step * action_size,
                           vector + step * vector_size);
      }
      if constexpr (Kind::kHasBottomVector) {
        stack.BackwardStart(given.at(n, 0), bottom + n * vector_size);
      }
    });
    return py::make_tuple(actions, vectors, bottoms);
  }

 private:
  // While it lives, no other thread may use the object.
  class Use {
   public:
    explicit Use(StackBatch& batch) : batch_(batch) {
      if (batch_.used_.exchange(true)) {
        throw Error("pushdown.stacks", "the stack is being used by another thread");
      }
    }
    ~Use() { batch_.used_ = false; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    StackBatch& batch_;
  };

  static std::size_t Index(int n) { return static_cast<std::size_t>(n); }
  static const char* action_name() { return Kind::kHasBottomVector ? "logits" : "actions"; }
  std::ptrdiff_t reading_size() const { return spec_.reading_size(); }

  static int CheckedInt(py::ssize_t size) {
    if (size > kMaxSteps) throw Error(ErrorKind::kLimit, "pushdown.stacks", "too many steps");
    return static_cast<int>(size);
  }

  void CheckStarted() const {
    if (batch_ < 0) {
      throw Error("pushdown.stacks", failed_
                                         ? "the sequences have ended with an error: start others"
                                         : "there are no sequences: call start or forward first");
    }
  }
  void CheckGradients() const {
    CheckStarted();
    if (!gradients_) throw Error("pushdown.stacks", "the stack was started with gradients=False");
  }

  std::optional<Strided<T>> Vectors(const py::object& given,
                                    std::initializer_list<py::ssize_t> leading) const {
    return OfSize(Kind::VectorSize(spec_), given, "vectors", leading);
  }
  std::optional<Strided<T>> Bottoms(const py::object& given, int batch) const {
    return OfSize(Kind::BottomSize(spec_), given, "bottom_vector", {batch});
  }

  // What must be given if it has a size, and must not if it has none.
  std::optional<Strided<T>> OfSize(int size, const py::object& given, const char* name,
                                   std::initializer_list<py::ssize_t> leading) const {
    if (given.is_none() && size > 0) {
      throw Error("pushdown.stacks", fmt::format("{}: missing, and {} has vectors of {} numbers",
                                                 name, StackName(spec_), size));
    }
    if (given.is_none()) return std::nullopt;
    if (size == 0) {
      throw Error("pushdown.stacks",
                  fmt::format("{}: given, and {} has none", name, StackName(spec_)));
    }
    return std::optional<Strided<T>>(std::in_place, given, name, leading, size);
  }

  std::optional<Strided<T>> Gradients(const py::object& given,
                                      std::initializer_list<py::ssize_t> leading) {
    if (!given.is_none()) {
      return std::optional<Strided<T>>(std::in_place, given, "reading_gradient", leading,
                                       reading_size());
    }
    zeros_.resize(static_cast<std::size_t>(reading_size()));
    return std::nullopt;
  }

  py::array_t<T> Readings(std::vector<py::ssize_t> shape) const {
    shape.push_back(reading_size());
    return py::array_t<T>(shape);
  }

  void Prepare(int batch, int max_steps, bool gradients) {
    if (batch < 0) throw Error("pushdown.stacks", fmt::format("the batch size is {}", batch));
    ValidateSteps(max_steps);
    steps_ = 0;
    batch_ = -1;
    failed_ = false;
    const bool fit = max_steps <= room_ && (room_for_gradients_ || !gradients);
    if (!fit || batch > static_cast<int>(stacks_.size())) {
      CheckMemory(
          batch * Stack::EstimateBytes(spec_, max_steps, gradients),
          fmt::format("{} for {} sequences of {} steps", StackName(spec_), batch, max_steps),
          "use fewer or shorter sequences, or a window");
      // No more of those that are larger than they must be.
      if (max_steps != room_ || gradients != room_for_gradients_) stacks_.clear();
      room_ = max_steps;
      room_for_gradients_ = gradients;
    }
    constexpr int kMany = 1000;
    const auto add_missing = [&](const auto& check) {
      while (static_cast<int>(stacks_.size()) < batch) {
        check();
        stacks_.emplace_back(spec_, room_, gradients);
      }
    };
    if (batch - static_cast<int>(stacks_.size()) < kMany) {
      add_missing([] {});
    } else {
      Interruptible(
          [&](Attention& attention) { add_missing([&attention] { attention.Check(); }); });
    }
    gradients_ = gradients;
    batch_ = batch;
  }

  void StartOne(int n, const std::optional<Strided<T>>& bottoms, T* reading) {
    if constexpr (Kind::kHasBottomVector) {
      stacks_[Index(n)].Start(bottoms ? bottoms->at(n) : nullptr, reading);
    } else {
      stacks_[Index(n)].Start(reading);
    }
  }

  // Adds to what is wrong with one sequence which one it is.
  template <typename Task>
  void Named(int n, const Task& task) const {
    try {
      task();
    } catch (const Error& error) {
      throw Error(
          error.kind(), error.function(),
          batch_ == 1 ? error.message() : fmt::format("sequence {}: {}", n, error.message()));
    }
  }

  // Calls whatever takes steps. After a failure that not all sequences have alike, some are ahead
  // of others, so that there is nothing to go on with.
  template <typename Work>
  void InStep(const Work& work) {
    try {
      work();
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) Fail();
      throw;
    } catch (...) {
      Fail();
      throw;
    }
  }

  void Fail() {
    batch_ = -1;
    failed_ = true;
  }

  // One step of each sequence. The next step begins with the sequence that this one ends with,
  // whose stack is still in the cache.
  template <typename Task>
  void Parallel(const Task& task) {
    const py::gil_scoped_release release;
    const bool from_last = std::exchange(from_last_, !from_last_);
    InStep([&] {
      RunInParallel(batch_, [&](int n) {
        const int sequence = from_last ? batch_ - 1 - n : n;
        Named(sequence, [&] { task(sequence); });
      });
    });
  }

  // Many steps.
  template <typename Task>
  void LongParallel(int steps, const Task& task) {
    constexpr double kLong = 1e9;  // takes longer than starting a thread for it, by far
    if (batch_ * Kind::Work(spec_, steps) < kLong) {
      return Parallel([&](int n) { task(n, [] {}); });
    }
    InStep([&] {
      Interruptible([&](Attention& attention) {
        RunInParallel(batch_,
                      [&](int n) { Named(n, [&] { task(n, [&] { attention.Check(); }); }); });
      });
    });
  }

  Spec spec_;
  std::vector<py::ssize_t> axes_;  // that the actions of a step may have
  bool failed_ = false;            // since the newest Start or Forward
  int batch_ = -1;
  int steps_ = 0;  // since Start
  bool gradients_ = false;
  int room_ = -1;  // the max_steps of stacks_
  bool room_for_gradients_ = false;
  std::vector<Stack> stacks_;  // at least as many as the batch has
  std::vector<T> zeros_;
  bool from_last_ = false;
  std::atomic<bool> used_ = false;
};

template <typename Kind, typename Init>
void BindBatch(py::module_& module, const char* name, const Init& init) {
  using Batch = StackBatch<Kind>;
  py::class_<Batch> batch(module, name);
  init(batch);
  batch
      .def_property_readonly("reading_size", [](const Batch& b) { return b.spec().reading_size(); })
      .def_property_readonly("actions_size", [](const Batch& b) { return Kind::Actions(b.spec()); })
      .def_property_readonly("name", [](const Batch& b) { return StackName(b.spec()); })
      .def_property_readonly("batch", &Batch::batch)
      .def_property_readonly("bytes", &Batch::bytes)
      .def_property_readonly("steps", &Batch::steps)
      .def("start", &Batch::Start, py::arg("batch"), py::arg("max_steps"), py::arg("gradients"),
           py::arg("bottom_vector") = py::none())
      .def("step", &Batch::Step, py::arg("actions"), py::arg("vectors") = py::none())
      .def("backward_step", &Batch::BackwardStep, py::arg("reading_gradient"))
      .def("backward_start", &Batch::BackwardStart, py::arg("reading_gradient"))
      .def("restart_backward", &Batch::RestartBackward)
      .def("carry", &Batch::Carry)
      .def("log_weights", &Batch::LogWeights)
      .def("forward", &Batch::Forward, py::arg("actions"), py::arg("vectors"),
           py::arg("bottom_vector"), py::arg("gradients"))
      .def("backward", &Batch::Backward, py::arg("reading_gradients"));
}

template <typename T>
void BindNondeterministic(py::module_& module, const char* name) {
  using Kind = NondeterministicKind<T>;
  BindBatch<Kind>(module, name, [](auto& batch) {
    batch.def(
        py::init([](int states, int symbols, int vector_size, int window, bool old_bottom,
                    bool paper_code) {
          return std::make_unique<StackBatch<Kind>>(NondeterministicStackSpec{
              .states = states,
              .symbols = symbols,
              .vector_size = vector_size,
              .window = window,
              .bottom = old_bottom ? Bottom::kOld : Bottom::kFixed,
              .initial_vector = paper_code ? InitialVector::kPaperCode : InitialVector::kCorrect});
        }),
        py::arg("states"), py::arg("symbols"), py::arg("vector_size"), py::arg("window"),
        py::arg("old_bottom"), py::arg("paper_code"));
  });
}

template <typename T>
void BindSuperposition(py::module_& module, const char* name) {
  using Kind = SuperpositionKind<T>;
  BindBatch<Kind>(module, name, [](auto& batch) {
    batch.def(py::init([](std::vector<int> sizes, int depth_limit) {
                return std::make_unique<StackBatch<Kind>>(
                    SuperpositionStackSpec{.sizes = std::move(sizes), .depth_limit = depth_limit});
              }),
              py::arg("sizes"), py::arg("depth_limit"));
  });
}

// The model of a name, with what a front end needs to build it.
py::dict ModelOfName(const std::string& name, int hidden_units, int symbols, bool text,
                     int embedding_size) {
  const ModelSpec spec =
      text ? ParseTextModelSpec(name, hidden_units, symbols, {.embedding_size = embedding_size})
           : ParseModelSpec(name, hidden_units, symbols);
  py::dict model;
  model["name"] = ModelName(spec);
  model["hidden_units"] = spec.hidden_units;
  model["embedding_size"] = spec.embedding_size;
  model["push_hidden"] = spec.push_hidden;
  if (const NondeterministicStackSpec* stack = spec.nondeterministic()) {
    model["states"] = stack->states;
    model["stack_symbols"] = stack->symbols;
    model["vector_size"] = stack->vector_size;
    model["window"] = stack->window;
  } else if (const SuperpositionStackSpec* superposition = spec.superposition()) {
    model["sizes"] = superposition->sizes;
    model["depth_limit"] = superposition->depth_limit;
  }
  return model;
}

}  // namespace

void BindStacks(py::module_& module) {
  module.def("model_of_name", &ModelOfName, py::arg("name"), py::arg("hidden_units"),
             py::arg("symbols"), py::arg("text"), py::arg("embedding_size"));
  BindNondeterministic<float>(module, "NondeterministicFloat");
  BindNondeterministic<double>(module, "NondeterministicDouble");
  BindSuperposition<float>(module, "SuperpositionFloat");
  BindSuperposition<double>(module, "SuperpositionDouble");
}

}  // namespace pushdown::python
