import assert from "node:assert/strict";
import test from "node:test";
import "./d3.js";

const {
  acceptance,
  acceptingText,
  automatonTitle,
  edgeLines,
  madeNames,
  stepWords,
  stuckWords,
  transitionLabel,
  transitionTable,
  unknownWords,
} = await import("../data/automaton_text.js");
const { automatonTikz, tikzPath } = await import("../data/automaton_tikz.js");

const brackets = {
  name: "brackets",
  kind: "automaton",
  inputs: ["(", ")"],
  states: ["q"],
  stack_symbols: ["$", "X"],
  transitions: [
    { from: [0, 0], input: 0, to: 0, pushed: [0, 1] },
    { from: [0, 1], input: 0, to: 0, pushed: [1, 1] },
    { from: [0, 1], input: 1, to: 0, pushed: [] },
  ],
  accepting: [[[0, 0]]],
  layout: null,
};

test("labels have ε for what is not read or not pushed", () => {
  assert.equal(transitionLabel(brackets, brackets.transitions[0]), "(, $ → $ X");
  assert.equal(transitionLabel(brackets, brackets.transitions[2]), "), X → ε");
  const silent = { from: [0, 1], input: null, to: 0, pushed: [] };
  assert.equal(transitionLabel(brackets, silent), "ε, X → ε");
});

test("steps in words", () => {
  const words = (transition) => stepWords({ ...brackets, states: ["q", "r"] }, transition);
  assert.equal(words(brackets.transitions[2]), "reads ), pops X, stays in q");
  assert.equal(words(brackets.transitions[0]), "reads (, pushes X on $, stays in q");
  const to = (input, pushed) => ({ from: [0, 1], input, to: 1, pushed });
  assert.equal(words(to(null, [1])), "reads nothing, keeps X, goes to r");
  assert.equal(words(to(0, [0])), "reads (, replaces X by $, goes to r");
  assert.equal(words(to(0, [0, 1])), "reads (, replaces X by $ X, goes to r");
});

test("long labels are cut, and say how many lines are missing", () => {
  const transitions = Array.from({ length: 17 }, () => brackets.transitions[0]);
  const of = { ...brackets, transitions };
  const all = transitions.map((_, n) => n);
  const numbers = (lines) => lines.map(({ transition }) => transition);
  assert.deepEqual(numbers(edgeLines(of, all)), [0, 1, 2, 3, null]);
  assert.equal(edgeLines(of, all)[4].text, "… 13 more");
  // The transition that a run has just taken is seen.
  assert.deepEqual(numbers(edgeLines(of, all, 9)), [0, 1, 2, 9, null]);
  assert.deepEqual(numbers(edgeLines(of, all, 2)), [0, 1, 2, 3, null]);
  assert.deepEqual(numbers(edgeLines(of, all.slice(0, 5))), [0, 1, 2, 3, 4]);
});

test("states say where they accept, if a double circle does not say it all", () => {
  const note = (accepting, state = 0) =>
    acceptance({ ...brackets, states: ["q", "r"], accepting }, state);
  assert.deepEqual(note([[[0, 0]]]), { bottom: true, note: "" });
  assert.deepEqual(note([[[0, 0]]], 1), { bottom: false, note: "" });
  assert.deepEqual(note([[[0, 1]]]), { bottom: false, note: "accepts with X" });
  assert.deepEqual(
    note([
      [
        [0, 0],
        [0, 1],
      ],
    ]),
    { bottom: true, note: "accepts with $, X" },
  );
  assert.deepEqual(note([[[0, 0]], []]), { bottom: true, note: "language 1" });
  assert.deepEqual(note([[[0, 0]], [[0, 0]]]), { bottom: true, note: "languages 1, 2" });
  const both = note([[[0, 0]], [[0, 1]]]);
  assert.deepEqual(both, { bottom: true, note: "languages 1 with $; 2 with X" });
});

test("accepting pairs in words", () => {
  assert.equal(acceptingText(brackets), "Accepts in q with $ on top.");
  assert.equal(
    acceptingText({
      ...brackets,
      accepting: [
        [
          [0, 0],
          [0, 1],
        ],
        [],
      ],
    }),
    "Language 1 accepts in q with $ on top, q with X on top. Language 2 accepts nowhere.",
  );
});

test("where a run is stuck", () => {
  const words = (text, input, position, stack) =>
    stuckWords(brackets, text.split(" "), input, { state: 0, position, stack });
  const bottom = { symbol: 0, below: null, height: 1 };
  const open = { symbol: 1, below: bottom, height: 2 };
  assert.match(words(") (", [1, 0], 0, bottom), /no transition reads \) in q with \$ on top/);
  assert.match(words("(", [0], 1, open), /All is read, but .* in q with X on top/);
  assert.match(words("x", [-1], 0, bottom), /x is not an input symbol/);
  assert.match(words("( )", [0, 1], 1, null), /stack is empty/);
  assert.match(words("( (", [0, 0], 1, open), /no run that can still accept/);
});

test("symbols that the automaton does not have are named", () => {
  const ab = { ...brackets, inputs: ["a", "b"] };
  const words = (text, input) => unknownWords(ab, text.split(" "), input);
  assert.equal(words("a b", [0, 1]), "");
  assert.equal(words("aab", [-1]), "aab is not an input symbol; separate symbols by spaces");
  assert.equal(words("a x x", [0, -1, -1]), "x is not an input symbol");
  assert.equal(words("x a y", [-1, 0, -1]), "x and 1 other are not input symbols");
});

test("names that the construction has made", () => {
  const made = (states, symbols) => madeNames({ states, stack_symbols: symbols });
  assert.deepEqual(made(["start+3", "loop"], ["$", "S", "_bark.S"]), ["start+3", "_bark.S"]);
  assert.deepEqual(made(["start", "q"], ["$", "N3.N3"]), ["N3.N3"]);
  assert.deepEqual(made(["q"], ["$", "."]), []);
});

test("titles say what kind of automaton it is", () => {
  assert.equal(
    automatonTitle(brackets),
    "brackets: a deterministic pushdown automaton with 1 state, 2 stack symbols and 3 transitions",
  );
  const both = { ...brackets, kind: "recognizer", accepting: [[], []] };
  assert.match(automatonTitle(both), /recognizer for the intersection of 2 languages with/);
});

test("the table has a row for each transition", () => {
  const { columns, rows } = transitionTable(brackets);
  assert.equal(columns.length, 6);
  assert.deepEqual(rows[2], [3, "q", ")", "X", "q", "ε"]);
});

test("paths become TikZ's curves, with y upwards", () => {
  const place = (x, y) => `(${x},${100 - y})`;
  assert.equal(
    tikzPath("M10 20C1 2 3 4 5 6 7 8 9 10 11 12", place),
    "(10,80) .. controls (1,98) and (3,96) .. (5,94) .. controls (7,92) and (9,90) .. (11,88)",
  );
  assert.equal(tikzPath("M 1,2 L -3.5,4e1", place), "(1,98) -- (-3.5,60)");
});

test("the TikZ picture has all states, arrows and lines", () => {
  const layout = {
    width: 100,
    height: 80,
    states: [{ x: 60, y: 50, rx: 18, ry: 18 }],
    start: { path: "M2 50C10 50 20 50 32 50", tip: [42, 50] },
    edges: [
      {
        from: 0,
        to: 0,
        path: "M55 33C50 20 70 20 65 30",
        tip: [64, 33],
        label: [60, 10],
        transitions: [0, 1, 2],
      },
    ],
  };
  const text = automatonTikz({ ...brackets, layout });
  assert.match(text, /\\draw \(60,30\) ellipse \[x radius=18, y radius=18\];/);
  assert.match(text, /x radius=14/);
  assert.match(text, /\\draw\[->\] \(2,30\) .* -- \(42,30\);/);
  // \\* and \\[ would be more than a line end.
  const lines = ["{}(, \\$ $\\to$ \\$ X", "{}(, X $\\to$ X X", "{}), X $\\to$ $\\varepsilon$"];
  assert.ok(text.includes(`{${lines.join("\\\\")}}`));
});

test("without a layout there is a table", () => {
  assert.match(automatonTikz(brackets), /3 & q & \) & X & q & \$\\varepsilon\$ \\\\/);
});
