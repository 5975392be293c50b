// What the figures of experiments have in common: series, groups of cells, and who is best.

import { stylesOf } from "../parts/palette.js";

export function experimentTitle(experiment) {
  return experiment.title || experiment.name || "Runs given by themselves";
}

function settingText(key, value) {
  return key === "task" ? value : `${key} = ${value}`;
}

// The setting whose values are the lines of a figure: the model, if cells have one.
export function seriesKey(experiment) {
  if (experiment.cells.some((cell) => cell.values.model !== undefined)) return "model";
  return experiment.keys[experiment.keys.length - 1] ?? null;
}

// The name of a cell's line. Published cells have values only.
export function seriesName(experiment, cell) {
  const key = seriesKey(experiment);
  if (key === null) return cell.name || "all runs";
  const value = cell.values[key];
  if (!value) return `no ${key}`;
  return key === "model" ? value : settingText(key, value);
}

export function seriesNames(experiment) {
  return [...new Set(experiment.cells.map((cell) => seriesName(experiment, cell)))];
}

// Models look the same all over the page; what else tells cells apart has styles of its own.
export function seriesStyles(experiment, context) {
  if (seriesKey(experiment) === "model") return context.styles;
  return stylesOf(seriesNames(experiment));
}

// The cells that share all settings but the series and those of `except`, in the order of the
// experiment: [{id, label, values, cells}]. The label is empty if there is nothing to tell.
export function groupsOf(experiment, except = []) {
  const without = new Set([seriesKey(experiment), ...except]);
  const keys = experiment.keys.filter((key) => !without.has(key));
  const groups = new Map();
  for (const cell of experiment.cells) {
    const values = Object.fromEntries(keys.map((key) => [key, cell.values[key] ?? ""]));
    const id = JSON.stringify(keys.map((key) => values[key]));
    if (!groups.has(id)) {
      const label = keys
        .filter((key) => values[key] !== "")
        .map((key) => settingText(key, values[key]))
        .join(", ");
      groups.set(id, { id, label, values, cells: [] });
    }
    groups.get(id).cells.push(cell);
  }
  return [...groups.values()];
}

export function bestRun(cell) {
  return cell.best_run === null || cell.best_run === undefined
    ? null
    : (cell.restarts[cell.best_run] ?? null);
}

// The items with the lowest value, several if they are equal, of how many, and the one after them:
// {items, value, of, next: {item, value} or null}. Null if no item has a value. Where `of` is 1, there
// was nothing to be better than.
export function lowest(items, measure) {
  const valued = items
    .map((item) => ({ item, value: measure(item) }))
    .filter(({ value }) => typeof value === "number" && Number.isFinite(value))
    .sort((a, b) => a.value - b.value);
  if (valued.length === 0) return null;
  const [{ value }] = valued;
  const best = valued.filter((each) => each.value === value);
  return {
    items: best.map(({ item }) => item),
    value,
    of: valued.length,
    next: valued[best.length] ?? null,
  };
}

// Whether settings agree, of which either side may have some that the other does not have.
export function agree(values, others) {
  const common = Object.keys(values).filter((key) => others[key] !== undefined);
  return common.length > 0 && common.every((key) => values[key] === others[key]);
}

// "a", "a and b", "a, b and c".
export function listed(names) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

// What tells groups apart, as the name of a choice among them: "Task", "Task and symbols".
export function groupsName(groups) {
  const name = listed(Object.keys(groups[0]?.values ?? {}));
  return name ? name[0].toUpperCase() + name.slice(1) : "Cells";
}
