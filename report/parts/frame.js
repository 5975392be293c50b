// The frame around every figure: title, controls, the drawing, caption, downloads and a table of its
// numbers.
//
// A figure is an object with
//   id        unique on the page, letters, digits and -
//   title     says what is to be seen: a text, or a function if it depends on the controls
//   caption   the exact definition of what is drawn: the same
//   controls  (redraw) => [elements] that change what is drawn; optional
//   draw      (body) => draws into an empty element; called again when the width or a control changes
//   table     () => {columns, rows}: the numbers that are drawn, for CSV and readers of tables
//   plot      () => the same for pgfplots.js
//   picture   false if nothing that is drawn is an SVG; optional
//   onKey     (event) => true if the key was used; optional, for figures that keys move in

import { element } from "./dom.js";
import { csvText, save, svgText } from "./download.js";
import { pgfplotsText } from "./pgfplots.js";
import { hideTooltip } from "./tooltip.js";

const shownRows = 200;

function now(text) {
  return typeof text === "function" ? text() : text;
}

function tableElement({ columns, rows }, title) {
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
      {
        class: "table-scroll",
        tabindex: "0",
        role: "region",
        "aria-label": `Numbers: ${title}`,
      },
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
    {
      class: "downloads",
      role: "group",
      "aria-labelledby": `${figure.id}-downloads ${figure.id}-title`,
    },
    element("span", { id: `${figure.id}-downloads` }, "Download"),
    " ",
    figure.picture === false
      ? null
      : button("SVG", "svg", () => {
          const pictures = [...body.querySelectorAll("svg.chart")];
          const background = getComputedStyle(document.body).backgroundColor;
          save(
            `${figure.id}.svg`,
            "image/svg+xml",
            svgText(pictures, now(figure.title), background),
          );
        }),
    button("CSV", "csv", () => save(`${figure.id}.csv`, "text/csv", csvText(figure.table()))),
    button("PGFPlots", "pgfplots", () =>
      save(`${figure.id}.tex`, "text/plain", pgfplotsText(figure.plot(), now(figure.title))),
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
      details.append(...tableElement(figure.table(), now(figure.title)).filter(Boolean));
  });
  const heading = element("h3", { id: `${figure.id}-title` }, now(figure.title));
  const caption = element("figcaption", {}, now(figure.caption));
  const redraw = () => {
    draw();
    heading.textContent = now(figure.title);
    caption.textContent = now(figure.caption);
    // The table has the numbers that are drawn now.
    while (details.children.length > 1) details.lastChild.remove();
    details.open = false;
  };
  const node = element(
    "figure",
    {
      id: figure.id,
      tabindex: figure.onKey ? "0" : null,
      "aria-labelledby": `${figure.id}-title`,
    },
    heading,
    element("div", { class: "controls" }, figure.controls ? figure.controls(redraw) : []),
    body,
    caption,
    downloads(figure, body),
    details,
  );
  if (figure.onKey) {
    node.addEventListener("keydown", (event) => {
      if (event.target.closest("select, input, button, summary, .table-scroll")) return;
      if (figure.onKey(event)) event.preventDefault();
    });
    // The tooltip of a mark that keys have moved to stays until the figure is left.
    node.addEventListener("blur", hideTooltip);
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
  // A figure that another one took the place of is left alone: its size becomes 0, once.
  const width = new ResizeObserver(() => {
    if (!node.isConnected) stop();
    else if (node.dataset.drawn && Math.abs(body.clientWidth - drawnWidth) > 8) draw();
  });
  const beforePrint = () => {
    if (!node.isConnected) stop();
    else if (!node.dataset.drawn) draw();
  };
  function stop() {
    near.disconnect();
    width.disconnect();
    window.removeEventListener("beforeprint", beforePrint);
  }
  near.observe(node);
  width.observe(body);
  window.addEventListener("beforeprint", beforePrint);
  return node;
}
