// One inspected string as the figures need it: its columns over time, losses, and what to say of it.

import { counted, cut, fixed, number, percent } from "../parts/format.js";
import { listedFrom, unlistedShare } from "./flow.js";
import { pairName, runSteps, transitionText } from "./runs.js";

// How many steps the stack makes: nothing reads the stack after the last input.
function stackSteps({ inputs }) {
  return Math.max(0, inputs.length - 1);
}

// The columns that all views have: time 0, before anything is read, and one for each symbol that is
// read; a model that predicts has one more for the end. `stack` says whether the stack has a state
// after this step.
export function columnsOf(inspection) {
  const last = stackSteps(inspection);
  const columns = [{ t: 0, symbol: "", stack: true }];
  const symbols = [...inspection.inputs];
  if (inspection.predictions.length > 0) symbols.push("<eos>");
  else symbols.splice(last);
  symbols.forEach((symbol, n) => {
    columns.push({ t: n + 1, symbol, stack: n + 1 <= last });
  });
  return columns;
}

function lossOf(logP) {
  if (logP === "-inf") return Number.POSITIVE_INFINITY;
  // No "-0" for a probability of 1.
  return typeof logP === "number" ? Math.max(0, -logP) : null;
}

// For each prediction the column of its symbol, and the losses of the model and of the optimum:
// a number, infinity, or null.
export function lossesOf(inspection) {
  const count = inspection.predictions.length;
  const end = inspection.inputs.length + 1;
  return inspection.predictions.map(({ symbol, log_p, optimum_log_p }, n) => ({
    t: end - count + 1 + n,
    symbol,
    loss: lossOf(log_p),
    optimum: lossOf(optimum_log_p),
  }));
}

export function totalsOf(inspection) {
  return { loss: lossOf(inspection.log_p), optimum: lossOf(inspection.optimum?.log_p) };
}

const kinds = { strings: "string", text: "sentence", recognizer: "string" };

// What an option of the choice of inspections says.
export function inspectionName(inspection, index) {
  return `${index + 1}: ${inspection.model}, ${cut(inspection.string || "(empty)", 40)}`;
}

function verdict(inspection) {
  const { recognition } = inspection;
  if (!recognition) return [];
  const { accepted, y, log_runs, mass } = recognition;
  const said =
    accepted === null || accepted === undefined
      ? "Whether the string is accepted is not known"
      : `The string is ${accepted ? "accepted" : "rejected"}`;
  const runs = log_runs === null || log_runs === undefined ? null : Math.exp(log_runs);
  const rounded = runs !== null && runs < 1e6 ? Math.round(runs) : runs;
  const parts = [`${said}: y = ${number(y)}.`];
  if (rounded !== null) {
    const text = rounded < 1e6 ? counted(rounded, "run") : `${number(rounded)} runs`;
    // In no steps, the run that is added is the one that there is anyway.
    const added = stackSteps(inspection) > 0 ? ", with the one that is added for every string" : "";
    const shares = (mass ?? []).map(number).join(", ");
    parts.push(`The automaton has ${text}${added}; share of accepting runs: ${shares}.`);
  }
  return parts;
}

// Why the optimum is infinite or not known. An objection is a predicate, such as "has 13 symbols, which
// is not in --lengths 20:40", or says where the string leaves the language.
function objections(optimum) {
  if (!optimum) return [];
  const { member, objection } = optimum;
  if (!objection) return member === false ? ["The string is not in the language."] : [];
  if (objection.startsWith("has ")) return [`The string ${objection}.`];
  return [
    member === false
      ? `The string is not in the language: ${objection}.`
      : `The optimum is not known: ${objection}.`,
  ];
}

// The steps of the stack, if there is one, and why they are fewer than the symbols: of text and
// recognizers, the end is read, too, and they are as many.
function stepsText(inspection) {
  const { kind, inputs, readings, automaton, superposition } = inspection;
  if (!automaton && !superposition?.length && !readings?.length) return "";
  const steps = `, ${counted(stackSteps(inspection), "step")} of the stack`;
  if (kind !== "strings" || inputs.length === 0) return steps;
  return `${steps} (nothing reads the stack after the last symbol)`;
}

// A few sentences above the figures.
export function summaryOf(inspection) {
  const { kind, model, hidden_units, inputs, optimum } = inspection;
  const symbols = inputs.length - (kind === "strings" ? 0 : 1);
  const parts = [
    `${model}, ${counted(hidden_units, "hidden unit")}; a ${kinds[kind] ?? "string"} of ${counted(
      symbols,
      kind === "text" ? "word" : "symbol",
    )}${stepsText(inspection)}.`,
    ...verdict(inspection),
  ];
  parts.push(...objections(optimum));
  return parts.join(" ");
}

// The largest `count` of numbers with their names.
export function largest(values, names, count) {
  return values
    .map((value, n) => ({ value, name: names[n] }))
    .sort((a, b) => b.value - a.value)
    .slice(0, count);
}

const shownStack = 24;

// The stack in words, the bottom first; of a high one, the bottom is left out.
function stackText(names, stack) {
  const shown = stack.slice(-shownStack).map((symbol) => names[symbol]);
  return (stack.length > shownStack ? "… " : "") + shown.join(" ");
}

function automatonParts(automaton, t, run) {
  const parts = [];
  const names = automaton.tops[t].map((_, p) => pairName(automaton, p));
  parts.push([
    "top so far",
    largest(automaton.tops[t], names, 2)
      .filter(({ value }) => value >= 0.005)
      .map(({ value, name }) => `${name} ${fixed(value, 2)}`)
      .join(", "),
  ]);
  const best = t > 0 ? automaton.transitions[t - 1][0] : null;
  if (best) {
    parts.push([
      "most probable transition",
      `${transitionText(automaton, best.from, best.transition)} (${fixed(best.probability, 2)})`,
    ]);
  }
  const rest = t > 0 ? unlistedShare(automaton.transitions[t - 1]) : 0;
  if (rest >= 0.01) {
    parts.push(["not drawn", `${percent(rest)}, in transitions of less than ${listedFrom}`]);
  }
  const chosen = automaton.runs[run];
  if (chosen) {
    const { transition, from, state, stack } = runSteps(chosen, t);
    const move = transition ? `${transitionText(automaton, from, transition)}; ` : "";
    parts.push([
      `run ${run + 1}`,
      `${move}state ${automaton.states[state]}, height ${stack.length - 1}, stack ${stackText(automaton.symbols, stack)}`,
    ]);
  }
  const pushed = largest(
    automaton.pushed_in[t],
    automaton.pushed_in[t].map((_, i) => (i === 0 ? "the bottom" : `step ${i}`)),
    1,
  )[0];
  if (pushed) parts.push(["top pushed in", `${pushed.name} (${fixed(pushed.value, 2)})`]);
  return parts;
}

// What all views show of one step: [[name, text]].
export function readout(inspection, columns, losses, t, run) {
  const { symbol, stack } = columns[t];
  const end = inspection.predictions.length > 0 && t === columns.length - 1;
  const read = end ? "the end of the string" : `reads ${symbol}`;
  const parts = [[`t = ${t}`, t === 0 ? "nothing has been read" : read]];
  const loss = losses.find((entry) => entry.t === t);
  if (loss) {
    const optimum = loss.optimum === null ? "" : `, optimum ${number(loss.optimum)}`;
    parts.push(["−log p", `${number(loss.loss)}${optimum} nats`]);
  }
  if (stack && inspection.automaton) parts.push(...automatonParts(inspection.automaton, t, run));
  (inspection.superposition ?? []).forEach(({ actions, weights }, n) => {
    if (!stack) return;
    const of = inspection.superposition.length > 1 ? `stack ${n + 1}: ` : "";
    const action = t > 0 ? actions[t - 1] : null;
    if (action) {
      const [push, noOp, pop] = action.map((value) => fixed(value, 2));
      parts.push([`${of}actions`, `push ${push}, no-op ${noOp}, pop ${pop}`]);
    }
    const shown = weights[t].slice(0, 6).map((value) => fixed(value, 2));
    parts.push([`${of}weights, top first`, shown.length > 0 ? shown.join(" ") : "empty"]);
  });
  return parts;
}
