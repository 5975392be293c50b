// A plot with axes in an SVG that is as wide as its place.

import { axisBottom, axisLeft } from "d3-axis";
import { format } from "d3-format";
import { scaleLinear } from "d3-scale";
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

// The values that a logarithmic axis names: powers of ten if there are enough of them, otherwise
// multiples between them, and over less than a factor of two those of a linear axis.
function logTicks(scale) {
  const [low, high] = scale.domain();
  const decades = Math.log10(high / low);
  const multiples = decades > 3 ? [1] : decades > 1.2 ? [1, 2, 5] : [1, 2, 3, 4, 5, 7];
  if (!(decades > 0.3)) return scaleLinear([low, high], [0, 1]).ticks(5);
  const values = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) {
    for (const multiple of multiples) values.push(Number(`${multiple}e${power}`));
  }
  return values.filter((value) => value >= low && value <= high);
}

function nameLogTicks(axis) {
  return axis.tickValues(logTicks(axis.scale())).tickFormat((value) => plain(value));
}

// Draws the axes of scales with their labels and a grid.
export function drawAxes(
  { plot, width, height },
  { x, y, xLabel, yLabel, yLog, xLog, xTicks, yTicks, yOffset = 44 },
) {
  const bottom = axisBottom(x).tickSizeOuter(0);
  if (xTicks) bottom.tickValues(xTicks).tickFormat((value) => String(value));
  else if (xLog) nameLogTicks(bottom);
  else if (x.ticks) bottom.ticks(Math.max(2, Math.floor(width / 70)));
  const left = axisLeft(y).tickSizeOuter(0);
  const yCount = yTicks ?? Math.max(2, Math.floor(height / 45));
  if (yLog) nameLogTicks(left);
  else if (y.ticks) left.ticks(yCount);
  const grid = plot.append("g").attr("class", "grid").attr("aria-hidden", "true");
  if (y.ticks) {
    for (const value of yLog ? logTicks(y) : y.ticks(yCount)) {
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
    .attr("transform", `translate(${-yOffset},${height / 2}) rotate(-90)`)
    .attr("text-anchor", "middle")
    .text(yLabel);
}
