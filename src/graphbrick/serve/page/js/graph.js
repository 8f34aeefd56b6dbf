// The page that shows a graph: the map of its types to begin with, search, browsing by type and value, one entity with its
// properties and relations, and the drawing of what was opened so far.

import { get } from "./api.js";
import { graphCanvas } from "./canvas.js";
import { cardHead, cardPassages } from "./card.js";
import { browse } from "./browse.js";
import { announce, counted, el, fill, number, problem, put, sizesOf, spoken, working } from "./dom.js";
import { go, notePlace } from "./place.js";
import { storeLayers, storeSvg } from "./picture.js";
import { propertyLine, propertyOverview } from "./properties.js";
import { schemaMap } from "./schema-map.js";
import { findEntities } from "./seeds.js";
import { withSuggestions } from "./suggest.js";

const PAGE = 50; // neighbours at a time
const FIRST = 30; // neighbours of an entity that is opened
const MOST = 5000; // nodes drawn
const BEGINNING = 12; // entities to begin with, of a graph without types

/** Show the page; returns what ends it. */
export function show(main, values, workbench) {
  const graph = workbench.graphOf(values);
  const state = { graph: graph.name, keys: values.getAll("entity"), canvas: null, opened: new Map(), roots: new Set(), selected: null, ended: false };
  const input = el("input", { type: "text", placeholder: "Search for an entity", "aria-label": "Search for an entity" });
  const open = async ({ value }) => {
    input.value = "";
    await openEntity(state, value.key, parts);
  };
  const note = el("div", { class: "graph-note" });
  const stage = el("div", { class: "graph-stage", role: "img", "aria-label": "Drawing of the opened part of the graph; the lists beside it say the same" });
  const detail = el("section", { class: "panel entity", "aria-label": "Entity", "aria-live": "polite" });
  const filters = el("div", { class: "filters" });
  const map = el("div", { class: "graph-map", hidden: true, tabindex: 0, role: "region", "aria-label": "Map of the types" });
  const parts = { note, stage, detail, filters, map };
  const zoom = (label, glyph, action) => el("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick: action }, el("span", { "aria-hidden": "true" }, glyph));
  fill(main, el("div", { class: "graph-page" },
    el("div", { class: "page-top" }, el("h1", {}, "Graph"), el("div", { class: "graph-search" }, withSuggestions(input, { find: (text) => findEntities(state.graph, text, 10), take: open }))),
    el("div", { class: "graph-columns" },
      el("div", { class: "panel graph-panel" }, stage, map, note,
        el("div", { class: "graph-tools", role: "group", "aria-label": "View" },
          zoom("Closer", "+", () => state.canvas?.zoom(0.7)), zoom("Farther", "−", () => state.canvas?.zoom(1.4)),
          zoom("Show everything", "⤢", () => state.canvas?.fit()),
          el("button", { type: "button", class: "small", onclick: () => savePicture(state, parts) }, "Save picture"),
          el("button", { type: "button", class: "small", onclick: () => clear(state, parts) }, "Types"))),
      el("div", { class: "side" }, detail, filters))));
  fill(note, working("Reading the graph …"));
  begin(state, values, parts).catch((error) => fill(note, problem(error)));
  return () => {
    state.ended = true;
    state.canvas?.end();
  };
}

async function begin(state, values, parts) {
  const [canvas, facts] = await Promise.all([
    graphCanvas(parts.stage, { select: (key) => select(state, key, parts), expand: (key) => openEntity(state, key, parts) }),
    get("graph", { parts: { name: state.graph } }),
  ]);
  if (state.ended) {
    canvas.end();
    return;
  }
  state.canvas = canvas;
  state.facts = facts;
  fill(parts.note);
  overview(state, parts);
  for (const key of state.keys) await openEntity(state, key, parts);
  if (state.canvas.graph.order) return;
  if (values.get("type")) openType(state, parts, values.get("type"), { property: values.get("property") || "", value: values.get("value") || "" });
  await showTypes(state, parts);
}

/** What is seen before anything was opened: the map of the types, or the best known entities where there are none. */
async function showTypes(state, parts) {
  const isWanted = () => !state.ended && !state.canvas.graph.order;
  if (!state.schema) {
    const waiting = working("Drawing the map of the types …");
    put(parts.note, waiting);
    state.schema = await get("entities" in state.facts ? "types" : "schema", { parts: { name: state.graph } }).catch((error) => {
      put(parts.note, problem(error)); // search and browsing work without the map
      return { classes: [], connections: [] };
    });
    waiting.remove();
  }
  if (!isWanted()) return;
  if (state.schema.classes.length > 1) {
    fill(parts.map, schemaMap(state.schema, { narrow: parts.stage.clientWidth < 560, open: (type) => openType(state, parts, type) }));
    parts.map.hidden = false;
    parts.stage.hidden = true;
    parts.map.parentElement.classList.add("with-map");
    return;
  }
  const { entities } = await get("browse", { query: { graph: state.graph, n: BEGINNING } }).catch((error) => {
    if (error.type !== "no_browsing") put(parts.note, problem(error)); // a database is searched
    return { entities: [] };
  });
  if (!entities.length) put(parts.note, el("p", { class: "graph-empty" }, "Search for an entity to begin. Click a node to read about it, double-click it to open its neighbours."));
  const near = await Promise.all(entities.map(({ key }) => get("neighbours", { query: { graph: state.graph, key, n: 200 } }).catch(() => ({ triples: [] }))));
  if (!isWanted()) return;
  for (const entity of entities) state.canvas.addNode(entity);
  entities.forEach(({ key }, i) => addTriples(state, key, near[i].triples.filter(({ entity }) => state.canvas.graph.hasNode(entity.key))));
  state.canvas.settle(160);
  state.canvas.fit();
  drawFilters(state, parts);
}

/** The drawing in place of the map. */
function showDrawing({ map, stage }, canvas) {
  if (!stage.hidden) return;
  fill(map);
  map.hidden = true;
  stage.hidden = false;
  map.parentElement.classList.remove("with-map");
  canvas.refresh();
}

function openType(state, parts, type, { property, value } = {}) {
  browse(parts.detail, {
    graph: state.graph, type, property, value, open: (key) => openEntity(state, key, parts), back: () => { overview(state, parts); notePlace("graph", { graph: state.graph, entity: [...state.roots] }); },
    change: (place) => notePlace("graph", { graph: state.graph, entity: [...state.roots], ...place }),
  });
  if (parts.detail.getBoundingClientRect().top > innerHeight) parts.detail.scrollIntoView({ block: "start" }); // on a phone it is below
}

function savePicture(state, { map, stage }) {
  const background = getComputedStyle(stage.parentElement).backgroundColor;
  if (!map.hidden) storeSvg(map.querySelector("svg"), background, `${state.graph} types`);
  else if (state.canvas) storeLayers(state.canvas.layers(), background, state.graph);
}

/** What the whole graph holds, while no entity is chosen. */
function overview(state, parts) {
  const { detail } = parts;
  const { facts } = state;
  const relations = facts.info?.top_relations || [];
  const most = Math.max(1, ...relations.map(({ triples }) => triples));
  fill(detail, el("h2", {}, facts.name), el("p", { class: "muted" }, sizesOf(facts)),
    facts.types?.length ? [el("h3", {}, "Types"), el("p", { class: "types" }, facts.types.slice(0, 24).map((type) => el("button", { type: "button", class: "tag", title: `Browse ${type}`, onclick: () => openType(state, parts, type) }, type)))]
      : "entities" in facts ? el("p", {}, el("button", { type: "button", class: "small", onclick: () => openType(state, parts, "") }, "Browse all entities")) : null,
    relations.length ? [el("h3", {}, "Relations"), el("table", { class: "bars" }, el("tbody", {}, relations.slice(0, 14).map(({ label, triples }) => {
      const bar = el("span", { class: "bar", "aria-hidden": "true" });
      bar.style.width = `${Math.max(2, 100 * Math.sqrt(triples / most))}%`;
      return el("tr", {}, el("th", { scope: "row" }, spoken(label)), el("td", {}, bar), el("td", { class: "number" }, number(triples)));
    })))] : null,
    propertyOverview(facts.info));
}

/** Draw an entity with its first neighbours and show what is known of it. */
async function openEntity(state, key, parts) {
  const { canvas } = state;
  try {
    const isNew = canvas.graph.order === 0;
    const found = await get("neighbours", { query: { graph: state.graph, key, n: FIRST } });
    fill(parts.note);
    showDrawing(parts, canvas);
    canvas.addNode(found.entity);
    state.roots.add(found.entity.key);
    addTriples(state, found.entity.key, found.triples);
    canvas.settle(isNew ? 160 : 100);
    if (isNew) canvas.fit();
    notePlace("graph", { entity: [...state.roots], graph: state.graph });
    await select(state, found.entity.key, parts);
  } catch (error) {
    if (error.type === "no_entity") await offerNear(state, key, parts);
    else fill(parts.note, problem(error));
  }
}

/** An address may name an entity that is not there: offer those that are called so, or nearly so. */
async function offerNear(state, key, parts) {
  const near = await findEntities(state.graph, key, 6).catch(() => []);
  const exact = near.filter(({ label }) => label.toLowerCase() === key.toLowerCase());
  if (exact.length === 1) return openEntity(state, exact[0].value.key, parts);
  fill(parts.note, el("div", { class: "notice" }, el("strong", {}, `There is no entity “${key}” here`),
    near.length ? el("p", {}, "Near: ", near.map(({ label, detail, value }) => el("button", { type: "button", class: "quiet small", title: detail, onclick: () => openEntity(state, value.key, parts) }, label))) : null));
  return null;
}

function addTriples(state, key, triples) {
  const { canvas } = state;
  let added = 0;
  for (const { relation, direction, entity, properties } of triples) {
    if (canvas.graph.order >= MOST && !canvas.graph.hasNode(entity.key)) continue;
    added += canvas.addNode(entity, key) ? 1 : 0;
    const [head, tail] = direction === "out" ? [key, entity.key] : [entity.key, key];
    canvas.addTriple(head, relation.key, tail, relation.label, properties);
  }
  announce(`${counted(added, "entity")} added; ${number(canvas.graph.order)} drawn`);
  return added;
}

/** Show one entity: its names, and its relations with what is drawn of them. */
async function select(state, key, parts) {
  state.selected = key;
  state.canvas.select(key);
  drawFilters(state, parts);
  if (key === null) {
    overview(state, parts);
    return;
  }
  let entity = state.opened.get(key);
  try {
    entity ||= await get("entity", { query: { graph: state.graph, key } });
  } catch (error) {
    fill(parts.detail, problem(error));
    return;
  }
  state.opened.set(key, entity);
  if (state.selected === key) drawEntity(state, entity, parts);
}

function drawEntity(state, entity, parts) {
  const { canvas } = state;
  const drawn = canvas.graph.hasNode(entity.key) ? canvas.graph.degree(entity.key) : 0;
  const relation = (row) => {
    const shown = drawnOf(state, entity.key, row);
    const button = el("button", { type: "button", class: "relation-row", disabled: shown >= row.triples, title: shown >= row.triples ? "All of them are drawn" : `Draw ${Math.min(PAGE, row.triples - shown)} more`,
      onclick: () => more(state, entity, row, parts) },
    el("span", { "aria-hidden": "true", class: "muted" }, row.direction === "out" ? "→" : "←"),
    el("span", { class: "relation-name" }, row.direction === "out" ? row.name || row.label : `${row.name || row.label} (of it)`,
      el("span", { class: "detail" }, ` ${row.best.map(({ label }) => label).join(", ")}`)),
    el("span", { class: "muted number" }, shown ? `${number(shown)} of ${number(row.triples)}` : number(row.triples)));
    return el("li", {}, button);
  };
  fill(parts.detail,
    cardHead(entity),
    el("div", { class: "entity-actions" },
      el("button", { type: "button", class: "small", onclick: () => openEntity(state, entity.key, parts) }, "Expand"),
      el("button", { type: "button", class: "small", disabled: !drawn, onclick: () => collapse(state, entity, parts) }, "Collapse"),
      el("button", { type: "button", class: "small", onclick: () => remove(state, entity, parts) }, "Remove"),
      el("button", { type: "button", class: "quiet small", onclick: () => go("ask", { q: `What is ${entity.label}?`, graph: state.graph, seed: entity.key }) }, "Ask about it")),
    el("h3", {}, `${counted(entity.degree, "triple")}${entity.is_cut ? ", or more" : ""}`),
    el("ul", { class: "relations" }, (entity.relations || []).map(relation)),
    cardPassages(entity), neighbourList(state, entity, parts));
}

/** What is drawn around an entity as a list, for keyboards and screen readers. */
function neighbourList(state, entity, parts) {
  const { graph } = state.canvas;
  if (!graph.hasNode(entity.key)) return null;
  const keys = graph.neighbors(entity.key);
  return el("details", {}, el("summary", {}, `${counted(keys.length, "neighbour")} drawn`), el("ul", { class: "neighbour-list" }, keys.slice(0, 300).map((key) => (
    el("li", {}, el("button", { type: "button", class: "quiet small", onclick: () => select(state, key, parts) }, graph.getNodeAttribute(key, "label")),
      triplesBetween(graph, entity.key, key).map((text) => el("span", { class: "detail" }, text)))))));
}

/** The drawn triples between two entities that have properties, as texts. */
function triplesBetween(graph, one, other) {
  const told = graph.edges(one, other).map((edge) => graph.getEdgeAttributes(edge)).filter(({ properties }) => Object.keys(properties).length);
  return told.map(({ relation, properties }) => `${relation}: ${propertyLine(properties)}`);
}

/** How many triples of a relation of an entity are drawn. */
function drawnOf(state, key, row) {
  const { graph } = state.canvas;
  if (!graph.hasNode(key)) return 0;
  const same = (edge, { relation }) => relation === row.label;
  return row.direction === "out" ? graph.filterOutEdges(key, same).length : graph.filterInEdges(key, same).length;
}

async function more(state, entity, row, parts) {
  const { canvas } = state;
  canvas.addNode(entity);
  let offset = drawnOf(state, entity.key, row);
  try {
    // What is drawn need not be the first page: pages follow until one brings something new.
    for (;;) {
      const found = await get("neighbours", { query: { graph: state.graph, key: entity.key, relation: row.key, direction: row.direction, n: PAGE, offset } });
      const added = addTriples(state, entity.key, found.triples);
      if (added || found.next === null) break;
      offset = found.next;
    }
    canvas.settle(100);
    drawFilters(state, parts);
    drawEntity(state, entity, parts);
  } catch (error) {
    fill(parts.note, problem(error));
  }
}

/** Take away the neighbours that hang on an entity alone. */
function collapse(state, entity, parts) {
  const { graph, refresh } = state.canvas;
  for (const key of graph.neighbors(entity.key)) {
    if (graph.neighbors(key).length === 1 && !state.roots.has(key)) graph.dropNode(key);
  }
  refresh();
  drawFilters(state, parts);
  drawEntity(state, entity, parts);
}

function remove(state, entity, parts) {
  const { graph } = state.canvas;
  if (graph.hasNode(entity.key)) graph.dropNode(entity.key);
  state.roots.delete(entity.key);
  notePlace("graph", { entity: [...state.roots], graph: state.graph });
  select(state, null, parts);
}

function clear(state, parts) {
  state.canvas?.graph.clear();
  state.roots.clear();
  notePlace("graph", { graph: state.graph });
  select(state, null, parts);
  showTypes(state, parts).catch((error) => fill(parts.note, problem(error)));
}

/** Types and relations that are drawn, each of which can be hidden. */
function drawFilters(state, { filters }) {
  const { canvas } = state;
  const { graph, hidden } = canvas;
  const count = (each, name) => {
    const sizes = new Map();
    each((_, data) => sizes.set(data[name], (sizes.get(data[name]) || 0) + 1));
    return [...sizes].sort((a, b) => b[1] - a[1]);
  };
  const types = count(graph.forEachNode.bind(graph), "kind");
  const relations = count(graph.forEachEdge.bind(graph), "relation");
  const filter = (set, [name, size], colour) => {
    const dot = colour ? el("span", { class: "dot", "aria-hidden": "true" }) : null;
    if (dot) dot.style.background = colour;
    return el("label", { class: "filter" }, el("input", { type: "checkbox", checked: !set.has(name), onchange: (event) => {
      if (event.target.checked) set.delete(name);
      else set.add(name);
      canvas.refresh();
    } }), dot, el("span", {}, colour ? name || "no type" : spoken(name)), el("span", { class: "muted number" }, number(size)));
  };
  fill(filters, graph.order ? el("section", { class: "panel", "aria-label": "Filters" },
    el("p", { class: "muted" }, `${counted(graph.order, "entity")} and ${counted(graph.size, "triple")} drawn.`),
    el("div", { class: "filter-columns" },
      el("fieldset", {}, el("legend", {}, "Types"), types.slice(0, 12).map((type) => filter(hidden.types, type, canvas.colourOf(type[0])))),
      el("fieldset", {}, el("legend", {}, "Relations"), relations.slice(0, 12).map((relation) => filter(hidden.relations, relation, null))))) : null);
}
