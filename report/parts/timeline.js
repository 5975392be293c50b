// Charts that share one axis of time: the same columns at the same places, one chosen step in all of
// them, and one scroll position.

import { chart, narrow } from "./chart.js";
import { element } from "./dom.js";
import { cut } from "./format.js";
import { hideTooltip, showTooltip } from "./tooltip.js";

const widest = 72;
const readable = 16;
const letter = 7.2;
const longestSymbol = 12;
// Strings with more columns than this are shown as a whole at first.
const overview = 120;
const right = 14;

// `columns` are {t, symbol, stack}; `names` the longest names that stand to the left of charts.
export function createTimeline(columns, names) {
  const longest = Math.max(0, ...names.map((name) => [...name].length));
  const charts = new Map();
  const listeners = { step: new Map(), run: new Map(), width: new Map() };
  const timeline = {
    columns,
    nameLength: Math.min(longest, 16),
    charts,
    step: null,
    run: 0,
    fit: columns.length > overview,
    // `key` names who listens, so that a figure that is drawn again listens once.
    on(what, key, listener) {
      listeners[what].set(key, listener);
    },
    tell(what) {
      for (const listener of listeners[what].values()) listener();
    },
    setStep(step) {
      const next = step === null ? null : Math.max(0, Math.min(columns.length - 1, step));
      if (next === timeline.step) return;
      timeline.step = next;
      timeline.tell("step");
    },
    setRun(run) {
      if (run === timeline.run) return;
      timeline.run = run;
      timeline.tell("run");
    },
    setFit(fit) {
      timeline.fit = fit;
      timeline.tell("width");
    },
    // Names of the first columns for a plot that has room for some of them.
    columnNames(count) {
      const every = Math.ceil(count / 60);
      return columns
        .slice(0, count)
        .map(({ t, symbol }) => (t % every === 0 ? `${t} ${symbol}`.trim() : ""));
    },
    // Scrolls all charts so that the chosen step is seen.
    reveal() {
      for (const each of charts.values()) each.reveal();
    },
  };
  return timeline;
}

function leftMargin(timeline, width) {
  const most = width < narrow ? 12 : 16;
  return Math.max(76, 30 + Math.min(most, timeline.nameLength) * letter);
}

// The width of one step in a chart of this width.
export function stepWidth(timeline, width) {
  const room = (width - leftMargin(timeline, width) - right) / timeline.columns.length;
  return timeline.fit ? Math.min(widest, room) : Math.max(readable, Math.min(widest, room));
}

// How many characters of a name there is room for.
function nameRoom(timeline, width) {
  return Math.floor((leftMargin(timeline, width) - 28) / letter);
}

function tickEvery(step, room) {
  for (let unit = 1; ; unit *= 10) {
    for (const factor of [1, 2, 5]) {
      if (unit * factor * step >= room) return unit * factor;
    }
  }
}

// Where steps are narrow, symbols are shown that are rare, such as a marker in the middle.
function shownSymbols(columns, step) {
  if (step >= 9) return columns.filter(({ symbol }) => symbol);
  const counts = new Map();
  for (const { symbol } of columns) counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
  let free = Number.NEGATIVE_INFINITY;
  return columns.filter(({ t, symbol, stack }) => {
    if (!symbol || !stack || counts.get(symbol) > 2 || t * step < free) return false;
    free = t * step + 14;
    return true;
  });
}

function symbolHeight(columns, step) {
  const shown = shownSymbols(columns, step);
  const lengths = shown.map(({ symbol }) => Math.min(longestSymbol, [...symbol].length));
  const rotated = lengths.filter((length) => length > 1 && length * letter > step - 2);
  return rotated.length > 0 ? Math.max(18, 8 + letter * Math.max(...rotated)) : 18;
}

function drawTime({ plot, labels, columns, x, step, height, symbolRoom }) {
  const axis = plot.append("g").attr("class", "time-axis");
  axis
    .append("line")
    .attr("class", "time-line")
    .attr("x2", columns.length * step)
    .attr("y1", height + 0.5)
    .attr("y2", height + 0.5);
  for (const { t, symbol, stack } of shownSymbols(columns, step)) {
    const text = cut(symbol, longestSymbol);
    const length = [...text].length;
    const rotate = length > 1 && length * letter > step - 2;
    const at = x(t) + step / 2;
    axis
      .append("text")
      .attr("class", stack ? "time-symbol" : "time-symbol beyond")
      .attr("data-step", t)
      .attr("text-anchor", rotate ? "end" : "middle")
      .attr(
        "transform",
        rotate
          ? `translate(${at + 4},${height + 6}) rotate(-90)`
          : `translate(${at},${height + 15})`,
      )
      .text(text);
  }
  const every = tickEvery(step, 26);
  for (const { t } of columns.filter(({ t: each }) => each % every === 0)) {
    axis
      .append("text")
      .attr("class", "time-tick")
      .attr("text-anchor", "middle")
      .attr("x", x(t) + step / 2)
      .attr("y", height + symbolRoom + 14)
      .text(t);
  }
  for (const [text, y] of [
    ["read", height + 15],
    ["step t", height + symbolRoom + 14],
  ]) {
    labels
      .append("text")
      .attr("class", "time-name")
      .attr("text-anchor", "end")
      .attr("x", -8)
      .attr("y", y)
      .text(text);
  }
}

// Draws a chart of the timeline into `body`. Its options:
//   key      of the figure, unique
//   label    what a screen reader says
//   height   of the plot alone
//   top      room above the plot, for a legend
//   hover    (t, y) => [heading, lines] of the tooltip, or null; y in the plot
//   range    [first, last] step, if not all are drawn, with their width `stepOf`
// Returns {plot, labels, x, step, width, height, room}: x(t) is the left end of a column. What is
// in `labels` stays at the left when the chart scrolls; it has the names of rows and the legend.
export function timelineChart(body, timeline, options) {
  const { key, label, height, top = 30, hover, range, stepOf } = options;
  const bodyWidth = Math.max(260, Math.floor(body.clientWidth || 640));
  const left = leftMargin(timeline, bodyWidth);
  const step = stepOf ?? stepWidth(timeline, bodyWidth);
  const first = range ? range[0] : 0;
  const columns = range
    ? timeline.columns.filter(({ t }) => t >= range[0] && t <= range[1])
    : timeline.columns;
  const symbolRoom = symbolHeight(columns, step);
  const bottom = symbolRoom + 22;
  const total = Math.ceil(left + columns.length * step + right);
  // The legend may need more room than a short string does.
  const width = Math.max(total, Math.min(bodyWidth, left + 360));
  const scroll = element("div", { class: "figure-scroll timeline-scroll", tabindex: "0" });
  scroll.setAttribute("aria-label", label);
  scroll.setAttribute("role", "group");
  body.append(scroll);
  const { svg, plot } = chart(scroll, {
    label,
    height: top + height + bottom,
    width,
    margin: { top, right, bottom, left },
  });
  const x = (t) => (t - first) * step;
  const content = plot.append("g");
  const band = plot
    .append("rect")
    .attr("class", "time-band")
    .attr("y", 0)
    .attr("height", height + bottom - 2)
    .attr("visibility", "hidden");
  // The labels move with the scroll position by a style, which a downloaded picture does not have.
  const labels = svg
    .append("g")
    .attr("class", "time-labels")
    .append("g")
    .attr("transform", `translate(${left},${top})`);
  const moving = labels.node().parentNode;
  labels
    .append("rect")
    .attr("class", "time-back")
    .attr("x", -left)
    .attr("y", -top)
    .attr("width", left - 6)
    .attr("height", top + height + bottom);
  drawTime({ plot: content, labels, columns, x, step, height, symbolRoom });

  const showStep = () => {
    const t = timeline.step;
    const shown = t !== null && columns.some((column) => column.t === t);
    band.attr("visibility", shown ? "visible" : "hidden");
    if (!shown) return;
    const wide = Math.max(3, step);
    band
      .attr("data-step", t)
      .attr("x", x(t) + (step - wide) / 2)
      .attr("width", wide);
  };
  const place = (event) => {
    const box = svg.node().getBoundingClientRect();
    const inside = event.clientX - box.left;
    // The names of rows cover what is below them.
    if (inside - scroll.scrollLeft < left) return null;
    const t = first + Math.floor((inside - left) / step);
    return t >= first && t < first + columns.length
      ? { t, y: event.clientY - box.top - top }
      : null;
  };
  const point = (event) => {
    const at = place(event);
    if (!at) {
      hideTooltip();
      return;
    }
    timeline.setStep(at.t);
    const said = hover?.(at.t, at.y);
    if (said) showTooltip({ x: event.clientX, y: event.clientY }, ...said);
    else hideTooltip();
  };
  svg.node().addEventListener("pointermove", point);
  svg.node().addEventListener("pointerdown", point);
  svg.node().addEventListener("pointerleave", hideTooltip);

  const follow = () => {
    moving.style.transform = `translateX(${scroll.scrollLeft}px)`;
  };
  scroll.addEventListener("scroll", () => {
    follow();
    if (range) return;
    for (const other of timeline.charts.values()) other.scrollTo(scroll.scrollLeft);
  });
  const registered = {
    scrollTo(position) {
      if (!range && Math.abs(scroll.scrollLeft - position) > 1) scroll.scrollLeft = position;
    },
    reveal() {
      if (timeline.step === null || range) return;
      const start = x(timeline.step);
      const room = scroll.clientWidth - left;
      if (start < scroll.scrollLeft || start + step > scroll.scrollLeft + room) {
        scroll.scrollLeft = Math.max(0, start - room / 2);
      }
    },
  };
  // A chart that is drawn later or again scrolls to where the others are.
  const before = [...timeline.charts.values()].find((other) => other.position?.() > 0);
  timeline.charts.set(key, registered);
  registered.position = () => (range ? 0 : scroll.scrollLeft);
  if (before) registered.scrollTo(before.position());
  timeline.on("step", key, showStep);
  showStep();
  return {
    svg,
    plot: content,
    labels,
    x,
    step,
    columns,
    width: columns.length * step,
    height,
    room: nameRoom(timeline, bodyWidth),
    left,
  };
}

// The name of the vertical axis, at the left end.
export function sideLabel({ labels, height, left }, text) {
  labels
    .append("text")
    .attr("class", "axis-label")
    .attr("text-anchor", "middle")
    .attr("transform", `translate(${-left + 12},${height / 2}) rotate(-90)`)
    .text(text);
}

// Names of rows at their centres.
export function rowLabels({ labels, room }, rows) {
  for (const { name, y } of rows) {
    const text = labels
      .append("text")
      .attr("class", "row-name")
      .attr("text-anchor", "end")
      .attr("x", -8)
      .attr("y", y)
      .attr("dy", "0.35em")
      .text(cut(name, room));
    if ([...name].length > room) text.append("title").text(name);
  }
}

// A legend in the room above the plot: `entries` are {name, draw(group)}, which draws a sample of
// 24 x 12 pixels.
export function legendRow({ labels }, entries, y = -18) {
  let x = 0;
  for (const { name, draw } of entries) {
    const group = labels.append("g").attr("transform", `translate(${x},${y})`);
    draw(group.append("g"));
    group.append("text").attr("class", "legend-text").attr("x", 30).attr("y", 10).text(name);
    x += 30 + name.length * 6.2 + 16;
  }
}
