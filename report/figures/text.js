// Table 1 as bars: language models, ours and the published numbers.

import { axisBottom } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { symbolCircle, symbolDiamond } from "d3-shape";
import { spanOf } from "../data/scales.js";
import { ordered, orders, sets, textRows, textTitle } from "../data/text.js";
import { chart, narrow } from "../parts/chart.js";
import { choice, element, toggle } from "../parts/dom.js";
import { cut, fixed, measureLabel, measureName, number } from "../parts/format.js";
import { markPath } from "../parts/palette.js";
import { tex } from "../parts/pgfplots.js";
import { experimentSection } from "./experiment_section.js";

const barHeight = 14;
const gap = 9;
const sources = ["ours", "paper"];
const sourceNames = { ours: "ours", paper: "published" };

function drawKey(svg, left, shown, zoomed) {
  const group = svg.append("g").attr("transform", `translate(${left},38)`);
  let x = 0;
  for (const source of shown) {
    if (zoomed) drawDot(group, source, x + 6, -4);
    else drawBar(group, source, x, -9, 12, 10);
    group
      .append("text")
      .attr("x", x + 18)
      .attr("class", source === "paper" ? "muted" : null)
      .text(sourceNames[source]);
    x += 24 + sourceNames[source].length * 8;
  }
}

function drawBar(group, source, x, y, width, height) {
  return group
    .append("rect")
    .attr("class", `text-bar ${source}`)
    .attr("x", x)
    .attr("y", y)
    .attr("width", Math.max(0, width))
    .attr("height", height);
}

function drawDot(group, source, x, y) {
  return group
    .append("path")
    .attr("class", `text-bar ${source}`)
    .attr("d", markPath(source === "ours" ? symbolCircle : symbolDiamond, 50))
    .attr("transform", `translate(${x},${y})`);
}

function drawSet(place, set, rows, { experiment, zoomed, shown, digits }) {
  const all = place.clientWidth || 640;
  const left = Math.min(
    Math.max(...rows.map(({ name }) => name.length)) * 7.2 + 14,
    all < narrow ? 120 : 190,
  );
  const row = shown.length * barHeight + gap;
  const numbers = zoomed ? 80 : 14 + 7.5 * (digits + 4);
  const top = 52;
  const { svg, plot, width, height } = chart(place, {
    label: `${measureName(experiment.measure)} on the ${set} set, ours and published`,
    height: rows.length * row + top + 50,
    margin: { top, left, right: numbers, bottom: 50 },
  });
  const values = rows.flatMap((of) => shown.map((source) => of[set][source]));
  const [low, high] = spanOf(values);
  const x = scaleLinear()
    .domain(zoomed ? [low, high] : [0, high])
    .range([0, width]);
  if (zoomed) x.nice();
  svg
    .append("text")
    .attr("class", "panel-title")
    .attr("x", left)
    .attr("y", 18)
    .text(set[0].toUpperCase() + set.slice(1));
  drawKey(svg, left, shown, zoomed);
  const best = Math.min(...rows.map((of) => of[set].ours ?? Number.POSITIVE_INFINITY));

  const grid = plot.append("g").attr("class", "grid").attr("aria-hidden", "true");
  const ticks = Math.max(2, Math.floor(width / 60));
  for (const value of x.ticks(ticks)) {
    grid.append("line").attr("x1", x(value)).attr("x2", x(value)).attr("y2", height);
  }
  plot
    .append("g")
    .attr("class", "axis")
    .attr("transform", `translate(0,${height})`)
    .call(axisBottom(x).ticks(ticks).tickSizeOuter(0));
  plot
    .append("text")
    .attr("class", "axis-label")
    .attr("x", width / 2)
    .attr("y", height + 38)
    .attr("text-anchor", "middle")
    .text(
      zoomed
        ? `${measureLabel(experiment.measure)}, from ${number(x.domain()[0])} on`
        : measureLabel(experiment.measure),
    );

  rows.forEach((of, n) => {
    const group = plot.append("g").attr("transform", `translate(0,${n * row + gap / 2})`);
    const most = Math.floor((left - 12) / 7);
    const name = group
      .append("text")
      .attr("x", -8)
      .attr("y", (shown.length * barHeight) / 2 + 4)
      .attr("text-anchor", "end")
      .text(cut(of.name, most));
    name.append("title").text(of.name);
    shown.forEach((source, line) => {
      const value = of[set][source];
      const middle = line * barHeight + barHeight / 2;
      if (value !== null && value !== undefined) {
        const mark = zoomed
          ? drawDot(group, source, x(value), middle)
          : drawBar(group, source, 0, line * barHeight + 1, x(value), barHeight - 2);
        mark
          .attr("data-series", of.name)
          .attr("data-set", set)
          .attr("data-of", source)
          .attr("data-value", value);
      }
      // Beside their bars; dots have them in a column.
      const at = zoomed ? width + 10 : x(value ?? 0) + 6;
      group
        .append("text")
        .attr(
          "class",
          `text-value ${typeof value === "number" ? source : "paper"}${source === "ours" && value === best ? " best" : ""}`,
        )
        .attr("x", at)
        .attr("y", middle + 4)
        .text(
          value === null || value === undefined
            ? source === "ours" && of.state !== "finished"
              ? (of.state ?? "–")
              : "–"
            : fixed(value, digits),
        );
    });
  });
}

// PGFPlots has bars that lie, with the names as labels of ticks.
function tikzOf(experiment, rows, shown, set) {
  const ticks = rows.map((_, n) => n).join(",");
  const names = rows.map(({ name }) => `{${tex(name)}}`).join(",");
  const plots = shown.map((source) => {
    const points = rows
      .map((of, n) => [of[set][source], n])
      .filter(([value]) => value !== null && value !== undefined)
      .map(([value, n]) => `(${value},${n})`)
      .join(" ");
    const fill = source === "ours" ? "fill=blue!60" : "fill=none, draw=black";
    return `    \\addplot[${fill}] coordinates {${points}};\n    \\addlegendentry{${sourceNames[source]}}`;
  });
  return [
    "\\begin{tikzpicture}",
    `  \\begin{axis}[xbar, xmin=0, y dir=reverse, width=10cm, height=${rows.length * 0.9 + 2}cm,`,
    `    bar width=5pt, title={${tex(set)}}, xlabel={${tex(measureLabel(experiment.measure))}},`,
    `    ytick={${ticks}}, yticklabels={${names}}, legend pos=outer north east]`,
    ...plots,
    "  \\end{axis}",
    "\\end{tikzpicture}",
  ].join("\n");
}

function textFigure(experiment, id) {
  const rows = textRows(experiment);
  const has = (set, source) => rows.some((row) => typeof row[set][source] === "number");
  const shownSets = sets.filter((set) => sources.some((source) => has(set, source)));
  const shown = sources.filter((source) => sets.some((set) => has(set, source)));
  if (shownSets.length === 0) return null;
  const digits = experiment.measure === "perplexity" ? 2 : 4;
  const state = { order: "given", zoomed: false };
  const choices = Object.entries(orders).filter(
    ([value]) => value === "given" || has(...value.split(" ")),
  );
  return {
    id,
    title: textTitle(experiment, rows),
    caption: () =>
      `The ${measureName(experiment.measure)} of the best run of each model by validation, after its best epoch` +
      (experiment.measure === "perplexity"
        ? ": exp of the mean cross-entropy of a token in nats. "
        : ". ") +
      "Lower is better. In bold: our lowest. " +
      (experiment.published ? `Published: ${experiment.published.source}. ` : "") +
      (state.zoomed
        ? "The axes do not begin at 0, so dots take the place of bars: only their places count."
        : "The bars begin at 0."),
    controls: (redraw) => [
      choice(
        "Order",
        choices.map(([value, { name }]) => ({ value, text: name })),
        state.order,
        (order) => {
          state.order = order;
          redraw();
        },
      ),
      toggle("zoom in, with dots", state.zoomed, (zoomed) => {
        state.zoomed = zoomed;
        redraw();
      }),
    ],
    draw: (body) => {
      const places = shownSets.map(() => element("div", { class: "panel" }));
      body.append(element("div", { class: "panels text-panels" }, places));
      shownSets.forEach((set, n) => {
        drawSet(places[n], set, ordered(rows, state.order), {
          experiment,
          zoomed: state.zoomed,
          shown,
          digits,
        });
      });
    },
    table: () => ({
      columns: [
        "model",
        "runs",
        "state",
        ...shownSets.flatMap((set) => shown.map((source) => `${set}, ${sourceNames[source]}`)),
      ],
      rows: ordered(rows, state.order).map((row) => [
        row.name,
        row.runs,
        row.state,
        ...shownSets.flatMap((set) => shown.map((source) => row[set][source])),
      ]),
    }),
    plot: () => ({
      tikz: shownSets
        .map((set) => tikzOf(experiment, ordered(rows, state.order), shown, set))
        .join("\n\n"),
    }),
  };
}

export const textPerplexity = experimentSection("text", "Text", (experiment, id) =>
  experiment.kind === "text" ? textFigure(experiment, id) : null,
);
