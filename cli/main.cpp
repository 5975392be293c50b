#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>

#include "cli/commands.h"
#include "cli/errors.h"
#include "cli/interrupt.h"
#include "cli/standard_error.h"

namespace pushdown::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kBadUsage = 2;

// What the user can mend: the command line, an input file, or sizes that are too large.
bool IsBadUsage(const Error& error) {
  return error.kind() == ErrorKind::kInput || error.kind() == ErrorKind::kLimit;
}

int Report(int exit_code, const std::string& message) {
  std::cout.flush();
  PrintMessage(message);
  return exit_code;
}

// An exception that nothing can catch is nearly always a failed allocation: in a destructor, or
// while an error is reported. Nothing here may allocate.
[[noreturn]] void Terminate() noexcept {
  try {
    if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    WriteToStandardError("pushdown: out of memory\n");
    _exit(kFailed);
  } catch (...) {
    WriteToStandardError("pushdown: internal error: an exception was not caught\n");
    std::abort();
  }
  // Where an exception meets a function that may not throw, g++ before 14 gets here without having
  // caught it, so that nobody can tell which one it is.
  if (std::uncaught_exceptions() > 0) {
    WriteToStandardError("pushdown: out of memory, or an internal error\n");
    _exit(kFailed);
  }
  WriteToStandardError("pushdown: internal error: the program was ended without an exception\n");
  std::abort();
}

int Main(int argc, char** argv) {
  MakeProgram()->Run(argc, argv);

  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0) {
    return Report(kFailed, "standard output: cannot be written");
  }
  return 0;
}

// When it is loaded, OpenBLAS starts a thread for each CPU, which takes a buffer of its own; if the
// address space is limited (ulimit -v), it may try for ever to get one, and the program could not
// even end. We have no use for these threads, and only the environment prevents them.
void KeepOpenBlasSmall(char** argv) {
  constexpr const char* kThreads = "OPENBLAS_NUM_THREADS";
  rlimit address_space = {};
  getrlimit(RLIMIT_AS, &address_space);
  if (address_space.rlim_cur == RLIM_INFINITY || std::getenv(kThreads) != nullptr) return;
  setenv(kThreads, "1", 1);
  execv("/proc/self/exe", argv);
}

// Main, with an exit code for whatever it throws.
int ExitCode(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const Interrupted& interrupted) {
    return Report(interrupted.exit_code(), interrupted.message);
  } catch (const Answer& answer) {
    return answer.exit_code;
  } catch (const UsageError& error) {
    return Report(kBadUsage, error.what());
  } catch (const Error& error) {
    // A signal also ends the reading of a file.
    const Interrupted interrupted = {.signal = InterruptSignal()};
    const bool unread = error.kind() == ErrorKind::kInput && interrupted.signal != 0;
    if (unread) return Report(interrupted.exit_code(), interrupted.message);
    return Report(IsBadUsage(error) ? kBadUsage : kFailed, MessageForUser(error));
  } catch (const std::bad_alloc&) {
    return Report(kFailed, "out of memory");
  } catch (const std::exception& error) {
    return Report(kFailed, error.what());
  }
}

}  // namespace
}  // namespace pushdown::cli

int main(int argc, char** argv) {
  // A reader that closes the pipe is a failed write, and so is a file that grows beyond the limit
  // of the shell; both are reported like others.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  pushdown::cli::KeepOpenBlasSmall(argv);
  pushdown::cli::OpenStandardStreams();
  std::set_terminate(pushdown::cli::Terminate);
  pushdown::cli::CatchInterrupts();
  return pushdown::cli::ExitCode(argc, argv);
}
