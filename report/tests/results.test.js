import assert from "node:assert/strict";
import test from "node:test";
import "./d3.js";

const { capacityGroups, capacityTitle, cellsWithout, numericKeys } = await import(
  "../data/capacity.js"
);
const { pageContext } = await import("../data/context.js");
const { curveGroups, curvesTitle, winnersTitle } = await import("../data/curves.js");
const { agree, listed, lowest, seriesName, seriesNames, seriesStyles } = await import(
  "../data/experiments.js"
);
const { beyondTraining, lengthGroups, lengthsTitle } = await import("../data/lengths.js");
const { columnsOf, facts, failures, meanText } = await import("../data/overview.js");
const { thinned } = await import("../data/scales.js");
const { cellState, textRows, textTitle } = await import("../data/text.js");

// A cell with one run for each score; null is a run that has not finished.
function cell(values, scores, fields = {}) {
  const name = Object.entries(values)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const known = scores.filter((score) => score !== null);
  const best = known.length > 0 ? Math.min(...known) : null;
  return {
    name,
    values,
    training_lengths: null,
    runs: scores.length,
    finished: known.length,
    failed: 0,
    best,
    mean: known.length > 0 ? known.reduce((sum, score) => sum + score, 0) / known.length : null,
    sd: known.length > 1 ? 0.1 : null,
    median: best,
    lower_quartile: best,
    upper_quartile: best,
    test: null,
    seconds: 0,
    best_run: best === null ? null : scores.indexOf(best),
    comparison: null,
    restarts: scores.map((score, n) => ({
      name: `${name}/restart-${n + 1}`,
      state: score === null ? "running" : "finished",
      failure: "",
      score,
      best_epoch: 1,
      rates: [],
      curve: [score ?? 1],
      by_length: null,
    })),
    ...fields,
  };
}

function experiment(cells, fields = {}) {
  return {
    name: "some",
    title: "Some",
    kind: "strings",
    measure: "difference",
    solved: 0.05,
    version: "0.1.0",
    path: "some.json",
    keys: [...new Set(cells.flatMap(({ values }) => Object.keys(values)))],
    published: null,
    cells,
    ...fields,
  };
}

function published(...cells) {
  return { source: "A paper", runs: 10, cells };
}

function withLengths(values, rows, training_lengths) {
  const of = cell(values, [0.1], { training_lengths });
  const columns = rows.map(([length, difference]) => [length, difference]);
  of.restarts[0].by_length = {
    lengths: columns.map(([length]) => length),
    strings: columns.map(() => 10),
    cross_entropy: columns.map(([, difference]) => difference + 1),
    difference_length: columns.map(([, difference]) => difference),
    difference_set: columns.map(([, difference]) => difference),
  };
  return of;
}

test("the lowest are all that are equal", () => {
  const value = (item) => item.value;
  const items = [{ value: 2 }, { value: null }, { value: 1 }, { value: 1 }, { value: Infinity }];
  const next = { item: items[0], value: 2 };
  assert.deepEqual(lowest(items, value), { items: [items[2], items[3]], value: 1, of: 3, next });
  assert.equal(lowest([{ value: null }], value), null);
});

test("a title names the lowest, also below 0", () => {
  const one = experiment([
    cell({ task: "dyck", model: "lstm" }, [0.3]),
    cell({ task: "dyck", model: "rns-3-3" }, [-0.01, 0.2]),
  ]);
  assert.equal(
    curvesTitle(one, curveGroups(one)),
    "rns-3-3 has the lowest difference from the optimum on dyck: −0.01 nats a symbol (next: lstm, 0.3)",
  );
});

test("a title names all that are equal", () => {
  const one = experiment([
    cell({ model: "lstm" }, [0.1]),
    cell({ model: "sup-10" }, [0.1]),
    cell({ model: "rns-3-3" }, [0.2]),
  ]);
  assert.equal(
    curvesTitle(one, curveGroups(one)),
    "lstm and sup-10 have the lowest difference from the optimum: 0.1 nats a symbol (next: rns-3-3, 0.2)",
  );
});

test("who is alone in a panel is not the best of it", () => {
  const some = experiment([
    cell({ task: "dyck", model: "lstm" }, [0.3]),
    cell({ task: "copy", model: "rns-3-3" }, [0.2]),
  ]);
  const groups = curveGroups(some);
  assert.equal(curvesTitle(some, groups), "Validation difference from the optimum by epoch");
  assert.equal(
    curvesTitle(some, groups.slice(0, 1)),
    "lstm reaches a difference from the optimum of 0.3 nats a symbol on dyck",
  );
});

test("who is alone with a result is not the best either", () => {
  const some = experiment([cell({ model: "lstm" }, [120]), cell({ model: "rns-3-3" }, [null])], {
    measure: "perplexity",
  });
  assert.equal(curvesTitle(some, curveGroups(some)), "lstm reaches a perplexity of 120");
});

test("only panels in which there is something to compare are counted", () => {
  const what = "perplexity";
  assert.equal(winnersTitle([["a"], ["a"]], what), "a has the lowest perplexity in all 2 panels");
  assert.equal(
    winnersTitle([["a"], ["b"], ["a"], ["a", "b"]], what),
    "a has the lowest perplexity in 2 of 4 panels, b in 1, a and b in 1",
  );
  assert.equal(
    winnersTitle([["a"], null, ["b"], ["a"]], what),
    "a has the lowest perplexity in 2 of 3 panels with several results, b in 1",
  );
  assert.equal(
    winnersTitle([null, ["a", "b"]], what),
    "a and b have the lowest perplexity in the only panel with several results",
  );
  assert.equal(winnersTitle([null, null], what), null);
});

test("cells without a model have a name and a style", () => {
  for (const model of [undefined, ""]) {
    const values = model === undefined ? { task: "copy" } : { task: "copy", model };
    const some = experiment([cell({ task: "dyck", model: "lstm" }, [0.1]), cell(values, [0.2])]);
    const names = seriesNames(some);
    assert.deepEqual(names, ["lstm", "no model"]);
    const styles = seriesStyles(some, pageContext({ experiments: [some] }));
    for (const name of names) assert.ok(styles.get(name)?.color, name);
    assert.notEqual(styles.get(names[0]).color, styles.get(names[1]).color);
  }
});

test("models have one style all over the page, whatever else is on it", () => {
  const first = experiment([cell({ model: "lstm" }, [0.1]), cell({ model: "sup-10" }, [0.1])]);
  const second = experiment([cell({ model: "sup-10" }, [0.1]), cell({}, [0.1])]);
  const context = pageContext({ experiments: [first, second] });
  assert.equal(
    seriesStyles(first, context).get("sup-10"),
    seriesStyles(second, context).get("sup-10"),
  );
  const other = experiment([cell({ size: "1" }, [0.1])]);
  const styles = seriesStyles(other, pageContext({ experiments: [other] }));
  assert.ok(styles.get("size = 1").color);
});

test("an experiment without settings is one line", () => {
  const one = experiment([cell({}, [0.1])]);
  assert.equal(seriesName(one, one.cells[0]), "all runs");
});

test("lengths of training are those of all lines, or none", () => {
  const rows = [
    [50, 0.1],
    [90, 0.2],
  ];
  const same = experiment([
    withLengths({ model: "lstm" }, rows, [40, 80]),
    withLengths({ model: "sup-10" }, rows, [40, 80]),
  ]);
  assert.deepEqual(lengthGroups(same)[0].training, [40, 80]);
  assert.equal(lengthGroups(same)[0].mixed, false);
  for (const other of [[40, 60], null]) {
    for (const order of [0, 1]) {
      const ranges = order === 0 ? [[40, 80], other] : [other, [40, 80]];
      const mixed = experiment([
        withLengths({ model: "lstm" }, rows, ranges[0]),
        withLengths({ model: "sup-10" }, rows, ranges[1]),
      ]);
      const [group] = lengthGroups(mixed);
      assert.equal(group.training, null);
      assert.equal(group.mixed, true);
      assert.equal(beyondTraining([group]), false);
      assert.match(lengthsTitle([group], "difference_set"), /^On the test set, lstm and sup-10/);
    }
  }
});

test("lengths outside those of training decide, if there are any", () => {
  const some = experiment([
    withLengths(
      { model: "lstm" },
      [
        [50, 0.0],
        [90, 0.5],
      ],
      [40, 80],
    ),
    withLengths(
      { model: "sup-10" },
      [
        [50, 0.9],
        [90, 0.25],
      ],
      [40, 80],
    ),
  ]);
  assert.equal(
    lengthsTitle(lengthGroups(some), "difference_set"),
    "On lengths other than those of training (40–80), sup-10 has the lowest difference from the " +
      "optimum: 0.25 nats a symbol on average (next: lstm, 0.5)",
  );
  const alone = experiment([withLengths({ model: "lstm" }, [[90, -0.5]], [40, 80])]);
  assert.equal(
    lengthsTitle(lengthGroups(alone), "difference_set"),
    "On lengths other than those of training (40–80), lstm has a difference from the optimum of " +
      "−0.5 nats a symbol on average",
  );
});

test("a line without lengths outside those of training does not compete with those that have some", () => {
  const some = experiment([
    withLengths({ model: "lstm" }, [[50, 0.0]], [40, 80]),
    withLengths({ model: "sup-10" }, [[90, 0.25]], [40, 80]),
  ]);
  assert.match(lengthsTitle(lengthGroups(some), "cross_entropy"), /sup-10 has a cross-entropy/);
});

const symbols = (task, size, model, scores) => cell({ task, symbols: size, model }, scores);

test("capacity leaves out cells without the setting, not the figure", () => {
  const some = experiment([
    symbols("dyck", "2", "lstm", [0.1]),
    symbols("dyck", "40", "lstm", [0.2]),
    cell({ task: "dyck", model: "sup-10" }, [0.3]),
    cell({ task: "count-3", model: "lstm" }, [0.3]),
  ]);
  assert.deepEqual(numericKeys(some), ["symbols"]);
  assert.equal(cellsWithout(some, "symbols"), 2);
  const groups = capacityGroups(some, "symbols", "mean");
  assert.deepEqual(
    groups.map(({ label, ours }) => [label, ours.map(({ points }) => points.map(({ x }) => x))]),
    [["dyck", [[2, 40]]]],
  );
  some.cells[1].values.symbols = "many";
  assert.deepEqual(numericKeys(some), []);
});

test("capacity is judged where there is something to compare", () => {
  const some = experiment([
    symbols("dyck", "2", "lstm", [0.1]),
    symbols("dyck", "2", "sup-10", [0.2]),
    symbols("dyck", "40", "lstm", [0.5]),
    symbols("dyck", "40", "sup-10", [null]),
    symbols("copy", "2", "lstm", [0.1]),
    symbols("copy", "40", "lstm", [0.1]),
  ]);
  const title = () =>
    capacityTitle(some, "symbols", "mean", capacityGroups(some, "symbols", "mean"));
  assert.equal(
    title(),
    "With 2 symbols, lstm has the lowest difference from the optimum on dyck (mean of our runs)",
  );
  some.cells[1].mean = 0.1;
  assert.match(title(), /^With 2 symbols, lstm and sup-10 have the lowest difference/);
  some.cells[1].mean = null;
  assert.equal(title(), "Difference from the optimum by symbols");
});

test("the mean of one run has no band and no deviation", () => {
  const one = experiment([
    symbols("dyck", "2", "lstm", [0.1]),
    symbols("dyck", "4", "lstm", [1, 2]),
  ]);
  const [{ ours }] = capacityGroups(one, "symbols", "mean");
  assert.deepEqual(
    ours[0].points.map(({ low, high }) => [low, high]),
    [
      [null, null],
      [1.4, 1.6],
    ],
  );
  assert.equal(meanText(one.cells[0]), "0.1");
  assert.equal(meanText(one.cells[1]), "1.5 ± 0.1");
  assert.equal(meanText({ mean: null, sd: null }), "–");
  const column = columnsOf(one).find(({ id }) => id === "mean");
  assert.equal(column.text(one.cells[0]), "0.1000");
});

test("no line without a result", () => {
  const none = experiment([
    symbols("dyck", "2", "lstm", [null]),
    symbols("dyck", "4", "lstm", [null]),
  ]);
  const [{ ours, paper }] = capacityGroups(none, "symbols", "mean");
  assert.deepEqual([ours, paper], [[], []]);
});

test("cells without a finished run say why", () => {
  assert.equal(cellState(cell({}, [null, 0.1])), "finished");
  assert.equal(cellState(cell({}, [null])), "running");
  const states = (...names) =>
    cell({}, [], {
      runs: names.length,
      failed: names.filter((state) => state === "failed").length,
      restarts: names.map((state) => ({ state })),
    });
  assert.equal(cellState(states("failed", "failed")), "failed");
  assert.equal(cellState(states("failed", "running")), "running");
  assert.equal(cellState(states("failed", "to do")), "not finished");
  assert.equal(cellState(states("stopped")), "not finished");
});

const text = (cells, paper) =>
  experiment(cells, { kind: "text", measure: "perplexity", published: paper });

test("published models that were not trained come after ours", () => {
  const some = text(
    [cell({ model: "lstm" }, [120]), cell({ model: "sup-10" }, [null])],
    published(
      { values: { model: "sup-10" }, best: 110, test: 105 },
      { values: { model: "rns-4-5" }, best: 100, test: 95 },
    ),
  );
  assert.deepEqual(
    textRows(some).map(({ name, state, validation }) => [name, state, validation]),
    [
      ["lstm", "finished", { ours: 120, paper: null }],
      ["sup-10", "running", { ours: null, paper: 110 }],
      ["rns-4-5", "not trained", { ours: null, paper: 100 }],
    ],
  );
  assert.equal(textTitle(some, textRows(some)), "The perplexity of lstm on validation (120.00)");
});

test("published rows are those of cells that agree in what both name", () => {
  const sized = text(
    [cell({ size: "10" }, [120]), cell({ size: "20" }, [110])],
    published({ values: { size: "10" }, best: 119, test: null }),
  );
  assert.deepEqual(
    textRows(sized).map(({ name, validation }) => [name, validation.paper]),
    [
      ["size = 10", 119],
      ["size = 20", null],
    ],
  );
  const twice = text(
    [cell({ model: "lstm" }, [120])],
    published(
      { values: { model: "lstm", size: "10" }, best: 119, test: null },
      { values: { model: "lstm", size: "20" }, best: 109, test: null },
      { values: { model: "rns-4-5", size: "20" }, best: 99, test: null },
    ),
  );
  assert.deepEqual(
    textRows(twice).map(({ name, state, validation }) => [name, state, validation.paper]),
    [
      ["lstm", "finished", 119],
      ["lstm, size = 20", null, 109],
      ["rns-4-5, size = 20", "not trained", 99],
    ],
  );
  const other = text(
    [cell({ model: "lstm", size: "10" }, [120])],
    published({ values: { model: "lstm", size: "20" }, best: 109, test: null }),
  );
  assert.deepEqual(
    textRows(other).map(({ name, state }) => [name, state]),
    [
      ["lstm, size = 10", "finished"],
      ["lstm, size = 20", "not trained"],
    ],
  );
});

test("settings agree if those that both have do, and there are some", () => {
  assert.equal(agree({ a: "1", b: "2" }, { a: "1", c: "3" }), true);
  assert.equal(agree({ a: "1", b: "2" }, { a: "1", b: "3" }), false);
  assert.equal(agree({ a: "1" }, { b: "1" }), false);
});

test("titles of text name all that are equal", () => {
  const some = text([cell({ model: "lstm" }, [120]), cell({ model: "sup-10" }, [120])], null);
  assert.equal(
    textTitle(some, textRows(some)),
    "lstm and sup-10 have the lowest perplexity on validation (120.00)",
  );
});

test("all failed runs are listed, also those without a reason", () => {
  const some = experiment([cell({ model: "lstm" }, [0.1, 0.2, 0.3])]);
  const [first, second, third] = some.cells[0].restarts;
  Object.assign(first, { state: "failed", failure: "diverged" });
  Object.assign(second, { state: "failed" });
  third.failure = "an earlier attempt";
  assert.deepEqual(failures(some), [
    { reason: "diverged", runs: ["model=lstm/restart-1"] },
    { reason: "no reason recorded", runs: ["model=lstm/restart-2"] },
  ]);
});

test("the version is that of the runs, or else of the experiment", () => {
  const some = experiment([cell({ model: "lstm" }, [0.1])]);
  const version = () => new Map(facts(some)).get("Version");
  assert.equal(version(), "0.1.0");
  Object.assign(some.cells[0].restarts[0], { version: "0.2.0", revision: "0123abc" });
  assert.equal(version(), "0.2.0 (0123abc)");
});

test("thinned lines keep their peaks and their gaps", () => {
  const points = Array.from({ length: 1000 }, (_, x) => ({ x, y: 5 + (x % 7) }));
  points[333].y = 99;
  points[444].y = 1;
  points[500].y = null;
  for (let x = 600; x < 700; ++x) points[x].y = null;
  const kept = thinned(points, 100);
  const ys = kept.map(({ y }) => y);
  assert.ok(kept.filter(({ y }) => y !== null).length <= 100);
  assert.ok(ys.includes(99) && ys.includes(1) && kept.includes(points[500]));
  // What has no value is not the lowest of its stretch.
  const around = kept.filter(({ x }) => x > 480 && x < 520);
  assert.ok(around.some(({ y }) => y === 5));
  const inGap = kept.filter(({ x }) => x >= 600 && x < 700);
  assert.ok(inGap.length > 0 && inGap.every(({ y }) => y === null));
  assert.deepEqual(
    kept.map(({ x }) => x),
    kept.map(({ x }) => x).sort((a, b) => a - b),
  );
  assert.equal(thinned(points, 1000), points);
});

test("names are listed as in a sentence", () => {
  assert.equal(listed([]), "");
  assert.equal(listed(["a"]), "a");
  assert.equal(listed(["a", "b", "c"]), "a, b and c");
});

test("of the runs that have results by length, the best is drawn", () => {
  const tested = cell({ task: "dyck", model: "lstm" }, [0.3, 0.1, 0.2]);
  const table = { lengths: [3], strings: [1], cross_entropy: [1], difference_length: [0.5] };
  tested.restarts[0].by_length = table;
  tested.restarts[2].by_length = table;
  const [{ lines }] = lengthGroups(experiment([tested]));
  assert.deepEqual(
    lines.map(({ run }) => run.name),
    [tested.restarts[2].name],
  );
});
