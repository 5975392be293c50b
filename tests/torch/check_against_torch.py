#!/usr/bin/env python3
"""Computes with PyTorch what the library computed, and compares.

usage: check_against_torch.py TORCH_CASES steps|training|text

TORCH_CASES is the program that writes what the library computed. PyTorch works in double precision,
so that differences are the library's rounding errors. Prints a line for each comparison; exits with
1 if one fails, and with 77 where there is no PyTorch.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import torch
except ImportError:
    print("python3-torch is not installed; make test-torch installs it")
    sys.exit(1 if os.environ.get("PUSHDOWN_REQUIRE_TORCH") else 77)

failures = 0


def compare(what, actual, expected, tolerance):
    """The largest difference of two numbers, lists of numbers or tensors."""
    global failures
    actual = torch.as_tensor(actual, dtype=torch.float64).reshape(-1)
    expected = torch.as_tensor(expected, dtype=torch.float64).reshape(-1)
    if actual.shape != expected.shape:
        print(f"FAILED {what}: {len(actual)} numbers, PyTorch has {len(expected)}")
        failures += 1
        return
    difference = (actual - expected).abs().max().item()
    # Written so that NaN fails.
    if difference <= tolerance:
        print(f"ok     {what}: largest difference {difference:.2g}, at most {tolerance:g}")
    else:
        at = (actual - expected).abs().argmax().item()
        print(
            f"FAILED {what}: largest difference {difference:.3g}, allowed is {tolerance:g}; "
            f"entry {at} is {actual[at].item():.9g}, PyTorch has {expected[at].item():.9g}"
        )
        failures += 1


def check(what, condition):
    """A fact that the comparisons would mean little without."""
    global failures
    if not condition:
        failures += 1
    print(f"{'ok    ' if condition else 'FAILED'} {what}")


class Model(torch.nn.Module):
    """The LSTM language model, with the library's arena as its parameters."""

    def __init__(self, description, arena):
        super().__init__()
        self.symbols = description["symbols"]
        self.tensors = description["tensors"]
        self.units = description["hidden_units"]
        self.lstm = torch.nn.LSTM(self.symbols, self.units, batch_first=True)
        self.output = torch.nn.Linear(self.units, self.symbols + 1)
        controller = self.slice(arena, "controller.weights")
        with torch.no_grad():
            self.lstm.weight_ih_l0.copy_(controller[: self.symbols].T)
            self.lstm.weight_hh_l0.copy_(controller[self.symbols :].T)
            self.lstm.bias_ih_l0.copy_(self.slice(arena, "controller.bias"))
            # The library has one bias where PyTorch has two.
            self.lstm.bias_hh_l0.zero_()
            self.lstm.bias_hh_l0.requires_grad_(False)
            self.output.weight.copy_(self.slice(arena, "output.weights").T)
            self.output.bias.copy_(self.slice(arena, "output.bias"))

    def slice(self, arena, name):
        tensor = self.tensors[name]
        size = math.prod(int(n) for n in tensor["shape"])
        offset = int(tensor["offset"])
        numbers = torch.tensor(arena[offset : offset + size], dtype=torch.float64)
        return numbers.reshape([int(n) for n in tensor["shape"]])

    def values(self, get):
        """By the library's names, what `get` gives for each of PyTorch's parameters."""
        return {
            "controller.weights": torch.cat(
                [get(self.lstm.weight_ih_l0).T, get(self.lstm.weight_hh_l0).T]
            ),
            "controller.bias": get(self.lstm.bias_ih_l0),
            "output.weights": get(self.output.weight).T,
            "output.bias": get(self.output.bias),
        }

    def arena(self, get):
        """The same as the library's arena."""
        values = self.values(get)
        assert set(values) == set(self.tensors), "tensors of the layout"
        arena = torch.zeros(sum(value.numel() for value in values.values()), dtype=torch.float64)
        for name, value in values.items():
            offset = int(self.tensors[name]["offset"])
            arena[offset : offset + value.numel()] = value.detach().reshape(-1)
        return arena

    def loss(self, strings):
        """-log p, summed over strings of equal length and their ends."""
        length = len(strings[0])
        hidden = torch.zeros(len(strings), 1, self.units)  # h_0 predicts the first symbol
        if length > 0:
            one_hot = torch.nn.functional.one_hot(torch.tensor(strings), self.symbols)
            hidden = torch.cat([hidden, self.lstm(one_hot.double())[0]], dim=1)
        targets = torch.tensor([string + [self.symbols] for string in strings])
        return torch.nn.functional.cross_entropy(
            self.output(hidden).reshape(-1, self.symbols + 1), targets.reshape(-1), reduction="sum"
        )

    def trained(self):
        return [parameter for parameter in self.parameters() if parameter.requires_grad]


def value_of(parameter):
    return parameter


def gradient_of(parameter):
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad


def check_steps(case):
    model = Model(case["model"], case["parameters"])
    adam = torch.optim.Adam(model.trained(), lr=case["learning_rate"])
    norms = []
    for number, step in enumerate(case["steps"], 1):
        strings = step["strings"]
        adam.zero_grad()
        loss = model.loss(strings)
        (loss / len(strings)).backward()
        gradient = model.arena(gradient_of)
        norm = torch.nn.utils.clip_grad_norm_(model.trained(), case["clipping"]).item()
        norms.append(norm)
        adam.step()
        compare(f"step {number} loss", step["loss"], loss.item(), 1e-6 * loss.item())
        compare(f"step {number} gradient", step["gradient"], gradient, 2e-6 * norm)
        compare(f"step {number} norm", step["norm"], norm, 2e-6 * norm)
        compare(f"step {number} parameters", step["parameters"], model.arena(value_of), 5e-6)
    check("some steps are clipped", max(norms) > 1.1 * case["clipping"])
    check("some are not", min(norms) < 0.9 * case["clipping"])
    check("there are 20 steps", len(norms) == 20)


def symbols_in(strings):
    return sum(len(string) + 1 for string in strings)


def check_training(case):
    # The batches are the library's; that each string is in one of them is checked here again.
    batches = [[case["training"][number] for number in batch] for batch in case["batches"]]
    check(
        "batches are a partition",
        sorted(number for batch in case["batches"] for number in batch)
        == list(range(len(case["training"]))),
    )
    model = Model(case["model"], case["parameters"])
    adam = torch.optim.Adam(model.trained(), lr=case["learning_rate"])
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
        adam, factor=case["plateau_factor"], patience=case["plateau_patience"]
    )
    best = math.inf
    best_parameters = None
    bad_epochs = 0
    epochs = 0
    for number, epoch in enumerate(case["epochs"], 1):
        rate = adam.param_groups[0]["lr"]
        training = 0.0
        largest_norm = 0.0
        for index in epoch["order"]:
            batch = batches[index]
            adam.zero_grad()
            loss = model.loss(batch)
            (loss / len(batch)).backward()
            norm = torch.nn.utils.clip_grad_norm_(model.trained(), case["clipping"]).item()
            largest_norm = max(largest_norm, norm)
            adam.step()
            training += loss.item()
        with torch.no_grad():
            validation = sum(model.loss([string]).item() for string in case["validation"])
        training /= symbols_in(case["training"])
        validation /= symbols_in(case["validation"])
        schedule.step(math.exp(validation))
        improved = validation < best
        bad_epochs = 0 if improved else bad_epochs + 1
        if improved:
            best = validation
            best_parameters = model.arena(value_of).clone()
        epochs += 1
        name = f"epoch {number}"
        compare(f"{name} training loss", epoch["training_cross_entropy"], training, 2e-6)
        compare(f"{name} validation loss", epoch["validation_cross_entropy"], validation, 2e-6)
        compare(f"{name} learning rate", epoch["learning_rate"], rate, 1e-12)
        compare(f"{name} largest norm", epoch["largest_gradient_norm"], largest_norm, 5e-5)
        compare(f"{name} is the best so far", epoch["best"], 1.0 if improved else 0.0, 0)
        if bad_epochs >= case["patience"]:
            break
    check(f"stops after {epochs} epochs", epochs == len(case["epochs"]))
    check("stops early", bad_epochs == case["patience"] and epochs < case["max_epochs"])
    once = case["learning_rate"] * case["plateau_factor"]
    check("the rate fell more than once", rate < 0.99 * once)
    check("the best epoch is not the first", best < case["epochs"][0]["validation_cross_entropy"])
    compare("final parameters", case["final_parameters"], model.arena(value_of), 5e-5)
    compare("best parameters", case["best_parameters"], best_parameters, 5e-5)


class TextModel(Model):
    """The LSTM as a model of running text: embeddings, and no end of strings."""

    def __init__(self, description, arena):
        torch.nn.Module.__init__(self)
        self.symbols = description["symbols"]
        self.tensors = description["tensors"]
        self.units = description["hidden_units"]
        size = int(self.tensors["embeddings"]["shape"][1])
        self.embeddings = torch.nn.Embedding(self.symbols, size)
        self.lstm = torch.nn.LSTM(size, self.units)
        self.output = torch.nn.Linear(self.units, self.symbols)
        controller = self.slice(arena, "controller.weights")
        with torch.no_grad():
            self.embeddings.weight.copy_(self.slice(arena, "embeddings"))
            self.lstm.weight_ih_l0.copy_(controller[:size].T)
            self.lstm.weight_hh_l0.copy_(controller[size:].T)
            self.lstm.bias_ih_l0.copy_(self.slice(arena, "controller.bias"))
            self.lstm.bias_hh_l0.zero_()
            self.lstm.bias_hh_l0.requires_grad_(False)
            self.output.weight.copy_(self.slice(arena, "output.weights").T)
            self.output.bias.copy_(self.slice(arena, "output.bias"))

    def values(self, get):
        return {"embeddings": get(self.embeddings.weight)} | super().values(get)

    def read(self, inputs, targets, state):
        """-log p, summed over [step, row] tokens, and the state to go on with."""
        hidden, state = self.lstm(self.embeddings(inputs), state)
        loss = torch.nn.functional.cross_entropy(
            self.output(hidden).reshape(-1, self.symbols), targets.reshape(-1), reduction="sum"
        )
        return loss, tuple(part.detach() for part in state)


def text_rows(tokens, rows):
    """Inputs and targets as [step, row]; the rows are equally long here."""
    targets = torch.tensor(tokens).reshape(rows, -1).T
    inputs = torch.tensor([0] + tokens[:-1]).reshape(rows, -1).T
    return inputs, targets


def check_text(case):
    model = TextModel(case["model"], case["parameters"])
    rows = int(case["rows"])
    length = int(case["chunk_length"])
    inputs, targets = text_rows([int(token) for token in case["training"]], rows)
    sgd = torch.optim.SGD(model.trained(), lr=case["learning_rate"])
    schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
        sgd, factor=case["plateau_factor"], patience=0, threshold=0, eps=0
    )
    norms = []
    best = math.inf
    rates = set()
    for number, epoch in enumerate(case["epochs"], 1):
        rate = sgd.param_groups[0]["lr"]
        rates.add(rate)
        state = None
        training = 0.0
        for begin in range(0, len(inputs), length):
            chunk = slice(begin, begin + length)
            sgd.zero_grad()
            loss, state = model.read(inputs[chunk], targets[chunk], state)
            (loss / inputs[chunk].numel()).backward()
            norms.append(torch.nn.utils.clip_grad_norm_(model.trained(), case["clipping"]).item())
            sgd.step()
            training += loss.item()
        with torch.no_grad():
            # In one piece: chunks make no difference without gradients.
            validation = model.read(
                *text_rows([int(token) for token in case["validation"]], rows), None
            )[0].item()
        training /= len(case["training"])
        validation /= len(case["validation"])
        schedule.step(math.exp(validation))
        name = f"text epoch {number}"
        compare(f"{name} training loss", epoch["training_cross_entropy"], training, 5e-6)
        compare(f"{name} validation loss", epoch["validation_cross_entropy"], validation, 5e-6)
        compare(f"{name} learning rate", epoch["learning_rate"], rate, 1e-12)
        best = min(best, validation)
    compare("text parameters", case["final_parameters"], model.arena(value_of), 2e-5)
    check("an epoch has several chunks", len(norms) > 4 * len(case["epochs"]))
    check("some steps are clipped", max(norms) > 1.1 * case["clipping"])
    check("some are not", min(norms) < 0.9 * case["clipping"])
    check("the rate fell", len(rates) > 1)
    check("the model learns", best < case["epochs"][0]["validation_cross_entropy"])


def main():
    sections = {"steps": check_steps, "training": check_training, "text": check_text}
    if len(sys.argv) != 3 or sys.argv[2] not in sections:
        sys.exit(__doc__)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "cases.json")
        subprocess.run([sys.argv[1], path], check=True)
        with open(path, encoding="utf-8") as file:
            cases = json.load(file)
    sections[sys.argv[2]](cases[sys.argv[2]])
    if failures > 0:
        print(f"{failures} comparisons with PyTorch {torch.__version__} failed")
        sys.exit(1)


main()
