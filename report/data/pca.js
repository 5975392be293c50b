// The points of a component analysis by symbol, and what a selection of them holds.

import { median } from "d3-array";
import { counted, fixed } from "../parts/format.js";

// Numbers in order, then other names, as they first come.
function inOrder(symbols) {
  const isNumber = (symbol) => symbol !== "" && Number.isFinite(Number(symbol));
  const numbers = symbols.filter(isNumber).sort((a, b) => Number(a) - Number(b));
  return [...numbers, ...symbols.filter((symbol) => !isNumber(symbol)).sort()];
}

// {symbol: its points and their number} in order.
export function symbolsOf(points) {
  const groups = new Map();
  points.forEach((point, index) => {
    if (!groups.has(point.symbol)) groups.set(point.symbol, []);
    groups.get(point.symbol).push({ ...point, index });
  });
  return new Map(inOrder([...groups.keys()]).map((symbol) => [symbol, groups.get(symbol)]));
}

// The median of the points of each symbol in two components. A few points far away would draw a mean
// to where no point is.
export function mediansOf(groups, [a, b]) {
  return [...groups].map(([symbol, points]) => {
    const middle = (n) => median(points, ({ projected }) => projected[n]);
    return { symbol, count: points.length, x: middle(a), y: middle(b) };
  });
}

// The symbols of selected points, the most frequent first: {symbol, count, share of the selection,
// of: share of the symbol's points}.
export function sharesOf(groups, selected) {
  const counts = new Map();
  for (const { symbol } of selected) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  return [...counts]
    .map(([symbol, count]) => ({
      symbol,
      count,
      share: count / selected.length,
      of: count / groups.get(symbol).length,
    }))
    .sort((a, b) => b.count - a.count);
}

// Evenly spaced ones of many points.
export function evenlySpaced(points, most) {
  if (points.length <= most) return points;
  return Array.from({ length: most }, (_, n) => points[Math.floor((n * points.length) / most)]);
}

export function componentName({ components }, n) {
  const { share } = components[n];
  const of =
    share === null || share === undefined ? "" : ` (${percentText(share)} of the variance)`;
  return `component ${n + 1}${of}`;
}

function percentText(share) {
  return `${fixed(100 * share, 1)} %`;
}

const things = { readings: "readings", hidden: "hidden states" };

export function titleOf({ of, separability }) {
  const what = things[of] ?? of;
  const all = separability?.all_dimensions;
  if (!all || all.nearest_centroid === null || all.nearest_centroid === undefined) {
    return `The first components of the ${what}`;
  }
  return `The ${what} tell the next symbol for ${percentText(
    all.nearest_centroid,
  )} of the points (nearest centroid); guessing would get ${percentText(all.majority)}`;
}

function separabilityText({ nearest_centroid, silhouette }, where) {
  const nearest = nearest_centroid ?? null;
  return `${where}: nearest centroid ${nearest === null ? "–" : percentText(nearest)}, silhouette ${fixed(silhouette ?? null, 3)}`;
}

export function captionOf(pca) {
  const { model, of, positions, strings, points, names, components, separability } = pca;
  const what = of === "hidden" ? "the hidden state" : "the reading";
  const parts = [
    `${counted(points.length, "point")}: each is ${what} from which a symbol was predicted, in the principal components of all of them; points are centred, not scaled. A label stands at the median of the points of its symbol. ${model.name}, ${model.hidden_units} hidden units; ${strings} strings, positions ${positions}, ${names.length} dimensions.`,
  ];
  const { all_dimensions: all, components: some } = separability ?? {};
  if (all?.symbols > 1) {
    const both = [separabilityText(all, `In all ${names.length} dimensions`)];
    if (some) both.push(separabilityText(some, `in ${components.length} components`));
    parts.push(
      `${both.join("; ")}; the most frequent of ${all.symbols} symbols has ${percentText(all.majority)}.`,
    );
  }
  parts.push(
    "Nearest centroid: the share of points that are nearer to the mean of the other points of their symbol than to that of any other symbol. Silhouette: near 1 if symbols are compact and far apart, near 0 if they overlap.",
  );
  return parts.join(" ");
}
