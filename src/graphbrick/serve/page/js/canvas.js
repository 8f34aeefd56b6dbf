// The drawing of a part of a graph with sigma and graphology: fast for some thousand nodes, laid out by forces.
// Both libraries are loaded when the page is first shown, as the other pages do without them. A machine without a
// graphics card draws by processor: there lines cost most, so that large drawings have thin ones, and none while moving.

import { calm, debounced, spoken } from "./dom.js";
import { forceLayout } from "./forces.js";
import { readableNames } from "./names.js";

const FILES = ["graphology.umd.min.js", "sigma.min.js"];
// Colours of types: the accent first, then hues of the same weight, so that no type shouts.
const HUES = ["#0f8a7d", "#b3672c", "#5b6fb5", "#9a4f7c", "#6b8532", "#8a6d3b", "#3f7fa6", "#a8534a", "#6e5ea8", "#4d8a5f"];
const HUES_DARK = ["#62d2c3", "#e0a070", "#9db0ee", "#d99abf", "#b4cf7a", "#d0b27c", "#86c1e4", "#eba097", "#b8a9ee", "#92d0a5"];

const READABLE = 10; // edges of a node up to which their relations are written
const NAMED = 800; // nodes up to which names are chosen so that none covers another
const NARROW = 560; // pixels of a drawing below which names of relations have no room
const ARROWS = 1200; // edges up to which they are arrows
const LARGE = 800; // nodes from which edges and labels are left out while something moves

let loading = null;

function loadLibraries() {
  loading ||= FILES.reduce((before, file) => before.then(() => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(`../vendor/${file}`, import.meta.url);
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => reject(new Error(`The file ${file} of the workbench cannot be loaded.`)));
    document.head.append(script);
  })), Promise.resolve());
  return loading;
}

/** A colour of the style sheet as the browser draws it in the current theme. */
function themeColour(name) {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const colour = getComputedStyle(probe).color;
  probe.remove();
  return colour;
}

/**
 * Make a drawing in a container.
 *
 * @param {Element} container where it is drawn.
 * @param {object} options `select(key)` when a node is clicked (null for the background), `expand(key)` on a double click.
 */
export async function graphCanvas(container, { select, expand }) {
  await loadLibraries();
  const { MultiDirectedGraph } = globalThis.graphology;
  const graph = new MultiDirectedGraph();
  const types = new Map(); // type to its number, which gives the colour
  const hidden = { types: new Set(), relations: new Set() };
  let colours = {};
  let selected = null;
  let hovered = null;
  let readable = new Set(); // nodes whose names cover no other
  let moving = false; // whether forces move the nodes
  let settled = () => {};

  const readTheme = () => {
    const names = { ink: "--ink", muted: "--muted", line: "--strong-line", accent: "--accent", soft: "--accent-line", surface: "--surface", paper: "--sunken" };
    colours = Object.fromEntries(Object.entries(names).map(([name, variable]) => [name, themeColour(variable)]));
    colours.hues = getComputedStyle(document.documentElement).colorScheme.includes("dark") && isDark() ? HUES_DARK : HUES;
  };
  const isDark = () => {
    const theme = document.documentElement.dataset.theme;
    return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  readTheme();
  const font = getComputedStyle(document.body).fontFamily;
  const sigma = new globalThis.Sigma(graph, container, {
    allowInvalidContainer: true, defaultEdgeType: "arrow", edgeProgramClasses: { thin: globalThis.Sigma.rendering.EdgeLineProgram }, renderEdgeLabels: true, labelFont: font, labelSize: 12.5, labelWeight: "500",
    edgeLabelFont: font, edgeLabelSize: 11, labelDensity: 0.9, labelGridCellSize: 90, labelRenderedSizeThreshold: 5, zIndex: true,
    minCameraRatio: 0.05, maxCameraRatio: 6, defaultDrawNodeHover: drawHover, nodeReducer, edgeReducer,
  });
  const applyTheme = () => {
    readTheme();
    sigma.setSetting("labelColor", { color: colours.ink });
    sigma.setSetting("edgeLabelColor", { color: colours.muted });
    sigma.refresh();
  };
  applyTheme();

  let around = null; // the node that is hovered or chosen, and its neighbours; null for all
  const look = () => {
    const centre = hovered || selected;
    around = centre && graph.hasNode(centre) ? new Set([centre, ...graph.neighbors(centre)]) : null;
  };

  /** Choose the names to write: of the nodes with most edges first, each that covers no other name and no node. */
  function chooseNames() {
    if (graph.order > NAMED || moving) return;
    const context = container.ownerDocument.createElement("canvas").getContext("2d");
    context.font = `500 12.5px ${font}`;
    const nodes = graph.nodes().filter((key) => !hidden.types.has(graph.getNodeAttribute(key, "kind"))).map((key) => ({
      key, ...sigma.graphToViewport(graph.getNodeAttributes(key)), size: sigma.scaleSize(sigma.getNodeDisplayData(key)?.size || 4),
      width: context.measureText(graph.getNodeAttribute(key, "label") || "").width, weight: key === selected ? Infinity : graph.degree(key),
    }));
    readable = readableNames(nodes);
    sigma.refresh({ skipIndexation: true });
  }

  /** The colour of a type; grey for entities without one. */
  function colourOf(kind) {
    return kind ? colours.hues[types.get(kind) % colours.hues.length] : colours.line;
  }

  function nodeReducer(key, data) {
    const shown = { ...data, color: colourOf(data.kind), size: (4 + 1.6 * Math.sqrt(graph.degree(key))) * Math.max(0.4, Math.min(1, Math.sqrt(600 / graph.order))) };
    if (hidden.types.has(data.kind)) shown.hidden = true;
    if (around && !around.has(key)) {
      shown.color = colours.paper;
      shown.label = "";
      shown.zIndex = 0;
    } else shown.zIndex = 1;
    if (graph.order <= NAMED && key !== selected && key !== hovered) {
      shown.forceLabel = readable.has(key);
      if (!readable.has(key)) shown.label = "";
    }
    if (key === selected) {
      shown.highlighted = true;
      shown.forceLabel = true;
    }
    return shown;
  }

  function edgeReducer(edge, data) {
    if (moving && graph.order >= LARGE) return { ...data, type: "thin", hidden: true };
    const [head, tail] = graph.extremities(edge);
    const centre = hovered || selected;
    const close = centre && (head === centre || tail === centre);
    const shown = { ...data, size: close && hovered ? 2 : 1.2, color: close ? (hovered ? colours.accent : colours.soft) : colours.line };
    if (graph.size > ARROWS && !close) shown.type = "thin";
    if (hidden.relations.has(data.relation)) shown.hidden = true;
    if (centre && graph.hasNode(centre) && !close) shown.color = colours.paper;
    // Names of relations only where they can be read.
    const isRoomy = hovered || container.clientWidth >= NARROW;
    shown.label = isRoomy && close && graph.degree(centre) <= READABLE || (isRoomy && graph.size <= READABLE && !centre) ? spoken(data.relation) : "";
    return shown;
  }

  function drawHover(context, data, settings) {
    const label = data.label || "";
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    const width = label ? context.measureText(label).width + 12 : 0;
    context.fillStyle = colours.surface;
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.5;
    context.beginPath();
    context.roundRect(data.x - data.size - 4, data.y - Math.max(data.size + 4, 12), 2 * data.size + 8 + width, 2 * Math.max(data.size + 4, 12), 12);
    context.fill();
    context.stroke();
    context.fillStyle = data.color;
    context.beginPath();
    context.arc(data.x, data.y, data.size, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = colours.ink;
    context.fillText(label, data.x + data.size + 5, data.y + settings.labelSize / 3);
  }

  sigma.on("enterNode", ({ node }) => { hovered = node; look(); container.style.cursor = "pointer"; sigma.refresh({ skipIndexation: true }); });
  sigma.on("leaveNode", () => { hovered = null; look(); container.style.cursor = ""; sigma.refresh({ skipIndexation: true }); });
  sigma.on("clickNode", ({ node }) => select(node));
  sigma.on("doubleClickNode", ({ node, preventSigmaDefault }) => { preventSigmaDefault(); expand(node); });
  sigma.on("clickStage", () => select(null));
  let grabbed = null;
  sigma.on("downNode", ({ node }) => { grabbed = node; });
  sigma.on("moveBody", ({ event }) => {
    if (!grabbed) return;
    const place = sigma.viewportToGraph(event);
    graph.mergeNodeAttributes(grabbed, { ...place, fixed: true });
    layout.fix(grabbed, place);
    event.preventSigmaDefault();
    event.original.preventDefault();
  });
  sigma.on("upNode", () => { grabbed = null; });
  sigma.on("upStage", () => { grabbed = null; });
  const namesLater = debounced(120, chooseNames);
  sigma.getCamera().on("updated", namesLater);
  sigma.on("resize", namesLater);
  const onTheme = () => applyTheme();
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  document.addEventListener("themechange", onTheme);
  scheme.addEventListener("change", onTheme);

  const layout = forceLayout(graph, (isDone) => {
    moving = !isDone;
    if (isDone) {
      sigma.setSetting("renderLabels", true); // which draws everything anew
      namesLater(); // once it is drawn
      settled();
    }
  });

  /** Let forces move the nodes for a while; only the end is shown if the reader wants less motion. */
  function settle(rounds) {
    look(); // neighbours may have come
    for (const setting of ["hideEdgesOnMove", "hideLabelsOnMove"]) sigma.setSetting(setting, graph.order >= LARGE);
    moving = graph.order > 1;
    if (moving) sigma.setSetting("renderLabels", graph.order < LARGE);
    layout.start(rounds, calm());
  }

  return {
    graph, types, hidden,
    /** Add an entity, near another one if that is given. */
    addNode(entity, beside = null) {
      const kind = entity.types?.[0] || "";
      if (!types.has(kind)) types.set(kind, types.size);
      if (graph.hasNode(entity.key)) return false;
      const middle = beside && graph.hasNode(beside) ? graph.getNodeAttributes(beside) : { x: 0, y: 0 };
      // A spiral rather than chance, so that the same steps always give the same drawing.
      const turn = 2.4 * graph.order;
      const far = 6 + 0.7 * Math.sqrt(graph.order);
      graph.addNode(entity.key, { label: entity.label, kind, x: middle.x + far * Math.cos(turn), y: middle.y + far * Math.sin(turn) });
      return true;
    },
    addTriple(head, relation, tail, name, properties = {}) {
      const id = JSON.stringify([head, relation, tail, properties]); // parallel triples differ in their properties
      if (!graph.hasEdge(id)) graph.addDirectedEdgeWithKey(id, head, tail, { relation: name, properties });
    },
    select(key) {
      selected = key;
      look();
      sigma.refresh();
    },
    refresh() {
      look();
      sigma.refresh();
      namesLater();
    },
    /** What is drawn, as canvases from the back to the front; drawn anew, as a browser keeps no picture of them. */
    layers() {
      sigma.refresh({ schedule: false });
      const { edges, nodes, edgeLabels, labels, hovers, hoverNodes } = sigma.getCanvases();
      return [edges, nodes, edgeLabels, labels, hovers, hoverNodes].filter(Boolean);
    },
    settle,
    zoom(by) {
      const camera = sigma.getCamera();
      const state = { ratio: camera.getState().ratio * by };
      if (calm()) camera.setState({ ...camera.getState(), ...state });
      else camera.animate(state, { duration: 200 });
    },
    fit() {
      sigma.getCamera().setState({ x: 0.5, y: 0.5, ratio: container.clientWidth < NARROW ? 1.5 : 1.15, angle: 0 }); // with room for names
    },
    onSettled(action) { settled = action; },
    colourOf,
    end() {
      namesLater.cancel();
      layout.end();
      document.removeEventListener("themechange", onTheme);
      scheme.removeEventListener("change", onTheme);
      sigma.kill();
    },
  };
}
