"""Formal languages with exact distributions over their strings.

``get`` has the languages of the paper by name, and ``Grammar`` is the language of a probabilistic
context-free grammar. A string is text with spaces between its symbols; the names of the symbols in
a list and their numbers in a list or an array are accepted, too. "" is the empty string.

The distribution over strings is p_L of the paper: first a length is chosen, uniformly from those in
``lengths`` that the language has, and then a string of this length, by its probability among those.
``lengths`` is the shortest and the longest length, (40, 80), or a single one. All logarithms are
natural.

>>> dyck = get("dyck", symbols=1)
>>> dyck.contains("(1 (1 )1 )1")
True
>>> dyck.objection("(1 )1 )1")
Objection(position=3, reason='found ")1", expected "(1" or the end of the string')
>>> abc = get("count-3")
>>> abc.sample(3, lengths=(1, 9), seed=1)
['a a b b c c', 'a a a b b b c c c', 'a a b b c c']
>>> import math
>>> round(math.exp(abc.log_probability("a b c", lengths=(1, 9))), 6)    # one of 3, 6 and 9
0.333333
"""

from __future__ import annotations

import fractions
import functools
import os
import warnings
from typing import Any, Iterable, NamedTuple, Optional, Union

import numpy
from numpy.typing import NDArray

from pushdown import _core
from pushdown._arguments import (
    MAX_SEED, Lengths, Path, integer, length_range, optional_range)
from pushdown._arguments import text as _text
from pushdown._errors import InputError
from pushdown._symbols import Alphabet, String, UnknownSymbol

__all__ = ["Grammar", "Language", "Objection", "Rule", "describe", "get", "names"]


class Objection(NamedTuple):
    """Why a string is not in a language."""

    position: int  # counted from 1; one more than the string is long stands for its end
    reason: str


class Rule(NamedTuple):
    """A rule of a grammar."""

    left: str
    right: tuple[str, ...]  # empty: the empty string
    probability: float


class Language:
    """A formal language; ``get`` and ``Grammar`` make them. May be used by several threads.

    What depends on the length of strings is computed when it is needed, and kept. For large
    grammars and long strings, this takes a while.
    """

    def __init__(self, language: _core.Language, name: str,
                 made_by: Optional[tuple[Any, tuple[Any, ...], dict[str, Any]]] = None) -> None:
        self._language = language
        self._alphabet = Alphabet(language.alphabet)
        self.name = name
        self._made_by = made_by

    def __reduce__(self) -> Any:  # into another process, and for copies
        if self._made_by is None:
            return _grammar_again, (self._language.text, self.name)
        function, arguments, parameters = self._made_by
        return functools.partial(function, **parameters), arguments

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"

    @property
    def alphabet(self) -> list[str]:
        """The symbols, in the order of their numbers."""
        return list(self._alphabet.names)

    @property
    def grammar(self) -> Optional[Grammar]:
        """The grammar of a context-free language, None for others.

        >>> print(get("marked-reversal", symbols=1, p=0.5).grammar)
        S -> "0" S "0" [0.5]
          | "#" [0.5]
        <BLANKLINE>
        """
        return Grammar._of(self._language, self.name) if self._language.has_grammar else None

    def encode(self, string: String) -> list[int]:
        """The numbers of a string's symbols."""
        return self._alphabet.encode(string)

    def decode(self, numbers: Iterable[int]) -> str:
        """The string with these numbers."""
        return self._alphabet.decode(numbers)

    def sample(self, count: int, lengths: Lengths = (40, 80), *, seed: int = 1) -> list[str]:
        """Strings of p_L, those of ``pushdown sample`` with this seed."""
        strings = self._language.sample(integer(count, "count", 0), length_range(lengths),
                                        integer(seed, "seed", 0, MAX_SEED))
        return [self.decode(string) for string in strings]

    def lengths(self, within: Lengths = (40, 80)) -> list[int]:
        """The lengths of a range of which the language has strings.

        >>> get("marked-copy").lengths((2, 8))
        [3, 5, 7]
        """
        return self._language.lengths(length_range(within, "within"))

    def contains(self, string: String) -> bool:
        """Whether a string is in the language, of whichever length. The same as ``in``."""
        return self.objection(string) is None

    def __contains__(self, string: String) -> bool:
        return self.contains(string)

    def objection(self, string: String) -> Optional[Objection]:
        """Where and why a string is not in the language; None if it is in it."""
        try:
            found = self._language.objection(self.encode(string))
        except UnknownSymbol as error:
            return Objection(error.position, error.reason)
        return None if found is None else Objection(*found)

    def log_weight(self, string: String) -> float:
        """Of a grammar, the log-probability of the string among strings of all lengths.

        Languages without a grammar give each of their strings the weight 1.
        """
        return self._language.log_weight(self.encode(string))

    def log_probability_given_length(self, string: String) -> float:
        """log p(string | its length); -inf if it is not in the language."""
        return self._language.log_probability_given_length(self.encode(string))

    def log_probability(self, string: String, lengths: Lengths = (40, 80)) -> float:
        """log p_L(string); -inf if it is not in the language, or of another length."""
        return float(self.log_probabilities([string], lengths)[0])

    def log_probabilities(self, strings: Iterable[String],
                          lengths: Lengths = (40, 80)) -> NDArray[numpy.float64]:
        """The same for several strings."""
        return self._language.log_probabilities(self._alphabet.encode_all(strings),
                                                length_range(lengths))

    def prefix_log_probabilities(self, string: String,
                                 lengths: Lengths = (40, 80)) -> NDArray[numpy.float64]:
        """By t = 0 .. n, the log-probability that a string of p_L begins with the first t symbols.

        Differences are the log-probabilities of each symbol after those before it: what a perfect
        model of the language would give it.

        >>> import numpy
        >>> count = get("count-3")    # a b c and a a b b c c
        >>> numpy.exp(count.prefix_log_probabilities("a a b", lengths=(1, 6)))
        array([1. , 1. , 0.5, 0.5])
        """
        return self._language.prefix_log_probabilities(self.encode(string), length_range(lengths))

    def lower_bound(self, strings: Iterable[String], lengths: Lengths = (40, 80)) -> float:
        """The cross-entropy of strings under p_L, in nats a symbol, a string's end being one.

        No model can be better on average. All strings must be in the language and in ``lengths``.

        >>> round(get("count-3").lower_bound(["a b c"], lengths=(1, 9)), 6)    # log(3) / 4
        0.274653
        """
        several = self._alphabet.encode_all(strings)
        if not several:
            raise InputError("there are no strings, and so there is no lower bound")
        logs = self.log_probabilities(several, lengths)
        for number, (string, log_probability) in enumerate(zip(several, logs)):
            if log_probability == -numpy.inf:
                objection = self.objection(string)
                raise InputError(f"string {number}: " + (
                    f"has {len(string)} symbols, which is not in lengths {lengths}"
                    if objection is None
                    else f"position {objection.position}: {objection.reason}"))
        symbols = sum(len(string) + 1 for string in several)
        return float(-logs.sum() / symbols)

    def dataset(self, *, lengths: Lengths = (40, 80), test_lengths: Optional[Lengths] = None,
                training_size: int = 10000, validation_size: int = 1000, test_size: int = 100,
                batch_size: int = 10, seed: int = 1, test_seed: int = 1) -> dict[str, Any]:
        """Sets of strings for training, validation and test, those of ``pushdown data``.

        Training and validation sets are sampled batch by batch, all strings of a batch having one
        length. The test set has ``test_size`` strings of every length in ``test_lengths`` that the
        language has; these are those of ``lengths`` and up to a quarter longer if they are not
        given. With a ``test_size`` of 0, there is no test set.

        The dict has "training", "validation" and "test"; each is a dict with "strings" and

            symbols                 how many there are, ends of strings included
            lengths                 of p_L, the shortest and the longest
            valid_lengths           how many of these lengths the language has
            lower_bound             as ``lower_bound`` gives it for the strings
            lower_bound_by_length   the same by length

        >>> sets = get("count-3").dataset(lengths=(1, 9), training_size=20, validation_size=10,
        ...                               test_size=1)
        >>> sets["test"]["strings"]
        ['a b c', 'a a b b c c', 'a a a b b b c c c']
        """
        def count(value: int, name: str) -> int:
            return integer(value, name, 0)

        splits = self._language.dataset(
            length_range(lengths), optional_range(test_lengths, "test_lengths"),
            count(training_size, "training_size"), count(validation_size, "validation_size"),
            count(test_size, "test_size"), count(batch_size, "batch_size"),
            integer(seed, "seed", 0, MAX_SEED), integer(test_seed, "test_seed", 0, MAX_SEED))
        for split in splits.values():
            if split is not None:
                split["strings"] = [self.decode(string) for string in split["strings"]]
        return splits


class Grammar(Language):
    """The language of a probabilistic context-free grammar, as docs/formal-languages.md writes it.

    >>> grammar = Grammar('''
    ...     S -> "(" S ")" S [0.4] | eps [0.6]    # balanced brackets
    ... ''')
    >>> "( ( ) )" in grammar
    True
    >>> import math
    >>> round(math.exp(grammar.log_weight("( )")), 6)    # 0.4 * 0.6 * 0.6
    0.144
    >>> grammar.rules
    [Rule(left='S', right=('(', 'S', ')', 'S'), probability=0.4), Rule(left='S', right=(), \
probability=0.6)]
    >>> try:
    ...     Grammar("S -> a S b [0.5] | eps [0.6]")
    ... except InputError as error:
    ...     print(error)
    grammar:1:1: the probabilities of S sum to 1.1, expected 1

    ``name`` is what errors and warnings call the text. Warnings of the format, of nonterminals that
    cannot be reached for example, are warnings of Python (UserWarning).
    """

    def __init__(self, text: str, name: str = "grammar") -> None:
        self._set(_core.parse_grammar(_text(text, "the grammar"), name), name)

    @classmethod
    def read(cls, path: Path) -> Grammar:
        """Reads the grammar in a file."""
        grammar = cls.__new__(cls)
        grammar._set(_core.read_grammar(os.fspath(path)), os.fspath(path))
        return grammar

    def _set(self, parsed: tuple[_core.Language, list[str]], name: str) -> None:
        language, found = parsed
        Language.__init__(self, language, name)
        for warning in found:
            warnings.warn(warning, stacklevel=3)

    @classmethod
    def _of(cls, language: _core.Language, name: str) -> Grammar:
        grammar = cls.__new__(cls)
        Language.__init__(grammar, language, name)
        return grammar

    @property
    def rules(self) -> list[Rule]:
        """The rules, with the probabilities of each left side summing to one."""
        return [Rule(*rule) for rule in self._language.rules]

    @property
    def start(self) -> str:
        """The start symbol."""
        return self._language.start

    def __str__(self) -> str:
        """The grammar in the format that it is read from."""
        return self._language.text


def _grammar_again(text: str, name: str) -> Grammar:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which were told when it was made
        return Grammar(text, name)


def names() -> list[str]:
    """The names of all languages that ``get`` knows, in the order of the paper.

    >>> names()[:3]
    ['count-3', 'marked-reverse-and-copy', 'count-and-copy']
    """
    return [name for name, *_ in _core.languages()]


def describe(name: str) -> dict[str, Any]:
    """What is known of a language.

    >>> describe("dyck")["definition"], describe("dyck")["default_symbols"]
    ('balanced brackets', 2)
    >>> describe("dyck")["parameters"]["s"]
    {'default': 0.5, 'meaning': 'probability that another bracketed group stands before'}

    "default_symbols" is None if the number of symbols cannot be chosen.
    """
    for known, definition, context_free, symbols, parameters in _core.languages():
        if known == name:
            return {
                "name": name,
                "definition": definition,
                "context_free": context_free,
                "default_symbols": symbols or None,
                "parameters": {parameter: {"default": default, "meaning": meaning}
                               for parameter, default, meaning in parameters},
            }
    get(name)  # which says what is possible
    raise AssertionError


def get(name: str, symbols: Optional[int] = None,
        **parameters: Union[float, str, fractions.Fraction]) -> Language:
    """A language by its name, with so many types of symbols or brackets.

    Parameters are probabilities, as numbers or as text such as "60/61"; ``describe`` lists them.

    >>> get("unmarked-reversal", symbols=3, p="9/10").alphabet
    ['0', '1', '2']
    >>> try:
    ...     get("dyck", r=0.5)
    ... except InputError as error:
    ...     print(error)
    dyck has no parameter "r"; it has s, t
    """
    numbers = {}
    for parameter, value in parameters.items():
        try:
            exact = fractions.Fraction(value) if isinstance(value, str) else value
            numbers[parameter] = float(exact)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise InputError(f"{parameter}: {value!r}, must be a probability such as 0.25 or "
                             "\"1/4\"") from error
    number = 0 if symbols is None else integer(symbols, "symbols", 1)
    return Language(_core.named_language(_text(name, "name"), number, numbers), name,
                    (get, (name, symbols), parameters))
