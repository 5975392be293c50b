"""Arguments of functions, checked: a wrong one would otherwise be an error about types."""

from __future__ import annotations

import operator
import os
from typing import Any, Mapping, Optional, Sequence, Tuple, Union

import numpy
from numpy.typing import DTypeLike

from pushdown import _core
from pushdown._errors import InputError

Path = Union[str, "os.PathLike[str]"]

# The shortest and the longest length, or the only one.
Lengths = Union[int, Tuple[int, int]]

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


def optional_threads(value: Optional[int], name: str = "threads") -> Optional[int]:
    return None if value is None else integer(value, name, 1, _core.max_threads)


def length_range(lengths: Lengths, name: str = "lengths") -> tuple[int, int]:
    try:
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
    found = numpy.dtype(dtype)
    if found not in (numpy.float32, numpy.float64):
        raise InputError(f"dtype: {found}, must be float32 or float64")
    return bool(found == numpy.float64)


def setting_texts(value: Any) -> list[str]:
    """A setting as the command line would have it; several, if it may be given several times."""
    if isinstance(value, Mapping):
        return [f"{name}={number}" for name, number in value.items()]
    if isinstance(value, list):
        return [text for each in value for text in setting_texts(each)]
    if isinstance(value, tuple):
        return [":".join(str(number) for number in value)]
    return [os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
