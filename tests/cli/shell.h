#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace pushdown::testing_cli {

struct ShellResult {
  int exit_code = -1;
  std::string out;
};

// Runs a command of the shell.
inline ShellResult RunShell(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  ShellResult result;
  std::array<char, 4096> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    result.out.append(buffer.data(), size);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

inline bool HasProgram(const std::string& name) {
  return RunShell("command -v " + name).exit_code == 0;
}

// In quotes of the shell; the text has no quotes itself.
inline std::string Quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace pushdown::testing_cli
