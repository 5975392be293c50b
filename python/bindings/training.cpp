#include "python/bindings/training.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

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
#include "python/bindings/listener.h"
#include "python/bindings/values.h"

namespace pushdown::python {

namespace py = pybind11;

namespace {

using Texts = std::vector<std::string>;
using GivenSettings = std::vector<std::pair<std::string, Texts>>;

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

TrainingWatch Watch(Listener& listener) {
  const auto who = [](int restart) { return Json{{"restart", restart}}; };
  TrainingWatch watch;
  watch.on_start = [&listener, who](int restart, const RunStart& start) {
    listener.Start(who(restart), start);
  };
  watch.on_batch = [&listener, who](int restart, const RunProgress& done) {
    listener.Batch(who(restart), done);
  };
  watch.on_epoch = [&listener, who](int restart, const EpochReport& report) {
    listener.Epoch(who(restart), report);
  };
  watch.on_end = [&listener, who](int restart) { listener.Tell("end", who(restart), {}); };
  watch.on_warning = listener.Warner();
  watch.stop = [&listener] { return listener.stop(); };
  watch.progress = [&listener](const std::string& /*stage*/, double /*fraction*/) {
    listener.Check();
  };
  return watch;
}

// Returns the warnings, and why restarts have failed; throws why if all have.
Texts Train(const std::string& out, bool text, bool resume, const std::string& config,
            const GivenSettings& given, const py::object& callback) {
  Texts warnings;
  Interruptible([&](Attention& attention) {
    const OneBlasThread one;
    Listener listener(callback, attention);
    const TrainingWatch watch = Watch(listener);
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
    const std::vector<RestartOutcome> outcomes = run.Train(execution, watch);
    warnings = listener.warnings();
    std::size_t failed = 0;
    for (const RestartOutcome& outcome : outcomes) {
      if (outcome.failure.empty()) continue;
      warnings.push_back(outcome.failure);
      ++failed;
    }
    if (failed > 0 && failed == outcomes.size()) {
      throw Error(outcomes.front().kind, "pushdown.train", outcomes.front().failure);
    }
  });
  return warnings;
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

// The name, type, default, usual values and description of each setting.
py::list Settings(bool text) {
  py::list result;
  for (const SettingField& field : SettingFields(text ? DataKind::kText : DataKind::kStrings)) {
    result.append(py::make_tuple(field.name, field.type, field.default_text, field.suggested,
                                 field.description));
  }
  return result;
}

}  // namespace

void BindTraining(py::module_& module) {
  module.def("train", &Train, py::arg("out"), py::arg("text"), py::arg("resume"), py::arg("config"),
             py::arg("settings"), py::arg("callback"));
  module.def("settings", &Settings, py::arg("text"));
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
