// The page that compares: two pipelines or graphs on one question, and what one of them lost, and where.

import { get } from "./api.js";
import { pathLine } from "./answers.js";
import { askOnce } from "./ask-once.js";
import { inLines } from "./bricks.js";
import { announce, counted, duration, el, fill, newId, number, problem, working } from "./dom.js";
import { go, notePlace } from "./place.js";
import { cost, timeline } from "./timeline.js";

const SHOWN = 8; // answers of a side
const ROWS = 6; // lost answers that are shown at once

/** Show the page; returns what ends it. */
export function show(main, values, workbench) {
  const graph = workbench.graphOf(values);
  const texts = values.getAll("pipeline");
  const graphs = values.getAll("graph");
  const state = { question: values.get("q") || "", abort: null,
    sides: [0, 1].map((i) => ({ graph: graphs[i] || graph.name, text: (texts[i] || "").trim(), element: el("div", { class: "compare-result" }), read: null })) };
  const question = el("input", { type: "text", class: "question", value: state.question, placeholder: "A question for both", "aria-label": "Question" });
  const verdict = el("div", { class: "compare-verdict", role: "status" });
  const studies = el("div", {});
  const columns = el("div", { class: "compare-columns" }, working("Reading the recipes …"));
  fill(main, el("div", { class: "compare-page" },
    el("div", { class: "page-top" }, el("h1", {}, "Compare")),
    el("form", { class: "ask-form wide", onsubmit: (event) => { event.preventDefault(); state.question = question.value.trim(); both(state, verdict); } }, question, el("button", { type: "submit", class: "primary" }, "Run both")),
    verdict, columns, studies));
  begin(state, columns, workbench).then(() => { if (state.question) both(state, verdict); }).catch((error) => fill(columns, problem(error)));
  import("./studies.js").then(({ showStudies }) => showStudies(studies, values)).catch((error) => fill(studies, problem(error)));
  return () => state.abort?.abort();
}

async function begin(state, columns, workbench) {
  const recipes = new Map();
  await Promise.all([...new Set(state.sides.map((side) => side.graph))].map(async (name) => recipes.set(name, await get("recipes", { query: { graph: name } }))));
  fill(columns, state.sides.map((side, i) => sideForm(side, i, recipes, workbench)));
}

/** One side: its graph, and its pipeline as a recipe or a text. */
function sideForm(side, index, recipes, workbench) {
  const name = "AB"[index];
  const ids = { text: newId("side"), recipe: newId("side"), graph: newId("side") };
  const area = el("textarea", { id: ids.text, class: "recipe small", rows: 4, spellcheck: "false", placeholder: "the default of the graph", value: inLines(side.text), oninput: () => { side.text = area.value.trim(); } });
  const choice = el("select", { id: ids.recipe });
  const offer = async () => {
    if (!recipes.has(side.graph)) recipes.set(side.graph, await get("recipes", { query: { graph: side.graph } }));
    const { recipes: own, published } = recipes.get(side.graph);
    fill(choice, el("option", { value: "" }, "a recipe …"), own.map((one) => el("option", { value: one.pipeline }, one.name)),
      published.filter(({ allowed }) => allowed).map((one) => el("option", { value: one.pipeline }, `${one.recipe}: ${one.title}`)));
    choice.value = "";
  };
  choice.addEventListener("change", () => {
    if (!choice.value) return;
    side.text = choice.value;
    area.value = inLines(choice.value);
    choice.value = "";
  });
  offer();
  const several = workbench.graphs.length > 1;
  return el("section", { class: "panel side-panel", "aria-label": `Side ${name}` },
    el("div", { class: "side-top" }, el("h2", {}, name), el("span", { class: "pair" }, el("label", { class: "start-from", for: ids.recipe }, "Start from "), choice),
      several ? el("span", { class: "pair" }, el("label", { class: "start-from", for: ids.graph }, "on "), el("select", { id: ids.graph, value: side.graph, onchange: (event) => { side.graph = event.target.value; offer(); } }, workbench.graphs.map((one) => el("option", { value: one.name }, one.name)))) : null),
    el("label", { class: "hidden", for: ids.text }, `Pipeline ${name}`), area, side.element);
}

/** Run both sides at the same time. */
async function both(state, verdict) {
  if (!state.question) return;
  state.abort?.abort();
  const abort = new AbortController();
  state.abort = abort;
  notePlace("compare", { q: state.question, graph: state.sides.map((side) => side.graph), pipeline: state.sides.map((side) => side.text || " ") }); // a space keeps the place of a default
  fill(verdict);
  await Promise.all(state.sides.map(async (side) => {
    side.read = null;
    const line = working("Searching …");
    fill(side.element, line);
    const body = { question: state.question, graph: side.graph, subgraph: true };
    if (side.text) body.pipeline = side.text;
    try {
      side.read = await askOnce(body, { signal: abort.signal, query: { evidence: "all" }, say: line.say });
    } catch (error) {
      if (error.name !== "AbortError") fill(side.element, problem(error));
    }
  }));
  if (abort.signal.aborted) return;
  state.sides.forEach((side, i) => side.read && drawSide(side, state.sides[1 - i], state.question));
  if (state.sides.every((side) => side.read)) drawVerdict(state, verdict);
}

function idOf(answer) {
  return answer.key ?? answer.text.toLowerCase();
}

function drawSide(side, other, question) {
  const { read } = side;
  const theirs = new Set(other.read ? other.read.answers.map(idOf) : []);
  const only = (answer) => other.read && !theirs.has(idOf(answer));
  const spent = cost(read.run.trace.stages);
  const shown = [...read.answers].sort((a, b) => Number(only(b)) - Number(only(a)));
  fill(side.element,
    el("p", { class: "run-summary" }, el("strong", {}, `${counted(read.answers.length, "answer")} in ${duration(read.run.trace.seconds)}`), spent ? ` · ${spent}` : ""),
    el("ul", { class: "answers compare-answers" }, shown.slice(0, SHOWN).map((answer) => el("li", { class: only(answer) ? "only" : "" },
      el("div", { class: "answer" }, el("span", { class: "answer-text" }, answer.text, only(answer) ? el("span", { class: "tag" }, "only here") : null),
        answer.paths[0] ? el("span", { class: "answer-path" }, pathLine(answer.paths[0], read.labels)) : null))),
    shown.length > SHOWN ? el("li", { class: "muted" }, `and ${number(shown.length - SHOWN)} more`) : null),
    timeline(read.run.trace),
    el("button", { type: "button", class: "quiet small", onclick: () => go("ask", { q: question, graph: side.graph, pipeline: side.text }) }, "Open in Ask"));
}

/** What both agree on, and for every answer that one lacks, how far it had come there. */
function drawVerdict(state, verdict) {
  const [a, b] = state.sides.map((side) => side.read);
  const [left, right] = [a, b].map((read) => new Map(read.answers.map((answer) => [idOf(answer), answer])));
  const common = [...left.keys()].filter((id) => right.has(id)).length;
  const lost = [...[...left].filter(([id]) => !right.has(id)).map(([, answer]) => lostRow(answer, "B", b)),
    ...[...right].filter(([id]) => !left.has(id)).map(([, answer]) => lostRow(answer, "A", a))];
  const same = !lost.length && left.size;
  const words = same ? "Both give the same answers." : !left.size && !right.size ? "Neither gives an answer."
    : `${counted(common, "answer")} in common; ${number(lost.length)} only on one side.`;
  announce(words);
  const table = (rows) => el("table", { class: "plain" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Answer"), el("th", { scope: "col" }, "Missing from"), el("th", { scope: "col" }, "Where it was lost"))),
    el("tbody", {}, rows));
  fill(verdict, el("section", { class: "panel" }, el("h2", {}, words), lost.length ? table(lost.slice(0, ROWS)) : null,
    lost.length > ROWS ? el("details", { class: "more-rows" }, el("summary", {}, `${number(lost.length - ROWS)} more`), table(lost.slice(ROWS, 200))) : null));
}

function lostRow(answer, name, read) {
  return el("tr", {}, el("th", { scope: "row" }, answer.text), el("td", {}, name), el("td", {}, whereLost(answer, read)));
}

/** How far an entity came in a run that does not give it as an answer. */
function whereLost(answer, { run, evidence }) {
  if (run.withheld) return "The answers were withheld, as they are not sure enough.";
  if (answer.key === null) return "It is a text without an entity, so that it cannot be followed.";
  const inEvidence = evidence.findIndex(({ item, path }) => (path ? path.stations.includes(answer.key) : (item.entities || []).includes(answer.key)));
  if (inEvidence >= 0) return `It is in item ${number(inEvidence + 1)} of ${number(evidence.length)} of the evidence; the last stage did not choose it.`;
  if ((run.nodes || []).includes(answer.key)) return "It is in the subgraph; the stages that retrieve and rank left it out.";
  if (run.subgraph === null) return "It is not in the evidence; the pipeline makes no subgraph.";
  return run.subgraph_cut ? "It is not in the evidence; the subgraph is too large to be looked through here." : "It is not in the subgraph: extracting or pruning left it out.";
}
