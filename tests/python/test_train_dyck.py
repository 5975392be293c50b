"""The example examples/python/train_dyck.py learns."""

import pathlib
import re
import subprocess
import sys

import pytest

pytest.importorskip("torch")

SCRIPT = pathlib.Path(__file__).parents[2] / "examples" / "python" / "train_dyck.py"


@pytest.mark.slow
def test_both_networks_learn():
    result = subprocess.run([sys.executable, SCRIPT, "--steps", "60"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 0, result.stderr
    for name in ("LSTM", "RNS-RNN"):
        first, last = (re.search(rf"^{name} +{line}$", result.stdout, re.M) for line in (
            r"step +0 +above the lower bound: (.+)", r"(\S+) nats a symbol above the lower bound"))
        assert first and last, result.stdout
        assert 0 < float(last[1]) < 0.8 * float(first[1])
