#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "pushdown/data/string_distribution.h"
#include "pushdown/run/setting_values.h"

namespace pushdown::cli {

// Options by what their values are, which setting_values.h reads.

// An integer from `min` to `max`.
Option AddInteger(Command command, const std::string& name,
                  const std::function<void(std::uint64_t)>& set, const std::string& description,
                  std::uint64_t min, std::uint64_t max);

// `value` has the default, and must live until the command runs.
template <typename T>
Option AddIntegerOption(Command command, const std::string& name, T& value,
                        const std::string& description, std::uint64_t min = 0,
                        std::uint64_t max = std::numeric_limits<T>::max()) {
  const auto set = [&value](std::uint64_t given) { value = static_cast<T>(given); };
  return AddInteger(command, name, set, description, min, max).Default(std::to_string(value));
}
Option AddRealOption(Command command, const std::string& name, double& value,
                     const std::string& description, RealRange range);

// --split: training, validation or test.
void AddSplitOption(Command command, std::string& split);

// RUN, the directory of a training.
void AddRunArgument(Command command, std::string& run);
// --threads, as many as there are CPUs by default.
void AddThreadsOption(Command command, int& threads);

// A:B, or one number for a single length.
Option AddLengthsOption(Command command, const std::string& name, LengthRange& value,
                        const std::string& description);

// --out FILE.
Option AddOutputOption(Command command, std::string& path);

}  // namespace pushdown::cli
