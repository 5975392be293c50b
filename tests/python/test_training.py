"""Training and runs: against the program, stopped and resumed, watched and interrupted."""

import json
import os
import threading
import time

import numpy
import pytest

import pushdown

TINY = {"task": "marked-reversal", "model": "rns-2-2", "hidden_units": 5, "lengths": (3, 9),
        "training_size": 100, "validation_size": 20, "test_size": 2, "max_epochs": 4}
OPTIONS = [text for name, value in TINY.items() for text in
           ("--" + name.replace("_", "-"), "3:9" if name == "lengths" else str(value))]
# What a training leaves, whichever way it came to its end.
LASTING = ["metrics.jsonl", "model.safetensors"]


def same_files(one, other):
    for name in LASTING:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The directory of a run that was trained without a stop."""
    path = tmp_path_factory.mktemp("whole") / "run"
    assert pushdown.train(path, **TINY).finished
    return path


def test_a_run_is_that_of_the_program(whole, tmp_path, program):
    program("train", *OPTIONS, "--out", tmp_path / "run", "--json")
    same_files(whole, tmp_path / "run")
    run = pushdown.Run(tmp_path / "run")
    assert run.settings == pushdown.Run(whole).settings
    printed = json.loads(program("evaluate", whole, "--json"))
    evaluated = run.evaluate(threads=2)
    assert evaluated["by_length"] == printed["by_length"]


def test_text_is_trained_as_by_the_program(tmp_path, program):
    for name in ("train", "valid"):
        (tmp_path / f"{name}.txt").write_text("the dog barks\nthe cat\n" * 20)
    pushdown.train(tmp_path / "python", text=True, data=tmp_path, model="lstm", hidden_units=4,
                   batch_size=2, max_epochs=2)
    program("lm", "train", "--data", tmp_path, "--model", "lstm", "--hidden-units", 4,
            "--batch-size", 2, "--max-epochs", 2, "--out", tmp_path / "program", "--json")
    same_files(tmp_path / "python", tmp_path / "program")
    run = pushdown.Run(tmp_path / "python")
    numpy.testing.assert_allclose(run.metrics["validation_perplexity"],
                                  numpy.exp(run.metrics["validation_cross_entropy"]))


def test_a_run_says_what_is_in_its_files(whole):
    run = pushdown.Run(whole)
    lines = [json.loads(line) for line in (whole / "metrics.jsonl").read_text().splitlines()]
    assert list(run.metrics)[0] == "epoch"
    for name, column in run.metrics.items():
        assert list(column) == [line[name] for line in lines]
    assert run.metrics["epoch"].dtype.kind == "i" and run.metrics["best"].dtype.kind == "b"
    assert run.settings["lengths"] == "3:9" and run.settings["hidden_units"] == 5
    assert run.settings["language"]["language"] == "marked-reversal"
    assert run.summary["epochs"] == 4 and run.summary["model"] == "rns-2-2"
    assert [restart.path for restart in run.restarts] == [run.path] == [str(whole)]
    assert run.model().name == "rns-2-2"
    assert repr(run) == f"<Run {whole}: rns-2-2 of strings, finished>"
    pandas = pytest.importorskip("pandas")
    assert len(pandas.DataFrame(run.metrics)) == 4


def test_restarts_are_runs_by_themselves(tmp_path):
    run = pushdown.train(tmp_path / "run", **{**TINY, "max_epochs": 2, "restarts": 3}, jobs=2)
    assert run.finished and len(run.restarts) == 3
    assert list(run.metrics)[:2] == ["restart", "epoch"]
    assert list(run.metrics["restart"]) == [1, 1, 2, 2, 3, 3]
    for restart, last in zip(run.restarts, run.metrics["validation_cross_entropy"][1::2]):
        assert restart.metrics["validation_cross_entropy"][1] == last
        assert restart.finished
    best = run.restarts[run.summary["best"] - 1]
    assert run.model().log_probability("0 # 0") == best.model().log_probability("0 # 0")


def test_a_callback_watches_the_training_on_the_calling_thread(whole, tmp_path):
    events, threads = [], set()

    def watch(event):
        events.append(event)
        threads.add(threading.get_ident())
    run = pushdown.train(tmp_path / "run", **TINY, callback=watch, threads=2)
    assert threads == {threading.get_ident()}
    assert events[0]["event"] == "start" and events[-1]["event"] == "end"
    assert events[0]["model"] == "rns-2-2" and events[0]["training_items"] == 100
    epochs = [event for event in events if event["event"] == "epoch"]
    for name, column in run.metrics.items():
        assert [event[name] for event in epochs] == list(column)
    assert all(event["restart"] == 1 for event in events)
    same_files(whole, tmp_path / "run")


def test_a_callback_that_returns_false_stops_and_the_run_is_resumed(whole, tmp_path):
    path = tmp_path / "run"

    def stop(event):
        return not (event["event"] == "epoch" and event["epoch"] == 2)
    run = pushdown.train(path, **TINY, callback=stop)
    assert not run.finished and run.summary is None
    assert list(run.metrics["epoch"]) == [1, 2]
    assert "not finished" in repr(run)
    starts = []
    resumed = pushdown.train(path, resume=True,
                             callback=lambda e: starts.append(e) if e["event"] == "start" else None)
    assert starts[0]["epochs_done"] == 2
    assert resumed.finished
    same_files(whole, path)
    longer = pushdown.train(path, resume=True, max_epochs=5)
    assert len(longer.metrics["epoch"]) == 5


def test_the_exception_of_a_callback_comes_out_and_the_run_is_resumed(whole, tmp_path):
    path = tmp_path / "run"

    def fail(event):
        if event["event"] == "epoch" and event["epoch"] == 2:
            raise KeyError("mine")
    with pytest.raises(KeyError, match="mine"):
        pushdown.train(path, **TINY, callback=fail)
    assert list(pushdown.Run(path).metrics["epoch"]) == [1, 2]
    assert pushdown.train(path, resume=True).finished
    same_files(whole, path)


def test_callbacks_of_several_restarts_come_one_after_the_other(tmp_path):
    depth = [0]
    ended = set()

    def watch(event):
        depth[0] += 1
        assert depth[0] == 1
        time.sleep(0.01)  # others want to be called meanwhile
        depth[0] -= 1
        if event["event"] == "end":
            ended.add(event["restart"])
    pushdown.train(tmp_path / "run", **{**TINY, "restarts": 4}, jobs=4, callback=watch)
    assert ended == {1, 2, 3, 4}


def test_a_callback_may_use_the_run(whole, tmp_path):
    path = tmp_path / "run"
    found = []

    def evaluate(event):
        if event["event"] == "epoch":
            found.append(pushdown.Run(path).evaluate("validation")["difference"])
    run = pushdown.train(path, **TINY, callback=evaluate)
    best = numpy.minimum.accumulate(run.metrics["difference"])
    numpy.testing.assert_allclose(found, best, atol=1e-6)
    same_files(whole, path)


def test_an_interrupted_training_is_saved_and_resumed(tmp_path, interrupted):
    path = tmp_path / "run"
    settings = {**TINY, "training_size": 2000, "patience": 10**6}
    interrupted(f"""
import pushdown
def watch(event):
    if event["event"] == "epoch" and event["epoch"] == 2:
        started()
pushdown.train({str(path)!r}, **{ {**settings, "max_epochs": 10**6} !r}, callback=watch)
""")
    done = len(pushdown.Run(path).metrics["epoch"])
    assert 2 <= done < 10**6
    more = {"max_epochs": done + 2}
    assert pushdown.train(path, resume=True, **more).finished
    pushdown.train(tmp_path / "whole", **{**settings, **more})
    same_files(tmp_path / "whole", path)


# Settings of trainings of which some part takes many seconds, and the event after which it begins.
LONG_PARTS = {
    "batches": ({"training_size": 5000, "lengths": (80, 100)}, "batch"),
    "validation": ({"training_size": 10, "validation_size": 8000, "lengths": (80, 100)}, "batch"),
}
# A callback that calls started() after the first such event.
WATCH = """
import pushdown
events = set()
def watch(event):
    if event["event"] == {event!r} and {event!r} not in events:
        started()
    events.add(event["event"])
"""


@pytest.mark.parametrize("part", LONG_PARTS)
def test_every_part_of_a_training_is_interrupted(tmp_path, interrupted, part):
    settings, event = LONG_PARTS[part]
    interrupted(f"""{WATCH.format(event=event)}
pushdown.train({str(tmp_path / "run")!r}, **{ {**TINY, "model": "rns-3-3", **settings} !r},
               callback=watch)
""")


def test_sampling_for_a_training_is_interrupted(tmp_path, interrupted):
    interrupted(f"""
import pushdown
started()
pushdown.train({str(tmp_path / "run")!r}, **{ {**TINY, "training_size": 3 * 10**6} !r})
""")


def test_validation_by_a_text_is_interrupted(tmp_path, interrupted):
    (tmp_path / "train.txt").write_text("the dog barks\nthe cat\n" * 20)
    (tmp_path / "valid.txt").write_text("the dog barks\nthe cat\n" * 200000)
    interrupted(f"""{WATCH.format(event="batch")}
pushdown.train({str(tmp_path / "run")!r}, text=True, data={str(tmp_path)!r}, model="rns-2-3",
               window=20, hidden_units=10, batch_size=10, callback=watch)
""")


def test_a_time_limit_stops_a_training(tmp_path):
    run = pushdown.train(tmp_path / "run", **{**TINY, "max_epochs": 10**6, "patience": 10**6},
                         time_limit=0.5)
    assert not run.finished


def test_settings_come_from_files_and_arguments(whole, tmp_path):
    config = tmp_path / "settings.toml"
    config.write_text('task = "marked-reversal"\nmodel = "lstm"\nparam = ["p=0.5"]\n')
    run = pushdown.train(tmp_path / "run", config=config,
                         **{**TINY, "task": None, "max_epochs": numpy.int64(1)})
    assert run.settings["model"] == "rns-2-2"
    assert run.settings["language"]["parameters"] == {"p": 0.5}
    same = pushdown.train(tmp_path / "same", **{**TINY, "param": {"p": 0.5}}, learning_rate=1e-3)
    assert same.settings["language"] == run.settings["language"]
    assert same.settings["learning_rate"] == 0.001


@pytest.mark.parametrize("settings, message", [
    ({"modle": "lstm"}, 'no setting "modle".*did you mean model'),
    ({"max_epochs": -1}, "max-epochs: expected an integer"),
    ({"max_epochs": True}, "max-epochs"),
    ({"lengths": [3, 9]}, "must be one value"),
    ({"lengths": (9, 3)}, "lengths"),
    ({"task": "dyk"}, "did you mean dyck"),
    ({"config": "/nothing"}, "nothing"),
    ({"param": {"q": 1}}, "q"),
])
def test_wrong_settings_are_refused_before_anything_is_written(tmp_path, settings, message):
    with pytest.raises(pushdown.InputError, match=message):
        pushdown.train(tmp_path / "run", **{**TINY, **settings})
    assert not (tmp_path / "run").exists()


def test_runs_are_not_overwritten_or_resumed_with_other_settings(whole, tmp_path):
    with pytest.raises(pushdown.InputError, match="already holds a run"):
        pushdown.train(whole, **TINY)
    with pytest.raises(pushdown.InputError, match="hidden_units is 6, but the run has 5"):
        pushdown.train(whole, resume=True, hidden_units=6)
    with pytest.raises(pushdown.InputError):
        pushdown.train(tmp_path / "nothing", resume=True)
    assert not (tmp_path / "nothing").exists()


def test_a_training_that_diverges_is_an_error(tmp_path):
    with pytest.raises(pushdown.NumericError):
        pushdown.train(tmp_path / "run", **{**TINY, "learning_rate": 1e30, "clipping": 1e30})


def test_broken_runs_are_refused(whole, tmp_path):
    with pytest.raises(pushdown.InputError):
        pushdown.Run(tmp_path)
    files = {name: (whole / name).read_bytes() for name in os.listdir(whole) if name != ".lock"}

    def broken(name, data):
        path = tmp_path / "broken"
        path.mkdir(exist_ok=True)
        for each, content in files.items():
            (path / each).write_bytes(data if each == name else content)
        return path
    with pytest.raises(pushdown.InputError, match="config.json"):
        pushdown.Run(broken("config.json", b"{"))
    for data in (b"[1]\n", b'{"epoch": 1\n{}\n', b"{}\n"):
        with pytest.raises(pushdown.InputError, match="metrics.jsonl"):
            pushdown.Run(broken("metrics.jsonl", data)).metrics
    with pytest.raises(pushdown.InputError, match="summary.json"):
        pushdown.Run(broken("summary.json", b"{")).summary
    with pytest.raises(pushdown.InputError, match="model.safetensors"):
        pushdown.Run(broken("model.safetensors", b"")).model()


@pytest.mark.parametrize("answer", [False, numpy.False_, 0])
def test_whatever_is_false_stops_the_training(answer, tmp_path):
    run = pushdown.train(tmp_path / "run", **TINY, callback=lambda event:
                         answer if event["event"] == "epoch" else None)
    assert not run.finished and len(run.metrics["epoch"]) == 1


@pytest.mark.parametrize("mistake, message", [
    (dict(callback=5), "callback is 5, must be a function"),
    (dict(start_from=object()), "start_from is <object"),
    (dict(grammar=pushdown.Grammar("S -> a")), "must be a number, text or a path"),
    (dict(grammar="-"), "is no file"),
    (dict(optimizer="adam"), "there is no setting"),
])
def test_mistakes_leave_nothing_behind(mistake, message, tmp_path):
    with pytest.raises(pushdown.InputError, match=message):
        pushdown.train(tmp_path / "run", **{**TINY, **mistake})
    assert not (tmp_path / "run").exists()


def test_messages_name_arguments(tmp_path):
    with pytest.raises(pushdown.InputError) as raised:
        pushdown.train(tmp_path / "run", model="rns-1-2")
    assert "give task NAME" in str(raised.value) and "--" not in str(raised.value)


def test_a_run_is_a_path(whole):
    run = pushdown.Run(whole)
    assert pushdown.load(run).name == run.model().name
    assert pushdown.Run(run).path == run.path == os.path.abspath(whole)


def test_settings_are_listed(whole):
    names = {each["name"] for each in pushdown.settings()}
    assert {"task", "hidden_units", "batch_size", "learning_rate", "threads"} <= names
    assert {"chunk_length"} <= {each["name"] for each in pushdown.settings(text=True)} - names
    known = set(pushdown.Run(whole).settings) - {"language"}
    assert len(known & names) > 20
