// A measure by a setting that is a number: how much models can hold.

import {
  capacityGroups,
  capacityTitle,
  cellsWithout,
  numericKeys,
  statistics,
  tests,
} from "../data/capacity.js";
import { seriesNames, seriesStyles } from "../data/experiments.js";
import { meanText } from "../data/overview.js";
import { choice, toggle } from "../parts/dom.js";
import { counted, measureLabel, measureName, number, shortMeasureLabel } from "../parts/format.js";
import { switchedSeries } from "../parts/legend.js";
import { linesView } from "../parts/lines.js";
import { experimentSection } from "./experiment_section.js";

// More bands than this hide each other.
const mostBands = 8;
const paperDash = "2 3";
const axisNames = { symbols: "kinds of symbols" };

function verdict({ comparison }) {
  if (typeof comparison?.adjusted_p !== "number") return "no test of the means";
  const p = number(comparison.adjusted_p);
  return comparison.differs
    ? `≠ the means differ (p = ${p})`
    : `≈ no difference of the means found (p = ${p})`;
}

function ourTip(line, group, key, measure) {
  return ({ x, cell }) => ({
    heading: group.label ? `${line.series}, ${group.label}` : line.series,
    lines: [
      `${key} = ${x}, ${cell.finished} of ${counted(cell.runs, "run")}`,
      `${measureName(measure)}: mean ${meanText(cell)}`,
      `median ${number(cell.median)}, best ${number(cell.best)}`,
      ...(cell.comparison
        ? [
            `published: mean ${meanText(cell.comparison)}, best ${number(cell.comparison.best)}`,
            verdict(cell),
          ]
        : []),
    ],
  });
}

function paperTip(line, group, key) {
  return ({ x, cell }) => ({
    heading: `published: ${group.label ? `${line.series}, ${group.label}` : line.series}`,
    lines: [`${key} = ${x}`, `mean ${meanText(cell)}, best ${number(cell.best)}`],
  });
}

function capacityFigure(experiment, id, context) {
  const hasLines = (key) =>
    Object.keys(statistics).some((statistic) =>
      capacityGroups(experiment, key, statistic).some(
        ({ ours, paper }) => ours.length > 0 || paper.length > 0,
      ),
    );
  const keys = numericKeys(experiment).filter(hasLines);
  if (keys.length === 0) return null;
  const { measure, published } = experiment;
  const styles = seriesStyles(experiment, context);
  const names = seriesNames(experiment);
  const switches = switchedSeries(names, styles);
  const state = {
    key: keys[0],
    statistic: "mean",
    log: false,
    band: names.length <= mostBands,
    paper: Boolean(published),
  };
  const view = linesView();
  const groups = () => capacityGroups(experiment, state.key, state.statistic);
  const on = (lines) => lines.filter(({ series }) => switches.isShown(series));
  const paperOf = (group) => (state.paper ? on(group.paper) : []);
  const differs = ({ cell }) =>
    state.statistic === "mean" && cell.comparison?.differs ? "≠" : null;

  const panelOf = (group) => ({
    title: group.label,
    lines: [
      ...on(group.ours).map((line) => ({
        style: styles.get(line.series),
        weight: "strong",
        points: line.points,
        band: state.band && state.statistic !== "best",
        marks: "each",
        sign: state.paper ? differs : null,
        data: { series: line.series, of: "ours" },
        tip: ourTip(line, group, state.key, measure),
      })),
      ...paperOf(group).map((line) => ({
        style: styles.get(line.series),
        weight: "thin",
        dash: paperDash,
        points: line.points,
        marks: "each",
        hollow: true,
        data: { series: line.series, of: "paper" },
        tip: paperTip(line, group, state.key),
      })),
    ],
  });

  const bandCaptions = {
    mean: "the mean of the finished runs of a cell, and a band of one standard deviation (sample) to each side",
    median:
      "the median of the finished runs of a cell, and a band from the lower to the upper quartile",
    best: "the best run of a cell by validation",
  };
  const captionOf = () => {
    const { tested, differ } = tests(experiment);
    const paper =
      published && state.paper && state.statistic !== "median"
        ? `Dotted with hollow marks: published (${published.source}). `
        : "";
    const signs =
      tested > 0 && state.paper && state.statistic === "mean"
        ? `≠: our mean differs from the published one by Welch's test, p below 0.01 after Holm's correction: ${differ} of ${counted(tested, "cell")}. `
        : "";
    const without = cellsWithout(experiment, state.key);
    const missing =
      without > 0
        ? `Not shown: ${counted(without, "cell")} in which ${state.key} is not a number. `
        : "";
    return `The ${measureName(measure)} on the validation set, each run with its best epoch: ${bandCaptions[state.statistic]}. ${paper}${signs}${missing}Pointer or arrow keys show single values.`;
  };
  const ticks = () =>
    [
      ...new Set(
        groups().flatMap((group) =>
          [...group.ours, ...group.paper].flatMap(({ points }) => points.map(({ x }) => x)),
        ),
      ),
    ].sort((a, b) => a - b);

  return {
    id,
    title: () => capacityTitle(experiment, state.key, state.statistic, groups()),
    caption: captionOf,
    controls: (redraw) => {
      const set = (name) => (value) => {
        state[name] = value;
        redraw();
      };
      const band = toggle("band", state.band, set("band"));
      const setStatistic = (statistic) => {
        band.querySelector("input").disabled = statistic === "best";
        set("statistic")(statistic);
      };
      return [
        keys.length > 1 ? choice("Setting", keys, state.key, set("key")) : null,
        choice(
          "Of the runs",
          Object.entries(statistics).map(([value, { name }]) => ({ value, text: name })),
          state.statistic,
          setStatistic,
        ),
        band,
        published ? toggle("published", state.paper, set("paper")) : null,
        toggle("logarithmic", state.log, set("log")),
        switches.legend(redraw),
      ];
    },
    draw: (body) => {
      const all = ticks();
      const [first, last] = [all[0], all[all.length - 1]];
      const xLog = first > 0 && last / first >= 1000;
      const room = xLog ? 0 : (last - first) * 0.02;
      view.draw(body, {
        panels: groups().map(panelOf),
        xLabel: axisNames[state.key] ?? state.key,
        yLabels: [
          `${statistics[state.statistic].label} ${measureLabel(measure)}`,
          measureLabel(measure),
          `${statistics[state.statistic].label} ${shortMeasureLabel(measure)}`,
          shortMeasureLabel(measure),
        ],
        xSpan: [first - room, last + room],
        xLog,
        xTicks: all.length <= 8 && !xLog ? all : null,
        yLog: state.log,
        panelHeight: 330,
        zero: measure === "difference",
        empty: groups().some(({ ours }) => ours.length > 0) ? null : "No run has finished yet.",
        key: [
          ...switches.key(),
          ...(state.paper
            ? [{ name: "published", style: { color: "var(--muted)" }, dash: paperDash }]
            : []),
          ...(state.paper && tests(experiment).differ > 0 && state.statistic === "mean"
            ? [{ name: "differs from the published mean", sign: "≠" }]
            : []),
        ],
      });
    },
    onKey: (event) => view.onKey(event),
    table: () => ({
      columns: [
        ...experiment.keys,
        "of",
        "runs",
        "mean",
        "sd",
        "median",
        "lower quartile",
        "upper quartile",
        "best",
        "p",
        "differs",
      ],
      rows: groups().flatMap((group) => [
        ...on(group.ours).flatMap(({ points }) =>
          points.map(({ cell }) => [
            ...experiment.keys.map((key) => cell.values[key]),
            "ours",
            cell.finished,
            cell.mean,
            cell.sd,
            cell.median,
            cell.lower_quartile,
            cell.upper_quartile,
            cell.best,
            cell.comparison?.adjusted_p,
            typeof cell.comparison?.adjusted_p === "number"
              ? cell.comparison.differs
                ? "yes"
                : "no"
              : null,
          ]),
        ),
        ...paperOf(group).flatMap(({ points }) =>
          points.map(({ cell }) => [
            ...experiment.keys.map((key) => cell.values[key]),
            "published",
            published.runs,
            cell.mean,
            cell.sd,
            null,
            null,
            null,
            cell.best,
            null,
            null,
          ]),
        ),
      ]),
    }),
    plot: () => ({
      axes: groups().map((group) => ({
        title: group.label,
        xLabel: axisNames[state.key] ?? state.key,
        yLabel: `${statistics[state.statistic].label} ${measureLabel(measure)}`,
        yLog: state.log,
        xTicks: ticks().length <= 12 ? ticks() : null,
        series: [
          ...on(group.ours).flatMap(({ series, points }) => {
            const color = names.indexOf(series);
            const edge = (side) => ({
              name: series,
              color,
              faint: true,
              points: points.map((point) => [point.x, point[side]]),
            });
            const line = { name: series, color, points: points.map(({ x, y }) => [x, y]) };
            return state.band && state.statistic !== "best"
              ? [edge("low"), edge("high"), line]
              : [line];
          }),
          ...paperOf(group).map(({ series, points }) => ({
            name: `${series}, published`,
            color: names.indexOf(series),
            dashed: true,
            points: points.map(({ x, y }) => [x, y]),
          })),
        ],
      })),
    }),
  };
}

export const capacity = experimentSection("capacity", "Capacity", capacityFigure);
