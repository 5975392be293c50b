"""What several tests need: the program, and a Python that is interrupted while it works."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes minutes with the sanitizers, which leave it out")


@pytest.fixture(scope="session")
def program():
    """program("score", "--json", path) is what the program prints."""
    path = os.environ.get("PUSHDOWN_PROGRAM", ROOT / "build/release/cli/pushdown")
    if not os.access(path, os.X_OK):
        pytest.skip(f"no program {path}: make program builds it, PUSHDOWN_PROGRAM names another")

    def run(*arguments):
        return subprocess.run([path, *map(str, arguments)], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    return run


@pytest.fixture
def interrupted():
    """interrupted(code) interrupts code half a second after its line `started()`: it must answer by
    a KeyboardInterrupt."""
    def run(code):
        script = f"""
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
def started():
    print("started", flush=True)
try:
{"".join("    " + line + chr(10) for line in code.strip().splitlines())}
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
"""
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as child:
            try:
                assert child.stdout.readline() == "started\n", child.stderr.read()
                with pytest.raises(subprocess.TimeoutExpired):
                    child.wait(0.5)
                child.send_signal(signal.SIGINT)
                output, errors = child.communicate(timeout=20)  # or it is not answered at all
            finally:
                child.kill()
        assert (output, errors) == ("interrupted\n", "")
    return run
