// data/flow.js against an enumeration of all runs of small automata.

import assert from "node:assert/strict";
import test from "node:test";
import "./d3.js";

const { expectedOperations, flowOf, undrawnShare, unlistedOperations, unlistedShare } =
  await import("../data/flow.js");

// Any generator does; this one is the same everywhere.
function generator(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

// The inspection of a random automaton of `steps` steps by all its runs, with the transitions from
// `least` on. `sharpness` 0 makes all weights equal.
function enumerated({ states, symbols, steps, sharpness, least, seed = 1 }) {
  const random = generator(seed);
  const pairs = states * symbols;
  const sums = Array.from({ length: steps }, () => new Map());
  const tops = Array.from({ length: steps + 1 }, () => new Array(pairs).fill(0));
  const operations = Array.from({ length: steps }, () => ({ push: 0, replace: 0, pop: 0 }));
  // What pops uncover: "t from state to" and its weight.
  const pops = new Map();
  const weights = new Map();
  const weightOf = (key) => {
    if (!weights.has(key)) weights.set(key, Math.exp(sharpness * (random() - 0.5)));
    return weights.get(key);
  };
  let total = 0;
  const go = (t, state, stack, run, weight) => {
    if (t === steps) {
      total += weight;
      run.forEach(({ key, from, transition, to }, n) => {
        const entry = sums[n].get(key) ?? { from, transition, probability: 0 };
        entry.probability += weight;
        sums[n].set(key, entry);
        operations[n][transition[0]] += weight;
        tops[n][from[0] * symbols + from[1]] += weight;
        if (transition[0] !== "pop") return;
        const link = `${n + 1} ${from} ${to}`;
        pops.set(link, (pops.get(link) ?? 0) + weight);
      });
      tops[t][state * symbols + stack[stack.length - 1]] += weight;
      return;
    }
    const top = stack[stack.length - 1];
    const take = (transition, next) => {
      const key = `${t} ${state} ${top} ${transition}`;
      const to = [transition[1], next[next.length - 1]];
      const step = { key, from: [state, top], transition, to };
      go(t + 1, transition[1], next, [...run, step], weight * weightOf(key));
    };
    for (let to = 0; to < states; ++to) {
      for (let symbol = 0; symbol < symbols; ++symbol) {
        take(["push", to, symbol], [...stack, symbol]);
        take(["replace", to, symbol], [...stack.slice(0, -1), symbol]);
      }
      if (stack.length > 1) take(["pop", to], stack.slice(0, -1));
    }
  };
  go(0, 0, [0], [], 1);
  const share = (value) => value / total;
  return {
    pops: new Map([...pops].map(([key, weight]) => [key, share(weight)])),
    automaton: {
      states: Array.from({ length: states }, (_, n) => `q${n}`),
      symbols: Array.from({ length: symbols }, (_, n) => `x${n}`),
      tops: tops.map((step) => step.map(share)),
      tops_given_all: tops.map((step) => step.map(share)),
      operations: operations.map(({ push, replace, pop }) => ({
        push: share(push),
        replace: share(replace),
        pop: share(pop),
      })),
      transitions: sums.map((step) =>
        [...step.values()]
          .map((entry) => ({ ...entry, probability: share(entry.probability) }))
          .filter(({ probability }) => probability >= least)
          .sort((a, b) => b.probability - a.probability),
      ),
    },
  };
}

function close(actual, expected, tolerance = 1e-9) {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);
}

function sumOf(links, has) {
  return links.filter(has).reduce((sum, { probability }) => sum + probability, 0);
}

// A model with one state and one symbol whose weights are all 1, as in docs/inside.md: of five runs of
// two steps, three push first.
test("a push has the probability of all runs that begin with it", () => {
  const { automaton } = enumerated({ states: 1, symbols: 1, steps: 2, sharpness: 0, least: 0 });
  close(automaton.operations[0].push, 3 / 5);
  const sums = expectedOperations(automaton);
  close(sums.push, 3 / 5 + 2 / 5);
  close(sums.pop, 1 / 5);
});

test("if all transitions are listed, links have all of each bar", () => {
  const { automaton } = enumerated({ states: 2, symbols: 2, steps: 4, sharpness: 6, least: 0 });
  const { nodes, links } = flowOf(automaton);
  close(undrawnShare(links, 4), 0);
  for (let t = 1; t <= 4; ++t) {
    nodes[t].forEach((probability, row) => {
      // Parts of less than 0.001 go to other ends.
      close(
        sumOf(links, (link) => link.t === t && link.to === row),
        probability,
        0.005,
      );
      close(
        sumOf(links, (link) => link.t === t && link.from === row),
        nodes[t - 1][row],
        1e-9,
      );
    });
  }
});

test("bars, expectations and rows do not depend on what is listed", () => {
  const size = { states: 2, symbols: 3, steps: 4, sharpness: 3 };
  const all = enumerated({ ...size, least: 0 }).automaton;
  const few = enumerated({ ...size, least: 0.03 }).automaton;
  assert.ok(few.transitions.some((step) => unlistedShare(step) > 0.5));
  assert.deepEqual(expectedOperations(few), expectedOperations(all));
  for (const most of [4, 12]) {
    const { rows, nodes, links } = flowOf(few, most);
    assert.deepEqual(rows, flowOf(all, most).rows);
    assert.deepEqual(nodes, flowOf(all, most).nodes);
    for (const step of nodes)
      close(
        step.reduce((sum, value) => sum + value, 0),
        1,
      );
    // Each listed transition has a link, and nothing else has one.
    few.transitions.forEach((step, n) => {
      const listed = step.reduce((sum, { probability }) => sum + probability, 0);
      close(
        sumOf(links, ({ t, from }) => t === n + 1 && from !== null),
        listed,
      );
      close(unlistedShare(step), 1 - listed);
    });
    const unlisted = few.transitions.reduce((sum, step) => sum + unlistedShare(step), 0);
    close(undrawnShare(links, 4), unlisted / 4);
  }
});

test("what is not listed is known by operation", () => {
  const { automaton } = enumerated({ states: 2, symbols: 2, steps: 3, sharpness: 2, least: 0.05 });
  unlistedOperations(automaton).forEach(({ push, replace, pop }, n) => {
    close(push + replace + pop, unlistedShare(automaton.transitions[n]));
    assert.ok(Math.min(push, replace, pop) > -1e-12);
  });
});

test("pops go to what they uncover, or to nowhere if that is not known", () => {
  const size = { states: 2, symbols: 2, steps: 4, sharpness: 8 };
  let known = 0;
  let unknown = 0;
  for (let seed = 1; seed <= 20; ++seed) {
    for (const least of [0, 0.02, 0.1]) {
      const { automaton, pops } = enumerated({ ...size, least, seed });
      for (const { t, from, to, operation, probability, joint } of flowOf(automaton).links) {
        if (operation !== "pop" || joint) continue;
        if (to === null) {
          ++unknown;
          continue;
        }
        const pair = (row) => [Math.floor(row / 2), row % 2];
        const exact = pops.get(`${t} ${pair(from)} ${pair(to)}`) ?? 0;
        const tolerance = Math.max(0.011, 0.11 * probability);
        ++known;
        // Of a single end, everything is known but what is not listed.
        close(probability, exact, Math.max(tolerance, least));
      }
    }
  }
  assert.ok(known > 50 && unknown > 10, `${known} ${unknown}`);
});

test("every listed pop has a link, however little it uncovers", () => {
  const { automaton } = enumerated({
    states: 2,
    symbols: 2,
    steps: 4,
    sharpness: 14,
    least: 0.001,
  });
  let small = 0;
  automaton.transitions.forEach((step, n) => {
    for (const { from, transition, probability } of step) {
      if (transition[0] !== "pop") continue;
      small += Number(probability < 0.002);
      const row = from[0] * 2 + from[1];
      const has = ({ t, from: start, operation }) =>
        t === n + 1 && operation === "pop" && start === row;
      assert.ok(sumOf(flowOf(automaton).links, has) >= probability - 1e-12);
    }
  });
  assert.ok(small > 0);
});

test("older files have no sums, and no expectations", () => {
  const { automaton } = enumerated({ states: 2, symbols: 2, steps: 3, sharpness: 2, least: 0.05 });
  const { operations, tops_given_all: tops, ...older } = automaton;
  assert.ok(operations && tops);
  assert.equal(expectedOperations(older), null);
  assert.equal(unlistedOperations(older), null);
  const { nodes, links } = flowOf(older);
  nodes.forEach((step, t) => {
    step.forEach((probability, row) => {
      assert.ok(probability <= tops[t][row] + 1e-12);
      assert.ok(
        probability >= sumOf(links, (link) => link.t === t + 1 && link.from === row) - 1e-12,
      );
    });
  });
});
