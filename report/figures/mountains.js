// The best runs of the automaton: one as its stacks over time, the others by their heights.

import { axisLeft } from "d3-axis";
import { scaleLinear } from "d3-scale";
import { mountainOf, runSteps, transitionText } from "../data/runs.js";
import { choice, element } from "../parts/dom.js";
import { counted, cut, number } from "../parts/format.js";
import { seriesStyle } from "../parts/palette.js";
import { legendRow, rowLabels, sideLabel, timelineChart } from "../parts/timeline.js";

const tallest = 300;
const mostButtons = 8;
const mostLetters = 5000;
const mostSamples = 50;
// Below the stacks, the states of the chosen run.
const stateRoom = 18;

function title(runs, mountains, times) {
  const best = Math.max(...mountains[0].heights);
  const together = runs.reduce((sum, { probability }) => sum + probability, 0);
  const rise = times > 1 ? ` and rises to height ${best}` : "";
  const all = runs.length > 1 ? `; the ${runs.length} best have ${number(together)} together` : "";
  return `Given the whole string: the best run has probability ${number(runs[0].probability)}${rise}${all}`;
}

// One button for each run, or a choice of many.
function runControls(runs, timeline) {
  if (runs.length < 2) return [];
  const text = (n) => `Run ${n + 1}: ${number(runs[n].probability)}`;
  if (runs.length > mostButtons) {
    const options = runs.map((_, n) => ({ value: String(n), text: text(n) }));
    const label = choice("Stacks of", options, "0", (value) => timeline.setRun(Number(value)));
    timeline.on("run", "run-choice", () => {
      label.querySelector("select").value = String(timeline.run);
    });
    return [label];
  }
  const buttons = runs.map((_, n) =>
    element(
      "button",
      {
        type: "button",
        class: "run-choice",
        "data-run": n,
        "aria-pressed": String(n === timeline.run),
        onclick: () => timeline.setRun(n),
      },
      text(n),
    ),
  );
  timeline.on("run", "run-choice", () => {
    buttons.forEach((button, n) => {
      button.setAttribute("aria-pressed", String(n === timeline.run));
    });
  });
  return [
    element("span", {}, "Stacks of"),
    element("span", { class: "run-choices", role: "group", "aria-label": "Run" }, buttons),
  ];
}

function symbolColor(symbol) {
  return `var(--series-${(symbol % 8) + 1})`;
}

// The blocks of one run, and the symbols in them.
function drawStacks(group, { frame, y, cell, names, mountain }) {
  const letters = [];
  const cells = mountain.blocks.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const longest = Math.max(...names.map((name) => [...name].length));
  const every = cell >= 10 && longest * 7 + 4 <= frame.step && cells <= mostLetters;
  for (const { symbol, depth, from, to } of mountain.blocks) {
    const width = (to - from + 1) * frame.step;
    group
      .append("rect")
      .attr("class", "stack-block")
      .attr("x", frame.x(from))
      .attr("y", y(depth) - cell / 2)
      .attr("width", width)
      .attr("height", cell)
      .style("fill", symbolColor(symbol))
      .style("stroke", cell >= 4 && frame.step >= 3 ? symbolColor(symbol) : "none")
      .attr("data-symbol", names[symbol])
      .attr("data-depth", depth)
      .attr("data-from", from)
      .attr("data-to", to);
    if (cell < 10) continue;
    if (every) {
      for (let t = from; t <= to; ++t) letters.push([t, depth, names[symbol], frame.step / 2]);
    } else if (width >= 12) {
      const text = cut(names[symbol], Math.max(1, Math.floor((width - 4) / 7)));
      letters.push([from, depth, text, width / 2]);
    }
  }
  if (every) {
    // Thin lines between the steps, so that blocks are cells of columns.
    let lines = "";
    for (let t = 1; t < mountain.heights.length; ++t) {
      const both = Math.min(mountain.heights[t - 1], mountain.heights[t]);
      lines += `M${frame.x(t)} ${y(-0.5)}V${y(both + 0.5)}`;
    }
    group.append("path").attr("class", "stack-lines").attr("d", lines);
  }
  for (const [t, depth, text, offset] of letters) {
    group
      .append("text")
      .attr("class", "stack-symbol")
      .attr("text-anchor", "middle")
      .attr("x", frame.x(t) + offset)
      .attr("y", y(depth))
      .attr("dy", "0.35em")
      .text(text);
  }
}

export function mountainsFigure(inspection, timeline) {
  const { automaton } = inspection;
  const runs = automaton?.runs ?? [];
  if (runs.length === 0) return null;
  const mountains = runs.map(mountainOf);
  const samples = (automaton.samples ?? []).slice(0, mostSamples).map(mountainOf);
  const times = mountains[0].heights.length;
  const highest = [...mountains, ...samples].reduce(
    (most, { heights }) => Math.max(most, ...heights),
    0,
  );
  const cell = Math.min(22, tallest / (highest + 1));
  const mountain = Math.max(40, cell * (highest + 1));
  const height = mountain + stateRoom;
  const names = automaton.symbols;
  const y = scaleLinear()
    .domain([-0.5, highest + 0.5])
    .range([mountain, mountain - cell * (highest + 1)]);
  // Lines of runs that have the same heights lie beside each other, above the blocks.
  const shifted = (n) => -(1 + (n % 5)) * Math.min(1.6, cell / 8);

  const captions = [
    "The stack of one run after each step, the bottom symbol at height 0; each block is a symbol, from the step that puts it there to the last one after which it is there.",
    "The probability of a run is its share in the weight of all runs, given the whole string.",
  ];
  if (samples.length > 0) captions.push(`Dots: ${counted(samples.length, "sampled run")}.`);
  if (runs.length > 1) {
    captions.push("Lines: the heights of the other runs. Arrows up and down choose a run.");
  }

  return {
    id: "inside-runs",
    title: title(runs, mountains, times),
    caption: captions.join(" "),
    controls: () => runControls(runs, timeline),
    onKey: timeline.onKey,
    draw(body) {
      const frame = timelineChart(body, timeline, {
        key: "runs",
        label: `${title(runs, mountains, times)}. The stacks of a run over ${times} steps.`,
        height,
        top: 34,
        hover(t) {
          if (t >= times) return null;
          const { state, stack, from, transition } = runSteps(runs[timeline.run], t);
          const shown = stack.slice(-20).map((symbol) => names[symbol]);
          return [
            `Run ${timeline.run + 1} after step ${t}`,
            [
              transition ? transitionText(automaton, from, transition) : "initial stack",
              `state ${automaton.states[state]}, height ${stack.length - 1}`,
              `stack: ${stack.length > 20 ? "… " : ""}${shown.join(" ")}`,
            ],
          ];
        },
      });
      const every = [1, 2, 5, 10, 20, 50, 100, 200].find((each) => each * cell >= 16) ?? 500;
      const ticks = Array.from({ length: Math.floor(highest / every) + 1 }, (_, n) => n * every);
      const grid = frame.plot.append("g").attr("class", "grid");
      for (const value of ticks) {
        grid.append("line").attr("x2", frame.width).attr("y1", y(value)).attr("y2", y(value));
      }
      const path = (n) => {
        let steps = `M${frame.x(0)} ${y(0.5) + shifted(n)}`;
        mountains[n].heights.forEach((value, t) => {
          steps += `V${y(value + 0.5) + shifted(n)}H${frame.x(t + 1)}`;
        });
        return steps;
      };
      if (samples.length > 0) {
        // Where many samples are, their dots add up.
        const counts = new Map();
        for (const { heights } of samples) {
          heights.forEach((value, t) => {
            const key = t * 1e6 + value;
            counts.set(key, (counts.get(key) ?? 0) + 1);
          });
        }
        const dots = frame.plot.append("g").attr("class", "sample-dots");
        for (const [key, count] of counts) {
          const radius = Math.min(cell, frame.step) * 0.42 * Math.sqrt(count / samples.length);
          dots
            .append("circle")
            .attr("cx", frame.x(Math.floor(key / 1e6)) + frame.step / 2)
            .attr("cy", y(key % 1e6))
            .attr("r", Math.max(0.6, radius));
        }
      }
      const wide = Math.max(...automaton.states.map((name) => [...name].length)) * 6.4;
      const statesFit = wide <= frame.step;
      if (statesFit) rowLabels(frame, [{ name: "state", y: mountain + 9 }]);
      const stacks = frame.plot.append("g");
      const lines = frame.plot.append("g").attr("class", "run-lines");
      const legend = frame.labels.append("g");
      const show = () => {
        stacks.selectAll("*").remove();
        lines.selectAll("*").remove();
        legend.selectAll("*").remove();
        const chosen = timeline.run;
        drawStacks(stacks, { frame, y, cell, names, mountain: mountains[chosen] });
        stacks.attr("data-run", chosen).attr("data-probability", runs[chosen].probability);
        mountains.forEach(({ heights }, n) => {
          if (n === chosen) return;
          const style = seriesStyle(n);
          lines
            .append("path")
            .attr("class", "run-line")
            .attr("d", path(n))
            .attr(
              "stroke-dasharray",
              n < mostButtons ? ["1 3", "5 3", "2 2", "8 3 2 3"][n % 4] : null,
            )
            .style("stroke", runs.length > mostButtons ? "var(--muted)" : style.color)
            .attr("data-run", n)
            .attr("data-probability", runs[n].probability)
            .attr("data-heights", heights.join(" "));
        });
        if (statesFit) {
          mountains[chosen].states.forEach((state, t) => {
            stacks
              .append("text")
              .attr("class", "run-state")
              .attr("text-anchor", "middle")
              .attr("x", frame.x(t) + frame.step / 2)
              .attr("y", mountain + 13)
              .text(automaton.states[state]);
          });
        }
        legendRow(
          { labels: legend },
          runs.length > 1
            ? [
                {
                  name: `stacks of run ${chosen + 1}`,
                  draw: (group) =>
                    group
                      .append("rect")
                      .attr("class", "stack-block sample")
                      .attr("x", 4)
                      .attr("width", 16)
                      .attr("height", 12),
                },
                {
                  name: "other runs",
                  draw: (group) =>
                    group.append("path").attr("class", "run-line sample").attr("d", "M0 6H24"),
                },
              ]
            : [],
          -31,
        );
      };
      show();
      timeline.on("run", "mountains", show);
      frame.labels
        .append("g")
        .attr("class", "axis")
        .call(
          axisLeft(y)
            .tickValues(ticks)
            .tickFormat((value) => String(value))
            .tickSizeOuter(0),
        );
      sideLabel(frame, "height");
    },
    table: () => ({
      columns: ["run", "probability", "t", "read", "transition", "state", "height", "stack"],
      rows: runs.flatMap((run, n) =>
        Array.from({ length: times }, (_, t) => {
          const { state, stack, from, transition } = runSteps(run, t);
          return [
            n + 1,
            run.probability,
            t,
            timeline.columns[t].symbol,
            transition ? transitionText(automaton, from, transition) : "",
            automaton.states[state],
            stack.length - 1,
            stack.map((symbol) => names[symbol]).join(" "),
          ];
        }),
      ),
    }),
    plot: () => ({
      axes: [
        {
          xLabel: "step t",
          yLabel: "height of the stack",
          series: runs.map(({ probability }, n) => ({
            name: `run ${n + 1}, probability ${number(probability)}`,
            kind: "steps",
            dashed: n > 0,
            points: mountains[n].heights.map((value, t) => [t, value]),
          })),
        },
      ],
    }),
  };
}
