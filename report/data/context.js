// What all sections know of the page's data: its runs, and one style for each model.

import { stylesOf } from "../parts/palette.js";
import { seriesKey, seriesNames } from "./experiments.js";

export function pageContext(data) {
  const cells = data.experiments.flatMap((experiment) =>
    experiment.cells.map((cell) => ({ experiment, cell })),
  );
  const runs = cells.flatMap(({ experiment, cell }) =>
    cell.restarts.map((run, index) => ({ experiment, cell, run, index })),
  );
  const models = data.experiments.flatMap((experiment) => [
    ...(seriesKey(experiment) === "model" ? seriesNames(experiment) : []),
    ...(experiment.published?.cells ?? []).map((cell) => cell.values.model),
  ]);
  return { data, cells, runs, styles: stylesOf(models.filter(Boolean)) };
}
