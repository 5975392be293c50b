// Heatmaps: the size of a number is how much of a colour covers the background, so that they follow
// the page's theme; negative numbers have another colour and a minus sign.

import { number } from "./format.js";

// How much of the colour a number gets.
export function shade(value, high) {
  return high > 0 ? Math.min(1, Math.abs(value) / high) : 0;
}

// Draws cells {x, y, width, height, value, data}, where `data` has the names and values of data-
// attributes. What would not be seen is not drawn, unless `all`.
export function drawCells(group, cells, high, { all = true } = {}) {
  const seen = all ? cells : cells.filter(({ value }) => shade(value, high) >= 1 / 256);
  let minus = "";
  const back = group.append("g").attr("class", "heat");
  const document = group.node().ownerDocument;
  const fragment = document.createDocumentFragment();
  for (const { x, y, width, height, value, data } of seen) {
    const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    rect.setAttribute("x", x);
    rect.setAttribute("y", y);
    rect.setAttribute("width", width);
    rect.setAttribute("height", height);
    if (value === null || value === undefined) {
      rect.setAttribute("class", "missing");
    } else {
      if (value < 0) rect.setAttribute("class", "negative");
      rect.setAttribute("fill-opacity", Math.round(1000 * shade(value, high)) / 1000);
      if (value < 0 && shade(value, high) >= 0.02 && width >= 7 && height >= 5) {
        minus += `M${x + width / 2 - 3} ${y + height / 2}h6`;
      }
    }
    for (const [name, each] of Object.entries(data ?? {})) rect.setAttribute(`data-${name}`, each);
    fragment.append(rect);
  }
  back.node().append(fragment);
  if (minus) group.append("path").attr("class", "minus").attr("d", minus);
  return seen.length;
}

// The scale of shades, in a row above a plot: from `low` (0 or -high) to `high`.
export function drawScale(group, { low, high, name, x = 0, y = -18 }) {
  const steps = 11;
  const side = 12;
  const scale = group.append("g").attr("class", "heat").attr("transform", `translate(${x},${y})`);
  scale
    .append("text")
    .attr("class", "legend-text")
    .attr("y", 10)
    .text(`${name}: ${number(low)}`);
  // Room for the text, whose width cannot be measured in a figure that is not yet seen.
  const start = 6.2 * `${name}: ${number(low)}`.length + 4;
  for (let n = 0; n < steps; ++n) {
    const value = low + ((high - low) * n) / (steps - 1);
    scale
      .append("rect")
      .attr("class", value < -1e-9 ? "negative" : null)
      .attr("x", start + n * side)
      .attr("width", side)
      .attr("height", side)
      .attr("fill-opacity", shade(value, high));
    if (value < -1e-9 && n % 2 === 0) {
      scale
        .append("path")
        .attr("class", "minus")
        .attr("d", `M${start + (n + 0.5) * side - 3} 6h6`);
    }
  }
  scale
    .append("rect")
    .attr("class", "frame")
    .attr("x", start)
    .attr("width", side * steps)
    .attr("height", side);
  scale
    .append("text")
    .attr("class", "legend-text")
    .attr("x", start + side * steps + 6)
    .attr("y", 10)
    .text(number(high));
}
