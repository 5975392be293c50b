#include "pushdown/experiment/slurm.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "pushdown/error.h"
#include "pushdown/experiment/cost.h"
#include "pushdown/output_directory.h"
#include "pushdown/printable.h"
#include "pushdown/process.h"
#include "pushdown/run/parsed_file.h"
#include "pushdown/run/run_directory.h"

namespace pushdown {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTasksFile = "tasks.json";
constexpr const char* kScriptFile = "job.sh";
constexpr double kTaskSeconds = 3600;

[[noreturn]] void Fail(const std::string& message) {
  throw Error(ErrorKind::kSystem, "pushdown::Submit", message);
}

std::string Absolute(const std::string& directory) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::absolute(directory, error), error);
  return error ? directory : path.string();
}

std::string SlurmDirectory(const std::string& directory) {
  return PathIn(Absolute(directory), "slurm");
}

// A word of an #SBATCH line, in which Slurm takes quotation marks but no other quoting.
std::string SbatchQuoted(const std::string& text) {
  if (text.find_first_of("\"\n\\") != text.npos) {
    throw Error("pushdown::Submit",
                "Slurm cannot be given the name " + Quoted(text, 200) + "; choose another --out");
  }
  return text.find_first_of(" \t'#") == text.npos ? text : "\"" + text + "\"";
}

// Only one process at a time submits runs of an experiment.
class SubmitLock {
 public:
  SubmitLock(const std::string& directory, const std::function<void()>& check) {
    std::error_code ignored;
    fs::create_directories(directory, ignored);
    file_ = open(PathIn(directory, kLockFile).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int error = file_ < 0 ? errno : 0;
    while (error == 0 && flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) {
        error = errno;
        break;
      }
      try {
        if (check) check();
      } catch (...) {
        close(file_);
        throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    if (error == 0) return;
    if (file_ >= 0) close(file_);
    Fail(directory + ": cannot be locked: " + std::generic_category().message(error));
  }
  ~SubmitLock() { close(file_); }
  SubmitLock(const SubmitLock&) = delete;
  SubmitLock& operator=(const SubmitLock&) = delete;

 private:
  int file_;
};

// A message of several lines in one.
std::string OneLine(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  for (std::size_t n = text.find('\n'); n != text.npos; n = text.find('\n', n)) {
    text.replace(n, 1, "; ");
  }
  return text;
}

// What a program of Slurm prints. Throws Error if it fails.
std::string OutputOf(const std::vector<std::string>& arguments) {
  const ProcessOutput output = RunProcess(arguments);
  if (output.exit_code != 0) {
    Fail(fmt::format("{} failed: {}", arguments.front(), Printable(OneLine(output.error), 500)));
  }
  return output.out;
}

// What Slurm has in its queue.
struct Queue {
  std::size_t jobs = 0;  // of all users, with those that have ended a moment ago
  std::map<std::string, std::set<std::size_t>> tasks;  // live ones, by the comment of their array
};

// Whether a task in this state is still to be run, or is running.
bool IsLive(const std::string& state) {
  static const std::set<std::string> ended = {
      "BOOT_FAIL", "CANCELLED",     "COMPLETED", "DEADLINE", "FAILED", "LAUNCH_FAILED",
      "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REVOKED",  "TIMEOUT"};
  return !ended.contains(state);
}

Queue ReadQueue() {
  Queue queue;
  // The comment, which may have spaces, comes last.
  std::istringstream lines(
      OutputOf({"squeue", "--noheader", "--array", "--states=all", "--format=%T %K %k"}));
  for (std::string line; std::getline(lines, line);) {
    ++queue.jobs;
    std::istringstream words(line);
    std::string state;
    std::size_t task = 0;
    std::string comment;
    if (!(words >> state >> task) || words.get() != ' ' || !std::getline(words, comment)) continue;
    if (IsLive(state)) queue.tasks[comment].insert(task);
  }
  return queue;
}

struct Limits {
  std::size_t array_size = 1001;  // Slurm's defaults
  std::size_t jobs = 10000;
};

Limits ReadLimits() {
  Limits limits;
  std::istringstream lines(OutputOf({"scontrol", "show", "config"}));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string key;
    std::string equals;
    std::size_t value = 0;
    if (!(words >> key >> equals >> value) || equals != "=" || value == 0) continue;
    if (key == "MaxArraySize") limits.array_size = value;
    if (key == "MaxJobCount") limits.jobs = value;
  }
  return limits;
}

Json TasksJson(const ExperimentPlan& plan, std::span<const TaskRuns> tasks) {
  Json value = Json::array();
  for (const TaskRuns& task : tasks) {
    Json runs = Json::array();
    for (const RunId& run : task) runs.push_back({plan.cells[run.cell].name, run.restart});
    value.push_back(std::move(runs));
  }
  return value;
}

std::vector<TaskRuns> ReadTasks(const Experiment& experiment, const std::string& submission) {
  std::map<std::string, std::size_t> cells;
  for (std::size_t n = 0; n < experiment.plan().cells.size(); ++n) {
    cells[experiment.plan().cells[n].name] = n;
  }
  const std::string path =
      PathIn(PathIn(SlurmDirectory(experiment.path()), submission), kTasksFile);
  return ParseFile(path, 256e6, [&cells](const std::string& text) {
    std::vector<TaskRuns> tasks;
    for (const nlohmann::json& runs : ReadJson(text)) {
      TaskRuns& task = tasks.emplace_back();
      for (const nlohmann::json& run : runs) {
        const auto cell = cells.find(run.at(0).get<std::string>());
        const int restart = run.at(1).get<int>();
        if (cell == cells.end() || restart < 1) {
          throw Error("pushdown::ReadTask", "has a run that the experiment does not have");
        }
        task.push_back({cell->second, restart});
      }
    }
    return tasks;
  });
}

// The names of all submissions, by their numbers.
std::map<int, std::string> Submissions(const std::string& directory) {
  std::map<int, std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    int number = 0;
    const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (fault == std::errc() && end == name.data() + name.size() && number > 0) {
      names[number] = name;
    }
  }
  return names;
}

// Runs that are in the queue.
std::set<std::pair<std::size_t, int>> QueuedRuns(const Experiment& experiment,
                                                 const std::string& directory, const Queue& queue) {
  std::set<std::pair<std::size_t, int>> runs;
  for (const auto& [number, submission] : Submissions(directory)) {
    const auto live = queue.tasks.find(PathIn(directory, submission));
    if (live == queue.tasks.end()) continue;
    const std::vector<TaskRuns> tasks = ReadTasks(experiment, submission);
    for (const std::size_t task : live->second) {
      if (task >= tasks.size()) continue;
      for (const RunId& run : tasks[task]) runs.emplace(run.cell, run.restart);
    }
  }
  return runs;
}

// Whether Slurm may take fewer tasks, or these tasks later.
bool IsLimit(const std::string& error) {
  for (const char* text :
       {"SubmitJob", "job submit limit", "temporarily unable", "temporarily unavailable"}) {
    if (error.find(text) != error.npos) return true;
  }
  return false;
}

// Options that would part tasks from their runs.
void CheckOptions(const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    for (const char* own : {"--array", "-a", "--comment"}) {
      if (!option.starts_with(own)) continue;
      throw Error("pushdown::Submit",
                  fmt::format("sbatch is given {} by this command, which needs it itself", own));
    }
  }
}

class Submitter {
 public:
  Submitter(const Experiment& experiment, const SlurmOptions& options)
      : experiment_(experiment), options_(options), directory_(SlurmDirectory(experiment.path())) {
    CheckOptions(options.sbatch);
  }

  SubmitOutcome Submit(std::span<const RunId> runs, bool retry_failed) {
    const SubmitLock lock(directory_, options_.check);
    const Queue queue = ReadQueue();
    const Limits limits = ReadLimits();
    const auto queued = QueuedRuns(experiment_, directory_, queue);
    std::vector<RunId> missing;
    for (const RunId& run : runs) {
      if (queued.contains({run.cell, run.restart})) {
        ++outcome_.queued;
        continue;
      }
      const RunState state = experiment_.Record(run).state;
      if (state == RunState::kFinished || (state == RunState::kFailed && !retry_failed)) {
        ++outcome_.done;
        continue;
      }
      if (state == RunState::kFailed) experiment_.ForgetFailure(run);
      missing.push_back(run);
    }
    tasks_ = DivideIntoTasks(experiment_.plan(), missing, options_.array_size);
    // Slurm keeps one place free. With one task too many, sbatch would try again for two minutes.
    std::size_t room = limits.jobs > queue.jobs + 1 ? limits.jobs - queue.jobs - 1 : 0;
    std::size_t begin = 0;
    while (begin < tasks_.size() && room > 0) {
      if (options_.check) options_.check();
      const std::size_t count = std::min({tasks_.size() - begin, limits.array_size, room});
      if (SubmitArray(begin, count)) {
        begin += count;
        room -= count;
      } else {
        room = count / 2;
      }
    }
    for (std::size_t n = begin; n < tasks_.size(); ++n) outcome_.left += tasks_[n].size();
    // If there is nothing to wait for, there will never be room.
    if (outcome_.left > 0 && outcome_.arrays.empty() && queue.jobs == 0) {
      Fail("sbatch takes not even one task: " + outcome_.refusal);
    }
    if (outcome_.left > 0 && outcome_.refusal.empty()) {
      outcome_.refusal =
          fmt::format("Slurm has {} jobs, and takes no more than {}", queue.jobs, limits.jobs);
    }
    return std::move(outcome_);
  }

 private:
  // False if Slurm does not take so many tasks now.
  bool SubmitArray(std::size_t begin, std::size_t count) {
    const std::string submission = NewName();
    const std::string path = PathIn(directory_, submission);
    const std::span<const TaskRuns> tasks(tasks_.data() + begin, count);
    const std::vector<NamedText> files = {
        {kTasksFile, JsonLine(TasksJson(experiment_.plan(), tasks))},
        {kScriptFile,
         BatchScript(experiment_.path(), experiment_.plan(), submission, count, options_)}};
    WriteDirectory(path, files);
    std::vector<std::string> arguments = {"sbatch", "--parsable"};
    arguments.insert(arguments.end(), options_.sbatch.begin(), options_.sbatch.end());
    // Here as well, since SBATCH_COMMENT would take precedence over the script.
    arguments.push_back("--comment=" + path);
    arguments.push_back(PathIn(path, kScriptFile));
    ProcessOutput output;
    try {
      output = RunProcess(arguments);
    } catch (const Error&) {
      Remove(path);
      throw;
    }
    if (output.exit_code != 0) {
      const std::string message = Printable(OneLine(output.error), 500);
      // After "Socket timed out", Slurm may have taken the array all the same.
      if (ReadQueue().tasks.contains(path)) {
        Fail(fmt::format("sbatch failed, but the array is in the queue: {}", message));
      }
      Remove(path);
      if (!IsLimit(output.error)) Fail("sbatch failed: " + message);
      outcome_.refusal = message;
      return false;
    }
    SubmittedArray& array = outcome_.arrays.emplace_back();
    array.submission = submission;
    array.job = output.out.substr(0, output.out.find_first_of(";\n"));
    array.tasks = count;
    for (const TaskRuns& task : tasks) array.runs += task.size();
    return true;
  }

  // A name that no submission has had, as far as is known: tasks of one that was refused could
  // still appear.
  std::string NewName() {
    const std::map<int, std::string> names = Submissions(directory_);
    number_ = std::max(number_, names.empty() ? 0 : names.rbegin()->first) + 1;
    return fmt::format("{:03}", number_);
  }

  static void Remove(const std::string& path) {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

  const Experiment& experiment_;
  const SlurmOptions& options_;
  std::string directory_;
  std::vector<TaskRuns> tasks_;
  int number_ = 0;  // of the newest submission
  SubmitOutcome outcome_;
};

}  // namespace

std::vector<TaskRuns> DivideIntoTasks(const ExperimentPlan& plan, std::span<const RunId> runs,
                                      int array_size) {
  const auto cost = [&plan](const RunId& run) {
    return ApproximateRunSeconds(plan.cells[run.cell].settings);
  };
  double total = 0;
  for (const RunId& run : runs) total += cost(run);
  const double target = array_size > 0 ? total / array_size : kTaskSeconds;
  std::vector<TaskRuns> tasks;
  double task_seconds = 0;
  double before = 0;  // of the runs so far
  for (const RunId& run : runs) {
    // With a number of tasks, task n ends where n times the target is reached, so that there are
    // not more.
    const bool full = array_size > 0 ? before >= target * static_cast<double>(tasks.size())
                                     : task_seconds + cost(run) > target;
    if (tasks.empty() || full) {
      tasks.emplace_back();
      task_seconds = 0;
    }
    tasks.back().push_back(run);
    task_seconds += cost(run);
    before += cost(run);
  }
  return tasks;
}

std::string BatchScript(const std::string& directory, const ExperimentPlan& plan,
                        const std::string& submission, std::size_t tasks,
                        const SlurmOptions& options) {
  const std::string own = PathIn(SlurmDirectory(directory), submission);
  return fmt::format(
      R"(#!/bin/bash
#SBATCH --job-name={}
#SBATCH --array=0-{}
#SBATCH --cpus-per-task={}
#SBATCH --output={}
#SBATCH --open-mode=append
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
#SBATCH --comment={}

# Trains the runs of one task. Signals tell the program to save and stop: USR1 comes two minutes
# before the time limit, TERM with a cancellation or a preemption.
child=
trap 'kill -USR1 "$child"' USR1
trap 'kill -USR2 "$child"' USR2
trap 'kill -TERM "$child"' TERM
{} experiment task {} {} "$SLURM_ARRAY_TASK_ID" --threads "${{SLURM_CPUS_PER_TASK:-1}}" &
child=$!
wait "$child"
while kill -0 "$child" 2> /dev/null; do  # a signal ends wait before the program has ended
  wait "$child"
done
wait "$child"
code=$?

# 75: there is more to do. The task goes back into the queue.
if [ "$code" -eq 75 ]; then
  scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}"
fi
exit "$code"
)",
      SbatchQuoted("pushdown-" + (plan.name.empty() ? "experiment" : plan.name)), tasks - 1,
      plan.kind == DataKind::kText ? 2 : 1, SbatchQuoted(own + "/%a.log"), SbatchQuoted(own),
      ShellQuoted(options.program), ShellQuoted(Absolute(directory)), submission);
}

SubmitOutcome Submit(const Experiment& experiment, std::span<const RunId> runs,
                     const SlurmOptions& options, bool retry_failed) {
  return Submitter(experiment, options).Submit(runs, retry_failed);
}

TaskRuns ReadTask(const Experiment& experiment, const std::string& submission, std::size_t task) {
  if (submission.empty() || submission.find_first_not_of("0123456789") != submission.npos) {
    throw Error("pushdown::ReadTask", "there is no submission " + Quoted(submission));
  }
  const std::vector<TaskRuns> tasks = ReadTasks(experiment, submission);
  if (task >= tasks.size()) {
    throw Error(
        "pushdown::ReadTask",
        fmt::format("the submission has {} tasks, there is no task {}", tasks.size(), task));
  }
  return tasks[task];
}

}  // namespace pushdown
