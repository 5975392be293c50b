#include "cli/train.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/simd_target.h"
#include "cli/training_display.h"
#include "cli/training_run.h"
#include "pushdown/kernels/blas.h"
#include "pushdown/output_directory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr const char* kHelp = R"(

The procedure is that of the paper's appendix D, whose numbers are the defaults: Adam, gradients
clipped, batches of strings of equal length in a new order each epoch, the loss summed over a
string and averaged over a batch. A learning rate that is not given is drawn for each run. It falls
when more than --decay-patience epochs in a row bring no improvement on the perplexity of the
validation set, and training stops after --patience epochs without any.

Shown after each epoch: the cross-entropy in nats a symbol of the training set (while parameters
changed) and of the validation set, the latter's difference from the optimum, which is exact, the
learning rate, strings a second, the time left if all epochs are needed, and * for the best epoch
so far. Printed at the end: a table of the runs, * marking the best (--json: an object).

--out is a directory that must not exist, or be empty. A run keeps in it:
  config.json             all settings, seeds and the machine
  metrics.jsonl           a line an epoch; the same for the same settings, however often stopped
  timing.jsonl            sessions and seconds
  model.safetensors       the parameters of the best epoch
  checkpoint.safetensors  what --resume goes on from: every epoch, and every --checkpoint-interval
  summary.json            when it is finished
With --restarts N, runs are in restart-1 .. restart-N, beside a config.json and a summary.json of
them all. Each has its own data unless --data-seed is given, so the best one, which `pushdown
evaluate` takes, is that with the smallest difference from its optimum.

Ctrl-C, SIGTERM and --time-limit end the batch or the validation, save, and say how to resume;
nothing but the time since the last checkpoint is lost if the program is killed. A resumed run has
the same result, bit for bit, for any number of threads, on the same kind of CPU. --resume needs no
other options than --out; threads, jobs, limits and intervals are not kept.

--data DIR reads main.tok (training) and datasets/validation/main.tok, a string a line and tokens
separated by spaces, and main.vocab, a token a line. If there is a task.json, as `pushdown data`
writes it, the optimum is known, and if there is datasets/test/main.tok, `evaluate` reads it.

--config FILE has options in TOML, those of the command line go before; names of files are relative
to the working directory:
  task = "marked-reversal"
  model = "rns-2-3"
  learning-rate = 0.005

Examples:
  pushdown train --task marked-reversal --model rns-2-3 --out runs/mr
  pushdown train --task marked-copy --model rns-3-3 --restarts 10 --jobs 2 --out runs/mc
  pushdown train --resume --out runs/mc --time-limit 2h
  pushdown train --grammar agreement.cfg --lengths 3:20 --test-lengths 3:40 --model sup-10 --out runs/a

Exit code: 0, also if the time limit ended it; 1 if a run fails or cannot be saved, 2 if an input
file or the command line is wrong, 128 + N after signal N.)";

struct TrainCommand {
  TrainSettings settings;
  std::string config;
  std::string out;
  int jobs = 0;     // 0: as many as there are CPUs
  int threads = 0;  // 0: so that jobs use all CPUs
  double time_limit = 0;
  double checkpoint_seconds = 300;
  bool resume = false;
  bool json = false;
};

// What became of one restart.
struct RestartOutcome {
  std::optional<RunResult> result = {};  // nothing: it was not begun, or could not be resumed
  std::string failure = {};
};

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

int CpuCount() {
  const int cpus = static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(cpus, 1, ParallelModel::kMaxThreads);
}

// All restarts of a command, `jobs` at a time.
class Restarts {
 public:
  Restarts(const TrainCommand& command, const TrainSettings& settings)
      : command_(command),
        settings_(settings),
        jobs_(std::min(settings.restarts, command.jobs > 0 ? command.jobs : CpuCount())),
        threads_(command.threads > 0 ? command.threads : std::max(1, CpuCount() / jobs_)),
        resume_(command.resume),
        language_(LanguageOf(settings, MaxLength(settings))),
        outcomes_(static_cast<std::size_t>(settings.restarts)),
        display_(settings, threads_) {
    if (jobs_ * threads_ > ParallelModel::kMaxThreads) {
      throw UsageError(
          fmt::format("{} jobs with {} threads each are too many; {} threads are possible", jobs_,
                      threads_, ParallelModel::kMaxThreads));
    }
  }

  void Run() {
    if (command_.time_limit > 0) {
      deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(command_.time_limit));
    }
    std::unique_ptr<RunLock> lock;
    if (settings_.restarts > 1) {
      if (!resume_) {
        const RunConfig config = {.settings = settings_, .kernels = KernelsText()};
        WriteDirectory(command_.out,
                       std::vector<NamedText>{{kConfigFile, ConfigText(config, nullptr)}});
      }
      lock = std::make_unique<RunLock>(command_.out);
      if (std::filesystem::exists(PathIn(command_.out, kCheckpointFile))) {
        throw UsageError(fmt::format("{}: {} says that there are restarts, but this is one run",
                                     Printable(command_.out, 200), kConfigFile));
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
    try {
      for (int job = 1; job < jobs_; ++job) threads.emplace_back(work);
    } catch (const std::system_error&) {
      // The system does not give as many threads; those that there are do the same work.
    }
    work();
    for (std::thread& thread : threads) thread.join();
    if (fatal_ != nullptr) std::rethrow_exception(fatal_);
    if (settings_.restarts > 1) {
      OutputFile summary(PathIn(command_.out, kSummaryFile));
      summary.Write(JsonText(Summary()));
      summary.Commit();
    }
  }

  void Print() const {
    OutputFile out("-");
    out.Write(command_.json ? JsonText(Summary()) : Table());
    out.Commit();
  }

  // Ends the command if not all is well.
  void ThrowIfIncomplete() const {
    std::vector<std::string> failures;
    bool stopped = false;
    for (const RestartOutcome& outcome : outcomes_) {
      if (!outcome.failure.empty()) failures.push_back(outcome.failure);
      stopped = stopped || (outcome.failure.empty() && !Finished(outcome));
    }
    if (stopped) {
      const int signal = InterruptSignal();
      if (!HoldsRun(command_.out)) throw Interrupted{.signal = signal};  // it had not begun
      const std::string message =
          fmt::format("stopped by {}, and saved; go on with: pushdown train --resume --out {}",
                      signal == 0         ? "the time limit"
                      : signal == SIGINT  ? "SIGINT"
                      : signal == SIGTERM ? "SIGTERM"
                                          : "SIGHUP",
                      ShellQuoted(command_.out));
      if (signal != 0) throw Interrupted{.signal = signal, .message = message};
      fmt::print(stderr, "pushdown: {}\n", message);
    }
    if (failures.empty()) return;
    throw RunError(failures.size() == 1 && outcomes_.size() == 1
                       ? failures.front()
                       : fmt::format("{} of {} restarts failed, the first with: {}",
                                     failures.size(), outcomes_.size(), failures.front()));
  }

 private:
  using Clock = std::chrono::steady_clock;

  static bool Finished(const RestartOutcome& outcome) {
    return outcome.result && outcome.result->finished;
  }

  bool ShouldStop() const {
    return InterruptSignal() != 0 || failed_ || (deadline_ && Clock::now() >= *deadline_);
  }

  void RunRestart(int restart) {
    RestartOutcome& outcome = outcomes_[static_cast<std::size_t>(restart - 1)];
    TrainingRun run;
    run.path = settings_.restarts == 1 ? command_.out : PathIn(command_.out, RestartName(restart));
    // Restarts that had not begun when the command was stopped begin now.
    run.resume = resume_ && (settings_.restarts == 1 || HoldsRun(run.path));
    run.settings = SettingsOfRestart(settings_, restart);
    run.language = language_.get();
    run.threads = threads_;
    run.jobs = jobs_;
    run.checkpoint_seconds = command_.checkpoint_seconds;
    const RunWatcher watcher = {
        .on_start = [&](const RunStart& start) { display_.Start(restart, start); },
        .on_batch = [&](const RunProgress& progress) { display_.Batch(restart, progress); },
        .on_epoch = [&](const EpochReport& report) { display_.Epoch(restart, report); },
        .on_warning =
            [&](const std::string& text) { display_.Print("pushdown: warning: " + text); },
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

  // Ends the command with the exception that is being handled.
  void EndAll() {
    if (!failed_.exchange(true)) fatal_ = std::current_exception();
  }

  static double Score(const RunResult& result) {
    return ValidationScore(result.validation_cross_entropy, result.difference);
  }

  // The number of the best restart, or 0.
  int Best() const {
    int best = 0;
    for (int n = 1; n <= settings_.restarts; ++n) {
      const auto& result = outcome(n).result;
      if (!result || result->best_epoch == 0) continue;
      if (best == 0 || Score(*result) < Score(*outcome(best).result)) best = n;
    }
    return best;
  }

  const RestartOutcome& outcome(int restart) const {
    return outcomes_[static_cast<std::size_t>(restart - 1)];
  }

  Json Summary() const {
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

  std::string Table() const {
    constexpr const char* kRow = "{:<7}  {:>6}  {:>10}  {:>9}  {:>10}  {:>10}  {:>9}  {}\n";
    std::string table = fmt::format(fmt::runtime(kRow), "run", "epochs", "best epoch", "1st rate",
                                    "validation", "difference", "seconds", "stopped by");
    const int best = Best();
    for (int n = 1; n <= settings_.restarts; ++n) {
      const std::string name =
          fmt::format("{}{}", n, n == best && settings_.restarts > 1 ? " *" : "");
      const auto& result = outcome(n).result;
      if (!result) {
        table += fmt::format(fmt::runtime(kRow), name, "", "", "", "", "", "",
                             outcome(n).failure.empty() ? "not begun" : "failure");
        continue;
      }
      const bool any = result->best_epoch > 0;
      const Json summary = SummaryJson(settings_, *result);
      table += fmt::format(
          fmt::runtime(kRow), name, result->epochs,
          any ? fmt::format("{}", result->best_epoch) : "",
          fmt::format("{:.2e}", result->learning_rate),
          any ? fmt::format("{:.6f}", result->validation_cross_entropy) : "",
          result->difference ? fmt::format("{:+.6f}", *result->difference) : "",
          fmt::format("{:.1f}", result->seconds),
          result->failure.empty() ? summary["stopped_by"].get<std::string>() : "failure");
    }
    return table;
  }

  const TrainCommand& command_;
  const TrainSettings& settings_;
  int jobs_;
  int threads_;
  bool resume_;
  std::unique_ptr<Language> language_;
  std::vector<RestartOutcome> outcomes_;
  TrainingDisplay display_;
  std::optional<Clock::time_point> deadline_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr fatal_;
};

// The settings of the run to be resumed, which the options must not contradict.
TrainSettings ResumedSettings(const CLI::App& options, TrainCommand& command) {
  const RunConfig config = ReadConfig(command.out);
  TrainSettings& given = command.settings;
  const LanguageArguments& language = given.language_arguments;
  const bool names_task = !language.task.empty() || !language.grammar.empty() ||
                          language.symbols != 0 || !language.parameters.empty();
  if (names_task || !given.data.empty()) ResolveLanguage(options, given);
  CheckSameSettings(options, given, config.settings);
  return config.settings;
}

void RunTrain(CLI::App& options, TrainCommand& command) {
  CheckSimdTarget();
  InitializeBlas();  // while there is one thread
  if (!command.config.empty()) ApplyConfigFile(command.config, options);
  if (command.out.empty()) throw UsageError("no directory is given; give --out DIR");
  TrainSettings settings;
  if (command.resume) {
    settings = ResumedSettings(options, command);
  } else {
    if (HoldsRun(command.out)) {
      throw UsageError(fmt::format(
          "--out: {} already holds a run; --resume goes on with it, and another name keeps it",
          Printable(command.out, 300)));
    }
    try {
      CheckOutputDirectory(command.out);  // first, so that nothing is computed in vain
    } catch (const Error& error) {
      throw UsageError("--out: " + MessageForUser(error));
    }
    ResolveLanguage(options, command.settings);
    settings = command.settings;
  }
  MakeModelSpec(settings.model, 1);  // throws if there is no such model
  Restarts restarts(command, settings);
  restarts.Run();
  restarts.Print();
  restarts.ThrowIfIncomplete();
}

}  // namespace

void AddTrainCommand(CLI::App& program) {
  CLI::App* train = program.add_subcommand("train", "Train a stack RNN on a formal language");
  train->footer(std::string(kLanguageHelp) + kHelp);
  auto command = std::make_shared<TrainCommand>();
  AddTrainOptions(*train, command->settings);
  train->add_option("--out", command->out, "Directory of the run")->type_name("DIR");
  train->add_option("--config", command->config, "Options in TOML")->type_name("FILE");
  AddIntegerOption(*train, "--jobs", command->jobs, "Restarts side by side (default: CPUs)", 1,
                   ParallelModel::kMaxThreads)
      ->default_str("");
  AddIntegerOption(*train, "--threads", command->threads,
                   "Threads of each run (default: CPUs / jobs)", 1, ParallelModel::kMaxThreads)
      ->default_str("");
  const auto add_duration = [&](const std::string& name, double& value, const std::string& text) {
    return train
        ->add_option_function<std::string>(
            name, [name, &value](const std::string& given) { value = ParseDuration(name, given); },
            text)
        ->type_name("TIME");
  };
  add_duration("--time-limit", command->time_limit, "Save and stop after it, such as 90s or 2h");
  add_duration("--checkpoint-interval", command->checkpoint_seconds,
               "Longest time between checkpoints")
      ->default_str("5m");
  train->add_flag("--resume", command->resume, "Go on with the run in --out");
  train->add_flag("--json", command->json, "Print a JSON object instead of a table");
  train->callback([train, command] { RunTrain(*train, *command); });
}

}  // namespace pushdown::cli
