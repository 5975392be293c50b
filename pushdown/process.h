#pragma once

#include <string>
#include <vector>

namespace pushdown {

struct ProcessOutput {
  int exit_code = 0;  // 128 + N if signal N has ended the process
  std::string out;
  std::string error;  // what it wrote to standard error
};

// Runs a program, which is looked for in the PATH, and waits for its end. Its standard input is
// empty. Throws Error if the program cannot be started.
ProcessOutput RunProcess(const std::vector<std::string>& arguments);

// A word for a shell, in quotation marks if it needs them.
std::string ShellQuoted(const std::string& text);

}  // namespace pushdown
