#!/usr/bin/env python3
"""Experiments on private Slurm clusters: what is submitted, and what disturbances change (nothing).

usage: slurm_test.py PROGRAM EXPERIMENT [--disturbances N] [--seed N] [--keep]

EXPERIMENT is a TOML file with several runs of some seconds each. The test trains it on this
machine, then on a cluster that scripts/slurm-cluster starts: while tasks are at work, they get
signals, are requeued, cancelled and killed, and the node dies. Whatever happens, the results are to
be the same bit for bit. Prints a line for each check; exits with 1 if one fails, and with 77 where
there is no Slurm or no root.
"""

import argparse
import collections
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from cluster import Cluster, Stuck
from disturbances import DISTURBANCES, DisturbedExperiment, draw_disturbances
from program import (RESULTS, Program, run_directories, runs_in_queue, submission_of, submit,
                     task_lists, tasks_in_queue)

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "squeue")

failures = 0


def check(what, condition, details=""):
    global failures
    if condition:
        print(f"ok     {what}", flush=True)
    else:
        failures += 1
        print(f"FAILED {what}" + (f": {details}" if details else ""), flush=True)
    return condition


# The local run, and the comparison with it


def train_locally(program, out):
    start = time.monotonic()
    result = program.run_locally(out)
    if result.returncode != 0 or not program.is_finished(out):
        raise Stuck(f"run exits with {result.returncode}:\n{result.stdout}{result.stderr}")
    runs = run_directories(out)
    seconds = time.monotonic() - start
    check(f"{len(runs)} runs are trained without a cluster, in {seconds:.0f} s", len(runs) > 4,
          "more than four are needed, for several arrays")
    return runs


def compare(expected, out, what):
    actual = run_directories(out)
    differences = []
    if actual.keys() != expected.keys():
        differences.append(f"runs {sorted(actual.keys() ^ expected.keys())} are not in both")
    for name in sorted(actual.keys() & expected.keys()):
        for file in RESULTS:
            for path in (actual[name] / file, expected[name] / file):
                if not path.is_file():
                    differences.append(f"{path} is missing")
                    break
            else:
                if (actual[name] / file).read_bytes() != (expected[name] / file).read_bytes():
                    differences.append(f"{actual[name] / file} differs")
    check(f"{what}: {', '.join(RESULTS)} of {len(expected)} runs are the same bit for bit",
          not differences, "; ".join(differences))


def check_disturbed(program, work, expected, count, numbers):
    names = draw_disturbances(count, numbers)
    left = list(names)
    with Cluster(work / "cluster") as cluster:
        rounds = 0
        # Runs may be over before all disturbances have taken place.
        while rounds == 0 or (left and rounds < 4):
            rounds += 1
            out = work / f"disturbed-{rounds}"
            experiment = DisturbedExperiment(program, cluster, out, left, numbers)
            experiment.submit()
            if rounds == 1:
                for name in ("USR1 to the batch script", "USR1 to the program"):
                    check(f"a task comes back by itself after {name}", experiment.comes_back(name))
            experiment.train()
            done = len(names) - len(left)
            check(f"the experiment is finished after {done} of {count} disturbances, "
                  f"{experiment.submissions} submissions and {experiment.seconds():.0f} s", True)
            check("no run was in the queue twice", not experiment.twice, experiment.twice)
            compare(expected, out, "after the disturbances")
            check("submit adds nothing to a finished experiment",
                  submit(program, cluster, out, 4) == 0)
    done = collections.Counter(names[:len(names) - len(left)])
    for name in DISTURBANCES:
        print(f"       {done[name]} x {name}")
    check(f"all {count} disturbances took place", not left, f"{len(left)} did not")


# Submission alone: the tasks are held and never begin.

HOLD = ("--", "--hold")
MANY = 1000  # tasks, so that each has one run


def check_script(program, work):
    script = work / "dry-run.sh"
    result = subprocess.run(program.submit_command(work / "dry run", 4, "--dry-run"),
                            capture_output=True, text=True)
    script.write_text(result.stdout)
    check("submit --dry-run prints a batch script",
          result.returncode == 0 and result.stdout.startswith("#!") and "#SBATCH" in result.stdout,
          result.stdout + result.stderr)
    checkers = [["bash", "-n"]]
    if shutil.which("shellcheck"):
        checkers.append(["shellcheck", "--severity=warning"])
    for checker in checkers:
        result = subprocess.run([*checker, script], capture_output=True, text=True)
        check(f"{' '.join(checker)} accepts the batch script", result.returncode == 0,
              result.stdout + result.stderr)


def check_queue(cluster, out, runs, what):
    """Each run is in one task of the queue."""
    queued = runs_in_queue(cluster, out)
    check(what, len(queued) == runs and len(set(queued)) == runs,
          f"the queue has {len(queued)} runs, {len(set(queued))} different ones of {runs}; "
          f"task lists: {task_lists(out)}")


def check_concurrent_submissions(program, cluster, work, runs):
    out = work / "concurrent"
    commands = [cluster.start(*program.submit_command(out, MANY, *HOLD)) for _ in range(4)]
    outputs = ["".join(command.communicate()) for command in commands]
    check("four calls of submit at the same time succeed",
          all(command.returncode == 0 for command in commands), "".join(outputs))
    check_queue(cluster, out, runs, "they submit every run once")
    given_out = [run for tasks in task_lists(out).values() for task in tasks for run in task]
    check("no run is in two task lists", len(given_out) == runs, task_lists(out))

    check("submit adds nothing while all runs are in the queue",
          submit(program, cluster, out, MANY, *HOLD) == 0)
    task = tasks_in_queue(cluster, out)[-1]
    cluster.run("scancel", task.name)
    cancelled = task_lists(out)[submission_of(task)[1]][task.index]
    submit(program, cluster, out, MANY, *HOLD)
    check_queue(cluster, out, runs, "a cancelled task is submitted again, and nothing else")
    newest = sorted(task_lists(out).items())[-1][1]
    check("its runs are those of the new task list",
          sorted(cancelled) == sorted(run for task in newest for run in task), newest)


def check_array_size(program, cluster, work, runs, limit):
    out = work / "small-arrays"
    submit(program, cluster, out, MANY, *HOLD)
    check_queue(cluster, out, runs, f"with MaxArraySize={limit}, every run is submitted once")
    sizes = [len(tasks) for tasks in task_lists(out).values()]
    check(f"there are several arrays of {limit} tasks at most: {sizes}",
          len(sizes) > 1 and max(sizes) <= limit)


def check_job_count(program, cluster, work, limit):
    out = work / "few-jobs"
    # 75: not everything could be submitted.
    submit(program, cluster, out, MANY, *HOLD, code=75)
    queued = runs_in_queue(cluster, out)
    tasks = len(tasks_in_queue(cluster, out))
    check(f"with MaxJobCount={limit}, some runs are submitted, none twice: {tasks} tasks",
          0 < tasks < limit and len(set(queued)) == len(queued), task_lists(out))
    submit(program, cluster, out, MANY, *HOLD, code=75)
    check("submit adds nothing while there is no room", runs_in_queue(cluster, out) == queued,
          task_lists(out))


def run_test(program, work, disturbances, numbers):
    check_script(program, work)
    expected = train_locally(program, work / "local")
    runs = len(expected)
    with Cluster(work / "small", "MaxArraySize=4") as cluster:
        check_concurrent_submissions(program, cluster, work, runs)
        check_array_size(program, cluster, work, runs, 4)
    with Cluster(work / "full", "MaxArraySize=4", "MaxJobCount=5") as cluster:
        check_job_count(program, cluster, work, 5)
    check_disturbed(program, work, expected, disturbances, numbers)


def why_skipped():
    if os.geteuid() != 0:
        return "a private Slurm cluster needs root"
    missing = [program for program in NEEDED if not shutil.which(program)]
    if missing:
        return f"{', '.join(missing)} not found; the packages are slurm-wlm and munge"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="pushdown")
    parser.add_argument("experiment", help="a TOML file with several short runs")
    parser.add_argument("--disturbances", type=int, default=12, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="N",
                        help="of the disturbances (default: another one each time)")
    parser.add_argument("--keep", action="store_true", help="keep the files of a successful test")
    arguments = parser.parse_args()
    reason = why_skipped()
    if reason:
        print(f"skipped: {reason}")
        return 77
    for path in (arguments.program, arguments.experiment):
        if not os.path.isfile(path):
            parser.error(f"{path}: there is no such file")
    program = Program(os.path.realpath(arguments.program), os.path.realpath(arguments.experiment))
    seed = random.randrange(1000000) if arguments.seed is None else arguments.seed
    work = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="pushdown-slurm-")))
    print(f"       --seed {seed}, files in {work}", flush=True)
    try:
        run_test(program, work, arguments.disturbances, random.Random(seed))
    except Stuck as stuck:
        check("the test comes to its end", False, str(stuck))
    if failures == 0 and not arguments.keep:
        shutil.rmtree(work)
    else:
        print(f"       the files are in {work}")
    print(f"FAILED: {failures} checks" if failures else "ok")
    return 1 if failures else 0


if __name__ == "__main__":
    # So that clusters are stopped, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
