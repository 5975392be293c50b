// The one tooltip of the page: a heading and lines of text beside the pointer or a mark.

import { element } from "./dom.js";

const gap = 14;

function box() {
  return document.getElementById("tooltip");
}

// `at` is a place in the window, {x, y}.
export function showTooltip(at, heading, lines = []) {
  const tooltip = box();
  tooltip.replaceChildren(
    element("strong", {}, heading),
    ...lines.map((line) => element("div", {}, line)),
  );
  tooltip.hidden = false;
  const { width, height } = tooltip.getBoundingClientRect();
  const left = at.x + gap + width > window.innerWidth ? at.x - gap - width : at.x + gap;
  const top = at.y + gap + height > window.innerHeight ? at.y - gap - height : at.y + gap;
  tooltip.style.left = `${Math.max(4, left)}px`;
  tooltip.style.top = `${Math.max(4, top)}px`;
}

export function hideTooltip() {
  box().hidden = true;
}
