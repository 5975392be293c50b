// A section with a figure of each experiment that has something to show in it.

import { experimentTitle } from "../data/experiments.js";
import { element } from "../parts/dom.js";
import { mountFigure } from "../parts/frame.js";

// `figureOf(experiment, id, context)` is a figure for parts/frame.js, or null.
export function experimentSection(id, title, figureOf) {
  return {
    id,
    title,
    mount(parent, context) {
      const { experiments } = context.data;
      experiments.forEach((experiment, n) => {
        const figure = figureOf(experiment, `${id}-${n + 1}`, context);
        if (!figure) return;
        if (experiments.length > 1) {
          parent.append(element("p", { class: "experiment-name" }, experimentTitle(experiment)));
        }
        mountFigure(parent, figure);
      });
    },
  };
}
