#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pushdown/model/parameters.h"
#include "pushdown/train/trainer.h"

namespace pushdown {

// model.safetensors: the parameters by name. `description` says what they are of, in JSON, and is
// kept with them.
std::string ModelFileText(const ParameterLayout& layout, const std::vector<float>& parameters,
                          const std::string& description);
// Throws Error if the file is broken, or its tensors are not those of the layout.
std::vector<float> ReadModelFile(std::string_view text, const ParameterLayout& layout,
                                 std::string* description = nullptr);

// The description of a model of any layout. Throws Error if the file is broken.
std::string ModelFileDescription(std::string_view text);

// checkpoint.safetensors: a whole TrainingState, what it belongs to, in JSON, and what its next
// batch takes over, see Trainer::Carried, in bytes.
struct Checkpoint {
  TrainingState state;
  std::string description;
  std::string carried = {};
};

// Takes it by value, so that what is carried need not be copied.
std::string CheckpointText(const ParameterLayout& layout, Checkpoint checkpoint);
// Throws Error if the file is broken or was changed, or its tensors are not those of the layout.
Checkpoint ReadCheckpoint(std::string_view text, const ParameterLayout& layout);

}  // namespace pushdown
