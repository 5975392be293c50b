"""The nondeterministic stack in plain PyTorch: the recurrences of gamma and alpha in log space.

Batched over sequences, times, states and symbols, and differentiated by autograd.
bench/python_speed compares pushdown.torch with it, and tests/python/test_torch.py checks the
readings.
"""

import torch

NONE = -1e5  # log of no weight at all; finite, so that derivatives are


def log_matmul(a, b):
    """log(exp(a) exp(b)), where rows of a and columns of b are shifted by their largest element."""
    shift_a = a.amax(-1, keepdim=True).detach()
    shift_b = b.amax(-2, keepdim=True).detach()
    product = torch.matmul(torch.exp(a - shift_a), torch.exp(b - shift_b))
    return torch.log(product.clamp_min(torch.finfo(a.dtype).tiny)) + shift_a + shift_b


class PlainStack:
    """Stacks of a batch, with the interface of what NondeterministicStack.start returns.

    The column of time j is gamma[i -> j][q,x -> r,y], [B, i = -1 .. j-1, P, P].
    """

    def __init__(self, states, symbols, batch_size, window=None, dtype=torch.float32):
        self.states, self.symbols, self.window = states, symbols, window
        self.pairs = states * symbols
        start = torch.full((batch_size, 1, self.pairs, self.pairs), NONE, dtype=dtype)
        start[:, 0, 0, 0] = 0
        self.column = start
        first = torch.full((batch_size, 1, self.pairs), NONE, dtype=dtype)
        first[:, 0, 0] = 0
        self.alphas = torch.cat([first, first], 1)  # of the times -1, 0, ..
        self.past = None  # gamma[i -> k][q,x -> u,y], [B, y, i, q,x, k = 0 .., u]

    def update(self, logits):
        batch, pairs, states, symbols = len(logits), self.pairs, self.states, self.symbols
        push, replace, pop = logits.view(batch, pairs, -1).split([pairs, pairs, states], 2)
        before = self.column
        replaced = log_matmul(before, replace.unsqueeze(1))
        parts = [replaced, push.unsqueeze(1)]
        if self.past is not None:
            ended = log_matmul(before[:, 1:], pop.unsqueeze(1))  # [B, k, u,y, r]
            ended = ended.view(batch, -1, states, symbols, states).permute(0, 3, 1, 2, 4)
            ended = ended.reshape(batch, symbols, -1, states)    # [B, y, k u, r]
            times = self.past.shape[2]
            popped = log_matmul(self.past.reshape(batch, symbols, times * pairs, -1), ended)
            popped = popped.view(batch, symbols, times, pairs, states).permute(0, 2, 3, 4, 1)
            popped = popped.reshape(batch, times, pairs, pairs)
            parts = [torch.logaddexp(replaced[:, :times], popped), replaced[:, times:], parts[1]]
        self._remember(before)
        column = torch.cat(parts, 1)
        if self.window is not None and column.shape[1] > self.window:
            old = column.shape[1] - self.window
            column = torch.cat([torch.full_like(column[:, :old], NONE), column[:, old:]], 1)
        self.column = column
        alpha = log_matmul(self.alphas.reshape(batch, 1, -1), column.reshape(batch, -1, pairs))
        self.alphas = torch.cat([self.alphas, alpha], 1)

    def reading(self):
        return torch.softmax(self.alphas[:, -1], 1)

    def _remember(self, column):
        """Adds a column to the past, and the time -1, 0, .. of its youngest element."""
        batch, times = column.shape[:2]
        new = column.view(batch, times, self.pairs, 1, self.states, self.symbols)
        new = new.permute(0, 5, 1, 2, 3, 4)
        if self.past is None:
            self.past = new
            return
        empty = torch.full_like(self.past[:, :, :1], NONE)
        self.past = torch.cat([torch.cat([self.past, empty], 2), new], 4)
