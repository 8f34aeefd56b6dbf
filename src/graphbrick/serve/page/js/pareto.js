// Quality against cost as a plot: every pipeline a point, and the line of those that no other beats at the same cost.

import { duration, el, number, svg } from "./dom.js";

const [WIDTH, HEIGHT] = [640, 300];
const [LETTER, LONGEST] = [6.8, 28]; // pixels of a letter, letters of a name
const EDGE = { left: 56, right: 24, top: 18, bottom: 44 };

/** The points that no other beats: none is at most as dear and at least as good. */
export function frontOf(points) {
  const better = (a, b) => a.cost <= b.cost && a.quality >= b.quality && (a.cost < b.cost || a.quality > b.quality);
  return points.filter((point) => !points.some((other) => better(other, point))).sort((a, b) => a.cost - b.cost);
}

/** The plot of some runs of a study. */
export function paretoPlot(runs, metric, label) {
  const usable = runs.filter((run) => run.means[metric]?.all && run.milliseconds.median);
  if (usable.length < 2) return null;
  const points = usable.map((run) => ({ name: run.name, cost: run.milliseconds.median, quality: run.means[metric].all.mean, low: run.means[metric].all.low, high: run.means[metric].all.high }));
  const front = frontOf(points);
  const costs = points.map(({ cost }) => Math.log10(cost));
  const [least, most] = [Math.floor(Math.min(...costs) * 2) / 2, Math.ceil(Math.max(...costs) * 2) / 2 || 1];
  const span = Math.max(most - least, 0.5);
  const lowest = Math.max(0, Math.floor(Math.min(...points.map(({ quality }) => quality)) * 5 - 0.5) / 5);
  const x = (cost) => EDGE.left + ((Math.log10(cost) - least) / span) * (WIDTH - EDGE.left - EDGE.right);
  const y = (quality) => HEIGHT - EDGE.bottom - ((quality - lowest) / (1 - lowest || 1)) * (HEIGHT - EDGE.top - EDGE.bottom);
  const ticks = [];
  const step = span > 3 ? 1 : 0.5; // a label is as wide as a sixth of the plot
  for (let power = least; power <= least + span + 1e-9; power += step) ticks.push(10 ** power);
  const shares = [0, 0.2, 0.4, 0.6, 0.8, 1].filter((value) => value >= lowest - 1e-9);
  const words = `${label} against median time. Not beaten by another: ${front.map(({ name }) => name).join(", ")}.`;
  const onFront = new Set(front);
  const names = placed(points, x, y);
  return el("section", { class: "inner-section", "aria-labelledby": "pareto-title" },
    el("h3", { id: "pareto-title" }, `${label} against time`),
    el("p", { class: "muted" }, `Not beaten by another at the same time or less: ${front.map(({ name }) => name).join(", ")}.`),
    svg("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words },
      shares.map((value) => [svg("line", { class: "grid", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: y(value), y2: y(value) }), svg("text", { x: EDGE.left - 8, y: y(value) + 4, "text-anchor": "end" }, `${Math.round(100 * value)} %`)]),
      ticks.map((value) => [svg("line", { class: "grid", x1: x(value), x2: x(value), y1: EDGE.top, y2: HEIGHT - EDGE.bottom }), svg("text", { x: x(value), y: HEIGHT - EDGE.bottom + 18, "text-anchor": "middle" }, duration(value / 1000))]),
      svg("text", { x: (EDGE.left + WIDTH - EDGE.right) / 2, y: HEIGHT - 6, "text-anchor": "middle" }, "median time of a question"),
      svg("path", { class: "front", d: steps(front, x, y) }),
      points.map((point) => svg("g", { class: onFront.has(point) ? "point front" : "point" },
        svg("title", {}, `${point.name}: ${number(100 * point.quality, 1)} %, ${duration(point.cost / 1000)}`),
        svg("line", { x1: x(point.cost), x2: x(point.cost), y1: y(point.low < lowest ? lowest : point.low), y2: y(point.high) }),
        svg("circle", { cx: x(point.cost), cy: y(point.quality), r: 5.5 }),
        svg("text", names.get(point), shortened(point.name))))));
}

/** Where the name of each point stands: at one of its corners, where it covers no other name, point or edge. */
function placed(points, x, y) {
  const boxes = points.map((point) => ({ left: x(point.cost) - 8, right: x(point.cost) + 8, top: y(point.quality) - 8, bottom: y(point.quality) + 8 }));
  const free = (box) => box.left >= 0 && box.right <= WIDTH && box.top >= 0 && box.bottom <= HEIGHT - EDGE.bottom + 4
    && boxes.every((other) => box.right < other.left || box.left > other.right || box.bottom < other.top || box.top > other.bottom);
  return new Map(points.map((point) => {
    const wide = LETTER * shortened(point.name).length;
    const corners = [];
    for (let far = 8; far < 120; far += 14) for (const down of [-far, far + 10]) for (const side of [1, -1]) corners.push({ side, down });
    const boxOf = ({ side, down }) => {
      const at = x(point.cost) + 10 * side;
      const base = y(point.quality) + down;
      return { left: side > 0 ? at : at - wide, right: side > 0 ? at + wide : at, top: base - 11, bottom: base + 3 };
    };
    const corner = corners.find((one) => free(boxOf(one))) || corners[0];
    boxes.push(boxOf(corner));
    return [point, { x: x(point.cost) + 10 * corner.side, y: y(point.quality) + corner.down, "text-anchor": corner.side > 0 ? "start" : "end" }];
  }));
}

function shortened(name) {
  return name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name;
}

/** The front as stairs: until the next point, the quality of the last one is the best to be had. */
function steps(front, x, y) {
  return front.map(({ cost, quality }, i) => (i ? `H${x(cost)}V${y(quality)}` : `M${x(cost)},${y(quality)}`)).join("");
}
