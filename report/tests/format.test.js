import assert from "node:assert/strict";
import test from "node:test";
import "./d3.js";

const { counted, cut, duration, fixed, measureLabel, number, percent, unitOf } = await import(
  "../parts/format.js"
);

test("numbers have at most four significant digits", () => {
  assert.equal(number(0.123456), "0.1235");
  assert.equal(number(12345.6), "12350");
  assert.equal(number(2), "2");
  assert.equal(number(1.5), "1.5");
  assert.equal(number(0), "0");
});

test("very small and very large numbers have an exponent", () => {
  assert.equal(number(0.0001), "0.0001");
  assert.equal(number(0.00001234), "1.234e−5");
  assert.equal(number(123456789), "1.235e+8");
  assert.equal(number(-0.00005), "−5e−5");
});

test("negative numbers have a minus sign, not a hyphen", () => {
  assert.equal(number(-0.5), "−0.5");
  assert.equal(fixed(-1.25, 1), "−1.3");
});

test("what does not exist is a dash", () => {
  assert.equal(number(null), "–");
  assert.equal(number(undefined), "–");
  assert.equal(number(Number.NaN), "–");
  assert.equal(fixed(null, 2), "–");
  assert.equal(percent(null), "–");
  assert.equal(duration(null), "–");
});

test("infinities are written as such", () => {
  assert.equal(number(Infinity), "∞");
  assert.equal(number(-Infinity), "−∞");
  assert.equal(fixed(Infinity, 2), "∞");
});

test("fixed keeps its digits", () => {
  assert.equal(fixed(1, 3), "1.000");
  assert.equal(fixed(0.0004, 2), "0.00");
});

test("percentages are whole", () => {
  assert.equal(percent(0), "0 %");
  assert.equal(percent(0.333), "33 %");
  assert.equal(percent(1), "100 %");
});

test("durations have their two largest units", () => {
  assert.equal(duration(0), "0.0 s");
  assert.equal(duration(9.94), "9.9 s");
  assert.equal(duration(42.4), "42 s");
  assert.equal(duration(90), "2 min");
  assert.equal(duration(3600), "1 h 0 min");
  assert.equal(duration(100000), "27 h 47 min");
});

test("counted nouns agree with their number", () => {
  assert.equal(counted(0, "run"), "0 runs");
  assert.equal(counted(1, "run"), "1 run");
  assert.equal(counted(1260, "run"), "1,260 runs");
});

test("perplexity has no unit", () => {
  assert.equal(unitOf("perplexity"), "");
  assert.equal(measureLabel("perplexity"), "perplexity");
  assert.equal(measureLabel("difference"), "difference from the optimum (nats a symbol)");
  assert.equal(measureLabel("cross-entropy"), "cross-entropy (nats a symbol)");
});

test("texts are cut between characters", () => {
  assert.equal(cut("abcdef", 6), "abcdef");
  assert.equal(cut("abcdefg", 6), "abcde…");
  assert.equal(cut("😀😀😀", 2), "😀…");
});
