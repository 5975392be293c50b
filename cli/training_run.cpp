#include "cli/training_run.h"

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

#include "cli/errors.h"
#include "cli/machine.h"
#include "cli/parsed_file.h"
#include "pushdown/json_text.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/output_directory.h"
#include "pushdown/output_file.h"
#include "pushdown/printable.h"
#include "pushdown/train/checkpoint.h"

namespace pushdown::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Json MachineJson(int threads) {
  return {{"pushdown", PUSHDOWN_VERSION},
          {"cpu", CpuName()},
          {"simd_target", ActiveSimdTarget()},
          {"threads", threads}};
}

void WriteFile(const std::string& path, const std::string& text) {
  OutputFile out(path);
  out.Write(text);
  out.Commit();
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
    throw Error("[pushdown::cli] " + path +
                ": cannot be written: " + std::generic_category().message(error));
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

// A run while it is trained: its data, its trainer, and its files.
class Session {
 public:
  Session(const TrainingRun& run, const RunWatcher& watcher)
      : run_(run),
        watcher_(watcher),
        data_(MakeRunData(run.settings, run.language, run.parallelism)),
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
      WriteDirectory(run_.path, RunFiles(ConfigText(config_, MachineJson(run_.parallelism.threads)),
                                         run_.start));
      lock_ = std::make_unique<RunLock>(run_.path);
      trainer_.Start(std::move(parameters));
    }
    WriteFilesOfState();
    if (watcher_.on_start) {
      watcher_.on_start({.spec = data_->spec(),
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
    machine["epochs_done"] = state().epochs.size();
    machine["batches_done"] = state().batches;
    EndLastLine(Path(kTimingFile));
    AppendLine(Path(kTimingFile), JsonLine(machine));
    epoch_start_ = saved_ = Clock::now();
    while (!trainer_.finished()) {
      std::optional<EpochMetrics> metrics;
      try {
        metrics = trainer_.Advance();
      } catch (const DivergedError& error) {
        return Fail(error);
      }
      dirty_ = true;
      if (metrics) {
        EndEpoch(*metrics);
      } else {
        ShowBatch();
        if (SecondsSince(saved_) > run_.checkpoint_seconds) Save();
      }
      // Not before: every session gets on, however short its time is.
      if (!trainer_.finished() && watcher_.stop && watcher_.stop()) return Stop();
    }
    RunResult result = Result();
    WriteFile(Path(kSummaryFile), JsonText(SummaryJson(run_.settings, result)));
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
      throw UsageError(
          fmt::format("{}: {} is of another run{}", Printable(run_.path, 200), kConfigFile,
                      difference.empty() ? ": its vocabulary differs" : ": its " + difference));
    }
    if (config.fingerprint != config_.fingerprint) {
      throw UsageError(fmt::format("{}: {}", Printable(run_.path, 200), data_->ChangedText()));
    }
    if (config.kernels != config_.kernels && watcher_.on_warning) {
      watcher_.on_warning(fmt::format(
          "{}: the run began with {} and goes on with {}; the result will differ in rounding",
          Printable(run_.path, 200), Printable(config.kernels, 100), config_.kernels));
    }
    Restore();
    if (config.changed && watcher_.on_warning) watcher_.on_warning(ChangedConfigText(run_.path));
    if (config.settings.training.max_epochs != run_.settings.training.max_epochs) {
      WriteMaxEpochs(run_.path, run_.settings.training.max_epochs);
    }
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
        throw UsageError(fmt::format(
            "{}: {} is missing, without which the run cannot go on; the files of its epochs are "
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
      Checkpoint checkpoint = ReadCheckpoint(text, layout);
      CheckDescription(checkpoint.description);
      trainer_.Restore(std::move(checkpoint.state), checkpoint.carried);
    });
  }

  // Names a setting that differs.
  void CheckDescription(const std::string& description) const {
    Json found = Json::parse(description, nullptr, false);
    Json expected = description_;
    const bool has_settings = found.is_object() && found.contains("settings");
    if (has_settings) EraseChangeableSettings(found["settings"]);
    EraseChangeableSettings(expected["settings"]);
    if (found == expected) return;
    std::string difference;
    if (has_settings) difference = FirstDifference(expected["settings"], found["settings"]);
    throw UsageError("does not belong to the configuration" +
                     (difference.empty() ? difference : ": its " + difference));
  }

  // Those of --start-from, or new ones.
  std::vector<float> InitialParameters() const {
    const std::string& source = run_.settings.start_from;
    if (source.empty()) return data_->InitialParameters();
    const std::string name = "--start-from: " + Printable(source, 200);
    if (run_.start.empty()) {
      throw UsageError(fmt::format("{}: {} is missing", Printable(run_.path, 200), kStartFile));
    }
    try {
      // What it is a model of, before what its tensors are.
      const Json found = Json::parse(ModelFileDescription(run_.start), nullptr, false);
      if (found.is_object() && found.contains("origin")) {
        const std::string difference = FirstDifference(OriginJson(config_), found["origin"]);
        if (!difference.empty()) {
          throw UsageError(
              fmt::format("{}: is not a model of this kind: its {}", name, difference));
        }
      }
      return ReadModelFile(run_.start, trainer_.layout());
    } catch (const Error& error) {
      throw UsageError(fmt::format("{}: {}", name, MessageForUser(error)));
    }
  }

  Json MetricsJson(const EpochMetrics& metrics) const {
    Json value = {{"epoch", metrics.epoch},
                  {"training_cross_entropy", metrics.training_cross_entropy},
                  {"validation_cross_entropy", metrics.validation_cross_entropy}};
    if (run_.settings.kind() == DataKind::kText) {
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
    const ModelSpec& spec = data_->spec();
    Json description = {
        {"model", ModelName(spec)}, {"hidden_units", spec.hidden_units}, {"symbols", spec.symbols}};
    if (spec.is_text()) description["embedding_size"] = spec.embedding_size;
    description["origin"] = OriginJson(config_);
    description["run"] = RunIdentity(config_);
    description["epoch"] = state().early_stopping.best_epoch;
    description["validation_cross_entropy"] = state().early_stopping.best;
    // What restarts are chosen by.
    const std::optional<double> difference = Difference(state().early_stopping.best);
    description["difference"] = difference ? Json(*difference) : Json();
    WriteFile(Path(kModelFile),
              ModelFileText(trainer_.layout(), state().best_parameters, description.dump()));
  }

  void Save() {
    WriteFile(
        Path(kCheckpointFile),
        CheckpointText(trainer_.layout(), {state(), description_.dump(), trainer_.Carried()}));
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
    const std::string speed = ItemName(run_.settings.kind()) + std::string("_per_second");
    AppendLine(Path(kTimingFile), JsonLine({{"event", "epoch"},
                                            {"epoch", metrics.epoch},
                                            {"seconds", report.seconds},
                                            {speed, report.items_per_second}}));
    epoch_start_ = Clock::now();
    epoch_batches_ = 0;
    if (watcher_.on_epoch) watcher_.on_epoch(report);
  }

  RunResult Fail(const DivergedError& error) const {
    std::error_code ignored;
    const bool saved = fs::exists(Path(kCheckpointFile), ignored);
    RunResult result = Result();
    result.failure =
        fmt::format("{}: {}; norms of the parameters: {}; {}a smaller --learning-rate may help",
                    Printable(run_.path, 200), MessageForUser(error), error.parameter_norms(),
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
    if (!watcher_.on_batch) return;
    watcher_.on_batch({.epoch = static_cast<int>(state().epochs.size()) + 1,
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
  const RunWatcher& watcher_;
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

RunResult Train(const TrainingRun& run, const RunWatcher& watcher) {
  return Session(run, watcher).Run();
}

Json SummaryJson(const TrainSettings& settings, const RunResult& result) {
  Json value = {{"model", settings.model.name},          {"finished", result.finished},
                {"stopped_by", StopText(result.reason)}, {"epochs", result.epochs},
                {"learning_rate", result.learning_rate}, {"seconds", result.seconds}};
  const bool text = settings.kind() == DataKind::kText;
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

}  // namespace pushdown::cli
