// Language models: what table 1 has, ours and the published numbers.

import { counted, fixed, measureName } from "../parts/format.js";
import { lowestText } from "./curves.js";
import { agree, listed, lowest, seriesKey, seriesName } from "./experiments.js";

// What there is of a cell's runs: "finished" if one of them is.
export function cellState({ runs, finished, failed, restarts }) {
  if (finished > 0) return "finished";
  if (restarts.some(({ state }) => state === "running")) return "running";
  return runs > 0 && failed >= runs ? "failed" : "not finished";
}

// The published cell beside ours: the first whose settings ours all has, as `pushdown table` takes it,
// or that agrees in the settings that both have.
function publishedOf(published, { values }) {
  const named = (other) =>
    Object.entries(other.values).every(([key, value]) => values[key] === value);
  return published.find(named) ?? published.find((other) => agree(other.values, values)) ?? null;
}

// [{name, series, runs, state, validation: {ours, paper}, test: {ours, paper}}]: all cells, and after
// them what was published of others. The state is that of cellState, "not trained" if we have no such
// cell, or null if we have one that stands beside another published one.
export function textRows(experiment) {
  const key = seriesKey(experiment);
  const published = experiment.published?.cells ?? [];
  const all = [...experiment.cells, ...published];
  const varying = [...new Set(all.flatMap(({ values }) => Object.keys(values)))].filter(
    (name) => name !== key && new Set(all.map(({ values }) => values[name])).size > 1,
  );
  const settings = ({ values }) =>
    varying.filter((name) => values[name]).map((name) => `${name} = ${values[name]}`);
  const beside = new Set();
  const rows = experiment.cells.map((cell) => {
    const other = publishedOf(published, cell);
    if (other) beside.add(other);
    const paper = cell.comparison ?? other;
    const series = seriesName(experiment, cell);
    return {
      name: [series, ...settings(cell)].join(", "),
      series,
      runs: cell.finished,
      state: cellState(cell),
      validation: { ours: cell.best, paper: paper?.best ?? null },
      test: { ours: cell.test, paper: paper?.test ?? null },
    };
  });
  for (const cell of published) {
    if (beside.has(cell)) continue;
    const series = cell.values[key] ? seriesName(experiment, cell) : null;
    const trained = experiment.cells.some(({ values }) => agree(cell.values, values));
    rows.push({
      name: [series, ...settings(cell)].filter(Boolean).join(", ") || "published",
      series,
      runs: 0,
      state: trained ? null : "not trained",
      validation: { ours: null, paper: cell.best },
      test: { ours: null, paper: cell.test },
    });
  }
  return rows;
}

export const sets = ["validation", "test"];

export const orders = {
  given: { name: "as in the experiment", of: null },
  "validation ours": { name: "our validation", of: (row) => row.validation.ours },
  "test ours": { name: "our test", of: (row) => row.test.ours },
  "validation paper": { name: "published validation", of: (row) => row.validation.paper },
  "test paper": { name: "published test", of: (row) => row.test.paper },
};

// The lowest first; what has no value last, in the order of the experiment.
export function ordered(rows, order) {
  const { of } = orders[order];
  if (!of) return rows;
  const value = (row) => of(row) ?? Number.POSITIVE_INFINITY;
  return [...rows].sort((a, b) => (value(a) === value(b) ? 0 : value(a) - value(b)));
}

export function textTitle(experiment, rows) {
  const what = measureName(experiment.measure);
  const digits = experiment.measure === "perplexity" ? 2 : 4;
  const best = sets
    .map((set) => ({ set, of: lowest(rows, (row) => row[set].ours) }))
    .filter(({ of }) => of !== null)
    .map(({ set, of }) => ({ set, ...of, names: listed(of.items.map(({ name }) => name)) }));
  if (best.length === 0) {
    const known = rows.filter((row) => sets.some((set) => typeof row[set].paper === "number"));
    return `No run has finished: published ${what} of ${counted(known.length, "model")}`;
  }
  const text = ({ set, items, value }) => {
    const paper = items.length === 1 ? items[0][set].paper : null;
    const beside = paper === null ? "" : `, published: ${fixed(paper, digits)}`;
    return `${set} (${fixed(value, digits)}${beside})`;
  };
  const [first] = best;
  const contest = best.some(({ of }) => of > 1);
  if (best.some(({ names }) => names !== first.names)) {
    const places = listed(best.map((one) => `${one.names} on ${text(one)}`));
    return `The ${contest ? "lowest " : ""}${what}: ${places}`;
  }
  const does = contest
    ? lowestText(
        first.items.map(({ name }) => name),
        what,
      )
    : `The ${what} of ${first.names}`;
  return `${does} on ${listed(best.map(text))}`;
}
