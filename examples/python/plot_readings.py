"""Draws what a trained model has on its stack while it reads a string.

    python3 examples/python/plot_readings.py build/inside "0 1 1 # 1 1 0" --out readings.png

The run can be one of `pushdown train` or of pushdown.train, with any model that has a stack;
docs/inside.md says how to train one in half a minute. Needs matplotlib. Editors show the cells
(# %%) as those of a notebook.
"""

# %% What to draw
import argparse
import os
import sys

import matplotlib

if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy

import pushdown

parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
parser.add_argument("run", help="the directory of a run, or a model file")
parser.add_argument("string", help="symbols with spaces between")
parser.add_argument("--out", help="the PNG to write; otherwise a window opens")
arguments = parser.parse_args()

# %% Read the string
model = pushdown.load(arguments.run)
if not isinstance(model, pushdown.Model):
    sys.exit(f"{arguments.run}: is a recogniser, and not a trained model")
length = len(model.encode(arguments.string))
inside = model.inspect(arguments.string, depths=length + 1)  # as high as a stack can be
automaton, superposition = inside["automaton"], inside["superposition"]
if automaton is None and superposition is None:
    sys.exit(f"{model.name}: has no stack to read")
readings = inside["readings"]
steps = numpy.arange(len(readings))       # row t is the reading that is there when input t is read
symbols = [*inside["inputs"], "<eos>"]    # the end is predicted, and not read

# %% The readings: for rns, the probability of each state and top symbol
pairs = [f"{state} {top}" for state in automaton["states"] for top in automaton["symbols"]] \
    if automaton is not None else []
labelled = len(pairs) == readings.shape[1]  # and not vectors

figure, axes = plt.subplots(3, 1, sharex=True, constrained_layout=True,
                            figsize=(max(6, 0.3 * len(symbols)), 7),
                            gridspec_kw={"height_ratios": [3, 2, 2]})
image = axes[0].imshow(readings.T, aspect="auto", cmap="Blues", interpolation="nearest",
                       vmin=min(0, readings.min()), vmax=max(1, readings.max()))
axes[0].set_ylabel("state, top symbol" if labelled else "component")
if labelled:
    axes[0].set_yticks(range(len(pairs)), pairs)
else:
    axes[0].yaxis.get_major_locator().set_params(integer=True)
axes[0].set_title(f"{model.name}: log p {inside['log_p']:.2f} nats")
figure.colorbar(image, ax=axes[0], label="reading")

# %% How high the stack is, on average over its runs
if automaton is not None:
    axes[1].plot(steps, automaton["expected_heights"], label="runs up to here")
    axes[1].plot(steps, automaton["expected_heights_given_all"], "--",
                 label="runs of the whole string")
else:
    for number, stack in enumerate(superposition):
        axes[1].plot(steps, stack["weights"].sum(axis=1), label=f"stack {number}")
axes[1].set_ylabel("expected height")
axes[1].legend()

# %% What each symbol costs the model, beside the optimum
predictions = inside["predictions"]
# A text begins with the end of the sentence before it, which is read without a prediction.
places = numpy.arange(len(symbols) - len(predictions), len(symbols))
axes[2].bar(places, [-prediction["log_p"] for prediction in predictions], color="tab:gray",
            label="model")
optimum = [prediction["optimum_log_p"] for prediction in predictions]
if None not in optimum:
    axes[2].plot(places, -numpy.array(optimum), "k_", label="optimum")
axes[2].set_ylabel("nats")
axes[2].set_xticks(range(len(symbols)), symbols)
axes[2].legend()

# %% Show it
if arguments.out:
    figure.savefig(arguments.out, dpi=150)
else:
    plt.show()
