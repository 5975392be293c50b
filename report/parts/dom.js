// Elements of the page. Text from files becomes text nodes and attributes only, never markup.

export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      node.addEventListener(name.slice(2), value);
    } else if (value === true) {
      node.setAttribute(name, "");
    } else if (value !== false && value !== null && value !== undefined) {
      node.setAttribute(name, value);
    }
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

// A choice of one of several values: a labelled select.
export function choice(label, options, value, onChange) {
  const select = element("select", { onchange: () => onChange(select.value) });
  for (const option of options) {
    const { value: of, text } =
      typeof option === "string" ? { value: option, text: option } : option;
    select.append(element("option", { value: of, selected: of === value }, text));
  }
  return element("label", { class: "choice" }, `${label} `, select);
}

// A switch: a labelled checkbox.
export function toggle(label, checked, onChange) {
  const box = element("input", { type: "checkbox", onchange: () => onChange(box.checked) });
  box.checked = checked;
  return element("label", { class: "choice" }, box, ` ${label}`);
}
