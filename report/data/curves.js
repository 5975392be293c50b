// Learning curves: the validation measure of every run by epoch.

import { measureName, number, unitOf } from "../parts/format.js";
import { bestRun, groupsOf, listed, lowest, seriesName } from "./experiments.js";

// The learning rate at an epoch, of `rates` that say from which epoch on there is which; null if it
// is not known.
export function rateAt(run, epoch) {
  let rate = null;
  for (const [from, value] of run.rates) {
    if (from > epoch) break;
    rate = value;
  }
  return rate;
}

// [{...group, lines: [{series, cell, run, best, points: [{x: epoch, y: measure}]}]}]; groups without
// curves are left out.
export function curveGroups(experiment) {
  return groupsOf(experiment)
    .map((group) => ({
      ...group,
      lines: group.cells.flatMap((cell) => {
        const best = bestRun(cell);
        return cell.restarts
          .filter((run) => run.curve.some((value) => value !== null))
          .map((run) => ({
            series: seriesName(experiment, cell),
            cell,
            run,
            best: run === best,
            points: run.curve.map((y, n) => ({ x: n + 1, y })),
          }));
      }),
    }))
    .filter((group) => group.lines.length > 0);
}

export function where(label) {
  return label ? ` on ${label}` : "";
}

// "a has the lowest cross-entropy", "a and b have the lowest cross-entropy".
export function lowestText(names, what) {
  return `${listed(names)} ${names.length > 1 ? "have" : "has"} the lowest ${what}`;
}

// How close the next one comes: " (next: b, 0.2)".
export function nextText({ next }, nameOf) {
  return next ? ` (next: ${nameOf(next.item)}, ${number(next.value)})` : "";
}

// The lowest of a panel as what winnersTitle takes: names, or null if nothing was compared.
export function winnersOf(best, nameOf) {
  return best && best.of > 1 ? best.items.map(nameOf) : null;
}

// "a has the lowest cross-entropy in 3 of 4 panels" from the names of the best of each panel; those
// with null had nothing to compare and do not count. Null if none had.
export function winnersTitle(winners, what) {
  const contests = winners.filter((names) => names !== null);
  if (contests.length === 0) return null;
  const counts = new Map();
  for (const names of contests) {
    const key = listed(names);
    counts.set(key, { names, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const [first, ...others] = [...counts.values()].sort((a, b) => b.count - a.count);
  const which = contests.length < winners.length ? " with several results" : "";
  const lowestIn = `${lowestText(first.names, what)} in`;
  if (contests.length === 1) return `${lowestIn} the only panel${which}`;
  if (others.length === 0) return `${lowestIn} all ${contests.length} panels${which}`;
  const rest = others.slice(0, 3).map(({ names, count }) => `${listed(names)} in ${count}`);
  if (others.length > 3) rest.push("others in the rest");
  return `${lowestIn} ${first.count} of ${contests.length} panels${which}, ${rest.join(", ")}`;
}

function bestCells(group) {
  return lowest(group.cells, (cell) => cell.best);
}

// What the chosen groups show.
export function curvesTitle(experiment, groups) {
  const what = measureName(experiment.measure);
  const nameOf = (cell) => seriesName(experiment, cell);
  if (groups.length > 1) {
    const winners = groups.map((group) => winnersOf(bestCells(group), nameOf));
    return winnersTitle(winners, what) ?? `Validation ${what} by epoch`;
  }
  const best = bestCells(groups[0]);
  const place = where(groups[0].label);
  if (!best) return `No run${place} has finished: validation by epoch`;
  const unit = unitOf(experiment.measure);
  const amount = number(best.value) + (unit ? ` ${unit}` : "");
  const names = best.items.map(nameOf);
  return best.of > 1
    ? `${lowestText(names, what)}${place}: ${amount}${nextText(best, nameOf)}`
    : `${names[0]} reaches a ${what} of ${amount}${place}`;
}
