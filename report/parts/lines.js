// Panels of lines over numbers, which the pointer and the arrow keys move in.
//
// A panel is {title, lines, shade}; `shade` is a range of x with a label, {from, to, label}. A line is
//   style    {color, dash, mark} of palette.js
//   weight   "strong", "thin" or "faint"
//   dash     in place of the style's; optional
//   hollow   true: its marks are outlines
//   points   [{x, y}] by rising x; y may be null; with `low` and `high` there is a band around the line
//   marks    "each" point, "some" points, or none
//   ring     the point that a ring is drawn around, or null
//   sign     (point) => text above the point, or null; optional
//   data     {name: value}: data- attributes of the line and of its marks
//   exact    true: the path has all its points in data-points
//   tip      (point) => {heading, lines} of the tooltip
// The lines come in the order in which the keys go through them.

import { bisector } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";
import { area, line as lineShape, symbolCircle } from "d3-shape";
import { spanOf, thinned } from "../data/scales.js";
import { chart, drawAxes, narrow } from "./chart.js";
import { element } from "./dom.js";
import { cut } from "./format.js";
import { drawKey } from "./key.js";
import { markPath } from "./palette.js";
import { hideTooltip, showTooltip } from "./tooltip.js";

const letter = 6.2;
const reach = 90;
const widths = { strong: 2.25, thin: 1.25, faint: 1 };
const layers = ["faint", "thin", "strong"];

// The first text that fits; the last if none does.
function fitting(texts, length) {
  return texts.find((text) => text.length * letter <= length) ?? texts[texts.length - 1];
}

function cutTo(text, length) {
  return cut(text, Math.max(4, Math.floor(length / 7.8)));
}

function dataset(selection, data) {
  for (const [name, value] of Object.entries(data ?? {})) selection.attr(`data-${name}`, value);
  return selection;
}

function drawShade(frame, x, { from, to, label }) {
  const [first, last] = x.domain();
  const left = x(Math.max(first, Math.min(last, from)));
  const right = x(Math.max(first, Math.min(last, to)));
  if (!(right > left)) return;
  frame.plot
    .append("rect")
    .attr("class", "shade")
    .attr("x", left)
    .attr("width", right - left)
    .attr("height", frame.height)
    .attr("data-from", from)
    .attr("data-to", to);
  frame.plot
    .append("text")
    .attr("class", "muted")
    .attr("x", left + 6)
    .attr("y", 14)
    .text(cutTo(label, Math.max(right - left, frame.width - left) - 8));
}

function markAt(group, panel, line, point, size, className) {
  dataset(
    group
      .append("path")
      .attr("class", className)
      .attr("d", markPath(className === "ring" ? symbolCircle : line.style.mark, size))
      .attr("transform", `translate(${panel.x(point.x)},${panel.y(point.y)})`)
      .attr("data-x", point.x)
      .attr("data-value", point.y),
    line.data,
  );
}

function drawMarks(group, panel, line, index, count) {
  const points = line.points.filter(panel.visible);
  const marks = group
    .append("g")
    .attr("class", line.hollow ? "hollow" : null)
    .attr("fill", line.style.color)
    .attr("stroke", line.style.color);
  if (line.marks === "each") {
    for (const point of points) markAt(marks, panel, line, point, 34, "mark");
  } else if (line.marks === "some" && points.length > 0) {
    // Lines that run together have their marks at different places.
    const every = Math.max(
      1,
      points.length / Math.max(2, panel.width / (panel.width < 400 ? 60 : 110)),
    );
    for (let at = (every * (index + 0.5)) / count; at < points.length; at += every) {
      markAt(marks, panel, line, points[Math.floor(at)], 34, "mark");
    }
  }
  if (line.ring && panel.visible(line.ring)) {
    markAt(marks, panel, line, line.ring, 120, "ring");
    markAt(marks, panel, line, line.ring, 34, "mark");
  }
}

// The signs above points, one above the other where points lie together.
function drawSigns(group, panel, lines) {
  const signs = lines.flatMap((line) =>
    line.points
      .filter((point) => panel.visible(point) && line.sign(point))
      .map((point) => ({ line, point, x: panel.x(point.x), y: panel.y(point.y) - 7 })),
  );
  signs.sort((a, b) => a.x - b.x || b.y - a.y);
  signs.forEach((sign, n) => {
    const below = signs[n - 1];
    if (below && below.x === sign.x) sign.y = Math.min(sign.y, below.y - 10);
    dataset(
      group
        .append("text")
        .attr("class", "sign")
        .attr("x", sign.x)
        .attr("y", sign.y)
        .attr("text-anchor", "middle")
        .attr("data-x", sign.point.x)
        .style("fill", sign.line.style.color)
        .text(sign.line.sign(sign.point)),
      sign.line.data,
    );
  });
}

function drawLines(panel, lines) {
  const { plot, x, y, width, height } = panel;
  const [bottom] = y.domain();
  const shape = lineShape()
    .defined(panel.visible)
    .x((point) => x(point.x))
    .y((point) => y(point.y));
  const band = area()
    .defined((point) => panel.visible(point) && point.low !== null && point.low !== undefined)
    .x((point) => x(point.x))
    .y0((point) => y(Math.max(bottom, point.low)))
    .y1((point) => y(Math.max(bottom, point.high)));
  const most = Math.max(100, 2 * width);
  panel.path = (line) => shape(thinned(line.points, most));
  const group = plot.append("g").attr("class", "lines").attr("fill", "none");
  for (const line of lines.filter((one) => one.band)) {
    dataset(
      group
        .append("path")
        .attr("class", "band")
        .attr("d", band(line.points))
        .attr("fill", line.style.color),
      line.data,
    );
  }
  for (const weight of layers) {
    // The first line is the most important one, and comes last, above the others.
    for (const line of lines.filter((one) => one.weight === weight).reverse()) {
      const path = group
        .append("path")
        .attr("class", `line ${weight}`)
        .attr("d", panel.path(line))
        .attr("stroke", line.style.color)
        .attr("stroke-width", widths[weight])
        .attr("stroke-dasharray", line.dash ?? line.style.dash);
      dataset(path, line.data);
      if (line.exact) {
        path.attr("data-points", JSON.stringify(line.points.map((point) => [point.x, point.y])));
      }
    }
  }
  const marked = lines.filter((line) => line.marks || line.ring).reverse();
  marked.forEach((line, n) => {
    drawMarks(group, panel, line, n, marked.length);
  });
  drawSigns(
    group,
    panel,
    lines.filter((line) => line.sign),
  );
  panel.highlight = plot.append("g").attr("class", "highlight").attr("fill", "none");
  // What is out of the axes' range would lie on their labels.
  plot
    .insert("rect", ":first-child")
    .attr("class", "pointer-area")
    .attr("width", width)
    .attr("height", height);
}

function drawPanel(place, { title, lines, shade }, spec) {
  const all = place.clientWidth || 640;
  const several = spec.panels.length > 1;
  const height = several ? (spec.panelHeight ?? 250) : all < narrow ? 320 : 400;
  const top = title ? 34 : 16;
  const frame = chart(place, {
    label: `${title ? `${title}: ` : ""}${spec.yLabels[0]} by ${spec.xLabel}`,
    height,
    margin: { top, left: 66, right: 18, bottom: 46 },
  });
  const scaleOf = (log, span, range) =>
    (log ? scaleLog() : scaleLinear()).domain(span).range(range);
  const x = scaleOf(spec.xLog, spec.xSpan, [0, frame.width]);
  const y = scaleOf(spec.yLog, spec.ySpan, [frame.height, 0]);
  const visible = ({ y: value }) =>
    value !== null && value !== undefined && Number.isFinite(value) && !(spec.yLog && value <= 0);
  const panel = { ...frame, x, y, lines, visible, top, left: 66 };
  if (shade) drawShade(frame, x, shade);
  const xTicks =
    spec.xTicks ??
    (spec.integers ? x.ticks(Math.max(2, frame.width / 55)).filter(Number.isInteger) : null);
  drawAxes(frame, {
    x,
    y,
    xLabel: spec.xLabel,
    yLabel: fitting(spec.yLabels, frame.height),
    xLog: spec.xLog,
    yLog: spec.yLog,
    xTicks,
    yOffset: 50,
  });
  if (title) {
    const text = frame.svg
      .append("text")
      .attr("class", "panel-title")
      .attr("x", 66)
      .attr("y", 18)
      .text(cutTo(title, frame.width));
    text.append("title").text(title);
  }
  drawLines(panel, lines);
  return panel;
}

const byX = bisector((point) => point.x);

// The nearest point of any line to a place in the plot, at the x that is nearest on that line.
function nearest(panel, px, py) {
  const at = panel.x.invert(px);
  let best = null;
  for (const line of panel.lines) {
    const after = byX.left(line.points, at);
    for (const index of [after - 1, after]) {
      const point = line.points[index];
      if (!point || !panel.visible(point)) continue;
      const distance = Math.hypot(panel.x(point.x) - px, panel.y(point.y) - py);
      if (!best || distance < best.distance) best = { line, index, distance };
    }
  }
  return best && best.distance <= reach ? best : null;
}

function noteOf(spec) {
  if (!spec.yLog) return null;
  let count = 0;
  for (const { lines } of spec.panels) {
    for (const { points } of lines) count += points.filter(({ y }) => y !== null && y <= 0).length;
  }
  if (count === 0) return null;
  return element(
    "p",
    { class: "note" },
    `${count === 1 ? "One value is" : `${count} values are`} not above 0, and not on the logarithmic axis.`,
  );
}

// A view is kept as long as its figure, and draws what it is given.
export function linesView() {
  let panels = [];
  let current = null;
  let figure = null;

  function clear() {
    if (!current) return;
    current.panel.highlight.selectAll("*").remove();
    current = null;
    hideTooltip();
  }

  function choose(panel, line, index, pointer) {
    if (current && current.panel !== panel) current.panel.highlight.selectAll("*").remove();
    const point = line.points[index];
    const changed = current?.line !== line || current?.index !== index;
    current = { panel, line, index };
    const place = { x: panel.x(point.x), y: panel.y(point.y) };
    if (changed) {
      panel.highlight.selectAll("*").remove();
      panel.highlight.append("path").attr("class", "halo").attr("d", panel.path(line));
      panel.highlight
        .append("path")
        .attr("d", panel.path(line))
        .attr("stroke", line.style.color)
        .attr("stroke-width", 3)
        .attr("stroke-dasharray", line.dash ?? line.style.dash);
      if (line.ring) markAt(panel.highlight, panel, line, line.ring, 120, "ring");
      dataset(
        panel.highlight
          .append("circle")
          .attr("cx", place.x)
          .attr("cy", place.y)
          .attr("r", 5)
          .attr("fill", line.style.color)
          .attr("data-x", point.x)
          .attr("data-value", point.y),
        line.data,
      );
    }
    if (!pointer) panel.svg.node().scrollIntoView({ block: "nearest" });
    const box = panel.svg.node().getBoundingClientRect();
    const { heading, lines } = line.tip(point);
    const at = pointer ?? { x: box.left + panel.left + place.x, y: box.top + panel.top + place.y };
    showTooltip(at, heading, lines);
  }

  function listen(panel) {
    const node = panel.svg.node();
    const move = (event) => {
      const box = node.getBoundingClientRect();
      const px = event.clientX - box.left - panel.left;
      const py = event.clientY - box.top - panel.top;
      const inside = px >= -8 && px <= panel.width + 8 && py >= -8 && py <= panel.height + 8;
      const found = inside ? nearest(panel, px, py) : null;
      if (found) choose(panel, found.line, found.index, { x: event.clientX, y: event.clientY });
      else clear();
    };
    node.addEventListener("pointermove", move);
    node.addEventListener("pointerdown", move);
    node.addEventListener("pointerleave", clear);
  }

  // The next point of the line that can be seen, in steps of +1 or -1.
  function step(panel, line, from, by) {
    for (let at = from; at >= 0 && at < line.points.length; at += by) {
      if (panel.visible(line.points[at])) return at;
    }
    return null;
  }

  function start() {
    for (const panel of panels) {
      for (const line of panel.lines) {
        const ring = line.ring ? line.points.indexOf(line.ring) : -1;
        const index = ring >= 0 && panel.visible(line.ring) ? ring : step(panel, line, 0, 1);
        if (index !== null) return choose(panel, line, index);
      }
    }
    return undefined;
  }

  // Goes on to another line, at the x that is nearest to where the keys are.
  function jump(by) {
    const { panel, line, index } = current;
    const all = panels.flatMap((one) => one.lines.map((of) => ({ panel: one, line: of })));
    const from = all.findIndex((one) => one.line === line && one.panel === panel);
    for (let at = from + by; at >= 0 && at < all.length; at += by) {
      const next = all[at];
      const near = Math.min(
        byX.left(next.line.points, line.points[index].x),
        next.line.points.length - 1,
      );
      const found = step(next.panel, next.line, near, -1) ?? step(next.panel, next.line, near, 1);
      if (found !== null) return choose(next.panel, next.line, found);
    }
    return undefined;
  }

  function onKey(event) {
    const keys = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "Escape"];
    if (!keys.includes(event.key) || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (event.key === "Escape") {
      clear();
      return true;
    }
    if (!current) {
      start();
      if (!current || event.key.startsWith("Arrow")) return true;
    }
    const { panel, line, index } = current;
    const last = line.points.length - 1;
    const along = {
      ArrowLeft: () => step(panel, line, index - 1, -1),
      ArrowRight: () => step(panel, line, index + 1, 1),
      Home: () => step(panel, line, 0, 1),
      End: () => step(panel, line, last, -1),
    }[event.key];
    if (along) {
      const next = along();
      if (next !== null) choose(panel, line, next);
    } else {
      jump(event.key === "ArrowDown" ? 1 : -1);
    }
    return true;
  }

  // Draws panels with common axes. `spec` is {panels, xLabel, yLabels, xLog, yLog, xTicks, integers,
  // xSpan, zero, panelHeight, key, empty}: `yLabels` has the label and shorter forms of it; `key` is for
  // key.js; `empty` says why there is no line, if the legend is not the reason.
  function draw(body, spec) {
    hideTooltip();
    current = null;
    panels = [];
    if (!figure) {
      figure = body.parentElement;
      figure.addEventListener("blur", clear);
    }
    if (!spec.panels.some(({ lines }) => lines.length > 0)) {
      const text = spec.empty ?? "Nothing is switched on in the legend.";
      body.append(element("p", { class: "note" }, text));
      return;
    }
    const values = [];
    for (const { lines } of spec.panels) {
      for (const { points, band } of lines) {
        for (const point of points) {
          values.push(point.y);
          if (band) values.push(point.high, spec.yLog ? null : point.low);
        }
      }
    }
    const ySpan = spanOf(
      values.filter((value) => value !== undefined),
      { log: spec.yLog, zero: spec.zero },
    );
    drawKey(body, spec.key ?? []);
    const places = spec.panels.map(() => element("div", { class: "panel" }));
    body.append(spec.panels.length > 1 ? element("div", { class: "panels" }, places) : places[0]);
    panels = spec.panels.map((panel, n) => drawPanel(places[n], panel, { ...spec, ySpan }));
    panels.forEach(listen);
    const note = noteOf(spec);
    if (note) body.append(note);
  }

  return { draw, onKey };
}
