"""The examples of docs/python.md and of the README, in their order."""

import pathlib
import re

import pytest

pytest.importorskip("torch")

ROOT = pathlib.Path(__file__).parents[2]


def run_examples(document):
    """Returns what is defined after all of them."""
    text = document.read_text()
    names = {"__name__": "example"}
    blocks = list(re.finditer(r"```python\n(.*?)```", text, re.DOTALL))
    assert blocks
    for block in blocks:
        # Errors show the lines of the document.
        code = "\n" * text.count("\n", 0, block.start(1)) + block.group(1)
        exec(compile(code, str(document), "exec"), names)
    return names


def test_examples_of_the_readme(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_examples(ROOT / "README.md")
    assert names["hidden"].shape == (16, 40, 20)
    assert all(parameter.grad is not None for parameter in names["rnn"].parameters())


@pytest.mark.slow
def test_examples_of_the_page(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    run_examples(ROOT / "docs" / "python.md")
    printed = capsys.readouterr().out
    differences = [float(d) for d in re.findall(r"epoch \d+: (.*) nats above", printed)]
    assert len(differences) == 8 and differences[-1] < 0.25 * differences[0]
    assert "True False" in printed  # of the recogniser
