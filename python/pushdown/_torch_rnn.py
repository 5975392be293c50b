"""Stack RNNs with any controller; pushdown/torch.py has the interface."""

from __future__ import annotations

import copy
from typing import Any, Mapping, Optional, Union

import torch
from torch import Tensor

from pushdown._arguments import integer
from pushdown._errors import InputError
from pushdown._torch_stacks import (
    NondeterministicStack, NondeterministicSteps, SuperpositionStack, SuperpositionSteps)

Stack = Union[NondeterministicStack, SuperpositionStack]


def _linear(inputs: int, outputs: int) -> torch.nn.Linear:
    """A layer that starts as the paper has it."""
    layer = torch.nn.Linear(inputs, outputs)
    torch.nn.init.xavier_uniform_(layer.weight)
    torch.nn.init.zeros_(layer.bias)
    return layer


class StackRNNState:
    """Where a stack RNN is in the sequences of a batch. One can go on from it only once.

    The stack is not copied: whoever wants to try two continuations reads the sequences twice, in
    one batch.
    """

    def __init__(self, steps: Union[NondeterministicSteps, SuperpositionSteps, None],
                 batch_size: int) -> None:
        self.stack = steps
        self.batch_size = batch_size
        self.controller: Any = None            # the controller's state; None at the beginning
        self._hidden: Optional[Tensor] = None  # whose actions the stack has not taken yet
        self._chunk_ends = False
        self._used = False

    def _successor(self) -> StackRNNState:
        """The state that goes on where this one is, which cannot be used any more."""
        if self._used:
            raise InputError("the state was used before, and the stack has gone on since; use the "
                             "state that the last call has returned")
        successor = copy.copy(self)
        self._used = True
        return successor

    def detach(self) -> StackRNNState:
        """Ends a chunk of truncated backpropagation through time, and returns this state.

        What came before is a constant for the gradients of what follows. The backward pass of the
        chunk comes before going on.
        """
        if self._used:
            raise InputError("the state was used before; detach the one that the last call has "
                             "returned")
        self.controller = _detached(self.controller)
        if self._hidden is not None:
            self._hidden = self._hidden.detach()
        self._chunk_ends = True
        return self


def _detached(state: Any) -> Any:
    if state is None or isinstance(state, (bool, int, float, str)):
        return state
    if isinstance(state, Mapping):
        return {key: _detached(part) for key, part in state.items()}
    if isinstance(state, (tuple, list)):
        parts = [_detached(part) for part in state]
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
    if callable(getattr(state, "detach", None)):
        return state.detach()
    raise InputError(f"the controller's state has a {type(state).__name__}, which needs a method "
                     "detach()")


class StackRNN(torch.nn.Module):
    """A controller that drives a stack, and sees its reading beside its input.

        h_t = controller([x_t; r_{t-1}], h_{t-1}), and the stack takes the actions of h_t to r_t

    The ``controller`` is any module with the call ``controller(input [B, I + R], state)`` that
    returns its next state: torch.nn.LSTMCell, GRUCell, RNNCell or one's own. The state is None in
    the beginning. The hidden state h [B, H] is the state, or the first part of it if that is a
    tuple. ``hidden_size`` is H, and that of the controller if it is not given.

    Layers from the hidden state to the stack belong to this module: ``operations``, and ``vector``
    and ``bottom_vector`` through a sigmoid, for a nondeterministic stack; ``actions`` through a
    softmax and ``vectors`` through a sigmoid for superposition stacks, or the hidden state itself
    is pushed with ``push_hidden``. Without a stack, it is the controller alone.

    >>> import torch
    >>> from pushdown.torch import NondeterministicStack, StackRNN
    >>> stack = NondeterministicStack(states=2, symbols=3)
    >>> rnn = StackRNN(torch.nn.LSTMCell(5 + stack.reading_size, 20), stack)
    >>> hidden, state = rnn(torch.zeros(10, 40, 5))
    >>> hidden.shape
    torch.Size([10, 40, 20])
    """

    def __init__(self, controller: torch.nn.Module, stack: Optional[Stack],
                 hidden_size: Optional[int] = None, *, push_hidden: bool = False) -> None:
        super().__init__()
        if stack is not None and not isinstance(stack, (NondeterministicStack, SuperpositionStack)):
            raise InputError(f"stack: {stack!r}, must be a NondeterministicStack, a "
                             "SuperpositionStack or None")
        if isinstance(controller, torch.nn.RNNBase):
            raise InputError(f"controller: {type(controller).__name__} reads whole sequences, and "
                             "the stack needs one step at a time: use LSTMCell, GRUCell or RNNCell")
        given = getattr(controller, "hidden_size", None) if hidden_size is None else hidden_size
        if given is None:
            raise InputError(f"hidden_size: missing, and {type(controller).__name__} has none")
        found = integer(given, "hidden_size", 1)
        reading_size = 0 if stack is None else stack.reading_size
        input_size = getattr(controller, "input_size", None)
        if isinstance(input_size, int) and input_size < reading_size:
            raise InputError(f"controller: takes {input_size} numbers, and the reading alone has "
                             f"{reading_size}; it gets the input and the reading side by side")
        self.controller, self.stack, self.hidden_size = controller, stack, found
        self.push_hidden = push_hidden
        if push_hidden and not (isinstance(stack, SuperpositionStack) and stack.sizes == [found]):
            raise InputError("push_hidden: the hidden state can only be pushed to one "
                             f"superposition stack of its size, SuperpositionStack([{found}])")
        if isinstance(stack, NondeterministicStack):
            self.operations = _linear(found, stack.actions_size)
            if stack.vector_size:
                self.vector = _linear(found, stack.vector_size)
                self.bottom_vector = torch.nn.Parameter(
                    torch.empty(stack.vector_size).uniform_(-0.1, 0.1))
        elif stack is not None:
            self.actions = _linear(found, stack.actions_size)
            if not push_hidden:
                self.vectors = _linear(found, stack.reading_size)

    def start(self, batch_size: int, max_steps: int,
              dtype: Optional[torch.dtype] = None) -> StackRNNState:
        """The state before the first step.

        ``max_steps`` is how many steps there are at most; with a window or a depth limit, in a
        chunk between calls of ``detach()``. ``dtype`` is that of the parameters unless it is given.
        """
        stack = self.stack
        if dtype is None:
            dtype = next((parameter.dtype for parameter in self.parameters()), None)
        if stack is None:
            return StackRNNState(None, batch_size)
        if isinstance(stack, SuperpositionStack):
            return StackRNNState(stack.start(batch_size, max_steps, dtype), batch_size)
        bottom = torch.sigmoid(self.bottom_vector) if stack.vector_size else None
        return StackRNNState(stack.start(batch_size, max_steps, bottom, dtype), batch_size)

    def forward(self, inputs: Tensor, state: Optional[StackRNNState] = None, *,
                return_readings: bool = False) -> Any:
        """Reads inputs [B, T, I], and returns the hidden states [B, T, H] and the next state.

        Without a ``state``, sequences begin, of up to T steps or, with a window or a depth limit,
        with chunks of up to T steps; for longer ones see ``start``. With ``return_readings``, the
        readings [B, T, R] that have gone into the steps are returned, too.
        """
        if not isinstance(inputs, Tensor):
            raise InputError(f"inputs: {type(inputs).__name__}, must be a tensor [batch, steps, "
                             "size]; shorter sequences are padded, and what comes of the padding "
                             "is ignored")
        if inputs.dim() != 3:
            raise InputError(f"inputs: have the shape {list(inputs.shape)}, must have "
                             "[batch, steps, size]")
        if state is not None and not isinstance(state, StackRNNState):
            raise InputError(f"state: {type(state).__name__}, must be what start or the last call "
                             "has returned")
        if state is None:
            state = self.start(inputs.shape[0], inputs.shape[1], inputs.dtype)
        elif state.batch_size != inputs.shape[0]:
            raise InputError(f"inputs: {inputs.shape[0]} sequences, where the state has "
                             f"{state.batch_size}")
        state = state._successor()
        hidden: list[Tensor] = []
        readings: list[Tensor] = []
        for given in inputs.unbind(1):
            reading = self._next_reading(state)
            if reading is not None:
                readings.append(reading)
                given = torch.cat([given, reading], 1)
            state.controller = self.controller(given, state.controller)
            new = state.controller
            if isinstance(new, (tuple, list)):
                new = new[0]
            if not isinstance(new, Tensor):
                raise InputError(f"the controller has returned a {type(new).__name__}, must return "
                                 "the hidden state, or a tuple whose first part it is")
            state._hidden = new
            hidden.append(new)
        outputs = (torch.stack(hidden, 1) if hidden
                   else inputs.new_zeros(inputs.shape[0], 0, self.hidden_size))
        if not return_readings:
            return outputs, state
        size = 0 if self.stack is None else self.stack.reading_size
        return outputs, state, (torch.stack(readings, 1) if readings
                                else inputs.new_zeros(*inputs.shape[:2], size))

    def _next_reading(self, state: StackRNNState) -> Optional[Tensor]:
        """Lets the stack take the newest actions, which the last step of all does not need."""
        if state.stack is None:
            return None
        if state._hidden is not None:
            if state._chunk_ends:
                with torch.no_grad():
                    self._drive(state.stack, state._hidden)
                state.stack.detach()
            else:
                self._drive(state.stack, state._hidden)
        state._chunk_ends = False
        return state.stack.reading()

    def _drive(self, steps: Union[NondeterministicSteps, SuperpositionSteps],
               hidden: Tensor) -> None:
        if isinstance(steps, NondeterministicSteps):
            vector = torch.sigmoid(self.vector(hidden)) if hasattr(self, "vector") else None
            steps.update(self.operations(hidden), vector=vector)
        else:
            actions = self.actions(hidden)
            actions = actions.view(hidden.shape[0], actions.shape[1] // 3, 3).softmax(2)
            steps.update(actions, hidden if self.push_hidden else torch.sigmoid(
                self.vectors(hidden)))
