// The drawing of an answer's paths, as SVG: sharp at every size, coloured by the style sheet, and its entities are
// links that a keyboard reaches.

import { calm, el, svg } from "./dom.js";
import { layout } from "./layout.js";

const HEIGHT = 30;
const LONGEST = 200; // pixels of a label before it is cut
const SMALLEST = 0.78; // share of its size to which a wide drawing is made smaller
const LABELS = 8; // edges up to which every relation is written; beyond, each once between two columns

const pen = document.createElement("canvas").getContext("2d");

function widthOfText(text, font) {
  pen.font = font;
  return pen.measureText(text).width;
}

/** A label that fits into a box, with its width. */
function fitted(text, font) {
  let shown = text;
  while (shown.length > 4 && widthOfText(shown, font) > LONGEST) shown = `${shown.slice(0, -3).trimEnd()}…`;
  return { text: shown, width: widthOfText(shown, font) };
}

/**
 * Draw paths.
 *
 * @param {object} read as of `readRun`.
 * @param {Array} entries the paths, each `{path, answer}`.
 * @param {object} options `upright`; `onNode(key)` when an entity is chosen.
 * @returns {{element: Element, show: Function}} `show(path, hop)` lights a path up to a hop; `show(-1)` all of them.
 */
export function drawMap(read, entries, { upright = false, onNode = null } = {}) {
  const style = getComputedStyle(document.body).fontFamily;
  const [nodeFont, edgeFont] = [`500 13px ${style}`, `12px ${style}`];
  const boxes = new Map();
  const box = (key) => {
    if (!boxes.has(key)) boxes.set(key, fitted(read.labels.get(key) || key, nodeFont));
    return boxes.get(key);
  };
  const paths = entries.map(({ path }) => path);
  const plan = layout(paths, (key) => box(key).width + 26, (text) => widthOfText(text, edgeFont), upright);
  const seeds = new Set(read.seeds.map((seed) => seed.key));
  const answers = new Set(entries.filter(({ answer }) => answer >= 0).map(({ path, answer }) => (
    read.answers[answer].key ?? path.stations[path.stations.length - 1])));
  const edges = new Map();
  const labelled = labelledEdges(plan);
  const edgeLayer = svg("g", { class: "edges" }, plan.edges.map((edge) => {
    const drawn = drawEdge(edge, plan.nodes, labelled.has(edge), upright);
    edges.set(edge.id, drawn);
    return drawn;
  }));
  const traveller = svg("path", { class: "traveller", hidden: true });
  const nodes = new Map();
  const nodeLayer = svg("g", { class: "nodes" }, [...plan.nodes.values()].map((node) => {
    const kind = seeds.has(node.key) ? "seed" : answers.has(node.key) ? "answer" : "";
    const drawn = drawNode(node, box(node.key).text, read.labels.get(node.key) || node.key, kind, onNode);
    nodes.set(node.key, drawn);
    return drawn;
  }));
  const canvas = svg("svg", {
    class: "map", viewBox: `0 0 ${plan.width} ${plan.height}`, width: plan.width, height: plan.height,
    role: "group", "aria-label": `${paths.length} ${paths.length === 1 ? "path" : "paths"} from where the search starts to the answers`,
  }, traveller, edgeLayer, nodeLayer);
  // A drawing that is a little too wide is made smaller; a much wider one can be scrolled.
  canvas.style.minWidth = `${Math.round(SMALLEST * plan.width)}px`;
  const element = el("div", { class: "map-frame", tabindex: 0, role: "region", "aria-label": "Drawing of the paths" }, canvas);
  return { element, show: (path, hop, moving = true) => light({ path, hop, moving, paths, nodes, edges, plan, traveller, canvas }) };
}

/** The edges whose relation is always written: all if they are few, else the middle one of those that say the same. */
function labelledEdges({ edges, nodes }) {
  if (edges.length <= LABELS) return new Set(edges);
  const groups = new Map();
  for (const edge of edges) {
    const [head, tail] = [nodes.get(edge.head), nodes.get(edge.tail)];
    const group = [edge.relation, head.column, tail.column].join("\u0000");
    (groups.get(group) || groups.set(group, []).get(group)).push({ edge, y: head.y + tail.y });
  }
  return new Set([...groups.values()].map((group) => group.sort((a, b) => a.y - b.y)[Math.floor(group.length / 2)].edge));
}

function drawNode(node, text, label, kind, onNode) {
  const left = node.x - node.width / 2;
  const role = kind === "seed" ? "start" : kind === "answer" ? "answer" : "entity";
  const open = () => onNode && onNode(node.key);
  return svg("g", {
    class: `node ${kind}`, "data-key": node.key, tabindex: 0, role: "button", "aria-label": `${label}, ${role}`, onclick: open,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); open(); } },
  }, svg("title", {}, label),
  svg("rect", { x: left, y: node.y - HEIGHT / 2, width: node.width, height: HEIGHT, rx: HEIGHT / 2 }),
  svg("text", { x: node.x, y: node.y + 4.5, "text-anchor": "middle" }, text));
}

function drawEdge(edge, nodes, labelled, upright) {
  const curve = curveOf(edge, nodes, upright);
  return svg("g", { class: `edge${labelled ? " labelled" : ""}`, "data-id": edge.id },
    svg("path", { d: curve.d }), svg("path", { class: "head", d: arrowHead(curve) }),
    svg("text", { x: curve.label.x, y: curve.label.y, "text-anchor": upright ? "start" : "middle" }, edge.relation));
}

/** The curve from head to tail of an edge: between facing sides of two boxes, or bowed out within one column. */
function curveOf(edge, nodes, upright) {
  const [head, tail] = [nodes.get(edge.head), nodes.get(edge.tail)];
  const bow = edge.twin * 16;
  if (upright && head.column !== tail.column) {
    const down = Math.sign(tail.y - head.y);
    const from = { x: head.x + bow, y: head.y + down * HEIGHT / 2 };
    const to = { x: tail.x + bow, y: tail.y - down * (HEIGHT / 2 + 3) };
    const middle = (from.y + to.y) / 2;
    return curve(from, { x: from.x, y: middle }, { x: to.x, y: middle }, to, { x: (from.x + to.x) / 2 + 10, y: middle + 4 });
  }
  if (head.column === tail.column) {
    const right = Math.max(head.x + head.width / 2, tail.x + tail.width / 2) + 36 + bow;
    const from = { x: head.x + head.width / 2, y: head.y };
    const to = { x: tail.x + tail.width / 2 + 3, y: tail.y };
    return curve(from, { x: right, y: head.y }, { x: right, y: tail.y }, to, { x: right - 8, y: (head.y + tail.y) / 2 });
  }
  const side = Math.sign(tail.x - head.x);
  const from = { x: head.x + side * head.width / 2, y: head.y };
  const to = { x: tail.x - side * (tail.width / 2 + 3), y: tail.y };
  const middle = (from.x + to.x) / 2;
  const label = { x: middle, y: (from.y + to.y) / 2 - 5 + bow };
  return curve(from, { x: middle, y: from.y + bow }, { x: middle, y: to.y + bow }, to, label);
}

function curve(from, first, second, to, label) {
  const d = `M${from.x},${from.y}C${first.x},${first.y} ${second.x},${second.y} ${to.x},${to.y}`;
  return { d, back: `M${to.x},${to.y}C${second.x},${second.y} ${first.x},${first.y} ${from.x},${from.y}`, second, to, label };
}

function arrowHead({ second, to }) {
  const angle = Math.atan2(to.y - second.y, to.x - second.x);
  const corner = (turn) => `${to.x - 8 * Math.cos(angle + turn)},${to.y - 8 * Math.sin(angle + turn)}`;
  return `M${to.x},${to.y}L${corner(0.42)}L${corner(-0.42)}Z`;
}

/** Light one path up to a hop (0 lights the start only), or everything where the path is -1. */
function light({ path, hop, moving, paths, nodes, edges, plan, traveller, canvas }) {
  const chosen = paths[path];
  canvas.classList.toggle("focused", Boolean(chosen));
  const litNodes = new Set(chosen ? chosen.stations.slice(0, hop + 1) : []);
  const onPath = new Set(chosen ? chosen.stations : []);
  for (const [key, node] of nodes) {
    node.classList.toggle("lit", litNodes.has(key));
    node.classList.toggle("ahead", onPath.has(key) && !litNodes.has(key));
    node.classList.toggle("now", Boolean(chosen) && chosen.stations[hop] === key);
  }
  const ids = chosen ? chosen.hops.map(({ triple }) => JSON.stringify(triple)) : [];
  for (const [id, edge] of edges) {
    const at = ids.indexOf(id);
    edge.classList.toggle("lit", at >= 0 && at < hop);
    edge.classList.toggle("ahead", at >= hop);
    edge.classList.toggle("now", hop > 0 && ids[hop - 1] === id);
  }
  const step = chosen && hop > 0 ? plan.edges.find((edge) => edge.id === ids[hop - 1]) : null;
  travel(step && moving && !calm() ? edges.get(step.id) : null, step && chosen.hops[hop - 1].forward, traveller);
  if (chosen) bringIntoView(nodes.get(chosen.stations[Math.min(hop, chosen.stations.length - 1)]), canvas);
}

/** Move a stroke along an edge in the direction of the walk, which may be against the arrow; then it fades. */
function travel(edge, forward, traveller) {
  traveller.getAnimations().forEach((animation) => animation.cancel());
  traveller.setAttribute("d", edge ? edge.firstChild.getAttribute("d") : "");
  if (!edge) return;
  const length = traveller.getTotalLength();
  traveller.style.strokeDasharray = String(length);
  const [from, to] = forward ? [length, 0] : [-length, 0];
  traveller.animate([{ strokeDashoffset: from, opacity: 1 }, { strokeDashoffset: to, opacity: 1, offset: 0.65 }, { strokeDashoffset: to, opacity: 0 }],
    { duration: 1000, easing: "ease-in-out" });
}

function bringIntoView(node, canvas) {
  const frame = canvas.parentElement;
  if (!frame || !node || (frame.scrollWidth <= frame.clientWidth + 1 && frame.scrollHeight <= frame.clientHeight + 1)) return;
  const [inner, outer] = [node.getBoundingClientRect(), frame.getBoundingClientRect()];
  const left = inner.left + inner.width / 2 - outer.left - outer.width / 2;
  const top = inner.top + inner.height / 2 - outer.top - outer.height / 2;
  frame.scrollBy({ left, top, behavior: calm() ? "auto" : "smooth" });
}
