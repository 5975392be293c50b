// What each symbol costs, beside the optimum.

import { axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { lossesOf, totalsOf } from "../data/inside.js";
import { number } from "../parts/format.js";
import { legendRow, sideLabel, timelineChart } from "../parts/timeline.js";

const height = 150;

function title({ loss, optimum }) {
  const model = `The model loses ${number(loss)} nats on the whole string`;
  if (optimum === null || loss === null) return model;
  if (!Number.isFinite(optimum)) {
    return `${model}; the optimum is infinite, as its distribution does not have this string`;
  }
  const difference = loss - optimum;
  const relation = difference < 0 ? "less" : "more";
  return `${model}, ${number(Math.abs(difference))} ${relation} than the optimum of ${number(optimum)}`;
}

function caption(inspection) {
  const parts = [
    "Bars: −log p of each symbol given all symbols before it, by the model, in nats; <eos> is the end of the string.",
  ];
  if (inspection.optimum) {
    const { lengths } = inspection.optimum;
    const of = lengths ? ` with lengths ${lengths[0]} to ${lengths[1]}` : "";
    parts.push(
      `Circles: the same by p_L, the distribution that the strings of the training come from${of}. ∞: no string of p_L goes on so; after that there is no optimum.`,
    );
  }
  return parts.join(" ");
}

export function lossFigure(inspection, timeline) {
  const losses = lossesOf(inspection);
  if (losses.length === 0) return null;
  const totals = totalsOf(inspection);
  const known = losses.some(({ optimum }) => optimum !== null);
  const finite = losses
    .flatMap(({ loss, optimum }) => [loss, optimum])
    .filter((value) => value !== null && Number.isFinite(value));
  const said = ({ symbol, loss, optimum }) => [
    `${symbol}: −log p ${number(loss)} nats`,
    optimum === null ? [] : [`optimum ${number(optimum)} nats`],
  ];

  return {
    id: "inside-loss",
    title: title(totals),
    caption: caption(inspection),
    onKey: timeline.onKey,
    draw(body) {
      const frame = timelineChart(body, timeline, {
        key: "loss",
        label: `${title(totals)}. One bar for each of ${losses.length} symbols.`,
        height,
        hover(t) {
          const entry = losses.find((each) => each.t === t);
          return entry ? said(entry) : null;
        },
      });
      const y = scaleLinear()
        .domain([0, Math.max(1e-6, ...finite)])
        .nice(4)
        .range([height, 8]);
      const grid = frame.plot.insert("g", ":first-child").attr("class", "grid");
      for (const value of y.ticks(4)) {
        grid.append("line").attr("x2", frame.width).attr("y1", y(value)).attr("y2", y(value));
      }
      const bar = Math.max(1, Math.min(26, frame.step * 0.62));
      for (const { t, symbol, loss, optimum } of losses) {
        const centre = frame.x(t) + frame.step / 2;
        if (loss !== null) {
          // A loss of nearly zero is still seen.
          const top = Math.min(height - 1, y(Math.min(loss, y.domain()[1])));
          frame.plot
            .append("rect")
            .attr("class", "loss-model")
            .attr("x", centre - bar / 2)
            .attr("width", bar)
            .attr("y", top)
            .attr("height", height - top)
            .attr("data-step", t)
            .attr("data-symbol", symbol)
            .attr("data-value", loss)
            .attr("data-optimum", optimum === null ? "" : optimum);
        }
        if (optimum === null) continue;
        if (Number.isFinite(optimum)) {
          if (bar >= 4) {
            const half = Math.min(frame.step * 0.46, bar / 2 + 4);
            frame.plot
              .append("line")
              .attr("class", "loss-optimum-line")
              .attr("x1", centre - half)
              .attr("x2", centre + half)
              .attr("y1", y(optimum))
              .attr("y2", y(optimum));
          }
          frame.plot
            .append("circle")
            .attr("class", "loss-optimum")
            .attr("cx", centre)
            .attr("cy", y(optimum))
            .attr("r", Math.max(1, Math.min(3.5, frame.step / 5)))
            .attr("data-step", t)
            .attr("data-value", optimum);
        } else {
          frame.plot
            .append("text")
            .attr("class", "loss-infinite")
            .attr("text-anchor", "middle")
            .attr("x", centre)
            .attr("y", 4)
            .attr("data-step", t)
            .attr("data-value", "Infinity")
            .text("∞");
        }
      }
      frame.labels.append("g").attr("class", "axis").call(axisLeft(y).ticks(4).tickSizeOuter(0));
      sideLabel(frame, "−log p (nats)");
      const entries = [
        {
          name: "model",
          draw: (group) =>
            group
              .append("rect")
              .attr("class", "loss-model")
              .attr("x", 6)
              .attr("width", 12)
              .attr("height", 12),
        },
      ];
      if (known) {
        entries.push({
          name: "optimum",
          draw: (group) => {
            group
              .append("line")
              .attr("class", "loss-optimum-line")
              .attr("x1", 2)
              .attr("x2", 24)
              .attr("y1", 6)
              .attr("y2", 6);
            group
              .append("circle")
              .attr("class", "loss-optimum")
              .attr("cx", 13)
              .attr("cy", 6)
              .attr("r", 3.5);
          },
        });
      }
      legendRow(frame, entries, -24);
    },
    table: () => ({
      columns: ["t", "symbol", "loss (nats)", "optimum (nats)"],
      rows: losses.map(({ t, symbol, loss, optimum }) => [t, symbol, loss, optimum]),
    }),
    plot: () => ({
      axes: [
        {
          xLabel: "step t",
          yLabel: "-log p (nats)",
          series: [
            { name: "model", kind: "bars", points: losses.map(({ t, loss }) => [t, loss]) },
            ...(known
              ? [
                  {
                    name: "optimum",
                    kind: "marks",
                    points: losses.map(({ t, optimum }) => [t, optimum]),
                  },
                ]
              : []),
          ],
        },
      ],
    }),
  };
}
