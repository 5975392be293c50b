#include "pushdown/run/training_run.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/interruption.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/output_directory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/run/machine.h"
#include "pushdown/run/model_file.h"
#include "pushdown/run/parsed_file.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/run_directory.h"
#include "pushdown/run/settings_format.h"
#include "pushdown/train/checkpoint.h"
#include "pushdown/version.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Json MachineJson(int threads) {
  return {{"pushdown", kVersion},
          {"cpu", CpuName()},
          {"simd_target", ActiveSimdTarget()},
          {"threads", threads}};
}

// If the program is killed, half a line may be there, see ReadJsonLines.
void AppendLine(const std::string& path, const std::string& line) {
  std::FILE* file = std::fopen(path.c_str(), "a");
  const bool written = file != nullptr &&
                       std::fwrite(line.data(), 1, line.size(), file) == line.size() &&
                       std::fflush(file) == 0;
  const int error = errno;
  if (file != nullptr) std::fclose(file);
  if (!written) {
    throw Error(ErrorKind::kSystem, "pushdown::Train",
                path + ": cannot be written: " + std::generic_category().message(error));
  }
}

// A process that was killed may have left half a line, to which nothing must be added.
void EndLastLine(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(-1, std::ios::end)) return;
  if (file.get() != '\n') AppendLine(path, "\n");
}

// The seconds of all sessions.
double SecondsIn(const std::string& timing_path) {
  double seconds = 0;
  for (const nlohmann::json& value : ReadJsonLines(timing_path)) {
    if (value.is_object() && value.contains("seconds") && value["seconds"].is_number()) {
      seconds += value["seconds"].get<double>();
    }
  }
  return seconds;
}

// A run while it is trained: its data, its trainer, and its files.
class Session {
 public:
  Session(const TrainingRun& run, const RestartWatch& watch)
      : run_(run),
        watch_(watch),
        data_(MakeRunData(run.settings, run.language, run.parallelism, watch.progress)),
        config_{.settings = run.settings,
                .vocabulary = data_->vocabulary(),
                .fingerprint = data_->Fingerprint(),
                .kernels = KernelsText()},
        // What the result follows from: a checkpoint goes on with nothing else.
        description_{{"settings", SettingsJson(run.settings)},
                     {"fingerprint", config_.fingerprint}},
        trainer_(data_->MakeObjective(run.parallelism.threads), run.settings.training) {}

  RunResult Run() {
    if (run_.resume) {
      lock_ = std::make_unique<RunLock>(run_.path);
      Resume();
    } else {
      std::vector<float> parameters = InitialParameters();
      WriteDirectory(
          run_.path,
          RunFiles(SerializeConfig(config_, MachineJson(run_.parallelism.threads)), run_.start));
      lock_ = std::make_unique<RunLock>(run_.path);
      trainer_.Start(std::move(parameters));
    }
    WriteFilesOfState();
    if (watch_.on_start) {
      watch_.on_start({.spec = data_->spec(),
                       .parameters = trainer_.layout().size,
                       .training_items = data_->training_items(),
                       .batches = trainer_.batches(),
                       .lower_bound = data_->lower_bound(),
                       .epochs_done = static_cast<int>(state().epochs.size()),
                       .batches_done = state().batches,
                       .finished = trainer_.finished()});
    }
    Json machine = MachineJson(run_.parallelism.threads);
    machine["event"] = "session";
    machine["revision"] = Revision();
    machine["begun"] = UtcNow();
    machine["epochs_done"] = state().epochs.size();
    machine["batches_done"] = state().batches;
    EndLastLine(Path(kTimingFile));
    AppendLine(Path(kTimingFile), JsonLine(machine));
    epoch_start_ = saved_ = Clock::now();
    // It ends where it can be saved, and nowhere else.
    const InterruptionScope uninterrupted(std::function<void()>{});
    bool begun = false;
    while (!trainer_.finished()) {
      const bool validates = state().batches == trainer_.batches();
      std::optional<EpochMetrics> metrics;
      try {
        // A validation is not stopped if nothing was done before it: every session gets on, however
        // short its time is.
        metrics = trainer_.Advance(begun ? watch_.stop : nullptr);
      } catch (const DivergedError& error) {
        return Fail(error);
      }
      begun = true;
      if (metrics) {
        EndEpoch(*metrics);
      } else if (!validates) {
        dirty_ = true;
        ShowBatch();
        if (SecondsSince(saved_) > run_.checkpoint_seconds) Save();
      }
      if (!trainer_.finished() && watch_.stop && watch_.stop()) return Stop();
    }
    RunResult result = Result();
    WriteFile(Path(kSummaryFile), IndentedJson(SummaryJson(run_.settings, result)));
    return result;
  }

 private:
  const TrainingState& state() const { return trainer_.state(); }
  std::string Path(const char* name) const { return PathIn(run_.path, name); }

  void Resume() {
    const RunConfig config = ReadConfig(run_.path);
    const std::string difference =
        FirstDifference(FixedSettingsJson(run_.settings), FixedSettingsJson(config.settings));
    if (!difference.empty() || config.vocabulary != config_.vocabulary) {
      throw Error(
          "pushdown::Train",
          fmt::format("{}: {} is of another run{}", Printable(run_.path, 200), kConfigFile,
                      difference.empty() ? ": its vocabulary differs" : ": its " + difference));
    }
    if (config.fingerprint != config_.fingerprint) {
      throw Error("pushdown::Train",
                  fmt::format("{}: {}", Printable(run_.path, 200), data_->ChangedText()));
    }
    if (config.kernels != config_.kernels && watch_.on_warning) {
      watch_.on_warning(fmt::format(
          "{}: the run began with {} and goes on with {}; the result will differ in rounding",
          Printable(run_.path, 200), Printable(config.kernels, 100), config_.kernels));
    }
    Restore();
    if (config.changed && watch_.on_warning) watch_.on_warning(ChangedConfigText(run_.path));
    WriteChangeableSettings(run_.path, run_.settings);
    // A run whose limit was raised is not finished any more.
    std::error_code ignored;
    if (!trainer_.finished()) fs::remove(Path(kSummaryFile), ignored);
  }

  // The newest checkpoint, or the beginning if the run was stopped before there was one.
  void Restore() {
    const std::string path = Path(kCheckpointFile);
    std::error_code error;
    if (!fs::exists(path, error)) {
      if (HasEndedAnEpoch(run_.path)) {
        throw Error("pushdown::Train", fmt::format("{}: {} is missing, without which the run "
                                                   "cannot go on; the files of its epochs are "
                                                   "kept, and another --out trains from the start",
                                                   Printable(run_.path, 200), kCheckpointFile));
      }
      trainer_.Start(InitialParameters());
      return;
    }
    const ParameterLayout& layout = trainer_.layout();
    // What is carried is a part of what the objective has in memory.
    const double max_bytes =
        MaxFileBytes(layout, 4) + data_->EstimateBytes(run_.parallelism.threads);
    ParseFile(path, max_bytes, [&](const std::string& text) {
      Checkpoint checkpoint = ParseCheckpoint(text, layout);
      CheckDescription(checkpoint.description);
      trainer_.Restore(std::move(checkpoint.state), checkpoint.carried);
    });
  }

  // Names a setting that differs.
  void CheckDescription(const std::string& description) const {
    const auto refuse = [](const std::string& difference) {
      throw Error("pushdown::Train", "does not belong to the configuration" +
                                         (difference.empty() ? difference : ": its " + difference));
    };
    const nlohmann::json found = nlohmann::json::parse(description, nullptr, false);
    if (!found.is_object() || !found.contains("settings")) refuse("");
    RunSettings settings;
    try {
      settings = ReadSettingsJson(found["settings"], run_.settings.kind);
    } catch (const Error& error) {
      refuse("settings: " + error.message());
    }
    const std::string difference =
        FirstDifference(FixedSettingsJson(run_.settings), FixedSettingsJson(settings));
    if (!difference.empty()) refuse(difference);
    if (found.value("fingerprint", "") != config_.fingerprint) refuse("");
  }

  // Those of --start-from, or new ones.
  std::vector<float> InitialParameters() const {
    const std::string& source = run_.settings.start_from;
    if (source.empty()) return data_->InitialParameters();
    const std::string name = "--start-from: " + Printable(source, 200);
    if (run_.start.empty()) {
      throw Error("pushdown::Train",
                  fmt::format("{}: {} is missing", Printable(run_.path, 200), kStartFile));
    }
    try {
      // What it is a model of, before what its tensors are.
      const Json found = Json::parse(ParametersDescription(run_.start), nullptr, false);
      if (found.is_object() && found.contains("origin")) {
        const std::string difference =
            FirstDifference(OriginJson(data_->spec(), data_->vocabulary()),
                            CanonicalOrigin(found["origin"], run_.settings.kind));
        if (!difference.empty()) {
          throw Error("pushdown::Train", "is not a model of this kind: its " + difference);
        }
      }
      return ParseParameters(run_.start, trainer_.layout());
    } catch (const Error& error) {
      throw Error(error.kind(), error.function(), name + ": " + error.message());
    }
  }

  Json MetricsJson(const EpochMetrics& metrics) const {
    Json value = {{"epoch", metrics.epoch},
                  {"training_cross_entropy", metrics.training_cross_entropy},
                  {"validation_cross_entropy", metrics.validation_cross_entropy}};
    if (run_.settings.kind == DataKind::kText) {
      value["training_perplexity"] = std::exp(metrics.training_cross_entropy);
      value["validation_perplexity"] = std::exp(metrics.validation_cross_entropy);
    } else {
      value["difference"] = nullptr;
      if (const auto difference = Difference(metrics.validation_cross_entropy)) {
        value["difference"] = *difference;
      }
    }
    value["learning_rate"] = metrics.learning_rate;
    value["largest_gradient_norm"] = metrics.largest_gradient_norm;
    value["best"] = metrics.best;
    return value;
  }

  std::optional<double> Difference(double cross_entropy) const {
    const std::optional<double> lower_bound = data_->lower_bound();
    if (!lower_bound) return std::nullopt;
    return cross_entropy - *lower_bound;
  }

  // The files that follow from the checkpoint, which may be newer than they are.
  void WriteFilesOfState() const {
    std::string lines;
    for (const EpochMetrics& metrics : state().epochs) lines += JsonLine(MetricsJson(metrics));
    WriteFile(Path(kMetricsFile), lines);
    if (!state().epochs.empty()) WriteModel();
  }

  void WriteModel() const {
    TrainedModel model;
    model.kind = run_.settings.kind;
    model.spec = data_->spec();
    for (const std::string& name : data_->vocabulary()) model.vocabulary.Add(name);
    model.language = run_.settings.language;
    model.longest_training_length = data_->longest_training_length();
    model.parameters = state().best_parameters;
    const ModelOrigin origin = {.run = RunIdentity(config_),
                                .epoch = state().early_stopping.best_epoch,
                                .validation_cross_entropy = state().early_stopping.best,
                                .difference = Difference(state().early_stopping.best)};
    WriteFile(Path(kModelFile), SerializeModel(model, origin));
  }

  void Save() {
    WriteFile(
        Path(kCheckpointFile),
        SerializeCheckpoint(trainer_.layout(), {state(), description_.dump(), trainer_.Carried()}));
    dirty_ = false;
    saved_ = Clock::now();
  }

  // The checkpoint comes first: everything else can be made from it.
  void EndEpoch(const EpochMetrics& metrics) {
    Save();
    if (metrics.best) WriteModel();
    AppendLine(Path(kMetricsFile), JsonLine(MetricsJson(metrics)));
    EpochReport report;
    report.metrics = metrics;
    report.difference = Difference(metrics.validation_cross_entropy);
    report.seconds = SecondsSince(epoch_start_);
    report.items_per_second = ItemsPerSecond(report.seconds);
    const std::string speed = ItemName(run_.settings.kind) + std::string("_per_second");
    AppendLine(Path(kTimingFile), JsonLine({{"event", "epoch"},
                                            {"epoch", metrics.epoch},
                                            {"seconds", report.seconds},
                                            {speed, report.items_per_second}}));
    epoch_start_ = Clock::now();
    epoch_batches_ = 0;
    if (watch_.on_epoch) watch_.on_epoch(report);
  }

  RunResult Fail(const DivergedError& error) const {
    std::error_code ignored;
    const bool saved = fs::exists(Path(kCheckpointFile), ignored);
    RunResult result = Result();
    result.failure =
        fmt::format("{}: {}; norms of the parameters: {}; {}a smaller --learning-rate may help",
                    Printable(run_.path, 200), error.message(), error.parameter_norms(),
                    saved ? "the last checkpoint is kept; " : "");
    return result;
  }

  // An epoch that was begun in another session is seen in part only.
  double ItemsPerSecond(double seconds) const {
    if (epoch_batches_ == 0) return 0;
    return static_cast<double>(data_->training_items()) * epoch_batches_ / trainer_.batches() /
           seconds;
  }

  void ShowBatch() {
    ++epoch_batches_;
    if (!watch_.on_batch) return;
    watch_.on_batch({.epoch = static_cast<int>(state().epochs.size()) + 1,
                     .fraction = static_cast<double>(state().batches) / trainer_.batches(),
                     .items_per_second = ItemsPerSecond(SecondsSince(epoch_start_))});
  }

  RunResult Stop() {
    if (dirty_) Save();
    if (epoch_batches_ > 0) {
      AppendLine(Path(kTimingFile),
                 JsonLine({{"event", "stop"}, {"seconds", SecondsSince(epoch_start_)}}));
    }
    return Result();
  }

  RunResult Result() const {
    RunResult result;
    result.reason = trainer_.stop_reason();
    result.finished = trainer_.finished();
    result.epochs = static_cast<int>(state().epochs.size());
    result.learning_rate = run_.settings.training.learning_rate;
    result.seconds = SecondsIn(Path(kTimingFile));
    if (state().early_stopping.any) {
      result.best_epoch = state().early_stopping.best_epoch;
      result.validation_cross_entropy = state().early_stopping.best;
      result.difference = Difference(state().early_stopping.best);
    }
    return result;
  }

  const TrainingRun& run_;
  const RestartWatch& watch_;
  std::unique_ptr<RunData> data_;
  RunConfig config_;
  Json description_;
  Trainer trainer_;
  std::unique_ptr<RunLock> lock_;
  bool dirty_ = false;  // whether there is something that no checkpoint has
  int epoch_batches_ = 0;
  Clock::time_point epoch_start_;
  Clock::time_point saved_;
};

}  // namespace

RunResult Train(const TrainingRun& run, const RestartWatch& watch) {
  return Session(run, watch).Run();
}

Json SummaryJson(const RunSettings& settings, const RunResult& result) {
  Json value = {{"model", ModelName(settings.model)},    {"finished", result.finished},
                {"stopped_by", StopText(result.reason)}, {"epochs", result.epochs},
                {"learning_rate", result.learning_rate}, {"seconds", result.seconds}};
  const bool text = settings.kind == DataKind::kText;
  if (text) value["clipping"] = settings.training.clipping;
  value["best_epoch"] = nullptr;
  value["validation_cross_entropy"] = nullptr;
  value[text ? "validation_perplexity" : "difference"] = nullptr;
  if (result.best_epoch > 0) {
    value["best_epoch"] = result.best_epoch;
    value["validation_cross_entropy"] = result.validation_cross_entropy;
    if (text) value["validation_perplexity"] = std::exp(result.validation_cross_entropy);
  }
  if (result.difference) value["difference"] = *result.difference;
  return value;
}

}  // namespace pushdown
