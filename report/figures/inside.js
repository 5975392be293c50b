// Inside one string: views over the same steps of time, in which one step is chosen together.

import { columnsOf, inspectionName, lossesOf, readout, summaryOf } from "../data/inside.js";
import { pairName } from "../data/runs.js";
import { choice, element, toggle } from "../parts/dom.js";
import { mountFigure } from "../parts/frame.js";
import { createTimeline } from "../parts/timeline.js";
import { hideTooltip } from "../parts/tooltip.js";
import { flowFigure } from "./flow.js";
import { lossFigure } from "./loss.js";
import { mountainsFigure } from "./mountains.js";
import { readingsFigure } from "./readings.js";
import { actionsFigure, contentsFigure } from "./superposition.js";
import { topsFigure } from "./tops.js";

const views = [
  readingsFigure,
  mountainsFigure,
  flowFigure,
  topsFigure,
  actionsFigure,
  contentsFigure,
  lossFigure,
];

const longString = 40;

const whichRuns =
  "Readings and pushes count all runs of the steps so far, as the model does; best runs and transitions count the runs of the whole string, so they can differ.";

function namesBeside({ automaton, superposition }) {
  if (!automaton) return [superposition?.length > 1 ? "stack 1, 10" : "top 10"];
  const pairs = automaton.states.length * automaton.symbols.length;
  const names = Array.from({ length: pairs }, (_, pair) => pairName(automaton, pair));
  return automaton.vector_size > 0 ? names.map((name) => `${name} 1`) : names;
}

// What a key does to the chosen step and run; true if it does something.
function keyHandler(timeline, runs) {
  const last = timeline.columns.length - 1;
  const step = () => timeline.step;
  const steps = {
    ArrowLeft: () => (step() === null ? last : Math.max(0, step() - 1)),
    ArrowRight: () => (step() === null ? 0 : Math.min(last, step() + 1)),
    Home: () => 0,
    End: () => last,
    Escape: () => null,
  };
  const moves = { ArrowUp: -1, ArrowDown: 1 };
  return (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    if (steps[event.key]) {
      timeline.setStep(steps[event.key]());
      timeline.reveal();
      hideTooltip();
      return true;
    }
    if (moves[event.key] && runs > 1) {
      timeline.setRun((timeline.run + moves[event.key] + runs) % runs);
      return true;
    }
    return false;
  };
}

// The bar that stays in sight above the figures: buttons, and what all views show of the step.
function readoutBar(inspection, timeline) {
  const losses = lossesOf(inspection);
  const text = element("div", { class: "inside-readout", "aria-live": "polite" });
  const show = () => {
    if (timeline.step === null) {
      text.replaceChildren(
        "Move over a step in any figure, or use the arrow keys: all figures show the same step.",
      );
      delete text.dataset.step;
      return;
    }
    text.dataset.step = timeline.step;
    text.dataset.run = timeline.run;
    text.replaceChildren(
      ...readout(inspection, timeline.columns, losses, timeline.step, timeline.run).map(
        ([name, value]) => element("span", {}, element("b", {}, name), ` ${value}`),
      ),
    );
  };
  timeline.on("step", "readout", show);
  timeline.on("run", "readout", show);
  show();
  const move = (key) => () => timeline.onKey({ key });
  const button = (label, sign, key) =>
    element(
      "button",
      { type: "button", "aria-label": label, title: label, onclick: move(key) },
      sign,
    );
  const controls = [
    button("Previous step", "◀", "ArrowLeft"),
    button("Next step", "▶", "ArrowRight"),
  ];
  if (timeline.columns.length > longString) {
    controls.push(toggle("Whole string", timeline.fit, (fit) => timeline.setFit(fit)));
  }
  return element(
    "div",
    { class: "inside-bar" },
    element("div", { class: "inside-buttons" }, controls),
    text,
  );
}

function show(place, inspection, index) {
  const timeline = createTimeline(columnsOf(inspection), namesBeside(inspection));
  timeline.onKey = keyHandler(timeline, inspection.automaton?.runs.length ?? 0);
  const figures = element("div", { class: "inside-figures" });
  const group = element(
    "div",
    {
      class: "inside-views",
      role: "group",
      tabindex: "0",
      "aria-label":
        "One string over time. Arrow keys left and right choose a step, up and down a run.",
      "data-inspection": index,
    },
    readoutBar(inspection, timeline),
    figures,
  );
  group.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    if (event.target.closest("select, input, button, summary, .table-scroll")) return;
    if (timeline.onKey(event)) event.preventDefault();
  });
  const several = inspection.automaton?.transitions.length > 0;
  place.replaceChildren(
    element("p", { class: "inside-summary" }, summaryOf(inspection)),
    element("p", { class: "inside-string" }, inspection.string),
    ...(several ? [element("p", { class: "inside-summary inside-which" }, whichRuns)] : []),
    group,
  );
  for (const view of views) {
    const figure = view(inspection, timeline);
    if (!figure) continue;
    const { controls } = figure;
    mountFigure(figures, {
      ...figure,
      controls(redraw) {
        timeline.on("width", figure.id, redraw);
        return controls ? controls(redraw) : [];
      },
    });
  }
}

export const inside = {
  id: "inside",
  title: "Inside one string",
  mount(parent, { data }) {
    const { inspections } = data;
    if (inspections.length === 0) return;
    const place = element("div", {});
    if (inspections.length > 1) {
      const options = inspections.map((inspection, index) => ({
        value: String(index),
        text: inspectionName(inspection, index),
      }));
      parent.append(
        element(
          "div",
          { class: "controls" },
          choice("String", options, "0", (value) => show(place, inspections[value], Number(value))),
        ),
      );
    }
    parent.append(place);
    show(place, inspections[0], 0);
  },
};
