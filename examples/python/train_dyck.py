"""A nondeterministic stack in a PyTorch model of one's own, trained on the Dyck language.

Each cell (# %%) can be run by itself in editors that know cells, or all of them at once:

    python3 examples/python/train_dyck.py [--steps N]

The network is an ordinary LSTM with an ordinary training loop. The stack is one more module in it.
It is compared with the same LSTM without a stack, by the cross-entropy per symbol on strings that
neither has seen, less the lower bound: what is left of the entropy of the language is not the
network's fault.
"""

# %% What the networks read: balanced brackets of two types
import argparse

import torch

import pushdown
from pushdown.torch import NondeterministicStack, StackRNN

arguments = argparse.ArgumentParser(description="Trains a stack RNN on Dyck strings.")
arguments.add_argument("--steps", type=int, default=1500, help="training steps of each network")
STEPS = arguments.parse_args().steps

language = pushdown.languages.get("dyck", symbols=2)
END = len(language.alphabet)  # the output after the symbols
LENGTHS = (10, 30)


def batches(strings, size=16):
    """Strings of equal length side by side, as tensors [B, T], in a random order."""
    by_length = {}
    for string in map(language.encode, strings):
        by_length.setdefault(len(string), []).append(string)
    parts = [torch.tensor(some[n:n + size])
             for some in by_length.values() for n in range(0, len(some), size)]
    return [parts[n] for n in torch.randperm(len(parts))]


torch.manual_seed(1)
training = batches(language.sample(2000, LENGTHS, seed=1))
held_out = language.sample(200, LENGTHS, seed=2)
validation = batches(held_out)
lower_bound = language.lower_bound(held_out, LENGTHS)
print(f"{' '.join(language.alphabet)}: the lower bound is {lower_bound:.3f} nats a symbol")


# %% The network
class Network(torch.nn.Module):
    def __init__(self, stack, hidden_units=20):
        super().__init__()
        self.embedding = torch.nn.Embedding(END + 1, 8)  # END also stands before the first symbol
        reading_size = stack.reading_size if stack is not None else 0
        controller = torch.nn.LSTMCell(8 + reading_size, hidden_units)
        self.rnn = StackRNN(controller, stack)            # the stack is in the network: this line
        self.output = torch.nn.Linear(hidden_units, END + 1)

    def loss(self, strings):
        """The cross-entropy of each symbol and of the end, summed."""
        edge = torch.full((len(strings), 1), END)
        hidden, _ = self.rnn(self.embedding(torch.cat([edge, strings], 1)))
        logits = self.output(hidden)
        targets = torch.cat([strings, edge], 1)
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(),
                                                 reduction="sum")


# %% The training
def excess(network):
    """The cross-entropy per symbol on the strings held out, less the lower bound."""
    with torch.no_grad():
        total = sum(float(network.loss(strings)) for strings in validation)
    return total / sum(strings.numel() + len(strings) for strings in validation) - lower_bound


def train(name, network):
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    for step in range(STEPS + 1):
        if step % max(1, STEPS // 6) == 0:
            print(f"{name:8} step {step:4}   above the lower bound: {excess(network):.3f}", flush=True)
        strings = training[step % len(training)]
        optimizer.zero_grad()
        (network.loss(strings) / strings.numel()).backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 5)
        optimizer.step()
    return excess(network)


results = {
    "LSTM": train("LSTM", Network(None)),
    "RNS-RNN": train("RNS-RNN", Network(NondeterministicStack(states=2, symbols=3))),
}

# %% The result
for name, difference in results.items():
    print(f"{name:8} {difference:.3f} nats a symbol above the lower bound")
