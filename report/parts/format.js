// Numbers as text, and texts that fit.

import { format } from "d3-format";

const significant = format(".4~r");
const exponential = format(".3e");
// Not ".3~e": D3 5 takes the last zero of an exponent such as e-10 for one that can be left out.
const scientific = (value) => exponential(value).replace(/\.?0+e/, "e");

// At most four significant digits; "–" for what does not exist.
export function number(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value < 0 ? "−∞" : "∞";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? scientific(value) : significant(value);
  return text.replace(/-/g, "−");
}

export function fixed(value, digits) {
  if (value === null || value === undefined || !Number.isFinite(value)) return number(value);
  return value.toFixed(digits).replace("-", "−");
}

export function percent(value) {
  return value === null || value === undefined ? "–" : `${Math.round(100 * value)} %`;
}

// A duration in its two largest units.
export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 60) return `${seconds < 10 ? fixed(seconds, 1) : Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

// What one symbol more of a measure is.
export function unitOf(measure) {
  return measure === "perplexity" ? "" : "nats a symbol";
}

const measureNames = {
  difference: "difference from the optimum",
  "cross-entropy": "cross-entropy",
  perplexity: "perplexity",
};

export function measureName(measure) {
  return measureNames[measure] ?? measure;
}

// The label of an axis.
export function measureLabel(measure) {
  const unit = unitOf(measure);
  return measureName(measure) + (unit ? ` (${unit})` : "");
}

// The label of an axis that is short.
export function shortMeasureLabel(measure) {
  return measure === "difference" ? "difference (nats a symbol)" : measureLabel(measure);
}

// "1 run", "2 runs".
export function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

// At most so many characters; characters outside the first plane, which are two units of a
// JavaScript string, stay whole.
export function cut(text, length) {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
