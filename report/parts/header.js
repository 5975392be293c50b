// The head and the foot of the page.

import { element } from "./dom.js";
import { counted } from "./format.js";

const themes = ["auto", "light", "dark"];

function themeButton() {
  const root = document.documentElement;
  let theme = "auto";
  const button = element("button", { type: "button", id: "theme" });
  const show = () => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
  };
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    show();
  });
  show();
  return button;
}

function contents({ data, runs }) {
  const parts = [
    [data.experiments.filter((experiment) => experiment.name).length, "experiment"],
    [runs.length, "run"],
    [data.inspections.length, "inspected string"],
    [data.pca.length, "component analysis", "component analyses"],
    [data.automata.length, "automaton", "automata"],
  ];
  return parts
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => (many && count > 1 ? `${count} ${many}` : counted(count, one)))
    .join(", ");
}

export function header(place, context) {
  place.append(
    element("h1", {}, context.data.title),
    element("p", { class: "subtitle" }, contents(context)),
    themeButton(),
  );
}

export function footer(place, { data }) {
  const revision = data.revision ? ` (${data.revision})` : "";
  const licence = document.getElementById("d3-licence").textContent.replace(/&lt;/g, "<");
  place.append(
    element("p", {}, `Written by Pushdown ${data.pushdown}${revision} on ${data.written}.`),
    element(
      "details",
      {},
      element("summary", {}, "Licence of D3, which draws the figures"),
      element("pre", {}, licence),
    ),
  );
}
