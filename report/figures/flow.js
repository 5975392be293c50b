// How probability flows between pairs of state and top symbol, by push, replace and pop.

import { mean } from "d3-array";
import { symbolDiamond, symbolTriangle } from "d3-shape";
import {
  expectedOperations,
  flowOf,
  hasSums,
  leastPair,
  listedFrom,
  operations,
  thinnedLinks,
  undrawnShare,
  unlistedOperations,
  unlistedShare,
} from "../data/flow.js";
import { transitionText } from "../data/runs.js";
import { counted, fixed, percent } from "../parts/format.js";
import { markPath } from "../parts/palette.js";
import { tex } from "../parts/pgfplots.js";
import { legendRow, rowLabels, sideLabel, stepWidth, timelineChart } from "../parts/timeline.js";

const mostLinks = 6000;
// Steps that are narrower than this are drawn in a window of their own, as wide as `windowStep`.
const narrowest = 10;
const windowStep = 30;
// Links that are thinner than this, in pixels, are lines with a dash in place of a mark.
const thinnest = 3;

const thinDashes = { push: null, replace: "4 2", pop: "1.5 1.5" };
const texStyles = { push: "blue", replace: "olive, dashed", pop: "orange, densely dotted" };

const operationMarks = { push: symbolTriangle, replace: symbolDiamond, pop: symbolTriangle };

// What is less is not worth a word.
const worthSaying = 0.01;

function title(automaton, undrawn) {
  const steps = counted(automaton.transitions.length, "step");
  const sums = expectedOperations(automaton);
  // Without exact sums, what is listed may be a small part of all.
  if (!sums)
    return `Given the whole string: the transitions between state and top symbol in ${steps}`;
  const times = (value) => fixed(value, 1);
  const rest = undrawn >= worthSaying ? `; ${percent(undrawn)} of this is not drawn` : "";
  return `Given the whole string: in ${steps}, the automaton pushes ${times(sums.push)}, replaces ${times(sums.replace)} and pops ${times(sums.pop)} times in expectation${rest}`;
}

// `undrawn` is the share of all transitions that has no link, `unlisted` that which is not in the data.
function caption(automaton, flow, { undrawn, unlisted, threshold }) {
  const exact = hasSums(automaton);
  const share = unlisted >= worthSaying ? `: ${percent(unlisted)} of all` : "";
  const notes = [
    "After each step, a bar for each pair of a state and a top symbol, as high as its probability; between two steps, the transitions, as wide as theirs. Both are given the whole string: shares in the weight of all runs of all steps. A triangle up is a push, a diamond a replacement, a triangle down a pop.",
    `Transitions of less than ${listedFrom} are not drawn${share}.`,
  ];
  if (!exact) {
    notes.push(
      "The file of this string has no sums over all transitions, so that bars are only as high as the transitions that are drawn.",
    );
  } else if (undrawn >= worthSaying) {
    notes.push("Bars count these, too: a bar without links has no others.");
  }
  notes.push(
    "A pop does not say which symbol it uncovers: where several pops into one state uncover several symbols, they meet halfway.",
  );
  if (flow.links.some(({ to, joint }) => to === null && !joint)) {
    notes.push("Pops that end halfway uncover symbols that are not known.");
  }
  if (flow.unused > 0) {
    notes.push(
      `${counted(flow.unused, "pair")} with less than ${leastPair} in the sum of all times ${flow.unused === 1 ? "is" : "are"} left out.`,
    );
  }
  if (flow.others > 0) {
    notes.push(`The ${flow.others} pairs with the least probability share the last row.`);
  }
  if (threshold > 0) {
    const more = undrawn - unlisted;
    const also = more >= worthSaying ? `, ${percent(more)} of all` : "";
    notes.push(`Links of ${fixed(threshold, 3)} or less are not drawn either${also}.`);
  }
  return notes.join(" ");
}

// The tooltip of a step.
function stepText(automaton, timeline, step) {
  const most = 6;
  const listed = automaton.transitions[step - 1];
  const lines = listed
    .slice(0, most)
    .map(
      ({ from, transition, probability }) =>
        `${fixed(probability, 3)}  ${transitionText(automaton, from, transition)}`,
    );
  if (listed.length > most) lines.push(`and ${listed.length - most} others`);
  const rest = unlistedShare(listed);
  if (rest >= worthSaying) {
    lines.push(`${fixed(rest, 3)}  in transitions of less than ${listedFrom}, not drawn`);
  }
  if (hasSums(automaton)) {
    const sums = automaton.operations[step - 1];
    lines.push(operations.map((each) => `${each} ${fixed(sums[each], 3)}`).join(", "));
  }
  return [`Step ${step} reads ${timeline.columns[step].symbol}`, lines];
}

// Where on its nodes each link begins and ends: those of a node lie below each other, in the order of
// their other ends.
function layout({ nodes, links, rows }, height) {
  const row = height / rows.length;
  const scale = row - Math.min(8, row * 0.25);
  const centre = (n) => (n + 0.5) * row;
  const joints = new Map();
  for (const link of links) {
    if (!link.joint) continue;
    if (!joints.has(link.joint)) joints.set(link.joint, { y: 0, weight: 0, out: 0, in: 0 });
    if (link.to === null) continue;
    const joint = joints.get(link.joint);
    joint.y += link.probability * centre(link.to);
    joint.weight += link.probability;
  }
  for (const joint of joints.values()) {
    joint.y /= joint.weight || 1;
    joint.in = joint.y - (joint.weight * scale) / 2;
    joint.out = joint.in;
  }
  const other = (link, end) => {
    const n = end === "from" ? link.to : link.from;
    if (n !== null) return centre(n);
    return link.joint ? joints.get(link.joint).y : centre(link.from);
  };
  const starts = new Map();
  const ends = new Map();
  for (const link of links) {
    const from = link.from === null ? null : `${link.t - 1} ${link.from}`;
    const to = link.to === null ? null : `${link.t} ${link.to}`;
    if (from) starts.set(from, [...(starts.get(from) ?? []), link]);
    if (to) ends.set(to, [...(ends.get(to) ?? []), link]);
  }
  const place = (groups, end, name) => {
    for (const [key, group] of groups) {
      const [t, n] = key.split(" ").map(Number);
      const sum = group.reduce((total, link) => total + link.probability, 0);
      let y = centre(n) - (Math.max(sum, nodes[t][n]) * scale) / 2;
      for (const link of group.sort((a, b) => other(a, end) - other(b, end))) {
        link[name] = y + (link.probability * scale) / 2;
        y += link.probability * scale;
      }
    }
  };
  place(starts, "from", "y0");
  place(ends, "to", "y1");
  for (const link of links) {
    // One that ends nowhere goes straight on.
    if (link.to === null && !link.joint) link.y1 = link.y0;
    if (!link.joint) continue;
    const joint = joints.get(link.joint);
    const width = link.probability * scale;
    if (link.to === null) {
      link.y1 = joint.in + width / 2;
      joint.in += width;
    } else {
      link.y0 = joint.out + width / 2;
      joint.out += width;
    }
  }
  return { row, scale, centre };
}

// Draws the steps of `frame` from the flow.
function drawFlow(frame, flow, { row, scale, centre }, [first, last]) {
  const { plot, x, step } = frame;
  const half = Math.min(3, step / 8);
  const middle = (t) => x(t) + step / 2;
  const lines = plot.append("g").attr("class", "grid");
  flow.rows.forEach((_, n) => {
    lines.append("line").attr("x2", middle(last)).attr("y1", centre(n)).attr("y2", centre(n));
  });
  const group = plot.append("g").attr("class", "flow-links");
  const marks = plot.append("g").attr("class", "flow-marks");
  for (const link of flow.links) {
    if (link.t <= first || link.t > last) continue;
    const { t, from, to, operation, probability, y0, y1 } = link;
    const unknown = to === null && !link.joint;
    const begin = middle(t - 1) + half;
    const end = middle(t) - half;
    const joint = (begin + end) / 2;
    const x0 = from === null ? joint : begin;
    const x1 = to === null ? joint : end;
    const bend = (x0 + x1) / 2;
    const width = probability * scale;
    const thin = width < thinnest;
    const path = group
      .append("path")
      .attr("class", `${thin ? "flow-line" : "flow-link"} ${operation}`)
      .attr("data-step", t)
      .attr("data-from", from === null ? "" : flow.rows[from])
      .attr("data-to", to === null ? "" : flow.rows[to])
      .attr("data-operation", operation)
      .attr("data-probability", probability);
    if (thin) {
      path
        .attr("d", `M${x0} ${y0}C${bend} ${y0} ${bend} ${y1} ${x1} ${y1}`)
        .attr("stroke-width", Math.max(0.8, width))
        .attr("stroke-dasharray", thinDashes[operation]);
    } else {
      const w = width / 2;
      path.attr(
        "d",
        `M${x0} ${y0 - w}C${bend} ${y0 - w} ${bend} ${y1 - w} ${x1} ${y1 - w}` +
          `V${y1 + w}C${bend} ${y1 + w} ${bend} ${y0 + w} ${x0} ${y0 + w}Z`,
      );
    }
    // Links into a joint have no mark of their own.
    if (width >= 4 && step >= 15 && (to !== null || unknown)) {
      const turn = operation === "pop" ? " rotate(180)" : "";
      marks
        .append("path")
        .attr("class", `flow-mark ${operation}`)
        .attr("d", markPath(operationMarks[operation], Math.min(64, 16 + width * 2, step * 2)))
        .attr("transform", `translate(${(x0 + x1) / 2},${(y0 + y1) / 2})${turn}`);
    }
  }
  const bars = plot.append("g").attr("class", "flow-nodes");
  for (let t = first; t <= last; ++t) {
    flow.nodes[t].forEach((probability, n) => {
      if (probability < 0.0005) return;
      const height = Math.max(1, probability * scale);
      bars
        .append("rect")
        .attr("x", middle(t) - half)
        .attr("width", 2 * half)
        .attr("y", centre(n) - height / 2)
        .attr("height", height)
        .attr("data-step", t)
        .attr("data-pair", flow.rows[n])
        .attr("data-probability", probability);
    });
  }
  return row;
}

function legendEntries() {
  return operations.map((operation) => ({
    name: operation,
    draw(group) {
      group
        .append("rect")
        .attr("class", `flow-link ${operation}`)
        .attr("width", 26)
        .attr("y", 1)
        .attr("height", 10);
      group
        .append("path")
        .attr("class", `flow-mark ${operation}`)
        .attr("d", markPath(operationMarks[operation], 44))
        .attr("transform", `translate(13,6)${operation === "pop" ? " rotate(180)" : ""}`);
    },
  }));
}

function tikz(flow) {
  const point = (n) => n.toFixed(3);
  const lines = ["\\begin{tikzpicture}[x=1cm, y=-0.8cm, draw opacity=0.6]"];
  flow.rows.forEach((name, n) => {
    lines.push(`  \\node[left] at (-0.2,${n}) {${tex(name)}};`);
  });
  const joints = new Map();
  for (const { joint, to, probability } of flow.links) {
    if (!joint || to === null) continue;
    const { sum = 0, weight = 0 } = joints.get(joint) ?? {};
    joints.set(joint, { sum: sum + probability * to, weight: weight + probability });
  }
  for (const { t, from, to, operation, probability, joint } of flow.links) {
    const { sum, weight } = joints.get(joint) ?? {};
    const at = [t - 0.5, weight ? sum / weight : from];
    const begin = from === null ? at : [t - 1, from];
    const end = to === null ? at : [t, to];
    lines.push(
      `  \\draw[${texStyles[operation]}, line width=${point(Math.max(0.2, 16 * probability))}pt] ` +
        `(${point(begin[0])},${point(begin[1])}) to[out=0, in=180] (${point(end[0])},${point(end[1])});`,
    );
  }
  for (let t = 0; t < flow.nodes.length; ++t) {
    lines.push(`  \\node[below] at (${t},${flow.rows.length - 0.4}) {${t}};`);
  }
  lines.push("\\end{tikzpicture}");
  return lines.join("\n");
}

// Rows of the table for what is not listed, so that each step sums to 1.
function restRows(automaton, n, read) {
  const rest = unlistedOperations(automaton)?.[n];
  if (!rest) return [];
  return operations
    .filter((operation) => rest[operation] >= 1e-6)
    .map((operation) => {
      const text = `all others that ${operation}`;
      return [n + 1, read, "", "", operation, "", "", rest[operation], text];
    });
}

export function flowFigure(inspection, timeline) {
  const { automaton } = inspection;
  if (!automaton || automaton.transitions.length === 0) return null;
  const all = flowOf(automaton);
  const { links, threshold } = thinnedLinks(all.links, mostLinks);
  const flow = { ...all, links };
  const height = flow.rows.length * Math.max(26, Math.min(70, 330 / flow.rows.length));
  const place = layout(flow, height);
  const last = automaton.transitions.length;
  const undrawn = undrawnShare(links, last);
  const unlisted = mean(automaton.transitions, unlistedShare);
  const heading = title(automaton, undrawn);

  return {
    id: "inside-flow",
    title: heading,
    caption: caption(automaton, flow, { undrawn, unlisted, threshold }),
    onKey: timeline.onKey,
    draw(body) {
      const windowed = stepWidth(timeline, body.clientWidth) < narrowest;
      let shown = null;
      const draw = () => {
        const t = Math.min(last, timeline.step ?? 0);
        if (windowed && shown && t >= shown[0] && t <= shown[1]) return;
        if (!windowed && shown) return;
        let range = null;
        if (windowed) {
          const count = Math.max(4, Math.floor((body.clientWidth - 150) / windowStep));
          const first = Math.max(0, Math.min(last - count, t - Math.floor(count / 2)));
          range = [first, Math.min(last, first + count)];
        }
        shown = range ?? [0, last];
        body.replaceChildren();
        const frame = timelineChart(body, timeline, {
          key: "flow",
          label: `${heading}. The flow between ${flow.rows.length} pairs of state and top symbol.`,
          height,
          top: 34,
          range,
          stepOf: range ? windowStep : undefined,
          hover(step) {
            if (step < 1 || step > last) return null;
            return stepText(automaton, timeline, step);
          },
        });
        drawFlow(frame, flow, place, shown);
        rowLabels(
          frame,
          flow.rows.map((name, n) => ({ name, y: place.centre(n) })),
        );
        sideLabel(frame, "state, top");
        legendRow(frame, legendEntries(), -28);
        if (range) {
          const text = `Steps ${shown[0]} to ${shown[1]} of ${last}: those around the chosen one`;
          body.append(
            Object.assign(document.createElement("p"), {
              className: "time-window",
              textContent: text,
            }),
          );
        }
      };
      draw();
      timeline.on("step", "flow-window", () => windowed && draw());
    },
    table: () => ({
      columns: [
        "t",
        "read",
        "state",
        "top",
        "operation",
        "to",
        "symbol",
        "probability",
        "transition",
      ],
      rows: automaton.transitions.flatMap((step, n) => [
        ...step.map(({ from, transition, probability }) => [
          n + 1,
          timeline.columns[n + 1].symbol,
          automaton.states[from[0]],
          automaton.symbols[from[1]],
          transition[0],
          automaton.states[transition[1]],
          transition[0] === "pop" ? "" : automaton.symbols[transition[2]],
          probability,
          transitionText(automaton, from, transition),
        ]),
        ...restRows(automaton, n, timeline.columns[n + 1].symbol),
      ]),
    }),
    plot: () => ({ tikz: tikz(flow) }),
  };
}
