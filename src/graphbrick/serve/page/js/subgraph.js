// The whole subgraph of a run, drawn by forces, with seeds, answers and the entities on the paths told apart.

import { send } from "./api.js";
import { graphCanvas } from "./canvas.js";
import { counted, el, fill, number, working } from "./dom.js";
import { go } from "./place.js";

const [SEED, ANSWER, PATH] = ["start", "answer", "on a path"];

/** Draw the subgraph of a run into a frame; the run is made once more, as its subgraph is not sent otherwise. */
export async function drawSubgraph(frame, state, read) {
  fill(frame, working("Drawing …"));
  const body = { question: read.run.question, graph: state.graph.name, subgraph: true, seeds: read.seeds.map(({ key }) => key) };
  if (state.pipeline) body.pipeline = state.pipeline;
  const run = await send("retrieve", body);
  const stage = el("div", { class: "subgraph-stage", role: "img", "aria-label": `The subgraph: ${counted(run.nodes.length, "entity")} and ${counted(run.triples.length, "triple")}` });
  const legend = el("ul", { class: "legend" });
  fill(frame, run.subgraph_cut ? el("p", { class: "muted" }, `The first ${number(run.nodes.length)} entities and ${number(run.triples.length)} triples.`) : null, legend, stage);
  const canvas = await graphCanvas(stage, { select: () => {}, expand: (key) => go("graph", { entity: key, graph: state.graph.name }) });
  const seeds = new Set(read.seeds.map(({ key }) => key));
  const answers = new Set(read.answers.map(({ key }) => key));
  const onPath = new Set([...read.support, ...read.evidence].flatMap(({ path }) => path?.stations || []));
  const kindOf = (key) => (seeds.has(key) ? [SEED] : answers.has(key) ? [ANSWER] : onPath.has(key) ? [PATH] : []);
  [SEED, ANSWER, PATH].forEach((kind, i) => canvas.types.set(kind, i)); // the accent is for seeds, as above
  for (const key of run.nodes) canvas.addNode({ key, label: run.entities[key]?.label || key, types: kindOf(key) });
  for (const [head, relation, tail] of run.triples) canvas.addTriple(head, relation, tail, run.relations[relation] || relation);
  fill(legend, [SEED, ANSWER, PATH, ""].map((kind) => {
    const dot = el("span", { class: "dot", "aria-hidden": "true" });
    dot.style.background = canvas.colourOf(kind);
    return el("li", {}, dot, kind || "other");
  }));
  canvas.settle(160);
  canvas.fit();
  return canvas;
}
