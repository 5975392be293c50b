"""The examples of docs/python.md, in their order."""

import pathlib
import re

import pytest

pytest.importorskip("torch")

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "python.md"


def test_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = DOCUMENT.read_text()
    names = {"__name__": "example"}
    blocks = list(re.finditer(r"```python\n(.*?)```", text, re.DOTALL))
    assert blocks
    for block in blocks:
        # Errors show the lines of the document.
        code = "\n" * text.count("\n", 0, block.start(1)) + block.group(1)
        exec(compile(code, str(DOCUMENT), "exec"), names)
    printed = capsys.readouterr().out
    differences = [float(d) for d in re.findall(r"epoch \d+: (.*) nats above", printed)]
    assert len(differences) == 8 and differences[-1] < 0.25 * differences[0]
    assert "True False" in printed  # of the recogniser
