#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace pushdown::testing_cli {

inline std::string ReadText(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct ProgramResult {
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;      // which one
  std::string out;
  std::string err;
};

// Runs the program in a temporary directory of its own, which is gone after the test.
class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    std::string name = (std::filesystem::temp_directory_path() / "pushdown-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    directory_ = name;
  }
  ~ProgramTest() override { std::filesystem::remove_all(directory_); }

  std::string Path(const std::string& name) const { return (directory_ / name).string(); }

  std::string WriteFile(const std::string& name, const std::string& text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }

  // Names of all files, without those that Run uses.
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      const std::string name = entry.path().filename().string();
      if (name != "stdin" && name != "stdout" && name != "stderr") names.push_back(name);
    }
    return names;
  }

  // Every file below a directory, by its path in it.
  std::map<std::string, std::string> Contents(const std::string& name) const {
    std::map<std::string, std::string> contents;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(Path(name))) {
      if (!entry.is_regular_file()) continue;
      contents[std::filesystem::relative(entry.path(), Path(name)).string()] =
          ReadText(entry.path());
    }
    return contents;
  }

  // The program's address space is no larger than this (ulimit -v).
  void LimitAddressSpace(rlim_t bytes) { address_space_limit_ = bytes; }

  // Permissions bind the program even if root runs it.
  void BindPermissions() { bind_permissions_ = true; }

  // Files of the program cannot grow beyond this, as if the disk were full.
  void LimitFileSize(rlim_t bytes) { file_size_limit_ = bytes; }

  // A variable of the program's environment from now on.
  void SetEnvironment(const std::string& name, const std::string& value) {
    environment_[name] = value;
  }

  // A program that takes longer is ended by SIGALRM.
  void LimitTime(unsigned seconds) { time_limit_ = seconds; }

  // Standard output goes to `stdout_path` if that is given, and is not in the result then.
  ProgramResult Run(const std::vector<std::string>& arguments, const std::string& input = "",
                    const std::string& stdout_path = "") const {
    return Finish(Start(arguments, input, stdout_path), stdout_path);
  }

  // The two halves of Run.
  pid_t Start(std::vector<std::string> arguments, const std::string& input = "",
              const std::string& stdout_path = "") const {
    const std::string in = WriteFile("stdin", input);
    const std::string out = stdout_path.empty() ? Path("stdout") : stdout_path;
    arguments.insert(arguments.begin(), PUSHDOWN_PROGRAM);
    std::vector<char*> argv;
    argv.reserve(arguments.size() + 1);
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      Redirect(in, O_RDONLY, STDIN_FILENO);
      Redirect(out, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
      Redirect(Path("stderr"), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
      if (!working_directory_.empty() && chdir(working_directory_.c_str()) != 0) _exit(126);
      const rlimit file_size = {file_size_limit_, file_size_limit_};
      const rlimit address_space = {address_space_limit_, address_space_limit_};
      if (setrlimit(RLIMIT_FSIZE, &file_size) != 0 || setrlimit(RLIMIT_AS, &address_space) != 0) {
        _exit(126);
      }
      if (bind_permissions_) {  // which fails for others than root, who are bound anyway
        prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
        prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH);
      }
      for (const auto& [name, value] : environment_) setenv(name.c_str(), value.c_str(), 1);
      alarm(time_limit_);  // stays set through execv
      execv(PUSHDOWN_PROGRAM, argv.data());
      _exit(127);
    }
    if (child < 0) throw std::runtime_error("fork failed");
    return child;
  }
  ProgramResult Finish(pid_t child, const std::string& stdout_path = "") const {
    int status = 0;
    if (waitpid(child, &status, 0) != child) throw std::runtime_error("waitpid failed");
    ProgramResult result;
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    if (stdout_path.empty()) result.out = ReadText(Path("stdout"));
    result.err = ReadText(Path("stderr"));
    return result;
  }

  // Where programs run from now on.
  void SetWorkingDirectory(const std::string& path) { working_directory_ = path; }

 private:
  static void Redirect(const std::string& path, int flags, int descriptor) {
    const int file = open(path.c_str(), flags, 0600);
    if (file < 0 || dup2(file, descriptor) < 0) _exit(126);
  }

  std::filesystem::path directory_;
  std::string working_directory_;  // empty: that of the test
  rlim_t file_size_limit_ = RLIM_INFINITY;
  rlim_t address_space_limit_ = RLIM_INFINITY;
  std::map<std::string, std::string> environment_;  // beside that of the test
  unsigned time_limit_ = 0;                         // in seconds; 0: none
  bool bind_permissions_ = false;
};

// One line that begins with the program's name and contains `part`.
inline void ExpectMessage(const ProgramResult& result, const std::string& part) {
  EXPECT_EQ(result.err.rfind("pushdown: ", 0), 0u) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err << "lacks " << part;
  EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
  EXPECT_LT(result.err.size(), 700u) << result.err;
}

}  // namespace pushdown::testing_cli
