#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/train_settings.h"
#include "pushdown/formal/language.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/train/objective.h"

namespace pushdown::cli {

// What a run is trained on, and what follows from it: a kind of runs is an implementation of this.
class RunData {
 public:
  RunData() = default;
  virtual ~RunData() = default;
  RunData(const RunData&) = delete;
  RunData& operator=(const RunData&) = delete;

  virtual const std::vector<std::string>& vocabulary() const = 0;
  virtual const ModelSpec& spec() const = 0;
  // Tells it from other data.
  virtual std::string Fingerprint() const = 0;
  // A run goes on with the data that it began with; what to say if they are others.
  virtual std::string ChangedText() const = 0;
  virtual std::optional<double> lower_bound() const = 0;  // of the validation set, if it is known
  // What an epoch is measured in: see ItemName.
  virtual long long training_items() const = 0;

  // Whose data are these. What it takes is at most EstimateBytes.
  virtual std::unique_ptr<Objective> MakeObjective(int threads) const = 0;
  virtual double EstimateBytes(int threads) const = 0;
  virtual std::vector<float> InitialParameters() const = 0;
};

// "strings" or "tokens".
const char* ItemName(DataKind kind);

// How much a command does at a time.
struct Parallelism {
  int threads = 1;  // of each run
  int jobs = 1;     // runs side by side
};

// Of a restart. The language is null or as MakeTaskData has it. Throws UsageError, also if the
// machine has not enough memory to train, and Interrupted.
std::unique_ptr<RunData> MakeRunData(const TrainSettings& settings, const Language* language,
                                     const Parallelism& parallelism);

}  // namespace pushdown::cli
