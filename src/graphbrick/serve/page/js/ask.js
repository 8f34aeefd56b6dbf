// The page that asks: the question and where it is asked, the result, and what was asked before in this conversation.

import { get, send } from "./api.js";
import { earlierQuestions } from "./earlier.js";
import { el, fill, problem, sizesOf, working } from "./dom.js";
import { conversation, messages, questions, remember } from "./history.js";
import { go, notePlace } from "./place.js";
import { runQuestion } from "./ask-run.js";
import { findEntities } from "./seeds.js";
import { withSuggestions } from "./suggest.js";

const TRIES = 15; // looks for example questions
const PAUSE = 2000; // milliseconds between them
const OFFERED = 6; // suggestions
const [KEPT, LONGEST] = [5, 120]; // answers in the history, and letters of each
const AMONG = { documents: "All documents", graphs: "All graphs", all: "Everything" };

/** Show the page; returns what ends it. */
export function show(main, values, workbench) {
  const state = {
    graph: workbench.graphOf(values), question: values.get("q") || "", pipeline: values.get("pipeline") || "", said: "",
    seeds: values.getAll("seed"), among: values.get("in") in AMONG ? values.get("in") : "", graphs: workbench.graphs,
    write: workbench.write, run: null, abort: null, replay: null, canvas: null, taken: null, answered: false, ended: false,
  };
  const input = el("input", { id: "question", type: "text", class: "question", value: state.question, placeholder: "Ask a question", "aria-label": "Question", maxlength: 2000, enterkeyhint: "search" });
  const button = el("button", { type: "submit", class: "primary" }, "Ask");
  const form = el("form", { class: "ask-form", role: "search", onsubmit: (event) => { event.preventDefault(); submit(); } },
    withSuggestions(input, { find: (text) => completions(state.graph, text), take: ({ value }) => { input.value = value; input.focus(); } }), button);
  const heading = el("div", { class: "hero" });
  const result = el("div", { class: "result" });
  const earlier = el("div", { class: "earlier-place" });
  const scope = scopeChoice(state, () => { if (state.question && view.classList.contains("asked")) ask(); });
  const view = el("div", { class: "ask" }, heading, form, scope, pipelineLine(state), result, earlier);
  fill(main, view);
  const drawEarlier = () => earlierQuestions(earlier, { current: view.classList.contains("asked") ? state.question : "", graphs: state.graphs.map(({ name }) => name), again: drawEarlier });

  const ask = () => {
    notePlace("ask", valuesOf(state));
    document.title = `${state.question} · graphbrick`;
    fill(heading);
    view.classList.add("asked");
    button.textContent = "Ask again";
    state.answered = false;
    drawEarlier();
    const ended = (answers) => {
      if (state.ended) return;
      state.answered = true;
      remember({ question: state.question, said: state.said, graph: state.graph.name, among: state.among, pipeline: state.pipeline, seeds: state.seeds, answers: answers.slice(0, KEPT).map((text) => text.split("\n")[0].slice(0, LONGEST)), count: answers.length });
      input.placeholder = "Ask a follow-up, or something else";
      drawEarlier();
    };
    const parts = { result, again, take, ended, asSaid: () => { const { said } = state; state.said = ""; state.seeds = []; state.question = said; input.value = said; ask(); } };
    if (state.among) import("./among.js").then(({ runAmong }) => runAmong(state, parts)).catch((error) => fill(result, problem(error)));
    else runQuestion(state, parts);
  };
  const take = (reading) => {
    Object.assign(state, { question: reading.question, seeds: reading.seeds, taken: reading, said: "" });
    input.value = reading.question;
    ask();
  };
  const again = (seeds) => {
    state.seeds = seeds;
    ask();
  };
  const submit = async () => {
    const question = input.value.trim();
    if (!question) {
      input.focus();
      return;
    }
    if (question !== state.question) Object.assign(state, { seeds: [], said: "" }); // those of another question mean nothing here
    state.taken = null;
    const before = state.among || question === state.question ? [] : conversation(state.graph.name);
    state.question = question;
    if (before.length) await complete(state, before, result);
    if (state.ended || state.question === null) return;
    input.value = state.question;
    ask();
  };
  input.addEventListener("focus", () => { if (state.answered) input.select(); }); // what is typed next takes its place
  if (state.question) ask();
  else {
    welcome(heading, result, state, (question) => { input.value = question; submit(); });
    drawEarlier();
    input.focus({ preventScroll: true });
  }
  const onKey = (event) => {
    if (event.target === document.body || event.target === main) state.replay?.onKey(event);
  };
  document.addEventListener("keydown", onKey);
  return () => {
    state.ended = true;
    state.abort?.abort();
    state.replay?.stop();
    state.canvas?.end();
    document.removeEventListener("keydown", onKey);
  };
}

/** Complete a question that speaks of earlier ones; it stays as it is where the server does not complete it. */
async function complete(state, before, result) {
  const said = state.question;
  fill(result, working("Reading the question …"));
  try {
    const body = { messages: messages(before, said), graph: state.graph.name };
    if (state.pipeline) body.pipeline = state.pipeline;
    const read = await send("followUp", body);
    if (read.by && read.question !== said) Object.assign(state, { question: read.question, seeds: read.seeds, said });
  } catch {
    // Whatever is wrong is told when the question is asked.
  }
}

function valuesOf(state) {
  return { q: state.question, graph: state.graph.name, in: state.among, pipeline: state.pipeline, seed: state.seeds };
}

/** Where a question is asked: in the graph that is chosen above, or in several at once. */
function scopeChoice(state, changed) {
  const kinds = new Set(state.graphs.map((graph) => Boolean(graph.made_from_text)));
  if (state.graphs.length < 2) return null;
  const offered = ["", ...(kinds.size > 1 ? ["documents", "graphs"] : []), "all"];
  const row = el("div", { class: "scope", role: "group", "aria-label": "Where to look" });
  fill(row, el("span", { class: "seeds-title" }, "Look in"), offered.map((among) => el("button", { type: "button", class: "small", "data-in": among, "aria-pressed": String(among === state.among), onclick: () => {
    if (state.among === among) return;
    state.among = among;
    state.seeds = [];
    for (const one of row.querySelectorAll("button")) one.setAttribute("aria-pressed", String(one.dataset.in === among));
    changed();
  } }, among ? AMONG[among] : state.graph.name)));
  return row;
}

function pipelineLine(state) {
  if (!state.pipeline) return null;
  return el("p", { class: "with-pipeline muted" }, "With the pipeline ", el("code", {}, state.pipeline), " ",
    el("button", { type: "button", class: "quiet small", onclick: () => go("pipeline", { text: state.pipeline, q: state.question, graph: state.graph.name }) }, "Edit"), " ",
    el("button", { type: "button", class: "quiet small", onclick: () => go("ask", { q: state.question, graph: state.graph.name, seed: state.seeds }) }, "Use the default"));
}

/** The first view: what the graph holds, and questions to begin with. */
function welcome(heading, result, state, ask) {
  const { graph } = state;
  const proof = graph.made_from_text ? "the passages that prove it" : "the path that proves it";
  const sizes = sizesOf(graph);
  fill(heading, el("h1", {}, "What would you like to know?"),
    el("p", { class: "muted" }, `Every answer from “${graph.name}” comes with ${proof}. `, sizes ? `${sizes}.` : null));
  const show = () => fill(result, el("section", { class: "examples", "aria-labelledby": "examples" }, el("h2", { id: "examples" }, "Questions that it can answer"),
    el("ul", {}, graph.questions.map(({ question, kind }) => el("li", {}, el("button", { type: "button", class: "example", onclick: () => ask(question) },
      question, " ", el("span", { class: "detail" }, kind)))))));
  if (graph.questions.length) show();
  else {
    fill(result, el("div", { class: "examples" }, working("Finding questions that it can answer …")));
    awaitQuestions(graph, () => result.isConnected && !state.question).then((came) => {
      if (came) show();
      else if (result.isConnected && !state.question) fill(result);
    });
  }
}

/** Wait for the questions of a graph, which a server finds once it is ready; returns whether there are some. */
async function awaitQuestions(graph, isWanted) {
  for (let i = 0; i < TRIES; i += 1) {
    await new Promise((done) => { setTimeout(done, PAUSE); });
    if (!isWanted()) return false;
    try {
      const { graphs } = await get("graphs");
      graph.questions = graphs.find(({ name }) => name === graph.name)?.questions || [];
    } catch {
      return false; // the page works without examples
    }
    if (graph.questions.length) return isWanted();
  }
  return false;
}

// A name that is being typed: capitalised words at the end, joined by small ones as in "Gulf of Guinea".
const NAME = /(?:^|\s)((?:\p{Lu}|\d)\S*(?:\s+(?:(?:of|the|and|de|da|do|la|le|el|van|von|y)\s+)*(?:\p{Lu}|\d)\S*)*)$/u;

/** What goes on from the text: questions that begin with it, and entities whose names begin with its last words. */
async function completions(graph, text) {
  const start = text.trim().toLowerCase();
  const known = [...questions().filter((one) => one.graph === graph.name && !one.among).map(({ question }) => [question, "asked before"]),
    ...graph.questions.map(({ question }) => [question, "example"])];
  const whole = start.length < 3 ? [] : [...new Map(known.filter(([question]) => question.toLowerCase().startsWith(start) && question.toLowerCase() !== start))]
    .slice(0, OFFERED).map(([question, detail]) => ({ label: question, detail, value: question }));
  const begun = NAME.exec(text)?.[1] || "";
  if (begun.length < 3 || begun === text) return whole;
  const entities = await findEntities(graph.name, begun, 3 * OFFERED);
  const last = begun.toLowerCase().split(/\s+/).pop();
  const begins = ({ label }) => Number(label.toLowerCase().startsWith(begun.toLowerCase()));
  const names = entities.sort((a, b) => begins(b) - begins(a)).filter(({ label }) => label.toLowerCase() !== begun.toLowerCase() && label.toLowerCase().includes(last))
    .map(({ label, detail }) => ({ label, detail, value: text.slice(0, text.length - begun.length) + label }));
  return [...names, ...whole].slice(0, OFFERED);
}
