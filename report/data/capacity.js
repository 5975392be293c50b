// A measure by a setting that is a number, such as the kinds of symbols of a language.

import { measureName } from "../parts/format.js";
import { lowestText, winnersOf, winnersTitle } from "./curves.js";
import { groupsOf, listed, lowest, seriesKey, seriesName, seriesNames } from "./experiments.js";

function isNumber(text) {
  return Boolean(text?.trim()) && Number.isFinite(Number(text));
}

// The groups in which a setting is a number, without their cells that do not have it.
function numericGroups(experiment, key) {
  return groupsOf(experiment, [key])
    .map((group) => ({ ...group, cells: group.cells.filter((cell) => cell.values[key]?.trim()) }))
    .filter(({ cells }) => cells.length > 0 && cells.every((cell) => isNumber(cell.values[key])));
}

// The settings that are numbers, and have two values or more, in some group.
export function numericKeys(experiment) {
  return experiment.keys.filter(
    (key) =>
      key !== seriesKey(experiment) &&
      numericGroups(experiment, key).some(
        ({ cells }) => new Set(cells.map((cell) => Number(cell.values[key]))).size > 1,
      ),
  );
}

// How many cells cannot be shown by a setting.
export function cellsWithout(experiment, key) {
  const shown = numericGroups(experiment, key).reduce((sum, { cells }) => sum + cells.length, 0);
  return experiment.cells.length - shown;
}

export const statistics = {
  mean: {
    name: "mean and standard deviation",
    label: "mean",
    ours: ({ mean, sd }) => ({
      y: mean,
      low: typeof sd === "number" && mean !== null ? mean - sd : null,
      high: typeof sd === "number" && mean !== null ? mean + sd : null,
    }),
    paper: ({ mean }) => mean,
  },
  median: {
    name: "median and quartiles",
    label: "median",
    ours: ({ median, lower_quartile, upper_quartile }) => ({
      y: median,
      low: lower_quartile,
      high: upper_quartile,
    }),
    paper: () => null,
  },
  best: {
    name: "best run",
    label: "best",
    ours: ({ best }) => ({ y: best, low: null, high: null }),
    paper: ({ best }) => best,
  },
};

// Published cells need not have all settings that ours have.
function belongsTo(published, values) {
  return Object.entries(values).every(
    ([key, value]) => published.values[key] === undefined || published.values[key] === value,
  );
}

// [{...group, ours: [line], paper: [line]}] with line = {series, points: [{x, y, low, high, cell}]}.
export function capacityGroups(experiment, key, statistic) {
  const { ours, paper } = statistics[statistic];
  const of = seriesKey(experiment);
  const byX = (a, b) => a.x - b.x;
  const names = seriesNames(experiment);
  return numericGroups(experiment, key).map((group) => {
    const pointsOf = (name) =>
      group.cells
        .filter((cell) => seriesName(experiment, cell) === name)
        .map((cell) => ({ x: Number(cell.values[key]), ...ours(cell), cell }))
        .sort(byX);
    const published = (experiment.published?.cells ?? []).filter(
      (cell) => isNumber(cell.values[key]) && belongsTo(cell, group.values),
    );
    const publishedPoints = (name) =>
      published
        .filter((cell) => cell.values[of] !== undefined && seriesName(experiment, cell) === name)
        .map((cell) => ({ x: Number(cell.values[key]), y: paper(cell) ?? null, cell }))
        .filter(({ y }) => y !== null)
        .sort(byX);
    const linesOf = (points) =>
      names
        .map((series) => ({ series, points: points(series) }))
        .filter((line) => line.points.some(({ y }) => y !== null && y !== undefined));
    return { ...group, ours: linesOf(pointsOf), paper: linesOf(publishedPoints) };
  });
}

function valueText(key, value) {
  return key === "symbols" ? `${value} symbols` : `${key} = ${value}`;
}

// Who is best at the highest value of the setting at which there is something to compare.
export function capacityTitle(experiment, key, statistic, groups) {
  const what = measureName(experiment.measure);
  const winnersAt = (at) =>
    groups.map(({ ours }) =>
      winnersOf(
        lowest(ours, ({ points }) => points.find(({ x }) => x === at)?.y),
        ({ series }) => series,
      ),
    );
  const values = new Set(
    groups.flatMap(({ cells }) => cells.map((cell) => Number(cell.values[key]))),
  );
  const highest = [...values]
    .sort((a, b) => b - a)
    .find((at) => winnersAt(at).some((names) => names !== null));
  if (highest === undefined) return `${what[0].toUpperCase()}${what.slice(1)} by ${key}`;
  const winners = winnersAt(highest);
  const by = `${statistic} of our runs`;
  const known = groups.map(({ label }, n) => [winners[n], label]).filter(([names]) => names);
  if (known.length > 4) {
    return `With ${valueText(key, highest)}, ${winnersTitle(winners, what)} (${by})`;
  }
  const [[first, label], ...others] = known;
  const texts = [
    `${lowestText(first, what)}${label ? ` on ${label}` : ""}`,
    ...others.map(([names, on]) => `${listed(names)} on ${on}`),
  ];
  return `With ${valueText(key, highest)}, ${listed(texts)} (${by})`;
}

// How many cells have a test against published numbers, and in how many it finds a difference.
export function tests(experiment) {
  const tested = experiment.cells.filter((cell) => typeof cell.comparison?.adjusted_p === "number");
  return { tested: tested.length, differ: tested.filter((c) => c.comparison.differs).length };
}
