#include "cli/training_display.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cli/perplexity_text.h"
#include "cli/standard_error.h"
#include "cli/terminal.h"
#include "cli/text_table.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

// The parts of a line about an epoch that the terminal has room for; all of them in a log.
class EpochLine {
 public:
  // Those with the largest rank are left out first.
  void Add(int rank, std::string part) {
    ranks_.push_back(rank);
    parts_.push_back(std::move(part));
  }

  std::string Text(std::size_t width) const {
    constexpr std::size_t kBetween = 2;
    std::vector<std::size_t> widths;
    for (const std::string& part : parts_) widths.push_back(Columns(part) + kBetween);
    const std::size_t limit = width == kUnlimited ? width : width + kBetween;
    std::vector<std::string> kept;
    for (const std::size_t n : FittingColumns(widths, ranks_, limit)) kept.push_back(parts_[n]);
    return fmt::format("{}", fmt::join(kept, "  "));
  }

 private:
  std::vector<int> ranks_;
  std::vector<std::string> parts_;
};

}  // namespace

TrainingDisplay::TrainingDisplay(const RunSettings& settings, const Parallelism& parallelism)
    : kind_(settings.kind),
      max_epochs_(settings.training.max_epochs),
      threads_(parallelism.threads),
      // Epochs of text take minutes, those of strings seconds.
      bar_of_epoch_(settings.restarts == 1 ||
                    (settings.kind == DataKind::kText && parallelism.jobs == 1)),
      runs_(static_cast<std::size_t>(settings.restarts)) {}

std::string TrainingDisplay::Label(int restart) const {
  return runs_.size() == 1 ? "" : fmt::format("restart {:>2}  ", restart);
}

void TrainingDisplay::PrintLine(const std::string& line) {
  if (bar_) bar_->Hide();
  WriteToStandardError(line + "\n");
}

std::string TrainingDisplay::BarLabel(int restart, const RunProgress& progress) const {
  if (bar_of_epoch_) {
    return fmt::format("{}epoch {}, {:.0f} {}/s", Label(restart), progress.epoch,
                       progress.items_per_second, ItemName(kind_));
  }
  const auto ended =
      std::count_if(runs_.begin(), runs_.end(), [](const Shown& each) { return each.ended; });
  return fmt::format("{} of {} restarts ended; at most", ended, runs_.size());
}

void TrainingDisplay::Print(const std::string& line) {
  const std::lock_guard lock(mutex_);
  PrintLine(line);
}

void TrainingDisplay::Start(int restart, const RunStart& start) {
  const std::lock_guard lock(mutex_);
  run(restart).training_items = start.training_items;
  std::string line = fmt::format(
      "{}{}: {} parameters, {} {} in {} batch{}, {} thread{}", Label(restart),
      ModelName(start.spec), start.parameters, start.training_items, ItemName(kind_), start.batches,
      start.batches == 1 ? "" : "es", threads_, threads_ == 1 ? "" : "s");
  if (start.lower_bound) line += fmt::format(", optimum {:.4f}", *start.lower_bound);
  if (start.finished) {
    line += fmt::format("; already finished, after {} epochs", start.epochs_done);
  } else if (start.epochs_done > 0 || start.batches_done > 0) {
    line += fmt::format("; resumed after {} epochs and {} batches", start.epochs_done,
                        start.batches_done);
  }
  PrintLine(Wrapped(line, TerminalWidth(STDERR_FILENO)));
}

void TrainingDisplay::Batch(int restart, const RunProgress& progress) {
  const std::lock_guard lock(mutex_);
  run(restart).epochs = progress.epoch - 1 + progress.fraction;
  if (bar_ == nullptr) bar_ = std::make_unique<Progress>("");
  bar_->SetLabel(BarLabel(restart, progress));
  if (bar_of_epoch_) {
    bar_->Show(progress.fraction);
    return;
  }
  double done = 0;
  for (const Shown& each : runs_) done += each.ended ? max_epochs_ : each.epochs;
  bar_->Show(done / static_cast<double>(runs_.size()) / max_epochs_);
}

void TrainingDisplay::Epoch(int restart, const EpochReport& report) {
  const std::lock_guard lock(mutex_);
  const EpochMetrics& metrics = report.metrics;
  const double items = static_cast<double>(run(restart).training_items);
  EpochLine line;
  line.Add(0, fmt::format("{}epoch {:>3}", Label(restart), metrics.epoch));
  if (kind_ == DataKind::kText) {
    line.Add(5, "perplexity " + PerplexityText(metrics.training_cross_entropy));
    line.Add(1, "validation " + PerplexityText(metrics.validation_cross_entropy));
  } else {
    line.Add(5, fmt::format("loss {:.4f}", metrics.training_cross_entropy));
    line.Add(report.difference ? 4 : 1,
             fmt::format("validation {:.4f}", metrics.validation_cross_entropy));
  }
  if (report.difference) line.Add(1, fmt::format("difference {:+.4f}", *report.difference));
  line.Add(7, fmt::format("rate {:.2e}", metrics.learning_rate));
  if (report.items_per_second > 0) {
    const double left = items / report.items_per_second * (max_epochs_ - metrics.epoch);
    line.Add(6, fmt::format("{:.0f} {}/s", report.items_per_second, ItemName(kind_)));
    line.Add(3, fmt::format("at most {} left", DurationText(left)));
  }
  if (metrics.best) line.Add(2, "*");
  if (bar_of_epoch_) bar_.reset();  // the next epoch has one of its own
  PrintLine(line.Text(TerminalWidth(STDERR_FILENO)));
}

void TrainingDisplay::End(int restart) {
  const std::lock_guard lock(mutex_);
  run(restart).ended = true;
  if (bar_) bar_->Hide();
  if (bar_of_epoch_) bar_.reset();
}

}  // namespace pushdown::cli
