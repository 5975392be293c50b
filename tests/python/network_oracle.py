"""A trained model from its weights alone, in NumPy and double: the paper's equations."""

import numpy

from stack_oracle import Runs, superposition_readings


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def log_softmax(x):
    x = x - x.max()
    return x - numpy.log(numpy.exp(x).sum())


class Network:
    """A model of strings, whose stack is computed anew for each step."""

    def __init__(self, model):
        self.weights = {name: value.astype(float) for name, value in model.weights.items()}
        self.kind, *sizes = model.name.split("-")
        self.sizes = [int(size) for size in sizes]
        self.symbols = model.description["symbols"]
        self.units = model.description["hidden_units"]
        self.bottom = model.description.get("bottom", "fixed")

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
                vectors[t] = numpy.concatenate(
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
        return Runs(states, symbols, logits, vectors, bottom_vector, bottom=self.bottom).readings[-1]

    def read(self, string):
        """The hidden states, the readings that they were computed from, and log p by symbol."""
        hidden, readings, scores = [], [], []
        h, c = numpy.zeros(self.units), numpy.zeros(self.units)
        for symbol in [*string, self.symbols]:
            scores.append(log_softmax(self._layer("output", h))[symbol])
            if symbol == self.symbols:
                return numpy.array(hidden), numpy.array(readings), numpy.array(scores)
            readings.append(self._reading(hidden))
            x = numpy.concatenate([numpy.eye(self.symbols)[symbol], readings[-1], h])
            i, f, g, o = self._layer("controller", x).reshape(4, self.units)
            c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
            h = sigmoid(o) * numpy.tanh(c)
            hidden.append(h)
