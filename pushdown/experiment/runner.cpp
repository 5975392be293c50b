#include "pushdown/experiment/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/run_claims.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/printable.h"
#include "pushdown/run/run.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/worker_pool.h"

namespace pushdown {
namespace {

using Clock = std::chrono::steady_clock;

// Ends the preparations of a run when the experiment is to stop.
struct Stopped {};

// Ends a claim.
struct Release {
  RunClaims& claims;
  const std::string& name;

  ~Release() { claims.Release(name); }
};

// Runs of an experiment while they are trained.
class RunsInParallel {
 public:
  RunsInParallel(const Experiment& experiment, std::span<const RunId> runs,
                 const ExperimentExecution& execution, const ExperimentWatch& watch)
      : experiment_(experiment),
        execution_(execution),
        watch_(watch),
        parallelism_(ParallelismOf(execution, experiment.plan().kind, runs.size())),
        claims_(experiment.path()),
        queue_(runs.begin(), runs.end()),
        start_(Clock::now()) {
    ReserveBlasBuffers(parallelism_.jobs * parallelism_.threads);
  }

  ExperimentOutcome Train() {
    const auto work = [this] {
      try {
        while (const std::optional<RunId> run = Next()) TrainRun(*run);
      } catch (...) {
        // What a callback throws, say.
        const std::lock_guard lock(mutex_);
        if (error_ == nullptr) error_ = std::current_exception();
      }
    };
    RunOnThreads(parallelism_.jobs, work);
    if (error_ != nullptr) std::rethrow_exception(error_);
    outcome_.left += static_cast<int>(queue_.size());
    // Some of these may have ended since they were tried.
    for (const RunId& run : elsewhere_) {
      const RunState state = experiment_.Record(run).state;
      if (state == RunState::kFinished) {
        ++outcome_.finished;
      } else if (state == RunState::kFailed) {
        ++outcome_.failed;
      } else {
        ++outcome_.elsewhere;
      }
    }
    return outcome_;
  }

 private:
  double SecondsSinceStart() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  bool ShouldStop() const {
    return (watch_.stop && watch_.stop()) ||
           (execution_.time_limit > 0 && SecondsSinceStart() >= execution_.time_limit);
  }

  // The next run to be tried; nothing if there is none, or it is time to stop.
  std::optional<RunId> Next() {
    constexpr auto kPause = std::chrono::milliseconds(200);
    std::unique_lock lock(mutex_);
    while (queue_.empty()) {
      if (elsewhere_.empty() || error_ != nullptr || ShouldStop()) return std::nullopt;
      const std::chrono::duration<double> waited = Clock::now() - last_end_;
      if (waited.count() >= execution_.wait_seconds) return std::nullopt;
      lock.unlock();
      std::this_thread::sleep_for(kPause);
      lock.lock();
      if (queue_.empty()) queue_.swap(elsewhere_);
    }
    if (error_ != nullptr) return std::nullopt;
    // The first run always gets a batch further, however short the time is.
    if (began_ && ShouldStop()) return std::nullopt;
    began_ = true;
    const RunId run = queue_.front();
    queue_.pop_front();
    return run;
  }

  void TrainRun(const RunId& run) {
    // What is finished stays so. Everything else is decided by who has claimed the run.
    RunRecord record = experiment_.Record(run);
    bool tried = false;
    if (record.state != RunState::kFinished) {
      const std::string name = RunName(experiment_.plan(), run);
      if (!claims_.Claim(name)) return PutBack(run);
      const Release release{claims_, name};
      record = experiment_.Record(run, ClaimedBy::kCaller);
      tried = record.state != RunState::kFinished &&
              (record.state != RunState::kFailed || execution_.retry_failed);
      if (tried && !TrainClaimed(run, record)) return PutBack(run);
    }
    End(run, record, tried);
  }

  // False if somebody trains the run by hand.
  bool TrainClaimed(const RunId& run, RunRecord& record) {
    try {
      experiment_.ForgetFailure(run);
      Advance(run);
      record = experiment_.Record(run, ClaimedBy::kCaller);
    } catch (const RunLockedError&) {
      return false;
    } catch (const Stopped&) {
      record.state = RunState::kBegun;
    } catch (const Error& error) {
      Fail(run, error.message(), record);
    } catch (const std::bad_alloc&) {
      Fail(run, "out of memory", record);
    } catch (const std::exception& error) {
      Fail(run, error.what(), record);
    }
    return true;
  }

  // Trains and evaluates a run, as far as there is time.
  void Advance(const RunId& id) {
    const std::string path = experiment_.RunPath(id);
    const RunSettings settings = SettingsOfRun(experiment_.plan(), id);
    try {
      const bool trained = HasTrained(path, settings) || TrainInDirectory(id, path, settings);
      if (trained && experiment_.plan().test) {
        WriteTestRecord(path, settings, parallelism_.threads, StopOnRequest());
      }
    } catch (const Error&) {
      // What a signal has interrupted is no failure.
      if (watch_.stop && watch_.stop()) throw Stopped();
      throw;
    }
  }

  // A summary that is broken is made again from the checkpoint.
  static bool HasTrained(const std::string& path, const RunSettings& settings) try {
    return IsTrained(ReadRunRecord(path), settings);
  } catch (const Error&) {
    return false;
  }

  // Whether the training is finished.
  bool TrainInDirectory(const RunId& id, const std::string& path, const RunSettings& settings) {
    Run run = HoldsRun(path) ? Run::Open(path, watch_.on_warning) : Run::Create(path, settings);
    run.Change(settings);
    // It would not belong to what follows.
    std::error_code ignored;
    std::filesystem::remove(PathIn(path, kTestFile), ignored);
    TrainingWatch watch;
    if (watch_.on_start) {
      watch.on_start = [&](int, const RunStart& start) { watch_.on_start(id, start); };
    }
    if (watch_.on_batch) {
      watch.on_batch = [&](int, const RunProgress& done) { watch_.on_batch(id, done); };
    }
    if (watch_.on_epoch) {
      watch.on_epoch = [&](int, const EpochReport& epoch) { watch_.on_epoch(id, epoch); };
    }
    watch.on_warning = watch_.on_warning;
    watch.stop = [this] { return ShouldStop(); };
    watch.progress = StopOnRequest();
    const RestartOutcome outcome = run.Train({.jobs = 1,
                                              .threads = parallelism_.threads,
                                              .checkpoint_seconds = execution_.checkpoint_seconds},
                                             watch)
                                       .front();
    if (!outcome.failure.empty()) {
      // Whoever reads it knows which run it is of.
      const std::string prefix = Printable(path, 200) + ": ";
      experiment_.RecordFailure(id, outcome.failure.starts_with(prefix)
                                        ? outcome.failure.substr(prefix.size())
                                        : outcome.failure);
    }
    return outcome.failure.empty() && outcome.result && outcome.result->finished;
  }

  // A time limit does not end preparations, which would have to be made again next time: every call
  // gets further, however short its time is.
  StageProgress StopOnRequest() const {
    return [this](const std::string&, double) {
      if (watch_.stop && watch_.stop()) throw Stopped();
    };
  }

  void PutBack(const RunId& run) {
    const std::lock_guard lock(mutex_);
    elsewhere_.push_back(run);
  }

  void Fail(const RunId& run, const std::string& failure, RunRecord& record) const {
    record.state = RunState::kFailed;
    record.failure = failure;
    try {
      experiment_.RecordFailure(run, failure);
    } catch (const std::exception& error) {
      // The disk is full, say. The run is then tried again next time.
      if (watch_.on_warning) {
        watch_.on_warning(fmt::format("the failure of {} cannot be recorded: {}",
                                      RunName(experiment_.plan(), run), error.what()));
      }
    }
  }

  void End(const RunId& run, const RunRecord& record, bool tried) {
    const std::lock_guard lock(mutex_);
    if (record.state == RunState::kFinished) {
      ++outcome_.finished;
    } else if (record.state == RunState::kFailed) {
      ++outcome_.failed;
    } else {
      ++outcome_.left;
    }
    last_end_ = Clock::now();
    if (watch_.on_end) watch_.on_end(run, record, tried);
  }

  const Experiment& experiment_;
  const ExperimentExecution& execution_;
  const ExperimentWatch& watch_;
  Parallelism parallelism_;
  RunClaims claims_;
  std::mutex mutex_;
  std::deque<RunId> queue_;
  std::deque<RunId> elsewhere_;  // what other processes were training when it was tried
  bool began_ = false;
  ExperimentOutcome outcome_;
  std::exception_ptr error_;
  Clock::time_point start_;
  Clock::time_point last_end_ = Clock::now();  // of a run
};

}  // namespace

Parallelism ParallelismOf(const ExperimentExecution& execution, DataKind kind, std::size_t runs) {
  RunSettings settings;
  settings.kind = kind;
  settings.restarts = static_cast<int>(std::clamp<std::size_t>(runs, 1, 1 << 20));
  return ParallelismOf(Execution{.jobs = execution.jobs, .threads = execution.threads}, settings);
}

ExperimentOutcome TrainExperiment(const Experiment& experiment, std::span<const RunId> runs,
                                  const ExperimentExecution& execution,
                                  const ExperimentWatch& watch) {
  return RunsInParallel(experiment, runs, execution, watch).Train();
}

}  // namespace pushdown
