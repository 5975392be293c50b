#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pushdown/json.h"
#include "pushdown/run/run_config.h"
#include "pushdown/run/trained_model.h"

namespace pushdown {

// model.safetensors has, beside the parameters, a description in JSON with everything that using
// the model takes:
//   kind                     "strings" or "text"
//   origin                   the settings of the model (ModelJson), and a fingerprint of the
//                            vocabulary
//   vocabulary               the names of the symbols or words, in their order
//   language                 as in config.json, or null
//   longest_training_length  of strings, or null
// and, if it was trained:
//   run, epoch, validation_cross_entropy, difference
// Model files of earlier versions have no vocabulary; that is in the config.json beside them.
// Not installed: it has the JSON library in its interface.

// Where a trained model comes from, and how good it is.
struct ModelOrigin {
  std::string run = {};  // see RunIdentity
  int epoch = 0;
  double validation_cross_entropy = 0;
  std::optional<double> difference = {};
};

// The bytes of a model file. Throws Error if parameters are not finite.
std::string SerializeModel(const TrainedModel& model, const std::optional<ModelOrigin>& origin);

struct ModelFile {
  TrainedModel model;  // without a path
  Json description;
};
// Whether a model file has a complete description, as all files have that were not written by an
// earlier version.
bool DescribesItself(std::string_view bytes);
// Reads the bytes of a model file, which are untrusted. For a file that does not describe itself,
// the configuration of its run is needed. Throws Error.
ModelFile ParseModelFile(std::string_view bytes, const RunConfig* config = nullptr);

// An upper bound of the size of a file with so many arrays of parameters.
double MaxFileBytes(const ParameterLayout& layout, int arenas);

// The "origin" of a description: the settings of the model, and a fingerprint of the vocabulary.
// Parameters of one origin are meaningless for another.
Json OriginJson(const ModelSpec& spec, const std::vector<std::string>& vocabulary);

// An origin with the canonical name of its model: earlier versions wrote the name as the user gave
// it, for example "jm-10". Throws Error.
Json CanonicalOrigin(const Json& origin, DataKind kind);

// A fingerprint of the data and of the settings that differ between restarts. It distinguishes a
// run from other restarts. model.safetensors has it too, so that the model of another restart in
// its place, which would fit as well, is noticed.
std::string RunIdentity(const RunConfig& config);

}  // namespace pushdown
