#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pushdown/model/parameters.h"
#include "pushdown/train/trainer.h"

namespace pushdown {

// The bytes of model.safetensors: the parameters by name, and `description`, a text in JSON that
// says what model they belong to.
std::string SerializeParameters(const ParameterLayout& layout, const std::vector<float>& parameters,
                                const std::string& description);
// Throws Error if the file is broken, or its tensors are not those of the layout.
std::vector<float> ParseParameters(std::string_view text, const ParameterLayout& layout,
                                   std::string* description = nullptr);

// The description in a model file of any layout. Throws Error if the file is broken.
std::string ParametersDescription(std::string_view text);

// The parameters in a file that another program has written: 32-bit floats under the names of the
// layout. The metadata are ignored. Throws Error if the file is broken, its tensors are not those
// of the layout, or a value is not finite.
std::vector<float> ParseForeignParameters(std::string_view text, const ParameterLayout& layout);

// The contents of checkpoint.safetensors.
struct Checkpoint {
  TrainingState state;
  std::string description;   // which training it belongs to, in JSON
  std::string carried = {};  // see Trainer::Carried
};

// Takes the checkpoint by value, so that `carried`, which may be large, need not be copied.
std::string SerializeCheckpoint(const ParameterLayout& layout, Checkpoint checkpoint);
// Throws Error if the file is broken or was changed, or its tensors are not those of the layout.
Checkpoint ParseCheckpoint(std::string_view text, const ParameterLayout& layout);

}  // namespace pushdown
