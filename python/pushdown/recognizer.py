"""Networks that recognise languages exactly, made from grammars and automata without training."""

from __future__ import annotations

import os
import warnings
from typing import Any, Sequence, Union

import numpy
from numpy.typing import NDArray

from pushdown import _core
from pushdown._arguments import Path, integer
from pushdown._arguments import text as _text
from pushdown._errors import InputError, NumericError
from pushdown._symbols import Alphabet, String, UnknownSymbol
from pushdown.languages import Language

__all__ = ["Automaton", "Recognizer", "compile"]


class Automaton:
    """A nondeterministic pushdown automaton, written as docs/recognizers.md says.

    >>> brackets = Automaton('''
    ...     bottom: $
    ...     accept: q
    ...     q "(" $ -> q $ X
    ...     q "(" X -> q X X
    ...     q ")" X -> q eps
    ... ''')
    >>> brackets.alphabet, brackets.states, brackets.stack_symbols
    (['(', ')'], ['q'], ['$', 'X'])

    ``str`` writes it in the same format. ``name`` is what errors call the text.
    """

    def __init__(self, text: str, name: str = "automaton") -> None:
        self._text, self.alphabet, self.states, self.stack_symbols = _core.normal_automaton(
            _text(text, "the automaton"), name)
        self.name = name

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Automaton {self.name}>"


class Recognizer:
    """A nondeterministic stack RNN that accepts the strings of a language, and no others.

    ``compile`` makes it, and ``load`` reads one that was saved. Strings of any length can be given;
    what is kept for them grows with the longest.
    """

    def __init__(self, recognizer: _core.Recognizer) -> None:
        self._recognizer = recognizer
        self._alphabet = Alphabet(recognizer.alphabet)

    @classmethod
    def load(cls, path: Path) -> Recognizer:
        """Reads a directory of ``save`` or of ``pushdown compile``."""
        return cls(_core.load_recognizer(os.fspath(path)))

    def save(self, path: Path) -> None:
        """Makes a directory that ``load`` and ``pushdown recognize`` read."""
        self._recognizer.save(os.fspath(path))

    def __repr__(self) -> str:
        return f"<Recognizer {self.name} of {', '.join(self.sources)}>"

    @property
    def name(self) -> str:
        """The kind of network, such as "rns-2-3"."""
        return self._recognizer.model

    @property
    def alphabet(self) -> list[str]:
        """The symbols, in the order of their numbers."""
        return list(self._alphabet.names)

    @property
    def sources(self) -> list[str]:
        """The names of what it was made from."""
        return self._recognizer.sources

    @property
    def automaton(self) -> Automaton:
        """The automaton that the network simulates."""
        return Automaton(self._recognizer.automaton)

    @property
    def weights(self) -> dict[str, NDArray[numpy.float64]]:
        """The parameters of the network, and of its acceptance layer, by the names of its file."""
        return self._recognizer.weights

    def recognize(self, string: String) -> dict[str, Any]:
        """What the network says of a string.

            accepted     whether it accepts the string
            decision     "output" if y > 1/2 decides; "reading" where y is not exact and the last
                         reading decides; "out of range" if there are so many runs that neither is
                         exact, and ``accepted`` may be wrong
            y            its output
            log_runs     the log of the number of runs, with one that is added for every string
            acceptance   for each language, the share of accepting runs in all runs
        """
        return self._recognizer.recognize(self._alphabet.encode(string))

    def accepts(self, string: String) -> bool:
        """Whether the string is in the language. The same as ``in``.

        Raises NumericError if double precision cannot tell.
        """
        try:
            found = self.recognize(string)
        except UnknownSymbol:
            return False
        if found["decision"] == "out of range":
            raise NumericError(f"there are about e^{found['log_runs']:.0f} runs, more than double "
                               "precision can tell apart, so that the answer is unknown")
        return bool(found["accepted"])

    def __contains__(self, string: String) -> bool:
        return self.accepts(string)


Source = Union[str, "os.PathLike[str]", Language, Automaton]


def _add(sources: _core.Sources, source: Source, name: str) -> None:
    found = []
    if isinstance(source, Automaton):
        sources.add_automaton(str(source), source.name)
    elif isinstance(source, Language):
        if source.grammar is None:
            raise InputError(f"{source.name} is not context-free; several grammars make the "
                             "intersection of their languages")
        sources.add_grammar(str(source.grammar), source.name)  # which has warned when it was made
    elif isinstance(source, os.PathLike):
        found = sources.add_file(os.fspath(source))
    elif isinstance(source, str):
        found = sources.add_grammar(source, name)
    else:
        raise InputError(f"{source!r} is not the text of a grammar, a Grammar, an Automaton or the "
                         "pathlib.Path of a file")
    for warning in found:
        warnings.warn(warning, stacklevel=3)


def compile(grammars: Union[Source, Sequence[Source]],
            alphabet: Union[str, Sequence[str], None] = None, *, max_size: int = 1_000_000,
            max_parameters: int = 50_000_000) -> Recognizer:
    """The network that accepts exactly the strings of a language, or of several at once.

    ``grammars`` is the text of a grammar, a ``Grammar`` or another context-free ``Language``, an
    ``Automaton``, the ``pathlib.Path`` of a file with a grammar or, if it ends in .pda, an
    automaton, or a list of these. Their probabilities make no difference. All must have the same
    symbols; those of ``alphabet``, a list or text with spaces between, are added to each.

    >>> recognizer = compile([
    ...     '''S -> S c | T
    ...        T -> a T b | eps''',
    ...     '''S -> a S | T
    ...        T -> b T c | eps''',
    ... ])    # a^n b^n c^m and a^m b^n c^n
    >>> recognizer.accepts("a a b b c c"), recognizer.accepts("a b b c c")
    (True, False)

    ``max_size`` limits the symbols of a grammar's normal forms, ``max_parameters`` those of the
    network; LimitError says which is exceeded.
    """
    several = list(grammars) if isinstance(grammars, (list, tuple)) else [grammars]
    sources = _core.Sources()
    for number, source in enumerate(several, start=1):
        _add(sources, source, "grammar" if len(several) == 1 else f"grammar {number}")
    added = alphabet.split() if isinstance(alphabet, str) else list(alphabet or [])
    for symbol in added:
        if not isinstance(symbol, str) or symbol.split() != [symbol]:
            raise InputError(f"alphabet: {symbol!r} is not a symbol, which is text without spaces")
    return Recognizer(sources.compile(added, integer(max_size, "max_size", 1, 2**63 - 1),
                                      integer(max_parameters, "max_parameters", 1, 2**63 - 1)))
