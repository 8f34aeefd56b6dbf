// The map of a graph: its types, and the relations between them. Types stand on an ellipse, those that are joined beside
// each other; the name of a relation is written where it covers nothing, and is in the list beside the map anyway.

import { counted, el, number, spoken, svg } from "./dom.js";

const BOX = 50;
const WIDE = { width: 820, height: 600, side: 105, types: 16 }; // types that are drawn: the most frequent ones
const NARROW = { width: 400, height: 560, side: 78, types: 7 }; // on a phone
const LETTER = 7.2; // pixels of a letter of a relation
const SMALL = 4; // relations of one pair of types that are named

/**
 * Draw the map.
 *
 * @param {object} schema as the server gives it: `classes`, `connections`, and how many entities are `untyped`.
 * @param {object} options `open(type)` when a type is chosen; `narrow`, whether there is little room.
 */
export function schemaMap({ classes, connections, untyped = 0 }, { open, narrow = false }) {
  const size = narrow ? NARROW : WIDE;
  const types = [...classes].sort((a, b) => (b.count || 0) - (a.count || 0)).slice(0, size.types);
  const shown = new Set(types.map(({ name }) => name));
  const pairs = pairsOf(connections.filter(({ head, tail }) => shown.has(head) && shown.has(tail)));
  const order = besideEachOther(types.map(({ name }) => name), pairs);
  const places = new Map(order.map((name, i) => [name, placeAt(i, order.length, size)]));
  const boxes = types.map(({ name }) => boxOf(places.get(name), widthOf(name)));
  const lines = pairs.map((pair) => [pair, curveOf(places.get(pair.head), places.get(pair.tail), widthOf(pair.head), pair.head === pair.tail, size)]);
  const map = svg("svg", { class: "schema-map", viewBox: `0 0 ${size.width} ${size.height}`, role: "group", "aria-label": `Map of ${counted(types.length, "type")} and the relations between them` },
    svg("g", {}, lines.map(([, { d }]) => svg("path", { class: "join", d }))),
    svg("g", {}, lines.map(([pair, curve]) => nameOf(pair, curve, boxes, size))),
    svg("g", {}, types.map(({ name, count }) => typeNode(name, count, places.get(name), () => open(name)))));
  const rest = classes.length - types.length;
  const others = [rest > 0 ? counted(rest, "smaller type") : "", untyped ? `${counted(untyped, "entity")} without a type` : ""].filter(Boolean);
  return el("div", { class: "schema" }, map, others.length ? el("p", { class: "muted schema-rest" }, `and ${others.join(", ")}`) : null);
}

/** Every two types that are joined, once, with the relations between them, the most frequent first. */
function pairsOf(connections) {
  const pairs = new Map();
  for (const { head, tail, relation, label, count } of connections) {
    const [a, b] = head < tail ? [head, tail] : [tail, head];
    const id = JSON.stringify([a, b]);
    const pair = pairs.get(id) || pairs.set(id, { head: a, tail: b, relations: [] }).get(id);
    pair.relations.push({ name: spoken(label || relation), count: count || 0, forward: head === a });
  }
  for (const { relations } of pairs.values()) relations.sort((a, b) => b.count - a.count);
  return [...pairs.values()];
}

/** An order in which types that are joined are near: the next is the one with most relations to the last ones. */
function besideEachOther(names, pairs) {
  const joined = (a, b) => pairs.some(({ head, tail }) => (head === a && tail === b) || (head === b && tail === a));
  const order = [];
  const left = [...names];
  while (left.length) {
    const last = order.slice(-2);
    const best = left.map((name) => last.filter((other) => joined(name, other)).length);
    order.push(...left.splice(best.indexOf(Math.max(...best)), 1));
  }
  return order;
}

function placeAt(i, count, { width, height, side }) {
  const turn = (2 * Math.PI * i) / count - Math.PI / 2;
  return { x: width / 2 + (width / 2 - side) * Math.cos(turn), y: height / 2 + (height / 2 - 72) * Math.sin(turn) };
}

function widthOf(name) {
  return Math.min(190, Math.max(84, 8.4 * Math.min(name.length, 22) + 30));
}

function boxOf({ x, y }, width, height = BOX) {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function curveOf(from, to, box, isLoop, { width, height }) {
  if (isLoop) {
    const out = Math.sign(from.y - height / 2 + 0.5);
    const [a, b, far] = [from.x - box / 5, from.x + box / 5, from.y + out * (BOX / 2 + 42)];
    const d = `M${a},${from.y}C${a - 30},${far} ${b + 30},${far} ${b},${from.y}`;
    return { d, at: (t) => ({ x: from.x + (t - 0.5) * 40, y: from.y + out * (BOX / 2 + 30) }) };
  }
  // Bowed towards the middle a little, so that no line runs through a third type.
  const middle = { x: (from.x + to.x) / 2 * 0.8 + width * 0.1, y: (from.y + to.y) / 2 * 0.8 + height * 0.1 };
  const at = (t) => ({
    x: (1 - t) ** 2 * from.x + 2 * t * (1 - t) * middle.x + t ** 2 * to.x,
    y: (1 - t) ** 2 * from.y + 2 * t * (1 - t) * middle.y + t ** 2 * to.y,
  });
  return { d: `M${from.x},${from.y}Q${middle.x},${middle.y} ${to.x},${to.y}`, at };
}

/** The names of the relations of a pair at a free place of their line; none where there is no room. */
function nameOf(pair, curve, boxes, { width }) {
  const names = [...new Set(pair.relations.map(({ name }) => name))];
  const text = `${names.slice(0, SMALL - 2).join(", ")}${names.length > SMALL - 2 ? ` +${number(names.length - SMALL + 2)}` : ""}`;
  const all = pair.relations.map(({ name, count, forward }) => `${forward ? pair.head : pair.tail} – ${name} → ${forward ? pair.tail : pair.head}${count ? ` (${number(count)})` : ""}`).join("\n");
  for (const t of [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74]) {
    const place = curve.at(t);
    const box = boxOf(place, LETTER * text.length + 8, 18);
    if (box.left < 0 || box.right > width || boxes.some((other) => box.right > other.left && box.left < other.right && box.bottom > other.top && box.top < other.bottom)) continue;
    boxes.push(box);
    return svg("text", { class: "relation-label", x: place.x, y: place.y + 4, "text-anchor": "middle" }, svg("title", {}, all), text);
  }
  return null;
}

function typeNode(name, count, { x, y }, open) {
  const [width, short] = [widthOf(name), name.length > 22 ? `${name.slice(0, 21)}…` : name];
  return svg("g", { class: "type-node", tabindex: 0, role: "button", "aria-label": `${name}${count ? `, ${counted(count, "entity")}` : ""}`, "data-type": name, onclick: open,
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(); } } },
  svg("title", {}, `Browse ${name}`),
  svg("rect", { x: x - width / 2, y: y - BOX / 2, width, height: BOX, rx: 12 }),
  svg("text", { class: "type-name", x, y: count ? y - 2 : y + 5, "text-anchor": "middle" }, short),
  count ? svg("text", { class: "type-count", x, y: y + 15, "text-anchor": "middle" }, number(count)) : null);
}
