#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "pushdown/data/formal_dataset.h"
#include "pushdown/model/model_spec.h"
#include "pushdown/model/parameters.h"
#include "pushdown/run/language_choice.h"
#include "pushdown/train/batching.h"
#include "pushdown/train/trainer.h"

namespace pushdown {

// What a model is trained on: strings, such as those of a formal language, or running text.
enum class DataKind { kStrings, kText };

// Seeds that are not given are derived from RunSettings::seed and the number of the restart.
struct Seeds {
  std::optional<std::uint64_t> data = {};  // strings only
  std::optional<std::uint64_t> parameters = {};
  std::optional<std::uint64_t> shuffling = {};  // strings only
  std::optional<std::uint64_t> hyperparameters = {};
};

// Everything that determines the result of a training run. The list in setting_fields.cpp has the
// name, the description and the range of each setting.
struct RunSettings {
  DataKind kind = DataKind::kStrings;
  std::optional<ChosenLanguage> language = {};  // strings only; nothing if it is not known
  std::string data = {};  // an absolute path of a directory; empty: strings are sampled
  ModelSpec model = {};   // without the number of symbols, which follows from the data
  Initialization initialization = Initialization::kPaper;  // strings only
  double init_bound = 0.05;                                // text only
  FormalDatasetOptions dataset = {};  // strings only; without the seed and the batch size
  StringsBatching strings = {};       // without the seed
  TextBatching text = {};
  TrainingOptions training = {};  // learning rate and, for text, clipping follow from the next
  std::optional<double> learning_rate = {};  // nothing: drawn, log-uniform between the next two
  double min_learning_rate = 5e-4;
  double max_learning_rate = 1e-2;
  std::optional<double> clipping = {};  // text only; nothing: drawn in the same way
  double min_clipping = 0.0112;
  double max_clipping = 1.12;
  std::uint64_t seed = 1;
  Seeds seeds = {};
  int restarts = 1;
  std::string start_from = {};  // an absolute path of a run or a model file; empty: none
};

// The paper's numbers: appendix D for strings, appendix H for text.
RunSettings DefaultSettings(DataKind kind);

// The settings of one restart, 1 .. settings.restarts, in which all seeds are filled in, and the
// learning rate and the clipping threshold are drawn.
RunSettings SettingsOfRestart(const RunSettings& settings, int restart);

}  // namespace pushdown
