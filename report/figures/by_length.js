// The test set by length of the strings: what models do with lengths that they were not trained on.

import { groupsName, seriesStyles } from "../data/experiments.js";
import {
  beyondTraining,
  columnsOf,
  lengthGroups,
  lengthsTitle,
  pointsOf,
} from "../data/lengths.js";
import { wantsLog } from "../data/scales.js";
import { all, chooser, mostPanels } from "../parts/chooser.js";
import { choice, toggle } from "../parts/dom.js";
import { counted, number } from "../parts/format.js";
import { switchedSeries } from "../parts/legend.js";
import { linesView } from "../parts/lines.js";
import { experimentSection } from "./experiment_section.js";

const bounds = {
  difference_length: {
    option: "optimum of a model that is told the length",
    labels: [
      "difference from the optimum given the length (nats a symbol)",
      "difference from the optimum (nats a symbol)",
      "difference (nats a symbol)",
    ],
    caption:
      "Cross-entropy minus the lowest that a model can reach that is told the length of each string " +
      "(figures 2 and 6 of the paper). A model that is not told the length cannot reach 0: a perfect one " +
      "shows about log(number of lengths) / (length + 1). ",
  },
  difference_set: {
    option: "optimum over all lengths of the set",
    labels: [
      "difference from the optimum over all lengths (nats a symbol)",
      "difference from the optimum (nats a symbol)",
      "difference (nats a symbol)",
    ],
    caption:
      "Cross-entropy minus that of the true distribution over strings of all lengths of the set, each length " +
      "being equally probable: a perfect model shows 0. ",
  },
  cross_entropy: {
    option: "none: cross-entropy",
    labels: ["cross-entropy (nats a symbol)"],
    caption: "The cross-entropy itself. ",
  },
};

function tip(line, column, group) {
  return ({ x: length, y, n }) => {
    const { table, run, series, cell } = line;
    const trained = cell.training_lengths;
    const seen = trained && length >= trained[0] && length <= trained[1];
    const lines = [
      `length ${length}: ${column === "cross_entropy" ? "cross-entropy" : "difference"} ${number(y)}`,
    ];
    if (column !== "cross_entropy") lines.push(`cross-entropy ${number(table.cross_entropy?.[n])}`);
    if (table.strings) lines.push(counted(table.strings[n], "string"));
    if (trained) {
      lines.push(`${seen ? "a length" : "not a length"} of training (${trained.join("–")})`);
    }
    lines.push(run.name);
    return { heading: group.label ? `${series}, ${group.label}` : series, lines };
  };
}

function lengthsFigure(experiment, id, context) {
  const groups = lengthGroups(experiment);
  const columns = columnsOf(groups);
  if (columns.length === 0) return null;
  const styles = seriesStyles(experiment, context);
  const names = [...new Set(groups.flatMap(({ lines }) => lines.map(({ series }) => series)))];
  const switches = switchedSeries(names, styles);
  const valuesOf = (column) =>
    groups.flatMap(({ lines }) =>
      lines.flatMap((line) => pointsOf(line, column).map(({ y }) => y)),
    );
  const state = {
    group: groups.length > 1 && groups.length <= mostPanels ? all : groups[0].id,
    column: columns[0],
    log: wantsLog(valuesOf(columns[0])),
  };
  const view = linesView();
  const chosen = () => groups.filter(({ id: of }) => state.group === all || of === state.group);
  const shown = (group) =>
    group.lines
      .filter(({ series }) => switches.isShown(series))
      .map((line) => ({ ...line, points: pointsOf(line, state.column) }))
      .filter(({ points }) => points.length > 0);

  const panelOf = (group) => ({
    title: group.label,
    shade: group.training
      ? {
          from: group.training[0],
          to: group.training[1],
          label: `training lengths ${group.training.join("–")}`,
        }
      : null,
    lines: shown(group).map((line) => ({
      style: styles.get(line.series),
      weight: "strong",
      points: line.points,
      marks: "some",
      ring: null,
      data: { run: line.run.name, series: line.series },
      exact: true,
      tip: tip(line, state.column, group),
    })),
  });

  return {
    id,
    title: () => lengthsTitle(chosen(), state.column),
    caption: () =>
      `${bounds[state.column].caption}On the strings of each length of the test set, in nats a symbol, the end ` +
      "of the string counting as one. Each line is the best run of a cell by validation, of those that have " +
      "such results. " +
      (chosen().some(({ training }) => training) ? "Shaded: the lengths of training. " : "") +
      (chosen().some(({ mixed }) => mixed)
        ? "Where the training lengths of the lines differ, none are shaded; the tooltip has those of a line. "
        : "") +
      (beyondTraining(chosen())
        ? "The title's mean is over the strings outside the shaded range. "
        : "The title's mean is over all strings. ") +
      "Pointer or arrow keys show single values.",
    controls: (redraw) => [
      ...chooser(groupsName(groups), groups, state.group, (group) => {
        state.group = group;
        redraw();
      }),
      columns.length > 1
        ? choice(
            "Bound",
            columns.map((column) => ({ value: column, text: bounds[column].option })),
            state.column,
            (column) => {
              state.column = column;
              redraw();
            },
          )
        : null,
      toggle("logarithmic", state.log, (log) => {
        state.log = log;
        redraw();
      }),
      switches.legend(redraw),
    ],
    draw: (body) => {
      const lengths = chosen().flatMap(({ lines }) => lines.flatMap(({ table }) => table.lengths));
      const [first, last] = [Math.min(...lengths), Math.max(...lengths)];
      view.draw(body, {
        panels: chosen().map(panelOf),
        xLabel: "length of the string (symbols)",
        yLabels: bounds[state.column].labels,
        xSpan: first < last ? [first, last] : [first - 1, last + 1],
        integers: true,
        yLog: state.log,
        zero: state.column !== "cross_entropy",
        empty: chosen().some(({ lines }) => lines.some(({ series }) => switches.isShown(series)))
          ? "These runs have no such bound."
          : null,
        key: switches.key(),
      });
    },
    onKey: (event) => view.onKey(event),
    table: () => ({
      columns: [
        ...experiment.keys,
        "run",
        "length",
        "strings",
        "cross-entropy",
        "difference given the length",
        "difference over all lengths",
      ],
      rows: chosen().flatMap((group) =>
        shown(group).flatMap(({ cell, run, table }) =>
          table.lengths.map((length, n) => [
            ...experiment.keys.map((key) => cell.values[key]),
            run.name,
            length,
            table.strings?.[n],
            table.cross_entropy?.[n],
            table.difference_length?.[n],
            table.difference_set?.[n],
          ]),
        ),
      ),
    }),
    plot: () => ({
      axes: chosen().map((group) => ({
        title: group.label,
        xLabel: "length of the string (symbols)",
        yLabel: bounds[state.column].labels[0],
        yLog: state.log,
        series: shown(group).map((line) => ({
          name: line.series,
          kind: "line",
          color: names.indexOf(line.series),
          points: line.points.map(({ x, y }) => [x, y]),
        })),
      })),
    }),
  };
}

export const byLength = experimentSection("by-length", "By length", lengthsFigure);
