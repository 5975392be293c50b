#include "pushdown/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/input_file.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/memory.h"
#include "pushdown/output_directory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/machine.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/run/task_data.h"
#include "pushdown/run/training_run.h"
#include "pushdown/worker_pool.h"

namespace pushdown {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void Refuse(const std::string& message) { throw Error("pushdown::Run", message); }

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The model that the runs of a directory begin with, as bytes; empty if there is none.
std::string ReadStart(const RunSettings& settings, const std::string& directory, bool exists,
                      const Warn& warn) {
  if (settings.start_from.empty()) return {};
  std::string path = PathIn(directory, kStartFile);
  if (!exists) {
    try {
      const DataKind other =
          settings.kind == DataKind::kText ? DataKind::kStrings : DataKind::kText;
      path = OpenModel(settings.start_from, settings.kind,
                       fmt::format("use `{} --start-from`", TrainCommandName(other)), warn)
                 .path;
    } catch (const Error& error) {
      throw Error(error.kind(), error.function(), "--start-from: " + error.message());
    }
  }
  std::error_code error;
  // A run that has a checkpoint goes on without it.
  if (exists && !std::filesystem::exists(path, error)) return {};
  return ReadRegularFile(path, MemoryLimit() / 4);
}

}  // namespace

// The restarts of a run while they are trained, several at a time.
class RestartsInParallel {
 public:
  RestartsInParallel(const Run& run, const Execution& execution, const TrainingWatch& watch)
      : run_(run),
        settings_(run.settings_),
        execution_(execution),
        watch_(watch),
        parallelism_(ParallelismOf(execution, settings_)),
        language_(LanguageOf(settings_, MaxLength(settings_), watch.progress)),
        start_(ReadStart(settings_, run.path_, run.exists_, watch.on_warning)),
        outcomes_(static_cast<std::size_t>(settings_.restarts)) {
    ReserveBlasBuffers(parallelism_.jobs * parallelism_.threads);
  }

  std::vector<RestartOutcome> Train() {
    if (execution_.time_limit > 0) {
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(execution_.time_limit));
    }
    std::unique_ptr<RunLock> lock;
    if (settings_.restarts > 1) lock = PrepareDirectory();
    std::atomic<int> next = 1;
    const auto work = [&] {
      for (int restart = next++; restart <= settings_.restarts; restart = next++) {
        // The first one always gets a batch further, however short the time is.
        if (restart > 1 && ShouldStop()) return;
        TrainRestart(restart);
      }
    };
    RunOnThreads(parallelism_.jobs, work);
    if (fatal_ != nullptr) std::rethrow_exception(fatal_);
    if (settings_.restarts > 1) {
      WriteFile(PathIn(run_.path_, kSummaryFile), IndentedJson(SummaryJson(settings_, outcomes_)));
    }
    return std::move(outcomes_);
  }

 private:
  // The directory of all restarts.
  std::unique_ptr<RunLock> PrepareDirectory() const {
    if (!run_.exists_) {
      const RunConfig config = {.settings = settings_, .kernels = KernelsText()};
      WriteDirectory(run_.path_, RunFiles(SerializeConfig(config, nullptr), start_));
    }
    auto lock = std::make_unique<RunLock>(run_.path_);
    if (run_.exists_) WriteChangeableSettings(run_.path_, settings_);
    if (std::filesystem::exists(PathIn(run_.path_, kCheckpointFile))) {
      Refuse(fmt::format("{}: {} says that there are restarts, but this is one run",
                         Printable(run_.path_, 200), kConfigFile));
    }
    return lock;
  }

  bool ShouldStop() const {
    return (watch_.stop && watch_.stop()) || failed_ || (deadline_ && Clock::now() >= *deadline_);
  }

  void TrainRestart(int restart) {
    RestartOutcome& outcome = outcomes_[static_cast<std::size_t>(restart - 1)];
    const bool several = settings_.restarts > 1;
    TrainingRun run;
    run.path = several ? PathIn(run_.path_, RestartName(restart)) : run_.path_;
    // Restarts that had not begun when the training was stopped begin now.
    run.resume = run_.exists_ && (!several || HoldsRun(run.path));
    run.settings = SettingsOfRestart(settings_, restart);
    run.language = language_.get();
    run.parallelism = parallelism_;
    run.checkpoint_seconds = execution_.checkpoint_seconds;
    run.start = start_;
    RestartWatch watch;
    if (watch_.on_start)
      watch.on_start = [&](const auto& start) { watch_.on_start(restart, start); };
    if (watch_.on_batch) watch.on_batch = [&](const auto& done) { watch_.on_batch(restart, done); };
    if (watch_.on_epoch) watch.on_epoch = [&](const auto& done) { watch_.on_epoch(restart, done); };
    watch.on_warning = watch_.on_warning;
    watch.stop = [this] { return ShouldStop(); };
    watch.progress = watch_.progress;
    try {
      outcome.result = pushdown::Train(run, watch);
      outcome.failure = outcome.result->failure;  // others need not diverge
    } catch (const Error& error) {
      // Something is wrong with the files of this restart, or with the whole run.
      if (run.resume && several && error.kind() != ErrorKind::kSystem) {
        outcome.failure = error.message();
        outcome.kind = error.kind();
      } else {
        EndAll();  // a full disk, say, which is no better for other restarts
      }
    } catch (...) {
      // What `progress` throws when it is to stop, before the training had begun.
      if (!ShouldStop()) EndAll();
    }
    if (!outcome.failure.empty() && several && watch_.on_failure) {
      watch_.on_failure(outcome.failure);
    }
    if (watch_.on_end) watch_.on_end(restart);
  }

  // Ends the training with the exception that is being handled.
  void EndAll() {
    if (!failed_.exchange(true)) fatal_ = std::current_exception();
  }

  const Run& run_;
  const RunSettings& settings_;
  const Execution& execution_;
  const TrainingWatch& watch_;
  Parallelism parallelism_;
  std::unique_ptr<Language> language_;
  std::string start_;  // see ReadStart
  std::vector<RestartOutcome> outcomes_;
  std::optional<Clock::time_point> deadline_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr fatal_;
};

std::optional<double> RunResult::score() const {
  if (best_epoch == 0) return std::nullopt;
  return ValidationScore(validation_cross_entropy, difference);
}

const char* StopText(StopReason reason) {
  switch (reason) {
    case StopReason::kNoImprovement:
      return "no improvement";
    case StopReason::kMaxEpochs:
      return "epoch limit";
    case StopReason::kNone:
      break;
  }
  return "not finished";
}

Json SummaryJson(const RunSettings& settings, const std::vector<RestartOutcome>& outcomes) {
  const std::optional<std::size_t> best = BestRestart(outcomes);
  Json runs = Json::array();
  for (std::size_t n = 0; n < outcomes.size(); ++n) {
    const int restart = static_cast<int>(n) + 1;
    Json run = {{"restart", restart}, {"best", best == n}};
    if (outcomes[n].result) {
      run.update(SummaryJson(SettingsOfRestart(settings, restart), *outcomes[n].result));
    }
    if (!outcomes[n].failure.empty()) run["failure"] = outcomes[n].failure;
    runs.push_back(std::move(run));
  }
  Json summary = {{"model", ModelName(settings.model)}, {"runs", std::move(runs)}};
  summary["best"] = nullptr;
  if (best) summary["best"] = *best + 1;
  return summary;
}

Run::Run(std::string path, RunSettings settings, bool exists)
    : path_(std::move(path)), settings_(std::move(settings)), exists_(exists) {}

void Run::CheckNew(const std::string& directory) {
  if (directory.empty()) Refuse("no directory is given; give --out DIR");
  if (HoldsRun(directory)) {
    Refuse(fmt::format(
        "--out: {} already holds a run; --resume goes on with it, and another name keeps it",
        Printable(directory, 300)));
  }
  try {
    CheckOutputDirectory(directory);
  } catch (const Error& error) {
    Refuse("--out: " + error.message());
  }
}

Run Run::Create(std::string directory, RunSettings settings) {
  CheckNew(directory);
  return Run(std::move(directory), std::move(settings), false);
}

Run Run::Open(std::string directory, const Warn& warn) {
  RunConfig config = ReadConfig(directory);
  if (config.changed && warn && config.settings.restarts > 1) warn(ChangedConfigText(directory));
  return Run(std::move(directory), std::move(config.settings), true);
}

void Run::Change(const RunSettings& settings) {
  const Json wanted = FixedSettingsJson(settings);
  const Json found = FixedSettingsJson(settings_);
  for (const auto& [key, value] : wanted.items()) {
    const Json of_run = found.contains(key) ? found[key] : Json();
    if (value == of_run) continue;
    const std::string what = key == "language" ? "the language" : "--" + key;
    Refuse(fmt::format(
        "{} is {}, but the run has {}; leave it out to resume the run, or choose another --out",
        what, Printable(value.dump(), 100), Printable(of_run.dump(), 100)));
  }
  settings_ = settings;
}

Run OpenToResume(const std::string& directory, DataKind kind,
                 const std::function<void(SettingsDraft&)>& give, const Warn& warn) {
  Run run = Run::Open(directory);
  CheckKind(run.path(), {.settings = run.settings()}, kind,
            fmt::format("use `{} --resume`", TrainCommandName(run.settings().kind)));
  SettingsDraft draft(kind);
  BaseOn(run.settings(), draft);
  give(draft);
  run.Change(ResolveSettings(draft, warn));
  return run;
}

std::vector<RestartOutcome> Run::Train(const Execution& execution, const TrainingWatch& watch) {
  std::vector<RestartOutcome> outcomes = RestartsInParallel(*this, execution, watch).Train();
  exists_ = HoldsRun(path_);
  return outcomes;
}

std::vector<EpochMetrics> Run::Metrics(int restart) const {
  const std::string directory =
      settings_.restarts > 1 ? PathIn(path_, RestartName(restart)) : path_;
  std::vector<EpochMetrics> epochs;
  for (const nlohmann::json& line : ReadJsonLines(PathIn(directory, kMetricsFile))) {
    try {
      EpochMetrics metrics;
      metrics.epoch = line.at("epoch").get<int>();
      metrics.training_cross_entropy = line.at("training_cross_entropy").get<double>();
      metrics.validation_cross_entropy = line.at("validation_cross_entropy").get<double>();
      metrics.learning_rate = line.at("learning_rate").get<double>();
      metrics.largest_gradient_norm = line.at("largest_gradient_norm").get<double>();
      metrics.best = line.at("best").get<bool>();
      epochs.push_back(metrics);
    } catch (const nlohmann::json::exception& error) {
      Refuse(fmt::format("{}: {}", Printable(PathIn(directory, kMetricsFile), 200),
                         Printable(error.what(), 200)));
    }
  }
  return epochs;
}

std::optional<std::size_t> BestRestart(const std::vector<RestartOutcome>& outcomes) {
  std::vector<std::optional<double>> scores;
  for (const RestartOutcome& outcome : outcomes) {
    scores.push_back(outcome.result ? outcome.result->score() : std::nullopt);
  }
  return BestRestart(std::span<const std::optional<double>>(scores));
}

Parallelism ParallelismOf(const Execution& execution, const RunSettings& settings) {
  // A batch of text keeps all CPUs busy, a batch of strings does not.
  const int jobs = settings.kind == DataKind::kText ? 1 : CpuCount();
  Parallelism parallelism;
  parallelism.jobs = std::min(settings.restarts, execution.jobs > 0 ? execution.jobs : jobs);
  parallelism.threads =
      execution.threads > 0 ? execution.threads : std::max(1, CpuCount() / parallelism.jobs);
  if (1LL * parallelism.jobs * parallelism.threads > kMaxBlasCallers) {
    Refuse(fmt::format("{} jobs with {} threads each are too many; {} threads are possible",
                       parallelism.jobs, parallelism.threads, kMaxBlasCallers));
  }
  return parallelism;
}

TrainingEstimate EstimateTraining(const RunSettings& settings, const Execution& execution,
                                  const TrainingWatch& watch, double enough_seconds) {
  constexpr int kFewestBatches = 3;
  TrainingEstimate estimate;
  estimate.parallelism = ParallelismOf(execution, settings);
  const int threads = estimate.parallelism.threads;
  ReserveBlasBuffers(threads);
  const RunSettings first = SettingsOfRestart(settings, 1);
  const std::unique_ptr<Language> language = LanguageOf(first, MaxLength(first), watch.progress);
  const std::unique_ptr<RunData> data =
      MakeRunData(first, language.get(), estimate.parallelism, watch.progress);
  Trainer trainer(data->MakeObjective(threads), first.training);
  trainer.Start(data->InitialParameters());
  estimate.spec = data->spec();
  estimate.parameters = trainer.layout().size;
  estimate.training_items = data->training_items();
  estimate.batches = trainer.batches();
  estimate.lower_bound = data->lower_bound();
  estimate.bytes =
      estimate.parallelism.jobs * TrainingBytes(data->spec(), data->EstimateBytes(threads));
  trainer.Advance();  // the first batch also touches the memory
  int batches = 0;
  const Clock::time_point start = Clock::now();
  double seconds = 0;
  while (trainer.state().batches < trainer.batches() &&
         (batches < kFewestBatches || seconds < enough_seconds)) {
    trainer.Advance();
    ++batches;
    seconds = SecondsSince(start);
    if (watch.progress) watch.progress("measuring", std::min(1.0, seconds / enough_seconds));
    if (watch.stop && watch.stop()) break;
  }
  if (batches > 0) estimate.seconds_per_epoch = seconds / batches * trainer.batches();
  const int rounds =
      (settings.restarts + estimate.parallelism.jobs - 1) / estimate.parallelism.jobs;
  estimate.longest_seconds = estimate.seconds_per_epoch * settings.training.max_epochs * rounds;
  return estimate;
}

}  // namespace pushdown
