// Learning curves: how validation went, epoch by epoch, in every run.

import { curveGroups, curvesTitle, rateAt } from "../data/curves.js";
import { groupsName, seriesNames, seriesStyles } from "../data/experiments.js";
import { thinned, wantsLog } from "../data/scales.js";
import { all, chooser } from "../parts/chooser.js";
import { toggle } from "../parts/dom.js";
import { counted, measureLabel, measureName, number, shortMeasureLabel } from "../parts/format.js";
import { switchedSeries } from "../parts/legend.js";
import { linesView } from "../parts/lines.js";
import { experimentSection } from "./experiment_section.js";

const drawnInTex = 200;

function tip({ run, cell, series, best }) {
  const name = run.name.split("/").filter(Boolean).pop() ?? run.name;
  return ({ x: epoch, y }) => {
    const rate = rateAt(run, epoch);
    const lines = [`epoch ${epoch} of ${run.curve.length}: ${number(y)}`];
    if (rate !== null) lines.push(`learning rate ${number(rate)}`);
    if (run.score !== null) lines.push(`best epoch ${run.best_epoch}: ${number(run.score)}`);
    if (best) lines.push(`best of ${counted(cell.runs, "run")}`);
    if (run.state !== "finished") lines.push(run.state);
    lines.push(run.name);
    return { heading: `${series}, ${name}`, lines };
  };
}

// The best run of each cell first, by its score, then the others.
function inOrder(lines) {
  const score = ({ run }) => run.score ?? Number.POSITIVE_INFINITY;
  return [...lines].sort((a, b) => b.best - a.best || score(a) - score(b));
}

function curvesFigure(experiment, id, context) {
  const { measure } = experiment;
  const groups = curveGroups(experiment);
  if (groups.length === 0) return null;
  const styles = seriesStyles(experiment, context);
  const names = seriesNames(experiment);
  const switches = switchedSeries(names, styles);
  const values = groups.flatMap((group) => group.lines.flatMap(({ run }) => run.curve));
  const state = { group: groups[0].id, log: wantsLog(values), restarts: true };
  const view = linesView();

  const chosen = () => groups.filter(({ id: of }) => state.group === all || of === state.group);
  const shown = (group) =>
    inOrder(group.lines).filter(
      (line) => switches.isShown(line.series) && (line.best || state.restarts),
    );

  const panelOf = (group) => ({
    title: group.label,
    lines: shown(group).map((line) => ({
      style: styles.get(line.series),
      weight: line.best ? "strong" : "faint",
      points: line.points,
      marks: line.best ? "some" : null,
      ring: line.best ? (line.points[line.run.best_epoch - 1] ?? null) : null,
      data: { run: line.run.name, series: line.series, best: line.best ? "true" : null },
      exact: line.best,
      tip: tip(line),
    })),
  });

  return {
    id,
    title: () => curvesTitle(experiment, chosen()),
    caption: () =>
      `The ${measureName(measure)} on the validation set after each epoch` +
      (measure === "difference"
        ? ": cross-entropy minus that of the true distribution over the strings of the set, in nats a symbol. "
        : measure === "perplexity"
          ? ", exp of the cross-entropy in nats. "
          : ", in nats a symbol. ") +
      "Each line is a run: strong with marks, the best of each cell by validation, a ring around its best " +
      "epoch; faint, the other restarts. The pointer, or the arrow keys if the figure has the focus, show " +
      "single values: ← and → along a run, ↑ and ↓ between runs.",
    controls: (redraw) => [
      ...chooser(groupsName(groups), groups, state.group, (group) => {
        state.group = group;
        redraw();
      }),
      toggle("logarithmic", state.log, (log) => {
        state.log = log;
        redraw();
      }),
      toggle("all restarts", state.restarts, (restarts) => {
        state.restarts = restarts;
        redraw();
      }),
      switches.legend(redraw),
    ],
    draw: (body) => {
      const panels = chosen().map(panelOf);
      const epochs = Math.max(
        ...chosen().flatMap(({ lines }) => lines.map((line) => line.points.length)),
      );
      view.draw(body, {
        panels,
        xLabel: "epoch",
        yLabels: [
          `validation ${measureLabel(measure)}`,
          measureLabel(measure),
          shortMeasureLabel(measure),
        ],
        xSpan: epochs > 1 ? [1, epochs] : [0.5, 1.5],
        integers: true,
        yLog: state.log,
        zero: measure === "difference",
        empty: chosen().some(({ lines }) => lines.some(({ series }) => switches.isShown(series)))
          ? "None of these runs has finished yet; “all restarts” shows them."
          : null,
        key: switches.key(),
      });
    },
    onKey: (event) => view.onKey(event),
    table: () => ({
      columns: [
        ...experiment.keys,
        "run",
        "best of cell",
        "epoch",
        measureName(measure),
        "learning rate",
      ],
      rows: chosen().flatMap((group) =>
        shown(group).flatMap((line) =>
          line.points.map(({ x, y }) => [
            ...experiment.keys.map((key) => line.cell.values[key]),
            line.run.name,
            line.best ? "yes" : "no",
            x,
            y,
            rateAt(line.run, x),
          ]),
        ),
      ),
    }),
    plot: () => ({
      axes: chosen().map((group) => ({
        title: group.label,
        xLabel: "epoch",
        yLabel: `validation ${measureLabel(measure)}`,
        yLog: state.log,
        series: shown(group)
          .reverse()
          .map((line) => ({
            name: line.series,
            kind: "line",
            faint: !line.best,
            color: names.indexOf(line.series),
            points: thinned(line.points, drawnInTex).map(({ x, y }) => [x, y]),
          })),
      })),
    }),
  };
}

export const learningCurves = experimentSection("learning-curves", "Learning curves", curvesFigure);
