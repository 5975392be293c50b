"""The package as a whole: what comes with it when it is imported, and its exceptions."""

import copy
import os
import pickle
import subprocess
import sys

import pytest

import pushdown
from pushdown import _core


def test_importing_it_does_not_import_pytorch():
    code = "import sys, pushdown; print([name for name in sys.modules if 'torch' in name])"
    found = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True,
                           check=True).stdout
    assert found == "[]\n"


def test_its_module_needs_openblas_as_a_shared_library_and_not_pytorch():
    listed = subprocess.run(["readelf", "--dynamic", _core.__file__], stdout=subprocess.PIPE,
                            text=True, check=True).stdout
    needed = [line.split("[")[1].rstrip("]") for line in listed.splitlines() if "(NEEDED)" in line]
    assert any(name.startswith("libopenblas.so") for name in needed), needed
    assert not any("torch" in name or "c10" in name or "python" in name for name in needed), needed


def raised(call):
    with pytest.raises(pushdown.Error) as caught:
        call()
    return caught.value


FAILURES = {
    "InputError": lambda: pushdown.stacks.Nondeterministic(0, 3),
    "UnknownSymbol": lambda: pushdown.languages.get("dyck").encode("(1 x"),
    "LimitError": lambda: pushdown.languages.get("count-3").contains([0] * 10001),
    "NumericError": lambda: pushdown.AutomatonRuns(1, 1, [[float("nan")] * 3]),
    "OperatingSystemError": lambda: pushdown.compile("S -> a").save(os.devnull + "/x"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_exceptions_are_copied_and_go_into_other_processes(kind):
    error = raised(FAILURES[kind])
    assert type(error).__name__ == kind
    for same in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(same) is type(error) and str(same) == str(error) != ""
        assert vars(same) == vars(error)
