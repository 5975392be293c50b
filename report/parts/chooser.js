// Chooses one of several groups of cells, or all of them at once if they are few.

import { choice, element } from "./dom.js";

export const all = "all";
export const mostPanels = 9;

// `onChoose(id)` gets the id of a group, or `all`.
export function chooser(label, groups, value, onChoose) {
  if (groups.length < 2) return [];
  const options = groups.map((group) => ({ value: group.id, text: group.label || "–" }));
  if (groups.length <= mostPanels) {
    options.unshift({ value: all, text: `all ${groups.length} beside each other` });
  }
  const control = choice(label, options, value, (chosen) => {
    update();
    onChoose(chosen);
  });
  const select = control.querySelector("select");
  const step = (by) => {
    select.selectedIndex += by;
    update();
    onChoose(select.value);
  };
  const button = (text, name, by) =>
    element(
      "button",
      { type: "button", "aria-label": name, title: name, onclick: () => step(by) },
      text,
    );
  const previous = button("‹", "Previous", -1);
  const next = button("›", "Next", 1);
  function update() {
    previous.disabled = select.selectedIndex <= 0;
    next.disabled = select.selectedIndex >= options.length - 1;
  }
  update();
  return [element("span", { class: "chooser" }, previous, control, next)];
}
