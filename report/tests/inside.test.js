// The sentences of data/inside.js.

import assert from "node:assert/strict";
import test from "node:test";
import "./d3.js";

const { readout, summaryOf } = await import("../data/inside.js");

function recognized(symbols, logRuns) {
  return {
    kind: "recognizer",
    model: "rns-2-3",
    hidden_units: 4,
    inputs: [...symbols, "<eos>"],
    predictions: [],
    recognition: { accepted: true, y: 1, log_runs: logRuns, mass: [1] },
  };
}

test("the run that is added for every string is one of several", () => {
  assert.match(
    summaryOf(recognized(["a"], Math.log(2))),
    /The automaton has 2 runs, with the one that is added for every string; share/,
  );
});

test("the empty string has one run, and none is added", () => {
  assert.match(
    summaryOf(recognized([], 0)),
    /The automaton has 1 run; share of accepting runs: 1\./,
  );
});

test("steps of the stack are fewer than the symbols of strings only", () => {
  const of = (kind, inputs, more) =>
    summaryOf({ kind, model: "m", hidden_units: 4, inputs, predictions: [], ...more });
  const stack = { automaton: {} };
  assert.equal(
    of("strings", ["a", "b"], stack),
    "m, 4 hidden units; a string of 2 symbols, 1 step of the stack (nothing reads the stack after the last symbol).",
  );
  assert.equal(
    of("strings", [], stack),
    "m, 4 hidden units; a string of 0 symbols, 0 steps of the stack.",
  );
  assert.match(of("text", ["<eos>", "a"], stack), /a sentence of 1 word, 1 step of the stack\.$/);
  assert.equal(
    of("strings", ["a", "b"], { readings: [] }),
    "m, 4 hidden units; a string of 2 symbols.",
  );
});

test("the readout says how much of a step is not drawn", () => {
  const step = (probability) => [{ from: [0, 0], transition: ["push", 0, 0], probability }];
  const inspection = {
    predictions: [],
    automaton: {
      states: ["q0"],
      symbols: ["⊥"],
      tops: [[1], [1], [1], [1]],
      transitions: [step(0.63), step(0.995), []],
      runs: [],
      pushed_in: [[1], [0.4, 0.6], [1, 0, 0], [1, 0, 0, 0]],
    },
  };
  const columns = ["", "a", "b", "c"].map((symbol, t) => ({ t, symbol, stack: true }));
  const undrawn = (t) => new Map(readout(inspection, columns, [], t, 0)).get("not drawn");
  assert.equal(undrawn(0), undefined);
  assert.equal(undrawn(1), "37 %, in transitions of less than 0.001");
  assert.equal(undrawn(2), undefined);
  assert.equal(undrawn(3), "100 %, in transitions of less than 0.001");
});
