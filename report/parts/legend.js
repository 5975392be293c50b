// A legend whose entries switch series on and off: one button each, with a sample of its line.

import { select } from "d3-selection";
import { element } from "./dom.js";
import { markPath } from "./palette.js";

// `entries` are {name, style, shown}; `onToggle(name, shown)` is called after a change.
export function legend(entries, onToggle) {
  const buttons = entries.map(({ name, style, shown = true }) => {
    const sample = select(document.createElementNS("http://www.w3.org/2000/svg", "svg"))
      .attr("width", 30)
      .attr("height", 14)
      .attr("aria-hidden", "true");
    sample
      .append("line")
      .attr("x1", 1)
      .attr("x2", 29)
      .attr("y1", 7)
      .attr("y2", 7)
      .attr("stroke", style.color)
      .attr("stroke-width", 2)
      .attr("stroke-dasharray", style.dash);
    sample
      .append("path")
      .attr("d", markPath(style.mark, 36))
      .attr("transform", "translate(15,7)")
      .attr("fill", style.color);
    const button = element(
      "button",
      {
        type: "button",
        class: "legend-entry",
        "aria-pressed": String(shown),
        "data-series": name,
        onclick: () => {
          const now = button.getAttribute("aria-pressed") !== "true";
          button.setAttribute("aria-pressed", String(now));
          onToggle(name, now);
        },
      },
      sample.node(),
      name,
    );
    return button;
  });
  return element("div", { class: "legend", role: "group", "aria-label": "Legend" }, buttons);
}

// Series that a legend switches on and off.
export function switchedSeries(names, styles) {
  const hidden = new Set();
  const entries = names.map((name) => ({ name, style: styles.get(name) }));
  return {
    isShown: (name) => !hidden.has(name),
    legend: (redraw) =>
      legend(entries, (name, shown) => {
        if (shown) hidden.delete(name);
        else hidden.add(name);
        redraw();
      }),
    // For key.js.
    key: () => entries.filter(({ name }) => !hidden.has(name)),
  };
}
