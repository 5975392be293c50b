"""The stacks as modules of PyTorch; pushdown/torch.py has the interface."""

from __future__ import annotations

from typing import Any, Literal, Optional, Sequence, Union

import torch
from torch import Tensor

from pushdown import stacks
from pushdown._errors import InputError

_Kernel = Union[stacks.Nondeterministic, stacks.Superposition]


def _array(tensor: Optional[Tensor]) -> Any:
    """The numbers of a tensor as an array, without a copy."""
    return None if tensor is None else tensor.detach().numpy()


def _refuse_second_derivatives() -> None:
    if torch.is_grad_enabled():  # in a backward pass: it is to be differentiated itself
        raise InputError("second derivatives of stacks are not available: "
                         "use backward or torch.autograd.grad without create_graph=True")


def _common_dtype(**tensors: Optional[Tensor]) -> torch.dtype:
    """Checks tensors of one call."""
    found: Optional[torch.dtype] = None
    for name, tensor in tensors.items():
        if tensor is None:
            continue
        if not isinstance(tensor, Tensor):
            raise InputError(f"{name}: {type(tensor).__name__}, must be a tensor")
        if tensor.device.type != "cpu":
            raise InputError(f"{name}: is on the device {tensor.device}, and stacks work on the "
                             f"CPU; give them {name}.cpu()")
        if tensor.dtype not in (torch.float32, torch.float64):
            raise InputError(f"{name}: {tensor.dtype}, must be torch.float32 or torch.float64; "
                             f"give them {name}.float(), or leave autocast")
        if found is not None and tensor.dtype != found:
            raise InputError(f"{name}: {tensor.dtype}, where other tensors are {found}")
        found = tensor.dtype
    assert found is not None
    return found


def _fits(tensor: Any, dtype: torch.dtype) -> bool:
    return isinstance(tensor, Tensor) and tensor.dtype is dtype and tensor.device.type == "cpu"


def _needs_graph(*tensors: Optional[Tensor]) -> bool:
    return torch.is_grad_enabled() and any(
        tensor is not None and tensor.requires_grad for tensor in tensors)


class _Pool:
    """The kernels of a module that are not in use.

    They are used again, because touching new memory takes longer than the work that is done in it.
    Copies of a module, and modules from files, have pools of their own.
    """

    KEPT = 2  # for each type: while a loss is still there, the next one is computed
    LARGEST = 2.0**28  # bytes: whoever needs more does not notice the time that new memory takes

    def __init__(self, kind: Any, arguments: dict[str, Any]) -> None:
        self._kind, self._arguments = kind, arguments
        self._free: dict[torch.dtype, list[_Kernel]] = {torch.float32: [], torch.float64: []}
        self.example: _Kernel = kind(**arguments)  # its sizes; and arguments are checked at once
        self.give(self.example, torch.float32)

    def __reduce__(self) -> Any:
        return _Pool, (self._kind, self._arguments)

    def take(self, dtype: torch.dtype) -> _Kernel:
        try:
            return self._free[dtype].pop()
        except IndexError:
            name = "float64" if dtype == torch.float64 else "float32"
            kernel: _Kernel = self._kind(**self._arguments, dtype=name)
            return kernel

    def give(self, kernel: _Kernel, dtype: torch.dtype) -> None:
        if len(self._free[dtype]) < self.KEPT and kernel.bytes <= self.LARGEST:
            self._free[dtype].append(kernel)


class _Lease:
    """A kernel at work, for as long as the stack or a graph of autograd refers to this.

    It holds no tensors, since graphs hold it.
    """

    def __init__(self, pool: _Pool, dtype: torch.dtype, gradients: bool) -> None:
        self._pool, self.dtype, self.gradients = pool, dtype, gradients
        self.kernel: Any = pool.take(dtype)
        # What is called in each step, without anything in between.
        self._step, self._backward_step = self.kernel.of_steps()
        self.chunk = 0   # how many chunks have ended
        self.steps = 0   # in this chunk
        self.room = 0    # for steps to come
        self.undone = 0  # the oldest step that the running backward pass has undone; 0: none

    def __del__(self) -> None:
        if hasattr(self, "kernel"):
            self._pool.give(self.kernel, self.dtype)

    def step(self, actions: Tensor, vectors: Optional[Tensor]) -> Any:
        reading = self._step(actions.detach().numpy(), _array(vectors))
        self.steps += 1
        self.room -= 1
        self.undone = 0
        return reading

    def backward_step(self, reading_gradient: Optional[Tensor]) -> Any:
        return self._backward_step(_array(reading_gradient))

    def end_chunk(self) -> None:
        self.kernel.carry()
        self.chunk += 1
        self.steps = self.undone = 0

    def approach(self, chunk: int, step: int, goes_on: bool) -> None:
        """Undoes what is newer than a step.

        If a backward pass ``goes_on``, it has come from the step after this one. If not, it begins
        here, and has no derivatives by the readings of newer steps.
        """
        if chunk != self.chunk:
            raise InputError("the chunk was ended by detach(), and another one has begun: "
                             "go backward before that")
        if not goes_on:
            self.undone = 0
            self.kernel.restart_backward()
            for _ in range(self.steps - step):
                self.backward_step(None)
        elif self.undone != step + 1:
            raise InputError("a backward pass was interrupted by a step or by another pass")
        self.undone = step


# Steps must be undone from the newest to the oldest. Therefore each step also takes a token of the
# step before it and returns one, by which autograd knows the order. The derivative by a token says
# nothing but that the step after it has just been undone.
_TOKEN_GRADIENTS = {dtype: torch.zeros(0, dtype=dtype) for dtype in (torch.float32, torch.float64)}


class _Start(torch.autograd.Function):
    """The reading of the initial stack and a token, from the bottom vector."""

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        lease, reading, _bottom_vector = args
        ctx.set_materialize_grads(False)
        ctx.lease, ctx.chunk = lease, lease.chunk
        return reading.detach(), torch.zeros(0, dtype=lease.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        _refuse_second_derivatives()
        reading_gradient, token_gradient = gradients
        lease: _Lease = ctx.lease
        lease.approach(ctx.chunk, 0, token_gradient is not None)
        return None, None, torch.from_numpy(lease.kernel.backward_start(_array(reading_gradient)))


class _Step(torch.autograd.Function):
    """The reading after a step and a token, from the token of the step before and the actions."""

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        lease, _token, actions, vectors = args
        ctx.set_materialize_grads(False)
        reading = lease.step(actions, vectors)
        ctx.lease, ctx.chunk, ctx.step = lease, lease.chunk, lease.steps
        return torch.from_numpy(reading), torch.empty(0, dtype=lease.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        _refuse_second_derivatives()
        reading_gradient, token_gradient = gradients
        lease: _Lease = ctx.lease
        lease.approach(ctx.chunk, ctx.step, token_gradient is not None)
        actions, vectors = lease.backward_step(reading_gradient)
        _, token_needed, actions_needed, vectors_needed = ctx.needs_input_grad
        return (None, _TOKEN_GRADIENTS[lease.dtype] if token_needed else None,
                torch.from_numpy(actions) if actions_needed else None,
                torch.from_numpy(vectors) if vectors_needed else None)


class _Sequence(torch.autograd.Function):
    """The readings of whole sequences."""

    @staticmethod
    def forward(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.lease = args[0]
        return _read(*args)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        _refuse_second_derivatives()
        if gradients[0] is None:
            return None, None, None, None
        arrays = ctx.lease.kernel.backward(_array(gradients[0]))
        return (None, *(torch.from_numpy(array) if needed else None
                        for array, needed in zip(arrays, ctx.needs_input_grad[1:])))


def _read(lease: _Lease, actions: Tensor, vectors: Optional[Tensor],
          bottom_vector: Optional[Tensor]) -> Tensor:
    bottoms = {} if bottom_vector is None else {"bottom_vector": _array(bottom_vector)}
    return torch.from_numpy(lease.kernel.forward(_array(actions), _array(vectors), **bottoms,
                                                 gradients=lease.gradients))


class _Steps:
    """Stacks of a batch, which go step by step.

    They can take ``max_steps`` steps; in each chunk anew, if they are ``limited`` and do not grow.
    """

    _names: tuple[str, str]  # what actions and vectors are called

    def __init__(self, lease: _Lease, axes: tuple[int, int], reading: Tensor, token: Tensor,
                 max_steps: int, limited: bool) -> None:
        self._axes = axes  # that the actions of a step may have
        self._lease, self._reading, self._token = lease, reading, token
        self._max_steps, self._limited = max_steps, limited
        lease.room = max_steps
        self._chunk_ends = False  # before the next step
        self._gap = False         # a step that the graph does not have, after steps that it has

    def reading(self) -> Tensor:
        """The newest readings [B, R]; at first, those of the initial stacks."""
        return self._reading

    def detach(self) -> None:
        """Ends a chunk: what came before is a constant for the gradients of what follows.

        A backward pass of the chunk must come before the next step. With a window or a depth limit,
        memory does not grow from chunk to chunk, and each may have ``max_steps`` steps.
        """
        self._chunk_ends = True
        self._gap = False
        self._reading, self._token = self._reading.detach(), self._token.detach()

    def _update(self, actions: Tensor, vectors: Optional[Tensor]) -> None:
        lease = self._lease
        if not (_fits(actions, lease.dtype) and (vectors is None or _fits(vectors, lease.dtype))):
            found = _common_dtype(**dict(zip(self._names, (actions, vectors))))
            raise InputError(f"the tensors are {found}, where the stack was started with "
                             f"{lease.dtype}")
        if actions.dim() == 3 and actions.shape[1:] == self._axes:
            actions = actions.flatten(1)
        if self._chunk_ends:
            lease.end_chunk()
            self._chunk_ends = False
            if self._limited:
                lease.room = self._max_steps
        if lease.room == 0:
            raise InputError(f"the stack was started for max_steps={self._max_steps}, and there "
                             f"are more{' in a chunk' if self._limited else ''}: "
                             "start(batch_size, max_steps) says how many")
        if torch.is_grad_enabled() and (
                self._token.requires_grad or actions.requires_grad
                or (vectors is not None and vectors.requires_grad)):
            if not lease.gradients:
                raise InputError("the stack was started under torch.no_grad(), and cannot go on "
                                 "with gradients: start it outside")
            if self._gap:
                raise InputError("there were steps under torch.no_grad() after steps with "
                                 "gradients: call detach() before going on with gradients")
            self._reading, self._token = _Step.apply(lease, self._token, actions, vectors)
            return
        self._gap = self._token.requires_grad
        self._reading = torch.from_numpy(lease.step(actions, vectors))


class NondeterministicSteps(_Steps):
    """Nondeterministic stacks of a batch, which go step by step: what ``start`` returns."""

    _names = ("logits", "vector")

    def __init__(self, stack: NondeterministicStack, lease: _Lease, reading: Tensor, token: Tensor,
                 max_steps: int) -> None:
        super().__init__(lease, stack._axes, reading, token, max_steps, stack.window > 0)
        self._pairs = stack.states, stack.symbols

    def update(self, *actions: Tensor, vector: Optional[Tensor] = None) -> None:
        """Takes one step: ``update(logits, vector)`` or ``update(push, replace, pop, vector)``.

        Logits are [B, A] or [B, P, 2P + Q]; push and replace [B, Q, S, Q, S] and pop [B, Q, S, Q].
        The vector [B, m] is given if the stack has vectors.
        """
        if len(actions) in (2, 4):
            if vector is not None:
                raise InputError("vector: given twice")
            actions, vector = actions[:-1], actions[-1]
        if len(actions) == 3:
            names = dict(zip(("push", "replace", "pop"), actions))
            _common_dtype(**names, vector=vector)
            logits = self._joined(*actions)
        elif len(actions) == 1:
            logits = actions[0]
        else:
            raise InputError("update takes (logits, vector) or (push, replace, pop, vector)")
        self._update(logits, vector)

    def _joined(self, *operations: Tensor) -> Tensor:
        states, symbols = self._pairs
        to_pairs = [states, symbols, states, symbols]
        shapes = [list(tensor.shape[1:]) for tensor in operations]
        if shapes != [to_pairs, to_pairs, to_pairs[:3]]:
            found = ", ".join(str(list(tensor.shape)) for tensor in operations)
            raise InputError(f"push, replace, pop: have the shapes {found}, must have "
                             "[B, Q, S, Q, S], [B, Q, S, Q, S], [B, Q, S, Q] with "
                             f"Q = {states} and S = {symbols}")
        return torch.cat([tensor.flatten(3).flatten(1, 2) for tensor in operations], 2)


class SuperpositionSteps(_Steps):
    """Superposition stacks of a batch, which go step by step: what ``start`` returns."""

    _names = ("actions", "vectors")

    def update(self, actions: Tensor, vectors: Tensor) -> None:
        """Takes one step.

        ``actions`` are the weights of push, no-op and pop [B, stacks, 3], ``vectors`` [B, R].
        """
        self._update(actions, vectors)


class _Stack(torch.nn.Module):
    """What both kinds of stacks have in common."""

    _pool: _Pool
    _axes: tuple[int, int]  # that the actions of a step may have

    @property
    def name(self) -> str:
        """As the program calls it, such as "rns-3-3"."""
        return self._pool.example.name

    @property
    def reading_size(self) -> int:
        """R, the size of a reading."""
        return self._pool.example.reading_size

    @property
    def actions_size(self) -> int:
        """A, how many numbers drive the stack in a step."""
        return self._pool.example.actions_size

    def extra_repr(self) -> str:
        return self.name

    def _forward(self, actions: Tensor, vectors: Optional[Tensor],
                 bottom_vector: Optional[Tensor]) -> Tensor:
        if actions.dim() == 4 and actions.shape[2:] == self._axes:
            actions = actions.flatten(2)
        needed = _needs_graph(actions, vectors, bottom_vector)
        lease = _Lease(self._pool, actions.dtype, needed)
        if needed:
            readings: Tensor = _Sequence.apply(lease, actions, vectors, bottom_vector)
            return readings
        return _read(lease, actions, vectors, bottom_vector)


class NondeterministicStack(_Stack):
    """The nondeterministic stack of ``pushdown.stacks.Nondeterministic``, which has its options.

    Called with logits [B, T, A] or [B, T, P, 2P + Q], and vectors [B, T, m] and bottom_vector
    [B, m] or [m] if there is a ``vector_size``, it returns the readings [B, T + 1, R], of which the
    first are those of the initial stack.
    """

    def __init__(self, states: int, symbols: int, vector_size: Optional[int] = None,
                 window: Optional[int] = None, *, bottom: Literal["fixed", "old"] = "fixed",
                 initial_vector: Literal["correct", "paper-code"] = "correct") -> None:
        super().__init__()
        self.states, self.symbols = states, symbols
        self.vector_size, self.window = vector_size or 0, window or 0
        self._pool = _Pool(stacks.Nondeterministic, dict(
            states=states, symbols=symbols, vector_size=vector_size, window=window, bottom=bottom,
            initial_vector=initial_vector))
        pairs = states * symbols
        self._axes = pairs, 2 * pairs + states

    def forward(self, logits: Tensor, vectors: Optional[Tensor] = None,
                bottom_vector: Optional[Tensor] = None) -> Tensor:
        _common_dtype(logits=logits, vectors=vectors, bottom_vector=bottom_vector)
        return self._forward(logits, vectors, self._bottoms(bottom_vector, logits.shape[0]))

    def start(self, batch_size: int, max_steps: int, bottom_vector: Optional[Tensor] = None,
              dtype: Optional[torch.dtype] = None) -> NondeterministicSteps:
        """Stacks for steps: their ``update`` takes a step, and their ``reading()`` is the newest.

        ``max_steps`` is how many steps there are at most; with a window, how many there are in a
        chunk, between calls of ``detach()``. The type of all tensors is that of ``bottom_vector``,
        or ``dtype``, or PyTorch's default.
        """
        if bottom_vector is not None:
            dtype = _common_dtype(bottom_vector=bottom_vector)
            bottom_vector = self._bottoms(bottom_vector, batch_size)
        lease = _Lease(self._pool, _checked(dtype), torch.is_grad_enabled())
        reading = torch.from_numpy(lease.kernel.start(
            batch_size, max_steps, _array(bottom_vector), gradients=lease.gradients))
        token = torch.zeros(0, dtype=lease.dtype)
        if _needs_graph(bottom_vector):
            reading, token = _Start.apply(lease, reading, bottom_vector)
        return NondeterministicSteps(self, lease, reading, token, max_steps)

    def _bottoms(self, bottom_vector: Optional[Tensor], batch_size: int) -> Optional[Tensor]:
        if bottom_vector is not None and bottom_vector.dim() == 1:
            return bottom_vector.expand(batch_size, -1)
        return bottom_vector


class SuperpositionStack(_Stack):
    """Superposition stacks, those of ``pushdown.stacks.Superposition``, which have its options.

    Called with the weights of push, no-op and pop, actions [B, T, stacks, 3] or [B, T, A], and the
    vectors that are pushed [B, T, R], they return the readings [B, T + 1, R], of which the first
    are zeros.
    """

    def __init__(self, sizes: Sequence[int], depth_limit: Optional[int] = None) -> None:
        super().__init__()
        self._pool = _Pool(stacks.Superposition, dict(sizes=sizes, depth_limit=depth_limit))
        self.sizes, self.depth_limit = list(sizes), depth_limit or 0
        self._axes = len(self.sizes), 3

    def forward(self, actions: Tensor, vectors: Tensor) -> Tensor:
        _common_dtype(actions=actions, vectors=vectors)
        return self._forward(actions, vectors, None)

    def start(self, batch_size: int, max_steps: int,
              dtype: Optional[torch.dtype] = None) -> SuperpositionSteps:
        """Stacks for steps, as those of ``NondeterministicStack.start``."""
        lease = _Lease(self._pool, _checked(dtype), torch.is_grad_enabled())
        reading = torch.from_numpy(lease.kernel.start(batch_size, max_steps,
                                                      gradients=lease.gradients))
        return SuperpositionSteps(lease, self._axes, reading, torch.zeros(0, dtype=lease.dtype),
                                  max_steps, self.depth_limit > 0)


def _checked(dtype: Optional[torch.dtype]) -> torch.dtype:
    wanted = torch.get_default_dtype() if dtype is None else dtype
    if wanted not in (torch.float32, torch.float64):
        raise InputError(f"dtype: {wanted}, must be torch.float32 or torch.float64")
    return wanted
