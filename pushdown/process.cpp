#include "pushdown/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <limits>
#include <string_view>
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

// A file that only this process and its children have, and which has the text: unlike a pipe, it
// takes all of it at once, and does not mind if nobody reads it.
struct InputFile {
  InputFile(const std::string& program, std::string_view text)
      : descriptor(memfd_create("input", MFD_CLOEXEC)) {
    while (descriptor >= 0 && !text.empty()) {
      const ssize_t size = write(descriptor, text.data(), text.size());
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) break;
      text.remove_prefix(static_cast<std::size_t>(size));
    }
    if (descriptor < 0 || !text.empty() || lseek(descriptor, 0, SEEK_SET) != 0) {
      const int failure = errno;
      if (descriptor >= 0) close(descriptor);
      Fail(program, failure);
    }
  }
  ~InputFile() { close(descriptor); }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  int descriptor;
};

using Clock = std::chrono::steady_clock;

// The time left, for poll.
int Milliseconds(const std::optional<Clock::time_point>& end) {
  if (!end) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, std::numeric_limits<int>::max()));
}

// Reads both at once, so that neither fills up while the other is waited for. Returns whether both
// have ended in time.
bool ReadAll(Pipe& out, Pipe& error, const std::optional<Clock::time_point>& end,
             ProcessOutput& output) {
  std::array<pollfd, 2> polled = {{{.fd = out.ends[0], .events = POLLIN, .revents = 0},
                                   {.fd = error.ends[0], .events = POLLIN, .revents = 0}}};
  const std::array<std::string*, 2> texts = {&output.out, &output.error};
  while (polled[0].fd >= 0 || polled[1].fd >= 0) {
    const int ready = poll(polled.data(), polled.size(), Milliseconds(end));
    if (ready == 0 || (end && Clock::now() >= *end)) return false;
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return true;
    for (std::size_t n = 0; n < polled.size(); ++n) {
      if (polled[n].fd < 0 || polled[n].revents == 0) continue;
      std::array<char, 4096> buffer;
      const ssize_t size = read(polled[n].fd, buffer.data(), buffer.size());
      if (size > 0) texts[n]->append(buffer.data(), static_cast<std::size_t>(size));
      if (size == 0 || (size < 0 && errno != EINTR)) polled[n].fd = -1;
    }
  }
  return true;
}

}  // namespace

ProcessOutput RunProcess(const std::vector<std::string>& arguments, const ProcessOptions& options) {
  const std::string& program = arguments.front();
  const InputFile input(program, options.input);
  Pipe out(program);
  Pipe error(program);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.descriptor, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error.ends[1], STDERR_FILENO);
  std::vector<char*> texts;
  texts.reserve(arguments.size() + 1);
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
  std::optional<Clock::time_point> end;
  if (options.seconds) {
    end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                             std::chrono::duration<double>(*options.seconds));
  }
  ProcessOutput output;
  if (!ReadAll(out, error, end, output)) {
    output.timed_out = true;
    kill(process, SIGKILL);
  }
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
