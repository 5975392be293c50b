// The drawing of an automaton by its layout: states as circles, and one arrow for each pair of states
// with a line for each transition.

import { acceptance, edgeLines, transitionLabel } from "../data/automaton_text.js";
import { chart } from "../parts/chart.js";
import { cut } from "../parts/format.js";
import { hideTooltip, showTooltip } from "../parts/tooltip.js";

const pad = 10;
const lineHeight = 13;
const letter = 6.6; // about the width of one, in a state
const tooltipLines = 24;
// In letters.
const longestLine = 60;
const longestNote = 36;
// What styles/automata.css gives to the drawing, less its scroll bar; higher ones scroll.
const greatestHeight = 600;
// The least scale at which labels can be read, and the most that a small drawing is enlarged.
const scales = { least: 0.8, most: 1.4 };

// The last point of a path and the one before it.
function endOf(path) {
  const numbers = (path.match(/-?[\d.]+(?:e-?\d+)?/gi) ?? []).map(Number);
  return { last: numbers.slice(-2), before: numbers.slice(-4, -2) };
}

// A triangle from the end of a path to the tip; if there is no tip, at the end of the path.
function arrowHead(path, tip) {
  const { last, before } = endOf(path);
  const size = 9;
  let [from, to] = [last, tip];
  if (!tip) {
    const length = Math.hypot(last[0] - before[0], last[1] - before[1]) || 1;
    from = last.map((value, n) => value - ((value - before[n]) / length) * size);
    to = last;
  }
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const length = Math.hypot(dx, dy) || 1;
  const [nx, ny] = [(-dy / length) * 3.6, (dx / length) * 3.6];
  return [[from[0] + nx, from[1] + ny], to, [from[0] - nx, from[1] - ny]]
    .map((point) => point.join(","))
    .join(" ");
}

function drawArrow(group, path, tip) {
  group.append("path").attr("class", "arrow-line").attr("d", path);
  group.append("polygon").attr("class", "arrow-head").attr("points", arrowHead(path, tip));
}

function drawLabel(group, automaton, { label, transitions }, shown) {
  const lines = edgeLines(automaton, transitions, shown);
  group.selectAll("text").remove();
  if (!label) return;
  const top = label[1] - ((lines.length - 1) * lineHeight) / 2;
  lines.forEach(({ text, transition }, n) => {
    group
      .append("text")
      .attr("class", transition === null ? "edge-label muted" : "edge-label")
      .classed("current", transition !== null && transition === shown)
      .attr("data-transition", transition)
      .attr("x", label[0])
      .attr("y", top + n * lineHeight)
      .attr("dy", "0.35em")
      .attr("text-anchor", "middle")
      .text(cut(text, longestLine));
  });
}

// How many letters of a name a state has room for.
function lettersIn(rx, bottom) {
  return Math.max(3, Math.floor((2 * (rx - (bottom ? 4 : 0))) / letter));
}

// Whether the drawing leaves out some of the transitions, or parts of a name.
export function hasCutLabels(automaton) {
  const { states, edges } = automaton.layout;
  const isCut = (text, length) => cut(text, length) !== text;
  return (
    edges.some(({ label, transitions }) => {
      const lines = edgeLines(automaton, transitions);
      return (
        !label ||
        lines.some(({ text, transition }) => transition === null || isCut(text, longestLine))
      );
    }) ||
    states.some(({ rx }, state) => {
      const { bottom, note } = acceptance(automaton, state);
      return isCut(automaton.states[state], lettersIn(rx, bottom)) || isCut(note, longestNote);
    })
  );
}

function drawState(group, automaton, state, { x, y, rx, ry }) {
  const { bottom, note } = acceptance(automaton, state);
  const ellipse = (less) =>
    group
      .append("ellipse")
      .attr("cx", x)
      .attr("cy", y)
      .attr("rx", Math.max(1, rx - less))
      .attr("ry", Math.max(1, ry - less));
  ellipse(0).attr("class", "outline");
  if (bottom) ellipse(4).attr("class", "inner");
  const text = (words, at, kind) =>
    group
      .append("text")
      .attr("class", kind)
      .attr("x", x)
      .attr("y", at)
      .attr("dy", "0.35em")
      .attr("text-anchor", "middle")
      .text(words);
  text(cut(automaton.states[state], lettersIn(rx, bottom)), y, "state-name");
  if (note) text(cut(note, longestNote), y + ry + 9, "state-note");
}

function describe(automaton, layout, target) {
  if (target.dataset.state !== undefined) {
    const state = Number(target.dataset.state);
    const accepts = automaton.accepting.flatMap((heads, language) =>
      heads
        .filter(([of]) => of === state)
        .map(([, top]) => {
          const which = automaton.accepting.length > 1 ? `language ${language + 1} ` : "";
          return `accepts ${which}with ${automaton.stack_symbols[top]} on top`;
        }),
    );
    return { heading: automaton.states[state], lines: accepts };
  }
  const { from, to, transitions } = layout.edges[Number(target.dataset.edge)];
  return {
    heading: `${automaton.states[from]} → ${automaton.states[to]}`,
    lines: transitions.map((index) => transitionLabel(automaton, automaton.transitions[index])),
  };
}

function listenForTooltips(svg, automaton) {
  svg.addEventListener("pointermove", (event) => {
    const target = event.target.closest(".edge[data-edge], .state");
    if (!target) {
      hideTooltip();
      return;
    }
    const { heading, lines } = describe(automaton, automaton.layout, target);
    const shown = lines.slice(0, tooltipLines);
    if (lines.length > shown.length) {
      shown.push(`… ${lines.length - shown.length} more in the table of numbers`);
    }
    showTooltip({ x: event.clientX, y: event.clientY }, heading, shown);
  });
  svg.addEventListener("pointerleave", hideTooltip);
}

// Draws into `parent`, which scrolls. {show(configuration), zoom(factor), scaleTo(scale)}: show marks
// the state and the transition that led to it; a scale is pixels for each point of the layout.
export function drawGraph(parent, automaton) {
  const { layout } = automaton;
  const width = layout.width + 2 * pad;
  const height = layout.height + 2 * pad;
  const { svg, plot } = chart(parent, {
    label: `Drawing of the automaton ${automaton.name}; the table of numbers has its transitions.`,
    width,
    height,
    margin: { top: pad, right: pad, bottom: pad, left: pad },
  });
  svg.classed("automaton", true);

  if (layout.start) {
    const start = plot.append("g").attr("class", "edge start");
    drawArrow(start, layout.start.path, layout.start.tip);
  }
  const edges = layout.edges.map((edge, n) => {
    const group = plot.append("g").attr("class", "edge").attr("data-edge", n);
    group.attr("data-from", edge.from).attr("data-to", edge.to);
    group.attr("data-transitions", edge.transitions.join(" "));
    // Wide and not seen, for the pointer.
    group.append("path").attr("class", "arrow-reach").attr("d", edge.path);
    drawArrow(group, edge.path, edge.tip);
    return group;
  });
  const states = plot.append("g").attr("class", "states");
  const circles = layout.states.map((place, state) => {
    const group = states.append("g").attr("class", "state").attr("data-state", state);
    drawState(group, automaton, state, place);
    return group;
  });
  // Above all lines.
  const labels = layout.edges.map((edge, n) => {
    const group = plot.append("g").attr("class", "edge").attr("data-edge", n);
    drawLabel(group, automaton, edge, null);
    return group;
  });
  listenForTooltips(svg.node(), automaton);

  const whole = () =>
    Math.min(scales.most, (parent.clientWidth || width) / width, greatestHeight / height);
  let scale = Math.max(scales.least, whole());
  let at = 0;
  let shown = false;
  let marked = [];

  // Brings the current state into the part that is seen, without moving the page.
  function reveal() {
    const { x, y, rx, ry } = layout.states[at];
    const along = (middle, radius, seen, scrolled) => {
      const place = (middle + pad) * scale;
      const reach = radius * scale;
      const inside = shown && place - reach >= scrolled && place + reach <= scrolled + seen;
      return inside ? scrolled : place - seen / 2;
    };
    parent.scrollLeft = along(x, rx, parent.clientWidth, parent.scrollLeft);
    parent.scrollTop = along(y, ry, parent.clientHeight, parent.scrollTop);
    shown = true;
  }

  const graph = {
    show({ state, transition }) {
      for (const { group, edge } of marked) {
        group.classed("current", false);
        if (edge) drawLabel(group, automaton, edge, null);
      }
      circles[state].classed("current", true);
      marked = [{ group: circles[state] }];
      const n =
        transition === null
          ? -1
          : layout.edges.findIndex((edge) => edge.transitions.includes(transition));
      if (n >= 0) {
        edges[n].classed("current", true);
        drawLabel(labels[n], automaton, layout.edges[n], transition);
        marked.push({ group: edges[n] }, { group: labels[n], edge: layout.edges[n] });
      }
      at = state;
      reveal();
    },
    // Scales by a factor, and returns the scale.
    zoom(factor) {
      return graph.scaleTo(scale * factor);
    },
    // Without a scale, all is seen.
    scaleTo(to = whole()) {
      scale = Math.min(4, Math.max(0.1, to));
      svg.attr("width", Math.round(width * scale)).attr("height", Math.round(height * scale));
      reveal();
      return scale;
    },
  };
  graph.scaleTo(scale);
  return graph;
}
