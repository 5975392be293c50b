// Results by length of the test set: of the best run of each cell that has them.

import { number } from "../parts/format.js";
import { lowestText, nextText, where, winnersOf, winnersTitle } from "./curves.js";
import { bestRun, groupsOf, lowest, seriesName } from "./experiments.js";

function exists(column) {
  return Boolean(column?.some((value) => value !== null));
}

// The training lengths that all lines have; null if they differ, or are not known of all of them.
function commonLengths(lines) {
  const [first, ...others] = lines.map(({ cell }) => cell.training_lengths ?? null);
  if (!first) return null;
  const same = (range) => range !== null && range[0] === first[0] && range[1] === first[1];
  return others.every(same) ? first : null;
}

function isTested(run) {
  return Boolean(run?.by_length?.lengths.length);
}

// The best run by validation, or the best of those that have results by length.
function testedRun(cell) {
  const best = bestRun(cell);
  if (isTested(best)) return best;
  return lowest(cell.restarts.filter(isTested), (run) => run.score)?.items[0] ?? null;
}

// [{...group, training, mixed, lines: [{series, cell, run, table}]}], where `table` has the columns of
// by_length, and `mixed` says that there are training lengths, but not the same of all lines. Groups
// without results are left out.
export function lengthGroups(experiment) {
  return groupsOf(experiment)
    .map((group) => {
      const lines = group.cells.flatMap((cell) => {
        const run = testedRun(cell);
        if (!run) return [];
        return [{ series: seriesName(experiment, cell), cell, run, table: run.by_length }];
      });
      const training = commonLengths(lines);
      const mixed = training === null && lines.some(({ cell }) => cell.training_lengths);
      return { ...group, training, mixed, lines };
    })
    .filter((group) => group.lines.length > 0);
}

// The columns that at least one run has, the paper's first.
export function columnsOf(groups) {
  return ["difference_length", "difference_set", "cross_entropy"].filter((column) =>
    groups.some(({ lines }) => lines.some(({ table }) => exists(table[column]))),
  );
}

export function pointsOf({ table }, column) {
  if (!exists(table[column])) return [];
  return table.lengths.map((x, n) => ({ x, y: table[column][n], n })).sort((a, b) => a.x - b.x);
}

function outside(length, training) {
  return length < training[0] || length > training[1];
}

// Whether groups are compared by the lengths that were not those of training: if all of them have some.
export function beyondTraining(groups) {
  return groups.every(
    ({ training, lines }) =>
      training !== null &&
      lines.some(({ table }) => table.lengths.some((length) => outside(length, training))),
  );
}

// The mean over all strings, or over those of other lengths than `without`.
function meanOf(line, column, without) {
  let sum = 0;
  let count = 0;
  for (const { x, y, n } of pointsOf(line, column)) {
    if (y === null || (without && !outside(x, without))) continue;
    const strings = line.table.strings?.[n] ?? 1;
    sum += strings * y;
    count += strings;
  }
  return count > 0 ? sum / count : null;
}

const columnNames = {
  difference_length: "difference from the optimum",
  difference_set: "difference from the optimum",
  cross_entropy: "cross-entropy",
};

export function lengthsTitle(groups, column) {
  const beyond = beyondTraining(groups);
  const trained = [...new Set(groups.map(({ training }) => training?.join("–")))];
  const prefix = beyond
    ? `On lengths other than those of training${trained.length === 1 ? ` (${trained[0]})` : ""}, `
    : "On the test set, ";
  const what = columnNames[column];
  const all = groups.map(({ lines, training }) =>
    lowest(lines, (line) => meanOf(line, column, beyond ? training : null)),
  );
  if (groups.length > 1) {
    const winners = all.map((best) => winnersOf(best, ({ series }) => series));
    const title = winnersTitle(winners, what);
    return title ? prefix + title : "The test set by length";
  }
  const [best] = all;
  if (!best) return "The test set by length";
  const names = best.items.map(({ series }) => series);
  const amount = `${number(best.value)} nats a symbol on average`;
  const place = where(groups[0].label);
  return best.of > 1
    ? `${prefix}${lowestText(names, what)}${place}: ${amount}${nextText(best, ({ series }) => series)}`
    : `${prefix}${names[0]} has a ${what} of ${amount}${place}`;
}
