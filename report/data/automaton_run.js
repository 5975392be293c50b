// Whether a pushdown automaton accepts a string, and a run to show for it.
//
// A run is a list of transitions (their indices). It begins in state 0 with the bottom symbol, 0, as
// its stack; each transition replaces the top by its `pushed` symbols, the lowest first, and a run
// whose stack is empty is over. It accepts if it has read the whole string and a language has the
// pair of its state and its top. A string is accepted if each language has an accepting run.
//
// Stacks are not enumerated: there may be exponentially many, or infinitely many if transitions read
// nothing. What happens above a cell of the stack does not depend on what is below it. So it is
// enough to know, for each *head* (position, state, top) with which a cell can be put on the stack,
// to which heads the automaton can come with this cell on top again, and where it can be popped.
// The shortest way to each is kept; the search ends when no way can be made shorter, and then both
// answers are exact.

// How many ways to heads are tried at most. This many take less than a second.
export const searchLimit = 300000;
// A search for a shorter accepting run is given up earlier, so that pages open fast.
const quickLimit = 50000;
// Longer runs are not listed.
export const runLimit = 5000;

// The symbols of a text as indices of the automaton's inputs, -1 if it does not have them.
export function symbolsOf(automaton, text) {
  const indices = new Map(automaton.inputs.map((name, index) => [name, index]));
  return tokensOf(text).map((name) => indices.get(name) ?? -1);
}

export function tokensOf(text) {
  return text.split(/\s+/).filter((name) => name !== "");
}

const none = [];

// The transitions by head, state * symbols + top, and input. Of those that push several symbols at
// once, each step pushes one; between them, symbols that only the search knows are on top.
function rulesOf(automaton) {
  const real = automaton.stack_symbols.length;
  const chains = automaton.transitions.map(({ pushed }) => Math.max(0, pushed.length - 2));
  const symbols = real + chains.reduce((sum, length) => sum + length, 0);
  const byHead = new Map();
  const add = (state, top, rule) => {
    const head = state * symbols + top;
    let rules = byHead.get(head);
    if (rules === undefined) {
      rules = new Map();
      byHead.set(head, rules);
    }
    const those = rules.get(rule.input);
    if (those === undefined) rules.set(rule.input, [rule]);
    else those.push(rule);
  };
  let inner = real;
  automaton.transitions.forEach(({ from: [state, top], input, to, pushed }, index) => {
    const length = chains[index];
    const first = length === 0 ? pushed : [pushed[0], inner];
    add(state, top, { transition: index, input, to, pushed: first, cost: 1 });
    for (let n = 1; n <= length; ++n, ++inner) {
      const next = [pushed[n], n < length ? inner + 1 : pushed[n + 1]];
      add(to, inner, { transition: null, input: null, to, pushed: next, cost: 0 });
    }
  });
  return { byHead, real, symbols };
}

// What every search in an automaton needs, and takes time if the automaton is large.
const prepared = new WeakMap();

function prepare(automaton) {
  if (!prepared.has(automaton)) {
    const { length } = automaton.stack_symbols;
    const languages = automaton.accepting.map((heads) => ({
      accepts: new Set(heads.map(([state, top]) => state * length + top)),
      hopeful: hopefulHeads(automaton, heads),
    }));
    prepared.set(automaton, { rules: rulesOf(automaton), languages });
  }
  return prepared.get(automaton);
}

// All heads that can be reached. Those with the same cell on top since it was put there are a
// *level*: {head, items: Map from head to item}. An item is {level, position, state, top, cost, ...};
// its top is `popped` if the cell is gone. cost is the number of transitions since the level began.
function reachable(automaton, input, limit) {
  const { byHead, real, symbols } = prepare(automaton).rules;
  const popped = symbols;
  const states = automaton.states.length;
  const levels = new Map();
  const queue = [];
  let tried = 0;
  const number = (position, state, top) => (position * states + state) * (symbols + 1) + top;

  // There is a way of this cost to a head: `before`, then `rule`, then `above`, the item that has
  // popped what the rule had pushed.
  function reach(level, position, state, top, cost, before, rule, above) {
    ++tried;
    const head = number(position, state, top);
    let item = level.items.get(head);
    if (item === undefined) {
      item = { level, position, state, top, cost: Infinity, calls: null, queued: false };
      level.items.set(head, item);
    }
    if (item.cost <= cost) return;
    item.cost = cost;
    item.before = before;
    item.rule = rule;
    item.above = above;
    if (!item.queued) queue.push(item);
    item.queued = true;
  }

  function levelAt(position, state, top) {
    ++tried;
    const head = number(position, state, top);
    let level = levels.get(head);
    if (level === undefined) {
      level = { items: new Map(), ends: [], callers: [], cost: Infinity, caller: null };
      levels.set(head, level);
      reach(level, position, state, top, 0, null, null, null);
    }
    return level;
  }

  function goOn({ item, rule }, end) {
    const cost = item.cost + rule.cost + end.cost;
    reach(item.level, end.position, end.state, rule.pushed[0], cost, item, rule, end);
  }

  // Takes the rule from the item to the position `next`; `first` if it has not been taken before.
  function take(item, rule, next, first) {
    if (rule.pushed.length < 2) {
      const symbol = rule.pushed.length === 0 ? popped : rule.pushed[0];
      reach(item.level, next, rule.to, symbol, item.cost + rule.cost, item, rule, null);
      return;
    }
    const above = levelAt(next, rule.to, rule.pushed[1]);
    const call = { item, rule, level: above };
    if (first) {
      item.calls.push(call);
      above.callers.push(call);
    }
    for (const end of above.ends) goOn(call, end);
  }

  const root = levelAt(0, 0, 0);
  let taken = 0;
  for (; taken < queue.length && tried < limit; ++taken) {
    const item = queue[taken];
    item.queued = false;
    const { level, position, state, top } = item;
    const first = item.calls === null;
    if (first) item.calls = [];
    if (top === popped) {
      if (first) level.ends.push(item);
      for (const call of level.callers) goOn(call, item);
      continue;
    }
    const rules = byHead.get(state * symbols + top);
    if (rules === undefined) continue;
    for (const rule of rules.get(null) ?? none) take(item, rule, position, first);
    for (const rule of rules.get(input[position]) ?? none) take(item, rule, position + 1, first);
  }
  reachLevels(root);
  return { root, levels, tried, complete: taken === queue.length, real, popped };
}

// A queue that gives the least cost first: {push(cost, value), pop()}, which gives [cost, value].
function leastFirst() {
  const heap = [];
  const swap = (a, b) => {
    [heap[a], heap[b]] = [heap[b], heap[a]];
  };
  return {
    get length() {
      return heap.length;
    },
    push(cost, value) {
      let at = heap.push([cost, value]) - 1;
      for (let up = (at - 1) >> 1; at > 0 && heap[at][0] < heap[up][0]; up = (at - 1) >> 1) {
        swap(at, up);
        at = up;
      }
    },
    pop() {
      swap(0, heap.length - 1);
      const least = heap.pop();
      for (let at = 0; ; ) {
        let down = 2 * at + 1;
        if (down + 1 < heap.length && heap[down + 1][0] < heap[down][0]) ++down;
        if (down >= heap.length || heap[at][0] <= heap[down][0]) return least;
        swap(at, down);
        at = down;
      }
    },
  };
}

// The shortest way from the start to each level.
function reachLevels(root) {
  root.cost = 0;
  const queue = leastFirst();
  queue.push(0, root);
  while (queue.length > 0) {
    const [reached, level] = queue.pop();
    if (reached > level.cost) continue;
    for (const item of level.items.values()) {
      for (const call of item.calls ?? none) {
        const cost = level.cost + item.cost + call.rule.cost;
        if (cost >= call.level.cost) continue;
        call.level.cost = cost;
        call.level.caller = call;
        queue.push(cost, call.level);
      }
    }
  }
}

function runTo(end) {
  if (end === null || end.level.cost + end.cost > runLimit) return null;
  // From the end to the start: the last of `parts` comes last in the run.
  const parts = [end];
  for (let { caller } = end.level; caller !== null; { caller } = caller.item.level) {
    parts.unshift(caller.item, caller.rule);
  }
  const backwards = [];
  while (parts.length > 0) {
    const part = parts.pop();
    if (part.level === undefined) {
      if (part.transition !== null) backwards.push(part.transition);
    } else if (part.before !== null) {
      parts.push(part.before, part.rule);
      if (part.above !== null) parts.push(part.above);
    }
  }
  return backwards.reverse();
}

// Whether a run with this state and this top may still accept, whatever is below and whatever it
// reads. False is certain; true is not, since any symbol may be below.
function hopefulHeads(automaton, accepting) {
  const symbols = automaton.stack_symbols.length;
  // The heads that have a transition to this one, and to any head of this state by a pop.
  const before = new Map();
  const popping = new Map();
  const note = (map, key, head) => {
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(head);
  };
  for (const { from, to, pushed } of automaton.transitions) {
    if (pushed.length === 0) note(popping, to, from);
    else note(before, to * symbols + pushed[pushed.length - 1], from);
  }
  const hopeful = new Set();
  const waiting = [...accepting];
  while (waiting.length > 0) {
    const [state, top] = waiting.pop();
    const head = state * symbols + top;
    if (hopeful.has(head)) continue;
    hopeful.add(head);
    for (const each of before.get(head) ?? none) waiting.push(each);
    for (const each of popping.get(state) ?? none) waiting.push(each);
    popping.delete(state);
  }
  return hopeful;
}

// For each language a run: an accepting one if there is one, else one that reads as much as possible,
// and of those that read as much a shortest one. Runs that cannot accept any more only count if
// there are no others: every compiled recogniser has one that reads everything and never accepts.
//
// {decision, languages: [{decision, run, read, hopeful, shortest}], tried}: a decision is "accepted",
// "rejected" or "undecided", if the search was given up; read is how many symbols the run reads; run
// is null if it is too long; hopeful is false if no run can accept anything; shortest is whether
// there is no shorter run that accepts.
export function findRuns(automaton, input, limit = searchLimit) {
  const { root, levels, tried, complete, real, popped } = reachable(automaton, input, limit);
  const languages = prepare(automaton).languages.map(({ accepts, hopeful }) => {
    let best = null;
    let bestRank = [];
    for (const level of levels.values()) {
      for (const item of level.items.values()) {
        const { position, state, top } = item;
        if (top >= real && !(top === popped && level === root)) continue;
        const live = top < real;
        const rank = [
          Number(live && position === input.length && accepts.has(state * real + top)),
          Number(live && hopeful.has(state * real + top)),
          position,
          Number(live),
          -(level.cost + item.cost),
        ];
        const at = rank.findIndex((value, n) => value !== bestRank[n]);
        if (best !== null && (at < 0 || rank[at] < bestRank[at])) continue;
        best = item;
        bestRank = rank;
      }
    }
    const accepted = bestRank[0] === 1;
    return {
      decision: accepted ? "accepted" : complete ? "rejected" : "undecided",
      run: runTo(best),
      read: best.position,
      hopeful: bestRank[1] === 1,
      shortest: complete,
    };
  });
  const all = languages.map(({ decision }) => decision);
  const worst = ["rejected", "undecided"].find((decision) => all.includes(decision));
  return { decision: worst ?? "accepted", languages, tried };
}

// As findRuns, but if an accepting run is found soon, it need not be the shortest.
export function decide(automaton, input) {
  const quick = findRuns(automaton, input, quickLimit);
  return quick.decision === "undecided" ? findRuns(automaton, input) : quick;
}

// What a run goes through: {state, position, stack, transition}, first the start, which has no
// transition. A stack is {symbol, below, height}, or null if it is empty.
export function configurationsOf(automaton, run) {
  const push = (below, symbol) => ({ symbol, below, height: (below?.height ?? 0) + 1 });
  let current = { state: 0, position: 0, stack: push(null, 0), transition: null };
  const all = [current];
  for (const index of run) {
    const { input, to, pushed } = automaton.transitions[index];
    current = {
      state: to,
      position: current.position + (input === null ? 0 : 1),
      stack: pushed.reduce(push, current.stack.below),
      transition: index,
    };
    all.push(current);
  }
  return all;
}

// The symbols of a stack, the lowest first.
export function stackSymbols(stack) {
  const symbols = [];
  for (let cell = stack; cell !== null; cell = cell.below) symbols.push(cell.symbol);
  return symbols.reverse();
}

// At most one transition in every situation.
export function isDeterministic(automaton) {
  const inputs = new Map();
  for (const { from, input } of automaton.transitions) {
    const key = from.join();
    if (!inputs.has(key)) inputs.set(key, []);
    inputs.get(key).push(input);
  }
  return [...inputs.values()].every(
    (of) => new Set(of).size === of.length && (of.length === 1 || !of.includes(null)),
  );
}

const exampleLength = 6;
const examplePrefixes = 100;
// How many ways are tried for one prefix, and for all of them.
const exampleLimit = 2000;
const exampleBudget = 30000;
// Of larger automata, not even that is tried.
const exampleTransitions = 5000;

// A short accepted string that shows something: of the accepted strings that are found, one with the
// most different symbols, and of these the longest, the first one in the order of the inputs. null if
// none is found.
export function exampleString(automaton) {
  const count = automaton.inputs.length;
  if (automaton.transitions.length > exampleTransitions) return null;
  const worth = (string) => 10 * new Set(string).size + string.length;
  let left = exampleBudget;
  let best = null;
  let prefixes = [[]];
  for (let length = 0; length <= exampleLength && prefixes.length > 0; ++length) {
    const viable = prefixes.filter((string) => {
      if (left <= 0) return false;
      const found = findRuns(automaton, string, Math.min(left, exampleLimit));
      left -= found.tried;
      const accepted = found.decision === "accepted";
      if (accepted && (best === null || worth(string) > worth(best))) best = string;
      return found.languages.every(({ read }) => read === string.length);
    });
    // Evenly spread, so that all symbols have their turn.
    const all = viable.length * count;
    prefixes = Array.from({ length: Math.min(all, examplePrefixes) }, (_, n) => {
      const at = Math.ceil((n * all) / Math.min(all, examplePrefixes));
      return [...viable[Math.floor(at / count)], at % count];
    });
  }
  return best === null ? null : best.map((symbol) => automaton.inputs[symbol]).join(" ");
}

// The strings that have only symbols of the automaton.
export function fittingStrings(automaton, strings) {
  return strings.filter((string) => symbolsOf(automaton, string).every((x) => x >= 0));
}

// The first of the strings that the automaton accepts; else the first one that has only its symbols;
// else null. Strings that take long to decide count as not accepted.
export function firstAccepted(automaton, strings) {
  const fitting = fittingStrings(automaton, strings);
  let left = exampleBudget;
  for (const string of fitting) {
    if (left <= 0) break;
    const { decision, tried } = findRuns(automaton, symbolsOf(automaton, string), left);
    left -= tried;
    if (decision === "accepted") return string;
  }
  return fitting[0] ?? null;
}
