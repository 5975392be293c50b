"""Experiments: many runs, and their results."""

from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Optional, Sequence

import numpy
from numpy.typing import NDArray

from pushdown import _core
from pushdown._arguments import (
    Path, callback_or_none, optional_integer, optional_threads, setting_texts)
from pushdown._errors import InputError

__all__ = ["Experiment"]


class Experiment:
    """The results of an experiment, from its directory or from an export, as they are now.

    A cell is a combination of settings, and each of its runs is a restart. Settings that
    distinguish cells are texts, as the file of the experiment has them.
    """

    def __init__(self, path: Path) -> None:
        self._results = _core.Results(os.fspath(path))

    @classmethod
    def of_runs(cls, paths: Sequence[Path]) -> Experiment:
        """Runs that belong to no experiment, as if they were those of one.

        Runs that differ in nothing but seeds, and the restarts of a run, are runs of one cell.
        """
        if isinstance(paths, (str, os.PathLike)):
            raise InputError("paths: one path is given, must be a list of them")
        experiment = cls.__new__(cls)
        experiment._results = _core.Results.of_runs([os.fspath(path) for path in paths])
        return experiment

    @classmethod
    def run(cls, file: Path, out: Path, *, only: Optional[str] = None,
            restarts: Optional[int] = None, jobs: Optional[int] = None,
            threads: Optional[int] = None, time_limit: Optional[float] = None,
            retry_failed: bool = False, callback: Optional[Callable[[dict[str, Any]], Any]] = None,
            **settings: Any) -> Experiment:
        """Trains the runs of an experiment's file, as ``pushdown experiment run`` does.

        Goes on with those that were begun in the directory ``out``, and skips those that are
        finished. ``only`` chooses cells, "model=lstm|rns-3-3". Settings take precedence over those
        of the file. ``callback`` is called as that of ``train``; ``run`` of its events is the name
        of the run, and those of "end" have its results. A run that fails does not end the others;
        its ``state`` is "failed".
        """
        texts = [(name.replace("_", "-"), text) for name, value in settings.items()
                 if value is not None for text in setting_texts(name, value)]
        if time_limit is not None and not (isinstance(time_limit, (int, float)) and time_limit > 0):
            raise InputError(f"time_limit is {time_limit!r}, must be seconds, above 0")
        found = _core.train_experiment(
            os.fspath(file), os.fspath(out), texts, only or "",
            optional_integer(restarts, "restarts", 1) or 0,
            optional_threads(jobs, "jobs") or 0, optional_threads(threads) or 0,
            time_limit or 0.0, bool(retry_failed), callback_or_none(callback))
        for warning in found:
            warnings.warn(warning, stacklevel=2)
        return cls(out)

    @property
    def name(self) -> str:
        return self._results.name

    @property
    def title(self) -> str:
        """A line for people."""
        return self._results.title

    @property
    def kind(self) -> str:
        """What the models are trained on: "strings" or "text"."""
        return self._results.kind

    @property
    def measure(self) -> str:
        """What runs are compared by: "difference", "cross-entropy" or "perplexity"."""
        return self._results.measure

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The ``cell``'s name and its settings, of each cell."""
        return [_cell(cell) for cell in self._results.cells()]

    @property
    def runs(self) -> list[dict[str, Any]]:
        """One dict for each run: its cell, the cell's settings, its state and its results.

        ``score`` is the measure by validation and ``test_score`` that on the test set.
        ``pandas.DataFrame(experiment.runs)`` is a table; what is not known is None.
        """
        rows = []
        for cell in self._results.cells():
            for record in cell["runs"]:
                test = record.pop("test", {})
                row = {"run": record["run"], **_cell(cell), **record,
                       "test_cross_entropy": test.get("cross_entropy"),
                       "test_lower_bound": test.get("lower_bound")}
                rows.append({name: value for name, value in row.items()
                             if name not in ("curve", "rates")})
        names = dict.fromkeys(name for row in rows for name in row)
        return [{name: row.get(name) for name in names} for row in rows]

    @property
    def by_length(self) -> list[dict[str, Any]]:
        """One dict for each run and each length of its test set, with its cell's settings."""
        return [{"run": record["run"], **_cell(cell), **dict(zip(record["test"]["columns"], row))}
                for cell in self._results.cells() for record in cell["runs"]
                for row in record.get("test", {}).get("by_length", [])]

    @property
    def curves(self) -> dict[str, NDArray[numpy.float64]]:
        """The measure by validation after each epoch, by the names of runs; NaN if not finite.

        They have five decimals; ``Run.metrics`` has them all.
        """
        return {record["run"]: numpy.array(record.get("curve", []), dtype=numpy.float64)
                for cell in self._results.cells() for record in cell["runs"]}

    def table(self, by: Optional[Sequence[str]] = None,
              against: Optional[Path] = None) -> list[dict[str, Any]]:
        """The rows of ``pushdown experiment table``, which takes runs of a cell together.

        ``by`` are settings, and cells with the same values of these are one row. ``against`` is a
        file with published numbers to compare with.
        """
        keys = [by] if isinstance(by, str) else list(by or [])
        rows, found = self._results.table([key.replace("_", "-") for key in keys],
                                          "" if against is None else os.fspath(against))
        for warning in found:
            warnings.warn(warning, stacklevel=2)
        return [_with_names(row) for row in rows]

    def __repr__(self) -> str:
        states = [run["state"] for run in self.runs]
        return (f"<Experiment {self.name}: {len(self.cells)} cells, "
                f"{states.count('finished')} of {len(states)} runs finished>")


def _with_names(settings: dict[str, Any]) -> dict[str, Any]:
    """With _ for -, as arguments of Python have it."""
    return {name.replace("-", "_"): value for name, value in settings.items()}


def _cell(cell: dict[str, Any]) -> dict[str, Any]:
    return {"cell": cell["name"], **_with_names(cell["keys"])}
