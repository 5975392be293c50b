// Figures in the language of PGFPlots (\usepackage{pgfplots}, \pgfplotsset{compat=1.13} or newer).
//
// A plot is {axes: [axis]}, or {tikz: text} for a picture that has no axes. An axis is
//   {title, xLabel, yLabel, xLog, yLog, xTicks, series: [series]}, where a series is
//     {name, points: [[x, y]], kind: "line" | "steps" | "marks" | "bars", dashed, faint, color}, or
//     (color is a number; series that belong together share it, and without it each has its own)
//   {title, xLabel, yLabel, matrix: {columns: [name], rows: [name], values: [[number]]}}.

const special = {
  "\\": "\\textbackslash{}",
  "{": "\\{",
  "}": "\\}",
  $: "\\$",
  "&": "\\&",
  "#": "\\#",
  "%": "\\%",
  _: "\\_",
  "^": "\\textasciicircum{}",
  "~": "\\textasciitilde{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  "…": "\\dots{}",
  "⊥": "$\\bot$",
  ε: "$\\varepsilon$",
  "→": "$\\to$",
  "−": "-",
  "±": "$\\pm$",
};

// Text that TeX shows as it is. Line ends would end an option.
export function tex(text) {
  return [...String(text).replace(/\s+/g, " ")]
    .map((character) => special[character] ?? character)
    .join("");
}

const colors = ["blue", "red", "teal", "orange", "violet", "brown", "olive", "black"];

const kinds = {
  line: ["no marks"],
  steps: ["const plot", "no marks"],
  marks: ["only marks", "mark size=1pt"],
  bars: ["ybar", "no marks"],
};

function number(value) {
  return value === null || value === undefined || !Number.isFinite(value) ? "nan" : String(value);
}

function seriesLines(series, index) {
  const options = [
    colors[(series.color ?? index) % colors.length],
    ...(kinds[series.kind ?? "line"] ?? kinds.line),
  ];
  if (series.dashed) options.push("dashed");
  if (series.faint) options.push("opacity=0.3", "forget plot");
  const points = series.points.map(([x, y]) => `      (${number(x)},${number(y)})`);
  const lines = [`    \\addplot[${options.join(", ")}] coordinates {`, ...points, "    };"];
  if (!series.faint) lines.push(`    \\addlegendentry{${tex(series.name)}}`);
  return lines;
}

function list(names) {
  return names.map((name) => `{${tex(name)}}`).join(",");
}

function matrixLines({ columns, rows, values }) {
  const lines = [
    `    \\addplot[matrix plot*, point meta=explicit, mesh/cols=${columns.length}] table[meta=value] {`,
    "      x y value",
  ];
  values.forEach((row, y) => {
    row.forEach((value, x) => {
      lines.push(`      ${x} ${y} ${number(value)}`);
    });
  });
  lines.push("    };");
  return { lines, height: rows.length };
}

function axisText(axis) {
  const options = ["width=10cm", "height=6cm"];
  const text = { title: axis.title, xlabel: axis.xLabel, ylabel: axis.yLabel };
  for (const [name, value] of Object.entries(text)) {
    if (value) options.push(`${name}={${tex(value)}}`);
  }
  if (axis.xLog) options.push("xmode=log");
  if (axis.yLog) options.push("ymode=log");
  if (axis.xTicks) options.push(`xtick={${axis.xTicks.join(",")}}`);
  let lines = [];
  if (axis.matrix) {
    const { columns, rows } = axis.matrix;
    const every = (names) => names.map((_, n) => n).join(",");
    options.push("y dir=reverse", "enlargelimits=false", "colorbar");
    options.push(`xtick={${every(columns)}}`, `xticklabels={${list(columns)}}`);
    options.push(`ytick={${every(rows)}}`, `yticklabels={${list(rows)}}`);
    lines = matrixLines(axis.matrix).lines;
  } else {
    options.push(
      "legend style={font=\\small}",
      "legend pos=outer north east",
      "unbounded coords=jump",
    );
    lines = axis.series.flatMap(seriesLines);
  }
  return [`  \\begin{axis}[${options.join(",\n    ")}]`, ...lines, "  \\end{axis}"].join("\n");
}

export function pgfplotsText(plot, title) {
  const comment = `% ${String(title).replace(/\s+/g, " ")}\n`;
  if (plot.tikz) return `${comment}${plot.tikz}\n`;
  return plot.axes
    .map((axis) => `${comment}\\begin{tikzpicture}\n${axisText(axis)}\n\\end{tikzpicture}\n`)
    .join("\n");
}
