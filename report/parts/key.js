// The legend as a picture: on paper and in files, where there are no buttons.

import { chart } from "./chart.js";
import { markPath } from "./palette.js";

const rowHeight = 20;
const sample = 30;
const letter = 6.9;

function layOut(entries, width) {
  let x = 0;
  let row = 0;
  return entries.map((entry) => {
    const needed = sample + 8 + entry.name.length * letter + 18;
    if (x > 0 && x + needed > width) {
      x = 0;
      ++row;
    }
    const place = { entry, x, row };
    x += needed;
    return place;
  });
}

// Entries are {name, style}, {name, style, faint}, {name, style, dash} or {name, sign}.
export function drawKey(parent, entries) {
  if (entries.length === 0) return;
  const places = layOut(entries, Math.max(240, parent.clientWidth || 640));
  const rows = places[places.length - 1].row + 1;
  const { svg, plot } = chart(parent, {
    label: "Legend",
    height: rows * rowHeight + 8,
    margin: { top: 4, right: 0, bottom: 4, left: 4 },
  });
  svg.classed("picture-key", true).attr("aria-hidden", "true");
  for (const { entry, x, row } of places) {
    const group = plot.append("g").attr("transform", `translate(${x},${row * rowHeight + 10})`);
    if (entry.sign) {
      group
        .append("text")
        .attr("x", sample / 2)
        .attr("y", 4)
        .attr("text-anchor", "middle")
        .text(entry.sign);
    } else {
      group
        .append("line")
        .attr("x2", sample)
        .attr("stroke", entry.style.color)
        .attr("stroke-width", entry.faint ? 1 : 2)
        .attr("stroke-opacity", entry.faint ? 0.5 : 1)
        .attr("stroke-dasharray", entry.dash ?? entry.style.dash);
      if (!entry.faint && !entry.dash && entry.style.mark) {
        group
          .append("path")
          .attr("d", markPath(entry.style.mark, 36))
          .attr("transform", `translate(${sample / 2},0)`)
          .attr("fill", entry.style.color);
      }
    }
    group
      .append("text")
      .attr("x", sample + 8)
      .attr("y", 4)
      .text(entry.name);
  }
}
