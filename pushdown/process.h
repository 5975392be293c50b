#pragma once

#include <optional>
#include <string>
#include <vector>

namespace pushdown {

struct ProcessOutput {
  int exit_code = 0;  // 128 + N if signal N has ended the process
  std::string out;
  std::string error;  // what it wrote to standard error
  bool timed_out = false;
};

struct ProcessOptions {
  std::string input = {};              // what it reads from standard input
  std::optional<double> seconds = {};  // after which it is killed
};

// Runs a program, which is looked for in the PATH, and waits for its end. Throws Error if the
// program cannot be started.
ProcessOutput RunProcess(const std::vector<std::string>& arguments,
                         const ProcessOptions& options = {});

// A word for a shell, in quotation marks if it needs them.
std::string ShellQuoted(const std::string& text);

}  // namespace pushdown
