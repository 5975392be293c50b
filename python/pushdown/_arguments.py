"""Arguments of functions, checked: a wrong one would otherwise be an error about types."""

from __future__ import annotations

import numbers
import operator
import os
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import DTypeLike

from pushdown import _core
from pushdown._errors import InputError

Path = Union[str, "os.PathLike[str]"]

# The shortest and the longest length, or the only one.
Lengths = Union[int, str, Tuple[int, int]]

MAX_COUNT = 2**31 - 1
MAX_SEED = 2**64 - 1


def integer(value: int, name: str, least: int, most: int = MAX_COUNT) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(f"{name} is {value!r}, must be an integer") from None
    if not least <= number <= most:
        raise InputError(f"{name} is {number}, must be between {least} and {most}")
    return number


def optional_integer(value: Optional[int], name: str, least: int) -> Optional[int]:
    return None if value is None else integer(value, name, least)


def threads() -> int:
    """How many threads are used where nobody says how many."""
    return _core.threads()


def set_threads(threads: int) -> None:
    """Uses so many threads where nobody says how many; 0 stands for one for each CPU."""
    _core.set_threads(integer(threads, "threads", 0, _core.max_threads))


def optional_threads(value: Optional[int], name: str = "threads") -> Optional[int]:
    return None if value is None else integer(value, name, 1, _core.max_threads)


def text(value: str, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{name} is {value!r}, must be text")
    return value


def callback_or_none(callback: Any) -> Any:
    if callback is not None and not callable(callback):
        raise InputError(f"callback is {callback!r}, must be a function of one argument")
    return callback


def length_range(lengths: Lengths, name: str = "lengths") -> tuple[int, int]:
    """Also as the program and ``Run.settings`` write it, "40:80"."""
    try:
        first: Any
        last: Any
        if isinstance(lengths, str):
            begin, colon, end = lengths.partition(":")
            first, last = int(begin), int(end if colon else begin)
        else:
            first, last = lengths if isinstance(lengths, Sequence) else (lengths, lengths)
        shortest, longest = operator.index(first), operator.index(last)
        good = 0 <= shortest <= longest <= _core.max_length
    except (TypeError, ValueError):
        good = False
    if not good:
        raise InputError(f"{name}: {lengths!r}, must be a length, or the shortest and the longest, "
                         f"between 0 and {_core.max_length}")
    return shortest, longest


def optional_range(lengths: Optional[Lengths], name: str = "lengths") -> Optional[tuple[int, int]]:
    return None if lengths is None else length_range(lengths, name)


def is_double(dtype: DTypeLike) -> bool:
    """Whether it is float64, and not float32."""
    try:
        found = None if dtype is None else numpy.dtype(dtype)
    except TypeError:
        found = None
    if found not in (numpy.float32, numpy.float64):
        raise InputError(f"dtype: {dtype!r}, must be numpy.float32 or numpy.float64")
    return bool(found == numpy.float64)


def setting_texts(name: str, value: Any) -> list[str]:
    """A setting as the command line would have it; several, if it may be given several times."""
    if isinstance(value, Mapping):
        return [f"{key}={number}" for key, number in value.items()]
    if isinstance(value, list):
        return [text for each in value for text in setting_texts(name, each)]
    if isinstance(value, tuple):
        return [":".join(str(number) for number in value)]
    if isinstance(value, os.PathLike):
        return [os.fspath(value)]
    if name == "grammar" and value == "-":
        raise InputError("grammar: '-' is no file")
    if isinstance(value, (str, numbers.Number, numpy.generic)):
        return [str(value)]
    raise InputError(f"{name} is {value!r}, must be a number, text or a path; a language is given "
                     "as task and param, or as the file of a grammar")
