// The drawing of an automaton in the language of TikZ, at the coordinates of its layout.

import { tex } from "../parts/pgfplots.js";
import { acceptance, edgeLines, transitionTable } from "./automaton_text.js";

// A path of lines and cubic curves, "M x y C ...", as TikZ writes it. TikZ has y upwards.
export function tikzPath(path, place) {
  let text = "";
  for (const [, command, rest] of path.matchAll(/([MLC])([^MLC]*)/g)) {
    const numbers = (rest.match(/-?[\d.]+(?:e-?\d+)?/gi) ?? []).map(Number);
    const points = [];
    for (let n = 0; n + 1 < numbers.length; n += 2) points.push(place(numbers[n], numbers[n + 1]));
    if (command === "M") {
      text += points[0];
      for (const point of points.slice(1)) text += ` -- ${point}`;
    } else if (command === "L") {
      for (const point of points) text += ` -- ${point}`;
    } else {
      for (let n = 0; n + 2 < points.length; n += 3) {
        text += ` .. controls ${points[n]} and ${points[n + 1]} .. ${points[n + 2]}`;
      }
    }
  }
  return text;
}

function short(value) {
  return String(Math.round(value * 100) / 100);
}

function drawing(automaton, layout) {
  const place = (x, y) => `(${short(x)},${short(layout.height - y)})`;
  const arrow = (path, tip) =>
    `  \\draw[->] ${tikzPath(path, place)}${tip ? ` -- ${place(...tip)}` : ""};`;
  const lines = ["\\begin{tikzpicture}[x=1pt, y=1pt, >=stealth]"];
  layout.states.forEach(({ x, y, rx, ry }, state) => {
    const { bottom, note } = acceptance(automaton, state);
    const ellipse = (less) =>
      `  \\draw ${place(x, y)} ellipse [x radius=${short(rx - less)}, y radius=${short(ry - less)}];`;
    lines.push(ellipse(0));
    if (bottom) lines.push(ellipse(4));
    lines.push(
      `  \\node[font=\\footnotesize] at ${place(x, y)} {${tex(automaton.states[state])}};`,
    );
    if (note) {
      lines.push(`  \\node[font=\\tiny, below] at ${place(x, y + ry)} {${tex(note)}};`);
    }
  });
  if (layout.start) lines.push(arrow(layout.start.path, layout.start.tip));
  for (const { path, tip, label, transitions } of layout.edges) {
    lines.push(arrow(path, tip));
    if (!label) continue;
    // The braces keep a line that begins with [ or * from being an argument of the line end.
    const text = edgeLines(automaton, transitions).map((line) => `{}${tex(line.text)}`);
    lines.push(
      `  \\node[align=center, font=\\scriptsize] at ${place(...label)} {${text.join("\\\\")}};`,
    );
  }
  return [...lines, "\\end{tikzpicture}"].join("\n");
}

function tabular(automaton) {
  const { columns, rows } = transitionTable(automaton);
  const line = (row) => `  ${row.map(tex).join(" & ")} \\\\`;
  return [
    `\\begin{tabular}{${"l".repeat(columns.length)}}`,
    line(columns),
    "  \\hline",
    ...rows.map(line),
    "\\end{tabular}",
  ].join("\n");
}

// Without a layout, a table of the transitions.
export function automatonTikz(automaton) {
  return automaton.layout ? drawing(automaton, automaton.layout) : tabular(automaton);
}
