"""Strings of symbols: how they are written and numbered."""

from __future__ import annotations

import operator
import re
from typing import Any, Callable, Iterable, Sequence, Union

from numpy.typing import NDArray

from pushdown._errors import InputError

# Text with spaces between symbols, the names of symbols, or their numbers.
String = Union[str, Sequence[str], Sequence[int], NDArray[Any]]

# As the program separates them. str.split also does at spaces of Unicode, which words may have.
_SYMBOL = re.compile(r"[^ \t\r\n]+")


def encode_all(encode: Callable[[String], list[int]],
               strings: Iterable[String]) -> list[list[int]]:
    """Errors say which string they are about, counted from 0."""
    if isinstance(strings, str) or not isinstance(strings, Iterable):
        raise InputError("strings: one string is given, must be a list of them")
    result = []
    for number, string in enumerate(strings):
        try:
            result.append(encode(string))
        except InputError as error:
            raise InputError(f"string {number}: {error}") from error
    return result


class UnknownSymbol(InputError):
    """A string has a symbol that is not in the alphabet, at a position counted from 1."""

    def __init__(self, position: int, name: str, alphabet: Sequence[str]) -> None:
        some = " ".join(alphabet[:20]) + (" ..." if len(alphabet) > 20 else "")
        self.position = position
        self.reason = f'"{name}" is not a symbol; the symbols are: {some}'
        self._arguments = position, name, list(alphabet)
        super().__init__(f"position {position}: {self.reason}")

    def __reduce__(self) -> Any:  # into another process
        return UnknownSymbol, self._arguments


class Alphabet:
    """Numbers the symbols 0, 1, 2 ... in the order of their names.

    >>> alphabet = Alphabet(["a", "b"])
    >>> alphabet.encode("a b b"), alphabet.encode(["a", "b", "b"]), alphabet.encode([0, 1, 1])
    ([0, 1, 1], [0, 1, 1], [0, 1, 1])
    >>> alphabet.decode([0, 1, 1])
    'a b b'
    """

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def encode(self, string: String) -> list[int]:
        if not isinstance(string, Iterable):
            raise InputError(f"{string!r} is not a string: text with spaces between symbols, or a "
                             "list of symbols")
        symbols: Iterable[Any] = _SYMBOL.findall(string) if isinstance(string, str) else string
        return [self._number(symbol, position) for position, symbol in enumerate(symbols, start=1)]

    def encode_all(self, strings: Iterable[String]) -> list[list[int]]:
        return encode_all(self.encode, strings)

    def _number(self, symbol: Any, position: int) -> int:
        if isinstance(symbol, str):
            number = self._numbers.get(symbol)
            if number is None:
                raise UnknownSymbol(position, symbol, self.names)
            return number
        try:
            number = operator.index(symbol)
        except TypeError:
            number = -1
        if not 0 <= number < len(self.names):
            raise InputError(f"position {position}: {symbol!r} is not the number of a symbol; "
                             f"numbers are 0 to {len(self.names) - 1}")
        return number

    def decode(self, numbers: Iterable[int]) -> str:
        return " ".join(self.names[number] for number in self.encode(list(numbers)))
