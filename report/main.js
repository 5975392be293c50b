// The page: reads the data that `pushdown report` wrote into it, and mounts the sections that it has
// something for.

import { pageContext } from "./data/context.js";
import { automata } from "./figures/automata.js";
import { byLength } from "./figures/by_length.js";
import { capacity } from "./figures/capacity.js";
import { inside } from "./figures/inside.js";
import { learningCurves } from "./figures/learning_curves.js";
import { overview } from "./figures/overview.js";
import { pca } from "./figures/pca.js";
import { textPerplexity } from "./figures/text.js";
import { element } from "./parts/dom.js";
import { footer, header } from "./parts/header.js";

// Each section is {id, title, mount(parent, context)}, and mounts what there is to see; a section
// that has put nothing into its place is left out.
const sections = [
  overview,
  learningCurves,
  byLength,
  capacity,
  textPerplexity,
  inside,
  pca,
  automata,
];

const data = JSON.parse(document.getElementById("data").textContent);
const context = pageContext(data);
header(document.getElementById("page-header"), context);

const content = document.getElementById("content");
const links = [];
for (const { id, title, mount } of sections) {
  const heading = element("h2", { id: `${id}-heading` }, title);
  const place = element("section", { id, "aria-labelledby": `${id}-heading` }, heading);
  content.append(place);
  try {
    mount(place, context);
  } catch (error) {
    console.error(error);
    place.append(
      element("p", { class: "problem" }, `This section cannot be shown: ${error.message}`),
    );
  }
  if (place.children.length === 1) {
    place.remove();
  } else {
    links.push(element("li", {}, element("a", { href: `#${id}` }, title)));
  }
}
if (links.length > 1) document.getElementById("contents").append(element("ul", {}, links));
footer(document.getElementById("page-footer"), context);
document.documentElement.dataset.ready = "true";
