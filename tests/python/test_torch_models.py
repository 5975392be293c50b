"""Stack RNNs and language models of pushdown.torch: time, gradients, and the program's models."""

import copy
import io
import json
import os
import pathlib
import subprocess

import numpy
import pytest

import pushdown
from stack_oracle import Runs, superposition_readings

try:
    import torch
except ImportError:
    if os.environ.get("PUSHDOWN_REQUIRE_TORCH") == "1":
        raise
    pytest.skip("PyTorch is not installed (python3-torch)", allow_module_level=True)

from pushdown.torch import LanguageModel, NondeterministicStack, StackRNN, SuperpositionStack

PROGRAM = pathlib.Path(__file__).parents[2] / "build/release/cli/pushdown"


class Counter(torch.nn.Module):
    """A controller of one's own, without parameters, whose state is None at first."""

    hidden_size = 2

    def forward(self, given, state):
        before = torch.zeros_like(given[:, :2]) if state is None else state
        return torch.tanh(before + given[:, :2] + given[:, -2:])


STACKS = {
    "rns": lambda: NondeterministicStack(1, 2),
    "vrns": lambda: NondeterministicStack(1, 2, 2),
    "window": lambda: NondeterministicStack(2, 1, window=2),
    "sup": lambda: SuperpositionStack([2, 1]),
    "depth": lambda: SuperpositionStack([2], 2),
}
CONTROLLERS = {
    "lstm": lambda inputs: torch.nn.LSTMCell(inputs, 2),
    "gru": lambda inputs: torch.nn.GRUCell(inputs, 2),
    "rnn": lambda inputs: torch.nn.RNNCell(inputs, 2),
    "own": lambda inputs: Counter(),
}


def make(stack, controller="lstm", **options):
    torch.manual_seed(1)
    made = STACKS[stack]() if stack else None
    size = made.reading_size if made else 0
    rnn = StackRNN(CONTROLLERS[controller](3 + size), made, **options).double()
    with torch.no_grad():
        for parameter in rnn.parameters():
            parameter.uniform_(-1.5, 1.5)
    return rnn


def inputs(steps=4, batch=2):
    random = numpy.random.default_rng(1)
    return torch.tensor(random.uniform(-1, 1, (batch, steps, 3)), requires_grad=True)


def readings_by_definition(rnn, hidden):
    """The readings r_0 .. r_T of one sequence, from its hidden states [T, H]."""
    stack = rnn.stack
    with torch.no_grad():
        if isinstance(stack, NondeterministicStack):
            pairs = stack.states * stack.symbols
            vectors = bottom = None
            if stack.vector_size:
                vectors = torch.sigmoid(rnn.vector(hidden)).numpy()
                bottom = torch.sigmoid(rnn.bottom_vector).numpy()
            logits = rnn.operations(hidden).view(len(hidden), pairs, -1).numpy()
            return Runs(stack.states, stack.symbols, logits, vectors, bottom, stack.window).readings
        actions = rnn.actions(hidden).view(len(hidden), -1, 3).softmax(2).numpy()
        vectors = hidden if rnn.push_hidden else torch.sigmoid(rnn.vectors(hidden))
        return superposition_readings(stack.sizes, actions, vectors.numpy(), stack.depth_limit)


@pytest.mark.parametrize("controller", CONTROLLERS)
@pytest.mark.parametrize("stack", STACKS)
def test_controller_sees_the_reading_of_the_actions_before(stack, controller):
    rnn, given = make(stack, controller), inputs()
    with torch.no_grad():
        hidden, state, readings = rnn(given, return_readings=True)
        for n in range(2):
            expected = readings_by_definition(rnn, hidden[n])[:-1]
            numpy.testing.assert_allclose(readings[n], expected, atol=1e-12)
        # and the controller has taken inputs and readings, one after the other
        of_controller = None
        for t in range(4):
            of_controller = rnn.controller(torch.cat([given[:, t], readings[:, t]], 1), of_controller)
            first = of_controller[0] if isinstance(of_controller, tuple) else of_controller
            numpy.testing.assert_array_equal(hidden[:, t], first)


def test_hidden_state_can_be_pushed():
    rnn = StackRNN(torch.nn.GRUCell(3 + 2, 2), SuperpositionStack([2]), push_hidden=True).double()
    with torch.no_grad():
        hidden, _, readings = rnn(inputs(), return_readings=True)
    assert "vectors.weight" not in rnn.state_dict()
    numpy.testing.assert_allclose(readings[0], readings_by_definition(rnn, hidden[0])[:-1],
                                  atol=1e-12)


@pytest.mark.parametrize("controller", ["lstm", "gru"])
@pytest.mark.parametrize("stack", STACKS)
def test_gradcheck(stack, controller):
    rnn = make(stack, controller)
    parameters = list(rnn.parameters())

    def function(given, *_parameters):  # gradcheck changes the parameters where they are
        return rnn(given)[0]

    assert torch.autograd.gradcheck(function, (inputs(3), *parameters))


def test_all_layers_get_gradients():
    for stack in STACKS:
        rnn = make(stack)
        rnn(inputs())[0].sum().backward()
        for name, parameter in rnn.named_parameters():
            assert torch.count_nonzero(parameter.grad) > 0, f"{stack}: {name}"


@pytest.mark.parametrize("stack", [None, "rns", "vrns", "sup"])
def test_state_goes_on_with_gradients(stack):
    rnn, given = make(stack), inputs(6)
    whole = rnn(given)[0]
    state = rnn.start(2, 6, torch.float64)
    parts = []
    for first in (0, 1, 4):
        part, state = rnn(given[:, first:{0: 1, 1: 4, 4: 6}[first]], state)
        parts.append(part)
    numpy.testing.assert_allclose(torch.cat(parts, 1).detach(), whole.detach(), atol=1e-13)
    weights = torch.linspace(-1, 1, whole.numel(), dtype=torch.float64).view(whole.shape)
    expected = torch.autograd.grad((weights * whole).sum(), rnn.controller.weight_ih)[0]
    found = torch.autograd.grad((weights * torch.cat(parts, 1)).sum(), rnn.controller.weight_ih)[0]
    numpy.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("stack", [None, "window", "depth"])
@pytest.mark.parametrize("early", [False, True], ids=["backward first", "detach first"])
def test_chunks_of_truncated_backpropagation(stack, early):
    rnn, given = make(stack), inputs(8)
    whole = rnn(given)[0].detach()
    state = None
    for first in (0, 2, 4, 6):
        hidden, state = rnn(given[:, first:first + 2], state)
        numpy.testing.assert_allclose(hidden.detach(), whole[:, first:first + 2], atol=1e-13)
        if early:
            state = state.detach()
        given.grad = None
        hidden.sum().backward()
        if not early:
            state = state.detach()
        # Only this chunk, all of which has derivatives.
        touched = given.grad.abs().sum((0, 2)) > 0
        assert touched.tolist() == [t in (first, first + 1) for t in range(8)]


@pytest.mark.parametrize("call, message", [
    (lambda: StackRNN(torch.nn.Linear(3, 2), STACKS["rns"]()), "hidden_size: missing"),
    (lambda: StackRNN(torch.nn.GRUCell(3, 2), SuperpositionStack([3]), push_hidden=True),
     "push_hidden"),
    (lambda: make("rns")(torch.zeros(3, 3)), "inputs: have the shape [3, 3]"),
    (lambda: make("rns")(inputs(batch=3), make("rns").start(2, 4)), "inputs: 3 sequences"),
    (lambda: make("rns")(inputs(5), make("rns").start(2, 3, torch.float64)), "max_steps=3"),
    (lambda: LanguageModel("rsn-2-2", 3), "rsn"),
    (lambda: LanguageModel("rns-2-2", 0), "symbols"),
    (lambda: LanguageModel("lstm", 3, kind="words"), "kind: 'words'"),
    (lambda: LanguageModel("lstm", 3, embedding_size=5), "embedding_size"),
    (lambda: LanguageModel("lstm", 3)(torch.tensor([[0, 3]])), "between 0 and 2"),
    (lambda: LanguageModel("lstm", 3)(torch.tensor([0, 1])), "symbols: torch.int64"),
    (lambda: LanguageModel("lstm", 3)(torch.zeros(1, 2)), "symbols: torch.float32"),
    (lambda: LanguageModel.from_weights(LanguageModel("lstm", 3).description, {}), "weights: have"),
    (lambda: LanguageModel.from_weights(LanguageModel("lstm", 3).description,
                                        LanguageModel("lstm", 4).weights()),
     "weights: controller.weights has the shape [24, 80], must have [23, 80]"),
], ids=str)
def test_mistakes_are_named(call, message):
    with pytest.raises(pushdown.InputError) as raised:
        call()
    assert message in str(raised.value)


MODELS = ["lstm", "sup-h", "sup-3-2", "rns-2-2", "vrns-1-2-3"]


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def log_probabilities_by_hand(weights, stack_readings, string, outputs):
    """log p of a model of strings, from arrays as the program has them, in NumPy."""
    symbols = outputs - 1
    units = len(weights["output.weights"])
    hidden, cell, all_hidden, rows = numpy.zeros(units), numpy.zeros(units), [], []
    for t in range(len(string) + 1):
        logits = hidden @ weights["output.weights"] + weights["output.bias"]
        rows.append(logits - numpy.log(numpy.exp(logits).sum()))
        if t == len(string):
            return numpy.array(rows)
        given = [numpy.eye(symbols)[string[t]], stack_readings(numpy.array(all_hidden)), hidden]
        gates = numpy.concatenate(given) @ weights["controller.weights"] + weights["controller.bias"]
        i, f, g, o = numpy.split(gates, 4)
        cell = sigmoid(f) * cell + sigmoid(i) * numpy.tanh(g)
        hidden = sigmoid(o) * numpy.tanh(cell)
        all_hidden.append(hidden)


def reading_by_hand(name, weights, hidden):
    """The newest reading of a stack, from all hidden states [T, H] so far."""
    kind, *sizes = name.split("-")

    def layer(which):
        return (hidden.reshape(-1, len(weights["output.weights"])) @ weights[f"{which}.weights"]
                + weights[f"{which}.bias"])

    if kind == "lstm":
        return numpy.zeros(0)
    if kind == "sup":
        pushed_hidden = sizes == ["h"]
        sizes = [hidden_units(weights)] if pushed_hidden else [int(size) for size in sizes]
        actions, vectors = [], []
        for number in range(1, len(sizes) + 1):
            logits = numpy.exp(layer(f"stack.{number}.actions"))
            actions.append(logits / logits.sum(1, keepdims=True))
            vectors.append(hidden.reshape(-1, sizes[0]) if pushed_hidden
                           else sigmoid(layer(f"stack.{number}.vector")))
        return superposition_readings(sizes, numpy.stack(actions, 1), numpy.concatenate(vectors, 1))[-1]
    states, symbols = int(sizes[0]), int(sizes[1])
    pairs = states * symbols
    vectors = bottom = None
    if kind == "vrns":
        vectors, bottom = sigmoid(layer("stack.vector")), sigmoid(weights["stack.bottom_vector"])
    logits = layer("stack.operations").reshape(-1, pairs, 2 * pairs + states)
    return Runs(states, symbols, logits, vectors, bottom).readings[-1]


def hidden_units(weights):
    return len(weights["output.weights"])


def wild_weights(model):
    random = numpy.random.default_rng(3)
    return {name: random.uniform(-1.5, 1.5, array.shape) for name, array in model.weights().items()}


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_are_those_of_the_formulas(name):
    weights = wild_weights(LanguageModel(name, 3, 4))
    model = LanguageModel.from_weights(LanguageModel(name, 3, 4).description, weights)
    strings = [[0, 2, 1, 1], [2, 2, 0, 1]]
    found = model.log_probabilities(torch.tensor(strings))
    assert found.dtype == torch.float64
    for n, string in enumerate(strings):
        expected = log_probabilities_by_hand(
            weights, lambda hidden: reading_by_hand(name, weights, hidden), string, 4)
        numpy.testing.assert_allclose(found[n].detach(), expected, atol=1e-10)
    empty = model.log_probabilities(torch.zeros(1, 0, dtype=torch.int64))
    numpy.testing.assert_allclose(empty[0].detach(), expected[:1], atol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_weights_go_both_ways(name):
    given = LanguageModel(name, 3, 4)
    weights = wild_weights(given)
    model = LanguageModel.from_weights(given.description, weights)
    for key, array in model.weights().items():
        numpy.testing.assert_array_equal(array, weights[key])
    # An LSTM with two biases has the sum of them.
    with torch.no_grad():
        model.rnn.controller.bias_hh += 1
    numpy.testing.assert_allclose(model.weights()["controller.bias"], weights["controller.bias"] + 1)


def test_models_are_copied_saved_and_restored():
    model = LanguageModel("vrns-2-2-3", 3, 5)
    strings = torch.tensor([[0, 1, 2]])
    expected = model.log_probabilities(strings)
    expected.sum().backward()  # memory of the stack is there, and not saved
    file = io.BytesIO()
    torch.save(model, file)
    file.seek(0)
    other = LanguageModel("vrns-2-2-3", 3, 5)
    assert not torch.equal(other.log_probabilities(strings), expected)
    other.load_state_dict(model.state_dict())
    for same in (torch.load(file, weights_only=False), copy.deepcopy(model), other):
        assert torch.equal(same.log_probabilities(strings), expected)
        assert same.description == model.description


def test_initial_parameters_are_the_papers():
    torch.manual_seed(1)
    weights = LanguageModel("vrns-2-2-3", 3, 50).weights()
    for name in ("controller.weights", "controller.bias", "stack.bottom_vector"):
        assert 0.05 < abs(weights[name]).max() <= 0.1
    for name in ("output", "stack.operations", "stack.vector"):
        bound = (6 / sum(weights[f"{name}.weights"].shape)) ** 0.5
        assert 0.9 * bound < abs(weights[f"{name}.weights"]).max() <= bound
        assert not weights[f"{name}.bias"].any()
    for array in LanguageModel("sup-3", 5, 50, kind="text").weights().values():
        assert 0.02 < abs(array).max() <= 0.05


def run(*arguments):
    done = subprocess.run([str(PROGRAM), *arguments], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def read_model(directory):
    """The weights and the description in model.safetensors."""
    data = (directory / "model.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    description = json.loads(header.pop("__metadata__")["description"])
    weights = {}
    for name, tensor in header.items():
        first, last = (8 + size + offset for offset in tensor["data_offsets"])
        weights[name] = numpy.frombuffer(data[first:last], "<f4").reshape(tensor["shape"])
    return weights, description


needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason=f"there is no {PROGRAM}")


@needs_program
@pytest.mark.parametrize("options", [
    "lstm", "sup-h", "sup-3-2", "rns-2-3", "rns-2-2 --bottom old", "vrns-2-2-3",
    "vrns-2-2-3 --initial-vector paper-code"])
def test_strings_have_the_probabilities_of_the_program(options, tmp_path):
    name, *more = options.split()
    run("train", "--task", "dyck", "--symbols", "2", "--model", *options.split(), "--hidden-units",
        "7", "--lengths", "4:30", "--training-size", "50", "--validation-size", "10", "--test-size",
        "1", "--max-epochs", "3", "--learning-rate", "0.2", "--out", str(tmp_path / "run"))
    weights, described = read_model(tmp_path / "run")
    assert (described["model"], described["hidden_units"], described["symbols"]) == (name, 7, 4)
    options = {key[2:].replace("-", "_"): value for key, value in zip(more[::2], more[1::2])}
    model = LanguageModel.from_weights(
        dict(name=name, kind="strings", hidden_units=7, symbols=4, **options), weights)
    symbols = described["vocabulary"]
    strings = [numpy.random.default_rng(5).integers(0, 4, 25).tolist(), [0, 1] * 12 + [0]]
    answers = run("score", str(tmp_path / "run"), "--tokens", "--json",
                  *(" ".join(symbols[x] for x in string) for string in strings))
    log_p = model.log_probabilities(torch.tensor(strings)).detach()
    for string, answer, rows in zip(strings, answers, log_p):
        found = rows[range(26), string + [4]]
        assert abs(found - numpy.log(0.2)).max() > 0.5  # the training has made a difference
        numpy.testing.assert_allclose(found, answer["log_ps"], atol=1e-5)


@needs_program
@pytest.mark.parametrize("options", ["lstm", "rns-2-2 --window 3", "vrns-2-1-2 --window 4",
                                     "sup-4 --depth-limit 2"])
def test_text_has_the_probabilities_of_the_program(options, tmp_path):
    sentences = ["a b c", "c b a a", "b", "a a a b c c c"]
    (tmp_path / "data").mkdir()
    for part in ("train", "valid", "test"):
        (tmp_path / "data" / f"{part}.txt").write_text("\n".join(sentences) + "\n")
    run("lm", "train", "--data", str(tmp_path / "data"), "--model", *options.split(),
        "--hidden-units", "6", "--embedding-size", "5", "--init-bound", "1.5", "--batch-size", "2",
        "--max-epochs", "1", "--out", str(tmp_path / "run"))
    weights, described = read_model(tmp_path / "run")
    name, *more = options.split()
    limits = {key[2:].replace("-", "_"): int(value) for key, value in zip(more[::2], more[1::2])}
    words = described["vocabulary"]
    model = LanguageModel.from_weights(
        dict(name=name, kind="text", hidden_units=6, embedding_size=5, symbols=len(words), **limits),
        weights)
    tokens = ["<eos>"] + " <eos> ".join(sentences + [""]).split()
    text = torch.tensor([[words.index(token) for token in tokens]])
    answers = run("score", str(tmp_path / "run"), "--running", "--tokens", "--json", *sentences)
    expected = sum((answer["log_ps"] for answer in answers), [])
    assert len(expected) == len(tokens) - 1
    found, state = [], None
    for first in range(0, len(expected), 5):  # in chunks, as one reads long text
        chunk = text[:, first:min(first + 5, len(expected))]
        logits, state = model(chunk, state)
        state = state.detach()
        after = text[0, first + 1:first + 1 + chunk.shape[1]]
        found += logits[0].log_softmax(1)[range(len(after)), after].tolist()
    numpy.testing.assert_allclose(found, expected, atol=1e-5)
