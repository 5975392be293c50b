// The scripts that `make` calls, with stand-ins for the programs that they call.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/temporary_directory.h"

namespace pushdown {
namespace {

class ScriptsTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }

  std::string Text(const std::string& name) const {
    std::ifstream in(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // A program that takes precedence over those of the system.
  void Replace(const std::string& name, const std::string& script) const {
    directory_.Write(name, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(Path(name), std::filesystem::perms::owner_all);
  }

  // Runs a shell command with them, whose output is in "out".
  int Shell(const std::string& command) const {
    const int status = std::system(("PATH='" + Path("") + "':\"$PATH\"; export PATH; { " + command +
                                    "; } > '" + Path("out") + "' 2>&1")
                                       .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  testing_files::TemporaryDirectory directory_;
};

class InstallPackagesTest : public ScriptsTest {
 protected:
  // For somebody who is not root, and has only the package "there".
  InstallPackagesTest() {
    Replace("dpkg-query", R"(case "$*" in *there) echo installed ;; *) exit 1 ;; esac)");
    Replace("id", "echo 1000");
    Replace("sudo", R"(echo "sudo is called: $*")");
  }
  int Install(const std::string& environment) const {
    return Shell(environment + " " PUSHDOWN_SCRIPTS "/install-packages one there two");
  }
};

TEST_F(InstallPackagesTest, SaysWhichPackagesItInstallsBeforeItDoes) {
  EXPECT_EQ(Install(""), 0) << Text("out");
  const std::string out = Text("out");
  const std::size_t named = out.find(": one two\n");
  const std::size_t called = out.find("sudo is called: apt-get");
  ASSERT_NE(named, out.npos) << out;
  ASSERT_NE(called, out.npos) << out;
  EXPECT_LT(named, called) << out;
  EXPECT_NE(out.find("--no-install-recommends one two\n"), out.npos) << out;
}

TEST_F(InstallPackagesTest, StopsWithTheCommandIfItMustNotInstall) {
  EXPECT_EQ(Install("INSTALL=no"), 1);
  const std::string out = Text("out");
  EXPECT_EQ(out.find("sudo is called"), out.npos) << out;
  EXPECT_NE(out.find("  sudo apt-get install --no-install-recommends one two\n"), out.npos) << out;
}

TEST_F(InstallPackagesTest, IsSilentIfNothingIsMissing) {
  EXPECT_EQ(Shell("INSTALL=no " PUSHDOWN_SCRIPTS "/install-packages there"), 0);
  EXPECT_EQ(Text("out"), "");
}

class DemoTest : public ScriptsTest {
 protected:
  // The processes of the trainings, which never end by themselves.
  std::vector<pid_t> WaitForTrainings() const {
    std::vector<pid_t> trainings;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (trainings.size() < 2 && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::ifstream in(Path("trainings"));
      trainings.assign(std::istream_iterator<pid_t>(in), {});
    }
    return trainings;
  }
};

TEST_F(DemoTest, CtrlCEndsItsTrainings) {
  Replace("program", "echo $$ >> '" + Path("trainings") + "'; exec sleep 1000");
  const pid_t demo = fork();
  if (demo == 0) {
    setpgid(0, 0);
    for (std::FILE* stream : {stdout, stderr}) {
      if (std::freopen(Path("out").c_str(), "a", stream) == nullptr) _exit(126);
    }
    execl(PUSHDOWN_SOURCES "/examples/demo", "demo", Path("program").c_str(), Path("demo").c_str(),
          static_cast<char*>(nullptr));
    _exit(127);
  }
  const std::vector<pid_t> trainings = WaitForTrainings();
  ASSERT_EQ(trainings.size(), 2u);
  kill(-demo, SIGINT);  // to all of the foreground, as terminals do
  int status = 0;
  ASSERT_EQ(waitpid(demo, &status, 0), demo);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
  for (const pid_t training : trainings) {
    const bool gone = kill(training, 0) == -1 && errno == ESRCH;
    EXPECT_TRUE(gone) << "a training goes on";
    if (!gone) kill(training, SIGKILL);
  }
}

class RevisionTest : public ScriptsTest {
 protected:
  // The line of the file that has the revision.
  std::string Line() const {
    EXPECT_EQ(Shell(PUSHDOWN_CMAKE " -D SOURCE='" + Path("source") + "' -D OUTPUT='" +
                    Path("revision.cpp") + "' -P " PUSHDOWN_SOURCES "/cmake/Revision.cmake"),
              0)
        << Text("out");
    const std::string text = Text("revision.cpp");
    const std::size_t begin = text.find("const char* Revision()");
    return begin == text.npos ? text : text.substr(begin, text.find('\n', begin) - begin);
  }
};

TEST_F(RevisionTest, IsThatOfGitOrEmpty) {
  const std::string empty = R"(const char* Revision() { return ""; })";
  std::filesystem::create_directories(Path("source"));
  Replace("git", "echo de7aad8-dirty");
  EXPECT_EQ(Line(), empty);
  directory_.Write("source/.git", "");
  EXPECT_EQ(Line(), R"(const char* Revision() { return "de7aad8-dirty"; })");
  Replace("git", "echo fatal: not ours; exit 128");
  EXPECT_EQ(Line(), empty);
}

// Nothing is compiled again for the same revision.
TEST_F(RevisionTest, TheFileStaysIfTheRevisionDoes) {
  directory_.Write("source/.git", "");
  Replace("git", "echo de7aad8");
  Line();
  const std::filesystem::file_time_type past = {};
  std::filesystem::last_write_time(Path("revision.cpp"), past);
  Line();
  EXPECT_EQ(std::filesystem::last_write_time(Path("revision.cpp")), past);
  Replace("git", "echo abcdef0");
  Line();
  EXPECT_NE(std::filesystem::last_write_time(Path("revision.cpp")), past);
}

}  // namespace
}  // namespace pushdown
