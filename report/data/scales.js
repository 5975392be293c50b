// What an axis spans.

// A logarithmic axis is the better one if it can show all values and they differ by much.
export function wantsLog(values) {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (!(value > 0)) return false;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return high / low >= 20;
}

// From the lowest to the highest value, with a little room; `zero` makes a linear axis begin at 0 at
// the latest. Values that a logarithmic axis cannot show do not count.
export function spanOf(values, { log = false, zero = false } = {}) {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value === null || !Number.isFinite(value) || (log && value <= 0)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return log ? [0.1, 1] : [0, 1];
  if (log) {
    const room = Math.max(1.02, (high / low) ** 0.03);
    return low === high ? [low / 2, high * 2] : [low / room, high * room];
  }
  const from = zero ? Math.min(0, low) : low;
  const room = (high - from || Math.abs(high) || 1) * 0.03;
  return [zero && from === 0 ? 0 : from - room, high + room];
}

// Fewer points for drawing a long line: of each stretch the lowest and the highest one, so that no
// peak is lost. `points` have a y, which may be null; of each stretch one such point stays as well, so
// that no gap is closed, and these do not count.
export function thinned(points, most) {
  if (points.length <= most) return points;
  const stretches = Math.max(1, Math.floor(most / 2) - 1);
  const inner = points.length - 2;
  const kept = [points[0]];
  for (let n = 0; n < stretches; ++n) {
    const from = 1 + Math.floor((n * inner) / stretches);
    const to = 1 + Math.floor(((n + 1) * inner) / stretches);
    let low = null;
    let high = null;
    let gap = null;
    for (let at = from; at < to; ++at) {
      const { y } = points[at];
      if (y === null || y === undefined) {
        gap = gap ?? at;
        continue;
      }
      if (low === null || y < points[low].y) low = at;
      if (high === null || y > points[high].y) high = at;
    }
    const indices = new Set([low, high, gap].filter((at) => at !== null));
    for (const at of [...indices].sort((a, b) => a - b)) kept.push(points[at]);
  }
  kept.push(points[points.length - 1]);
  return kept;
}
