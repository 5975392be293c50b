"""Trained models: against a network in NumPy, enumeration, and the program."""

import copy
import itertools
import json
import pickle

import numpy
import pytest

import pushdown
from network_oracle import Network
from stack_oracle import Runs

STRING = "0 1 # 1 0"
TINY = {"hidden_units": 5, "lengths": (3, 9), "training_size": 60, "validation_size": 20,
        "test_size": 2, "max_epochs": 1}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Models of all kinds, as models("rns-2-2"), whose weights are far from where they started."""
    directory = tmp_path_factory.mktemp("models")
    made = {}

    def make(name, **settings):
        key = (name, *settings.items())
        if key not in made:
            run = pushdown.train(directory / str(len(made)), task="marked-reversal", model=name,
                                 **TINY, **settings)
            random = numpy.random.default_rng(len(made))
            weights = {name: random.normal(size=value.shape).astype("float32")
                       for name, value in run.model().weights.items()}
            path = directory / f"{len(made)}.safetensors"
            run.model().with_weights(weights).save(path)
            made[key] = pushdown.load(path)
        return made[key]
    return make


@pytest.fixture(scope="module")
def text_model(tmp_path_factory):
    directory = tmp_path_factory.mktemp("text")
    for name in ("train", "valid", "test"):
        (directory / f"{name}.txt").write_text("the dog barks\n<unk> dog\nthe cat\n" * 10)
    run = pushdown.train(directory / "run", text=True, data=directory, model="rns-1-2",
                         hidden_units=4, window=3, batch_size=2, chunk_length=5, max_epochs=1)
    return run.model()


KINDS = ["rns-2-2", "vrns-1-2-3", "sup-3-2", "lstm"]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("dtype, tolerance", [("float64", 1e-12), ("float32", 2e-5)])
def test_a_model_computes_the_equations_of_its_network(models, name, dtype, tolerance):
    model = models(name)
    expected = Network(model.description, model.weights).read([0, 1, 2, 1, 0])
    trace = model.trace(STRING, dtype=dtype)
    assert trace["hidden"].dtype == dtype
    numpy.testing.assert_allclose(trace["hidden"], expected.hidden, atol=tolerance)
    numpy.testing.assert_allclose(trace["readings"], expected.readings, atol=tolerance)
    numpy.testing.assert_allclose(trace["log_probabilities"], expected.scores, atol=tolerance)
    numpy.testing.assert_allclose(model.score(STRING, dtype=dtype), expected.scores, atol=tolerance)
    assert model.log_probability(STRING, dtype=dtype) == pytest.approx(expected.scores.sum(),
                                                                       abs=tolerance)


def test_the_old_bottom_is_an_option_of_the_model(models):
    model = models("rns-2-2", bottom="old")
    assert model.description["bottom"] == "old"
    scores = Network(model.description, model.weights).read([0, 1, 2, 1, 0]).scores
    numpy.testing.assert_allclose(model.score(STRING, dtype="float64"), scores, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_strings_are_scored_by_any_number_of_threads(models, dtype):
    model = models("rns-2-2")
    strings = [string for n in range(5) for string in itertools.product("01#", repeat=n)]
    found = model.log_probabilities(strings, threads=3, dtype=dtype)
    expected = [model.log_probability(string, dtype=dtype) for string in strings]
    numpy.testing.assert_array_equal(found, expected)
    assert model.log_probabilities([]).shape == (0,)


@pytest.mark.parametrize("threads", [0, -1, 1000, 10**9])
def test_numbers_of_threads_that_cannot_be_are_refused(models, text_model, threads):
    for model in (models("lstm"), text_model):
        for work in (lambda: model.log_probabilities(["", ""], threads=threads),
                     lambda: model.evaluate(threads=threads)):
            with pytest.raises(pushdown.InputError, match=f"threads is {threads}, must be"):
                work()


def test_strings_are_text_names_or_numbers(models):
    model = models("lstm")
    assert model.vocabulary == ["0", "1", "#"]
    assert model.encode(STRING) == model.encode(STRING.split()) == [0, 1, 2, 1, 0]
    assert model.encode(numpy.array([0, 1, 2, 1, 0])) == [0, 1, 2, 1, 0]
    assert model.decode([0, 1, 2, 1, 0]) == STRING
    for wrong in ("0 x", ["0", "x"], [0, 3], [-1], [0.5]):
        with pytest.raises(pushdown.InputError, match="position"):
            model.log_probability(wrong)
    with pytest.raises(pushdown.InputError, match="a list of them"):
        model.log_probabilities(STRING)
    with pytest.raises(pushdown.InputError, match="float16"):
        model.trace(STRING, dtype="float16")


def test_next_is_the_distribution_after_a_prefix(models):
    model = models("rns-2-2")
    following = model.next("0 1")
    assert set(following) == {"0", "1", "#", "<eos>"}
    assert sum(numpy.exp(list(following.values()))) == pytest.approx(1, abs=1e-5)
    assert list(following.values()) == sorted(following.values(), reverse=True)
    before = model.score("0 1")
    assert following["<eos>"] == pytest.approx(before[-1], abs=1e-5)
    assert list(model.next("0 1", top=2)) == list(following)[:2]
    for wrong in (0, -1):
        with pytest.raises(pushdown.InputError, match="top"):
            model.next("", top=wrong)


def test_samples_have_their_probabilities_and_follow_from_the_seed(models):
    model = models("rns-2-2")
    samples = model.sample(50, seed=3, max_length=20)
    assert samples == model.sample(50, seed=3, max_length=20)
    assert samples[:5] == model.sample(5, seed=3, max_length=20)
    assert samples != model.sample(50, seed=4, max_length=20)
    for sample in samples:
        score = model.score(sample["string"])
        log_p = score.sum() if sample["ended"] else score[:-1].sum()
        assert sample["log_p"] == pytest.approx(log_p, abs=1e-4)
        assert len(sample["string"].split()) == sample["length"] <= 20
    greedy = model.sample(1, temperature=0, max_length=1, prompt="")[0]
    assert greedy["string"] in ("", next(iter(model.next())))
    with pytest.raises(pushdown.InputError, match="temperature"):
        model.sample(temperature=-1)


def test_a_wide_beam_finds_the_most_probable_strings(models):
    model = models("lstm")
    strings = [" ".join(string) for n in range(4) for string in itertools.product("01#", repeat=n)]
    best = max(strings, key=model.log_probability)
    found = [beam for beam in model.beam_search(200, max_length=3) if beam["ended"]]
    assert found[0]["string"] == best
    assert found[0]["log_p"] == pytest.approx(model.log_probability(best), abs=1e-5)


def test_weights_go_out_and_in(models, tmp_path):
    model = models("rns-2-2")
    weights = model.weights
    assert weights["controller.weights"].shape == (3 + 4 + 5, 20)
    weights["output.bias"] = [0, 0, 0, 50]  # the end comes at once
    weights["output.weights"] = numpy.zeros((5, 4), order="F")
    changed = model.with_weights(weights)
    assert changed.path is None
    assert changed.log_probability("") == pytest.approx(0, abs=1e-6)
    assert model.log_probability("") < -1e-3  # it is as it was
    changed.save(tmp_path / "changed.safetensors")
    loaded = pushdown.load(tmp_path / "changed.safetensors")
    for name, value in loaded.weights.items():
        numpy.testing.assert_array_equal(value, changed.weights[name])


@pytest.mark.parametrize("change, message", [
    ({"output.bias": numpy.zeros(3)}, r"output.bias has the shape \[3\], must have \[4\]"),
    ({"output.bias": [0, 0, 0, numpy.nan]}, "not finite"),
    ({"more": numpy.zeros(3)}, "no weights"),
    ({"output.bias": "text"}, "output.bias"),
])
def test_wrong_weights_are_refused(models, change, message):
    model = models("rns-2-2")
    with pytest.raises(pushdown.InputError, match=message):
        model.with_weights({**model.weights, **change})
    with pytest.raises(pushdown.InputError, match="missing"):
        model.with_weights({})


def test_runs_are_those_of_an_enumeration(models):
    model = models("rns-2-2")
    runs = model.runs(STRING)
    logits = model.trace(STRING, dtype="float64")["actions"].reshape(4, 4, 10)
    expected = Runs(2, 2, logits)
    assert (runs.states, runs.symbols, runs.steps) == (2, 2, 4)
    assert runs.log_weight == pytest.approx(expected.log_weight, abs=1e-4)
    numpy.testing.assert_allclose(runs.alpha, expected.readings, atol=1e-5)
    numpy.testing.assert_allclose(
        runs.alpha, model.trace(STRING, dtype="float64")["readings"], atol=1e-5)


def every_run(states, symbols, logits):
    """(log weight, last state, stack, transitions) of all runs, by recursion."""
    pairs = [(r, y) for r in range(states) for y in range(symbols)]
    found = [(0.0, 0, [0], [])]
    for row in numpy.asarray(logits):
        longer = []
        for weight, state, stack, past in found:
            log = row[state * symbols + stack[-1]]
            for n, (r, y) in enumerate(pairs):
                longer.append((weight + log[n], r, stack + [y], past + [["push", r, y]]))
                longer.append((weight + log[len(pairs) + n], r, stack[:-1] + [y],
                               past + [["replace", r, y]]))
            if len(stack) > 1:
                for r in range(states):
                    longer.append((weight + log[2 * len(pairs) + r], r, stack[:-1],
                                   past + [["pop", r]]))
        found = longer
    return sorted(found, key=lambda run: -run[0])


def test_best_runs_stacks_and_marginals_are_those_of_an_enumeration():
    logits = numpy.random.default_rng(1).normal(size=(3, 4, 10)) * 2
    runs = pushdown.AutomatonRuns(2, 2, logits)
    expected = every_run(2, 2, logits)
    total = numpy.logaddexp.reduce([weight for weight, *_ in expected])
    assert runs.log_weight == pytest.approx(total, abs=1e-10)
    for found, (weight, state, stack, transitions) in zip(runs.best(10), expected):
        assert (found["state"], found["stack"], found["transitions"]) == (state, stack, transitions)
        assert found["log_weight"] == pytest.approx(weight, abs=1e-10)
        assert found["probability"] == pytest.approx(numpy.exp(weight - total), abs=1e-10)
    ending = [run for run in expected if (run[1], run[2][-1]) == (1, 0)]
    assert runs.best(1, ending_in=(1, 0))[0]["transitions"] == ending[0][3]
    assert len(runs.best(10**6)) == len(expected)

    stack = runs.best_stacks(1)[0]
    share = sum(numpy.exp(run[0] - total) for run in expected if run[2] == stack["stack"])
    assert stack["stack"] == expected[0][2]
    assert stack["probability"] == pytest.approx(share, abs=1e-10)
    assert runs.stack_probability(stack["stack"]) == pytest.approx(share, abs=1e-10)

    marginals = runs.marginals()
    assert marginals["transitions"].shape == (3, 4, 10)
    numpy.testing.assert_allclose(marginals["transitions"].sum((1, 2)), 1, atol=1e-10)
    pushes = sum(numpy.exp(run[0] - total) for run in expected if run[3][2][0] == "push")
    assert marginals["transitions"][2, :, :4].sum() == pytest.approx(pushes, abs=1e-10)
    height = sum(numpy.exp(run[0] - total) * (len(run[2]) - 1) for run in expected)
    assert marginals["expected_heights"][3] == pytest.approx(height, abs=1e-10)
    assert marginals["heights"][3] @ numpy.arange(4) == pytest.approx(height, abs=1e-10)


def test_sampled_runs_have_the_frequencies_of_the_distribution():
    logits = numpy.random.default_rng(2).normal(size=(2, 2, 5))
    runs = pushdown.AutomatonRuns(1, 2, logits)
    expected = every_run(1, 2, logits)
    total = numpy.logaddexp.reduce([weight for weight, *_ in expected])
    samples = runs.sample(20000, seed=1)
    for weight, _, _, transitions in expected:
        share = numpy.mean([sample["transitions"] == transitions for sample in samples])
        probability = numpy.exp(weight - total)
        # Five standard deviations.
        assert abs(share - probability) < 5 * numpy.sqrt(probability / len(samples))


def test_runs_of_a_window_and_of_the_old_bottom_are_those_of_an_enumeration():
    logits = numpy.random.default_rng(3).normal(size=(4, 2, 5))
    for options in ({"window": 2}, {"bottom": "old"}):
        runs = pushdown.AutomatonRuns(1, 2, logits, **options)
        expected = Runs(1, 2, logits, **options)
        numpy.testing.assert_allclose(runs.alpha, expected.readings, atol=1e-10)
        assert runs.log_weight == pytest.approx(expected.log_weight, abs=1e-10)


def test_wrong_arguments_of_runs_are_refused(models):
    with pytest.raises(pushdown.InputError, match="logits"):
        pushdown.AutomatonRuns(1, 2, numpy.zeros((3, 2, 4)))
    with pytest.raises(pushdown.InputError, match="bottom"):
        pushdown.AutomatonRuns(1, 2, numpy.zeros((3, 2, 5)), bottom="new")
    with pytest.raises(pushdown.NumericError, match="step 1 is NaN"):
        pushdown.AutomatonRuns(1, 2, numpy.full((3, 2, 5), numpy.nan))
    with pytest.raises(pushdown.InputError, match="count"):
        pushdown.AutomatonRuns(1, 2, numpy.zeros((3, 2, 5))).best(-1)
    with pytest.raises(pushdown.InputError):
        models("lstm").runs(STRING)


def test_runs_of_too_many_steps_are_refused():
    with pytest.raises(pushdown.LimitError, match="steps"):
        pushdown.AutomatonRuns(1, 2, numpy.broadcast_to(numpy.zeros(10), (10**6, 10)))


def test_scores_and_insides_are_those_of_the_program(models, program):
    model = models("rns-2-2")
    printed = json.loads(program("score", model.path, STRING, "--json").splitlines()[0])
    assert printed["log_p"] == model.log_probability(STRING)
    inside = json.loads(program("inspect", model.path, STRING, "--json", "--lengths", "3:9",
                                "--samples", "2", "--seed", "5"))
    found = model.inspect(STRING, lengths=(3, 9), samples=2, seed=5)
    numpy.testing.assert_array_equal(found["readings"], inside["readings"])
    numpy.testing.assert_array_equal(found["automaton"]["tops"], inside["automaton"]["tops"])
    for key in ("runs", "samples", "transitions", "log_weight"):
        assert found["automaton"][key] == inside["automaton"][key]
    assert [each["symbol"] for each in found["predictions"]] == [*STRING.split(), "<eos>"]


def test_what_is_impossible_is_minus_infinity_in_an_inspection(models):
    found = models("lstm").inspect("0 1 #", lengths=(3, 9))
    assert found["optimum"]["log_p"] == -numpy.inf
    assert not found["optimum"]["member"]
    assert found["predictions"][-1]["optimum_log_p"] == -numpy.inf


def test_an_evaluation_is_the_mean_of_scores_beside_the_exact_optimum(models):
    model = models("rns-2-2")
    found = model.evaluate(lengths=(3, 5), bound="length")
    assert [row["length"] for row in found["by_length"]] == [3, 5]
    for row in found["by_length"]:
        # Of (length - 1) / 2 symbols each, with equal probability.
        assert row["lower_bound"] == pytest.approx(
            numpy.log(2) * (row["length"] - 1) / 2 / (row["length"] + 1))
        assert row["difference"] == pytest.approx(row["cross_entropy"] - row["lower_bound"])
    bounds = [-model.log_probability(string) / 4 for string in ("0 # 0", "1 # 1")]
    assert min(bounds) - 1e-5 <= found["by_length"][0]["cross_entropy"] <= max(bounds) + 1e-5
    with pytest.raises(pushdown.InputError, match="no set"):
        model.evaluate("tests")
    with pytest.raises(pushdown.InputError, match="batch_size"):
        model.evaluate(batch_size=3)


def test_what_is_evaluated_is_the_model_in_hand(models, tmp_path):
    path = tmp_path / "run"
    model = pushdown.train(path, task="marked-reversal", model="rns-2-2", hidden_units=5,
                           lengths=(3, 9), training_size=20, validation_size=10, max_epochs=1,
                           learning_rate=0.01).model()
    other = model.with_weights({name: 2 * array for name, array in model.weights.items()})
    found = [each.evaluate() for each in (model, other, model.with_weights(model.weights))]
    assert found[2] == found[0] != found[1]
    assert len(found[0]["by_length"]) > 3
    # Whatever becomes of the file.
    other.save(path / "model.safetensors")
    assert model.evaluate()["cross_entropy"] == found[0]["cross_entropy"]
    models("lstm").save(path / "model.safetensors")
    with pytest.raises(pushdown.Error):
        model.evaluate()


def test_models_go_into_other_processes(models):
    for model in (models("rns-2-2"), models("lstm")):
        for same in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
            assert same.description == model.description
            assert same.vocabulary == model.vocabulary
            assert same.log_probability("0 # 0") == model.log_probability("0 # 0")
            assert same.evaluate(lengths=(3, 5)) == model.evaluate(lengths=(3, 5))


def test_models_of_text(text_model, program):
    assert text_model.kind == "text"
    assert text_model.description["window"] == 3
    assert text_model.encode("the bird") == text_model.encode("the <unk>")
    sentences = ["the dog", "the cat barks"]
    found = text_model.log_probabilities(sentences)
    printed = [json.loads(line) for line in
               program("score", text_model.path, *sentences, "--json").splitlines()[:2]]
    assert [each["log_p"] for each in printed] == list(found)
    numpy.testing.assert_allclose(
        text_model.log_probabilities(sentences, dtype="float64"), found, atol=1e-4)
    running = text_model.log_probabilities(sentences, running=True)
    assert running[0] == pytest.approx(found[0], abs=1e-5) and running[1] != found[1]
    evaluation = text_model.evaluate("validation", chunk_length=7)
    assert evaluation["chunk_length"] == 7 and evaluation["tokens"] == 10 * (4 + 3 + 3)
    assert evaluation["perplexity"] == pytest.approx(numpy.exp(evaluation["cross_entropy"]))
    with pytest.raises(pushdown.InputError, match="bound"):
        text_model.evaluate(bound="set")


def test_what_is_no_model_is_refused(models, tmp_path):
    with pytest.raises(pushdown.Error, match="nothing"):
        pushdown.load(tmp_path / "nothing")
    with pytest.raises(pushdown.InputError):
        pushdown.load(tmp_path)
    data = open(models("lstm").path, "rb").read()
    broken = tmp_path / "broken.safetensors"
    for length in [0, 7, 8, 100, len(data) // 2, len(data) - 1]:
        broken.write_bytes(data[:length])
        with pytest.raises(pushdown.InputError, match="broken.safetensors"):
            pushdown.load(broken)
    for position in range(0, len(data), 37):
        changed = bytearray(data)
        changed[position] ^= 0x20
        broken.write_bytes(changed)
        try:
            assert isinstance(pushdown.load(broken), pushdown.Model)
        except pushdown.InputError as error:
            assert "broken.safetensors" in str(error)


def test_load_opens_recognizers_too(tmp_path):
    pushdown.compile("S -> a S b | eps").save(tmp_path / "recognizer")
    recognizer = pushdown.load(tmp_path / "recognizer")
    assert isinstance(recognizer, pushdown.Recognizer)
    assert "a a b b" in recognizer and "a b b" not in recognizer


# Work that takes many seconds.
LONG_WORK = {
    "scoring": "started(); model.log_probabilities(['0 ' * 400] * 10000)",
    "tracing": "started(); model.trace('0 ' * 1500)",
    "next": "started(); model.next('0 ' * 1500)",
    "evaluating": "started(); model.evaluate(lengths=(300, 500))",
    "inspecting": "started(); model.inspect('0 ' * 700)",
    "sampling": "started(); model.sample(10000, max_length=1000)",
    "sampling of an LSTM": "started(); lstm.sample(10000, max_length=10**6)",
    "searching": "started(); lstm.beam_search(10000, max_length=1000)",
    "runs of a model": "started(); model.runs('0 ' * 1500)",
    "runs": "started(); some_runs(1500)",
    "marginals": "runs = some_runs(400); started(); runs.marginals()",
    "best runs": "runs = some_runs(100); started(); runs.best(10**7)",
    "best stacks": "runs = some_runs(100); started(); runs.best_stacks(10**7)",
    "sampled runs": "runs = some_runs(100); started(); runs.sample(10**7)",
    "scoring of text": "sentences = ['a b c'] * 10**5; started();"
                       "text.log_probabilities(sentences, running=True)",
    "evaluating of text": "started(); text.evaluate()",
}


@pytest.fixture(scope="module")
def endless(tmp_path_factory):
    """The directory of two models whose strings hardly end, and of one with a long text."""
    directory = tmp_path_factory.mktemp("endless")
    for name in ("rns-3-3", "lstm"):
        model = pushdown.train(directory / f"run-{name}", task="marked-reversal", model=name,
                               **TINY).model()
        weights = model.weights
        weights["output.bias"][-1] = -50
        model.with_weights(weights).save(directory / name)
    for part, count in (("train", 20), ("valid", 20), ("test", 10**5)):
        (directory / f"{part}.txt").write_text("a b c\n" * count)
    pushdown.train(directory / "text", text=True, data=directory, model="rns-2-3", hidden_units=5,
                   batch_size=2, max_epochs=1)
    return directory


# What comes before the marginals takes long by itself.
@pytest.mark.parametrize("work", [
    pytest.param(work, marks=pytest.mark.slow) if work == "marginals" else work
    for work in LONG_WORK])
def test_long_work_is_interrupted(endless, work, interrupted):
    interrupted(f"""
import numpy, pushdown
model, lstm, text = (pushdown.load({str(endless)!r} + "/" + name)
                     for name in ("rns-3-3", "lstm", "text"))
def some_runs(steps):
    logits = numpy.random.default_rng(1).normal(size=(steps, 9, 21))
    return pushdown.AutomatonRuns(3, 3, logits)
{LONG_WORK[work]}
""")
