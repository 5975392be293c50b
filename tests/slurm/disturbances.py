"""What may happen to a task, and an experiment to which it happens."""

import os
import signal
import subprocess
import time

import program
from cluster import Stuck

MOST_SECONDS = 600  # of an experiment; something hangs then

# Disturbances: each takes the cluster, a running task and the process of its program, and returns
# whether it took place. The task may just have ended.


def signal_job(cluster, task, *options):
    # While others of its array wait, scancel does not know that the task has got the signal, and
    # sends it again every few seconds.
    command = cluster.start("scancel", *options, task.name)
    try:
        command.communicate(timeout=2)
    except subprocess.TimeoutExpired:
        command.kill()
        command.communicate()
        return True
    return command.returncode == 0


def signal_batch(cluster, task, _):
    return signal_job(cluster, task, "--signal=USR1", "--batch")


def signal_all(cluster, task, _):
    return signal_job(cluster, task, "--signal=USR2", "--full")


def signal_program(_, __, process):
    return process.signal(signal.SIGUSR1)


def requeue(cluster, task, _):
    return cluster.run("scontrol", "requeue", task.name).returncode == 0


def cancel(cluster, task, _):
    return cluster.run("scancel", task.name).returncode == 0


def kill_program(_, __, process):
    return process.signal(signal.SIGKILL)


def kill_step_daemon(cluster, task, _):
    """The program trains on without its job, until after Slurm has begun the job again."""
    return any(daemon.signal(signal.SIGKILL) for daemon in cluster.step_daemons()
               if daemon.job == task.job)


def kill_node(cluster, _, __):
    cluster.control("kill-node")
    cluster.control("start-node")
    return True


DISTURBANCES = {
    "USR1 to the batch script": signal_batch,
    "USR2 to the whole job": signal_all,
    "USR1 to the program": signal_program,
    "scontrol requeue": requeue,
    "scancel": cancel,
    "kill -9 of the program": kill_program,
    "kill -9 of slurmstepd": kill_step_daemon,
    "death of the node": kill_node,
}


def draw_disturbances(count, numbers):
    """Each kind about as often as each other."""
    names = []
    while len(names) < count:
        names += numbers.sample(list(DISTURBANCES), len(DISTURBANCES))
    return names[:count]


class DisturbedExperiment:
    """An experiment on a cluster, with disturbances from a list while there are any."""

    def __init__(self, own_program, cluster, out, disturbances, numbers):
        self.program = own_program
        self.cluster = cluster
        self.out = out
        self.disturbances = disturbances
        self.numbers = numbers
        self.start = time.monotonic()
        self.submissions = 0
        self.twice = []  # runs that were in the queue twice
        self.submit_at = None
        self.report_until = 0  # until then, slurmd is asked now and then which jobs it has

    def seconds(self):
        return time.monotonic() - self.start

    def check_time(self):
        if self.seconds() > MOST_SECONDS:
            raise Stuck(f"the experiment is not finished after {MOST_SECONDS} s")

    def submit(self):
        # Two tasks a CPU, so that tasks have several runs, and some wait.
        added = program.submit(self.program, self.cluster, self.out, 2 * (os.cpu_count() or 1))
        if added > 0:
            self.submissions += 1
        self.twice += program.runs_in_queue_twice(self.cluster, self.out)
        return added

    def tasks(self):
        return program.tasks_in_queue(self.cluster, self.out)

    def programs(self):
        return self.cluster.processes(program.is_task)

    def at_work(self):
        """Running tasks with their processes."""
        programs = {process.job: process for process in self.programs()}
        return [(task, programs[task.job]) for task in self.tasks()
                if task.state == "RUNNING" and task.job in programs]

    def comes_back(self, name):
        """Whether a task at work, disturbed by a signal, saves and is in the queue again."""
        before = []
        while not (targets := [target for target in self.at_work() if target in before]):
            self.check_time()
            before = self.at_work()
            time.sleep(2)  # a signal while a script or a program starts would end it
        task, process = targets[0]
        DISTURBANCES[name](self.cluster, task, process)
        while True:
            states = [other.state for other in self.tasks() if other.name == task.name]
            if states in ([], ["PENDING"]):
                return bool(states)
            self.check_time()
            time.sleep(0.2)

    def disturb(self):
        """Whether something was there to be disturbed."""
        if not self.at_work():
            return False
        time.sleep(self.numbers.uniform(0, 3))
        targets = self.at_work()
        if not targets:
            return False
        task, process = self.numbers.choice(targets)
        name = self.disturbances[0]
        at = self.seconds()
        if not DISTURBANCES[name](self.cluster, task, process):
            return False
        print(f"       {at:5.1f} s: {name}, task {task.name}", flush=True)
        self.disturbances.pop(0)
        if name == "scancel":
            self.submit_at = self.seconds() + self.numbers.uniform(0, 2)
        if name == "kill -9 of slurmstepd":
            self.report_until = self.seconds() + 20
        return True

    def advance(self):
        """Whether there is more to do."""
        if self.seconds() < self.report_until:
            # Slurm asks once in a minute without this.
            self.cluster.run("scontrol", "reconfigure")
        if self.submit_at and self.seconds() >= self.submit_at:
            self.submit_at = None
            self.submit()
        if self.program.is_finished(self.out):
            return False
        if not self.tasks() and self.submit() == 0 and not self.programs():
            if self.program.is_finished(self.out):
                return False
            raise Stuck("nothing is in the queue, nothing is submitted, but runs are not finished")
        self.check_time()
        return True

    def train(self):
        """To the end, if it was submitted."""
        try:
            while self.advance():
                if not self.disturbances or not self.disturb():
                    time.sleep(0.5)
        except Stuck as stuck:
            raise Stuck(f"{stuck}\n{self.program.status(self.out)}{self.logs()}") from None

    def logs(self):
        """The end of what each task has printed."""
        text = ""
        for path in sorted(self.out.glob("slurm/**/*.log")):
            lines = path.read_text(errors="replace").splitlines()[-15:]
            text += "\n".join([f"--- {path}", *lines, ""])
        return text
