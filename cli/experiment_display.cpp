#include "cli/experiment_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/counted.h"
#include "cli/standard_error.h"
#include "cli/terminal.h"
#include "pushdown/experiment/cost.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

std::string ScoreText(Measure measure, double score) {
  return measure == Measure::kDifference   ? fmt::format("{:+.4f}", score)
         : measure == Measure::kPerplexity ? fmt::format("{:.2f}", score)
                                           : fmt::format("{:.4f}", score);
}

}  // namespace

ExperimentDisplay::ExperimentDisplay(const Experiment& experiment, const std::vector<RunId>& runs,
                                     bool retry_failed)
    : experiment_(experiment),
      measure_(experiment.measure()),
      bar_(std::make_unique<Progress>("training")) {
  for (const Cell& cell : experiment.plan().cells) {
    CellProgress& progress = cells_.emplace_back();
    progress.max_epochs = cell.settings.training.max_epochs;
    progress.epoch_seconds = ApproximateRunSeconds(cell.settings) / progress.max_epochs;
  }
  places_.resize(cells_.size());
  for (const RunId& id : runs) {
    std::vector<std::size_t>& places = places_[id.cell];
    places.resize(std::max(places.size(), static_cast<std::size_t>(id.restart)));
    places[static_cast<std::size_t>(id.restart) - 1] = runs_.size();
    runs_.push_back({.id = id});
    const RunRecord record = experiment.Record(id);
    const bool failed = record.state == RunState::kFailed && !retry_failed;
    if (record.state == RunState::kFinished || failed) Count(runs_.back(), record);
  }
}

ExperimentDisplay::RunProgressed& ExperimentDisplay::run(const RunId& id) {
  return runs_[places_[id.cell][static_cast<std::size_t>(id.restart) - 1]];
}

ExperimentWatch ExperimentDisplay::Watch() {
  ExperimentWatch watch;
  watch.on_start = [this](const RunId& id, const RunStart& start) {
    const std::lock_guard lock(mutex_);
    run(id).running = true;
    run(id).epochs = start.epochs_done;
    ShowBar();
  };
  watch.on_batch = [this](const RunId& id, const RunProgress& progress) {
    const std::lock_guard lock(mutex_);
    run(id).epochs = progress.epoch - 1 + progress.fraction;
    if (bar_->IsDue()) ShowBar();
  };
  watch.on_epoch = [this](const RunId& id, const EpochReport& report) {
    const std::lock_guard lock(mutex_);
    run(id).epochs = report.metrics.epoch;
    if (bar_->IsDue()) ShowBar();
  };
  watch.on_end = [this](const RunId& id, const RunRecord& record, bool tried) {
    const std::lock_guard lock(mutex_);
    OnEnd(id, record, tried);
  };
  watch.on_warning = [this](const std::string& text) {
    const std::lock_guard lock(mutex_);
    Print("pushdown: warning: " + text);
  };
  return watch;
}

void ExperimentDisplay::Count(RunProgressed& progress, const RunRecord& record) {
  progress.running = false;
  progress.ended = record.state == RunState::kFinished || record.state == RunState::kFailed;
  progress.epochs = record.epochs;
  if (record.state == RunState::kFailed) ++failed_;
  if (record.state != RunState::kFinished) return;
  ++finished_;
  CellProgress& cell = cells_[progress.id.cell];
  ++cell.ended;
  cell.ended_epochs += record.epochs;
  const std::optional<double> score = ScoreOf(record, measure_);
  if (score && (!cell.best || *score < *cell.best)) cell.best = score;
}

void ExperimentDisplay::OnEnd(const RunId& id, const RunRecord& record, bool tried) {
  RunProgressed& progress = run(id);
  if (progress.ended) return;  // before this command
  Count(progress, record);
  const std::string beginning =
      fmt::format("{}/{}  {}", finished_ + failed_, runs_.size(), RunName(experiment_.plan(), id));
  const std::optional<double> score = ScoreOf(record, measure_);
  if (record.state == RunState::kFailed) {
    Print(fmt::format("{}  failed: {}", beginning, Printable(record.failure, 1000)));
  } else if (record.state == RunState::kFinished && score) {
    Print(fmt::format("{}  {} {}, {}, {}{}; best of the cell {}", beginning, MeasureName(measure_),
                      ScoreText(measure_, *score), Counted(record.epochs, "epoch"),
                      DurationText(record.seconds), tried ? "" : ", by another process",
                      ScoreText(measure_, *cells_[id.cell].best)));
  }
  ShowBar();
}

void ExperimentDisplay::ShowBar() {
  // Cells of which no run has ended need as large a share of their epochs as the others, as far as
  // can be told.
  double share = 0;
  int ended = 0;
  for (const CellProgress& cell : cells_) {
    share += cell.ended_epochs / cell.max_epochs;
    ended += cell.ended;
  }
  share = ended > 0 ? share / ended : 1;
  double done = 0;
  double all = 0;
  int running = 0;
  for (const RunProgressed& each : runs_) {
    const CellProgress& cell = cells_[each.id.cell];
    const double epochs = cell.ended > 0 ? cell.ended_epochs / cell.ended : share * cell.max_epochs;
    const double expected = each.ended ? each.epochs : std::max(epochs, each.epochs + 1);
    done += each.epochs * cell.epoch_seconds;
    all += expected * cell.epoch_seconds;
    running += each.running ? 1 : 0;
  }
  const int to_do = static_cast<int>(runs_.size()) - finished_ - failed_ - running;
  bar_->SetLabel(fmt::format("{} done, {} running, {}{} to do", finished_, running,
                             failed_ > 0 ? fmt::format("{} failed, ", failed_) : "", to_do));
  bar_->Show(all > 0 ? done / all : 1);
}

void ExperimentDisplay::Print(const std::string& line) {
  bar_->Hide();
  WriteToStandardError(Wrapped(line, TerminalWidth(STDERR_FILENO), 4) + "\n");
}

void ExperimentDisplay::End() {
  const std::lock_guard lock(mutex_);
  bar_->Hide();
}

}  // namespace pushdown::cli
