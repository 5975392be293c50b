// The readings of a string as rows of numbers over time.

import { pairName } from "./runs.js";

// The names of a reading's numbers, in groups: {name, group, part}, where the numbers of a group
// belong together, such as the components of a vector.
function rowsOf({ automaton, superposition, readings }) {
  const count = readings[0].length;
  const rows = (group, size, name) =>
    Array.from({ length: size }, (_, part) => ({
      group,
      part,
      size,
      name: size > 1 ? `${name} ${part + 1}` : name,
    }));
  if (automaton) {
    const size = Math.max(1, automaton.vector_size);
    const pairs = automaton.states.length * automaton.symbols.length;
    if (pairs * size === count) {
      return Array.from({ length: pairs }, (_, p) => rows(p, size, pairName(automaton, p))).flat();
    }
  }
  if (superposition) {
    const sizes = superposition.map(({ size }) => size);
    if (sizes.reduce((sum, size) => sum + size, 0) === count) {
      return sizes.flatMap((size, n) =>
        rows(n, size, sizes.length > 1 ? `stack ${n + 1},` : "top"),
      );
    }
  }
  return rows(0, count, "number");
}

const manyRows = 24;
const visible = 0.001;

// {rows, values: [row][t], low, high, omitted}. Of many rows, those that are zero at all times are
// left out.
export function readingsOf(inspection) {
  const { readings } = inspection;
  if (!readings || readings.length === 0 || readings[0].length === 0) return null;
  const all = rowsOf(inspection).map((row, n) => ({
    ...row,
    values: readings.map((reading) => reading[n]),
  }));
  const used = all.filter(({ values }) => values.some((value) => Math.abs(value) >= visible));
  const rows = all.length > manyRows && used.length > 0 ? used : all;
  let low = 0;
  let high = 1;
  for (const { values } of rows) {
    for (const value of values) {
      low = Math.min(low, value ?? 0);
      high = Math.max(high, value ?? 0);
    }
  }
  // Both signs on the same scale, so that equal shades are equal sizes.
  if (low < 0) {
    high = Math.max(high, -low);
    low = -high;
  }
  return { rows, low, high, omitted: all.length - rows.length };
}

// Rows in which every `size` steps are one, their mean, so that there are not more than `most` cells.
export function binned(values, size) {
  if (size <= 1) return values.map((value, t) => ({ from: t, to: t, value }));
  const bins = [];
  for (let from = 0; from < values.length; from += size) {
    const part = values.slice(from, from + size);
    const value = part.reduce((sum, each) => sum + (each ?? 0), 0) / part.length;
    bins.push({ from, to: from + part.length - 1, value });
  }
  return bins;
}
