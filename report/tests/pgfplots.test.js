import assert from "node:assert/strict";
import test from "node:test";
import { pgfplotsText, tex } from "../parts/pgfplots.js";

test("characters that mean something to TeX are escaped", () => {
  assert.equal(tex("50 % & #1 $x_1$ {a}"), "50 \\% \\& \\#1 \\$x\\_1\\$ \\{a\\}");
  assert.equal(tex("a\\b"), "a\\textbackslash{}b");
  assert.equal(tex("^~"), "\\textasciicircum{}\\textasciitilde{}");
});

test("characters that TeX's oldest encoding does not have are named", () => {
  assert.equal(tex("a<b>c|d"), "a\\textless{}b\\textgreater{}c\\textbar{}d");
  assert.equal(tex("ε, ⊥ → −1…"), "$\\varepsilon$, $\\bot$ $\\to$ -1\\dots{}");
});

test("line ends become spaces, since an empty line would end an argument", () => {
  assert.equal(tex("a\n\n b\tc"), "a b c");
});

test("what is not a string is written as one", () => {
  assert.equal(tex(12.5), "12.5");
  assert.equal(tex(""), "");
});

const line = {
  name: "rns-2-3",
  points: [
    [1, 0.5],
    [2, null],
    [3, Infinity],
    [4, 0],
  ],
};

test("points that do not exist are nan, which interrupts a line", () => {
  const text = pgfplotsText({ axes: [{ xLabel: "x", yLabel: "y", series: [line] }] }, "t");
  assert.match(text, /\(1,0\.5\)\s+\(2,nan\)\s+\(3,nan\)\s+\(4,0\)/);
  assert.match(text, /unbounded coords=jump/);
});

test("a plot is one picture for each axis, with its title as a comment", () => {
  const axis = { title: "50 %", xLabel: "epoch", yLabel: "nats", yLog: true, series: [line] };
  const text = pgfplotsText({ axes: [axis, axis] }, "two\nlines");
  assert.equal(text.match(/\\begin\{tikzpicture\}/g).length, 2);
  assert.equal(text.match(/\\end\{tikzpicture\}/g).length, 2);
  assert.match(text, /^% two lines\n/);
  assert.match(text, /title=\{50 \\%\}/);
  assert.match(text, /ymode=log/);
  assert.doesNotMatch(text, /xmode=log/);
  assert.match(text, /\\addlegendentry\{rns-2-3\}/);
});

test("faint series have no entry in the legend", () => {
  const text = pgfplotsText({ axes: [{ series: [{ ...line, faint: true }] }] }, "t");
  assert.doesNotMatch(text, /addlegendentry/);
  assert.match(text, /forget plot/);
});

test("a matrix has a cell for each number, row by row", () => {
  const matrix = {
    columns: ["a", "#"],
    rows: ["1", "x,y"],
    values: [
      [0, 0.5],
      [null, 1],
    ],
  };
  const text = pgfplotsText({ axes: [{ matrix }] }, "t");
  assert.match(text, /mesh\/cols=2/);
  assert.match(text, /0 0 0\n\s+1 0 0\.5\n\s+0 1 nan\n\s+1 1 1\n/);
  assert.match(text, /xticklabels=\{\{a\},\{\\#\}\}/);
  // The braces keep a comma within its label.
  assert.match(text, /yticklabels=\{\{1\},\{x,y\}\}/);
});

test("a picture without axes is written as it is", () => {
  const tikz = "\\begin{tikzpicture}\\end{tikzpicture}";
  assert.equal(pgfplotsText({ tikz }, "an automaton"), `% an automaton\n${tikz}\n`);
});

test("braces are balanced, whatever the names are", () => {
  const name = "}{ \\ } % {";
  const axis = { title: name, xLabel: name, yLabel: name, series: [{ ...line, name }] };
  const text = pgfplotsText({ axes: [axis] }, name);
  // Without the comment, and without braces that are characters.
  const bare = text.replace(/^%.*$/gm, "").replace(/\\[{}%]/g, "");
  assert.equal(bare.split("{").length, bare.split("}").length);
});
