// Who is on top when: the step in which the symbol on top was pushed.

import { counted, number } from "../parts/format.js";
import { drawCells, drawScale } from "../parts/heat.js";
import { rowLabels, sideLabel, timelineChart } from "../parts/timeline.js";

const mostCells = 20000;
const tallest = 330;

function title(pushed) {
  // At time 0, there is nothing but the bottom symbol.
  const times = pushed.slice(1);
  const certain = times.filter((row) => row.some((value) => value > 0.5)).length;
  return `So far: who is on top is clear after ${certain} of ${counted(times.length, "step")}: one push, or the bottom, has more than half of the probability`;
}

// The cells that can be seen; if there are too many, the largest.
function visibleCells(pushed) {
  const cells = pushed.flatMap((row, t) => row.map((value, i) => ({ t, i, value })));
  if (cells.length <= mostCells) return { cells, threshold: 0 };
  const seen = cells.filter(({ value }) => value >= 1 / 256);
  if (seen.length <= mostCells) return { cells: seen, threshold: 1 / 256 };
  seen.sort((a, b) => b.value - a.value);
  return { cells: seen.slice(0, mostCells), threshold: seen[mostCells].value };
}

export function topsFigure(inspection, timeline) {
  const pushed = inspection.automaton?.pushed_in;
  if (!pushed || pushed.length < 2) return null;
  const count = pushed.length;
  const cell = Math.min(16, tallest / count);
  const height = cell * count;
  const { cells, threshold } = visibleCells(pushed);
  const top = (i) => height - (i + 1) * cell;
  const who = (i) =>
    i === 0 ? "the bottom symbol" : `pushed in step ${i}, which read ${timeline.columns[i].symbol}`;
  const notes = [
    "After step t, the probability that the symbol on top was pushed in step i, among all runs of the steps so far; i = 0 is the bottom symbol. A replacement keeps the place of a symbol, and is not a push.",
  ];
  if (inspection.automaton.vector_size > 0) {
    notes.push("This is the attention of the model to the vectors that it pushed.");
  }
  if (threshold > 0) notes.push(`Cells below ${number(threshold)} are not drawn.`);

  return {
    id: "inside-tops",
    title: title(pushed),
    caption: notes.join(" "),
    onKey: timeline.onKey,
    draw(body) {
      const frame = timelineChart(body, timeline, {
        key: "tops",
        label: "Heatmap: time from left to right, the step of the push from bottom to top",
        height,
        hover(t, y) {
          const i = Math.floor((height - y) / cell);
          if (t >= count || i < 0 || i > t) return null;
          return [`Top after step ${t}`, [`${who(i)}: ${number(pushed[t][i])}`]];
        },
      });
      // Only what is on or below the diagonal exists.
      let outline = `M0 ${height}`;
      for (let t = 0; t < count; ++t) outline += `V${top(t)}H${frame.x(t + 1)}`;
      outline += `V${height}Z`;
      frame.plot.append("path").attr("class", "triangle").attr("d", outline);
      drawCells(
        frame.plot,
        cells.map(({ t, i, value }) => ({
          x: frame.x(t),
          y: top(i),
          width: Math.max(1, frame.step),
          height: Math.max(1, cell),
          value,
          data: { step: t, pushed: i, value },
        })),
        1,
      );
      const every = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((each) => each * cell >= 13) ?? 1000;
      const named = [];
      for (let i = 0; i < count; i += every) {
        const y = top(i) + cell / 2;
        named.push({ name: i === 0 ? "bottom" : String(i), y });
        const { symbol } = timeline.columns[i];
        if (every > 1 || i === 0 || [...symbol].length > 2) continue;
        frame.labels
          .append("text")
          .attr("class", "time-symbol")
          .attr("text-anchor", "end")
          .attr("x", -34)
          .attr("y", y)
          .attr("dy", "0.35em")
          .text(symbol);
      }
      rowLabels(frame, named);
      sideLabel(frame, height > 90 ? "pushed in step i" : "step i");
      drawScale(frame.labels, { low: 0, high: 1, name: "probability" });
    },
    table: () => ({
      columns: ["t", "read", "pushed in step", "probability"],
      rows: pushed.flatMap((row, t) =>
        row.map((value, i) => [t, timeline.columns[t].symbol, i, value]),
      ),
    }),
    plot: () => ({
      axes: [
        {
          xLabel: "step t",
          yLabel: "pushed in step i",
          matrix: {
            columns: timeline.columnNames(count),
            rows: timeline.columnNames(count),
            values: pushed.map((_, i) => pushed.map((row) => row[i] ?? 0)),
          },
        },
      ],
    }),
  };
}
