import assert from "node:assert/strict";
import test from "node:test";
import { csvText } from "../parts/download.js";

test("a table is a line for its columns and one for each row", () => {
  const table = {
    columns: ["run", "score"],
    rows: [
      ["a", 0.25],
      ["b", 1e-7],
    ],
  };
  assert.equal(csvText(table), "run,score\na,0.25\nb,1e-7\n");
});

test("commas, quotes and line ends are quoted", () => {
  const fields = ["a,b", 'say "x"', "two\nlines", "cr\rhere", "plain text"];
  assert.equal(
    csvText({ columns: ["f"], rows: [fields] }),
    'f\n"a,b","say ""x""","two\nlines","cr\rhere",plain text\n',
  );
});

test("column names are quoted, too", () => {
  assert.equal(csvText({ columns: ["a,b"], rows: [] }), '"a,b"\n');
});

test("what does not exist is an empty field; zero and false are not", () => {
  assert.equal(
    csvText({ columns: ["a", "b", "c", "d"], rows: [[null, undefined, 0, false]] }),
    "a,b,c,d\n,,0,false\n",
  );
});

test("numbers keep all their digits", () => {
  const value = 0.1 + 0.2;
  assert.equal(csvText({ columns: ["x"], rows: [[value]] }), `x\n${value}\n`);
});
