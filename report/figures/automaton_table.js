// The transitions of an automaton as a table, where there is no drawing.

import { transitionTable } from "../data/automaton_text.js";
import { element } from "../parts/dom.js";

const shownRows = 200;

// Draws into `parent`, which scrolls. {show(configuration)} marks the transition that led to it. Of
// many transitions, the first ones have rows, and one that is marked has a row below them.
export function drawTransitions(parent, automaton) {
  const { columns, rows } = transitionTable(automaton);
  const line = (row, index) =>
    element(
      "tr",
      { "data-transition": index },
      row.map((value, n) => element("td", n === 0 ? { class: "number" } : {}, String(value))),
    );
  const lines = rows.slice(0, shownRows).map(line);
  const head = element("thead", {}, [
    element(
      "tr",
      {},
      columns.map((name) => element("th", { scope: "col" }, name)),
    ),
  ]);
  const body = element("tbody", {}, lines);
  parent.append(element("table", { class: "transition-table" }, head, body));
  if (rows.length > shownRows) {
    const text = `The first ${shownRows} of ${rows.length} transitions, and the one of the step below them; the CSV file has all.`;
    parent.append(element("p", { class: "run-note" }, text));
  }
  let marked = null;
  return {
    show({ transition }) {
      marked?.classList.remove("current");
      marked?.removeAttribute("aria-current");
      if (marked && !lines.includes(marked)) marked.remove();
      marked = null;
      if (transition === null) return;
      marked = lines[transition] ?? line(rows[transition], transition);
      if (transition >= shownRows) body.append(marked);
      marked.classList.add("current");
      marked.setAttribute("aria-current", "step");
      const above = marked.offsetTop - head.offsetHeight;
      const below = marked.offsetTop + marked.offsetHeight;
      if (above < parent.scrollTop) parent.scrollTop = above;
      else if (below > parent.scrollTop + parent.clientHeight)
        parent.scrollTop = below - parent.clientHeight;
    },
  };
}
