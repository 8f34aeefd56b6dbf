// The page that asks: the question, where its search starts, the answers with their paths, the drawing with its replay,
// and the stages.

import { errorFrom, events, get } from "./api.js";
import { answerList, evidenceList, readingList } from "./answers.js";
import { announce, calm, duration, el, fill, number, problem, put } from "./dom.js";
import { feedbackButtons } from "./feedback.js";
import { drawMap } from "./map.js";
import { go, notePlace } from "./place.js";
import { replayControls } from "./replay.js";
import { brickName, pathsToDraw, readRun } from "./run.js";
import { findEntities, seedChips } from "./seeds.js";
import { shareButtons } from "./share.js";
import { withSuggestions } from "./suggest.js";
import { cost, stageRow, timeline, waitingRow } from "./timeline.js";

const DRAWN = 24; // paths
const TRIES = 15; // looks for example questions
const PAUSE = 2000; // milliseconds between them
const NARROW = 560; // pixels, below which one path is drawn from top to bottom

/** Show the page; returns what ends it. */
export function show(main, values, workbench) {
  const state = {
    graph: workbench.graphOf(values), question: values.get("q") || "", pipeline: values.get("pipeline") || "",
    seeds: values.getAll("seed"), write: workbench.write, run: null, abort: null, replay: null, canvas: null, taken: null,
  };
  const input = el("input", { id: "question", type: "text", class: "question", value: state.question, placeholder: "Ask a question", "aria-label": "Question", maxlength: 2000, enterkeyhint: "search" });
  const button = el("button", { type: "submit", class: "primary" }, "Ask");
  const form = el("form", { class: "ask-form", role: "search", onsubmit: (event) => { event.preventDefault(); submit(); } },
    withSuggestions(input, { find: (text) => completions(state.graph.name, text), take: ({ value }) => { input.value = value; input.focus(); } }), button);
  const heading = el("div", { class: "hero" });
  const result = el("div", { class: "result" });
  const view = el("div", { class: "ask" }, heading, form, pipelineLine(state), result);
  fill(main, view);

  const ask = () => {
    notePlace("ask", valuesOf(state));
    run(state, { heading, result, view, button, again, take });
  };
  const take = (reading) => {
    state.question = reading.question;
    state.seeds = reading.seeds;
    state.taken = reading;
    input.value = reading.question;
    ask();
  };
  const again = (seeds) => {
    state.seeds = seeds;
    ask();
  };
  const submit = () => {
    const question = input.value.trim();
    if (!question) {
      input.focus();
      return;
    }
    if (question !== state.question) state.seeds = []; // those of another question mean nothing here
    state.taken = null;
    state.question = question;
    ask();
  };
  if (state.question) ask();
  else {
    welcome(heading, result, state, (question) => { input.value = question; submit(); });
    input.focus({ preventScroll: true });
  }
  const onKey = (event) => {
    if (event.target === document.body || event.target === main) state.replay?.onKey(event);
  };
  document.addEventListener("keydown", onKey);
  return () => {
    state.abort?.abort();
    state.replay?.stop();
    state.canvas?.end();
    document.removeEventListener("keydown", onKey);
  };
}

function valuesOf(state) {
  return { q: state.question, graph: state.graph.name, pipeline: state.pipeline, seed: state.seeds };
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
  const sizes = [["entities", "entities"], ["relations", "relations"], ["triples", "triples"], ["passages", "passages"]]
    .filter(([name]) => graph[name]).map(([name, word]) => `${number(graph[name])} ${word}`);
  fill(heading, el("h1", {}, "What would you like to know?"),
    el("p", { class: "muted" }, `Every answer from the graph “${graph.name}” comes with the path that proves it. `, sizes.length ? `${sizes.join(", ")}.` : null));
  const show = () => fill(result, el("section", { class: "examples", "aria-labelledby": "examples" }, el("h2", { id: "examples" }, "Questions that this graph can answer"),
    el("ul", {}, graph.questions.map(({ question, kind }) => el("li", {}, el("button", { type: "button", class: "example", onclick: () => ask(question) },
      question, " ", el("span", { class: "detail" }, kind)))))));
  if (graph.questions.length) show();
  else awaitQuestions(graph, () => result.isConnected && !state.question).then((came) => came && show());
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

/** Entities whose names begin with what is typed last, put in its place. */
async function completions(graph, text) {
  const begun = NAME.exec(text)?.[1] || "";
  if (begun.length < 3 || begun === text) return [];
  const entities = await findEntities(graph, begun, 6);
  return entities.filter(({ label }) => label.toLowerCase() !== begun.toLowerCase())
    .map(({ label, detail }) => ({ label, detail, value: text.slice(0, text.length - begun.length) + label }));
}

/** Ask the server and show what comes, as it comes. */
async function run(state, parts) {
  state.abort?.abort();
  state.replay?.stop();
  state.canvas?.end();
  state.canvas = null;
  const abort = new AbortController();
  state.abort = abort;
  const { heading, result, view, button, again, take } = parts;
  fill(heading);
  view.classList.add("asked");
  const stages = el("ol", { class: "timeline running" });
  const draft = el("p", { class: "draft", hidden: true });
  const working = el("p", { class: "muted working" }, "Searching …");
  const stop = el("button", { type: "button", class: "small", onclick: () => {
    abort.abort(); // the server ends the run when nobody listens
    fill(result, el("div", { class: "notice", role: "status" }, el("strong", {}, "The run was stopped")));
  } }, "Stop");
  fill(result, el("section", { class: "panel running", "aria-label": "Running", "aria-busy": "true" }, el("div", { class: "running-top" }, working, stop), draft, stages));
  button.textContent = "Ask again";
  const body = { question: state.question, graph: state.graph.name, stream: true };
  if (state.pipeline) body.pipeline = state.pipeline;
  if (state.seeds.length) body.seeds = state.seeds;
  try {
    for await (const { event, data } of events("ask", body, { signal: abort.signal, query: { evidence: "all" } })) {
      if (event === "start") put(stages, data.stages.map(waitingRow));
      else if (event === "progress") working.textContent = progressText(data);
      else if (event === "stage") {
        const waiting = stages.querySelector(".waiting");
        if (waiting) waiting.replaceWith(stageRow(data));
        else stages.append(stageRow(data));
      }
      else if (event === "token") {
        draft.hidden = false;
        draft.append(data.text);
      } else if (event === "error") throw errorFrom(data);
      else if (event === "result") {
        state.run = data;
        showRun(state, result, { again, take });
      }
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    fill(result, problem(error), readingList(error.readings, take), error.type === "no_entity" ? seedSearch(state, again) : null);
  }
}

/** What is done now, how much of it, and how long it still takes: «Rerank: 1,068 of 4,808, about 45 s left». */
function progressText({ step, done, total, seconds_left: left }) {
  const amount = total ? `: ${number(done)} of ${number(total)}` : "";
  const time = left === null ? "" : left < 60 ? `, about ${Math.ceil(left)} s left` : `, about ${Math.ceil(left / 60)} minutes left`;
  return `${brickName(step)}${amount}${time} …`;
}

/** What helps when no entity of the graph was found in the question. */
function seedSearch(state, again) {
  return el("section", { class: "panel" }, el("h2", {}, "Choose where to start"),
    el("p", { class: "muted" }, "Name an entity of the graph; the question is then answered from there."),
    seedChips({ graph: state.graph.name, seeds: [], chosen: false, change: again }));
}

function showRun(state, result, { again, take }) {
  const read = readRun(state.run);
  const { run } = read;
  const { entries, total, supported } = pathsToDraw(read, DRAWN);
  const openCitation = async (citation, item) => (await import("./passage.js")).openPassage(state.graph.name, citation, item);
  const list = answerList(read, { choose: (answer) => chooseAnswer(answer), openCitation, take });
  const drawing = el("div", { class: "drawing" });
  const spent = cost(run.trace.stages.flatMap(allStages));
  const summary = `${number(read.answers.length)} answer${read.answers.length === 1 ? "" : "s"} in ${duration(run.trace.seconds)}${spent ? ` · ${spent}` : ""}`;
  const left = el("section", { class: "panel answers-panel", "aria-labelledby": "answers" }, el("h2", { id: "answers" }, read.answers.length === 1 ? "Answer" : "Answers"),
    state.taken ? el("p", { class: "muted taken" }, `Shown: ${state.taken.text}`) : null, list, el("p", { class: "muted summary" }, summary), state.write && read.answers.length ? feedbackButtons(state) : null);
  const right = entries.length ? el("section", { class: "panel map-panel", "aria-labelledby": "drawing" },
    el("h2", { id: "drawing" }, supported ? "How it was found" : "What was found"),
    total > entries.length ? el("p", { class: "muted" }, `${entries.length} of ${number(total)} paths are drawn.`) : null, drawing,
    run.subgraph?.nodes ? subgraphButton(state, read) : null) : null;
  fill(result,
    seedChips({ graph: state.graph.name, seeds: read.seeds, labels: read.labels, types: read.types, chosen: state.seeds.length > 0, change: (keys) => again(keys || []) }),
    run.stopped ? el("div", { class: "notice" }, el("strong", {}, "The run was stopped"), el("p", {}, `${run.stopped.reason}. Not done: ${run.stopped.undone.join(", ")}`)) : null,
    el("div", { class: `columns${right ? "" : " single"}` }, left, right),
    el("section", { class: "panel", "aria-labelledby": "stages" }, el("h2", { id: "stages" }, "Stages"), timeline(run.trace),
      el("p", { class: "recipe-of muted" }, "Pipeline ", el("code", {}, run.pipeline), " ",
        el("button", { type: "button", class: "quiet small", onclick: () => go("pipeline", { text: run.pipeline, q: run.question, graph: state.graph.name }) }, "Edit as blocks"))),
    evidenceList(read, openCitation),
    shareButtons(run, valuesOf(state), state.seeds));
  announce(read.answers.length ? `${summary}: ${read.answers.slice(0, 5).map(({ text }) => text).join(", ")}` : "No answer was found");
  if (!entries.length) return;

  const upright = result.clientWidth < NARROW;
  let map = null;
  const draw = (path) => {
    // On a phone only the path in question fits.
    const drawn = upright ? [entries[Math.max(path, 0)]] : entries;
    map = drawMap(read, drawn, { upright, onNode: (key) => go("graph", { entity: key, graph: state.graph.name }) });
    return map.element;
  };
  const frame = el("div", {});
  let shown = -2;
  const replay = replayControls({
    labels: read.labels, entries,
    show: (path, hop, moving) => {
      if (shown === -2 || (upright && path !== shown)) fill(frame, draw(path));
      shown = path;
      map.show(upright ? Math.min(path, 0) : path, hop, moving);
      mark(path);
    },
  });
  const mark = (path) => {
    const answer = path < 0 ? -1 : entries[path].answer;
    for (const row of result.querySelectorAll(".answers > li")) {
      row.querySelector("button.answer")?.setAttribute("aria-pressed", String(Number(row.dataset.answer) === answer));
    }
  };
  const chooseAnswer = (answer) => {
    const path = entries.findIndex((entry) => entry.answer === answer);
    if (path < 0) return;
    replay.choose(replay.current() === path ? -1 : path);
    if (upright) frame.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
  };
  state.replay = replay;
  fill(drawing, frame, replay.element);
  frame.addEventListener("keydown", replay.onKey);
  replay.choose(-1);
}

/** A button that draws the whole subgraph in which the paths were found; the libraries for that are loaded then. */
function subgraphButton(state, read) {
  const frame = el("div", {});
  const { nodes, triples } = read.run.subgraph;
  const button = el("button", { type: "button", class: "quiet small", onclick: async () => {
    button.disabled = true;
    try {
      const { drawSubgraph } = await import("./subgraph.js");
      state.canvas?.end();
      state.canvas = await drawSubgraph(frame, state, read);
    } catch (error) {
      fill(frame, problem(error));
      button.disabled = false;
    }
  } }, `Show the subgraph of ${number(nodes)} entities and ${number(triples)} triples`);
  return el("div", { class: "subgraph" }, button, frame);
}

function allStages(stage) {
  return [stage, ...(stage.children || []).flatMap(allStages)];
}
