#include "python/bindings/experiments.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/experiment_file.h"
#include "pushdown/experiment/result_columns.h"
#include "pushdown/experiment/results.h"
#include "pushdown/experiment/run_record_format.h"
#include "pushdown/experiment/runner.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/run/run_config.h"
#include "python/bindings/interrupts.h"
#include "python/bindings/listener.h"
#include "python/bindings/values.h"

namespace pushdown::python {

namespace py = pybind11;

namespace {

using Texts = std::vector<std::string>;

ExperimentResults Open(const std::string& path) {
  return Interruptible(
      [&](Attention& /*attention*/) { return OpenResults(path, Curves::kIncluded); });
}

ExperimentResults OfRuns(const Texts& paths) {
  return Interruptible(
      [&](Attention& /*attention*/) { return ResultsOfRuns(paths, Curves::kIncluded); });
}

// The cells, each with its name, its keys and the records of its runs.
py::list Cells(const ExperimentResults& results) {
  py::list cells;
  for (const CellResults& cell : results.cells) {
    py::dict keys;
    for (const NamedSetting& key : cell.keys) keys[py::str(key.name)] = key.value;
    py::list runs;
    for (std::size_t n = 0; n < cell.runs.size(); ++n) {
      Json run = {{"run", RunNameOf(cell, n)}};
      run.update(RunRecordJson(cell.runs[n]));
      const auto score = [](const std::optional<double>& value) {
        return value ? Json(*value) : Json();
      };
      run["score"] = score(ScoreOf(cell.runs[n], results.measure));
      run["test_score"] = score(TestScoreOf(cell.runs[n], results.measure));
      runs.append(FromJson(run));
    }
    py::dict entry;
    entry["name"] = cell.name;
    entry["keys"] = keys;
    entry["runs"] = runs;
    cells.append(entry);
  }
  return cells;
}

// With its warnings.
std::pair<py::object, Texts> Table(const ExperimentResults& results, const Texts& by,
                                   const std::string& against) {
  Texts warnings;
  Json table = Interruptible([&](Attention& /*attention*/) {
    std::optional<PublishedResults> published;
    if (!against.empty()) published = ReadPublished(against);
    const ResultTable made = MakeTable(results, by, published);
    if (published && !HasComparison(made)) warnings.push_back(UnmatchedText(*published));
    return ResultTableJson(made)["rows"];
  });
  return {FromJson(table), warnings};
}

ExperimentWatch Watch(Listener& listener, const Experiment& experiment) {
  const auto who = [&experiment](const RunId& run) {
    return Json{{"run", RunName(experiment.plan(), run)}};
  };
  ExperimentWatch watch;
  watch.on_start = [&listener, who](const RunId& run, const RunStart& start) {
    listener.Start(who(run), start);
  };
  watch.on_batch = [&listener, who](const RunId& run, const RunProgress& done) {
    listener.Batch(who(run), done);
  };
  watch.on_epoch = [&listener, who](const RunId& run, const EpochReport& report) {
    listener.Epoch(who(run), report);
  };
  watch.on_end = [&listener, who](const RunId& run, const RunRecord& record, bool /*tried*/) {
    listener.Tell("end", who(run), RunRecordJson(record));
  };
  watch.on_warning = listener.Warner();
  watch.stop = [&listener] { return listener.stop(); };
  return watch;
}

// Returns the warnings.
Texts TrainAll(const std::string& file, const std::string& out,
               const std::vector<std::pair<std::string, std::string>>& settings,
               const std::string& only, int restarts, int jobs, int threads, double time_limit,
               bool retry_failed, const py::object& callback) {
  std::vector<NamedSetting> set;
  for (const auto& [name, value] : settings) set.push_back({name, value});
  const ExperimentExecution execution = {
      .jobs = jobs, .threads = threads, .time_limit = time_limit, .retry_failed = retry_failed};
  return Interruptible([&](Attention& attention) {
    const OneBlasThread one;
    Listener listener(callback, attention);
    ExperimentPlan plan = ReadExperimentFile(file, set, listener.Warner());
    const CellSelector selector = only.empty() ? CellSelector() : CellSelector(only);
    selector.Check(plan.cells);
    const std::vector<RunId> runs =
        OrderedRuns(plan, restarts > 0 ? restarts : plan.restarts, selector);
    if (runs.empty()) {
      throw Error("pushdown.Experiment.run", "only: no cell has all of these settings");
    }
    plan.restarts = std::max(plan.restarts, restarts);
    const Experiment experiment = Experiment::CreateOrOpen(out, std::move(plan));
    TrainExperiment(experiment, runs, execution, Watch(listener, experiment));
    return listener.warnings();
  });
}

}  // namespace

void BindExperiments(py::module_& module) {
  module.def("train_experiment", &TrainAll, py::arg("file"), py::arg("out"), py::arg("settings"),
             py::arg("only"), py::arg("restarts"), py::arg("jobs"), py::arg("threads"),
             py::arg("time_limit"), py::arg("retry_failed"), py::arg("callback"));
  py::class_<ExperimentResults>(module, "Results")
      .def(py::init(&Open), py::arg("path"))
      .def_static("of_runs", &OfRuns, py::arg("paths"))
      .def_readonly("name", &ExperimentResults::name)
      .def_readonly("title", &ExperimentResults::title)
      .def_property_readonly("kind", [](const ExperimentResults& r) { return KindName(r.kind); })
      .def_property_readonly("measure",
                             [](const ExperimentResults& r) { return MeasureName(r.measure); })
      .def("cells", &Cells)
      .def("table", &Table, py::arg("by"), py::arg("against"));
}

}  // namespace pushdown::python
