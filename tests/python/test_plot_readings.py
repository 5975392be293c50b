"""The example examples/python/plot_readings.py draws what is inside of every kind of model."""

import pathlib
import runpy
import sys

import numpy
import pytest

import pushdown

pyplot = pytest.importorskip("matplotlib.pyplot")

SCRIPT = pathlib.Path(__file__).parents[2] / "examples" / "python" / "plot_readings.py"


@pytest.fixture
def plot(tmp_path, monkeypatch):
    """plot(model, string) are the axes of a picture, which must have been written."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)

    def run(model, string):
        out = tmp_path / "out.png"
        monkeypatch.setattr(sys, "argv", [SCRIPT.name, model.path, string, "--out", str(out)])
        axes = runpy.run_path(str(SCRIPT), run_name="__main__")["axes"]
        assert out.read_bytes().startswith(b"\x89PNG")
        return axes
    yield run
    pyplot.close("all")


def trained_on_strings(directory, name):
    return pushdown.train(directory / "run", task="marked-reversal", model=name, lengths=(3, 9),
                          training_size=20, validation_size=10, max_epochs=1,
                          learning_rate=0.1).model()


def trained_on_text(directory, name):
    for part in ("train", "valid"):
        (directory / f"{part}.txt").write_text("the dog barks\nthe cat\n" * 10)
    return pushdown.train(directory / "run", text=True, data=directory, model=name, hidden_units=5,
                          init_bound=1, batch_size=2, max_epochs=1).model()


def bars(axes):
    """By place, the label of a bar and its height; every bar stands where a label is."""
    labels = dict(zip(axes.get_xticks(), [label.get_text() for label in axes.get_xticklabels()]))
    return [(labels[bar.get_x() + bar.get_width() / 2], bar.get_height()) for bar in axes.patches]


def check_picture(axes, model, string, before):
    """`before` are inputs that are read before the first symbol, without a prediction."""
    symbols = [*string.split(), "<eos>"]
    labels = [label.get_text() for label in axes[2].get_xticklabels()]
    assert labels == [*before, *symbols]
    assert [label for label, _ in bars(axes[2])] == symbols
    numpy.testing.assert_allclose([height for _, height in bars(axes[2])], -model.score(string),
                                  atol=1e-5)
    drawn = numpy.asarray(axes[0].images[0].get_array()).T
    expected = model.trace(string)["readings"]
    assert len(drawn) == max(1, len(labels) - 1)
    if len(expected) > 0:
        numpy.testing.assert_allclose(drawn[len(before):], expected, atol=1e-5)
    for line in axes[1].lines:  # heights of the initial stack, and after each input but the last
        assert line.get_xdata().tolist() == list(range(len(drawn)))
        assert line.get_ydata()[0] == 0


@pytest.mark.parametrize("string", ["0 1 # 1 0", ""])
@pytest.mark.parametrize("name", ["rns-2-3", "vrns-1-2-3", "sup-2-3"])
def test_draws_a_model_of_strings(tmp_path, plot, name, string):
    model = trained_on_strings(tmp_path, name)
    check_picture(plot(model, string), model, string, before=[])


@pytest.mark.parametrize("string", ["the dog barks", ""])
@pytest.mark.parametrize("name", ["rns-2-2", "sup-3"])
def test_draws_a_model_of_text(tmp_path, plot, name, string):
    model = trained_on_text(tmp_path, name)
    check_picture(plot(model, string), model, string, before=["<eos>"])


def test_says_that_there_is_no_stack(tmp_path, plot):
    model = trained_on_strings(tmp_path, "lstm")
    with pytest.raises(SystemExit, match="^lstm: has no stack to read$"):
        plot(model, "0 1 # 1 0")
