// The paper's figure 4: readings in their first two components, by the symbol that was predicted.

import { extent } from "d3-array";
import { brush } from "d3-brush";
import { quadtree } from "d3-quadtree";
import { scaleLinear } from "d3-scale";
import { event as d3Event } from "d3-selection";
import {
  captionOf,
  componentName,
  evenlySpaced,
  mediansOf,
  sharesOf,
  symbolsOf,
  titleOf,
} from "../data/pca.js";
import { chart, drawAxes, narrow } from "../parts/chart.js";
import { choice, element, toggle } from "../parts/dom.js";
import { counted, cut, number, percent } from "../parts/format.js";
import { mountFigure } from "../parts/frame.js";
import { markPath, seriesStyle } from "../parts/palette.js";
import { hideTooltip, showTooltip } from "../parts/tooltip.js";

const mostPoints = 6000;
const letterPoints = 400;
const listed = 30;
const reach = 14;

// Where labels go that would cover each other: the free place nearest to the median, on a spiral.
// Those for which there is none nearby are left out.
function placeLabels(labels, width, height) {
  const placed = [];
  const free = (box) =>
    box.x0 >= 0 &&
    box.x1 <= width &&
    box.y0 >= 0 &&
    box.y1 <= height &&
    placed.every((p) => box.x1 <= p.x0 || box.x0 >= p.x1 || box.y1 <= p.y0 || box.y0 >= p.y1);
  let omitted = 0;
  for (const label of labels) {
    let found = null;
    for (let n = 0; n < 260 && !found; ++n) {
      const radius = n === 0 ? 0 : 3 * Math.sqrt(n) * 1.6;
      const angle = n * 2.4;
      const x = label.x + radius * Math.cos(angle);
      const y = label.y + radius * Math.sin(angle) * 0.8;
      const half = label.width / 2;
      const box = { x0: x - half, x1: x + half, y0: y - 7, y1: y + 7 };
      if (free(box)) found = { ...label, ...box, atX: x, atY: y };
    }
    if (found) placed.push(found);
    else ++omitted;
  }
  return { placed, omitted };
}

// What a selection holds, as a sentence and a table.
function selectionView(groups, all, selected, name) {
  if (!selected) {
    return [
      element("p", {}, "Drag a rectangle over points, or choose a symbol, to see what is there."),
    ];
  }
  const shares = selected.length > 0 ? sharesOf(groups, selected) : [];
  const rows = shares
    .slice(0, listed)
    .map(({ symbol, count, share, of }) =>
      element(
        "tr",
        { "data-symbol": symbol, "data-count": count, "data-share": share },
        element("th", { scope: "row" }, cut(symbol, 24)),
        element("td", { class: "number" }, count.toLocaleString("en")),
        element("td", { class: "number" }, percent(share)),
        element("td", { class: "number" }, percent(of)),
      ),
    );
  const head = ["symbol", "points", "of the selection", "of the symbol"].map((text, n) =>
    element("th", { scope: "col", class: n > 0 ? "number" : null }, text),
  );
  const more = shares.length - rows.length;
  return [
    element(
      "p",
      { "data-selected": selected.length },
      `${name}: ${counted(selected.length, "point")} of ${all.toLocaleString("en")}, ${counted(shares.length, "symbol")}.`,
    ),
    rows.length > 0
      ? element(
          "div",
          { class: "table-scroll", tabindex: "0" },
          element(
            "table",
            {},
            element("thead", {}, element("tr", {}, head)),
            element("tbody", {}, rows),
          ),
        )
      : null,
    more > 0 ? element("p", {}, `and ${counted(more, "other symbol")}`) : null,
  ].filter(Boolean);
}

function pcaFigure(pca, id) {
  const groups = symbolsOf(pca.points);
  const symbols = [...groups.keys()];
  const styles = new Map(symbols.map((symbol, n) => [symbol, seriesStyle(n)]));
  const drawn = evenlySpaced(pca.points, mostPoints);
  const shown = { a: 0, b: Math.min(1, pca.components.length - 1) };
  let letters = pca.points.length <= letterPoints;
  // The selection whose surroundings are drawn, or null for all points.
  let zoomed = null;
  let selected = null;
  let selectedName = "";
  // The rectangle in the components that it was drawn in, so that it is there when drawn again.
  let box = null;
  let update = () => {};
  const lists = element("div", { class: "pca-selection", "aria-live": "polite" });
  let symbolChoice = null;
  const zoomIn = element(
    "button",
    { type: "button", class: "pca-zoom", disabled: true },
    "Zoom to it",
  );
  const zoomOut = element(
    "button",
    { type: "button", class: "pca-all", disabled: true },
    "Show all",
  );

  const select = (points, name) => {
    selected = points;
    selectedName = name;
    if (symbolChoice && !(points && name.startsWith("Symbol "))) symbolChoice.value = "";
    zoomIn.disabled = !(points?.length > 1);
    update();
    lists.replaceChildren(...selectionView(groups, pca.points.length, selected, selectedName));
  };

  return {
    id,
    title: titleOf(pca),
    caption:
      captionOf(pca) +
      (drawn.length < pca.points.length
        ? ` ${drawn.length.toLocaleString("en")} of the points are drawn, evenly spaced.`
        : ""),
    controls(redraw) {
      const options = [
        { value: "", text: "(none)" },
        ...symbols.map((symbol) => ({
          value: `=${symbol}`,
          text: `${cut(symbol, 30)} (${groups.get(symbol).length})`,
        })),
      ];
      const chosen = choice("Symbol", options, "", (value) => {
        if (value) select(groups.get(value.slice(1)), `Symbol ${value.slice(1)}`);
        else select(null, "");
      });
      symbolChoice = chosen.querySelector("select");
      zoomIn.addEventListener("click", () => {
        zoomed = selected;
        redraw();
      });
      zoomOut.addEventListener("click", () => {
        zoomed = null;
        redraw();
      });
      const controls = [];
      if (pca.components.length > 2) {
        const axes = pca.components.map((_, n) => ({ value: String(n), text: String(n + 1) }));
        const axis = (label, key) =>
          choice(label, axes, String(shown[key]), (value) => {
            shown[key] = Number(value);
            redraw();
          });
        controls.push(axis("Component across", "a"), axis("up", "b"));
      }
      controls.push(
        chosen,
        element(
          "button",
          { type: "button", class: "pca-clear", onclick: () => select(null, "") },
          "Clear selection",
        ),
        zoomIn,
        zoomOut,
        toggle("Symbols as marks", letters, (value) => {
          letters = value;
          redraw();
        }),
      );
      return controls;
    },
    draw(body) {
      const place = element("div", { class: "pca-chart" });
      body.append(place, lists);
      lists.replaceChildren(...selectionView(groups, pca.points.length, selected, selectedName));
      if (pca.points.length === 0 || pca.components.length === 0) {
        place.append(element("p", {}, "There are no points."));
        return;
      }
      const wide = place.clientWidth || 640;
      const frame = chart(place, {
        label: `${titleOf(pca)}. A scatter plot of ${pca.points.length} points of ${symbols.length} symbols.`,
        height: wide < narrow ? 360 : 500,
        width: Math.max(240, Math.floor(wide)),
        margin: { left: 60, right: 24, top: 12, bottom: 46 },
      });
      const { plot, width, height } = frame;
      const { a, b } = shown;
      zoomOut.disabled = zoomed === null;
      const scale = (n, range) => {
        const [low, high] = extent(zoomed ?? pca.points, ({ projected }) => projected[n]);
        const room = (high - low || 1) * 0.04;
        return scaleLinear()
          .domain([low - room, high + room])
          .range(range);
      };
      const x = scale(a, [0, width]);
      const y = scale(b, [height, 0]);
      const within = ({ x: px, y: py }) => px >= 0 && px <= width && py >= 0 && py <= height;
      const seen = ({ projected }) => within({ x: x(projected[a]), y: y(projected[b]) });
      drawAxes(frame, { x, y, xLabel: componentName(pca, a), yLabel: componentName(pca, b) });

      // Marks are below the brush, which takes the pointer.
      const marks = plot.append("g").attr("class", letters ? "pca-letters" : "pca-marks");
      const visible = zoomed ? evenlySpaced(pca.points.filter(seen), mostPoints) : drawn;
      const nodes = visible.map((point) => {
        const style = styles.get(point.symbol);
        const at = `translate(${x(point.projected[a])},${y(point.projected[b])})`;
        const mark = marks.append(letters ? "text" : "path").attr("transform", at);
        if (letters) {
          mark.attr("text-anchor", "middle").attr("dy", "0.35em").text(cut(point.symbol, 8));
        } else {
          mark.attr("d", markPath(style.mark, visible.length > 2000 ? 18 : 30));
        }
        mark
          .style("fill", style.color)
          .attr("data-symbol", point.symbol)
          .attr("data-string", point.string)
          .attr("data-position", point.position)
          .attr("data-x", point.projected[a])
          .attr("data-y", point.projected[b]);
        return { point, node: mark.node() };
      });

      const brushing = plot.append("g").attr("class", "brush");
      const names = plot.append("g").attr("class", "pca-names");
      const labels = mediansOf(groups, [a, b])
        .filter((each) => within({ x: x(each.x), y: y(each.y) }))
        .sort((one, other) => other.count - one.count)
        .map((each) => {
          const text = cut(each.symbol, 10);
          const room = 7 * [...text].length + 6;
          const inside = (value, most, half) => Math.max(half, Math.min(most - half, value));
          return {
            ...each,
            text,
            width: room,
            homeX: x(each.x),
            homeY: y(each.y),
            x: inside(x(each.x), width, room / 2),
            y: inside(y(each.y), height, 8),
          };
        });
      const { placed, omitted } = placeLabels(labels, width, height);
      for (const label of placed) {
        const style = styles.get(label.symbol);
        if (Math.hypot(label.atX - label.homeX, label.atY - label.homeY) > 12) {
          names
            .append("line")
            .attr("x1", label.homeX)
            .attr("y1", label.homeY)
            .attr("x2", label.atX)
            .attr("y2", label.atY)
            .style("stroke", style.color);
        }
      }
      for (const label of placed) {
        const style = styles.get(label.symbol);
        const group = names
          .append("g")
          .attr("data-symbol", label.symbol)
          .attr("data-x", label.x)
          .attr("data-y", label.y);
        group
          .append("rect")
          .attr("x", label.x0)
          .attr("y", label.y0)
          .attr("width", label.width)
          .attr("height", 14)
          .attr("rx", 3)
          .style("stroke", style.color);
        group
          .append("text")
          .attr("text-anchor", "middle")
          .attr("x", label.atX)
          .attr("y", label.atY)
          .attr("dy", "0.35em")
          .text(label.text);
      }
      if (omitted > 0) {
        body.insertBefore(
          element(
            "p",
            { class: "pca-note" },
            `${counted(omitted, "symbol")} in the crowd have no label; move over their points.`,
          ),
          lists,
        );
      }

      update = () => {
        const chosen = selected ? new Set(selected.map(keyOf)) : null;
        const inside = selected ? new Set(selected.map(({ symbol }) => symbol)) : null;
        for (const { point, node } of nodes) {
          node.classList.toggle("dim", chosen !== null && !chosen.has(keyOf(point)));
        }
        names.selectAll("g").each(function dim() {
          this.classList.toggle("dim", inside !== null && !inside.has(this.dataset.symbol));
        });
        if (selectedName !== "Rectangle") brushing.call(rectangle.move, null);
      };
      const rectangle = brush()
        .extent([
          [0, 0],
          [width, height],
        ])
        .on("start", hideTooltip)
        .on("brush end", () => {
          // Moves of the program itself have no source.
          if (!d3Event.sourceEvent) return;
          if (!d3Event.selection) {
            if (selectedName === "Rectangle") select(null, "");
            return;
          }
          if (d3Event.type === "brush" && drawn.length > 3000) return;
          const [[x0, y0], [x1, y1]] = d3Event.selection;
          box = { a, b, x: [x0, x1].map(x.invert), y: [y0, y1].map(y.invert) };
          select(
            pca.points.filter(({ projected }) => {
              const px = x(projected[a]);
              const py = y(projected[b]);
              return px >= x0 && px <= x1 && py >= y0 && py <= y1;
            }),
            "Rectangle",
          );
        });
      // One search for the nearest point, in place of a listener for each.
      const tree = quadtree()
        .x(({ projected }) => x(projected[a]))
        .y(({ projected }) => y(projected[b]))
        .addAll(pca.points.filter(seen));
      brushing.call(rectangle);
      if (selectedName === "Rectangle" && !zoomed && box?.a === a && box.b === b) {
        const [x0, x1] = box.x.map(x);
        const [y0, y1] = box.y.map(y);
        brushing.call(rectangle.move, [
          [x0, y0],
          [x1, y1],
        ]);
      }
      plot.node().addEventListener("pointermove", (event) => {
        if (event.buttons !== 0) return;
        const box = frame.svg.node().getBoundingClientRect();
        const point = tree.find(event.clientX - box.left - 60, event.clientY - box.top - 12, reach);
        if (!point) {
          hideTooltip();
          return;
        }
        showTooltip({ x: event.clientX, y: event.clientY }, `Symbol ${point.symbol}`, [
          `string ${point.string}, position ${point.position}`,
          `${number(point.projected[a])}, ${number(point.projected[b])}`,
        ]);
      });
      plot.node().addEventListener("pointerleave", hideTooltip);
      update();
    },
    table: () => ({
      columns: ["string", "position", "symbol", ...pca.components.map((_, n) => `pc${n + 1}`)],
      rows: pca.points.map(({ string, position, symbol, projected }) => [
        string,
        position,
        symbol,
        ...projected,
      ]),
    }),
    plot: () => ({
      axes: [
        {
          xLabel: componentName(pca, shown.a),
          yLabel: componentName(pca, shown.b),
          series: [...groups].map(([symbol, points]) => ({
            name: symbol,
            kind: "marks",
            points: points.map(({ projected }) => [projected[shown.a], projected[shown.b]]),
          })),
        },
      ],
    }),
  };
}

function keyOf({ string, position }) {
  return `${string} ${position}`;
}

export const pca = {
  id: "pca",
  title: "Components",
  mount(parent, { data }) {
    data.pca.forEach((each, n) => {
      mountFigure(parent, pcaFigure(each, `pca-${n + 1}`));
    });
  },
};
