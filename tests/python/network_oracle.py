"""A model from its weights alone, in NumPy and double: the paper's equations."""

from typing import NamedTuple

import numpy

from stack_oracle import Runs, superposition_readings


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def log_softmax(x):
    x = x - x.max()
    return x - numpy.log(numpy.exp(x).sum())


class Read(NamedTuple):
    """What a network has computed for a string w_1 .. w_n."""

    hidden: numpy.ndarray             # [n, H]
    readings: numpy.ndarray           # [n, R], those that the hidden states were computed from
    log_probabilities: numpy.ndarray  # [n + 1, outputs], of what can be at each place
    scores: numpy.ndarray             # [n + 1], of the symbol or the end that is there


class Network:
    """A model of strings, whose stack is computed anew for each step.

    `description` and `weights` are those of a `pushdown.Model`, or of a `LanguageModel`.
    """

    def __init__(self, description, weights):
        self.weights = {name: value.astype(float) for name, value in weights.items()}
        self.symbols, self.units = description["symbols"], description["hidden_units"]
        self.bottom = description.get("bottom", "fixed")
        self.kind, *sizes = description["name"].split("-")
        self.pushes_hidden = sizes == ["h"]
        self.sizes = [self.units] if self.pushes_hidden else [int(size) for size in sizes]

    def _layer(self, name, x):
        return x @ self.weights[name + ".weights"] + self.weights[name + ".bias"]

    def _reading(self, hidden):
        """After the hidden states so far."""
        if self.kind == "lstm":
            return numpy.zeros(0)
        if self.kind == "sup":
            actions = numpy.zeros((len(hidden), len(self.sizes), 3))
            vectors = numpy.zeros((len(hidden), sum(self.sizes)))
            for t, h in enumerate(hidden):
                stacks = range(1, len(self.sizes) + 1)
                for k in stacks:
                    actions[t, k - 1] = numpy.exp(log_softmax(self._layer(f"stack.{k}.actions", h)))
                vectors[t] = h if self.pushes_hidden else numpy.concatenate(
                    [sigmoid(self._layer(f"stack.{k}.vector", h)) for k in stacks])
            return superposition_readings(self.sizes, actions, vectors)[-1]
        states, symbols = self.sizes[:2]
        pairs = states * symbols
        logits = numpy.array([self._layer("stack.operations", h) for h in hidden])
        logits = logits.reshape(len(hidden), pairs, 2 * pairs + states)
        vectors = bottom_vector = None
        if self.kind == "vrns":
            vectors = [sigmoid(self._layer("stack.vector", h)) for h in hidden]
            bottom_vector = sigmoid(self.weights["stack.bottom_vector"])
        runs = Runs(states, symbols, logits, vectors, bottom_vector, bottom=self.bottom)
        return runs.readings[-1]

    def read(self, string):
        """Reads a string, the numbers of its symbols, and its end."""
        hidden, readings, rows = [], [], []
        h, c = numpy.zeros(self.units), numpy.zeros(self.units)
        for symbol in string:
            rows.append(log_softmax(self._layer("output", h)))
            readings.append(self._reading(hidden))
            x = numpy.concatenate([numpy.eye(self.symbols)[symbol], readings[-1], h])
            i, f, g, o = self._layer("controller", x).reshape(4, self.units)
            c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
            h = sigmoid(o) * numpy.tanh(c)
            hidden.append(h)
        rows.append(log_softmax(self._layer("output", h)))
        scores = [row[symbol] for row, symbol in zip(rows, [*string, self.symbols])]
        return Read(*map(numpy.array, (hidden, readings, rows, scores)))
