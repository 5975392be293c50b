#include "cli/commands.h"

#include <fmt/format.h>

#include <string>

#include "cli/errors.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/version.h"

namespace pushdown::cli {
namespace {

constexpr const char* kFooter =
    R"(Examples:
  pushdown tasks
  pushdown train --task marked-reversal --model rns-1-3 --out runs/reversal
  pushdown evaluate runs/reversal
  pushdown help train

The help of each command describes its options, files and columns.

Exit code: 0; 1 if a command fails; 2 if an input file or the command line is wrong; 75 if a
training stopped early and can be continued; 128 + N if signal N stopped a command. The help of a
command has its own.)";

constexpr const char* kHelpFooter =
    R"(Without COMMAND, the help of the program, which lists all commands.

Examples:
  pushdown help train
  pushdown help experiment run

Exit code: 0, 1 if the output cannot be written, 2 if there is no such command.)";

std::string VersionText() {
  try {
    const std::string revision = Revision();
    return fmt::format("pushdown {} (SIMD target: {}{})", kVersion, ActiveSimdTarget(),
                       revision.empty() ? "" : ", revision " + revision);
  } catch (const Error& error) {
    throw UsageError("PUSHDOWN_SIMD: " + MessageForUser(error));
  }
}

}  // namespace

std::unique_ptr<Program> MakeProgram() {
  auto pushdown = std::make_unique<Program>(
      "pushdown", "Nondeterministic stack RNNs: exact, differentiable, fast");
  pushdown->AddVersion(VersionText, "Print the version and the SIMD target");
  const Command program = pushdown->command();
  program.Footer(kFooter);
  program.RequireCommand();

  // A command is a file of its own that adds its options here.
  AddTasksCommand(program);
  AddSampleCommand(program);
  AddDataCommand(program);
  AddScoreCommand(program);
  AddTrainCommand(program);
  AddEvaluateCommand(program);
  AddGenerateCommand(program);
  AddInspectCommand(program);
  AddAnalyzeCommand(program);
  AddParamsCommand(program);
  AddLmCommand(program);
  AddExperimentCommand(program);
  AddCompareCommand(program);
  AddReportCommand(program);
  AddCompileCommand(program);
  AddRecognizeCommand(program);
  AddStackCommand(program);
  AddBenchCommand(program);
  pushdown->AddHelpCommand(kHelpFooter);
  return pushdown;
}

}  // namespace pushdown::cli
