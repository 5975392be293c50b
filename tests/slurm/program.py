"""The program under test, and all that the test knows of its files and of its jobs."""

import collections
import json
import os
import pathlib
import subprocess

from cluster import Stuck

RESULTS = ("model.safetensors", "metrics.jsonl", "test.json")


def run_directories(out):
    """{CELL/restart-K: path}"""
    return {f"{path.parent.name}/{path.name}": path for path in out.glob("*/restart-*")}


def task_lists(out):
    """{submission: [task]}, a task being a list of runs (cell, restart)."""
    lists = {}
    for path in sorted(out.glob("slurm/*/tasks.json")):
        tasks = json.loads(path.read_text())
        lists[path.parent.name] = [[(cell, restart) for cell, restart in task] for task in tasks]
    return lists


def submission_of(task):
    """The experiment's directory and the submission, which an array has as its comment."""
    path = pathlib.Path(task.comment)
    return path.parent.parent, path.name


def is_task(command):
    return b"experiment" in command and b"task" in command


class Program:
    def __init__(self, path, experiment):
        self.path = path
        self.experiment = experiment

    def command(self, name, *arguments):
        return [self.path, "experiment", name, *map(str, arguments)]

    def run_locally(self, out):
        jobs = os.cpu_count() or 1
        command = self.command("run", self.experiment, "--out", out, "--jobs", jobs,
                               "--threads", 1)
        return subprocess.run(command, capture_output=True, text=True)

    def submit_command(self, out, tasks, *options):
        return self.command("submit", self.experiment, "--out", out, "--array-size", tasks,
                            *options)

    def is_finished(self, out):
        result = subprocess.run(self.command("is-finished", out), capture_output=True, text=True)
        if result.returncode not in (0, 1):
            raise Stuck(f"is-finished exits with {result.returncode}: {result.stderr}")
        return result.returncode == 0

    def status(self, out):
        result = subprocess.run(self.command("status", out), capture_output=True, text=True)
        return result.stdout + result.stderr


def tasks_in_queue(cluster, out):
    """Those of one experiment."""
    return [task for task in cluster.tasks() if submission_of(task)[0] == out]


def runs_in_queue(cluster, out):
    """A list, in which a run is as often as it is in the queue."""
    lists = task_lists(out)
    runs = []
    for task in tasks_in_queue(cluster, out):
        runs += lists[submission_of(task)[1]][task.index]
    return runs


def runs_in_queue_twice(cluster, out):
    counts = collections.Counter(runs_in_queue(cluster, out))
    return [run for run, count in counts.items() if count > 1]


def submit(program, cluster, out, tasks, *options, code=0):
    """Submits what is left. The number of tasks that this has added."""
    before = sum(map(len, task_lists(out).values()))
    result = cluster.run(*program.submit_command(out, tasks, *options))
    if result.returncode != code:
        raise Stuck(f"submit exits with {result.returncode}, not {code}:\n"
                    f"{result.stdout}{result.stderr}")
    return sum(map(len, task_lists(out).values())) - before
