// Runs of an automaton: the stacks that their transitions leave.

// Pairs of state and top symbol are numbered by states, then symbols.
export function pairIndex(automaton, [state, top]) {
  return state * automaton.symbols.length + top;
}

export function pairName(automaton, pair) {
  const count = automaton.symbols.length;
  return `${automaton.states[Math.floor(pair / count)]} ${automaton.symbols[pair % count]}`;
}

// "q0 0 push ⊥ → q1", as `pushdown inspect` prints it; without an arrow, the state stays.
export function transitionText(automaton, [state, top], [operation, to, symbol]) {
  const pushed = operation === "pop" ? "" : ` ${automaton.symbols[symbol]}`;
  const arrow = to === state ? "" : ` → ${automaton.states[to]}`;
  return `${automaton.states[state]} ${automaton.symbols[top]} ${operation}${pushed}${arrow}`;
}

function step(stack, [operation, , symbol]) {
  if (operation === "push") stack.push(symbol);
  else if (operation === "pop") stack.pop();
  else stack[stack.length - 1] = symbol;
}

// A run after t steps: its state and stack, the bottom first, and the transition of step t.
export function runSteps(run, t) {
  const stack = [0];
  let state = 0;
  let from = null;
  for (let n = 0; n < t; ++n) {
    from = [state, stack[stack.length - 1]];
    step(stack, run.transitions[n]);
    state = run.transitions[n][1];
  }
  return { state, stack, from, transition: t > 0 ? run.transitions[t - 1] : null };
}

// The stacks of a run over time: `heights` [T + 1], which do not count the bottom, `states` [T + 1],
// and `blocks`, a symbol of the stack each, which is there after the steps from .. to. There are at
// most T + 1 blocks, where there can be T² / 4 cells.
export function mountainOf(run) {
  const open = [{ symbol: 0, depth: 0, from: 0 }];
  const blocks = [];
  const heights = [0];
  const states = [0];
  const close = (to) => blocks.push({ ...open.pop(), to });
  run.transitions.forEach(([operation, state, symbol], n) => {
    const t = n + 1;
    if (operation !== "push") close(n);
    if (operation !== "pop") open.push({ symbol, depth: open.length, from: t });
    heights.push(open.length - 1);
    states.push(state);
  });
  while (open.length > 0) close(run.transitions.length);
  return { heights, states, blocks };
}
