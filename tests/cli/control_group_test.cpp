#include <gtest/gtest.h>

#include <limits>

#include "pushdown/memory.h"
#include "tests/temporary_directory.h"

namespace pushdown::cli {
namespace {

using testing_files::TemporaryDirectory;
constexpr double kUnlimited = std::numeric_limits<double>::infinity();

TEST(ControlGroupTest, ThereNeedNotBeAny) {
  const TemporaryDirectory root;
  EXPECT_EQ(ControlGroupLimit(root.path()), kUnlimited);
  root.Write("proc/self/cgroup", "0::/\n");
  EXPECT_EQ(ControlGroupLimit(root.path()), kUnlimited);
}

TEST(ControlGroupTest, TheSmallestLimitOfTheGroupAndThoseAboveItCounts) {
  const TemporaryDirectory root;
  root.Write("proc/self/cgroup", "0::/slurm/job_12/step_0\n");
  root.Write("sys/fs/cgroup/slurm/memory.max", "max\n");
  root.Write("sys/fs/cgroup/slurm/job_12/memory.max", "2000000000\n");
  root.Write("sys/fs/cgroup/slurm/job_12/step_0/memory.max", "max\n");
  root.Write("sys/fs/cgroup/other/memory.max", "1\n");
  EXPECT_EQ(ControlGroupLimit(root.path()), 2e9);
}

TEST(ControlGroupTest, FirstVersion) {
  const TemporaryDirectory root;
  root.Write("proc/self/cgroup", "5:devices:/\n4:hugetlb,memory:/user\n0::/\n");
  root.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.Write("sys/fs/cgroup/memory/user/memory.limit_in_bytes", "3000000000\n");
  EXPECT_EQ(ControlGroupLimit(root.path()), 3e9);
}

// The path is the host's, and the container's own group is mounted at the root.
TEST(ControlGroupTest, InAContainer) {
  const TemporaryDirectory root;
  root.Write("proc/self/cgroup", "7:memory:/docker/0123\n");
  root.Write("sys/fs/cgroup/memory/memory.limit_in_bytes", "500000000\n");
  EXPECT_EQ(ControlGroupLimit(root.path()), 5e8);
}

}  // namespace
}  // namespace pushdown::cli
