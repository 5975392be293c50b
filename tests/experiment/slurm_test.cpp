// What is given to Slurm, by programs in place of Slurm's that say what they were asked. The real
// Slurm is tried by `make test-slurm`.

#include "pushdown/experiment/slurm.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "pushdown/error.h"
#include "pushdown/experiment/cost.h"
#include "pushdown/experiment/experiment_file.h"
#include "pushdown/process.h"
#include "tests/run/small_run.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;
using testing_files::TemporaryDirectory;
using testing_runs::ReadBytes;

constexpr const char* kFile = R"(
task = "marked-reversal"
model = ["lstm", "rns-3-3"]
max-epochs = 10
restarts = 5
)";

std::size_t CountRuns(const std::vector<TaskRuns>& tasks) {
  std::size_t count = 0;
  for (const TaskRuns& task : tasks) count += task.size();
  return count;
}

TEST(DivideIntoTasks, CheapRunsShareATask) {
  const ExperimentPlan plan = ParseExperiment(kFile, "experiment");
  const std::vector<RunId> runs = OrderedRuns(plan, 5);
  const std::vector<TaskRuns> tasks = DivideIntoTasks(plan, runs, 0);
  // Ten runs of seconds and minutes: all of them take less than an hour.
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0], runs);
  // Each of these takes longer than an hour.
  const ExperimentPlan slow = ParseExperiment(
      "task = 'marked-copy'\nmodel = 'rns-5-5'\nmax-epochs = 10000\nrestarts = 4", "experiment");
  EXPECT_EQ(DivideIntoTasks(slow, OrderedRuns(slow, 4), 0).size(), 4u);
}

TEST(DivideIntoTasks, ANumberOfTasksIsNotExceeded) {
  const ExperimentPlan plan = ParseExperiment(kFile, "experiment");
  const std::vector<RunId> runs = OrderedRuns(plan, 5);
  for (int size = 1; size <= 12; ++size) {
    const std::vector<TaskRuns> tasks = DivideIntoTasks(plan, runs, size);
    EXPECT_LE(tasks.size(), static_cast<std::size_t>(size));
    EXPECT_EQ(CountRuns(tasks), runs.size());
    std::vector<RunId> in_order;
    for (const TaskRuns& task : tasks) {
      EXPECT_FALSE(task.empty());
      in_order.insert(in_order.end(), task.begin(), task.end());
    }
    EXPECT_EQ(in_order, runs);
  }
  EXPECT_TRUE(DivideIntoTasks(plan, {}, 3).empty());
}

// Programs with the names of Slurm's. The queue is a file with what squeue prints.
class SlurmTest : public ::testing::Test {
 protected:
  SlurmTest()
      : experiment_(
            Experiment::CreateOrOpen(Path("runs of mine"), ParseExperiment(kFile, "experiment"))),
        runs_(OrderedRuns(experiment_.plan(), 5)) {
    Program("squeue", "cat " + Path("queue"));
    Program("scontrol",
            "echo 'MaxArraySize            = 1001'; echo 'MaxJobCount             = 10000'");
    // As Slurm does it, the tasks are in the queue at once.
    Program("sbatch", "queue=" + Path("queue") + "; calls=" + Path("calls") + R"sh(
for script; do :; done
last=$(sed -n 's/^#SBATCH --array=0-//p' "$script")
comment=$(sed -n 's/^#SBATCH --comment="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$script")
if [ "$last" -ge "${MOST_TASKS:-1000}" ]; then
  echo "sbatch: error: QOSMaxSubmitJobPerUserLimit" >&2
  exit 1
fi
for n in $(seq 0 "$last"); do echo "PENDING $n $comment" >> "$queue"; done
echo "$@" >> "$calls"
echo "12$last;cluster")sh");
    directory_.Write("queue", "RUNNING N/A (null)\nRUNNING 3 somebody else's\n");
    old_path_ = std::getenv("PATH");
    setenv("PATH", (Path("bin") + ":" + old_path_).c_str(), 1);
  }
  ~SlurmTest() override {
    setenv("PATH", old_path_.c_str(), 1);
    unsetenv("MOST_TASKS");
  }

  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  void Program(const std::string& name, const std::string& text) const {
    directory_.Write("bin/" + name, "#!/bin/sh\n" + text + "\n");
    fs::permissions(Path("bin/" + name), fs::perms::owner_all);
  }
  SubmitOutcome Submit(int array_size = 4, std::vector<std::string> sbatch = {}) const {
    return pushdown::Submit(
        experiment_, runs_,
        {.program = "/opt/it's/pushdown", .array_size = array_size, .sbatch = std::move(sbatch)});
  }

  TemporaryDirectory directory_;
  std::string old_path_;
  Experiment experiment_;
  std::vector<RunId> runs_;
};

TEST_F(SlurmTest, SubmitsEveryRunOnce) {
  const SubmitOutcome first = Submit(4, {"--partition=cpu", "--mem", "2G"});
  ASSERT_EQ(first.arrays.size(), 1u);
  EXPECT_EQ(first.arrays[0].submission, "001");
  EXPECT_EQ(first.arrays[0].runs, 10u);
  EXPECT_EQ(first.arrays[0].job, "12" + std::to_string(first.arrays[0].tasks - 1));
  EXPECT_EQ(ReadBytes(Path("calls")),
            "--parsable --partition=cpu --mem 2G --comment=" + Path("runs of mine/slurm/001") +
                " " + Path("runs of mine/slurm/001/job.sh") + "\n");
  std::set<std::pair<std::size_t, int>> submitted;
  for (std::size_t task = 0; task < first.arrays[0].tasks; ++task) {
    for (const RunId& run : ReadTask(experiment_, "001", task)) {
      EXPECT_TRUE(submitted.emplace(run.cell, run.restart).second);
    }
  }
  EXPECT_EQ(submitted.size(), 10u);

  const SubmitOutcome second = Submit();
  EXPECT_TRUE(second.arrays.empty());
  EXPECT_EQ(second.queued, 10u);

  // Of two tasks, one is at work, and the other was cancelled; its runs are not done.
  const std::string array = Path("runs of mine/slurm/001");
  directory_.Write("queue", "RUNNING 1 " + array + "\nCANCELLED 0 " + array + "\n");
  const SubmitOutcome third = Submit();
  ASSERT_EQ(third.arrays.size(), 1u);
  EXPECT_EQ(third.arrays[0].submission, "002");
  EXPECT_EQ(third.arrays[0].runs, 10u - ReadTask(experiment_, "001", 1).size());
}

TEST_F(SlurmTest, LimitsOfSlurmAreRespected) {
  Program("scontrol", "echo 'MaxArraySize = 3'; echo 'MaxJobCount = 8'");
  const SubmitOutcome outcome = Submit(10);
  // Two jobs are in the queue and one place stays free, so that there is room for five tasks, three
  // in an array.
  ASSERT_EQ(outcome.arrays.size(), 2u);
  EXPECT_EQ(outcome.arrays[0].tasks, 3u);
  EXPECT_EQ(outcome.arrays[1].tasks, 2u);
  EXPECT_EQ(outcome.left, 10 - outcome.arrays[0].runs - outcome.arrays[1].runs);
  EXPECT_GT(outcome.left, 0u);
  EXPECT_FALSE(outcome.refusal.empty());
}

TEST_F(SlurmTest, FewerTasksAreTriedIfSlurmRefuses) {
  setenv("MOST_TASKS", "2", 1);
  const SubmitOutcome outcome = Submit(10);
  ASSERT_FALSE(outcome.arrays.empty());
  for (const SubmittedArray& array : outcome.arrays) EXPECT_LE(array.tasks, 2u);
  EXPECT_NE(outcome.refusal.find("QOSMaxSubmitJobPerUserLimit"), std::string::npos);
  // What was refused has left nothing behind.
  std::size_t directories = 0;
  for (const auto& entry : fs::directory_iterator(Path("runs of mine/slurm"))) {
    directories += entry.is_directory() ? 1u : 0u;
  }
  EXPECT_EQ(directories, outcome.arrays.size());
}

// As happens when Slurm answers too late.
TEST_F(SlurmTest, AnArrayThatSlurmHasTakenAfterAllIsKept) {
  Program("sbatch", "for script; do :; done; echo \"PENDING 0 $(dirname \"$script\")\" >> " +
                        Path("queue") + "; echo 'sbatch: error: Socket timed out' >&2; exit 1");
  try {
    Submit(1);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("the array is in the queue: sbatch: error: Socket timed out"),
              std::string::npos)
        << error.message();
  }
  EXPECT_EQ(Submit(1).queued, 10u);
}

TEST_F(SlurmTest, OptionsThatItNeedsItselfAreRefused) {
  for (const char* option : {"--comment=mine", "--array=1-3", "-a1"}) {
    EXPECT_THROW(Submit(1, {option}), Error) << option;
  }
  EXPECT_EQ(Submit(1, {"--account=mine"}).arrays.size(), 1u);
}

TEST_F(SlurmTest, NamesOfSubmissionsAreNumbers) {
  for (const char* name : {"999", "1000", "99999999999", "notes"}) {
    fs::create_directories(Path("runs of mine/slurm") + "/" + name);
  }
  EXPECT_EQ(Submit().arrays[0].submission, "1001");
}

TEST_F(SlurmTest, OtherErrorsAreErrors) {
  Program("sbatch", "echo 'sbatch: error: invalid partition specified: none' >&2; exit 1");
  try {
    Submit();
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kSystem);
    EXPECT_NE(error.message().find("invalid partition"), std::string::npos) << error.message();
  }
  // Not a limit that anything could be waited for.
  Program("sbatch", "echo 'sbatch: error: Requested time limit is invalid' >&2; exit 1");
  EXPECT_THROW(Submit(), Error);
  Program("squeue", "echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1");
  try {
    Submit();
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("Unable to contact"), std::string::npos) << error.message();
  }
}

TEST_F(SlurmTest, TheScriptIsPlainShell) {
  Submit();
  const std::string script = Path("runs of mine/slurm/001/job.sh");
  EXPECT_EQ(RunProcess({"bash", "-n", script}).exit_code, 0);
  const std::string text = ReadBytes(script);
  for (const std::string& part :
       {std::string("#SBATCH --requeue\n"), std::string("#SBATCH --signal=B:USR1@120\n"),
        "#SBATCH --comment=\"" + Path("runs of mine/slurm/001") + "\"\n",
        "'/opt/it'\\''s/pushdown' experiment task '" + Path("runs of mine") + "' 001 "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

// The script itself, with a program in place of ours.
TEST_F(SlurmTest, TheScriptQueuesItsTaskAgain) {
  // It keeps nothing open that the test waits for.
  Program("pushdown", R"(
exec > /dev/null 2>&1
trap 'exit 75' USR1
trap 'exit 143' TERM
echo ready > )" + Path("ready") +
                          R"(
while :; do sleep 0.05; done)");
  Program("scontrol", "echo \"$@\" >> " + Path("requeued"));
  directory_.Write("job.sh", BatchScript(Path("x"), experiment_.plan(), "001", 1,
                                         {.program = Path("bin/pushdown")}));
  const auto run = [&](const std::string& signal) {
    fs::remove(Path("ready"));
    return RunProcess({"bash", "-c",
                       "export SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=3; bash " + Path("job.sh") +
                           " & job=$!; while ! [ -e " + Path("ready") +
                           " ]; do sleep 0.02; done; sleep 0.2; kill -" + signal +
                           " $job; wait $job"});
  };
  EXPECT_EQ(run("USR1").exit_code, 75);
  EXPECT_EQ(ReadBytes(Path("requeued")), "requeue 7_3\n");
  EXPECT_EQ(run("TERM").exit_code, 143);
  EXPECT_EQ(ReadBytes(Path("requeued")), "requeue 7_3\n");
}

TEST_F(SlurmTest, TasksOfBadFilesAreErrors) {
  EXPECT_THROW(ReadTask(experiment_, "001", 0), Error);
  EXPECT_THROW(ReadTask(experiment_, "../001", 0), Error);
  for (const char* text : {"", "{", "[[[\"none\", 1]]]", "[[[1, 1]]]", "[[\"x\"]]", "[3]",
                           "[[[\"task=marked-reversal,model=lstm\", 0]]]"}) {
    directory_.Write("runs of mine/slurm/001/tasks.json", text);
    EXPECT_THROW(ReadTask(experiment_, "001", 0), Error) << text;
  }
}

TEST(Process, TellsOutputAndExitCode) {
  const ProcessOutput output = RunProcess({"sh", "-c", "echo out; echo error >&2; exit 3"});
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.error, "error\n");
  EXPECT_EQ(output.exit_code, 3);
  EXPECT_EQ(RunProcess({"sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
  EXPECT_EQ(RunProcess({"sh", "-c", "head -c 300000 /dev/zero; head -c 300000 /dev/zero >&2"})
                .error.size(),
            300000u);
  EXPECT_THROW(RunProcess({"there is no such program"}), Error);
}

}  // namespace
}  // namespace pushdown
