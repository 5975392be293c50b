// What was trained: the facts of each experiment, its failures and source, and the table of its cells.

import { experimentTitle } from "../data/experiments.js";
import {
  cellsTable,
  columnsOf,
  facts,
  failures,
  filtered,
  sorted,
  tableNote,
} from "../data/overview.js";
import { element } from "../parts/dom.js";
import { csvText, save } from "../parts/download.js";
import { counted } from "../parts/format.js";

function factsElement(experiment) {
  return element(
    "dl",
    { class: "facts" },
    facts(experiment).flatMap(([name, text]) => [
      element("dt", {}, name),
      element("dd", { "data-fact": name.toLowerCase() }, text),
    ]),
  );
}

const openFailures = 5;

function failuresElement(experiment) {
  const reasons = failures(experiment);
  if (reasons.length === 0) return null;
  const count = reasons.reduce((sum, { runs }) => sum + runs.length, 0);
  return element(
    "details",
    { class: "failures", open: count <= openFailures },
    element("summary", {}, `✕ ${counted(count, "run")} failed`),
    element(
      "ul",
      {},
      reasons.map(({ reason, runs }) =>
        element(
          "li",
          {},
          `${reason}${runs.length > 1 ? ` (${counted(runs.length, "run")})` : ""}`,
          element(
            "ul",
            {},
            runs.map((name) => element("li", { "data-failed-run": name }, name)),
          ),
        ),
      ),
    ),
  );
}

function sourceElement(experiment) {
  if (!experiment.source) return null;
  return element(
    "details",
    { class: "source" },
    element("summary", {}, "The experiment's file"),
    element(
      "pre",
      {
        tabindex: "0",
        role: "region",
        "aria-label": `The experiment's file: ${experimentTitle(experiment)}`,
      },
      experiment.source,
    ),
  );
}

const next = { none: "ascending", ascending: "descending", descending: "none" };
const arrows = { none: "↕", ascending: "▲", descending: "▼" };

function sortButton(column, onSort) {
  return element(
    "button",
    { type: "button", class: "sort", "data-sort": column.id, title: column.title, onclick: onSort },
    column.label,
    element("span", { class: "arrow", "aria-hidden": "true" }, arrows.none),
  );
}

// A cell of a column. Columns of published numbers are told apart by their heading and by their look.
function dataCell(column, cell) {
  const classes = [
    column.numeric && column.id !== "verdict" ? "number" : null,
    column.paper && column.id !== "verdict" ? "published" : null,
    column.setting ? "setting" : null,
    column.kind ? `verdict-${column.kind(cell)}` : null,
  ].filter(Boolean);
  return element(
    "td",
    {
      class: classes.length > 0 ? classes.join(" ") : null,
      "data-column": column.id,
      "data-value": column.value(cell),
      title: column.setting ? column.text(cell) : null,
    },
    column.text(cell),
  );
}

function cellsElement(experiment, id) {
  const columns = columnsOf(experiment);
  const settings = columns.filter(({ setting }) => setting);
  const state = { column: null, direction: "none", query: "" };
  const shown = () =>
    sorted(filtered(experiment.cells, state.query), state.column, state.direction);

  const body = element("tbody");
  const count = element("output", { class: "count" });
  const heads = [];
  const fill = () => {
    const cells = shown();
    body.replaceChildren(
      ...cells.map((cell) =>
        element(
          "tr",
          { "data-cell": cell.name },
          // On a narrow page, the settings stay in view as one column.
          element(
            "th",
            { scope: "row", class: "cell-name" },
            settings.flatMap((column) => [element("span", {}, column.text(cell)), " "]),
          ),
          columns.map((column) => dataCell(column, cell)),
        ),
      ),
    );
    count.textContent =
      cells.length === experiment.cells.length
        ? counted(cells.length, "cell")
        : `${cells.length} of ${counted(experiment.cells.length, "cell")}`;
    for (const { head, of } of heads) {
      const sortedBy = of.includes(state.column) && state.direction !== "none";
      if (sortedBy) head.setAttribute("aria-sort", state.direction);
      else head.removeAttribute("aria-sort");
      for (const button of head.querySelectorAll("button")) {
        const active = sortedBy && button.dataset.sort === state.column.id;
        button.querySelector(".arrow").textContent = arrows[active ? state.direction : "none"];
        button.classList.toggle("active", active);
      }
    }
  };
  const headOf = (of, attributes) => {
    const buttons = of.map((column) =>
      sortButton(column, () => {
        state.direction = state.column === column ? next[state.direction] : "ascending";
        state.column = column;
        fill();
      }),
    );
    const head = element("th", { scope: "col", ...attributes }, buttons);
    heads.push({ head, of });
    return head;
  };
  const table = element(
    "table",
    { class: "cells" },
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        headOf(settings, { class: "cell-name" }),
        columns.map((column) =>
          headOf([column], {
            class:
              [
                column.setting ? "setting" : null,
                column.numeric && column.id !== "verdict" ? "number" : null,
              ]
                .filter(Boolean)
                .join(" ") || null,
            "data-column": column.id,
          }),
        ),
      ),
    ),
    body,
  );
  const search = element("input", {
    type: "search",
    placeholder: settings.map(({ label }) => label).join(", "),
    oninput: () => {
      state.query = search.value;
      fill();
    },
  });
  const download = element(
    "button",
    {
      type: "button",
      class: "download",
      "data-download": "csv",
      onclick: () => save(`${id}.csv`, "text/csv", csvText(cellsTable(columns, shown()))),
    },
    "CSV",
  );
  fill();
  return [
    element(
      "div",
      { class: "controls" },
      element("label", { class: "choice" }, "Filter ", search),
      count,
      element("span", { class: "downloads" }, "Download ", download),
    ),
    element(
      "div",
      {
        class: "table-scroll cells-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": `Cells: ${experimentTitle(experiment)}`,
      },
      table,
    ),
    element("p", { class: "note" }, tableNote(experiment)),
  ];
}

export const overview = {
  id: "overview",
  title: "Overview",
  mount(parent, { data }) {
    data.experiments.forEach((experiment, n) => {
      const id = `overview-${n + 1}`;
      parent.append(
        element(
          "article",
          { id, class: "experiment", "aria-labelledby": `${id}-heading` },
          element("h3", { id: `${id}-heading` }, experimentTitle(experiment)),
          factsElement(experiment),
          failuresElement(experiment),
          sourceElement(experiment),
          experiment.cells.length > 0 ? cellsElement(experiment, id) : [],
        ),
      );
    });
  },
};
