#include "cli/training_display.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace pushdown::cli {

TrainingDisplay::TrainingDisplay(const TrainSettings& settings, int threads)
    : max_epochs_(settings.training.max_epochs),
      threads_(threads),
      runs_(static_cast<std::size_t>(settings.restarts)) {}

std::string TrainingDisplay::Label(int restart) const {
  return runs_.size() == 1 ? "" : fmt::format("restart {:>2}  ", restart);
}

void TrainingDisplay::PrintLine(const std::string& line) {
  if (bar_) bar_->Hide();
  fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
}

std::string TrainingDisplay::BarLabel(int epoch) const {
  if (runs_.size() == 1) return fmt::format("epoch {}", epoch);
  const auto ended =
      std::count_if(runs_.begin(), runs_.end(), [](const Run& each) { return each.ended; });
  return fmt::format("{} of {} restarts ended; at most", ended, runs_.size());
}

void TrainingDisplay::Print(const std::string& line) {
  const std::lock_guard lock(mutex_);
  PrintLine(line);
}

void TrainingDisplay::Start(int restart, const RunStart& start) {
  const std::lock_guard lock(mutex_);
  run(restart).training_strings = start.training_strings;
  std::string line =
      fmt::format("{}{}: {} parameters, {} strings in {} batch{}, {} thread{}", Label(restart),
                  ModelName(start.spec), start.parameters, start.training_strings, start.batches,
                  start.batches == 1 ? "" : "es", threads_, threads_ == 1 ? "" : "s");
  if (start.lower_bound) line += fmt::format(", optimum {:.4f}", *start.lower_bound);
  if (start.finished) {
    line += fmt::format("; already finished, after {} epochs", start.epochs_done);
  } else if (start.epochs_done > 0 || start.batches_done > 0) {
    line += fmt::format("; resumed after {} epochs and {} batches", start.epochs_done,
                        start.batches_done);
  }
  PrintLine(line);
}

void TrainingDisplay::Batch(int restart, const RunProgress& progress) {
  const std::lock_guard lock(mutex_);
  run(restart).epochs = progress.epoch - 1 + progress.fraction;
  if (bar_ == nullptr) bar_ = std::make_unique<Progress>(BarLabel(progress.epoch));
  if (runs_.size() == 1) {
    bar_->Show(progress.fraction);
    return;
  }
  bar_->SetLabel(BarLabel(progress.epoch));
  double done = 0;
  for (const Run& each : runs_) done += each.ended ? max_epochs_ : each.epochs;
  bar_->Show(done / static_cast<double>(runs_.size()) / max_epochs_);
}

void TrainingDisplay::Epoch(int restart, const EpochReport& report) {
  const std::lock_guard lock(mutex_);
  const EpochMetrics& metrics = report.metrics;
  const double strings = static_cast<double>(run(restart).training_strings);
  std::string line =
      fmt::format("{}epoch {:>3}  loss {:.4f}  validation {:.4f}  ", Label(restart), metrics.epoch,
                  metrics.training_cross_entropy, metrics.validation_cross_entropy);
  if (report.difference) line += fmt::format("difference {:+.4f}  ", *report.difference);
  line += fmt::format("rate {:.2e}", metrics.learning_rate);
  if (report.strings_per_second > 0) {
    const double left = strings / report.strings_per_second * (max_epochs_ - metrics.epoch);
    line += fmt::format("  {:.0f} strings/s  at most {} left", report.strings_per_second,
                        DurationText(left));
  }
  if (metrics.best) line += "  *";
  if (runs_.size() == 1) bar_.reset();  // the next epoch has one of its own
  PrintLine(line);
}

void TrainingDisplay::End(int restart) {
  const std::lock_guard lock(mutex_);
  run(restart).ended = true;
  if (bar_) bar_->Hide();
}

}  // namespace pushdown::cli
