// The readings over time, as in the paper's figure 9.

import { binned, readingsOf } from "../data/readings.js";
import { number, percent } from "../parts/format.js";
import { drawCells, drawScale } from "../parts/heat.js";
import { rowLabels, sideLabel, timelineChart } from "../parts/timeline.js";

const mostCells = 20000;

function rowHeight(count) {
  if (count <= 8) return 24;
  if (count <= 16) return 18;
  if (count <= 36) return 13;
  return Math.max(3, 480 / count);
}

// Groups of rows, such as the components of a vector, have a small gap between them.
function places(rows) {
  const height = rowHeight(rows.length);
  let y = 0;
  return rows.map((row, n) => {
    if (n > 0 && row.size > 1 && rows[n - 1].group !== row.group) y += 4;
    const place = { ...row, y, height };
    y += height;
    return place;
  });
}

// Of a group, the first row has the whole name; of low rows, only groups are named.
function namesOf(rows) {
  const named = [];
  let free = Number.NEGATIVE_INFINITY;
  rows.forEach((row, n) => {
    const first = n === 0 || rows[n - 1].group !== row.group;
    const y = row.y + row.height / 2;
    if (y < free || (row.height < 11 && row.size > 1 && !first)) return;
    named.push({ name: first || row.size === 1 ? row.name : String(row.part + 1), y });
    free = y + 11;
  });
  return named;
}

function what({ automaton, superposition }) {
  if (automaton?.vector_size > 0) return "vector";
  if (automaton) return "pair";
  return superposition ? "top" : "number";
}

function title(inspection, { rows }) {
  const kind = what(inspection);
  if (kind === "pair") {
    const means = rows
      .map(({ name, values }) => ({
        name,
        mean: values.reduce((sum, value) => sum + value, 0) / values.length,
      }))
      .sort((a, b) => b.mean - a.mean);
    const most = means.slice(0, means[0].mean > 0.995 ? 1 : 2);
    const share = most.reduce((sum, { mean }) => sum + mean, 0);
    const names = most.map(({ name }) => name).join(" and ");
    const often = share >= 0.5 ? "mostly" : "most often";
    return `So far: the controller reads ${often} ${names} (${percent(share)} of the probability)`;
  }
  if (kind === "vector")
    return "So far: the controller reads the mean vector on top, for each pair";
  return "What the controller reads: the top element of the stack";
}

const definitions = {
  pair: "The reading r_t after step t: the probability of each pair of a state and a top symbol of the stack, among all runs of the steps so far. The model goes on from it when it reads the next symbol. The share in the title is the mean over time.",
  vector:
    "The reading r_t after step t: for each pair of a state and a top symbol, the components of the vector on top, averaged over all runs of the steps so far (a run without this pair counts as zero).",
  top: "The reading r_t after step t: the element on top of each superposition stack, a number in each row.",
  number: "The reading r_t after step t.",
};

export function readingsFigure(inspection, timeline) {
  const readings = readingsOf(inspection);
  if (!readings) return null;
  const { rows, low, high, omitted } = readings;
  const placed = places(rows);
  const height = placed[placed.length - 1].y + placed[0].height;
  const times = rows[0].values.length;
  const size = Math.ceil((rows.length * times) / mostCells);
  const symbol = (t) => timeline.columns[t].symbol;
  const notes = [definitions[what(inspection)]];
  if (omitted > 0) {
    notes.push(`${omitted} rows are left out: their numbers are below 0.001 at all times.`);
  }
  if (size > 1) notes.push(`Each cell is the mean of ${size} steps; the table has all numbers.`);
  if (low < 0) notes.push("Negative numbers have a minus sign.");

  return {
    id: "inside-readings",
    title: title(inspection, readings),
    caption: notes.join(" "),
    onKey: timeline.onKey,
    draw(body) {
      const frame = timelineChart(body, timeline, {
        key: "readings",
        label: `Heatmap of the readings, ${rows.length} rows and ${times} steps`,
        height,
        hover(t, y) {
          const row = placed.find((each) => y >= each.y && y < each.y + each.height);
          if (!row || t >= times) return null;
          const value = number(row.values[t]);
          return [
            row.name,
            [`after step ${t}${t > 0 ? `, which read ${symbol(t)}` : ""}: ${value}`],
          ];
        },
      });
      const cells = placed.flatMap((row, r) =>
        binned(row.values, size).map(({ from, to, value }) => ({
          x: frame.x(from),
          y: row.y,
          width: (to - from + 1) * frame.step,
          height: row.height,
          value,
          data: { row: r, step: from, value },
        })),
      );
      frame.plot
        .append("rect")
        .attr("class", "heat-back")
        .attr("width", times * frame.step)
        .attr("height", height);
      drawCells(frame.plot, cells, high);
      rowLabels(frame, namesOf(placed));
      sideLabel(frame, what(inspection) === "pair" ? "state, top" : "component");
      drawScale(frame.labels, {
        low,
        high,
        name: what(inspection) === "pair" ? "probability" : "value",
      });
    },
    table: () => ({
      columns: ["t", "read", ...rows.map(({ name }) => name)],
      rows: Array.from({ length: times }, (_, t) => [
        t,
        symbol(t),
        ...rows.map(({ values }) => values[t]),
      ]),
    }),
    plot: () => ({
      axes: [
        {
          xLabel: "step t",
          yLabel: "reading",
          matrix: {
            columns: timeline.columnNames(times),
            rows: rows.map(({ name }) => name),
            values: rows.map(({ values }) => values),
          },
        },
      ],
    }),
  };
}
