// The frame around every figure: title, controls, the drawing, caption, downloads and a table of its
// numbers.
//
// A figure is an object with
//   id        unique on the page, letters, digits and -
//   title     says what is to be seen
//   caption   the exact definition of what is drawn
//   controls  (redraw) => [elements] that change what is drawn; optional
//   draw      (body) => draws into an empty element; called again when the width or a control changes
//   table     () => {columns, rows}: the numbers that are drawn, for CSV and readers of tables
//   plot      () => the same for pgfplots.js
//   onKey     (event) => true if the key was used; optional, for figures that keys move in

import { element } from "./dom.js";
import { csvText, save, svgText } from "./download.js";
import { pgfplotsText } from "./pgfplots.js";

const shownRows = 200;

function tableElement({ columns, rows }) {
  const head = element(
    "tr",
    {},
    columns.map((name) => element("th", { scope: "col" }, name)),
  );
  const body = rows.slice(0, shownRows).map((row) =>
    element(
      "tr",
      {},
      row.map((value) => element("td", {}, String(value ?? ""))),
    ),
  );
  const more =
    rows.length > shownRows
      ? element("p", {}, `The first ${shownRows} of ${rows.length} rows; the CSV file has all.`)
      : null;
  return [
    element(
      "div",
      { class: "table-scroll", tabindex: "0" },
      element(
        "table",
        { class: "numbers" },
        element("thead", {}, head),
        element("tbody", {}, body),
      ),
    ),
    more,
  ];
}

function downloads(figure, body) {
  const button = (text, type, action) =>
    element(
      "button",
      { type: "button", class: "download", "data-download": type, onclick: action },
      text,
    );
  return element(
    "div",
    { class: "downloads", role: "group", "aria-label": `Download: ${figure.title}` },
    "Download ",
    button("SVG", "svg", () => {
      const pictures = [...body.querySelectorAll("svg.chart")];
      const background = getComputedStyle(document.body).backgroundColor;
      save(`${figure.id}.svg`, "image/svg+xml", svgText(pictures, figure.title, background));
    }),
    button("CSV", "csv", () => save(`${figure.id}.csv`, "text/csv", csvText(figure.table()))),
    button("PGFPlots", "pgfplots", () =>
      save(`${figure.id}.tex`, "text/plain", pgfplotsText(figure.plot(), figure.title)),
    ),
  );
}

// Appends the figure to `parent`, and draws it when it comes near the window.
export function mountFigure(parent, figure) {
  const body = element("div", { class: "figure-body" });
  let drawnWidth = 0;
  const draw = () => {
    drawnWidth = body.clientWidth;
    body.replaceChildren();
    try {
      figure.draw(body);
    } catch (error) {
      console.error(error);
      body.append(
        element("p", { class: "problem" }, `This figure cannot be drawn: ${error.message}`),
      );
    }
    node.dataset.drawn = "true";
  };
  const details = element(
    "details",
    { class: "numbers-details" },
    element("summary", {}, "Numbers"),
  );
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1)
      details.append(...tableElement(figure.table()).filter(Boolean));
  });
  const redraw = () => {
    draw();
    // The table has the numbers that are drawn now.
    while (details.children.length > 1) details.lastChild.remove();
    details.open = false;
  };
  const node = element(
    "figure",
    { id: figure.id, tabindex: figure.onKey ? "0" : null },
    element("h3", {}, figure.title),
    element("div", { class: "controls" }, figure.controls ? figure.controls(redraw) : []),
    body,
    element("figcaption", {}, figure.caption),
    downloads(figure, body),
    details,
  );
  if (figure.onKey) {
    node.addEventListener("keydown", (event) => {
      if (event.target.closest("select, input, button, summary, .table-scroll")) return;
      if (figure.onKey(event)) event.preventDefault();
    });
  }
  parent.append(node);

  const near = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      near.disconnect();
      draw();
    },
    { rootMargin: "600px" },
  );
  near.observe(node);
  new ResizeObserver(() => {
    if (node.dataset.drawn && Math.abs(body.clientWidth - drawnWidth) > 8) draw();
  }).observe(body);
  window.addEventListener("beforeprint", () => {
    if (!node.dataset.drawn) draw();
  });
  return node;
}
