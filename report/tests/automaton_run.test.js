// The search of data/automaton_run.js against the definition: an enumeration of configurations with
// whole stacks.

import assert from "node:assert/strict";
import test from "node:test";
import {
  configurationsOf,
  decide,
  exampleString,
  findRuns,
  firstAccepted,
  isDeterministic,
  stackSymbols,
  symbolsOf,
  tokensOf,
} from "../data/automaton_run.js";

// Transitions are written "state input top -> state pushed...", with names of one letter; "_" is
// nothing. `accepting` has "state top" for each language.
function automaton({ inputs, transitions, accepting }) {
  const states = [];
  const symbols = ["$"];
  const index = (names, name) => {
    if (!names.includes(name)) names.push(name);
    return names.indexOf(name);
  };
  const parsed = transitions.map((text) => {
    const [state, input, top, , to, ...pushed] = text.split(" ");
    return {
      from: [index(states, state), index(symbols, top)],
      input: input === "_" ? null : inputs.indexOf(input),
      to: index(states, to),
      pushed: pushed.filter((name) => name !== "_").map((name) => index(symbols, name)),
    };
  });
  const heads = accepting.map((language) =>
    language.map((text) => {
      const [state, top] = text.split(" ");
      return [index(states, state), index(symbols, top)];
    }),
  );
  return { inputs, states, stack_symbols: symbols, transitions: parsed, accepting: heads };
}

const brackets = automaton({
  inputs: ["(", ")"],
  transitions: ["q ( $ -> q $ X", "q ( X -> q X X", "q ) X -> q _"],
  accepting: [["q $"]],
});
const palindromes = automaton({
  inputs: ["a", "b"],
  transitions: ["a", "b"].flatMap((x) => [
    ...["$", "a", "b"].map((top) => `p ${x} ${top} -> p ${top} ${x}`),
    ...["$", "a", "b"].map((top) => `p ${x} ${top} -> r ${top}`),
    `r ${x} ${x} -> r _`,
    `p _ ${x} -> r ${x}`,
  ]),
  accepting: [["p $", "r $"]],
});
const equalNumbers = automaton({
  inputs: ["a", "b"],
  transitions: [
    "p a $ -> p $ A",
    "p a A -> p A A",
    "p _ $ -> q $",
    "p _ A -> q A",
    "q b A -> q _",
    "q _ $ -> r Z",
  ],
  accepting: [["r Z"]],
});
// Each a pushes three symbols at once, which another transition rearranges.
const triples = automaton({
  inputs: ["a", "b"],
  transitions: ["p a $ -> p $ X Y X", "p a X -> p X X Y X", "p b X -> p _", "p b Y -> p _"],
  accepting: [["p $"]],
});
const intersection = automaton({
  inputs: ["a", "b", "c"],
  transitions: [
    // a^n b^n c^m
    "s _ $ -> p $",
    "p a $ -> p $ A",
    "p a A -> p A A",
    "p b A -> q _",
    "q b A -> q _",
    "p c $ -> t $",
    "q c $ -> t $",
    "t c $ -> t $",
    // a^m b^n c^n
    "s _ $ -> u $",
    "u a $ -> u $",
    "u b $ -> v $ B",
    "v b B -> v B B",
    "v c B -> w _",
    "w c B -> w _",
  ],
  accepting: [
    ["p $", "q $", "t $"],
    ["u $", "w $"],
  ],
});
// Loops that read nothing: one that keeps the stack, one that pushes for ever.
const loops = automaton({
  inputs: ["a"],
  transitions: [
    "p _ $ -> q $",
    "q _ $ -> p $",
    "q _ $ -> g $ X",
    "g _ X -> g X X",
    "g a X -> h _",
    "h a X -> h _",
  ],
  accepting: [["h $"]],
});
// Without anything below, the bottom may be popped, too.
const emptied = automaton({
  inputs: ["a", "b"],
  transitions: ["p a $ -> p _", "p b $ -> q $ $", "q a $ -> p _"],
  accepting: [["p $"]],
});
const nowhere = automaton({ inputs: ["a"], transitions: ["p a $ -> q $"], accepting: [[]] });

// For each language the length of the shortest accepting run among those whose stacks are never
// higher than `height`; null if there is none.
function enumerate({ transitions, accepting }, string, height) {
  const lengths = accepting.map(() => null);
  const seen = new Set();
  let layer = [{ state: 0, position: 0, stack: [0] }];
  for (let steps = 0; layer.length > 0; ++steps) {
    const next = [];
    for (const { state, position, stack } of layer) {
      const key = `${state}/${position}/${stack}`;
      if (seen.has(key) || stack.length === 0 || stack.length > height) continue;
      seen.add(key);
      const top = stack[stack.length - 1];
      accepting.forEach((heads, language) => {
        if (position < string.length || lengths[language] !== null) return;
        if (heads.some(([q, x]) => q === state && x === top)) lengths[language] = steps;
      });
      for (const { from, input, to, pushed } of transitions) {
        if (from[0] !== state || from[1] !== top) continue;
        if (input !== null && input !== string[position]) continue;
        next.push({
          state: to,
          position: position + (input === null ? 0 : 1),
          stack: [...stack.slice(0, -1), ...pushed],
        });
      }
    }
    layer = next;
  }
  return lengths;
}

function* stringsUpTo(length, symbols) {
  let strings = [[]];
  for (let n = 0; n <= length; ++n) {
    yield* strings;
    strings = strings.flatMap((string) =>
      Array.from({ length: symbols }, (_, x) => [...string, x]),
    );
  }
}

// Replays a run by the definition, and returns how it ends.
function replay({ transitions }, string, run) {
  let state = 0;
  let position = 0;
  let stack = [0];
  for (const index of run) {
    const { from, input, to, pushed } = transitions[index];
    assert.deepEqual([state, stack[stack.length - 1]], from);
    if (input !== null) assert.equal(string[position], input);
    position += input === null ? 0 : 1;
    state = to;
    stack = [...stack.slice(0, -1), ...pushed];
  }
  return { state, position, stack };
}

function check(of, string, height) {
  const { decision, languages } = findRuns(of, string);
  const lengths = enumerate(of, string, height);
  languages.forEach(({ decision: answer, run, read, shortest }, language) => {
    const end = replay(of, string, run);
    assert.equal(end.position, read);
    assert.ok(shortest);
    assert.notEqual(answer, "undecided");
    if (lengths[language] !== null) assert.equal(answer, "accepted");
    if (answer !== "accepted") return;
    assert.equal(read, string.length);
    const head = [end.state, end.stack[end.stack.length - 1]];
    assert.ok(of.accepting[language].some((accepts) => accepts.join() === head.join()));
    // The enumeration has no stacks that are very high, which only make runs longer.
    if (lengths[language] !== null) assert.ok(run.length <= lengths[language]);
    const highest = Math.max(...configurationsOf(of, run).map(({ stack }) => stack?.height ?? 0));
    if (highest <= height) assert.equal(run.length, lengths[language]);
  });
  const all = languages.every((language) => language.decision === "accepted");
  assert.equal(decision, all ? "accepted" : "rejected");
  return decision === "accepted";
}

function accepted(of, length, height = 20) {
  const strings = [];
  for (const string of stringsUpTo(length, of.inputs.length)) {
    if (check(of, string, height)) strings.push(string.map((x) => of.inputs[x]).join(""));
  }
  return strings;
}

test("brackets up to length 8 are Catalan numbers", () => {
  const strings = accepted(brackets, 8);
  const counts = [0, 2, 4, 6, 8].map((n) => strings.filter((s) => s.length === n).length);
  assert.deepEqual(counts, [1, 1, 2, 5, 14]);
  assert.equal(strings.length, 23);
});

test("palindromes up to length 8 are what reads the same backwards", () => {
  const expected = [];
  for (const string of stringsUpTo(8, 2)) {
    const text = string.map((x) => "ab"[x]).join("");
    if (text === [...text].reverse().join("")) expected.push(text);
  }
  assert.deepEqual(accepted(palindromes, 8), expected);
});

test("a^n b^n by transitions that read nothing", () => {
  assert.deepEqual(accepted(equalNumbers, 8), ["", "ab", "aabb", "aaabbb", "aaaabbbb"]);
});

test("transitions that push three symbols at once", () => {
  const strings = accepted(triples, 8);
  // By hand: abbb; and a second a in place of each X, which takes three symbols more.
  assert.deepEqual(strings, ["", "abbb", "aabbbbbb", "abbabbbb", "abbbabbb"]);
});

test("of several languages, all must accept", () => {
  assert.deepEqual(accepted(intersection, 6), ["", "abc", "aabbcc"]);
  const { decision, languages } = findRuns(intersection, symbolsOf(intersection, "a b"));
  assert.equal(decision, "rejected");
  assert.deepEqual(
    languages.map((language) => language.decision),
    ["accepted", "rejected"],
  );
});

test("loops that read nothing end, also those that push for ever", () => {
  assert.deepEqual(accepted(loops, 8), [
    "a",
    "aa",
    "aaa",
    "aaaa",
    "aaaaa",
    "aaaaaa",
    "aaaaaaa",
    "aaaaaaaa",
  ]);
});

test("an empty stack ends a run", () => {
  // "a" empties the stack in p; "b a" leaves one of two.
  assert.deepEqual(accepted(emptied, 8), ["", "ba", "baba", "bababa", "babababa"]);
  const { languages } = findRuns(emptied, symbolsOf(emptied, "a a"));
  assert.deepEqual(languages[0].run, []);
});

test("a language without accepting pairs has no strings", () => {
  assert.deepEqual(accepted(nowhere, 4), []);
  assert.equal(exampleString(nowhere), null);
});

test("symbols that are not in the alphabet are read by nothing", () => {
  assert.deepEqual(symbolsOf(brackets, "  ( x\t) "), [0, -1, 1]);
  const { decision, languages } = findRuns(brackets, symbolsOf(brackets, "( x )"));
  assert.equal(decision, "rejected");
  assert.equal(languages[0].read, 1);
  // A transition that reads nothing does not read it either.
  const { languages: others } = findRuns(equalNumbers, symbolsOf(equalNumbers, "x"));
  assert.equal(others[0].decision, "rejected");
  assert.equal(others[0].read, 0);
});

test("of a rejected string, the run reads as much as possible", () => {
  const reads = (of, text) => findRuns(of, symbolsOf(of, text)).languages[0].read;
  assert.equal(reads(brackets, "( ) ) ("), 2);
  assert.equal(reads(brackets, "( ( )"), 3);
  assert.equal(reads(equalNumbers, "a b b a"), 2);
});

test("a run that cannot accept any more only counts if there is no other", () => {
  const trapped = automaton({
    inputs: ["a", "b"],
    transitions: ["p a $ -> p $", "p a $ -> t $", "t a $ -> t $", "t b $ -> t $"],
    accepting: [["p $"]],
  });
  const { languages } = findRuns(trapped, symbolsOf(trapped, "a b"));
  assert.equal(languages[0].read, 1);
  assert.deepEqual(languages[0].run, [0]);
});

test("random automata agree with the enumeration", () => {
  // Any generator does; this one is the same everywhere.
  let seed = 1;
  const random = (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  let strings = 0;
  for (let n = 0; n < 400; ++n) {
    const states = 1 + random(3);
    const symbols = 1 + random(3);
    const head = () => [random(states), random(symbols)];
    const of = {
      inputs: ["a", "b"],
      states: Array.from({ length: states }, (_, q) => `q${q}`),
      stack_symbols: Array.from({ length: symbols }, (_, x) => `x${x}`),
      transitions: Array.from({ length: 2 + random(9) }, () => ({
        from: head(),
        input: [null, 0, 1, 0, 1][random(5)],
        to: random(states),
        pushed: Array.from({ length: [0, 0, 1, 2, 3][random(5)] }, () => random(symbols)),
      })),
      accepting: Array.from({ length: 1 + random(2) }, () => [head(), head()]),
    };
    for (const string of stringsUpTo(3, 2)) strings += Number(check(of, string, 7));
  }
  // The comparison is worth something if there are both answers.
  assert.ok(strings > 500 && strings < 5500, String(strings));
});

test("a search that is given up says so, unless it has found a run", () => {
  const string = Array(40).fill(0);
  assert.equal(findRuns(brackets, string, 10).decision, "undecided");
  const { decision, languages } = findRuns(brackets, [], 1);
  assert.equal(decision, "accepted");
  assert.deepEqual(languages[0].run, []);
});

test("a search that takes long ends early only if there is an accepting run", () => {
  for (const of of [brackets, palindromes, loops]) {
    for (const string of stringsUpTo(4, of.inputs.length)) {
      assert.deepEqual(decide(of, string), findRuns(of, string));
    }
  }
  const long = (first, last) => [...Array(200).fill(first), ...Array(200).fill(last)];
  const { decision, tried, languages } = decide(palindromes, long(0, 0));
  assert.equal(decision, "accepted");
  assert.equal(replay(palindromes, long(0, 0), languages[0].run).position, 400);
  assert.ok(tried < findRuns(palindromes, long(0, 0)).tried || languages[0].shortest);
  assert.equal(decide(palindromes, long(0, 1)).decision, "rejected");
});

test("exponentially many stacks are no obstacle", () => {
  // Each a pushes one of two symbols, and each b pops either.
  const choices = automaton({
    inputs: ["a", "b"],
    transitions: ["$", "X", "Y"]
      .flatMap((top) => [`p a ${top} -> p ${top} X`, `p a ${top} -> p ${top} Y`])
      .concat(["p b X -> p _", "p b Y -> p _"]),
    accepting: [["p $"]],
  });
  const string = [...Array(60).fill(0), ...Array(60).fill(1)];
  assert.equal(findRuns(choices, string).decision, "accepted");
  assert.equal(findRuns(choices, string.slice(1)).decision, "rejected");
});

test("a run that is too long to be listed does not change the answer", () => {
  // Each symbol becomes two of the next, and 2^20 of the last are popped.
  const doublings = Array.from({ length: 20 }, (_, n) => ({
    from: [1, n + 1],
    input: null,
    to: 1,
    pushed: [n + 2, n + 2],
  }));
  const of = {
    inputs: ["a"],
    states: ["p", "q"],
    stack_symbols: Array.from({ length: 22 }, (_, x) => `x${x}`),
    transitions: [
      { from: [0, 0], input: null, to: 1, pushed: [0, 1] },
      ...doublings,
      { from: [1, 21], input: null, to: 1, pushed: [] },
    ],
    accepting: [[[1, 0]]],
  };
  const { decision, languages } = findRuns(of, []);
  assert.equal(decision, "accepted");
  assert.equal(languages[0].run, null);
});

test("configurations have the stack after each transition", () => {
  const { languages } = findRuns(triples, symbolsOf(triples, "a b b b"));
  const all = configurationsOf(triples, languages[0].run);
  const names = (stack) =>
    stackSymbols(stack)
      .map((x) => triples.stack_symbols[x])
      .join("");
  assert.deepEqual(
    all.map(({ stack }) => names(stack)),
    ["$", "$XYX", "$XY", "$X", "$"],
  );
  assert.deepEqual(
    all.map(({ position }) => position),
    [0, 1, 2, 3, 4],
  );
  assert.equal(all[0].transition, null);
});

test("examples are accepted, and have as many symbols as they can", () => {
  assert.equal(exampleString(brackets), "( ( ( ) ) )");
  assert.equal(exampleString(intersection), "a a b b c c");
  for (const of of [palindromes, equalNumbers, triples, loops, emptied]) {
    const string = symbolsOf(of, exampleString(of));
    assert.equal(findRuns(of, string).decision, "accepted");
  }
});

test("deterministic is at most one transition in every situation", () => {
  assert.ok(isDeterministic(brackets));
  assert.ok(isDeterministic(triples));
  assert.ok(!isDeterministic(palindromes));
  // p reads a or nothing with $ on top.
  assert.ok(!isDeterministic(equalNumbers));
  assert.ok(isDeterministic({ transitions: [] }));
});

test("of the page's strings, the first accepted one is shown, else the first that fits", () => {
  assert.equal(firstAccepted(brackets, ["a b", ") (", "( )", "( ( ) )"]), "( )");
  assert.equal(firstAccepted(brackets, ["a b", ") (", "("]), ") (");
  assert.equal(firstAccepted(brackets, ["a b"]), null);
  assert.equal(firstAccepted(brackets, []), null);
  assert.equal(firstAccepted(brackets, [") (", ""]), "");
});

// The states that are reached grow with each symbol, and a transition pushes 21 symbols.
function large(count) {
  return {
    inputs: ["a", "b"],
    states: Array.from({ length: count / 10 }, (_, n) => `q${n}`),
    stack_symbols: ["$", "X"],
    transitions: Array.from({ length: count }, (_, n) => ({
      from: [Math.floor(n / 10), n % 2],
      input: Math.floor(n / 2) % 2,
      to: (n * 7) % (count / 10),
      pushed: Array.from({ length: 21 }, (__, k) => (k === 0 ? n % 2 : 1)),
    })),
    accepting: [Array.from({ length: count / 10 }, (_, state) => [state, 1])],
  };
}

test("transitions that push many symbols are searched without all pairs of states and symbols", () => {
  // 200 states and 38,002 symbols between those that are pushed: 7.6 million pairs.
  const of = large(2000);
  const string = symbolsOf(of, "a b a b");
  const before = process.memoryUsage().heapUsed;
  const { decision, tried, languages } = findRuns(of, string);
  assert.equal(decision, "accepted");
  assert.ok(tried < 20000, String(tried));
  assert.equal(configurationsOf(of, languages[0].run).pop().stack.height, 81);
  assert.ok(process.memoryUsage().heapUsed - before < 100e6);
});

test("automata that are too large have no example", () => {
  assert.ok(tokensOf(exampleString(large(2000))).length > 1);
  assert.equal(exampleString(large(6000)), null);
});
