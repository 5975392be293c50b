// What is written about an automaton: labels of transitions and states, steps in words, tables.

import { counted, cut } from "../parts/format.js";
import { isDeterministic } from "./automaton_run.js";

export const nothing = "ε";

// An arrow has at most so many lines; the last one then says how many there are more.
const labelLines = 5;

function pushedText(automaton, pushed) {
  return pushed.map((symbol) => automaton.stack_symbols[symbol]).join(" ") || nothing;
}

function inputText(automaton, input) {
  return input === null ? nothing : automaton.inputs[input];
}

// "a, X → X Y": reads a with X on top, and replaces X by X Y.
export function transitionLabel(automaton, { from, input, pushed }) {
  const top = automaton.stack_symbols[from[1]];
  return `${inputText(automaton, input)}, ${top} → ${pushedText(automaton, pushed)}`;
}

// The lines of an arrow: {text, transition}. The transition `shown` is among them.
export function edgeLines(automaton, transitions, shown = null) {
  const line = (index) => ({
    text: transitionLabel(automaton, automaton.transitions[index]),
    transition: index,
  });
  if (transitions.length <= labelLines) return transitions.map(line);
  const first = transitions.slice(0, labelLines - 1);
  if (transitions.includes(shown) && !first.includes(shown)) first[first.length - 1] = shown;
  const more = { text: `… ${transitions.length - first.length} more`, transition: null };
  return [...first.map(line), more];
}

// Where a state accepts: {bottom, note}: whether with the bottom symbol on top in some language, and
// a line that says what a double circle does not; empty if there is nothing more to say.
export function acceptance(automaton, state) {
  const several = automaton.accepting.length > 1;
  const languages = automaton.accepting.map((heads) =>
    heads.filter(([of]) => of === state).map(([, top]) => top),
  );
  const bottom = languages.some((tops) => tops.includes(0));
  const onlyBottom = languages.every((tops) => tops.every((top) => top === 0));
  const names = (tops) => tops.map((top) => automaton.stack_symbols[top]).join(", ");
  const parts = languages
    .map((tops, language) => {
      if (tops.length === 0) return null;
      if (onlyBottom) return String(language + 1);
      return several ? `${language + 1} with ${names(tops)}` : names(tops);
    })
    .filter((part) => part !== null);
  if (parts.length === 0 || (!several && onlyBottom)) return { bottom, note: "" };
  if (!several) return { bottom, note: `accepts with ${parts[0]}` };
  const noun = parts.length > 1 ? "languages" : "language";
  return { bottom, note: `${noun} ${parts.join(onlyBottom ? ", " : "; ")}` };
}

// The accepting pairs of each language, in words.
export function acceptingText({ states, stack_symbols: symbols, accepting }) {
  return accepting
    .map((heads, language) => {
      const pairs = heads.map(([state, top]) => `${states[state]} with ${symbols[top]} on top`);
      const which = accepting.length > 1 ? `Language ${language + 1} accepts` : "Accepts";
      return `${which} ${pairs.length > 0 ? `in ${pairs.join(", ")}` : "nowhere"}.`;
    })
    .join(" ");
}

// What a transition does, in words.
export function stepWords(automaton, { from: [state, top], input, to, pushed }) {
  const names = automaton.stack_symbols;
  const all = (symbols) => symbols.map((symbol) => names[symbol]).join(" ");
  const reads = input === null ? "reads nothing" : `reads ${automaton.inputs[input]}`;
  let stack = `replaces ${names[top]} by ${all(pushed)}`;
  if (pushed.length === 0) stack = `pops ${names[top]}`;
  else if (pushed[0] === top && pushed.length === 1) stack = `keeps ${names[top]}`;
  else if (pushed[0] === top) stack = `pushes ${all(pushed.slice(1))} on ${names[top]}`;
  const goes =
    to === state ? `stays in ${automaton.states[to]}` : `goes to ${automaton.states[to]}`;
  return `${reads}, ${stack}, ${goes}`;
}

// Why a run that does not accept ends where it does. `tokens` are the symbols of the string as they
// were written, `input` their indices.
export function stuckWords(automaton, tokens, input, { state, position, stack }) {
  if (stack === null) return "The stack is empty, which ends the run.";
  const where = `in ${automaton.states[state]} with ${automaton.stack_symbols[stack.symbol]} on top`;
  if (position === tokens.length)
    return `All is read, but a run that ends ${where} does not accept.`;
  if (input[position] < 0) return `${tokens[position]} is not an input symbol of this automaton.`;
  const goesOn = automaton.transitions.some(
    (transition) =>
      transition.from[0] === state &&
      transition.from[1] === stack.symbol &&
      (transition.input === null || transition.input === input[position]),
  );
  if (!goesOn) return `It is stuck: no transition reads ${tokens[position]} ${where}.`;
  return `From here, no run that can still accept reads the next symbol, ${tokens[position]}.`;
}

// Which symbols of the string the automaton does not have, in words; empty if it has all. A longer one
// that has input symbols in it was probably written without spaces.
export function unknownWords(automaton, tokens, input) {
  const unknown = [...new Set(tokens.filter((_, n) => input[n] < 0))];
  if (unknown.length === 0) return "";
  const joined = unknown.some((token) => automaton.inputs.some((name) => token.includes(name)));
  const others = unknown.length > 1 ? ` and ${counted(unknown.length - 1, "other")}` : "";
  const are = unknown.length > 1 ? "are not input symbols" : "is not an input symbol";
  const advice = joined ? "; separate symbols by spaces" : "";
  return `${cut(unknown[0], 30)}${others} ${are}${advice}`;
}

// A state and a stack symbol of a recognizer, if there are any, whose names are not those of a grammar:
// start+3 is start and three others, _a stands for a, and A.B for two symbols at once.
export function madeNames({ states, stack_symbols: symbols }) {
  const state =
    states.find((name) => /\+\d+$/.test(name)) ?? states.find((name) => /^m\d+$/.test(name));
  const symbol =
    symbols.find((name) => /^_./.test(name)) ?? symbols.find((name) => /.\../.test(name));
  return [state, symbol].filter((name) => name !== undefined);
}

// The title of the automaton's figure.
export function automatonTitle(automaton) {
  const kind = isDeterministic(automaton) ? "a deterministic" : "a nondeterministic";
  const sizes = [
    counted(automaton.states.length, "state"),
    counted(automaton.stack_symbols.length, "stack symbol"),
    counted(automaton.transitions.length, "transition"),
  ];
  const languages =
    automaton.accepting.length > 1
      ? ` for the intersection of ${counted(automaton.accepting.length, "language")}`
      : "";
  const what =
    automaton.kind === "recognizer" ? `${kind} recognizer` : `${kind} pushdown automaton`;
  return `${automaton.name}: ${what}${languages} with ${sizes[0]}, ${sizes[1]} and ${sizes[2]}`;
}

export function transitionTable(automaton) {
  return {
    columns: ["transition", "state", "input", "top", "next state", "in place of the top"],
    rows: automaton.transitions.map(({ from, input, to, pushed }, index) => [
      index + 1,
      automaton.states[from[0]],
      inputText(automaton, input),
      automaton.stack_symbols[from[1]],
      automaton.states[to],
      pushedText(automaton, pushed),
    ]),
  };
}
