"""Stack RNNs and language models of pushdown.torch: time, gradients, and the program's models."""

import copy
import io
import json
import os
from typing import NamedTuple

import numpy
import pytest

import pushdown
from network_oracle import Network
from stack_oracle import Runs, superposition_readings

try:
    import torch
except ImportError:
    if os.environ.get("PUSHDOWN_REQUIRE_TORCH") == "1":
        raise
    pytest.skip("PyTorch is not installed (python3-torch)", allow_module_level=True)

from pushdown.torch import LanguageModel, NondeterministicStack, StackRNN, SuperpositionStack


class Counter(torch.nn.Module):
    """A controller of one's own, without parameters, whose state is None at first."""

    hidden_size = 2

    def forward(self, given, state):
        before = torch.zeros_like(given[:, :2]) if state is None else state
        return torch.tanh(before + given[:, :2] + given[:, -2:])


MODELS = ["lstm", "sup-h", "sup-3-2", "rns-2-2", "vrns-1-2-3"]
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
            both = torch.cat([given[:, t], readings[:, t]], 1)
            of_controller = rnn.controller(both, of_controller)
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


class Cells(NamedTuple):
    hidden: torch.Tensor
    cell: torch.Tensor


class LSTMWithState(torch.nn.Module):
    """An LSTM whose state is in a container of one's own."""

    def __init__(self, inputs, contain, contents):
        super().__init__()
        self.lstm, self.hidden_size = torch.nn.LSTMCell(inputs, 2), 2
        self.contain, self.contents = contain, contents

    def forward(self, given, state):
        return self.contain(self.lstm(given, None if state is None else self.contents(state)))


@pytest.mark.parametrize("contain, contents", [
    (lambda cells: Cells(*cells), lambda state: (state.hidden, state.cell)),
    (lambda cells: (cells[0], {"cell": cells[1]}), lambda state: (state[0], state[1]["cell"])),
    (lambda cells: [cells[0], [cells[1], 5]], lambda state: (state[0], state[1][0])),
], ids=["named tuple", "dict in a tuple", "lists"])
def test_states_of_own_controllers_are_detached(contain, contents):
    expected = make("window")
    rnn = StackRNN(LSTMWithState(5, contain, contents), STACKS["window"]()).double()
    rnn.controller.lstm.load_state_dict(expected.controller.state_dict())
    rnn.operations.load_state_dict(expected.operations.state_dict())
    given, states = inputs(6), [None, None]
    for first in (0, 2, 4):
        gradients = []
        for n, each in enumerate((expected, rnn)):
            hidden, state = each(given[:, first:first + 2], states[n])
            states[n] = state.detach()
            gradients.append(torch.autograd.grad(hidden.sum(), given)[0])
        numpy.testing.assert_array_equal(gradients[1], gradients[0])
        touched = gradients[1].abs().sum((0, 2)) > 0
        assert touched.tolist() == [t in (first, first + 1) for t in range(6)]


@pytest.mark.parametrize("stack", [None, *STACKS])
def test_a_state_is_used_once(stack):
    rnn, given = make(stack), inputs(6)
    first, state = rnn(given[:, :2], rnn.start(2, 6))
    second, after = rnn(given[:, 2:4], state)
    assert after is not state
    with pytest.raises(pushdown.InputError, match="the state was used before"):
        rnn(given[:, 2:4], state)
    with pytest.raises(pushdown.InputError, match="the state was used before"):
        state.detach()
    third, _ = rnn(given[:, 4:], after)
    numpy.testing.assert_allclose(torch.cat([first, second, third], 1).detach(),
                                  rnn(given)[0].detach(), atol=1e-13)


@pytest.mark.parametrize("stack", [None, *STACKS])
def test_empty_batches(stack):
    rnn = make(stack)
    given = inputs(batch=0)
    hidden, _, readings = rnn(given, return_readings=True)
    size = rnn.stack.reading_size if stack else 0
    assert hidden.shape == (0, 4, 2) and readings.shape == (0, 4, size)
    hidden.sum().backward()
    assert given.grad.shape == given.shape
    assert rnn(given, rnn.start(0, 4, torch.float64))[0].shape == (0, 4, 2)


@pytest.mark.parametrize("name", MODELS)
def test_empty_batches_of_strings(name):
    model = LanguageModel(name, 3)
    assert model.log_probabilities(torch.zeros(0, 5, dtype=torch.int64)).shape == (0, 6, 4)


@pytest.mark.parametrize("stack", STACKS)
def test_a_state_has_the_type_of_the_parameters(stack):
    rnn, given = make(stack), inputs()
    state = rnn.start(2, 4)
    assert state.stack.reading().dtype == torch.float64
    assert torch.equal(rnn(given, state)[0], rnn(given)[0])
    rnn.float()
    assert rnn(given.float(), rnn.start(2, 4))[0].dtype == torch.float32


@pytest.mark.parametrize("call, message", [
    (lambda: StackRNN(torch.nn.Linear(3, 2), STACKS["rns"]()), "hidden_size: missing"),
    (lambda: StackRNN(torch.nn.GRUCell(3, 2), SuperpositionStack([3]), push_hidden=True),
     "push_hidden"),
    (lambda: StackRNN(torch.nn.LSTMCell(5, 8), "rns-2-3"), "stack: 'rns-2-3', must be"),
    (lambda: StackRNN(torch.nn.LSTM(5, 8), None), "controller: LSTM reads whole sequences"),
    (lambda: StackRNN(torch.nn.LSTMCell(1, 8), STACKS["rns"]()), "controller: takes 1 numbers"),
    (lambda: make("rns")(numpy.zeros((2, 3, 3))), "inputs: ndarray, must be a tensor"),
    (lambda: make("rns")(inputs(), (1, 2)), "state: tuple, must be"),
    (lambda: make("rns")(torch.zeros(3, 3)), "inputs: have the shape [3, 3]"),
    (lambda: LanguageModel("lstm", 4, window=5), "window: given, and lstm has none"),
    (lambda: LanguageModel("rns-2-3", 4, depth_limit=5), "depth_limit: given, and rns-2-3 has"),
    (lambda: LanguageModel("rns-2-3", 4.5), "symbols is 4.5, must be an integer"),
    (lambda: LanguageModel("lstm", 3)([[0, 1]]), "symbols: list, must be a tensor"),
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


def wild_weights(model):
    random = numpy.random.default_rng(3)
    return {name: random.uniform(-1.5, 1.5, array.shape) for name, array in model.weights().items()}


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_are_those_of_the_formulas(name):
    description = LanguageModel(name, 3, 4).description
    weights = wild_weights(LanguageModel(name, 3, 4))
    model = LanguageModel.from_weights(description, weights)
    strings = [[0, 2, 1, 1], [2, 2, 0, 1]]
    found = model.log_probabilities(torch.tensor(strings))
    assert found.dtype == torch.float64
    for n, string in enumerate(strings):
        expected = Network(description, weights).read(string).log_probabilities
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
    numpy.testing.assert_allclose(model.weights()["controller.bias"],
                                  weights["controller.bias"] + 1)


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


def name_of(settings):
    return "-".join(str(value) for value in settings.values())


STRING_MODELS = [
    dict(model="lstm"),
    dict(model="sup-h"),
    dict(model="sup-3-2"),
    dict(model="rns-2-3"),
    dict(model="rns-2-2", bottom="old"),
    dict(model="vrns-2-2-3"),
    dict(model="vrns-2-2-3", initial_vector="paper-code"),
]
TEXT_MODELS = [
    dict(model="lstm"),
    dict(model="rns-2-2", window=3),
    dict(model="vrns-2-1-2", window=4),
    dict(model="sup-4", depth_limit=2),
]
SENTENCES = ["a b c", "c b a a", "b", "a a a b c c c"]


def trained_on_strings(directory, settings):
    """A model whose weights a few large steps have made large."""
    return pushdown.train(directory / "run", task="dyck", symbols=2, hidden_units=7,
                          lengths=(4, 30), training_size=50, validation_size=10, test_size=1,
                          max_epochs=3, learning_rate=0.2, **settings).model()


def trained_on_text(directory, settings):
    (directory / "data").mkdir()
    for part in ("train", "valid", "test"):
        (directory / "data" / f"{part}.txt").write_text("\n".join(SENTENCES) + "\n")
    return pushdown.train(directory / "run", text=True, data=directory / "data", hidden_units=6,
                          embedding_size=5, init_bound=1.5, batch_size=2, max_epochs=1,
                          **settings).model()


def module_of(model, dtype):
    weights = {name: array.astype(dtype) for name, array in model.weights.items()}
    return LanguageModel.from_weights(model.description, weights)


def scores_of(module, string, end):
    """log p of the symbols of a string and of its end, as `Model.score` has them."""
    given = [end, *string] if module.is_text else string  # a text begins after the end of another
    with torch.no_grad():
        rows = module.log_probabilities(torch.tensor([given], dtype=torch.int64))[0]
    return rows[range(len(string) + 1), [*string, end]].numpy()


def assert_same_scores(model, module, strings):
    """A module of float32 with the weights of a model, and one of float64."""
    double = module_of(model, "float64")
    end = (model.vocabulary + ["<eos>"]).index("<eos>")  # that of strings is not a symbol
    for string in map(model.encode, strings):
        numpy.testing.assert_allclose(scores_of(module, string, end),
                                      model.score(string, dtype="float32"), rtol=0, atol=1e-5)
        numpy.testing.assert_allclose(scores_of(double, string, end),
                                      model.score(string, dtype="float64"), rtol=0, atol=1e-10)


def check_both_worlds(model, strings, directory, program):
    """Weights go from a trained model to PyTorch, are changed there, and go into a file."""
    module = module_of(model, "float32")
    assert_same_scores(model, module, strings)
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    changed = model.with_weights(module.weights())
    assert abs(changed.score(strings[0]) - model.score(strings[0])).max() > 0.01
    assert_same_scores(changed, module, strings)
    changed.save(directory / "changed.safetensors")
    loaded = pushdown.load(directory / "changed.safetensors")
    assert_same_scores(loaded, module, strings)
    printed = program("score", loaded.path, "--tokens", "--json", *strings).splitlines()
    assert len(printed) == len(strings)
    for string, line in zip(strings, printed):
        numpy.testing.assert_allclose(json.loads(line)["log_ps"], changed.score(string), rtol=0,
                                      atol=1e-5)


@pytest.mark.parametrize("settings", STRING_MODELS, ids=name_of)
def test_models_of_strings_are_the_same_in_both_worlds(settings, tmp_path, program):
    model = trained_on_strings(tmp_path, settings)
    random = numpy.random.default_rng(5).integers(0, 4, 25)
    strings = ["(1 )1 " * 12 + "(1", model.decode(random), ""]
    uniform = numpy.log(1 / 5)
    assert abs(model.score(strings[0]) - uniform).max() > 0.5  # the training has made a difference
    check_both_worlds(model, strings, tmp_path, program)


@pytest.mark.parametrize("settings", TEXT_MODELS, ids=name_of)
def test_models_of_text_are_the_same_in_both_worlds(settings, tmp_path, program):
    check_both_worlds(trained_on_text(tmp_path, settings), [*SENTENCES, ""], tmp_path, program)


@pytest.mark.parametrize("settings", TEXT_MODELS, ids=name_of)
def test_text_is_read_in_chunks(settings, tmp_path, program):
    model = trained_on_text(tmp_path, settings)
    module = module_of(model, "float32")
    end = [model.vocabulary.index("<eos>")]
    text = torch.tensor([end + sum((model.encode(sentence) + end for sentence in SENTENCES), [])])
    printed = program("score", model.path, "--running", "--tokens", "--json", *SENTENCES)
    expected = [x for line in printed.splitlines()[:len(SENTENCES)]
                for x in json.loads(line)["log_ps"]]
    assert len(expected) == text.shape[1] - 1
    found, state = [], None
    for first in range(0, len(expected), 5):
        chunk = text[:, first:min(first + 5, len(expected))]
        logits, state = module(chunk, state)
        state = state.detach()
        after = text[0, first + 1:first + 1 + chunk.shape[1]]
        found += logits[0].log_softmax(1)[range(len(after)), after].tolist()
    numpy.testing.assert_allclose(found, expected, atol=1e-5)
