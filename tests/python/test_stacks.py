"""pushdown.stacks against the definitions of the stacks, and what arrays they take."""

import gc
import os
import threading
import time

import numpy
import pytest

import pushdown
from pushdown.stacks import Nondeterministic, Superposition
from stack_oracle import Runs, superposition_readings

OPTIONS = [
    dict(states=1, symbols=1),
    dict(states=1, symbols=3),
    dict(states=2, symbols=2),
    dict(states=2, symbols=2, bottom="old"),
    dict(states=2, symbols=1, window=2),
    dict(states=1, symbols=2, vector_size=3),
    dict(states=2, symbols=1, vector_size=2, window=2, bottom="old"),
]


def name(options):
    return "-".join(f"{key}={value}" for key, value in options.items())


class Problem:
    """Random arguments of a stack, a batch of three sequences."""

    def __init__(self, options, steps=4, seed=1, dtype=numpy.float64):
        random = numpy.random.default_rng(seed)
        self.options, self.dtype = options, dtype
        states, symbols = options["states"], options["symbols"]
        size = options.get("vector_size", 0)
        pairs = states * symbols
        self.logits = random.uniform(-2, 2, (3, steps, pairs, 2 * pairs + states)).astype(dtype)
        self.logits[0, 1, :, -1] = -numpy.inf  # no pop into the last state
        self.vectors = random.uniform(-1, 1, (3, steps, size)).astype(dtype) if size else None
        self.bottom = random.uniform(-1, 1, (3, size)).astype(dtype) if size else None

    def stack(self):
        return Nondeterministic(**self.options, dtype=self.dtype)

    def runs(self, logits=None, vectors=None, bottom=None):
        given = [x if y is None else y for x, y in
                 zip((self.logits, self.vectors, self.bottom), (logits, vectors, bottom))]
        options = {key: value for key, value in self.options.items() if key != "vector_size"}
        return [Runs(logits=given[0][n], vectors=None if given[1] is None else given[1][n],
                     bottom_vector=None if given[2] is None else given[2][n], **options)
                for n in range(3)]

    def readings(self, **changed):
        return numpy.array([runs.readings for runs in self.runs(**changed)])


@pytest.mark.parametrize("options", OPTIONS, ids=name)
@pytest.mark.parametrize("dtype, tolerance", [(numpy.float32, 1e-5), (numpy.float64, 1e-12)])
def test_readings_are_those_of_all_runs(options, dtype, tolerance):
    problem = Problem(options, dtype=dtype)
    readings = problem.stack().forward(problem.logits, problem.vectors, problem.bottom)
    assert readings.dtype == dtype
    assert readings.shape == (3, 5, problem.stack().reading_size)
    numpy.testing.assert_allclose(readings, problem.readings(), rtol=0, atol=tolerance)


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_steps_are_the_sequence_and_have_its_weight(options):
    problem = Problem(options)
    stack = problem.stack()
    readings = [stack.start(3, 4, problem.bottom)]
    for t in range(4):
        vectors = None if problem.vectors is None else problem.vectors[:, t]
        readings.append(stack.step(problem.logits[:, t], vectors))
    numpy.testing.assert_allclose(numpy.stack(readings, 1), problem.readings(), atol=1e-12)
    numpy.testing.assert_allclose(stack.log_weights(), [run.log_weight for run in problem.runs()],
                                  atol=1e-12)


def difference_quotient(loss, array, direction):
    return (loss(array + 1e-6 * direction) - loss(array - 1e-6 * direction)) / 2e-6


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_gradients_are_derivatives_of_the_readings_of_all_runs(options):
    problem = Problem(options, steps=3)
    random = numpy.random.default_rng(2)
    stack = problem.stack()
    coefficients = random.uniform(-1, 1, (3, 4, stack.reading_size))
    stack.forward(problem.logits, problem.vectors, problem.bottom)
    gradients = stack.backward(coefficients)
    again = stack.backward(coefficients)
    for first, second in zip(gradients, again):
        numpy.testing.assert_array_equal(first, second)
    for argument, array, gradient in (
            ("logits", problem.logits, gradients.actions.reshape(problem.logits.shape)),
            ("vectors", problem.vectors, gradients.vectors),
            ("bottom", problem.bottom, gradients.bottom_vector)):
        if array is None:
            assert gradient.size == 0
            continue
        direction = random.uniform(-1, 1, array.shape)
        expected = difference_quotient(
            lambda x: numpy.sum(coefficients * problem.readings(**{argument: x})), array, direction)
        assert numpy.sum(gradient * direction) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("options", OPTIONS, ids=name)
def test_backward_by_steps_is_that_of_the_sequence(options):
    problem = Problem(options)
    stack, by_steps = problem.stack(), problem.stack()
    coefficients = numpy.random.default_rng(3).uniform(-1, 1, (3, 5, stack.reading_size))
    stack.forward(problem.logits, problem.vectors, problem.bottom)
    expected = stack.backward(coefficients)
    by_steps.start(3, 4, problem.bottom)
    for t in range(4):
        vectors = None if problem.vectors is None else problem.vectors[:, t]
        by_steps.step(problem.logits[:, t], vectors)
    by_steps.backward_step(coefficients[:, 4])
    by_steps.restart_backward()
    for t in reversed(range(4)):
        gradients = by_steps.backward_step(coefficients[:, t + 1])
        numpy.testing.assert_array_equal(gradients.actions, expected.actions[:, t])
        numpy.testing.assert_array_equal(gradients.vectors, expected.vectors[:, t])
    numpy.testing.assert_array_equal(by_steps.backward_start(coefficients[:, 0]),
                                     expected.bottom_vector)


def test_paper_code_lets_all_configurations_begin():
    # With one step of "replace by itself", every pair keeps the bottom vector, though only (0, 0)
    # has a run: this is what the paper's code computes.
    logits = numpy.full((1, 1, 2, 5), -numpy.inf)
    logits[0, 0, 0, 2] = logits[0, 0, 1, 3] = 0
    readings = [Nondeterministic(1, 2, 1, initial_vector=which, dtype=float).forward(
        logits, [[[0.0]]], [[5.0]])[0, 1] for which in ("correct", "paper-code")]
    numpy.testing.assert_array_equal(readings, [[5, 0], [5, 5]])


@pytest.mark.parametrize("sizes, depth_limit", [([1], None), ([3], 2), ([2, 1, 3], None)])
@pytest.mark.parametrize("dtype, tolerance", [(numpy.float32, 1e-6), (numpy.float64, 1e-14)])
def test_superposition_is_the_interpolation_of_its_actions(sizes, depth_limit, dtype, tolerance):
    random = numpy.random.default_rng(4)
    actions = random.dirichlet([1, 1, 1], (2, 7, len(sizes)))
    vectors = random.uniform(0, 1, (2, 7, sum(sizes)))
    stack = Superposition(sizes, depth_limit, dtype=dtype)

    def expected(actions, vectors):
        return numpy.array([superposition_readings(sizes, a, v, depth_limit or 0)
                            for a, v in zip(actions, vectors)])

    readings = stack.forward(actions, vectors)
    assert readings.dtype == dtype
    numpy.testing.assert_allclose(readings, expected(actions, vectors), rtol=0, atol=tolerance)
    if dtype == numpy.float32:
        return
    coefficients = random.uniform(-1, 1, readings.shape)
    gradients = stack.backward(coefficients)
    by_actions = random.uniform(-1, 1, actions.shape)
    by_vectors = random.uniform(-1, 1, vectors.shape)
    assert numpy.sum(gradients.actions.reshape(actions.shape) * by_actions) == pytest.approx(
        difference_quotient(lambda x: numpy.sum(coefficients * expected(x, vectors)), actions,
                            by_actions), abs=1e-8)
    assert numpy.sum(gradients.vectors * by_vectors) == pytest.approx(
        difference_quotient(lambda x: numpy.sum(coefficients * expected(actions, x)), vectors,
                            by_vectors), abs=1e-8)
    assert gradients.bottom_vector.size == 0


def test_chunks_have_the_readings_of_the_whole_and_their_own_gradients():
    options = dict(states=2, symbols=2, window=3)
    problem = Problem(options, steps=6)
    whole = problem.stack().forward(problem.logits)
    stack = problem.stack()
    stack.start(3, 2)
    for t in range(6):
        reading = stack.step(problem.logits[:, t])
        numpy.testing.assert_allclose(reading, whole[:, t + 1], atol=1e-13)
        if t % 2 == 1:
            assert numpy.any(stack.backward_step(reading).actions)
            stack.backward_step()
            with pytest.raises(pushdown.InputError):
                stack.backward_step()  # the chunk before cannot be undone
            stack.carry()


def test_any_memory_order_gives_the_same():
    problem = Problem(dict(states=2, symbols=2, vector_size=2), dtype=numpy.float32)
    stack = problem.stack()
    expected = stack.forward(problem.logits, problem.vectors, problem.bottom)
    shape = problem.logits.shape
    time_first = numpy.ascontiguousarray(problem.logits.swapaxes(0, 1)).swapaxes(0, 1)
    wider = numpy.zeros(shape[:3] + (shape[3] + 3,), numpy.float32)
    wider[..., :shape[3]] = problem.logits
    backwards = numpy.ascontiguousarray(problem.logits[::-1, ::-1])[::-1, ::-1]
    for logits in (time_first, wider[..., :shape[3]], backwards,
                   numpy.asfortranarray(problem.logits), problem.logits.reshape(3, 4, -1),
                   problem.logits.astype(">f4"), problem.logits.astype(float),
                   problem.logits.tolist()):
        vectors = numpy.asfortranarray(problem.vectors)
        numpy.testing.assert_array_equal(stack.forward(logits, vectors, problem.bottom), expected)


class Provider:
    """An array of another library."""

    def __init__(self, array):
        self.array, self.asked = array, 0

    def __dlpack__(self, stream=None):
        self.asked += 1
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_of_other_libraries_come_and_go_by_dlpack():
    problem = Problem(dict(states=1, symbols=3), dtype=numpy.float32)
    provider = Provider(problem.logits)
    expected = problem.stack().forward(problem.logits)
    numpy.testing.assert_array_equal(problem.stack().forward(provider), expected)
    assert provider.asked == 1
    imported = numpy.from_dlpack(problem.stack().forward(provider))  # results have it, too
    numpy.testing.assert_array_equal(imported, expected)


def peak_growth(work):
    """How many bytes more this process has while it works than before, whoever allocates them.

    Returns them and what the work returns.
    """
    def resident(which):
        with open("/proc/self/status", encoding="ascii") as file:
            return next(1024 * int(line.split()[1]) for line in file if line.startswith(which))
    gc.collect()
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")  # the peak is counted anew
    before = resident("VmRSS")
    result = work()
    return resident("VmHWM") - before, result


def test_only_arrays_whose_layout_forces_it_are_copied():
    stack = Nondeterministic(1, 40)
    # 41 MB, for which memory is always new.
    logits = numpy.random.default_rng(1).random((1600, 2, 40, 81), dtype=numpy.float32)
    expected = stack.forward(logits)  # now the stack has the memory that it needs for itself
    wider = numpy.zeros((1600, 4, 40, 81), numpy.float32)
    wider[:, ::2] = logits
    time_first = numpy.ascontiguousarray(logits.swapaxes(0, 1)).swapaxes(0, 1)
    for same in (logits, wider[:, ::2], time_first, Provider(logits)):
        growth, readings = peak_growth(lambda: stack.forward(same))
        assert growth < expected.nbytes + 0.1 * logits.nbytes
        numpy.testing.assert_array_equal(readings, expected)
    fortran = numpy.asfortranarray(logits)
    growth, readings = peak_growth(lambda: stack.forward(fortran))
    assert growth > 0.9 * logits.nbytes
    numpy.testing.assert_array_equal(readings, expected)


def test_memory_of_a_long_sequence_is_not_that_of_many_short_ones():
    short = numpy.zeros((20000, 3, 10), numpy.float32)
    growth = {}
    for name in ("fresh", "used"):
        stack = Nondeterministic(1, 2)
        if name == "used":
            stack.start(1, 3000)  # 20000 of these would need terabytes
        growth[name], _ = peak_growth(lambda: stack.forward(short))
    assert growth["used"] < 1.1 * growth["fresh"] + 2**20


def test_arguments_are_not_changed_and_results_stay():
    problem = Problem(dict(states=2, symbols=2, vector_size=2), dtype=numpy.float32)
    logits = problem.logits.copy()
    logits.flags.writeable = False
    stack = problem.stack()
    first = stack.forward(logits, problem.vectors, problem.bottom)
    kept = first.copy()
    stack.forward(logits + 1, problem.vectors + 1, problem.bottom)
    numpy.testing.assert_array_equal(first, kept)


@pytest.mark.parametrize("call, message", [
    (lambda: Nondeterministic(0, 3), "the number of states is 0"),
    (lambda: Nondeterministic(1, 3, dtype=int), "dtype: <class 'int'>, must be numpy.float32"),
    (lambda: Nondeterministic(1, 3, dtype="foo"), "dtype: 'foo', must be numpy.float32"),
    (lambda: Nondeterministic(1, 3, dtype=None), "dtype: None, must be numpy.float32"),
    (lambda: Nondeterministic(1.5, 3), "states is 1.5, must be an integer"),
    (lambda: Nondeterministic(1, 3, window="2"), "window is '2', must be an integer"),
    (lambda: Nondeterministic(1, 3).start(2.5, 3), "batch_size is 2.5, must be an integer"),
    (lambda: Nondeterministic(1, 3).start(2, 10**12), "max_steps is 1000000000000, must be"),
    (lambda: Superposition(3), "sizes: 3, must be a list, such as"),
    (lambda: Superposition([2.5]), "sizes is 2.5, must be an integer"),
    (lambda: Nondeterministic(2, 3).forward(numpy.zeros((2, 3, 14, 6))),
     "logits: has the shape [2, 3, 14, 6], must have [any, any, 84] or [any, any, 6, 14]"),
    (lambda: Superposition([2, 2]).forward(numpy.zeros((1, 4, 3, 2)), numpy.zeros((1, 4, 4))),
     "actions: has the shape [1, 4, 3, 2], must have [any, any, 6] or [any, any, 2, 3]"),
    (lambda: Nondeterministic(1, 3, bottom="new"), "bottom: 'new', must be 'fixed' or 'old'"),
    (lambda: Superposition([]), "stack"),
    (lambda: Superposition([2, -1]), "-1"),
    (lambda: Nondeterministic(1, 2).forward(numpy.zeros((1, 3, 9))), "logits"),
    (lambda: Nondeterministic(1, 2).forward(numpy.zeros(3)), "logits"),
    (lambda: Nondeterministic(1, 2).forward("logits"), "logits"),
    (lambda: Nondeterministic(1, 2).forward([[1, 2], [3]]), "logits"),
    (lambda: Nondeterministic(1, 2).forward(numpy.zeros((1, 3, 10), complex)), "logits"),
    (lambda: Nondeterministic(1, 2, 2).forward(numpy.zeros((1, 3, 10))), "vectors"),
    (lambda: Nondeterministic(1, 2).forward(numpy.zeros((1, 3, 10)), numpy.zeros((1, 3, 2))),
     "vectors"),
    (lambda: Nondeterministic(1, 2).step(numpy.zeros((1, 10))), "start"),
    (lambda: Nondeterministic(1, 2).backward(numpy.zeros((1, 3, 2))), "forward"),
    (lambda: Nondeterministic(1, 2).start(-1, 3), "-1"),
], ids=str)
def test_mistakes_are_named(call, message):
    with pytest.raises(pushdown.InputError) as raised:
        call()
    assert message in str(raised.value)
    assert isinstance(raised.value, ValueError)


def test_order_of_steps_is_checked():
    stack = Nondeterministic(1, 2)
    stack.start(2, 1)
    stack.step(numpy.zeros((2, 10)))
    with pytest.raises(pushdown.InputError):
        stack.step(numpy.zeros((2, 10)))  # more than max_steps
    with pytest.raises(pushdown.InputError):
        stack.backward_start()  # with a step that is not undone
    stack.backward_step(numpy.zeros((2, 2)))
    with pytest.raises(pushdown.InputError):
        stack.backward_step(numpy.zeros((2, 2)))
    stack.start(2, 1, gradients=False)
    stack.step(numpy.zeros((2, 10)))
    with pytest.raises(pushdown.InputError, match="gradients=False"):
        stack.backward_step(numpy.zeros((2, 2)))


def test_after_a_failure_the_stack_must_be_started_again():
    stack = Nondeterministic(1, 2)
    stack.start(2, 3)
    logits = numpy.zeros((2, 10))
    logits[1, 3] = numpy.nan
    with pytest.raises(pushdown.NumericError, match="sequence 1"):
        stack.step(logits)
    with pytest.raises(pushdown.InputError, match="ended with an error: start others"):
        stack.step(numpy.zeros((2, 10)))
    stack.start(2, 3)
    assert stack.step(numpy.zeros((2, 10))).shape == (2, 2)


def test_nothing_is_lost_silently():
    with pytest.raises(pushdown.NumericError):
        Nondeterministic(1, 1).forward(numpy.full((1, 1, 1, 3), numpy.nan))
    with pytest.raises(pushdown.NumericError):
        Nondeterministic(1, 1).forward(numpy.full((1, 1, 1, 3), -numpy.inf))  # no run is left


def test_too_much_memory_is_refused():
    with pytest.raises(pushdown.Error):
        Nondeterministic(50, 50).start(1000, 100000)


def test_empty_batches_and_sequences():
    stack = Nondeterministic(1, 2)
    assert stack.forward(numpy.zeros((0, 4, 10))).shape == (0, 5, 2)
    numpy.testing.assert_array_equal(stack.forward(numpy.zeros((2, 0, 10))), [[[1, 0]], [[1, 0]]])
    assert stack.backward(numpy.zeros((2, 1, 2))).actions.shape == (2, 0, 10)


@pytest.fixture
def any_threads():
    before = pushdown.threads()
    yield
    pushdown.set_threads(before)


def test_threads_do_not_change_results(any_threads):
    problem = Problem(dict(states=2, symbols=3, vector_size=2), steps=20, dtype=numpy.float32)
    results = []
    for threads in (1, 2, 5):
        pushdown.set_threads(threads)
        assert pushdown.threads() == threads
        stack = problem.stack()
        readings = stack.forward(problem.logits, problem.vectors, problem.bottom)
        results.append([readings, *stack.backward(readings)])
    for other in results[1:]:
        for expected, actual in zip(results[0], other):
            numpy.testing.assert_array_equal(actual, expected)
    for wrong in (-1, 1000):
        with pytest.raises(pushdown.InputError, match=f"threads is {wrong}"):
            pushdown.set_threads(wrong)


def test_threads_of_python_each_have_their_stack(any_threads):
    pushdown.set_threads(2)
    problem = Problem(dict(states=2, symbols=3), steps=30)
    expected = problem.stack().forward(problem.logits)
    wrong = []

    def work():
        stack = problem.stack()
        for _ in range(20):
            if not numpy.array_equal(stack.forward(problem.logits), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("batch, steps", [(3000, 30), (1, 700)], ids=["many", "long"])
def test_other_threads_of_python_run_meanwhile(any_threads, batch, steps):
    pushdown.set_threads(1)
    stack = Nondeterministic(2, 2)
    logits = numpy.zeros((batch, steps, stack.actions_size), numpy.float32)
    stack.forward(logits)  # now the stack has its memory
    times, ended = [], threading.Event()

    def work():
        while not ended.wait(0.001):
            times.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    first = time.monotonic()
    stack.forward(logits)
    last = time.monotonic()
    ended.set()
    thread.join()
    # If the thread had to wait for the stack, there would be one at most, when the stack begins.
    assert sum(first < each < last for each in times) > 5


def test_a_forked_process_has_threads_of_its_own(any_threads):
    pushdown.set_threads(2)
    problem = Problem(dict(states=2, symbols=3), steps=10)
    expected = problem.stack().forward(problem.logits)
    child = os.fork()
    if child == 0:
        same = numpy.array_equal(problem.stack().forward(problem.logits), expected)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0


# Work that takes many seconds.
LONG_WORK = {
    "forward": """
started()
Nondeterministic(4, 4).forward(numpy.zeros((2, 800, 16, 36)))
""",
    "backward": """
stack = Nondeterministic(3, 3)
readings = stack.forward(numpy.zeros((2, 600, 9, 21)))
started()
stack.backward(readings)
""",
    "many short sequences": """
started()
Nondeterministic(1, 2).forward(numpy.zeros((300000, 10, 10)))
""",
    "superposition": """
actions, vectors = numpy.zeros((2, 8000, 3)), numpy.zeros((2, 8000, 200))
started()
Superposition([200]).forward(actions, vectors, gradients=False)
""",
}


# What comes before the backward pass takes long by itself.
@pytest.mark.parametrize("work", [
    pytest.param(work, marks=pytest.mark.slow) if work == "backward" else work
    for work in LONG_WORK])
def test_long_work_is_interrupted(work, interrupted):
    interrupted("import numpy\nfrom pushdown.stacks import Nondeterministic, Superposition"
                + LONG_WORK[work])
