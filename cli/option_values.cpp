#include "cli/option_values.h"

#include <fmt/format.h>

#include "pushdown/kernels/blas.h"
#include "pushdown/run/machine.h"

namespace pushdown::cli {

Option AddInteger(Command command, const std::string& name,
                  const std::function<void(std::uint64_t)>& set, const std::string& description,
                  std::uint64_t min, std::uint64_t max) {
  const auto parse = [set, min, max](const std::string& text) {
    set(ParseInteger(text, min, max));
  };
  return command.AddOption(name, parse, description).TypeName("N");
}

Option AddRealOption(Command command, const std::string& name, double& value,
                     const std::string& description, RealRange range) {
  const auto set = [&value, range](const std::string& text) { value = ParseReal(text, range); };
  return command.AddOption(name, set, description).TypeName("X").Default(fmt::format("{}", value));
}

void AddSplitOption(Command command, std::string& split) {
  command.AddOption("--split", split, "training, validation or test")
      .TypeName("SPLIT")
      .OneOf({"training", "validation", "test"})
      .Default(split);
}

void AddRunArgument(Command command, std::string& run) {
  command.AddOption("RUN", run, "Directory of a training run, or a model file")
      .TypeName("")
      .Required();
}

void AddThreadsOption(Command command, int& threads) {
  threads = CpuCount();
  AddIntegerOption(command, "--threads", threads, "Threads to compute with (default: CPUs)", 1,
                   kMaxBlasCallers)
      .Default("");  // the number is not the same everywhere
}

Option AddLengthsOption(Command command, const std::string& name, LengthRange& value,
                        const std::string& description) {
  const auto parse = [&value](const std::string& text) { value = ParseLengths(text); };
  return command.AddOption(name, parse, description).TypeName("A:B").Default(RangeText(value));
}

Option AddOutputOption(Command command, std::string& path) {
  return command.AddOption("--out", path, "File to write; - for standard output")
      .TypeName("FILE")
      .Check([](const std::string& name) {
        return name.empty() ? std::string("the name of a file is empty") : std::string();
      })
      .Default(path);
}

}  // namespace pushdown::cli
