// The run of an automaton on a string, step by step: the string with the part that is read, the
// stack, the step in words, and the buttons that move through it.

import { stackSymbols } from "../data/automaton_run.js";
import { stepWords, stuckWords } from "../data/automaton_text.js";
import { element } from "../parts/dom.js";
import { cut } from "../parts/format.js";

const shownSymbols = 160; // of a long string, those around the place
const shownCells = { top: 9, bottom: 2 };

function cell(kind, text, attributes = {}) {
  return element("span", { class: `cell ${kind}`, title: text, ...attributes }, cut(text, 14));
}

function tapeCells(tokens, position, wasRead) {
  if (tokens.length === 0) return [element("span", { class: "run-note" }, "the empty string")];
  const first = Math.max(0, Math.min(position - shownSymbols / 2, tokens.length - shownSymbols));
  const last = Math.min(tokens.length, first + shownSymbols);
  const note = (count, where) =>
    count > 0 ? element("span", { class: "run-note" }, `${count} more ${where}`) : null;
  const cells = tokens.slice(first, last).map((token, n) => {
    const at = first + n;
    const kinds = [];
    if (at < position) kinds.push("read");
    if (at === position - 1 && wasRead) kinds.push("current");
    if (at === position) kinds.push("next");
    return cell(kinds.join(" "), token, { "data-position": at, "data-read": at < position });
  });
  return [note(first, "before"), ...cells, note(tokens.length - last, "after")].filter(Boolean);
}

// The lowest first.
function stackCells(automaton, stack, pushedCount) {
  const symbols = stackSymbols(stack);
  if (symbols.length === 0) return [element("span", { class: "run-note" }, "empty")];
  const cells = symbols.map((symbol, height) => {
    const kinds = [];
    if (height === symbols.length - 1) kinds.push("top");
    if (height >= symbols.length - pushedCount) kinds.push("current");
    const name = automaton.stack_symbols[symbol];
    return cell(kinds.join(" "), name, { "data-symbol": name });
  });
  const { top, bottom } = shownCells;
  if (cells.length <= top + bottom + 1) return cells;
  const gap = element("span", { class: "run-note" }, `${cells.length - top - bottom} more`);
  return [...cells.slice(0, bottom), gap, ...cells.slice(-top)];
}

// {buttons, words, tape, stack, load(run), move(to)}; `onStep(configuration, step)` is called when
// another step is shown.
export function stepper(automaton, onStep) {
  let steps = [];
  let at = 0;
  let run = null;

  const button = (text, label, target) =>
    element("button", { type: "button", "aria-label": label, onclick: () => move(target()) }, text);
  const buttons = [
    button("|◀", "First step", () => 0),
    button("◀", "One step back", () => at - 1),
    button("▶", "One step forward", () => at + 1),
    button("▶|", "Last step", () => steps.length - 1),
  ];
  const words = element("p", { class: "run-words", role: "status" });
  const tape = element("div", { class: "tape", role: "img" });
  const cells = element("div", { class: "stack-cells", role: "img" });
  const stack = element(
    "div",
    { class: "stack" },
    element("span", { class: "stack-name" }, "stack"),
    cells,
  );

  function sentence() {
    const { transition, state, stack: of } = steps[at];
    const last = at === steps.length - 1;
    const parts = [`Step ${at} of ${steps.length - 1}: `];
    if (transition === null) {
      parts.push(
        `begins in ${automaton.states[state]} with ${automaton.stack_symbols[0]} on the stack.`,
      );
    } else {
      parts.push(`${stepWords(automaton, automaton.transitions[transition])}.`);
    }
    if (last && run.decision === "accepted") {
      const top = automaton.stack_symbols[of.symbol];
      parts.push(` All is read, and ${automaton.states[state]} accepts with ${top} on top.`);
    } else if (last && run.decision === "rejected") {
      parts.push(` ${stuckWords(automaton, run.tokens, run.input, steps[at])}`);
    }
    return parts.join("");
  }

  function move(to) {
    if (steps.length === 0) return;
    at = Math.max(0, Math.min(steps.length - 1, to));
    const current = steps[at];
    const taken = current.transition === null ? null : automaton.transitions[current.transition];
    words.textContent = sentence();
    tape.replaceChildren(
      ...tapeCells(run.tokens, current.position, taken !== null && taken.input !== null),
    );
    tape.setAttribute("aria-label", `${current.position} of ${run.tokens.length} symbols are read`);
    const kept = taken !== null && taken.pushed[0] === taken.from[1] ? 1 : 0;
    const pushed = taken === null ? 0 : taken.pushed.length - kept;
    cells.replaceChildren(...stackCells(automaton, current.stack, pushed));
    const names = stackSymbols(current.stack).map((symbol) => automaton.stack_symbols[symbol]);
    cells.setAttribute("aria-label", `The stack, the bottom first: ${names.join(" ") || "empty"}`);
    // A button that has the focus stays enabled, or the keyboard would lose its place.
    buttons.forEach((of, n) => {
      const useless = n < 2 ? at === 0 : at === steps.length - 1;
      of.setAttribute("aria-disabled", String(useless));
    });
    onStep(current, at);
  }

  // `of` is {decision, tokens, input, configurations}.
  function load(of) {
    run = of;
    steps = of.configurations;
    const highest = steps.reduce((most, { stack: now }) => Math.max(most, now?.height ?? 0), 1);
    const most = Math.min(highest, shownCells.top + shownCells.bottom + 1);
    // As high as it will be, so that nothing moves while stepping.
    cells.style.setProperty("--cells", most);
    for (const part of [...buttons, tape, stack, words]) part.hidden = steps.length === 0;
    move(0);
  }

  return { buttons, words, tape, stack, load, move, step: () => at, count: () => steps.length };
}
