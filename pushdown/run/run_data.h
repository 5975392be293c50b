#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pushdown/formal/language.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/run/language_choice.h"
#include "pushdown/run/setting_fields.h"
#include "pushdown/run/settings.h"
#include "pushdown/train/objective.h"

namespace pushdown {

// The data that a run is trained on, and what follows from them. There is one implementation for
// each kind of run.
class RunData {
 public:
  RunData() = default;
  virtual ~RunData() = default;
  RunData(const RunData&) = delete;
  RunData& operator=(const RunData&) = delete;

  virtual const std::vector<std::string>& vocabulary() const = 0;
  virtual const ModelSpec& spec() const = 0;
  // Distinguishes these data from others.
  virtual std::string Fingerprint() const = 0;
  // The message for a run that cannot be continued, because its data have changed since it began.
  virtual std::string ChangedText() const = 0;
  virtual std::optional<double> lower_bound() const = 0;  // of the validation set, if it is known
  // The number of strings or tokens in an epoch, see ItemName.
  virtual long long training_items() const = 0;

  // An objective with these data. The memory that it takes is at most EstimateBytes.
  virtual std::unique_ptr<Objective> MakeObjective(int threads) const = 0;
  virtual double EstimateBytes(int threads) const = 0;
  virtual std::vector<float> InitialParameters() const = 0;
  // The length of the longest training string; 0 for text.
  virtual int longest_training_length() const = 0;
};

// "strings" or "tokens".
const char* ItemName(DataKind kind);

// The data of a restart. For the language, see MakeTaskData; it may be null. Throws Error, also if
// the machine does not have enough memory for the training, and what `progress` throws.
std::unique_ptr<RunData> MakeRunData(const RunSettings& settings, const Language* language,
                                     const Parallelism& parallelism,
                                     const StageProgress& progress = {});

// An upper bound of the memory that a training takes: that of its objective, and the arrays of the
// trainer.
double TrainingBytes(const ModelSpec& spec, double objective_bytes);

}  // namespace pushdown
