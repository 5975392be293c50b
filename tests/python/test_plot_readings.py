"""The example examples/python/plot_readings.py draws every kind of stack."""

import pathlib
import subprocess
import sys

import pytest

import pushdown

pytest.importorskip("matplotlib")

SCRIPT = pathlib.Path(__file__).parents[2] / "examples" / "python" / "plot_readings.py"


def plot(tmp_path, model):
    run = tmp_path / "run"
    pushdown.train(run, task="marked-reversal", model=model, lengths=(3, 9), training_size=20,
                   validation_size=10, max_epochs=1, learning_rate=0.01)
    return subprocess.run([sys.executable, SCRIPT, run, "0 1 # 1 0", "--out", tmp_path / "out.png"],
                          stderr=subprocess.PIPE, text=True, check=False)


@pytest.mark.parametrize("model", ["rns-2-3", "vrns-1-2-3", "sup-2-3"])
def test_draws_a_picture(tmp_path, model):
    result = plot(tmp_path, model)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_says_that_there_is_no_stack(tmp_path):
    result = plot(tmp_path, "lstm")
    assert result.returncode == 1 and result.stderr == "lstm: has no stack to read\n"
