"""The runs of the automaton of a nondeterministic stack."""

from __future__ import annotations

from typing import Any, Literal, Optional, Sequence

from numpy.typing import NDArray

from pushdown import _core
from pushdown._arguments import MAX_SEED, integer, optional_integer
from pushdown._errors import InputError

__all__ = ["AutomatonRuns"]

Array = NDArray[Any]


class AutomatonRuns:
    """All runs of a pushdown automaton with the weights of one sequence, as a distribution.

    ``logits`` [T, P, 2P + states] are those of ``pushdown.stacks.Nondeterministic``, also with the
    last two axes as one. A run takes a transition in each step, from state 0 and a stack with the
    bottom symbol, 0, only. ``Model.runs`` has the runs of a trained model.

    >>> import numpy
    >>> logits = numpy.full((2, 2, 5), -numpy.inf)
    >>> logits[0, :, 1] = 0                    # in the first step, push symbol 1; in the second,
    >>> logits[1, :, 1] = numpy.log(0.75)      # push another one
    >>> logits[1, :, 4] = numpy.log(0.25)      # or pop
    >>> runs = AutomatonRuns(states=1, symbols=2, logits=logits)
    >>> best = runs.best()[0]
    >>> best["transitions"], best["stack"], round(best["probability"], 6)
    ([['push', 0, 1], ['push', 0, 1]], [0, 1, 1], 0.75)
    >>> runs.alpha[2].round(6)                 # the top is the bottom symbol, or 1
    array([0.25, 0.75])

    A run is a dict with ``log_weight``, ``probability`` (its share of all runs), the last
    ``state``, the ``stack`` (the bottom first) and ``transitions``, ["push", r, y],
    ["replace", r, y] or ["pop", r] of each step. An object is for one thread at a time.
    """

    def __init__(self, states: int, symbols: int, logits: Any, *, window: Optional[int] = None,
                 bottom: Literal["fixed", "old"] = "fixed") -> None:
        if bottom not in ("fixed", "old"):
            raise InputError(f"bottom: {bottom!r}, must be 'fixed' or 'old'")
        self._runs = _core.AutomatonRuns(
            integer(states, "states", 1), integer(symbols, "symbols", 1), logits,
            optional_integer(window, "window", 1) or 0, bottom == "old")

    @classmethod
    def _of(cls, runs: _core.AutomatonRuns) -> AutomatonRuns:
        result = cls.__new__(cls)
        result._runs = runs
        return result

    @property
    def states(self) -> int:
        """How many states the automaton has."""
        return self._runs.states

    @property
    def symbols(self) -> int:
        """How many stack symbols it has, that of the bottom included."""
        return self._runs.symbols

    @property
    def steps(self) -> int:
        """T, how many transitions a run takes."""
        return self._runs.steps

    @property
    def log_weight(self) -> float:
        """The log of the total weight of all runs."""
        return self._runs.log_weight

    @property
    def alpha(self) -> Array:
        """The probability of each pair of state and top symbol after t steps, [T + 1, P]."""
        return self._runs.alpha()

    def best(self, count: int = 1, *,
             ending_in: Optional[tuple[int, int]] = None) -> list[dict[str, Any]]:
        """The most probable runs, best first, or all if there are fewer.

        ``ending_in`` is a state and a top symbol with which they must end.
        """
        integer(count, "count", 0)
        if ending_in is None:
            return self._runs.best(count)
        state, symbol = ending_in
        return self._runs.best_ending_in(count, state, symbol)

    def best_stacks(self, count: int = 1) -> list[dict[str, Any]]:
        """The stacks with the best runs: ``stack``, its ``probability``, and its ``best`` run."""
        return self._runs.best_stacks(integer(count, "count", 0))

    def stack_probability(self, stack: Sequence[int]) -> float:
        """The probability that a run leaves this stack, the bottom first."""
        return self._runs.stack_probability([int(symbol) for symbol in stack])

    def sample(self, count: int = 1, seed: int = 1) -> list[dict[str, Any]]:
        """Independent samples of the distribution; the n-th depends on the seed and n only."""
        return self._runs.sample(integer(count, "count", 0), integer(seed, "seed", 0, MAX_SEED))

    def marginals(self) -> dict[str, Array]:
        """What the runs do, as probabilities.

        ``transitions`` [T, P, 2P + states], laid out as the logits, and
        ``expected_heights_given_all`` [T + 1] are those of runs of all steps. Those of runs of the
        first t steps, as the reading knows them, are ``heights`` [T + 1, T + 1], that so many
        symbols are above the bottom, their mean ``expected_heights`` [T + 1], and ``pushed_in``
        [T + 1, T + 1], that the top symbol was pushed in this step (0: it is the bottom).
        """
        return self._runs.marginals()

    def __repr__(self) -> str:
        return (f"<AutomatonRuns of {self.steps} steps, {self.states} states, "
                f"{self.symbols} symbols>")
