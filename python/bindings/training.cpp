#include "python/bindings/training.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/run_record.h"
#include "pushdown/json.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/run/run.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/settings_format.h"
#include "python/bindings/interrupts.h"
#include "python/bindings/values.h"

namespace pushdown::python {

namespace py = pybind11;

namespace {

using Texts = std::vector<std::string>;
using GivenSettings = std::vector<std::pair<std::string, Texts>>;

// What restarts, which may be trained side by side, tell a function of Python. Once that has thrown
// or returned False, or a signal has come, the training is to stop; what it tells then is lost.
class Listener {
 public:
  Listener(const py::object& callback, Attention& attention)
      : callback_(callback), attention_(attention) {}

  bool stop() const { return refused_ || attention_.stop(); }

  TrainingWatch Watch() {
    TrainingWatch watch;
    watch.on_start = [this](int restart, const RunStart& start) { Start(restart, start); };
    watch.on_batch = [this](int restart, const RunProgress& done) { Batch(restart, done); };
    watch.on_epoch = [this](int restart, const EpochReport& report) { Epoch(restart, report); };
    watch.on_end = [this](int restart) { Tell("end", restart, Json::object()); };
    watch.on_warning = [this](const std::string& text) {
      const std::lock_guard lock(mutex_);
      warnings_.push_back(text);
    };
    watch.stop = [this] { return stop(); };
    watch.progress = [this](const std::string& /*stage*/, double /*fraction*/) {
      attention_.Check();
    };
    return watch;
  }

  const Texts& warnings() const { return warnings_; }

 private:
  void Start(int restart, const RunStart& start) {
    Tell("start", restart,
         {{"model", ModelName(start.spec)},
          {"parameters", start.parameters},
          {"training_items", start.training_items},
          {"batches", start.batches},
          {"lower_bound", start.lower_bound ? Json(*start.lower_bound) : Json()},
          {"epochs_done", start.epochs_done},
          {"batches_done", start.batches_done},
          {"finished", start.finished}});
  }

  void Batch(int restart, const RunProgress& done) {
    constexpr std::chrono::milliseconds kBetween(250);
    {
      const std::lock_guard lock(mutex_);
      const auto now = std::chrono::steady_clock::now();
      if (now < next_batch_) return;
      next_batch_ = now + kBetween;
    }
    Tell("batch", restart,
         {{"epoch", done.epoch},
          {"fraction", done.fraction},
          {"items_per_second", done.items_per_second}});
  }

  void Epoch(int restart, const EpochReport& report) {
    const EpochMetrics& metrics = report.metrics;
    Tell("epoch", restart,
         {{"epoch", metrics.epoch},
          {"training_cross_entropy", metrics.training_cross_entropy},
          {"validation_cross_entropy", metrics.validation_cross_entropy},
          {"difference", report.difference ? Json(*report.difference) : Json()},
          {"learning_rate", metrics.learning_rate},
          {"largest_gradient_norm", metrics.largest_gradient_norm},
          {"best", metrics.best},
          {"seconds", report.seconds},
          {"items_per_second", report.items_per_second}});
  }

  void Tell(const char* name, int restart, const Json& details) {
    if (callback_.is_none() || stop()) return;
    Json event = {{"event", name}, {"restart", restart}};
    event.update(details);
    try {
      attention_.Call([&] {
        if (callback_(FromJson(event)).is(py::bool_(false))) refused_ = true;
      });
    } catch (...) {
      // The training goes on until it asks whether to stop, and then saves.
      if (!stop()) throw;
    }
  }

  const py::object& callback_;  // copied only with the interpreter's lock
  Attention& attention_;
  std::atomic<bool> refused_ = false;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_batch_ = {};
  Texts warnings_;
};

void Give(const std::string& config, const GivenSettings& given, SettingsDraft& draft) {
  const DataKind kind = draft.settings.kind;
  if (!config.empty()) ApplySettingsFile(config, TrainCommandName(kind), draft);
  for (const auto& [name, texts] : given) {
    const SettingField* field = FindSetting(kind, name);
    if (field != nullptr && !field->repeated && texts.size() != 1) {
      throw Error("pushdown.train",
                  fmt::format("{}: is a list of {} values, must be one value; a range of lengths "
                              "is a tuple, (40, 80)",
                              name, texts.size()));
    }
    for (const std::string& text : texts) GiveSetting(draft, name, text);
  }
}

// Returns why restarts have failed, and the warnings.
std::pair<Texts, Texts> Train(const std::string& out, bool text, bool resume,
                              const std::string& config, const GivenSettings& given,
                              const py::object& callback) {
  Texts failures;
  Texts warnings;
  Interruptible([&](Attention& attention) {
    const OneBlasThread one;
    Listener listener(callback, attention);
    const TrainingWatch watch = listener.Watch();
    Execution execution;
    const auto give = [&](SettingsDraft& draft) {
      Give(config, given, draft);
      execution = draft.execution;
    };
    Run run = [&] {
      if (resume) return OpenToResume(out, KindOf(out), give, watch.on_warning);
      Run::CheckNew(out);
      SettingsDraft draft(text ? DataKind::kText : DataKind::kStrings);
      give(draft);
      return Run::Create(out, ResolveSettings(draft, watch.on_warning));
    }();
    for (const RestartOutcome& outcome : run.Train(execution, watch)) {
      if (!outcome.failure.empty()) failures.push_back(outcome.failure);
    }
    warnings = listener.warnings();
  });
  return {failures, warnings};
}

std::string DirectoryOf(const Run& run, int restart) {
  return run.settings().restarts > 1 ? PathIn(run.path(), RestartName(restart)) : run.path();
}

py::list Metrics(const Run& run, int restart) {
  py::list epochs;
  for (const nlohmann::json& line :
       ReadJsonLines(PathIn(DirectoryOf(run, restart), kMetricsFile))) {
    epochs.append(FromJson(Json(line)));
  }
  return epochs;
}

}  // namespace

void BindTraining(py::module_& module) {
  module.def("train", &Train, py::arg("out"), py::arg("text"), py::arg("resume"), py::arg("config"),
             py::arg("settings"), py::arg("callback"));
  py::class_<Run>(module, "Run")
      .def(py::init([](const std::string& path) { return Run::Open(path); }), py::arg("path"))
      .def_property_readonly("kind", [](const Run& run) { return KindName(run.settings().kind); })
      .def_property_readonly("model",
                             [](const Run& run) { return ModelName(run.settings().model); })
      .def_property_readonly("restarts", [](const Run& run) { return run.settings().restarts; })
      .def_property_readonly("settings",
                             [](const Run& run) { return FromJson(SettingsJson(run.settings())); })
      .def("directory", &DirectoryOf, py::arg("restart"))
      .def("metrics", &Metrics, py::arg("restart"));
  module.def("holds_run", &HoldsRun, py::arg("path"));
  module.def(
      "run_state", [](const std::string& path) { return StateName(ReadRunRecord(path).state); },
      py::arg("path"));
}

}  // namespace pushdown::python
