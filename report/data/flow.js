// How the probability of pairs (state, top symbol) flows from step to step, given the whole string.

import { pairIndex, pairName } from "./runs.js";

export const operations = ["push", "replace", "pop"];

// Transitions with less than this are not in the data.
export const listedFrom = 0.001;
// Pairs with less than this in the sum of all times have no row if there are many.
export const leastPair = listedFrom / 2;

// Files of older programs do not have the sums over all transitions, only the listed transitions.
export function hasSums({ transitions, operations: sums, tops_given_all: tops }) {
  return sums?.length === transitions.length && tops?.length === transitions.length + 1;
}

// The probability of each pair after each step, given all steps: [T + 1][P]. Without the exact sums,
// it is at least that of the listed transitions that lead to the pair, or of those that leave it; after
// the last step, given all is the same as so far.
function pairsGivenAll(automaton) {
  const { transitions } = automaton;
  if (hasSums(automaton)) return automaton.tops_given_all;
  const count = automaton.states.length * automaton.symbols.length;
  const leaving = [];
  const arriving = [new Array(count).fill(0)];
  for (const step of transitions) {
    leaving.push(new Array(count).fill(0));
    arriving.push(new Array(count).fill(0));
    for (const { from, transition, probability } of step) {
      leaving[leaving.length - 1][pairIndex(automaton, from)] += probability;
      if (transition[0] === "pop") continue;
      arriving[leaving.length][pairIndex(automaton, transition.slice(1))] += probability;
    }
  }
  leaving.push([...automaton.tops[transitions.length]]);
  return leaving.map((step, t) => step.map((sum, pair) => Math.max(sum, arriving[t][pair])));
}

// The share of a step that is in no listed transition: all transitions of a step sum to 1.
export function unlistedShare(step) {
  return Math.max(0, 1 - step.reduce((sum, { probability }) => sum + probability, 0));
}

// The share of all transitions of all steps that no link has.
export function undrawnShare(links, steps) {
  // Links from a joint are the second halves of those into it.
  const drawn = links.reduce(
    (sum, { from, probability }) => sum + (from === null ? 0 : probability),
    0,
  );
  return steps === 0 ? 0 : Math.max(0, 1 - drawn / steps);
}

// Which pairs have a row of their own; the others share one.
function chooseRows(given, most) {
  const count = given[0].length;
  const totals = new Array(count).fill(0);
  for (const step of given) {
    step.forEach((probability, pair) => {
      totals[pair] += probability;
    });
  }
  const all = totals.map((_, pair) => pair);
  if (count <= most) return { kept: all, others: [], unused: 0 };
  // A listed transition has its pairs among them, however it is rounded.
  const used = all.filter((pair) => totals[pair] >= leastPair);
  const byTotal = [...used].sort((a, b) => totals[b] - totals[a]);
  const kept = (used.length <= most ? used : byTotal.slice(0, most - 1)).sort((a, b) => a - b);
  const others = used.filter((pair) => !kept.includes(pair));
  return { kept, others, unused: count - used.length };
}

function sumInto(map, key, value, make) {
  const entry = map.get(key);
  if (entry) entry.probability += value;
  else map.set(key, { ...make(), probability: value });
}

// A pop says which state it goes to, but not which symbol it uncovers. The probability of the pairs
// after the step, less what listed pushes and replacements bring, is what pops uncover, and what
// transitions that are not listed bring. If this is much more than the pops, their ends are not known;
// so it is if several pops lead to several pairs: then only the sums of both are known.
function popEnds(sources, uncovered) {
  const total = sources.reduce((sum, { probability }) => sum + probability, 0);
  const positive = uncovered.filter(({ probability }) => probability > 0);
  const large = positive.filter(({ probability }) => probability >= listedFrom);
  const largest = [...positive].sort((a, b) => b.probability - a.probability).slice(0, 1);
  const ends = large.length > 0 ? large : largest;
  const sum = ends.reduce((all, { probability }) => all + probability, 0);
  const known = ends.length === 1 || Math.abs(sum - total) <= Math.max(0.01, 0.1 * total);
  if (ends.length === 0 || !known) return [];
  return ends.map(({ row, probability }) => ({ row, probability: (probability * total) / sum }));
}

function popLinks(sources, uncovered, t, state) {
  const ends = popEnds(sources, uncovered);
  const rows = new Map();
  for (const { row, probability } of ends) sumInto(rows, row, probability, () => ({ row }));
  const to = [...rows.values()];
  const link = (source, target, probability) => ({
    t,
    from: source,
    to: target,
    operation: "pop",
    probability,
  });
  if (to.length === 0) return sources.map((s) => link(s.row, null, s.probability));
  if (to.length === 1) return sources.map((s) => link(s.row, to[0].row, s.probability));
  if (sources.length === 1) return to.map((s) => link(sources[0].row, s.row, s.probability));
  const joint = `${t}-${state}`;
  return [
    ...sources.map((s) => ({ ...link(s.row, null, s.probability), joint })),
    ...to.map((s) => ({ ...link(null, s.row, s.probability), joint })),
  ];
}

// {rows: [name], nodes: [T + 1][row], links: [{t, from, to, operation, probability, joint}], others,
// unused}: the links of step t go from rows after t - 1 to rows after t. In those with a joint, one of
// the ends is null; if `to` is null without a joint, it is not known.
export function flowOf(automaton, most = 12) {
  const given = pairsGivenAll(automaton);
  const { kept, others, unused } = chooseRows(given, most);
  const rowOf = new Map(kept.map((pair, row) => [pair, row]));
  for (const pair of others) rowOf.set(pair, kept.length);
  const rows = kept.map((pair) => pairName(automaton, pair));
  if (others.length > 0) rows.push(`${others.length} others`);

  const nodes = given.map((step) => {
    const sums = new Array(rows.length).fill(0);
    step.forEach((probability, pair) => {
      const row = rowOf.get(pair);
      if (row !== undefined) sums[row] += probability;
    });
    return sums;
  });

  const links = [];
  automaton.transitions.forEach((step, n) => {
    const t = n + 1;
    const direct = new Map();
    const popped = new Map();
    const arrived = new Map();
    for (const { from, transition, probability } of step) {
      const [operation, state, symbol] = transition;
      const row = rowOf.get(pairIndex(automaton, from));
      if (row === undefined) continue;
      if (operation === "pop") {
        if (!popped.has(state)) popped.set(state, new Map());
        sumInto(popped.get(state), row, probability, () => ({ row }));
        continue;
      }
      const pair = pairIndex(automaton, [state, symbol]);
      arrived.set(pair, (arrived.get(pair) ?? 0) + probability);
      const to = rowOf.get(pair);
      if (to === undefined) continue;
      sumInto(direct, `${row} ${operation} ${to}`, probability, () => ({
        t,
        from: row,
        to,
        operation,
      }));
    }
    links.push(...direct.values());
    for (const [state, sources] of popped) {
      const uncovered = automaton.symbols.map((_, symbol) => {
        const pair = pairIndex(automaton, [state, symbol]);
        return { row: rowOf.get(pair), probability: given[t][pair] - (arrived.get(pair) ?? 0) };
      });
      const shown = uncovered.filter(({ row }) => row !== undefined);
      links.push(...popLinks([...sources.values()], shown, t, state));
    }
  });
  return { rows, nodes, links, others: others.length, unused };
}

// The expected number of each operation among all steps; null if it is not known.
export function expectedOperations(automaton) {
  if (!hasSums(automaton)) return null;
  const sums = { push: 0, replace: 0, pop: 0 };
  for (const step of automaton.operations) {
    for (const operation of operations) sums[operation] += step[operation];
  }
  return sums;
}

// What transitions that are not listed have of each operation in each step: [T], null if it is not
// known.
export function unlistedOperations(automaton) {
  if (!hasSums(automaton)) return null;
  return automaton.operations.map((exact, n) => {
    const rest = { ...exact };
    for (const { transition, probability } of automaton.transitions[n]) {
      rest[transition[0]] -= probability;
    }
    return rest;
  });
}

// The `most` largest of the links, and the probability below which links are left out (0: none).
export function thinnedLinks(links, most) {
  if (links.length <= most) return { links, threshold: 0 };
  const sorted = links.map(({ probability }) => probability).sort((a, b) => b - a);
  const threshold = sorted[most];
  return { links: links.filter(({ probability }) => probability > threshold), threshold };
}
