#pragma once

#include <pty.h>
#include <sys/ioctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace pushdown::testing_cli {

// A terminal with the program as its foreground process; closing it is what closing a window does.
class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& arguments, winsize size = {24, 80, 0, 0}) {
    process_ = forkpty(&descriptor_, nullptr, nullptr, &size);
    if (process_ != 0) return;
    std::string command = "exec " PUSHDOWN_PROGRAM;
    for (const std::string& argument : arguments) command += " '" + argument + "'";
    execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }

  pid_t process() const { return process_; }

  // What the program writes, until it has written `mark`.
  std::string ReadUntil(const std::string& mark) {
    std::string text;
    std::array<char, 4096> block;
    while (text.find(mark) == text.npos) {
      const ssize_t size = read(descriptor_, block.data(), block.size());
      if (size <= 0) break;
      text.append(block.data(), static_cast<std::size_t>(size));
    }
    return text;
  }
  // What it writes until it ends.
  std::string ReadAll() {
    const std::string text = ReadUntil(std::string(1, '\0'));
    waitpid(process_, nullptr, 0);
    return text;
  }
  // As somebody who drags the edge of the window does.
  void SetColumns(unsigned short columns) const {
    const winsize size = {24, columns, 0, 0};
    ioctl(descriptor_, TIOCSWINSZ, &size);
  }
  void Close() { close(descriptor_); }

 private:
  int descriptor_ = -1;
  pid_t process_ = -1;
};

}  // namespace pushdown::testing_cli
