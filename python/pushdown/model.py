"""Trained models."""

from __future__ import annotations

import os
import warnings
from typing import Any, Iterable, Mapping, Optional, Union

import numpy
from numpy.typing import DTypeLike, NDArray

from pushdown import _core
from pushdown._arguments import (
    MAX_SEED, Lengths, Path, integer, is_double, optional_integer, optional_range,
    optional_threads)
from pushdown._errors import InputError
from pushdown._symbols import Alphabet, String, encode_all
from pushdown.automaton_runs import AutomatonRuns
from pushdown.recognizer import Recognizer

__all__ = ["Model", "load"]

Array = NDArray[Any]


def load(path: Path) -> Union[Model, Recognizer]:
    """Opens a model file, the best model so far of a run, or what ``pushdown compile`` has made."""
    if _core.holds_recognizer(os.fspath(path)):
        return Recognizer.load(path)
    return Model.load(path)


class Model:
    """A trained model, as ``load`` and ``Run.model`` return it. Several threads may use one.

    Strings are given as text, "0 1 # 1 0", or as lists of names or of numbers of the
    ``vocabulary``, without their ends. A string of a model of text is a sentence, which is read as
    if it were the first one of a text; in text, words that the model does not know are "<unk>".
    """

    def __init__(self, model: _core.Model, origin: Optional[str] = None) -> None:
        self._model = model
        self._origin = origin  # the run or file whose sets it is evaluated on
        self._alphabet = Alphabet(model.vocabulary)

    @classmethod
    def load(cls, path: Path) -> Model:
        """Opens a model file, or the best model so far of a run."""
        model, found = _core.open_model(os.fspath(path))
        for warning in found:
            warnings.warn(warning, stacklevel=3)
        return cls(model, os.path.abspath(model.run_directory or model.path))

    def __reduce__(self) -> Any:  # into another process, and for copies
        return _model_again, (self._model.bytes(), self._origin)

    @property
    def path(self) -> Optional[str]:
        """The model file; None if the model was made by ``with_weights``, or is a copy."""
        return self._model.path or None

    @property
    def kind(self) -> str:
        """What it was trained on: "strings" or "text"."""
        return self._model.kind

    @property
    def name(self) -> str:
        """As the program calls it, such as "rns-3-3"."""
        return self._model.name

    @property
    def vocabulary(self) -> list[str]:
        """The names of its symbols or words, by their numbers."""
        return list(self._alphabet.names)

    @property
    def description(self) -> dict[str, Any]:
        """What makes the model: its name, kind, sizes, and the options of its stack."""
        return self._model.description

    @property
    def weights(self) -> dict[str, Array]:
        """A copy of the weights, float32; weights of layers are [inputs, outputs]."""
        return self._model.weights()

    def __repr__(self) -> str:
        return (f"<Model {self.name} of {self.kind}, "
                f"{self.description['hidden_units']} hidden units>")

    def with_weights(self, weights: Mapping[str, Any]) -> Model:
        """The same model with other weights, which must have the names and shapes of its own."""
        return Model(self._model.with_weights(dict(weights)), self._origin)

    def save(self, path: Path) -> None:
        """Writes a model file, which ``load`` and the program open."""
        self._model.save(os.path.abspath(os.fspath(path)))

    def encode(self, string: String) -> list[int]:
        """The numbers of the symbols of a string."""
        if isinstance(string, str) and self.kind == "text":
            return self._model.encode(string)
        return self._alphabet.encode(string)

    def decode(self, numbers: Iterable[int]) -> str:
        """The string with these numbers."""
        return self._alphabet.decode(numbers)

    def _scores(self, strings: Iterable[String], dtype: DTypeLike, running: bool,
                threads: Optional[int]) -> list[Array]:
        return self._model.scores(encode_all(self.encode, strings), is_double(dtype), running,
                                  optional_threads(threads))

    def log_probability(self, string: String, *, dtype: DTypeLike = numpy.float32) -> float:
        """log p of a string, its end included. ``dtype`` is the type that computes."""
        return float(self.score(string, dtype=dtype).sum())

    def log_probabilities(self, strings: Iterable[String], *, threads: Optional[int] = None,
                          running: bool = False, dtype: DTypeLike = numpy.float32) -> Array:
        """log p of each string, its end included. Strings are spread over threads.

        ``running`` is for text: the sentences are one text, and each is read after those before it.
        """
        scores = self._scores(strings, dtype, running, threads)
        return numpy.array([score.sum() for score in scores], dtype=numpy.float64)

    def score(self, string: String, *, dtype: DTypeLike = numpy.float32) -> Array:
        """log p of each symbol of a string, and of its end, given all before it."""
        return self._scores([self.encode(string)], dtype, False, 1)[0]

    def trace(self, string: String, *, dtype: DTypeLike = numpy.float32) -> dict[str, Array]:
        """What the model computes for a string w_1 .. w_n, as arrays.

        ``log_probabilities`` of each symbol and the end (a text has no end here), the ``hidden``
        states h_t [n, H], the ``readings`` r_{t-1} [n, R] that they were computed from, and
        ``actions`` [n - 1, ...], what the stack took after w_t: of rns and vrns logits, of sup the
        probabilities of push, no-op and pop, then the pushed vectors. There are none for the last
        symbol, since nothing reads the stack after it.
        """
        return self._model.trace(self.encode(string), is_double(dtype))

    def next(self, prefix: String = "", top: Optional[int] = None) -> dict[str, float]:
        """log p of each symbol after a prefix, and of the end, "<eos>"; the most probable first."""
        return self._model.next(self.encode(prefix), optional_integer(top, "top", 1) or 0)

    def sample(self, count: int = 1, seed: int = 1, *, temperature: float = 1,
               top_k: Optional[int] = None, max_length: Optional[int] = None, prompt: String = "",
               running: bool = False) -> list[dict[str, Any]]:
        """Samples strings, each with its ``length``, its ``log_p`` and whether it ``ended``.

        ``log_p`` is that of what follows the prompt. Strings that reach ``max_length`` (by default
        twice the longest of the training) are cut. The n-th string depends on the options and n
        only. Below 1, ``temperature`` makes improbable symbols rarer, and 0 takes the most probable
        one; ``top_k`` draws from so many symbols only. With ``running``, sentences follow each
        other in one text.
        """
        if not (isinstance(temperature, (int, float)) and 0 <= temperature < float("inf")):
            raise InputError(f"temperature: {temperature}, must be at least 0, and finite")
        if running and self.kind != "text":
            raise InputError("running: only a model of text has sentences that follow each other")
        return self._model.sample(
            integer(count, "count", 0), integer(seed, "seed", 0, MAX_SEED), temperature,
            optional_integer(top_k, "top_k", 1) or 0,
            optional_integer(max_length, "max_length", 1), self.encode(prompt), running)

    def beam_search(self, beams: int = 1, *, max_length: Optional[int] = None,
                    prompt: String = "") -> list[dict[str, Any]]:
        """The most probable strings that a beam search finds, as ``sample`` returns them."""
        return self._model.beam_search(
            integer(beams, "beams", 1), optional_integer(max_length, "max_length", 1),
            self.encode(prompt))

    def inspect(self, string: String, *, runs: int = 1, samples: int = 0, seed: int = 1,
                lengths: Optional[Lengths] = None, depths: int = 10,
                min_probability: float = 1e-3) -> dict[str, Any]:
        """What happens inside the model while it reads a string, as docs/inside.md describes it.

        Tables are arrays: ``readings``, and those of ``automaton`` and of each ``superposition``.
        Rows of one number more than the row before are filled up with zeros.
        """
        found = self._model.inspect(
            self.encode(string), optional_range(lengths), integer(runs, "runs", 0),
            integer(samples, "samples", 0), integer(seed, "seed", 0, MAX_SEED),
            integer(depths, "depths", 0), min_probability)
        for prediction in found["predictions"]:
            _make_number(prediction, "optimum_log_p")
        if found["optimum"] is not None:
            _make_number(found["optimum"], "log_p")
        found["readings"] = _table(found["readings"])
        if found["automaton"] is not None:
            for key in ("tops", "tops_given_all", "expected_heights",
                        "expected_heights_given_all", "heights", "pushed_in"):
                found["automaton"][key] = _table(found["automaton"][key])
        for stack in found["superposition"] or []:
            for key in ("actions", "weights", "norms"):
                stack[key] = _table(stack[key])
        return found

    def evaluate(self, split: str = "test", *, lengths: Optional[Lengths] = None,
                 bound: Optional[str] = None, bound_lengths: Optional[Lengths] = None,
                 data: Optional[Path] = None, batch_size: Optional[int] = None,
                 chunk_length: Optional[int] = None,
                 threads: Optional[int] = None) -> dict[str, Any]:
        """The cross-entropy on a set of the model's run, beside the exact optimum if it is known.

        The arguments are the options of ``pushdown evaluate``, and the result is what its --json
        has; ``by_length``, of a model of strings, is a list of dicts. A model of ``with_weights``
        is evaluated on the sets of the run that the first one belongs to.
        """
        if self._origin is None:
            raise InputError("the model belongs to no run or file")
        directory = "" if data is None else os.fspath(data)
        workers = optional_threads(threads)
        wrong: dict[str, Any] = {"batch_size": batch_size, "chunk_length": chunk_length}
        if self.kind == "text":
            wrong = {"lengths": lengths, "bound": bound, "bound_lengths": bound_lengths}
        for name, value in wrong.items():
            if value is not None:
                raise InputError(f"{name} is not for models of {self.kind}")
        if self.kind == "text":
            result, found = _core.evaluate_text(
                self._model, self._origin, split, directory,
                optional_integer(batch_size, "batch_size", 1) or 0,
                optional_integer(chunk_length, "chunk_length", 1) or 0, workers)
        else:
            result, found = _core.evaluate_strings(
                self._model, self._origin, split, optional_range(lengths), bound,
                optional_range(bound_lengths, "bound_lengths"), directory, workers)
        for warning in found:
            warnings.warn(warning, stacklevel=2)
        return result

    def runs(self, string: String) -> AutomatonRuns:
        """The runs of the automaton of an rns or vrns model while it reads a string."""
        return AutomatonRuns._of(self._model.runs(self.encode(string)))


def _model_again(file: bytes, origin: Optional[str]) -> Model:
    return Model(_core.model_of_bytes(file), origin)


def _make_number(entry: dict[str, Any], key: str) -> None:
    """JSON has "-inf" for what is impossible."""
    if entry[key] is not None:
        entry[key] = float(entry[key])


def _table(rows: list[Any]) -> Array:
    """An array of numbers or of rows; shorter rows are filled up with zeros."""
    if not rows or not isinstance(rows[0], list):
        return numpy.array(rows, dtype=numpy.float64)
    table = numpy.zeros((len(rows), max(map(len, rows))))
    for row, values in zip(table, rows):
        row[:len(values)] = values
    return table
