// What was trained, and the table of cells.

import { counted, duration, fixed, measureName, number, percent } from "../parts/format.js";

// How many directories of runs are listed.
const mostPaths = 6;

function distinct(values) {
  return [
    ...new Set(values.filter((value) => value !== null && value !== undefined && value !== "")),
  ];
}

// "2026-11-18T03:10:00Z" as "2026-11-18 03:10 UTC".
function moment(text) {
  const parts = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})(?::\d{2}(?:\.\d+)?)?Z$/.exec(text);
  return parts ? `${parts[1]} ${parts[2]} UTC` : text;
}

const listedSeeds = 8;

function seedsText(runs) {
  const seeds = distinct(runs.map(({ seed }) => seed)).sort((a, b) => a - b);
  if (seeds.length === 0) return null;
  if (seeds.length <= listedSeeds) return seeds.join(", ");
  return `${seeds.length.toLocaleString("en")} different ones, ${seeds[0]} to ${seeds[seeds.length - 1]}`;
}

function statesText(runs) {
  const states = distinct(runs.map(({ state }) => state));
  return states
    .map((state) => {
      const count = runs.filter((run) => run.state === state).length;
      return `${count.toLocaleString("en")} ${state}`;
    })
    .join(", ");
}

// Of runs that belong to no experiment, whose names are their directories.
function pathsText(runs) {
  const names = runs.map(({ name }) => name);
  return names.length > mostPaths
    ? `${names.slice(0, mostPaths).join(", ")} and ${names.length - mostPaths} more`
    : names.join(", ");
}

// The settings that all runs have, without those of the optimiser.
function settingsText(settings) {
  return Object.entries(settings)
    .filter(([name]) => !/^(beta|epsilon|decay|min-learning|max-learning)/.test(name))
    .map(([name, value]) => `${name} = ${value}`)
    .join(", ");
}

// [name, text] of everything that is known of an experiment's runs.
export function facts(experiment) {
  const runs = experiment.cells.flatMap((cell) => cell.restarts);
  const total = experiment.cells.reduce((sum, cell) => sum + cell.runs, 0);
  const begun = distinct(runs.map((run) => run.begun)).sort();
  const versions = distinct(
    runs
      .filter(({ version }) => version)
      .map(({ version, revision }) => (revision ? `${version} (${revision})` : version)),
  );
  const states = statesText(runs);
  const missing = total - runs.length;
  const seconds = runs.reduce((sum, run) => sum + (run.seconds ?? 0), 0);
  return [
    ["Path", experiment.path || pathsText(runs)],
    ["Settings", settingsText(experiment.settings ?? {})],
    [
      "Runs",
      `${counted(experiment.cells.length, "cell")}, ${counted(total, "run")}` +
        (states ? `: ${states}` : "") +
        (missing > 0 ? `, ${missing} not begun` : ""),
    ],
    [
      "Begun",
      begun.length > 1
        ? `${moment(begun[0])} to ${moment(begun[begun.length - 1])}`
        : begun.map(moment).join(""),
    ],
    // Exports may have a version of their own only.
    ["Version", versions.join(", ") || experiment.version],
    ["Seeds", seedsText(runs)],
    ["CPU", distinct(runs.map((run) => run.machine)).join("\n")],
    ["Time", runs.length > 0 ? `${duration(seconds)}, all runs together` : null],
    [
      "Published",
      experiment.published
        ? `${experiment.published.source} (${counted(experiment.published.runs, "run")} of each cell)`
        : null,
    ],
  ].filter(([, text]) => text);
}

// [{reason, runs: [name]}], the most frequent first.
export function failures(experiment) {
  const reasons = new Map();
  for (const run of experiment.cells.flatMap((cell) => cell.restarts)) {
    if (run.state !== "failed") continue;
    const reason = run.failure || "no reason recorded";
    if (!reasons.has(reason)) reasons.set(reason, []);
    reasons.get(reason).push(run.name);
  }
  return [...reasons]
    .map(([reason, runs]) => ({ reason, runs }))
    .sort((a, b) => b.runs.length - a.runs.length);
}

// What the test against published numbers says: a kind for its colour, and a text with a sign.
export function verdict({ mean, comparison }) {
  if (typeof comparison?.adjusted_p !== "number") return { kind: "none", text: "– no test" };
  const p = comparison.adjusted_p < 0.001 ? "p < 0.001" : `p = ${number(comparison.adjusted_p)}`;
  if (!comparison.differs) return { kind: "same", text: `≈ no difference found (${p})` };
  return mean > comparison.mean
    ? { kind: "worse", text: `≠ differs (${p}, worse)` }
    : { kind: "better", text: `≠ differs (${p}, better)` };
}

// A measure with the decimals of its column, so that numbers stand below each other.
function measureText(value, measure) {
  if (typeof value !== "number") return "–";
  const size = Math.abs(value);
  if (size >= 1e5 || (size > 0 && size < 5e-5)) return number(value);
  return fixed(value, measure === "perplexity" ? 2 : 4);
}

// A mean with its standard deviation, which one run does not have.
export function meanText({ mean, sd }, text = number) {
  return typeof mean === "number" && typeof sd === "number"
    ? `${text(mean)} ± ${text(sd)}`
    : text(mean);
}

// The columns of the table of cells. `value` is what is sorted and saved, `text` what is shown;
// `setting` is true for what tells cells apart, `name` is that of the column in the CSV file, if it
// is not the label, and `also` are further columns there.
export function columnsOf(experiment) {
  const { measure, keys, cells, published } = experiment;
  const inColumn = (value) => measureText(value, measure);
  const numeric = (id, label, value, text, more = {}) => ({
    id,
    label,
    numeric: true,
    value,
    text: text ?? ((cell) => inColumn(value(cell))),
    ...more,
  });
  const paper = (name) => (cell) => cell.comparison?.[name] ?? null;
  const settings = (keys.length > 0 ? keys : [null]).map((key) => {
    const value = (cell) => (key === null ? cell.name || "all runs" : (cell.values[key] ?? null));
    const isNumber = (text) =>
      text === null || (text.trim() !== "" && Number.isFinite(Number(text)));
    const numbers = cells.every((cell) => isNumber(value(cell)));
    return {
      id: key ?? "cell",
      label: key ?? "cell",
      setting: true,
      numeric: numbers,
      value: (cell) => (numbers && value(cell) !== null ? Number(value(cell)) : value(cell)),
      text: (cell) => value(cell) ?? "–",
    };
  });
  const columns = [
    ...settings,
    numeric(
      "runs",
      "runs",
      (cell) => cell.finished,
      (cell) => `${cell.finished}/${cell.runs}`,
      {
        name: "finished",
        title: "finished runs of all",
        also: [["runs", (cell) => cell.runs]],
      },
    ),
    numeric("best", "best", (cell) => cell.best, null, {
      title: "of the runs, by validation",
      also: [
        ["best, 95 % interval from", (cell) => cell.comparison?.best_interval?.[0] ?? null],
        ["best, 95 % interval to", (cell) => cell.comparison?.best_interval?.[1] ?? null],
      ],
    }),
    numeric("paper-best", "published best", paper("best"), null, { paper: true }),
    numeric(
      "mean",
      "mean\u00a0±\u00a0sd",
      (cell) => cell.mean,
      (cell) => meanText(cell, inColumn),
      {
        name: "mean",
        title: "of the runs, by validation",
        also: [
          ["sd", (cell) => cell.sd],
          ["mean, 95 % interval from", (cell) => cell.comparison?.mean_interval?.[0] ?? null],
          ["mean, 95 % interval to", (cell) => cell.comparison?.mean_interval?.[1] ?? null],
        ],
      },
    ),
    numeric(
      "paper-mean",
      "published mean\u00a0±\u00a0sd",
      paper("mean"),
      (cell) => meanText(cell.comparison ?? {}, inColumn),
      { name: "published mean", paper: true, also: [["published sd", paper("sd")]] },
    ),
    numeric("verdict", "test of the means", paper("adjusted_p"), (cell) => verdict(cell).text, {
      name: "p",
      paper: true,
      kind: (cell) => verdict(cell).kind,
      title: "Welch's test, p by Holm's method; differs if p is below 0.01",
      also: [["verdict", (cell) => verdict(cell).text]],
    }),
    numeric("median", "median", (cell) => cell.median),
    numeric(
      "solved",
      `solved (<\u00a0${number(experiment.solved)})`,
      (cell) => cell.solved,
      (cell) => percent(cell.solved),
      {
        name: "solved",
        title: "share of the finished runs below the threshold",
      },
    ),
    numeric("test", "test of best", (cell) => cell.test, null, {
      title: "of the best run by validation",
    }),
    numeric("paper-test", "published test", paper("test"), null, { paper: true }),
    numeric(
      "epochs",
      "epochs",
      (cell) => cell.epochs,
      (cell) => number(cell.epochs === null ? null : Math.round(cell.epochs)),
      {
        title: "mean of the runs",
      },
    ),
    numeric(
      "time",
      "time",
      (cell) => cell.seconds,
      (cell) => duration(cell.seconds),
      {
        name: "seconds",
        title: "all runs together",
      },
    ),
  ];
  const known = (column) =>
    cells.some((cell) => column.value(cell) !== null && column.value(cell) !== undefined);
  return columns.filter((column) => {
    if (column.id === "verdict") return Boolean(published);
    if (column.paper || column.id === "test") return known(column);
    return column.id !== "solved" || measure === "difference";
  });
}

// Cells in the order of a column; what has no value comes last, whichever the direction.
export function sorted(cells, column, direction) {
  if (!column || direction === "none") return cells;
  const sign = direction === "descending" ? -1 : 1;
  const missing = (value) => value === null || value === undefined || Number.isNaN(value);
  const compare = column.numeric
    ? (a, b) => a - b
    : (a, b) => String(a).localeCompare(String(b), "en", { numeric: true });
  return [...cells].sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (missing(x) || missing(y)) return Number(missing(x)) - Number(missing(y));
    return sign * compare(x, y);
  });
}

// Cells in whose settings all words of `query` occur, as values or as key=value.
export function filtered(cells, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return cells;
  return cells.filter((cell) => {
    const texts = Object.entries(cell.values).map(([key, value]) =>
      `${key}=${value}`.toLowerCase(),
    );
    return words.every((word) => texts.some((text) => text.includes(word)));
  });
}

// The table as a file: numbers as they are.
export function cellsTable(columns, cells) {
  const names = columns.flatMap(({ label, name = label, also = [] }) => [
    name,
    ...also.map(([of]) => of),
  ]);
  const rows = cells.map((cell) =>
    columns.flatMap(({ value, also = [] }) => [value(cell), ...also.map(([, of]) => of(cell))]),
  );
  return { columns: names, rows };
}

export function tableNote(experiment) {
  const tested = experiment.cells.some((cell) => typeof cell.test === "number");
  const test =
    experiment.measure === "difference" && tested
      ? "The test of the best run is the difference on the test set by the bound of each length. "
      : "";
  const solved =
    experiment.measure === "difference"
      ? `Solved: the share of finished runs below ${number(experiment.solved)}. `
      : "";
  return (
    `Best, mean, standard deviation and median are of the ${measureName(experiment.measure)} on the validation ` +
    `set, each finished run with its best epoch${experiment.measure === "perplexity" ? "" : ", in nats a symbol"}. ` +
    `${solved}${test}` +
    (experiment.published
      ? "Test of the means: Welch's test against the published mean, p corrected by Holm's method for the number of cells; “differs” if p is below 0.01."
      : "")
  );
}
