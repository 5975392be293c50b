// Superposition stacks, which have no runs: the weights of their actions, and of their contents by
// depth.

import { symbolCircle, symbolTriangle } from "d3-shape";
import { choice } from "../parts/dom.js";
import { fixed, number } from "../parts/format.js";
import { drawCells, drawScale } from "../parts/heat.js";
import { markPath } from "../parts/palette.js";
import { legendRow, rowLabels, sideLabel, timelineChart } from "../parts/timeline.js";

const actionNames = ["push", "no-op", "pop"];
const classes = ["push", "replace", "pop"];
const panel = 96;
const gap = 22;

const marks = [symbolTriangle, symbolCircle, symbolTriangle];

function drawMark(group, action, x, y, size) {
  group
    .append("path")
    .attr("class", `flow-mark ${classes[action]}`)
    .attr("d", markPath(marks[action], size))
    .attr("transform", `translate(${x},${y})${action === 2 ? " rotate(180)" : ""}`);
}

function stackName(stacks, n) {
  return stacks.length > 1 ? `stack ${n + 1}` : "the stack";
}

function heading(frame, stacks, n, y) {
  if (stacks.length < 2) return;
  frame.plot
    .append("text")
    .attr("class", "panel-name")
    .attr("x", 2)
    .attr("y", y)
    .text(stackName(stacks, n));
}

function actionsTitle(stacks) {
  const sums = [0, 0, 0];
  let steps = 0;
  for (const { actions } of stacks) {
    for (const weights of actions) {
      ++steps;
      weights.forEach((weight, n) => {
        sums[n] += weight;
      });
    }
  }
  const [push, noOp, pop] = sums.map((sum) => fixed(sum / Math.max(1, steps), 2));
  return `On average, the actions have the weights push ${push}, no-op ${noOp} and pop ${pop}`;
}

export function actionsFigure(inspection, timeline) {
  const stacks = inspection.superposition ?? [];
  if (stacks.length === 0 || stacks[0].actions.length === 0) return null;
  const top = (n) => n * (panel + gap) + (stacks.length > 1 ? gap - 6 : 0);
  const height = top(stacks.length - 1) + panel;
  return {
    id: "inside-actions",
    title: actionsTitle(stacks),
    caption:
      "The weights of the three actions of each step, which sum to one: push at the bottom, no-op in the middle, pop at the top. The new stack is the sum of the stack after each action, by these weights.",
    onKey: timeline.onKey,
    draw(body) {
      const frame = timelineChart(body, timeline, {
        key: "actions",
        label: actionsTitle(stacks),
        height,
        top: 34,
        hover(t, y) {
          const n = stacks.findIndex((_, each) => y >= top(each) - gap && y <= top(each) + panel);
          const weights = stacks[n]?.actions[t - 1];
          if (!weights) return null;
          return [
            `Step ${t}, ${stackName(stacks, n)}`,
            weights.map((weight, action) => `${actionNames[action]} ${number(weight)}`),
          ];
        },
      });
      const bar = Math.max(1, frame.step - Math.min(6, frame.step * 0.2));
      stacks.forEach(({ actions }, n) => {
        heading(frame, stacks, n, top(n) - 5);
        actions.forEach((weights, step) => {
          const x = frame.x(step + 1) + (frame.step - bar) / 2;
          let y = top(n) + panel;
          weights.forEach((weight, action) => {
            const tall = weight * panel;
            y -= tall;
            frame.plot
              .append("rect")
              .attr("class", `action ${classes[action]}`)
              .attr("x", x)
              .attr("width", bar)
              .attr("y", y)
              .attr("height", tall)
              .attr("data-step", step + 1)
              .attr("data-stack", n)
              .attr("data-action", actionNames[action])
              .attr("data-value", weight);
            if (tall >= 14 && bar >= 10)
              drawMark(frame.plot, action, x + bar / 2, y + tall / 2, 40);
          });
        });
        rowLabels(frame, [
          { name: "1", y: top(n) },
          { name: "0", y: top(n) + panel },
        ]);
      });
      sideLabel(frame, "weight");
      legendRow(
        frame,
        actionNames.map((name, action) => ({
          name,
          draw: (group) => {
            group
              .append("rect")
              .attr("class", `action ${classes[action]}`)
              .attr("width", 26)
              .attr("height", 12);
            drawMark(group, action, 13, 6, 40);
          },
        })),
        -28,
      );
    },
    table: () => ({
      columns: ["stack", "t", "read", "push", "no-op", "pop"],
      rows: stacks.flatMap(({ actions }, n) =>
        actions.map((weights, step) => [
          n + 1,
          step + 1,
          timeline.columns[step + 1].symbol,
          ...weights,
        ]),
      ),
    }),
    plot: () => ({
      axes: stacks.map(({ actions }, n) => ({
        title: stackName(stacks, n),
        xLabel: "step t",
        yLabel: "weight",
        series: actionNames.map((name, action) => ({
          name,
          dashed: action === 1,
          points: actions.map((weights, step) => [step + 1, weights[action]]),
        })),
      })),
    }),
  };
}

const measures = {
  weights: "weights",
  norms: "lengths of vectors",
};
const definitions =
  "What is on the stack after each step, by depth, the top first. Weights: what would be there if each vector that was pushed were the number 1. Lengths of vectors: as a share of the longest that there could be.";

export function contentsFigure(inspection, timeline) {
  const stacks = inspection.superposition ?? [];
  if (stacks.length === 0 || stacks[0].weights.length < 2) return null;
  let measure = "weights";
  const depths = stacks.map(({ weights }) =>
    weights.reduce((most, row) => Math.max(most, row.length), 1),
  );
  const times = stacks[0].weights.length;
  const cell = 16;
  const tops = [];
  let height = 0;
  depths.forEach((depth, n) => {
    if (stacks.length > 1) height += n === 0 ? 16 : gap;
    tops.push(height);
    height += depth * cell;
  });
  const deepest = Math.max(...depths);
  const sum = (row) => row.reduce((total, value) => total + value, 0);
  const most = Math.max(...stacks.flatMap(({ weights }) => weights.map(sum)));
  return {
    id: "inside-contents",
    title: `${stacks.length > 1 ? "A" : "The"} stack holds at most a weight of ${number(most)} in its first ${deepest} elements`,
    caption: definitions,
    controls: (redraw) => [
      choice(
        "Show",
        Object.entries(measures).map(([value, text]) => ({ value, text })),
        measure,
        (value) => {
          measure = value;
          redraw();
        },
      ),
    ],
    onKey: timeline.onKey,
    draw(body) {
      const high = Math.max(
        1,
        ...stacks.flatMap((stack) => stack[measure].map((row) => Math.max(0, ...row))),
      );
      const frame = timelineChart(body, timeline, {
        key: "contents",
        label: `Heatmap of the ${measures[measure]} by depth and time`,
        height,
        hover(t, y) {
          const n = tops.findIndex((top, each) => y >= top && y < top + depths[each] * cell);
          if (n < 0 || t >= times) return null;
          const depth = Math.floor((y - tops[n]) / cell);
          const stack = stacks[n];
          if (depth >= stack.weights[t].length) return null;
          return [
            `After step ${t}, ${stackName(stacks, n)}, depth ${depth}`,
            [
              `weight ${number(stack.weights[t][depth])}`,
              `length ${number(stack.norms[t][depth])}`,
              `vector ${(stack.elements[t][depth] ?? [])
                .slice(0, 6)
                .map((value) => fixed(value, 2))
                .join(" ")}`,
            ],
          ];
        },
      });
      stacks.forEach((stack, n) => {
        heading(frame, stacks, n, tops[n] - 5);
        frame.plot
          .append("rect")
          .attr("class", "heat-back")
          .attr("y", tops[n])
          .attr("width", times * frame.step)
          .attr("height", depths[n] * cell);
        drawCells(
          frame.plot,
          stack[measure].flatMap((row, t) =>
            row.map((value, depth) => ({
              x: frame.x(t),
              y: tops[n] + depth * cell,
              width: frame.step,
              height: cell,
              value,
              data: { stack: n, step: t, depth, value },
            })),
          ),
          high,
        );
        rowLabels(
          frame,
          Array.from({ length: depths[n] }, (_, depth) => ({
            name: depth === 0 ? "top" : String(depth),
            y: tops[n] + (depth + 0.5) * cell,
          })),
        );
      });
      sideLabel(frame, height > 50 ? "depth" : "");
      drawScale(frame.labels, {
        low: 0,
        high,
        name: measure === "weights" ? "weight" : "length",
      });
    },
    table: () => ({
      columns: ["stack", "t", "read", "depth", "weight", "length"],
      rows: stacks.flatMap(({ weights, norms }, n) =>
        weights.flatMap((row, t) =>
          row.map((value, depth) => [
            n + 1,
            t,
            timeline.columns[t].symbol,
            depth,
            value,
            norms[t][depth],
          ]),
        ),
      ),
    }),
    plot: () => ({
      axes: stacks.map((stack, n) => ({
        title: stackName(stacks, n),
        xLabel: "step t",
        yLabel: "depth",
        matrix: {
          columns: timeline.columnNames(times),
          rows: Array.from({ length: depths[n] }, (_, depth) => String(depth)),
          values: Array.from({ length: depths[n] }, (_, depth) =>
            stack[measure].map((row) => row[depth] ?? 0),
          ),
        },
      })),
    }),
  };
}
