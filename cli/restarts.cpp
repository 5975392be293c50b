#include "cli/restarts.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "cli/errors.h"
#include "cli/input_file.h"
#include "cli/interrupt.h"
#include "cli/machine.h"
#include "cli/memory.h"
#include "cli/task_data.h"
#include "cli/text_data.h"
#include "cli/text_table.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/output_directory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

// A word for a shell.
std::string ShellQuoted(const std::string& text) {
  const bool plain = text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_./-+:=@%,") == text.npos;
  if (plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

Parallelism ParallelismOf(const RestartsOptions& options, const TrainSettings& settings) {
  // A batch of text keeps all CPUs busy, a batch of strings does not.
  const int jobs = settings.kind() == DataKind::kText ? 1 : CpuCount();
  Parallelism parallelism;
  parallelism.jobs = std::min(settings.restarts, options.jobs > 0 ? options.jobs : jobs);
  parallelism.threads =
      options.threads > 0 ? options.threads : std::max(1, CpuCount() / parallelism.jobs);
  if (parallelism.jobs * parallelism.threads > kMaxBlasCallers) {
    throw UsageError(
        fmt::format("{} jobs with {} threads each are too many; {} threads are possible",
                    parallelism.jobs, parallelism.threads, kMaxBlasCallers));
  }
  return parallelism;
}

double Score(const RunResult& result) {
  return ValidationScore(result.validation_cross_entropy, result.difference);
}

}  // namespace

Restarts::Restarts(const RestartsOptions& options, const TrainSettings& settings)
    : options_(options),
      settings_(settings),
      parallelism_(ParallelismOf(options, settings)),
      language_(LanguageOf(settings, MaxLength(settings))),
      start_(ReadStart()),
      outcomes_(static_cast<std::size_t>(settings.restarts)),
      display_(settings, parallelism_) {
  ReserveBlasBuffers(parallelism_.jobs * parallelism_.threads);
}

void Restarts::Run() {
  if (options_.time_limit > 0) {
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                   std::chrono::duration<double>(options_.time_limit));
  }
  std::unique_ptr<RunLock> lock;
  if (settings_.restarts > 1) {
    if (!options_.resume) {
      const RunConfig config = {.settings = settings_, .kernels = KernelsText()};
      WriteDirectory(options_.out, RunFiles(ConfigText(config, nullptr), start_));
    }
    lock = std::make_unique<RunLock>(options_.out);
    const int max_epochs = settings_.training.max_epochs;
    if (options_.resume && ReadConfig(options_.out).settings.training.max_epochs != max_epochs) {
      WriteMaxEpochs(options_.out, max_epochs);
    }
    if (std::filesystem::exists(PathIn(options_.out, kCheckpointFile))) {
      throw UsageError(fmt::format("{}: {} says that there are restarts, but this is one run",
                                   Printable(options_.out, 200), kConfigFile));
    }
  }
  std::atomic<int> next = 1;
  const auto work = [&] {
    for (int restart = next++; restart <= settings_.restarts; restart = next++) {
      // The first one always gets a batch further, however short the time is.
      if (restart > 1 && ShouldStop()) return;
      RunRestart(restart);
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(parallelism_.jobs));
  try {
    for (int job = 1; job < parallelism_.jobs; ++job) threads.emplace_back(work);
  } catch (const std::exception&) {
    // There are no more threads, or there is no memory; those that there are do the same work.
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (fatal_ != nullptr) std::rethrow_exception(fatal_);
  if (settings_.restarts > 1) {
    OutputFile summary(PathIn(options_.out, kSummaryFile));
    summary.Write(JsonText(Summary()));
    summary.Commit();
  }
}

void Restarts::Print() const {
  OutputFile out("-");
  out.Write(options_.json ? JsonText(Summary()) : Table());
  out.Commit();
}

void Restarts::ThrowIfIncomplete() const {
  std::vector<std::string> failures;
  bool stopped = false;
  for (const Outcome& outcome : outcomes_) {
    if (!outcome.failure.empty()) failures.push_back(outcome.failure);
    stopped = stopped || (outcome.failure.empty() && !(outcome.result && outcome.result->finished));
  }
  if (stopped) {
    const int signal = InterruptSignal();
    if (!HoldsRun(options_.out)) {
      throw Interrupted{.signal = signal,
                        .message = "interrupted before the training began; run it again",
                        .resumable = true};
    }
    std::string message =
        fmt::format("stopped by {}, and saved; go on with: {} --resume --out {}",
                    signal == 0 ? "the time limit" : SignalName(signal),
                    TrainCommandName(settings_.kind()), ShellQuoted(options_.out));
    throw Interrupted{.signal = signal, .message = std::move(message), .resumable = true};
  }
  if (failures.empty()) return;
  throw RunError(failures.size() == 1 && outcomes_.size() == 1
                     ? failures.front()
                     : fmt::format("{} of {} restarts failed, the first with: {}", failures.size(),
                                   outcomes_.size(), failures.front()));
}

bool Restarts::ShouldStop() const {
  return InterruptSignal() != 0 || failed_ || (deadline_ && Clock::now() >= *deadline_);
}

void Restarts::RunRestart(int restart) {
  Outcome& outcome = outcomes_[static_cast<std::size_t>(restart - 1)];
  TrainingRun run;
  run.path = settings_.restarts == 1 ? options_.out : PathIn(options_.out, RestartName(restart));
  // Restarts that had not begun when the command was stopped begin now.
  run.resume = options_.resume && (settings_.restarts == 1 || HoldsRun(run.path));
  run.settings = SettingsOfRestart(settings_, restart);
  run.language = language_.get();
  run.parallelism = parallelism_;
  run.checkpoint_seconds = options_.checkpoint_seconds;
  run.start = start_;
  const RunWatcher watcher = {
      .on_start = [&](const RunStart& start) { display_.Start(restart, start); },
      .on_batch = [&](const RunProgress& progress) { display_.Batch(restart, progress); },
      .on_epoch = [&](const EpochReport& report) { display_.Epoch(restart, report); },
      .on_warning = [&](const std::string& text) { display_.Print("pushdown: warning: " + text); },
      .stop = [&] { return ShouldStop(); }};
  try {
    outcome.result = Train(run, watcher);
    outcome.failure = outcome.result->failure;  // others need not diverge
  } catch (const Interrupted&) {
    // Before it had begun.
  } catch (const UsageError& error) {
    // Something is wrong with the files of this restart, or with the whole command.
    if (run.resume && settings_.restarts > 1) {
      outcome.failure = error.what();
    } else {
      EndAll();
    }
  } catch (...) {
    EndAll();  // a full disk, say, which is no better for other runs
  }
  if (!outcome.failure.empty() && settings_.restarts > 1) {
    display_.Print("pushdown: " + outcome.failure);
  }
  display_.End(restart);
}

std::string Restarts::ReadStart() const {
  if (settings_.start_from.empty()) return {};
  std::string path = PathIn(options_.out, kStartFile);
  if (!options_.resume) {
    try {
      const bool text = settings_.kind() == DataKind::kText;
      const TrainedRun run = OpenTrainedRun(
          settings_.start_from, settings_.kind(),
          text ? "use `pushdown train --start-from`" : "use `pushdown lm train --start-from`");
      path = PathIn(run.path, kModelFile);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("--start-from: {}", error.what()));
    }
  }
  std::error_code error;
  // A run that has a checkpoint goes on without it.
  if (options_.resume && !std::filesystem::exists(path, error)) return {};
  return ReadRegularText(path, MemoryLimit() / 4);
}

void Restarts::EndAll() {
  if (!failed_.exchange(true)) fatal_ = std::current_exception();
}

int Restarts::Best() const {
  int best = 0;
  for (int n = 1; n <= settings_.restarts; ++n) {
    const auto& result = outcome(n).result;
    if (!result || result->best_epoch == 0) continue;
    if (best == 0 || Score(*result) < Score(*outcome(best).result)) best = n;
  }
  return best;
}

Json Restarts::Summary() const {
  const int best = Best();
  Json runs = Json::array();
  for (int n = 1; n <= settings_.restarts; ++n) {
    Json run = {{"restart", n}, {"best", n == best}};
    if (outcome(n).result) {
      run.update(SummaryJson(SettingsOfRestart(settings_, n), *outcome(n).result));
    }
    if (!outcome(n).failure.empty()) run["failure"] = outcome(n).failure;
    runs.push_back(std::move(run));
  }
  Json summary = {{"model", settings_.model.name}, {"runs", std::move(runs)}};
  summary["best"] = nullptr;
  if (best > 0) summary["best"] = best;
  return summary;
}

std::string Restarts::Table() const {
  const bool text = settings_.kind() == DataKind::kText;
  const std::vector<TableColumn> columns = {
      {.heading = "run", .left = true},     {.heading = "epochs", .rank = 3},
      {.heading = "best", .rank = 4},       {.heading = "1st rate", .rank = 6},
      {.heading = "validation", .rank = 1}, {.heading = text ? "perplexity" : "difference"},
      {.heading = "seconds", .rank = 5},    {.heading = "stopped by", .rank = 2, .left = true}};
  std::vector<std::vector<std::string>> rows;
  const int best = Best();
  for (int n = 1; n <= settings_.restarts; ++n) {
    const std::string name =
        fmt::format("{}{}", n, n == best && settings_.restarts > 1 ? " *" : "");
    const auto& result = outcome(n).result;
    if (!result) {
      rows.push_back(
          {name, "", "", "", "", "", "", outcome(n).failure.empty() ? "not begun" : "failure"});
      continue;
    }
    const bool any = result->best_epoch > 0;
    std::string last;
    if (text && any) last = PerplexityText(result->validation_cross_entropy);
    if (result->difference) last = fmt::format("{:+.6f}", *result->difference);
    const Json summary = SummaryJson(settings_, *result);
    rows.push_back(
        {name, std::to_string(result->epochs), any ? std::to_string(result->best_epoch) : "",
         fmt::format("{:.2e}", result->learning_rate),
         any ? fmt::format("{:.6f}", result->validation_cross_entropy) : "", last,
         fmt::format("{:.1f}", result->seconds),
         result->failure.empty() ? summary["stopped_by"].get<std::string>() : "failure"});
  }
  return TableText(columns, rows);
}

}  // namespace pushdown::cli
