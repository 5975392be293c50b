"""Experiments: trained, read from directories and exports, and beside the program's tables."""

import json

import numpy
import pytest

import pushdown

FILE = """
title = "A small one"
task = "marked-reversal"
model = ["lstm", "rns-1-2"]
hidden-units = [3, 5]
lengths = "3:7"
training-size = 40
validation-size = 10
test-size = 2
max-epochs = 2
restarts = 2
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("experiment") / "small.toml"
    path.write_text(FILE)
    return path


@pytest.fixture(scope="module")
def trained(file):
    """The directory of an experiment that Python has trained."""
    experiment = pushdown.Experiment.run(file, file.parent / "trained", jobs=2)
    assert experiment.name == "small" and experiment.title == "A small one"
    return file.parent / "trained"


def test_runs_are_dicts_with_settings_and_results(trained):
    experiment = pushdown.Experiment(trained)
    assert (experiment.kind, experiment.measure) == ("strings", "difference")
    assert len(experiment.cells) == 4 and len(experiment.runs) == 8
    assert repr(experiment) == "<Experiment small: 4 cells, 8 of 8 runs finished>"
    for row in experiment.runs:
        assert row["model"] in ("lstm", "rns-1-2") and row["hidden_units"] in ("3", "5")
        assert row["state"] == "finished" and row["epochs"] == 2
        run = pushdown.Run(trained / row["run"])
        assert run.settings["hidden_units"] == int(row["hidden_units"])
        assert row["score"] == min(run.metrics["difference"])
        numpy.testing.assert_allclose(experiment.curves[row["run"]], run.metrics["difference"],
                                      rtol=1e-4)  # curves have five digits
        assert row["test_score"] == row["test_cross_entropy"] - row["test_lower_bound"]
    assert {row["length"] for row in experiment.by_length} == {3, 5, 7}
    pandas = pytest.importorskip("pandas")
    assert len(pandas.DataFrame(experiment.runs).groupby("model")) == 2


def test_runs_and_tables_are_those_of_the_program(file, trained, tmp_path, program):
    program("experiment", "run", file, "--out", tmp_path / "program", "--json")
    ours, theirs = pushdown.Experiment(trained), pushdown.Experiment(tmp_path / "program")
    for one, other in zip(ours.runs, theirs.runs):
        for name in ("run", "score", "test_score", "learning_rate"):
            assert one[name] == other[name]
    printed = json.loads(program("experiment", "table", trained, "-o", "json"))["rows"]
    table = ours.table()
    assert [row["best"] for row in table] == [row["best"] for row in printed]
    assert [row["hidden_units"] for row in table] == [row["hidden-units"] for row in printed]


def test_tables_take_runs_together(trained):
    experiment = pushdown.Experiment(trained)
    for by in (["model"], "model"):
        rows = experiment.table(by=by)
        assert [(row["model"], row["runs"], row["finished"]) for row in rows] == [
            ("lstm", 4, 4), ("rns-1-2", 4, 4)]
    for row in rows:
        scores = [run["score"] for run in experiment.runs if run["model"] == row["model"]]
        assert row["mean"] == pytest.approx(numpy.mean(scores))
        assert row["best"] == min(scores)
    assert {row["hidden_units"] for row in experiment.table(by=["hidden_units"])} == {"3", "5"}
    with pytest.raises(pushdown.InputError, match="colour"):
        experiment.table(by=["colour"])


def test_tables_stand_beside_published_numbers(trained, tmp_path):
    published = tmp_path / "published.json"
    published.write_text(json.dumps({
        "source": "a paper", "runs": 10,
        "cells": [{"model": "lstm", "hidden-units": "3", "mean": 0.5, "sd": 0.1}]}))
    rows = pushdown.Experiment(trained).table(against=published)
    assert [row["published_mean"] for row in rows
            if (row["model"], row["hidden_units"]) == ("lstm", "3")] == [0.5]
    published.write_text(json.dumps({"runs": 10, "cells": [{"model": "gru", "mean": 1}]}))
    with pytest.warns(UserWarning, match="no row has the settings"):
        pushdown.Experiment(trained).table(against=published)
    with pytest.raises(pushdown.InputError):
        pushdown.Experiment(trained).table(against=tmp_path / "nothing.json")


def test_an_export_is_read_as_the_directory(trained, tmp_path, program):
    program("experiment", "export", trained, "--out", tmp_path / "export.json")
    exported = pushdown.Experiment(tmp_path / "export.json")
    experiment = pushdown.Experiment(trained)
    for one, other in zip(exported.table(), experiment.table()):
        assert {**one, "seconds": None} == {**other, "seconds": None}  # which are rounded
    for name, curve in experiment.curves.items():
        numpy.testing.assert_array_equal(exported.curves[name], curve)


def test_an_experiment_is_stopped_and_goes_on(file, trained, tmp_path):
    events = []

    def stop(event):
        events.append(event)
        return len([each for each in events if each["event"] == "end"]) < 3
    part = pushdown.Experiment.run(file, tmp_path / "run", jobs=1, callback=stop)
    assert [run["state"] for run in part.runs].count("finished") == 3
    assert {event["run"] for event in events} <= {run["run"] for run in part.runs}
    with pytest.raises(KeyError, match="mine"):
        def fail(event):
            raise KeyError("mine")
        pushdown.Experiment.run(file, tmp_path / "run", callback=fail)
    whole = pushdown.Experiment.run(file, tmp_path / "run")
    assert [run["score"] for run in whole.runs] == [
        run["score"] for run in pushdown.Experiment(trained).runs]


@pytest.mark.parametrize("part", ["batches", "validation"])
def test_an_experiment_is_interrupted(tmp_path, interrupted, part):
    training, validation = (5000, 20) if part == "batches" else (10, 8000)
    (tmp_path / "large.toml").write_text(f"""
task = "marked-reversal"
model = "rns-3-3"
lengths = "80:100"
training-size = {training}
validation-size = {validation}
restarts = 4
""")
    interrupted(f"""
import pushdown
events = set()
def watch(event):
    if event["event"] == "batch" and not events:
        events.add("batch")
        started()
pushdown.Experiment.run({str(tmp_path / "large.toml")!r}, {str(tmp_path / "run")!r}, jobs=2,
                        callback=watch)
""")
    runs = pushdown.Experiment(tmp_path / "run").runs
    assert len(runs) == 4 and "finished" not in {run["state"] for run in runs}


def test_cells_are_chosen_and_settings_changed(file, tmp_path):
    found = pushdown.Experiment.run(file, tmp_path / "run", only="model=lstm,hidden-units=3",
                                    restarts=1, max_epochs=1)
    finished = [run for run in found.runs if run["state"] == "finished"]
    assert [(run["model"], run["hidden_units"], run["epochs"]) for run in finished] == [
        ("lstm", "3", 1)]
    assert found.runs[0].keys() == found.runs[-1].keys()


def test_runs_without_an_experiment_are_taken_together(tmp_path):
    settings = {"task": "marked-reversal", "hidden_units": 3, "lengths": (3, 7),
                "training_size": 40, "validation_size": 10, "max_epochs": 1}
    paths = [tmp_path / name for name in ("a", "b", "c")]
    for path, model, seed in zip(paths, ("lstm", "lstm", "rns-1-2"), (1, 2, 1)):
        pushdown.train(path, model=model, seed=seed, **settings)
    found = pushdown.Experiment.of_runs(paths)
    assert [(row["model"], row["runs"]) for row in found.table()] == [("lstm", 2), ("rns-1-2", 1)]
    with pytest.raises(pushdown.InputError, match="a list of them"):
        pushdown.Experiment.of_runs(str(paths[0]))


def test_wrong_experiments_are_refused(file, trained, tmp_path):
    with pytest.raises(pushdown.Error):
        pushdown.Experiment(tmp_path)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(pushdown.InputError, match="broken.json"):
        pushdown.Experiment(tmp_path / "broken.json")
    (tmp_path / "wrong.toml").write_text('modle = "lstm"\n')
    with pytest.raises(pushdown.InputError, match="wrong.toml.*modle"):
        pushdown.Experiment.run(tmp_path / "wrong.toml", tmp_path / "run")
    with pytest.raises(pushdown.InputError, match="gru"):
        pushdown.Experiment.run(file, tmp_path / "run", only="model=gru")
    with pytest.raises(pushdown.InputError, match="hidden-units"):
        pushdown.Experiment.run(file, trained, hidden_units=7)
    for name in ("jobs", "threads"):
        with pytest.raises(pushdown.InputError, match=f"{name} is 1000000, must be"):
            pushdown.Experiment.run(file, tmp_path / "run", **{name: 10**6})
    assert not (tmp_path / "run").exists()
