// Computes places by forces beside the page. Files of the page alone are loaded, as its policy says.

importScripts("../vendor/graphology.umd.min.js", "../vendor/forceatlas2.min.js");

const SLICE = 30; // milliseconds of computing between two messages
const STILL = 0.0015; // share of the drawing's size that nodes move in a round, on average, when they have settled

const forces = self.layoutForceAtlas2;
let current = null; // what is laid out: run, graph, settings, rounds left

self.addEventListener("message", ({ data }) => {
  if ("fix" in data) {
    if (current?.graph.hasNode(data.fix)) current.graph.mergeNodeAttributes(data.fix, { x: data.x, y: data.y, fixed: true });
  } else if ("next" in data) {
    if (data.next === current?.run) step();
  } else {
    begin(data);
  }
});

function begin({ run, rounds, atOnce, places, ends }) {
  const graph = new self.graphology.MultiDirectedGraph();
  places.forEach(([x, y, fixed], i) => graph.addNode(i, { x, y, fixed: fixed === 1 }));
  for (const [head, tail] of ends) graph.addDirectedEdge(head, tail);
  const { order } = graph;
  const settings = { ...forces.inferSettings(order), gravity: 0.6, scalingRatio: 12, slowDown: 4, barnesHutOptimize: order > 400, adjustSizes: order < 600 };
  const left = Math.max(30, Math.round(rounds * Math.min(1, 800 / order))); // a round of a large graph moves much
  current = { run, graph, settings, left: atOnce ? rounds : left, atOnce };
  step();
}

/** Compute for a moment, and send the places. */
function step() {
  const { run, graph, settings, atOnce } = current;
  const begun = performance.now();
  let before = placesOf(graph);
  let isStill = false;
  do {
    forces.assign(graph, { iterations: 1, settings });
    current.left -= 1;
    const now = placesOf(graph);
    isStill = moved(before, now) < STILL;
    before = now;
  } while (current.left > 0 && !isStill && (atOnce || performance.now() - begun < SLICE));
  const isDone = current.left <= 0 || isStill;
  const { x, y } = before;
  if (isDone) current = null;
  self.postMessage({ run, x, y, isDone }, [x.buffer, y.buffer]);
}

function placesOf(graph) {
  const [x, y] = [new Float32Array(graph.order), new Float32Array(graph.order)];
  let i = 0;
  graph.forEachNode((_, node) => {
    x[i] = node.x;
    y[i] = node.y;
    i += 1;
  });
  return { x, y };
}

/** How far nodes moved on average, as a share of the drawing's width and height. */
function moved(before, now) {
  let [sum, left, right, top, bottom] = [0, Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < now.x.length; i += 1) {
    sum += Math.hypot(now.x[i] - before.x[i], now.y[i] - before.y[i]);
    left = Math.min(left, now.x[i]);
    right = Math.max(right, now.x[i]);
    top = Math.min(top, now.y[i]);
    bottom = Math.max(bottom, now.y[i]);
  }
  return sum / now.x.length / Math.max(right - left, bottom - top, 1e-9);
}
