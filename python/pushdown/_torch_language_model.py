"""The models of the program as modules; pushdown/torch.py has the interface."""

from __future__ import annotations

from typing import Any, Iterator, Literal, Mapping, Optional, Union

import numpy
import torch
from numpy.typing import NDArray
from torch import Tensor

from pushdown import _core
from pushdown._arguments import integer, optional_integer
from pushdown._arguments import text as argument_text
from pushdown._errors import InputError
from pushdown._torch_rnn import Stack, StackRNN, StackRNNState
from pushdown._torch_stacks import NondeterministicStack, SuperpositionStack

Array = NDArray[Any]


class LanguageModel(torch.nn.Module):
    """A language model, equivalent to that of the program with the same name.

    An LSTM drives the stack of the ``name``, such as "lstm", "sup-10", "sup-h", "rns-3-3" or
    "vrns-3-3-5". Models of ``kind`` "strings" read one-hot symbols 0 .. symbols-1, and the output
    after these is the end of the string. Models of "text" have embeddings, as many numbers as
    hidden units unless ``embedding_size`` says otherwise, and windows and depth limits. Parameters
    start as in the paper.

    >>> import torch
    >>> from pushdown.torch import LanguageModel
    >>> model = LanguageModel("rns-2-3", symbols=4)
    >>> strings = torch.tensor([[0, 1, 2], [0, 0, 0]])
    >>> log_p = model.log_probabilities(strings)   # of the symbol or end at each place
    >>> log_p.shape
    torch.Size([2, 4, 5])
    """

    def __init__(self, name: str, symbols: int, hidden_units: int = 20, *,
                 kind: Literal["strings", "text"] = "strings", embedding_size: Optional[int] = None,
                 window: Optional[int] = None, depth_limit: Optional[int] = None,
                 bottom: Literal["fixed", "old"] = "fixed",
                 initial_vector: Literal["correct", "paper-code"] = "correct") -> None:
        super().__init__()
        if kind not in ("strings", "text"):
            raise InputError(f"kind: {kind!r}, must be 'strings' or 'text'")
        text = kind == "text"
        if embedding_size and not text:
            raise InputError("embedding_size: given, and only models of text have embeddings")
        found = _core.model_of_name(
            argument_text(name, "name"), integer(hidden_units, "hidden_units", 0),
            integer(symbols, "symbols", 0), text,
            optional_integer(embedding_size, "embedding_size", 1) or 0)
        if window is not None and "states" not in found:
            raise InputError(f"window: given, and {found['name']} has none")
        if depth_limit is not None and "sizes" not in found:
            raise InputError(f"depth_limit: given, and {found['name']} has none")
        hidden_units = found["hidden_units"]
        self.symbols, self.hidden_units = symbols, hidden_units
        # What builds the same model again.
        self.description: dict[str, Any] = {
            "name": found["name"], "kind": kind, "symbols": symbols, "hidden_units": hidden_units}
        if text:
            self.description["embedding_size"] = found["embedding_size"]
        stack: Optional[Stack] = None
        if "states" in found:
            window = found["window"] if window is None else window
            self.description.update(window=window, bottom=bottom, initial_vector=initial_vector)
            stack = NondeterministicStack(
                found["states"], found["stack_symbols"], found["vector_size"], window,
                bottom=bottom, initial_vector=initial_vector)
        elif "sizes" in found:
            depth_limit = found["depth_limit"] if depth_limit is None else depth_limit
            self.description["depth_limit"] = depth_limit
            stack = SuperpositionStack(found["sizes"], depth_limit)
        self.input_size = found["embedding_size"] if text else symbols
        self.outputs = symbols if text else symbols + 1
        self.embedding = torch.nn.Embedding(symbols, self.input_size) if text else None
        readings = 0 if stack is None else stack.reading_size
        controller = torch.nn.LSTMCell(self.input_size + readings, hidden_units)
        controller.bias_hh.requires_grad_(False)  # the LSTM of the program has one bias
        self.rnn = StackRNN(controller, stack, push_hidden=found["push_hidden"])
        self.output = torch.nn.Linear(hidden_units, self.outputs)
        self.reset_parameters()

    @property
    def is_text(self) -> bool:
        return self.embedding is not None

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Parameters anew, as in the paper: uniform in [-0.05, 0.05] for text.

        For strings, layers outside the LSTM are Xavier-uniform without bias, and everything else is
        uniform in [-0.1, 0.1].
        """
        for parameter in self.parameters():
            bound = 0.05 if self.is_text else 0.1
            parameter.uniform_(-bound, bound)
        for module in self.modules():
            if isinstance(module, torch.nn.Linear) and not self.is_text:
                torch.nn.init.xavier_uniform_(module.weight)
                module.bias.zero_()
        controller: Any = self.rnn.controller
        controller.bias_hh.zero_()

    def forward(self, symbols: Tensor, state: Optional[StackRNNState] = None
                ) -> tuple[Tensor, StackRNNState]:
        """Reads symbols [B, T], and returns the logits of what comes next and the next state.

        Logits are [B, T, outputs]. Where strings begin, without a ``state``, one is added in front:
        [B, T + 1, outputs] has the first symbol, and what comes after each one. A text begins with
        the end of a sentence, "<eos>", which must be given, and nothing is added. Shorter strings
        are padded with any symbol, and what is said of the padding is ignored. To go on after more
        than T symbols, begin with ``rnn.start(batch_size, max_steps)`` as the ``state``.
        """
        if not isinstance(symbols, Tensor):
            raise InputError(f"symbols: {type(symbols).__name__}, must be a tensor of integers")
        if symbols.dim() != 2 or symbols.is_floating_point():
            raise InputError(f"symbols: {symbols.dtype} of the shape {list(symbols.shape)}, must "
                             "be integers of the shape [batch, length]")
        if symbols.numel() and not 0 <= int(symbols.min()) <= int(symbols.max()) < self.symbols:
            raise InputError(f"symbols: must be between 0 and {self.symbols - 1}")
        if self.embedding is None:
            inputs = torch.nn.functional.one_hot(symbols.long(), self.symbols)
            inputs = inputs.to(self.output.weight.dtype)
        else:
            inputs = self.embedding(symbols)
        begins = state is None and not self.is_text
        hidden, going_on = self.rnn(inputs, state)
        if begins:
            hidden = torch.cat([hidden.new_zeros(hidden.shape[0], 1, self.hidden_units), hidden], 1)
        logits: Tensor = self.output(hidden)
        return logits, going_on

    def log_probabilities(self, symbols: Tensor) -> Tensor:
        """log p of everything that can come next: see ``forward``, whose logits these come from."""
        logits: Tensor = self(symbols)[0]
        return logits.log_softmax(2)

    @classmethod
    def from_weights(cls, description: Mapping[str, Any], weights: Mapping[str, Any]
                     ) -> LanguageModel:
        """The model of a ``description`` with the ``weights`` of the program.

        Both are what ``pushdown.load`` gives, and what ``description`` and ``weights()`` of this
        class are. The type of the parameters is that of the weights.
        """
        model = cls(**description)
        arrays = {name: numpy.asarray(array) for name, array in weights.items()}
        expected = [name for name, _ in model._tensors()]
        if set(arrays) != set(expected):
            raise InputError(f"weights: have the names {sorted(arrays)}, must have "
                             f"{sorted(expected)}")
        if all(array.dtype == numpy.float64 for array in arrays.values()):
            model.double()
        with torch.no_grad():
            for name, places in model._tensors():
                shape = list(_joined(places).shape)
                if list(arrays[name].shape) != shape:
                    raise InputError(f"weights: {name} has the shape {list(arrays[name].shape)}, "
                                     f"must have {shape}")
                first = 0
                for place in places:
                    part = torch.tensor(arrays[name][first:first + len(place)])
                    place.copy_(part)
                    first += len(place)
        return model

    @torch.no_grad()
    def weights(self) -> dict[str, Array]:
        """The parameters as the program names and arranges them, copied."""
        arrays = {name: _joined(places).numpy().copy() for name, places in self._tensors()}
        controller: Any = self.rnn.controller
        arrays["controller.bias"] += controller.bias_hh.detach().numpy()
        return arrays

    def _tensors(self) -> Iterator[tuple[str, list[Tensor]]]:
        """Each array of the program, and where its parts are, along the first axis.

        Weights are [inputs, outputs] there, and [outputs, inputs] here. The LSTM has one bias
        there, and the second one here is zero unless somebody has changed it.
        """
        rnn: Any = self.rnn
        if self.embedding is not None:
            yield "embeddings", [self.embedding.weight.detach()]
        controller = rnn.controller
        yield "controller.weights", [controller.weight_ih.detach().t(),
                                     controller.weight_hh.detach().t()]
        yield "controller.bias", [controller.bias_ih.detach()]
        yield from _layer("output", self.output)
        stack: Union[Stack, None] = rnn.stack
        if isinstance(stack, NondeterministicStack):
            yield from _layer("stack.operations", rnn.operations)
            if stack.vector_size:
                yield from _layer("stack.vector", rnn.vector)
                yield "stack.bottom_vector", [rnn.bottom_vector.detach()]
        elif stack is not None:
            first = 0
            for number, size in enumerate(stack.sizes):
                name = f"stack.{number + 1}"
                yield from _layer(f"{name}.actions", rnn.actions, 3 * number, 3)
                if not rnn.push_hidden:
                    yield from _layer(f"{name}.vector", rnn.vectors, first, size)
                first += size


def _joined(places: list[Tensor]) -> Tensor:
    return torch.cat(places) if len(places) > 1 else places[0].contiguous()


def _layer(name: str, layer: torch.nn.Linear, first: int = 0, count: Optional[int] = None
           ) -> Iterator[tuple[str, list[Tensor]]]:
    """Some outputs of a layer."""
    last = layer.out_features if count is None else first + count
    yield f"{name}.weights", [layer.weight.detach()[first:last].t()]
    yield f"{name}.bias", [layer.bias.detach()[first:last]]
