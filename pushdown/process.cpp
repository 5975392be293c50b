#include "pushdown/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "pushdown/error.h"

extern char** environ;

namespace pushdown {
namespace {

[[noreturn]] void Fail(const std::string& program, int error) {
  throw Error(ErrorKind::kSystem, "pushdown::RunProcess",
              program + ": cannot be run: " + std::generic_category().message(error));
}

struct Pipe {
  explicit Pipe(const std::string& program) {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) Fail(program, errno);
  }
  ~Pipe() {
    Close(0);
    Close(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void Close(std::size_t end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }

  std::array<int, 2> ends = {-1, -1};
};

// Reads both at once, so that neither fills up while the other is waited for.
void ReadAll(Pipe& out, Pipe& error, ProcessOutput& output) {
  std::array<pollfd, 2> polled = {{{.fd = out.ends[0], .events = POLLIN, .revents = 0},
                                   {.fd = error.ends[0], .events = POLLIN, .revents = 0}}};
  const std::array<std::string*, 2> texts = {&output.out, &output.error};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t n = 0; n < polled.size(); ++n) {
      if (polled[n].fd < 0 || polled[n].revents == 0) continue;
      std::array<char, 4096> buffer;
      const ssize_t size = read(polled[n].fd, buffer.data(), buffer.size());
      if (size > 0) texts[n]->append(buffer.data(), static_cast<std::size_t>(size));
      if (size == 0 || (size < 0 && errno != EINTR)) polled[n].fd = -1;
    }
  }
}

}  // namespace

ProcessOutput RunProcess(const std::vector<std::string>& arguments) {
  const std::string& program = arguments.front();
  Pipe out(program);
  Pipe error(program);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error.ends[1], STDERR_FILENO);
  std::vector<char*> texts;
  for (const std::string& argument : arguments)
    texts.push_back(const_cast<char*>(argument.c_str()));
  texts.push_back(nullptr);
  pid_t process = 0;
  const int failure =
      posix_spawnp(&process, program.c_str(), &actions, nullptr, texts.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure != 0) Fail(program, failure);
  out.Close(1);
  error.Close(1);
  ProcessOutput output;
  ReadAll(out, error, output);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  output.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return output;
}

std::string ShellQuoted(const std::string& text) {
  const bool plain = text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                         "0123456789_./-+:=@%,") == text.npos;
  if (plain && !text.empty()) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace pushdown
