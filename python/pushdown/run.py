"""Training, and the runs that it leaves."""

from __future__ import annotations

import json
import os
import warnings
from typing import Any, Callable, Optional

import numpy
from numpy.typing import NDArray

from pushdown import _core
from pushdown._arguments import Path, callback_or_none, setting_texts
from pushdown._errors import InputError
from pushdown.model import Model

__all__ = ["Run", "settings", "train"]


class Run:
    """A directory of ``train`` or of ``pushdown train``, finished or not.

    What it says is read from its files whenever it is asked for, so that a run can be watched while
    another process trains it.
    """

    def __init__(self, path: Path) -> None:
        self.path = os.path.abspath(os.fspath(path))
        self._open()

    def __fspath__(self) -> str:
        return self.path

    def _open(self) -> _core.Run:
        return _core.Run(self.path)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, by the names that ``train`` has for them; ``language`` is what it is."""
        return {name.replace("-", "_"): value for name, value in self._open().settings.items()}

    @property
    def restarts(self) -> list[Run]:
        """The restarts that have begun, each as a run of its own; only itself if it has one."""
        run = self._open()
        directories = [run.directory(restart) for restart in range(1, run.restarts + 1)]
        return [Run(directory) for directory in directories if _core.holds_run(directory)]

    @property
    def finished(self) -> bool:
        """Whether the training of all restarts has ended, so that there is nothing to resume."""
        run = self._open()
        return all(_core.run_state(run.directory(restart)) == "finished"
                   for restart in range(1, run.restarts + 1))

    @property
    def metrics(self) -> dict[str, NDArray[Any]]:
        """An array of each metric, by epochs that have ended.

        If there are several restarts, those of all follow each other, and ``restart`` numbers them.
        ``pandas.DataFrame(run.metrics)`` is a table. What is not known is NaN.
        """
        run = self._open()
        rows = []
        for restart in range(1, run.restarts + 1):
            for row in run.metrics(restart):
                if not isinstance(row, dict) or "epoch" not in row:
                    raise InputError(f"{run.directory(restart)}: metrics.jsonl is broken")
                rows.append({"restart": restart, **row} if run.restarts > 1 else row)
        first = [name for name in ("restart", "epoch") if rows and name in rows[0]]
        names = first + [name for name in dict.fromkeys(key for row in rows for key in row)
                         if name not in first]
        return {name: _column([row.get(name) for row in rows]) for name in names}

    @property
    def summary(self) -> Optional[dict[str, Any]]:
        """The result, as summary.json has it; None while there is none."""
        path = os.path.join(self.path, "summary.json")
        try:
            with open(path, encoding="utf-8") as file:
                summary = json.load(file)
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise InputError(f"{path}: {error}") from None
        if not isinstance(summary, dict):
            raise InputError(f"{path}: is not an object")
        return summary

    def model(self) -> Model:
        """The model of the best epoch so far; of several restarts, that of the best one."""
        return Model.load(self.path)

    def evaluate(self, split: str = "test", **options: Any) -> dict[str, Any]:
        """``evaluate`` of the model."""
        return self.model().evaluate(split, **options)

    def __repr__(self) -> str:
        run = self._open()
        return (f"<Run {self.path}: {run.model} of {run.kind}, "
                f"{'finished' if self.finished else 'not finished'}>")


def _column(values: list[Any]) -> NDArray[Any]:
    if any(value is None for value in values):
        return numpy.array([numpy.nan if value is None else value for value in values], dtype=float)
    return numpy.array(values)


def settings(*, text: bool = False) -> list[dict[str, Any]]:
    """What can be given to ``train``; with ``text``, to trainings on text.

    Each has a ``name``, a ``default`` in words ("" if there is none), usual ``values`` and a
    ``description``. ``pandas.DataFrame(pushdown.settings())`` is a table.

    >>> import pushdown
    >>> defaults = {each["name"]: each["default"] for each in pushdown.settings()}
    >>> defaults["hidden_units"], defaults["batch_size"]
    ('20', '10')
    """
    return [{"name": name.replace("-", "_"), "default": default, "values": values,
             "description": description}
            for name, _, default, values, description in _core.settings(text)]


def train(out: Path, *, text: bool = False, resume: bool = False, config: Optional[Path] = None,
          callback: Optional[Callable[[dict[str, Any]], Any]] = None, **settings: Any) -> Run:
    """Trains a model, as ``pushdown train`` or, with ``text``, ``pushdown lm train`` does.

    ``out`` is the directory of the new run. The settings have the names of the program's options
    with _ for -, and those that are not given have its defaults, which ``settings()`` lists; a
    range of lengths may be a tuple, and the parameters of a language a dict:

    >>> import pushdown, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> run = pushdown.train(folder.name, task="marked-reversal", param={"p": 0.5}, model="rns-1-2",
    ...                      hidden_units=4, lengths=(3, 7), test_lengths=(3, 9),
    ...                      training_size=20, validation_size=10, test_size=2, max_epochs=2)
    >>> run.finished, run.settings["seed"], run.metrics["epoch"]
    (True, 1, array([1, 2]))
    >>> run.model().name
    'rns-1-2'

    ``config`` is a file with settings, TOML or the config.json of another run; those that are given
    here take precedence.

    ``callback`` is called with a dict, whose ``event`` is "start" or "end" of a restart, "epoch"
    with its metrics or, a few times a second, "batch"; ``restart`` is the restart's number. If it
    returns False or anything else that is false but None, the training stops. It also stops if the
    callback raises an exception, or by Ctrl-C, or when ``time_limit`` has passed. A training that
    was stopped is saved, and ``resume=True`` goes on with it, to the same result bit for bit; the
    settings are those of the run, and only ``max_epochs``, the place of its data and how it is
    executed may be given.

    Raises NumericError if the training, or that of each restart, has diverged.
    """
    texts = [(name.replace("_", "-"), setting_texts(name, value))
             for name, value in settings.items() if value is not None]
    found = _core.train(os.fspath(out), bool(text), bool(resume),
                        "" if config is None else os.fspath(config), texts,
                        callback_or_none(callback))
    for warning in found:
        warnings.warn(warning, stacklevel=2)
    return Run(out)
