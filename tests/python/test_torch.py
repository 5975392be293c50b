"""pushdown.torch: gradients, graphs of autograd, and what the modules promise beside them."""

import copy
import gc
import io
import os
import pathlib
import sys

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

from pushdown.torch import NondeterministicStack, SuperpositionStack

OPTIONS = [
    dict(states=1, symbols=1),
    dict(states=2, symbols=2),
    dict(states=2, symbols=2, bottom="old"),
    dict(states=2, symbols=2, window=2),
    dict(states=1, symbols=2, vector_size=2),
    dict(states=2, symbols=2, vector_size=2, bottom="old"),
    dict(states=2, symbols=1, vector_size=2, window=2),
    dict(states=2, symbols=2, vector_size=2, initial_vector="paper-code"),
    dict(sizes=[2]),
    dict(sizes=[3], depth_limit=2),
    dict(sizes=[2, 1]),
]
STEPS, BATCH = 4, 2


def name(options):
    return "-".join(f"{key}={value}" for key, value in options.items())


class Problem:
    """A stack and random arguments of it."""

    def __init__(self, options, steps=STEPS, dtype=torch.float64):
        self.options = options
        self.is_superposition = "sizes" in options
        kind = SuperpositionStack if self.is_superposition else NondeterministicStack
        self.stack = kind(**options)
        random = numpy.random.default_rng(1)

        def tensor(values):
            return torch.tensor(values, dtype=dtype, requires_grad=True)

        self.dtype, self.vectors, self.bottom = dtype, None, None
        if self.is_superposition:
            sizes = options["sizes"]
            self.actions = tensor(random.dirichlet([1, 1, 1], (BATCH, steps, len(sizes))))
            self.vectors = tensor(random.uniform(-1, 1, (BATCH, steps, sum(sizes))))
        else:
            pairs = options["states"] * options["symbols"]
            self.actions = tensor(random.uniform(
                -2, 2, (BATCH, steps, pairs, 2 * pairs + options["states"])))
            size = options.get("vector_size", 0)
            if size:
                self.vectors = tensor(random.uniform(-1, 1, (BATCH, steps, size)))
                self.bottom = tensor(random.uniform(-1, 1, (BATCH, size)))

    @property
    def inputs(self):
        return tuple(x for x in (self.actions, self.vectors, self.bottom) if x is not None)

    def start(self, inputs=None, max_steps=STEPS):
        inputs = inputs or self.inputs
        if len(inputs) == 3:
            return self.stack.start(BATCH, max_steps, inputs[2])
        return self.stack.start(BATCH, max_steps, dtype=self.dtype)

    def update(self, steps, t, inputs=None):
        steps.update(*(x[:, t] for x in (inputs or self.inputs)[:2]))

    def by_steps(self, *inputs):
        """The same as the stack for whole sequences, step by step."""
        steps = self.start(inputs)
        readings = [steps.reading()]
        for t in range(self.actions.shape[1]):
            self.update(steps, t, inputs)
            readings.append(steps.reading())
        return torch.stack(readings, 1)

    def expected(self):
        """The readings, from the definitions."""
        actions, vectors, bottom = (None if x is None else x.detach().numpy()
                                    for x in (self.actions, self.vectors, self.bottom))
        if self.is_superposition:
            depth_limit = self.options.get("depth_limit", 0)
            return numpy.array([superposition_readings(self.options["sizes"], a, v, depth_limit)
                                for a, v in zip(actions, vectors)])
        options = {key: value for key, value in self.options.items() if key != "vector_size"}
        return numpy.array([Runs(logits=actions[n], vectors=None if vectors is None else vectors[n],
                                 bottom_vector=None if bottom is None else bottom[n], **options)
                            .readings for n in range(BATCH)])

    def loss(self, readings):
        """A loss in which each reading has weights of its own."""
        weights = torch.linspace(-1, 1, readings.numel(), dtype=readings.dtype)
        return (weights.view(readings.shape) * readings).sum()


# What the paper's code computes has no runs that could be enumerated; see test_stacks.py.
@pytest.mark.parametrize("options", [x for x in OPTIONS if "initial_vector" not in x], ids=name)
def test_readings_are_those_of_the_definition(options):
    problem = Problem(options)
    for readings in (problem.stack(*problem.inputs), problem.by_steps(*problem.inputs)):
        assert readings.dtype == torch.float64
        numpy.testing.assert_allclose(readings.detach(), problem.expected(), atol=1e-12)


@pytest.mark.parametrize("options", OPTIONS, ids=name)
@pytest.mark.parametrize("by_steps", [False, True], ids=["sequence", "steps"])
def test_gradcheck(options, by_steps):
    problem = Problem(options, steps=3)
    function = problem.by_steps if by_steps else problem.stack
    assert torch.autograd.gradcheck(function, problem.inputs)


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_float_agrees_with_double(options):
    gradients = {}
    for dtype in (torch.float32, torch.float64):
        problem = Problem(options, dtype=dtype)
        readings = problem.by_steps(*problem.inputs)
        assert readings.dtype == dtype
        problem.loss(readings).backward()
        gradients[dtype] = [readings.detach()] + [x.grad for x in problem.inputs]
    for single, double in zip(gradients[torch.float32], gradients[torch.float64]):
        numpy.testing.assert_allclose(single, double, atol=2e-5)


@pytest.mark.parametrize("options", [
    dict(states=2, symbols=2, window=2), dict(states=2, symbols=1, vector_size=2, window=3),
    dict(sizes=[2, 1], depth_limit=2), dict(states=1, symbols=2)], ids=name)
def test_chunks_have_the_gradients_of_their_own_steps(options):
    # Derivatives by difference quotients of the whole sequence: the readings of a chunk by the
    # actions of that chunk.
    problem = Problem(options, steps=6)
    whole = problem.stack(*problem.inputs).detach()
    random = numpy.random.default_rng(2)
    weights = torch.tensor(random.uniform(-1, 1, whole.shape))
    limited = "window" in options or "depth_limit" in options
    steps = problem.start(max_steps=2 if limited else 6)
    for first in (0, 2, 4):
        loss = torch.zeros((), dtype=torch.float64)
        for t in (first, first + 1):
            problem.update(steps, t)
            numpy.testing.assert_allclose(steps.reading().detach(), whole[:, t + 1], atol=1e-13)
            loss = loss + (weights[:, t + 1] * steps.reading()).sum()
        loss.backward()
        steps.detach()
        assert not steps.reading().requires_grad
        direction = torch.tensor(random.uniform(-1, 1, problem.actions[:, :2].shape))
        losses = []
        for sign in (1, -1):
            changed = problem.actions.detach().clone()
            changed[:, first:first + 2] += sign * 1e-6 * direction
            readings = problem.stack(changed, *problem.inputs[1:]).detach()[:, first + 1:first + 3]
            losses.append((weights[:, first + 1:first + 3] * readings).sum())
        found = (problem.actions.grad[:, first:first + 2] * direction).sum()
        assert float(found) == pytest.approx(float((losses[0] - losses[1]) / 2e-6), abs=1e-7)


def test_chunks_without_a_window_have_limited_gradients_and_all_readings():
    problem = Problem(dict(states=1, symbols=2))
    steps = problem.start()
    problem.update(steps, 0)
    reading = steps.reading()
    steps.detach()
    reading[:, 0].sum().backward(retain_graph=True)  # the next chunk has not begun
    assert torch.count_nonzero(problem.actions.grad[:, 0]) > 0
    problem.actions.grad = None
    problem.update(steps, 1)
    with pytest.raises(pushdown.InputError, match="detach"):
        reading[:, 0].sum().backward()
    steps.reading()[:, 0].sum().backward()
    assert torch.count_nonzero(problem.actions.grad[:, 0]) == 0
    assert torch.count_nonzero(problem.actions.grad[:, 1]) > 0


@pytest.mark.parametrize("options", [OPTIONS[1], OPTIONS[4], OPTIONS[10]], ids=name)
def test_losses_of_some_readings_by_some_inputs(options):
    problem = Problem(options)
    expected = problem.stack(*problem.inputs)
    readings = problem.by_steps(*problem.inputs)
    for chosen in ([0], [1], [2, 4], [3], [4]):
        for wanted in problem.inputs:
            both = [torch.autograd.grad(problem.loss(x[:, chosen]), wanted, retain_graph=True,
                                        allow_unused=True)[0] for x in (expected, readings)]
            numpy.testing.assert_allclose(both[1], both[0], atol=1e-13)


def test_gradients_of_one_step_only():
    problem = Problem(dict(states=2, symbols=2))
    fixed = problem.actions.detach()
    alone = fixed[:, 1].clone().requires_grad_()
    steps = problem.start()
    for t in range(STEPS):
        steps.update(alone if t == 1 else fixed[:, t])
    (gradient,) = torch.autograd.grad(problem.loss(steps.reading()), alone)
    (expected,) = torch.autograd.grad(problem.loss(problem.stack(problem.actions)[:, -1]),
                                      problem.actions)
    numpy.testing.assert_allclose(gradient, expected[:, 1], atol=1e-13)


@pytest.mark.parametrize("by_steps", [False, True], ids=["sequence", "steps"])
def test_backward_can_be_repeated_and_adds_up(by_steps):
    problem = Problem(dict(states=1, symbols=2, vector_size=2))
    readings = (problem.by_steps if by_steps else problem.stack)(*problem.inputs)
    loss = problem.loss(readings)
    loss.backward(retain_graph=True)
    once = [x.grad.clone() for x in problem.inputs]
    loss.backward()
    for x, gradient in zip(problem.inputs, once):
        numpy.testing.assert_allclose(x.grad, 2 * gradient)


def test_steps_after_a_backward_pass():
    problem = Problem(dict(states=2, symbols=2))
    steps = problem.start()
    problem.update(steps, 0)
    problem.update(steps, 1)
    problem.loss(steps.reading()).backward(retain_graph=True)
    problem.actions.grad = None
    problem.update(steps, 2)
    problem.update(steps, 3)
    problem.loss(steps.reading()).backward()
    (expected,) = torch.autograd.grad(problem.loss(problem.stack(problem.actions)[:, -1]),
                                      problem.actions)
    numpy.testing.assert_allclose(problem.actions.grad, expected, atol=1e-13)


def test_readings_may_drive_the_stack():
    problem = Problem(dict(states=1, symbols=2))

    def function(actions):
        steps = problem.start()
        for t in range(3):
            steps.update(actions[:, t].flatten(1) * (1 + steps.reading().repeat(1, 5)))
        return steps.reading()

    assert torch.autograd.gradcheck(function, (problem.actions,))


def test_a_later_start_does_not_disturb_a_graph():
    problem = Problem(dict(states=2, symbols=2))
    expected = torch.autograd.grad(problem.loss(problem.by_steps(problem.actions)), problem.actions)
    first = problem.loss(problem.by_steps(problem.actions))
    others = [problem.by_steps(problem.actions + n) for n in range(3)]
    others += [problem.stack(problem.actions - n) for n in range(3)]
    numpy.testing.assert_array_equal(torch.autograd.grad(first, problem.actions)[0], expected[0])
    assert all(x.requires_grad for x in others)


def test_memory_is_used_again():
    problem = Problem(dict(states=2, symbols=2))
    taken = set()
    gc.disable()  # what is not needed any more must be gone without it
    try:
        for _ in range(5):
            steps = problem.start()
            for t in range(STEPS):
                problem.update(steps, t)
            loss = problem.loss(steps.reading())
            loss.backward()
            taken.add(id(steps._lease.kernel))
        readings = problem.stack(problem.actions)
        taken.add(id(readings.grad_fn.lease.kernel))
    finally:
        gc.enable()
    assert len(taken) <= 2


def test_inputs_may_be_changed_after_their_step():
    for options in (OPTIONS[5], OPTIONS[10]):
        problem = Problem(options)
        expected = torch.autograd.grad(problem.loss(problem.stack(*problem.inputs)), problem.inputs)
        for function in (problem.stack, problem.by_steps):
            copies = [x.clone() for x in problem.inputs]  # not leaves, so that they can be changed
            loss = problem.loss(function(*copies))
            for x in copies:
                x.detach().fill_(7)
            for found, value in zip(torch.autograd.grad(loss, problem.inputs), expected):
                numpy.testing.assert_allclose(found, value, atol=1e-13)


def test_push_replace_and_pop_are_parts_of_the_logits():
    problem = Problem(dict(states=2, symbols=3, vector_size=2))
    expected = torch.autograd.grad(problem.loss(problem.stack(*problem.inputs)), problem.actions)[0]
    for keyword in (False, True):
        steps = problem.start()
        readings = [steps.reading()]
        for t in range(STEPS):
            push, replace, pop = problem.actions[:, t].split([6, 6, 2], dim=2)
            operations = (push.reshape(BATCH, 2, 3, 2, 3), replace.reshape(BATCH, 2, 3, 2, 3),
                          pop.reshape(BATCH, 2, 3, 2))
            if keyword:
                steps.update(*operations, vector=problem.vectors[:, t])
            else:
                steps.update(*operations, problem.vectors[:, t])
            readings.append(steps.reading())
        found = torch.autograd.grad(problem.loss(torch.stack(readings, 1)), problem.actions)[0]
        numpy.testing.assert_allclose(found, expected, atol=1e-13)


def test_one_bottom_vector_for_all_sequences():
    problem = Problem(dict(states=1, symbols=2, vector_size=2))
    bottom = torch.tensor([0.5, -0.5], dtype=torch.float64, requires_grad=True)
    inputs = (problem.actions, problem.vectors)
    both = [problem.stack(*inputs, bottom), problem.stack(*inputs, bottom.repeat(BATCH, 1)),
            problem.by_steps(*inputs, bottom)]
    gradients = [torch.autograd.grad(problem.loss(x), bottom)[0] for x in both]
    for readings, gradient in zip(both, gradients):
        numpy.testing.assert_array_equal(readings.detach(), both[0].detach())
        numpy.testing.assert_allclose(gradient, gradients[0], atol=1e-13)


def test_swapped_axes_are_refused():
    stack = NondeterministicStack(2, 3)
    for call in (lambda: stack(torch.zeros(1, 4, 14, 6)),
                 lambda: stack.start(1, 4).update(torch.zeros(1, 14, 6)),
                 lambda: SuperpositionStack([2, 2])(torch.zeros(1, 4, 3, 2), torch.zeros(1, 4, 4)),
                 lambda: stack.start(1, 4).update(torch.zeros(1, 3, 2, 3, 2),
                                                  torch.zeros(1, 3, 2, 3, 2),
                                                  torch.zeros(1, 3, 2, 3))):
        with pytest.raises(pushdown.InputError, match="must have"):
            call()


def test_memory_of_a_long_batch_is_given_back():
    stack = NondeterministicStack(3, 3)
    with torch.no_grad():
        stack(torch.zeros(2, 20, stack.actions_size))
        kept = stack._pool.take(torch.float32)
        assert kept.bytes > 0
        stack._pool.give(kept, torch.float32)
        stack(torch.zeros(200, 100, stack.actions_size))
        assert stack._pool.take(torch.float32) is not kept  # which has become too large


@pytest.mark.parametrize("options", [OPTIONS[1], OPTIONS[4], OPTIONS[10]], ids=name)
def test_empty_batches(options):
    problem = Problem(options)
    empty = [x.detach()[:0].requires_grad_() for x in problem.inputs]
    steps = problem.stack.start(0, STEPS, *empty[2:], dtype=torch.float64)
    readings = [steps.reading()]
    for t in range(STEPS):
        steps.update(*(x[:, t] for x in empty[:2]))
        readings.append(steps.reading())
    for found in (problem.stack(*empty), torch.stack(readings, 1)):
        assert found.shape == (0, STEPS + 1, problem.stack.reading_size)
        assert found.dtype == torch.float64 and found.requires_grad
        gradients = torch.autograd.grad(found.sum(), empty)
        assert [x.shape for x in gradients] == [x.shape for x in empty]


def test_push_replace_and_pop_of_an_empty_batch():
    steps = NondeterministicStack(2, 3).start(0, 1)
    steps.update(torch.zeros(0, 2, 3, 2, 3), torch.zeros(0, 2, 3, 2, 3), torch.zeros(0, 2, 3, 2))
    assert steps.reading().shape == (0, 6)


def test_steps_without_gradients_between_others_are_refused():
    problem = Problem(dict(states=1, symbols=2))
    steps = problem.start()
    problem.update(steps, 0)
    with torch.no_grad():
        problem.update(steps, 1)
    with pytest.raises(pushdown.InputError, match=r"detach\(\)"):
        problem.update(steps, 2)
    steps.detach()
    problem.update(steps, 2)
    with torch.no_grad():  # and their readings are those of all steps
        numpy.testing.assert_allclose(steps.reading(), problem.stack(problem.actions)[:, 3],
                                      atol=1e-13)


@pytest.mark.parametrize("options", [OPTIONS[4], OPTIONS[10]], ids=name)
def test_no_graph_where_none_is_needed(options):
    problem = Problem(options)
    with torch.no_grad():
        readings = [problem.stack(*problem.inputs), problem.by_steps(*problem.inputs)]
        steps = problem.start()
    readings.append(problem.stack(*(x.detach() for x in problem.inputs)))
    readings.append(problem.by_steps(*(x.detach() for x in problem.inputs)))
    for x in readings:
        assert not x.requires_grad
        numpy.testing.assert_array_equal(x, readings[0])
    with pytest.raises(pushdown.InputError, match="no_grad"):
        problem.update(steps, 0)


@pytest.mark.parametrize("by_steps", [False, True], ids=["sequence", "steps"])
def test_second_derivatives_are_refused(by_steps):
    problem = Problem(dict(states=1, symbols=2, vector_size=2))
    readings = (problem.by_steps if by_steps else problem.stack)(*problem.inputs)
    with pytest.raises(pushdown.InputError, match="second derivatives"):
        torch.autograd.grad(problem.loss(readings), problem.actions, create_graph=True)


def test_modules_are_copied_and_saved_without_their_memory():
    problem = Problem(dict(states=2, symbols=2, window=3, bottom="old"))
    expected = problem.stack(problem.actions)
    file = io.BytesIO()
    torch.save(problem.stack, file)
    assert file.tell() < 10000
    file.seek(0)
    for other in (torch.load(file, weights_only=False), copy.deepcopy(problem.stack)):
        assert other.name == problem.stack.name and other.window == 3
        assert torch.equal(other(problem.actions), expected)
        assert other._pool is not problem.stack._pool
    assert not problem.stack.state_dict() and not list(problem.stack.parameters())
    assert "rns-2-2" in repr(problem.stack)


class Readings(torch.utils.data.Dataset):
    """Readings, computed by whoever asks for them."""

    def __init__(self, problem):
        self.problem = problem

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.problem.stack(self.problem.actions.detach() + index)


def test_workers_of_a_data_loader():
    problem = Problem(dict(states=2, symbols=2))
    data = Readings(problem)
    expected = [data[n] for n in range(4)]
    for n, readings in enumerate(torch.utils.data.DataLoader(data, batch_size=None, num_workers=2)):
        assert torch.equal(readings, expected[n])


def rns():
    return NondeterministicStack(1, 2)


@pytest.mark.parametrize("call, message", [
    (lambda: NondeterministicStack(0, 2), "the number of states is 0"),
    (lambda: SuperpositionStack([]), "stack"),
    (lambda: rns()(torch.zeros(1, 2, 9)), "logits: has the shape"),
    (lambda: rns()(torch.zeros(1, 2, 10, dtype=torch.float16)), "logits: torch.float16, must be"),
    (lambda: rns()(torch.zeros(1, 2, 10, dtype=torch.int64)), "logits: torch.int64, must be"),
    (lambda: rns()(torch.zeros(1, 2, 10, device="meta")), "logits: is on the device meta"),
    (lambda: rns()(numpy.zeros((1, 2, 10))), "logits: ndarray, must be a tensor"),
    (lambda: rns()(torch.zeros(1, 2, 10), torch.zeros(1, 2, 3)), "vectors: given"),
    (lambda: NondeterministicStack(1, 2, 3).start(1, 2), "bottom_vector: missing"),
    (lambda: rns().start(1, 2, dtype=torch.float16), "dtype: torch.float16"),
    (lambda: rns().start(1, 2).update(), "update takes"),
    (lambda: rns().start(1, 2).update(torch.zeros(1, 10), torch.zeros(1, 2)), "vectors: given"),
    (lambda: rns().start(1, 2).update(torch.zeros(3), torch.zeros(1), torch.zeros(2)), "push"),
    (lambda: rns().start(1, 0).update(torch.zeros(1, 10)), "max_steps=0"),
    (lambda: SuperpositionStack([2])(torch.zeros(1, 2, 3),
                                     torch.zeros(1, 2, 2, dtype=torch.float64)),
     "vectors: torch.float64, where other tensors are torch.float32"),
    (lambda: rns().start(1, 2, dtype=torch.float64).update(torch.zeros(1, 10)), "torch.float32"),
    (lambda: rns().start(1, 2).update(torch.zeros(1, 10, dtype=torch.float64)), "torch.float64"),
    (lambda: SuperpositionStack([2]).start(1, 2, torch.float64).update(torch.zeros(1, 1, 3),
                                                                       torch.zeros(1, 2)),
     "torch.float32"),
], ids=str)
def test_mistakes_are_named(call, message):
    with pytest.raises(pushdown.InputError) as raised:
        call()
    assert message in str(raised.value)


@pytest.mark.parametrize("window", [None, 5])
def test_long_sequences_agree_with_the_recurrences_in_log_space(window):
    # Longer than runs can be enumerated; bench/torch_stack.py has the recurrences in plain PyTorch.
    sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
    try:
        from torch_stack import PlainStack
    finally:
        sys.path.pop(0)
    problem = Problem(dict(states=2, symbols=3, window=window), steps=20)
    plain = PlainStack(2, 3, BATCH, window, torch.float64)
    readings = [plain.reading()]
    for t in range(20):
        plain.update(problem.actions[:, t])
        readings.append(plain.reading())
    expected = torch.stack(readings, 1)
    found = problem.stack(problem.actions)
    numpy.testing.assert_allclose(found.detach(), expected.detach(), atol=1e-11)
    gradients = [torch.autograd.grad(problem.loss(x), problem.actions)[0]
                 for x in (found, expected)]
    numpy.testing.assert_allclose(gradients[0], gradients[1], atol=1e-10)
