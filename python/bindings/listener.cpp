#include "python/bindings/listener.h"

#include <optional>

#include "pushdown/model/model_spec.h"
#include "python/bindings/values.h"

namespace pushdown::python {

namespace py = pybind11;

namespace {

Json Optional(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

}  // namespace

void Listener::Start(const Json& who, const RunStart& start) {
  Tell("start", who,
       {{"model", ModelName(start.spec)},
        {"parameters", start.parameters},
        {"training_items", start.training_items},
        {"batches", start.batches},
        {"lower_bound", Optional(start.lower_bound)},
        {"epochs_done", start.epochs_done},
        {"batches_done", start.batches_done},
        {"finished", start.finished}});
}

void Listener::Batch(const Json& who, const RunProgress& done) {
  constexpr std::chrono::milliseconds kBetween(250);
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_batch_) return;
    next_batch_ = now + kBetween;
  }
  Tell("batch", who,
       {{"epoch", done.epoch},
        {"fraction", done.fraction},
        {"items_per_second", done.items_per_second}});
}

void Listener::Epoch(const Json& who, const EpochReport& report) {
  const EpochMetrics& metrics = report.metrics;
  Tell("epoch", who,
       {{"epoch", metrics.epoch},
        {"training_cross_entropy", metrics.training_cross_entropy},
        {"validation_cross_entropy", metrics.validation_cross_entropy},
        {"difference", Optional(report.difference)},
        {"learning_rate", metrics.learning_rate},
        {"largest_gradient_norm", metrics.largest_gradient_norm},
        {"best", metrics.best},
        {"seconds", report.seconds},
        {"items_per_second", report.items_per_second}});
}

void Listener::Tell(const char* event, const Json& who, const Json& details) {
  if (callback_.is_none() || stop()) return;
  Json members = {{"event", event}};
  members.update(who);
  if (!details.is_null()) members.update(details);
  try {
    attention_.Call([&] {
      const py::object answer = callback_(FromJson(members));
      if (answer.is_none()) return;
      const int goes_on = PyObject_IsTrue(answer.ptr());
      if (goes_on < 0) throw py::error_already_set();
      if (goes_on == 0) refused_ = true;
    });
  } catch (...) {
    // The training goes on until it asks whether to stop, and then saves.
    if (!stop()) throw;
  }
}

Warn Listener::Warner() {
  return [this](const std::string& text) {
    const std::lock_guard lock(mutex_);
    warnings_.push_back(text);
  };
}

}  // namespace pushdown::python
