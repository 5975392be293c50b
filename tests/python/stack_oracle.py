"""What stacks must give, from their definitions: every run by itself, with its stack of symbols.

There is no dynamic programming here, and nothing of the library; the time is exponential in the
steps.
"""

import numpy


class Runs:
    """All runs of an automaton over one sequence of logits [T, P, 2P + Q]."""

    def __init__(self, states, symbols, logits, vectors=None, bottom_vector=None, window=0,
                 bottom="fixed"):
        self.states, self.symbols = states, symbols
        self.weights = numpy.exp(numpy.asarray(logits, dtype=float))
        self.vectors, self.window = vectors, window
        self.smallest_pop, self.smallest_replace = (1, 0) if bottom == "fixed" else (2, 1)
        pairs = states * symbols
        steps = len(self.weights)
        size = 1 if vectors is None else len(bottom_vector)
        self.sums = numpy.zeros((steps + 1, pairs, size))
        self.totals = numpy.zeros(steps + 1)
        self._visit(0, 0, [(0, None if vectors is None else bottom_vector, 0)], 1.0)

    @property
    def readings(self):
        return (self.sums / self.totals[:, None, None]).reshape(len(self.totals), -1)

    @property
    def log_weight(self):
        return numpy.log(self.totals[-1])

    def _visit(self, t, state, stack, weight):
        top, vector, push_time = stack[-1]
        if weight == 0 or (self.window and t - (push_time - 1) > self.window):
            return
        self.totals[t] += weight
        self.sums[t, state * self.symbols + top] += weight * (1 if vector is None else vector)
        if t == len(self.weights):
            return
        row = iter(self.weights[t, state * self.symbols + top])
        pairs = [(r, y) for r in range(self.states) for y in range(self.symbols)]
        for r, y in pairs:
            pushed = (y, None if self.vectors is None else self.vectors[t], t + 1)
            self._visit(t + 1, r, stack + [pushed], weight * next(row))
        for r, y in pairs:
            replaced = weight * next(row)
            if len(stack) > self.smallest_replace:
                self._visit(t + 1, r, stack[:-1] + [(y, vector, push_time)], replaced)
        for r in range(self.states):
            popped = weight * next(row)
            if len(stack) > self.smallest_pop:
                self._visit(t + 1, r, stack[:-1], popped)


def superposition_readings(sizes, actions, vectors, depth_limit=0):
    """Of one sequence: actions [T, stacks, 3], vectors [T, sum of sizes]."""
    tops = numpy.zeros((len(actions) + 1, sum(sizes)))
    first = 0
    for number, size in enumerate(sizes):
        stack = numpy.zeros((len(actions) + 1, size))  # [depth]
        for t, action in enumerate(actions):
            push, keep, pop = action[number]
            below = numpy.concatenate([vectors[t, None, first:first + size], stack[:-1]])
            above = numpy.concatenate([stack[1:], numpy.zeros((1, size))])
            stack = push * below + keep * stack + pop * above
            if depth_limit:
                stack[depth_limit:] = 0
            tops[t + 1, first:first + size] = stack[0]
        first += size
    return tops
