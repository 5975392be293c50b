#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "cli/bench.h"
#include "cli/compile.h"
#include "cli/data.h"
#include "cli/errors.h"
#include "cli/evaluate.h"
#include "cli/generate.h"
#include "cli/interrupt.h"
#include "cli/lm.h"
#include "cli/params.h"
#include "cli/recognize.h"
#include "cli/sample.h"
#include "cli/score.h"
#include "cli/stack.h"
#include "cli/tasks.h"
#include "cli/train.h"
#include "pushdown/kernels/simd.h"
#include "pushdown/printable.h"

namespace pushdown::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;
constexpr int kSignalled = 128;  // plus the signal, as shells have it

int Report(int exit_code, const std::string& message) {
  std::cout.flush();
  fmt::print(stderr, "pushdown: {}\n", message);
  return exit_code;
}

std::string VersionText() {
  try {
    return fmt::format("pushdown {} (SIMD target: {})", PUSHDOWN_VERSION, ActiveSimdTarget());
  } catch (const Error& error) {
    throw UsageError("PUSHDOWN_SIMD: " + MessageForUser(error));
  }
}

// What is wrong with the arguments, and where to look.
std::string Complaint(CLI::App& program, const CLI::ParseError& error) {
  // The innermost command that the arguments name.
  std::string name = program.get_name();
  CLI::App* command = &program;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  std::string message = Printable(error.what(), 200);
  const std::vector<std::string> rest = command->remaining();
  const std::vector<CLI::App*> known = command->get_subcommands([](CLI::App*) { return true; });
  if (!rest.empty() && !known.empty()) {
    std::string names;
    for (const CLI::App* each : known) names += " " + each->get_name();
    message = fmt::format("{} has no command {}; it has:{}", name, Quoted(rest.front()), names);
  }
  return fmt::format("{}; see {} --help", message, name);
}

int Main(int argc, char** argv) {
  CLI::App program("Nondeterministic stack RNNs: exact, differentiable, fast", "pushdown");
  program.require_subcommand(1);
  program.set_version_flag("--version", VersionText, "Print the version and the SIMD target");

  // A command is a file of its own that adds its options here.
  AddTasksCommand(program);
  AddSampleCommand(program);
  AddDataCommand(program);
  AddScoreCommand(program);
  AddTrainCommand(program);
  AddEvaluateCommand(program);
  AddGenerateCommand(program);
  AddParamsCommand(program);
  AddLmCommand(program);
  AddCompileCommand(program);
  AddRecognizeCommand(program);
  AddStackCommand(program);
  AddBenchCommand(program);

  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& success) {  // --help and --version
    program.exit(success);
  } catch (const CLI::ParseError& error) {
    return Report(kBadUsage, Complaint(program, error));
  }
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0) {
    return Report(kFailed, "standard output: cannot be written");
  }
  return 0;
}

}  // namespace
}  // namespace pushdown::cli

int main(int argc, char** argv) {
  using pushdown::cli::Report;
  // A reader that closes the pipe is a failed write, and so is a file that grows beyond the limit
  // of the shell; both are reported like others.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  pushdown::cli::CatchInterrupts();
  try {
    return pushdown::cli::Main(argc, argv);
  } catch (const pushdown::cli::Interrupted& interrupted) {
    return Report(pushdown::cli::kSignalled + interrupted.signal, interrupted.message);
  } catch (const pushdown::cli::UsageError& error) {
    return Report(pushdown::cli::kBadUsage, error.what());
  } catch (const pushdown::Error& error) {
    return Report(pushdown::cli::kFailed, pushdown::cli::MessageForUser(error));
  } catch (const std::bad_alloc&) {
    return Report(pushdown::cli::kFailed, "out of memory");
  } catch (const std::exception& error) {
    return Report(pushdown::cli::kFailed, error.what());
  }
}
