#include "pushdown/process.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace pushdown {
namespace {

TEST(Process, ReadsItsInput) {
  EXPECT_EQ(RunProcess({"cat"}).out, "");
  // More than a pipe takes at once.
  const std::string text(300000, 'x');
  EXPECT_EQ(RunProcess({"cat"}, {.input = text}).out, text);
  // It need not read all of it.
  EXPECT_EQ(RunProcess({"true"}, {.input = text}).exit_code, 0);
}

TEST(Process, IsKilledAfterItsTime) {
  const ProcessOutput output =
      RunProcess({"sh", "-c", "echo begun; exec sleep 1000"}, {.seconds = 0.25});
  EXPECT_TRUE(output.timed_out);
  EXPECT_EQ(output.out, "begun\n");
  EXPECT_EQ(output.exit_code, 128 + SIGKILL);
  // Its outputs may be those of others, which live on.
  EXPECT_TRUE(RunProcess({"sh", "-c", "sleep 5 & wait"}, {.seconds = 0.25}).timed_out);
  EXPECT_FALSE(RunProcess({"true"}, {.seconds = 1000}).timed_out);
}

}  // namespace
}  // namespace pushdown
