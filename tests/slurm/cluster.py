"""A private Slurm cluster, what is in its queue, and the processes of its jobs."""

import collections
import contextlib
import os
import pathlib
import re
import subprocess
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "slurm-cluster"


class Stuck(Exception):
    """There is no use in going on."""


Task = collections.namedtuple("Task", "name job index state comment")  # name: ARRAY_INDEX


class Process(collections.namedtuple("Process", "pid job")):
    def signal(self, number):
        """Whether the process was still there."""
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            return False
        return True


class Cluster:
    """A cluster while `with` lasts; settings are lines of slurm.conf."""

    def __init__(self, directory, *settings):
        self.directory = directory
        self.settings = settings
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("SLURM_", "SBATCH_"))}
        self.environment["SLURM_CONF"] = str(directory / "slurm.conf")

    def __enter__(self):
        self.control("start", *self.settings)
        self.name = (self.directory / "name").read_text().strip()
        return self

    def __exit__(self, *_):
        self.control("stop")

    def control(self, command, *arguments):
        # Daemons would keep a pipe open.
        with tempfile.TemporaryFile("w+") as output:
            result = subprocess.run([SCRIPT, command, self.directory, *arguments],
                                    stdin=subprocess.DEVNULL, stdout=output, stderr=output)
            if result.returncode != 0:
                output.seek(0)
                raise Stuck(f"slurm-cluster {command} failed:\n{output.read()}")

    def run(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True)

    def start(self, *command):
        return subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def tasks(self):
        """What is in the queue: waits, runs, or is just ending."""
        for _ in range(5):  # a busy machine may answer late
            result = self.run("squeue", "--noheader", "--array", "--format=%F %K %A %T %k")
            if result.returncode == 0:
                break
        else:
            raise Stuck(f"squeue failed: {result.stderr}")
        tasks = []
        for line in result.stdout.splitlines():
            array, index, job, state, comment = line.split(" ", 4)
            tasks.append(Task(f"{array}_{index}", job, int(index), state, comment))
        return tasks

    def processes(self, is_wanted):
        """Those of jobs with such a command line, a list of words."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                environment = (path / "environ").read_bytes().split(b"\0")
                command = (path / "cmdline").read_bytes().split(b"\0")
                if f"SLURM_CLUSTER_NAME={self.name}".encode() in environment and \
                        is_wanted(command):
                    jobs = [variable.partition(b"=")[2].decode() for variable in environment
                            if variable.startswith(b"SLURM_JOB_ID=")]
                    found.append(Process(int(path.name), jobs[0]))
        return found

    def step_daemons(self):
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (path / "comm").read_text() != "slurmstepd\n":
                    continue
                step = re.match(rb"slurmstepd: \[(\d+)\.batch\]", (path / "cmdline").read_bytes())
                if step and os.readlink(path / "cwd") == str(self.directory / "log"):
                    found.append(Process(int(path.name), step[1].decode()))
        return found
