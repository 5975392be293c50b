// The files that a figure can be saved as: SVG, CSV and PGFPlots.

export function save(name, type, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// What a picture needs of the page's styles, so that it looks the same in other programs.
const properties = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-size",
  "font-family",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "visibility",
];

function withStyles(svg) {
  const copy = svg.cloneNode(true);
  const originals = [svg, ...svg.querySelectorAll("*")];
  const copies = [copy, ...copy.querySelectorAll("*")];
  for (let n = 0; n < originals.length; ++n) {
    const style = getComputedStyle(originals[n]);
    if (style.display === "none") copies[n].setAttribute("display", "none");
    for (const property of properties) {
      copies[n].setAttribute(property, style.getPropertyValue(property));
    }
    copies[n].removeAttribute("class");
    copies[n].removeAttribute("style");
  }
  return copy;
}

// All pictures of a figure below each other in one SVG, on the page's background.
export function svgText(pictures, title, background) {
  const boxes = pictures.map((picture) => {
    const box = picture.viewBox.baseVal;
    return { width: box.width, height: box.height };
  });
  const width = Math.max(...boxes.map((box) => box.width));
  const height = boxes.reduce((sum, box) => sum + box.height, 0);
  const name = "http://www.w3.org/2000/svg";
  const all = document.createElementNS(name, "svg");
  all.setAttribute("xmlns", name);
  all.setAttribute("viewBox", `0 0 ${width} ${height}`);
  all.setAttribute("width", width);
  all.setAttribute("height", height);
  const heading = document.createElementNS(name, "title");
  heading.textContent = title;
  const back = document.createElementNS(name, "rect");
  for (const [key, value] of Object.entries({ width, height, fill: background })) {
    back.setAttribute(key, value);
  }
  all.append(heading, back);
  let top = 0;
  pictures.forEach((picture, n) => {
    const copy = withStyles(picture);
    copy.setAttribute("y", top);
    copy.setAttribute("width", boxes[n].width);
    copy.setAttribute("height", boxes[n].height);
    all.append(copy);
    top += boxes[n].height;
  });
  return new XMLSerializer().serializeToString(all);
}

function csvField(value) {
  if (value === null || value === undefined) return "";
  const text = String(value);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

// `table` is {columns: [name], rows: [[value]]}.
export function csvText({ columns, rows }) {
  return [columns, ...rows].map((row) => `${row.map(csvField).join(",")}\n`).join("");
}
