"""What several tests need: the program, and a Python that is interrupted while it works."""

import os
import pathlib
import select
import signal
import subprocess
import sys
import threading

import pytest

ROOT = pathlib.Path(__file__).parents[2]

# Whether the package is built with sanitizers, with which everything takes many times as long.
SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long, and adds nothing with the sanitizers, "
                                       "whose run leaves it out")


@pytest.fixture(scope="session")
def program():
    """program("score", "--json", path) is what the program prints."""
    path = os.environ.get("PUSHDOWN_PROGRAM") or ROOT / "build/release/cli/pushdown"
    if not os.access(path, os.X_OK):
        message = f"no program {path}: make program builds it, PUSHDOWN_PROGRAM names another"
        if os.environ.get("PUSHDOWN_REQUIRE_PROGRAM") == "1":
            pytest.fail(message)
        pytest.skip(message)
    # The sanitizers of the package are not those of the program.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}

    def run(*arguments, input=None):
        done = subprocess.run([path, *map(str, arguments)], check=False, text=True, input=input,
                              env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


@pytest.fixture
def interrupted():
    """interrupted(code) interrupts code a fifth of a second after it has called `started()`: within
    a second, it must answer by a KeyboardInterrupt."""
    def run(code):
        script = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
def started():
    print("started", flush=True)
try:
{"".join("    " + line + chr(10) for line in code.strip().splitlines())}
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
        longest = 10 if SANITIZED else 1
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as child:
            end = threading.Timer(30 * longest, child.kill)  # whatever waits for it goes on then
            end.start()
            try:
                assert child.stdout.readline() == "started\n", child.stderr.read()
                # Work that has ended before it is interrupted would show nothing.
                assert not select.select([child.stdout], [], [], 0.2)[0], child.communicate()
                child.send_signal(signal.SIGINT)
                answered = select.select([child.stdout], [], [], longest)[0]
                assert answered, f"no answer within {longest} s"
                assert child.communicate() == ("interrupted\n", "")
            finally:
                end.cancel()
                child.kill()
    return run
