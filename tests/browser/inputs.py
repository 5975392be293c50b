"""Files for `pushdown report`: exports with numbers that are made up here, and what the program makes."""

import json
import math
import random
import subprocess


class Program:
    def __init__(self, path):
        self.path = str(path)

    def __call__(self, *arguments):
        done = subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True)
        assert done.returncode == 0, f"{arguments}: {done.stderr}"
        return done.stdout

    def save(self, file, *arguments):
        file.write_text(self(*arguments))
        return file


# A run that goes from 1.5 to `level` nats from the optimum.
def made_up_run(random_numbers, level, epochs, lengths=None, **fields):
    curve = []
    value = 1.5
    for _ in range(epochs):
        value = level + (value - level) * random_numbers.uniform(0.8, 0.97)
        curve.append(float(f"{value:.5g}"))
    best = min(range(epochs), key=lambda epoch: curve[epoch])
    rate = float(f"{math.exp(random_numbers.uniform(-7, -5)):.4g}")
    run = {"state": "finished", "epochs": epochs, "best_epoch": best + 1,
           "validation_cross_entropy": 0.4 + curve[best], "difference": curve[best],
           "learning_rate": rate, "seconds": 12.5, "stopped_by": "patience",
           "machine": "Some CPU; SIMD target avx2", "seed": random_numbers.randrange(1000),
           "version": "0.1.0", "revision": "0123abc", "begun": "2026-01-02T03:04:05Z",
           "rates": [[1, rate], [epochs // 2 + 1, rate / 2]], "curve": curve}
    if lengths:
        rows = [[length, 100, round(0.5 + level * length / 50, 7), 0.4] for length in lengths]
        run["test"] = {"cross_entropy": 0.5 + level, "lower_bound": 0.4,
                       "columns": ["length", "strings", "cross_entropy", "lower_bound"],
                       "by_length": rows}
    run.update(fields)
    return run


def export(title, cells, kind="strings", measure="difference"):
    return {"format": 1, "what": "pushdown experiment", "pushdown": "0.1.0",
            "experiment": title.lower().replace(" ", "-"), "title": title, "kind": kind,
            "measure": measure, "solved": 0.05, "source": f"title = \"{title}\"\n", "cells": cells}


def cell(keys, runs, training_lengths=(40, 80)):
    name = ",".join(f"{key}={value}" for key, value in keys.items())
    value = {"name": name, "keys": {key: str(value) for key, value in keys.items()}, "runs": runs}
    if training_lengths:
        value["training_lengths"] = list(training_lengths)
    return value


LEVELS = {"lstm": 0.3, "sup-10": 0.2, "rns-3-3": 0.01}


# Two languages and three models, with results by length.
def languages_export(restarts=3, epochs=30, seed=1):
    numbers = random.Random(seed)
    cells = []
    for task in ("marked-copy", "count-3"):
        for model, level in LEVELS.items():
            runs = [made_up_run(numbers, level * numbers.uniform(0.9, 2), epochs,
                                range(41, 101, 2)) for _ in range(restarts)]
            cells.append(cell({"task": task, "model": model}, runs))
    cells[0]["runs"][-1] = {"state": "failed", "failure": "the training diverged"}
    return export("Two languages", cells)


# Two languages, three models and several sizes of the alphabet, and what was published of them.
def capacity_export(symbols=(2, 40, 200), restarts=3, epochs=20, models=LEVELS, tasks=None, seed=2):
    numbers = random.Random(seed)
    cells, published = [], []
    for task in tasks or ("dyck", "marked-reversal"):
        for size in symbols:
            for model in models:
                level = LEVELS.get(model, 0.1) * (1 + size / 40)
                keys = {"task": task, "symbols": size, "model": model}
                runs = [made_up_run(numbers, level * numbers.uniform(0.95, 1.05), epochs)
                        for _ in range(restarts)]
                cells.append(cell(keys, runs))
                # Of one model, the paper has something else.
                factor = 3 if model == "sup-10" else 1
                published.append({**keys, "mean": level * factor, "sd": level * 0.05,
                                  "best": level * factor * 0.9})
    return export("Capacity", cells), {"source": "A paper", "runs": 10, "cells": published}


def text_export():
    numbers = random.Random(3)
    cells, published = [], []
    for model, perplexity in (("lstm-256", 130.0), ("rns-4-5", 126.0), ("vrns-3-3-5", 124.5)):
        run = made_up_run(numbers, 0.1, 12, clipping=0.25,
                          validation_cross_entropy=math.log(perplexity),
                          test={"cross_entropy": math.log(perplexity - 4)})
        del run["difference"]
        run["curve"] = [round(perplexity * (1 + value), 2) for value in run["curve"]]
        cells.append(cell({"model": model}, [run], None))
        published.append({"model": model, "validation": perplexity - 1, "test": perplexity - 5})
    return (export("Some text", cells, "text", "perplexity"),
            {"source": "A paper", "runs": 10, "cells": published})


def save_json(path, value):
    path.write_text(json.dumps(value))
    return path
