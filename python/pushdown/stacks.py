"""Differentiable stacks on arrays, in batches.

A stack can read whole sequences at once, ``forward`` and ``backward``, or go step by step:
``start``, ``step`` for each step, then ``backward_step`` for each in reverse, and
``backward_start``. Arrays of a batch have the sequence as their first axis. Axes in front may be
strided as they like; what stands behind is copied if it is not in one piece. Sequences of a batch
are spread over threads (``pushdown.set_threads``), which does not change results.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Optional, Sequence

import numpy
from numpy.typing import DTypeLike, NDArray

from pushdown import _core
from pushdown._arguments import integer, is_double, optional_integer
from pushdown._errors import InputError

__all__ = ["Gradients", "Nondeterministic", "StepGradients", "Superposition"]

Array = NDArray[Any]


class StepGradients(NamedTuple):
    """Derivatives of the loss by what one step has taken."""

    actions: Array  # [B, A]
    vectors: Array  # [B, m]; empty if the stack has no vectors


class Gradients(NamedTuple):
    """Derivatives of the loss by what whole sequences have taken."""

    actions: Array  # [B, T, A]
    vectors: Array  # [B, T, m]; empty if the stack has no vectors
    bottom_vector: Array  # [B, m]; empty if the stack has none


def _checked(name: str, value: str, known: Sequence[str]) -> bool:
    """Whether it is the second of two values."""
    if value not in known:
        raise InputError(f"{name}: {value!r}, must be {known[0]!r} or {known[1]!r}")
    return value == known[1]


class _Stack:
    """What both kinds of stacks have in common."""

    _batch: _core._StackBatch

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = numpy.dtype(dtype)

    @property
    def name(self) -> str:
        """As the program calls it, such as "rns-3-3"."""
        return str(self._batch.name)

    @property
    def reading_size(self) -> int:
        """R, the size of a reading."""
        return int(self._batch.reading_size)

    @property
    def bytes(self) -> float:
        """What it takes in memory, also while it is not used, for later sequences."""
        return self._batch.bytes

    @property
    def actions_size(self) -> int:
        """A, how many numbers drive the stack in a step."""
        return int(self._batch.actions_size)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} {self.dtype}>"

    def of_steps(self) -> tuple[Any, Any]:
        """What ``step`` and ``backward_step`` call, for callers to whom microseconds count."""
        return self._batch.step, self._batch.backward_step

    def carry(self) -> None:
        """Ends a chunk: what came before is a constant for the gradients of what follows.

        With a window or a depth limit, memory does not grow from chunk to chunk.
        """
        self._batch.carry()

    def restart_backward(self) -> None:
        """Lets ``backward_step`` begin with the newest step again."""
        self._batch.restart_backward()

    def step(self, actions: Any, vectors: Any = None) -> Array:
        """Takes one step with actions [B, A] and returns the readings [B, R]."""
        return self._batch.step(actions, vectors)

    def backward_step(self, reading_gradient: Any = None) -> StepGradients:
        """Undoes the newest step that has not been undone.

        Takes the derivatives of the loss by its readings [B, R]; None stands for zeros.
        """
        return StepGradients(*self._batch.backward_step(reading_gradient))

    def backward(self, reading_gradients: Any) -> Gradients:
        """The gradients of the newest ``forward``, by the derivatives by its readings.

        May be called any number of times.
        """
        return Gradients(*self._batch.backward(reading_gradients))


class Nondeterministic(_Stack):
    """The nondeterministic stack of the RNS-RNN, and with vectors that of the Vector RNS-RNN.

    A pushdown automaton with ``states`` and stack ``symbols`` (state 0 is the initial one, symbol 0
    the bottom) takes one transition in each step, and follows all runs at once. Pairs of state and
    top symbol are numbered ``state * symbols + symbol``; P is their number. A step takes
    ``logits``, the logs of the weights of all transitions, which leave the pair (q, x):

        [P (q,x)][push (r,y): P | replace (r,y): P | pop r: states]

    as one axis of ``actions_size`` numbers, or as two. The reading is the distribution over pairs
    [P]; with vectors it is the expected top vector by pair [P, m], as one axis.

    >>> import numpy
    >>> stack = Nondeterministic(states=1, symbols=2)
    >>> stack.reading_size, stack.actions_size
    (2, 10)
    >>> logits = numpy.full((1, 3, 2, 5), -numpy.inf)
    >>> logits[0, :2, :, 1] = 0    # twice, push symbol 1 on whatever is there ...
    >>> logits[0, 2, :, 4] = 0     # ... and then pop
    >>> stack.forward(logits)[0]   # the bottom, and symbol 1 for the rest
    array([[1., 0.],
           [0., 1.],
           [0., 1.],
           [0., 1.]], dtype=float32)

    ``window`` D keeps gamma[i->t] for t - i <= D only, for endless input. ``bottom`` is "fixed" or
    "old", ``initial_vector`` "correct" or "paper-code", as docs/stacks.md says.
    """

    def __init__(self, states: int, symbols: int, vector_size: Optional[int] = None,
                 window: Optional[int] = None, *, bottom: Literal["fixed", "old"] = "fixed",
                 initial_vector: Literal["correct", "paper-code"] = "correct",
                 dtype: DTypeLike = numpy.float32) -> None:
        double = is_double(dtype)
        super().__init__(dtype)
        kind = _core.NondeterministicDouble if double else _core.NondeterministicFloat
        self.states, self.symbols = integer(states, "states", 0), integer(symbols, "symbols", 0)
        self.vector_size = optional_integer(vector_size, "vector_size", 0) or 0
        self.window = optional_integer(window, "window", 0) or 0
        self._batch = kind(self.states, self.symbols, self.vector_size, self.window,
                           _checked("bottom", bottom, ("fixed", "old")),
                           _checked("initial_vector", initial_vector, ("correct", "paper-code")))

    def start(self, batch_size: int, max_steps: int, bottom_vector: Any = None, *,
              gradients: bool = True) -> Array:
        """Begins a batch of sequences of up to ``max_steps`` steps.

        With a window, that is how many a chunk may have, between calls of ``carry``.

        ``bottom_vector`` is [B, m]. Returns the readings of the initial stack [B, R].
        """
        return self._batch.start(integer(batch_size, "batch_size", 0),
                                 integer(max_steps, "max_steps", 0), gradients, bottom_vector)

    def backward_start(self, reading_gradient: Any = None) -> Array:
        """The derivatives by the bottom vectors [B, m], once all steps are undone."""
        return self._batch.backward_start(reading_gradient)

    def log_weights(self) -> Array:
        """The log of the total weight of all runs, of each sequence [B]."""
        return self._batch.log_weights()

    def forward(self, logits: Any, vectors: Any = None, bottom_vector: Any = None, *,
                gradients: bool = True) -> Array:
        """Reads whole sequences: logits [B, T, A], vectors [B, T, m], bottom_vector [B, m].

        Returns the readings [B, T + 1, R], of which the first are those of the initial stack.
        """
        return self._batch.forward(
            logits, vectors, bottom_vector, gradients)


class Superposition(_Stack):
    """Superposition stacks: independent stacks of vectors, with sizes such as [10] or [3, 3, 3].

    A step takes the weights of push, no-op and pop of each stack, [stacks, 3] as one axis or as
    two, and the vectors that are pushed, one after the other. The reading is the vectors on top.

    >>> stack = Superposition([2])
    >>> push, pop = [[1, 0, 0]], [[0, 0, 1]]
    >>> stack.forward([[push, push, pop]], [[[5, 5], [7, 7], [9, 9]]])[0]
    array([[0., 0.],
           [5., 5.],
           [7., 7.],
           [5., 5.]], dtype=float32)

    With ``depth_limit``, what is pushed below that depth is dropped.
    """

    def __init__(self, sizes: Sequence[int], depth_limit: Optional[int] = None, *,
                 dtype: DTypeLike = numpy.float32) -> None:
        double = is_double(dtype)
        super().__init__(dtype)
        if isinstance(sizes, (str, int)):
            raise InputError(f"sizes: {sizes!r}, must be a list, such as [10] or [3, 3, 3]")
        self.sizes = [integer(size, "sizes", 0) for size in sizes]
        self.depth_limit = optional_integer(depth_limit, "depth_limit", 0) or 0
        kind = _core.SuperpositionDouble if double else _core.SuperpositionFloat
        self._batch = kind(self.sizes, self.depth_limit)

    def start(self, batch_size: int, max_steps: int, *, gradients: bool = True) -> Array:
        """Begins a batch of sequences of up to ``max_steps`` steps.

        With a depth limit, that is how many a chunk may have, between calls of ``carry``.

        Returns the readings of the empty stacks [B, R], zeros.
        """
        return self._batch.start(integer(batch_size, "batch_size", 0),
                                 integer(max_steps, "max_steps", 0), gradients)

    def forward(self, actions: Any, vectors: Any, *, gradients: bool = True) -> Array:
        """Reads whole sequences: actions [B, T, A], vectors [B, T, R].

        Returns the readings [B, T + 1, R], of which the first are zeros.
        """
        return self._batch.forward(
            actions, vectors, None, gradients)
