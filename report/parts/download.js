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
  "paint-order",
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

// Where the pictures of a figure are in a file: beside each other if they are so on the page,
// otherwise below each other. The key, which the page does not show, has a row of its own.
function layOut(pictures) {
  const places = [];
  let row = { y: 0, height: 0 };
  let width = 0;
  pictures.forEach((picture, n) => {
    const box = picture.viewBox.baseVal;
    const before = pictures[n - 1];
    const at = picture.getBoundingClientRect();
    const last = before?.getBoundingClientRect();
    const beside =
      before &&
      !before.classList.contains("picture-key") &&
      Math.abs(at.top - last.top) < 2 &&
      at.left >= last.right - 2;
    if (!beside) row = { y: row.y + row.height, height: 0 };
    const x = beside ? places[n - 1].x + places[n - 1].width + (at.left - last.right) : 0;
    places.push({ x, y: row.y, width: box.width, height: box.height });
    row.height = Math.max(row.height, box.height);
    width = Math.max(width, x + box.width);
  });
  return { places, width, height: row.y + row.height };
}

// All pictures of a figure in one SVG, on the page's background.
export function svgText(pictures, title, background) {
  const { places, width, height } = layOut(pictures);
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
  pictures.forEach((picture, n) => {
    const copy = withStyles(picture);
    for (const [key, value] of Object.entries(places[n])) copy.setAttribute(key, value);
    all.append(copy);
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
