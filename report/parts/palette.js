// How series are told apart: a colour, a dash and a mark each, so that none depends on colour alone.
// The colours are variables of style.css, which has them for light and dark pages.

import {
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from "d3-shape";

const colorCount = 8;
const dashes = [null, "6 3", "2 2", "8 3 2 3", "10 4"];
const marks = [
  symbolCircle,
  symbolSquare,
  symbolTriangle,
  symbolDiamond,
  symbolCross,
  symbolStar,
  symbolWye,
];

export function seriesStyle(index) {
  return {
    color: `var(--series-${(index % colorCount) + 1})`,
    dash: dashes[Math.floor(index / colorCount) % dashes.length],
    mark: marks[index % marks.length],
  };
}

// The styles of names, each with the same one wherever it is on the page.
export function stylesOf(names) {
  return new Map([...new Set(names)].map((name, index) => [name, seriesStyle(index)]));
}

// The outline of a mark around 0, 0; `size` is its area in square pixels.
export function markPath(mark, size) {
  return symbol().type(mark).size(size)();
}
