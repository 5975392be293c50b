// A plot with axes in an SVG that is as wide as its place.

import { axisBottom, axisLeft } from "d3-axis";
import { format } from "d3-format";
import { select } from "d3-selection";

export const narrow = 560;

// Appends an SVG to `parent`, with a group inside the margins: {svg, plot, width, height}, where
// width and height are those inside the margins. `label` is what a screen reader says.
export function chart(parent, { label, height = 300, margin = {}, width: asked }) {
  const all = asked ?? Math.max(240, Math.floor(parent.clientWidth || 640));
  const { top = 16, right = 16, bottom = 44, left = 56 } = margin;
  const svg = select(parent)
    .append("svg")
    .attr("class", "chart")
    .attr("role", "img")
    .attr("aria-label", label)
    .attr("viewBox", `0 0 ${all} ${height}`)
    .attr("width", all)
    .attr("height", height);
  const plot = svg.append("g").attr("transform", `translate(${left},${top})`);
  return { svg, plot, width: all - left - right, height: height - top - bottom };
}

const plain = format("~g");
// Of a logarithmic axis, powers of ten only, written out.
function logTicks(axis) {
  return axis.ticks(5, (value) => (Math.log10(value) % 1 === 0 ? plain(value) : ""));
}

// Draws the axes of scales with their labels and a grid.
export function drawAxes(
  { plot, width, height },
  { x, y, xLabel, yLabel, yLog, xLog, xTicks, yTicks },
) {
  const bottom = axisBottom(x).tickSizeOuter(0);
  if (xTicks) bottom.tickValues(xTicks).tickFormat((value) => String(value));
  else if (xLog) logTicks(bottom);
  else if (x.ticks) bottom.ticks(Math.max(2, Math.floor(width / 70)));
  const left = axisLeft(y).tickSizeOuter(0);
  if (yLog) logTicks(left);
  else if (y.ticks) left.ticks(yTicks ?? Math.max(2, Math.floor(height / 45)));
  const grid = plot.append("g").attr("class", "grid").attr("aria-hidden", "true");
  if (y.ticks) {
    for (const value of yLog ? y.ticks(5).filter((v) => Math.log10(v) % 1 === 0) : y.ticks(5)) {
      grid.append("line").attr("x2", width).attr("y1", y(value)).attr("y2", y(value));
    }
  }
  plot.append("g").attr("class", "axis").attr("transform", `translate(0,${height})`).call(bottom);
  plot.append("g").attr("class", "axis").call(left);
  plot
    .append("text")
    .attr("class", "axis-label")
    .attr("x", width / 2)
    .attr("y", height + 36)
    .attr("text-anchor", "middle")
    .text(xLabel);
  plot
    .append("text")
    .attr("class", "axis-label")
    .attr("transform", `translate(-44,${height / 2}) rotate(-90)`)
    .attr("text-anchor", "middle")
    .text(yLabel);
}
