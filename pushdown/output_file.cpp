#include "pushdown/output_file.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <vector>

#include "pushdown/error.h"

namespace pushdown {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = ".tmp.";

// Without the domain, whose name may be given and taken away.
std::string HostName() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  const std::string host = name.data();
  return host.substr(0, host.find('.'));
}

// The number of PROCESS or PROCESS-N; 0 for anything else.
pid_t ProcessOf(std::string_view text) {
  pid_t process = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, process);
  if (error != std::errc() || process <= 0) return 0;
  if (rest == end) return process;
  int n = 0;
  if (*rest != '-') return 0;
  const auto [last, n_error] = std::from_chars(rest + 1, end, n);
  return n_error == std::errc() && last == end ? process : 0;
}

}  // namespace

std::string TemporaryName(const std::string& target, int n) {
  return target + std::string(kMark) + HostName() + "." + std::to_string(getpid()) +
         (n > 0 ? "-" + std::to_string(n) : "");
}

std::string_view TargetOfTemporaryName(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == name.npos) return {};
  std::string_view rest = name.substr(mark + kMark.size());
  const std::size_t dot = rest.rfind('.');
  if (dot != rest.npos) rest = rest.substr(dot + 1);
  return ProcessOf(rest) > 0 ? name.substr(0, mark) : std::string_view();
}

void RemoveStaleTemporaries(const fs::path& target) {
  const std::string beginning = target.filename().string() + std::string(kMark) + HostName() + ".";
  std::vector<fs::path> stale;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(target.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(beginning)) continue;
    const pid_t process = ProcessOf(std::string_view(name).substr(beginning.size()));
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) stale.push_back(entry.path());
  }
  for (const fs::path& path : stale) fs::remove_all(path, error);
}

int SyncDirectory(const fs::path& directory) {
  const int descriptor =
      open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return 0;  // it may be written to, but not be read
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  // Some file systems have nothing to sync in a directory.
  return error == EINVAL || error == ENOTSUP || error == EROFS ? 0 : error;
}

OutputFile::OutputFile(const std::string& path, const std::string& name)
    : name_(!name.empty() ? name
            : path == "-" ? "standard output"
                          : path) {
  if (path == "-") {
    file_ = stdout;
    return;
  }
  // The target of a symbolic link is replaced, not the link.
  std::error_code error;
  fs::path target = path;
  if (fs::exists(target, error)) target = fs::canonical(target, error);
  if (error) Fail(error.value());
  const fs::file_status status = fs::status(target, error);
  if (fs::is_directory(status)) Fail(EISDIR);
  target_ = target.string();
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    OpenPipeOrDevice();
    return;
  }
  std::string temporary;
  // A process of the same number may have been killed before it could clean up.
  for (int n = 0; file_ == nullptr && n < kMostLeftovers; ++n) {
    temporary = TemporaryName(target_, n);
    file_ = std::fopen(temporary.c_str(), "wx");
    if (file_ == nullptr && errno != EEXIST) Fail(errno);
  }
  if (file_ == nullptr) Fail(EEXIST);
  temporary_ = std::move(temporary);
  if (fs::exists(status)) fs::permissions(temporary_, status.permissions(), error);
}

OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputFile::Write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) Fail(errno);
}

void OutputFile::Commit() {
  if (std::fflush(file_) != 0) Fail(errno);
  // The new contents must be on the disk before the name is theirs.
  if (!temporary_.empty() && fsync(fileno(file_)) != 0) Fail(errno);
  if (file_ != stdout) {
    std::FILE* file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0) Fail(errno);
  }
  if (!temporary_.empty()) {
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) Fail(errno);
    temporary_.clear();
    if (const int error = SyncDirectory(fs::path(target_).parent_path())) Fail(error);
  }
}

// A pipe that nobody reads would block for ever.
void OutputFile::OpenPipeOrDevice() {
  const int descriptor = open(target_.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) Fail(errno);
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  file_ = fdopen(descriptor, "w");
  if (file_ != nullptr) return;
  const int error = errno;
  close(descriptor);
  Fail(error);
}

void OutputFile::Fail(int error) const {
  throw Error(
      ErrorKind::kSystem, "pushdown::OutputFile",
      name_.substr(0, 200) + ": cannot be written: " + std::generic_category().message(error));
}

void WriteFile(const std::string& path, std::string_view text) {
  OutputFile out(path);
  out.Write(text);
  out.Commit();
}

}  // namespace pushdown
