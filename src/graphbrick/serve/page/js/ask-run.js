// One question asked of one graph: what happens while it runs, then the answers with their paths, the drawing with its
// replay, and the stages.

import { errorFrom, events } from "./api.js";
import { answerList, evidenceList, readingList } from "./answers.js";
import { progressText } from "./ask-once.js";
import { announce, calm, counted, duration, el, fill, number, problem, put, working } from "./dom.js";
import { feedbackButtons } from "./feedback.js";
import { drawMap } from "./map.js";
import { go } from "./place.js";
import { replayControls } from "./replay.js";
import { pathsToDraw, readRun } from "./run.js";
import { seedChips } from "./seeds.js";
import { shareButtons } from "./share.js";
import { cost, stageRow, timeline, waitingRow } from "./timeline.js";

const DRAWN = 24; // paths
const DOING = {
  link: "Finding what the question names", extract: "Taking a part of the graph", expand: "Making that part larger", prune: "Leaving out what does not fit",
  retrieve: "Looking for evidence", rerank: "Ordering the evidence", generate: "Making the answer", union: "Looking for evidence", repeat: "Looking for evidence",
};
const NARROW = 560; // pixels, below which one path is drawn from top to bottom

/**
 * Ask the server and show what comes, as it comes.
 *
 * @param {object} state of the page.
 * @param {object} parts `result`, where it is shown; `again(seeds)` asks once more from other seeds; `take(reading)` asks a
 *   reading; `ended(answers)` is called with the texts of the answers; `asSaid()` asks a completed question as it was written.
 */
export async function runQuestion(state, parts) {
  state.abort?.abort();
  state.replay?.stop();
  state.canvas?.end();
  state.canvas = null;
  const abort = new AbortController();
  state.abort = abort;
  const { result, again, take } = parts;
  const stages = el("ol", { class: "timeline running" });
  const draft = el("p", { class: "draft", hidden: true });
  const now = working("Searching …");
  const stop = el("button", { type: "button", class: "small", onclick: () => {
    abort.abort(); // the server ends the run when nobody listens
    fill(result, el("div", { class: "notice", role: "status" }, el("strong", {}, "The run was stopped")));
  } }, "Stop");
  fill(result, el("section", { class: "panel running", "aria-label": "Running", "aria-busy": "true" }, el("div", { class: "running-top" }, now, stop), draft, stages));
  const slow = setTimeout(() => put(now.parentElement?.parentElement, el("p", { class: "muted slow" }, "The first question after a start takes longer, as models are loaded.")), 4000);
  const body = { question: state.question, graph: state.graph.name, stream: true };
  if (state.pipeline) body.pipeline = state.pipeline;
  if (state.seeds.length) body.seeds = state.seeds;
  const next = () => {
    const waiting = stages.querySelector(".waiting");
    if (waiting) now.say(`${DOING[waiting.dataset.kind] || waiting.querySelector("strong").textContent} …`);
  };
  try {
    for await (const { event, data } of events("ask", body, { signal: abort.signal, query: { evidence: "all" } })) {
      if (event === "start") {
        put(stages, data.stages.map(waitingRow));
        next();
      } else if (event === "progress") now.say(progressText(data));
      else if (event === "stage") {
        const waiting = stages.querySelector(".waiting");
        if (waiting) waiting.replaceWith(stageRow(data));
        else stages.append(stageRow(data));
        next();
      } else if (event === "token") {
        draft.hidden = false;
        draft.append(data.text);
      } else if (event === "error") throw errorFrom(data);
      else if (event === "result") {
        state.run = data;
        showRun(state, result, parts);
        parts.ended((data.answers || []).map(({ text }) => text));
      }
    }
  } catch (error) {
    if (error.name === "AbortError") return;
    fill(result, completedLine(state, parts), problem(error), readingList(error.readings, take), error.type === "no_entity" ? seedSearch(state, again) : null);
    parts.ended([]);
  } finally {
    clearTimeout(slow);
  }
}

/** How a follow-up was completed. */
function completedLine({ said, question }, { asSaid }) {
  if (!said) return null;
  return el("p", { class: "completed muted" }, `“${said}” was read as “${question}”. `, el("button", { type: "button", class: "quiet small", onclick: asSaid }, "Ask it as it is"));
}

/** What helps when no entity of the graph was found in the question. */
function seedSearch(state, again) {
  return el("section", { class: "panel" }, el("h2", {}, "Choose where to start"),
    el("p", { class: "muted" }, "Name an entity of the graph; the question is then answered from there."),
    seedChips({ graph: state.graph.name, seeds: [], chosen: false, change: again }));
}

function showRun(state, result, parts) {
  const { again, take } = parts;
  const read = readRun(state.run);
  const { run } = read;
  const upright = result.clientWidth < NARROW;
  const { entries, total, supported } = pathsToDraw(read, upright ? Infinity : DRAWN); // one at a time can be any of them
  const openCitation = async (citation, item, quotes) => (await import("./passage.js")).openPassage(state.graph.name, citation, item, quotes);
  const list = answerList(read, { choose: (answer) => chooseAnswer(answer), openCitation, take });
  const drawing = el("div", { class: "drawing" });
  const spent = cost(run.trace.stages.flatMap(allStages));
  const summary = `${counted(read.answers.length, "answer")} in ${duration(run.trace.seconds)}${spent ? ` · ${spent}` : ""}`;
  const left = el("section", { class: "panel answers-panel", "aria-labelledby": "answers" }, el("h2", { id: "answers" }, read.answers.length === 1 ? "Answer" : "Answers"),
    state.taken ? el("p", { class: "muted taken" }, `Shown: ${state.taken.text}`) : null, list, el("p", { class: "muted summary" }, summary), state.write && read.answers.length ? feedbackButtons(state) : null);
  const right = entries.length ? el("section", { class: "panel map-panel", "aria-labelledby": "drawing" },
    el("h2", { id: "drawing" }, supported ? "How it was found" : "What was found"),
    upright && total > 1 ? el("p", { class: "muted" }, `One of ${counted(total, "path")} is drawn at a time: choose an answer for its path.`)
      : total > entries.length ? el("p", { class: "muted" }, `${number(entries.length)} of ${counted(total, "path")} are drawn.`) : null, drawing,
    run.subgraph?.nodes ? subgraphButton(state, read) : null) : null;
  const isPlain = state.graph.made_from_text && !read.seeds.length && !state.seeds.length; // documents are searched, not walked
  fill(result,
    completedLine(state, parts),
    isPlain ? null : seedChips({ graph: state.graph.name, seeds: read.seeds, labels: read.labels, types: read.types, chosen: state.seeds.length > 0, change: (keys) => again(keys || []) }),
    run.stopped ? el("div", { class: "notice" }, el("strong", {}, "The run was stopped"), el("p", {}, `${run.stopped.reason}. Not done: ${run.stopped.undone.join(", ")}`)) : null,
    el("div", { class: `columns${right ? "" : " single"}` }, left, right),
    el("section", { class: "panel", "aria-labelledby": "stages" }, el("h2", { id: "stages" }, "Stages"), timeline(run.trace),
      el("p", { class: "recipe-of muted" }, "Pipeline ", el("code", {}, run.pipeline), " ",
        el("button", { type: "button", class: "quiet small", onclick: () => go("pipeline", { text: run.pipeline, q: run.question, graph: state.graph.name }) }, "Edit as blocks"))),
    evidenceList(read, openCitation),
    shareButtons(run, { q: state.question, graph: state.graph.name, pipeline: state.pipeline, seed: state.seeds }, state.seeds));
  announce(read.answers.length ? `${summary}: ${read.answers.slice(0, 5).map(({ text }) => text).join(", ")}` : "No answer was found");
  if (!entries.length) return;

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
    labels: read.labels, entries, single: upright,
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
  } }, `Show the subgraph of ${counted(nodes, "entity")} and ${counted(triples, "triple")}`);
  return el("div", { class: "subgraph" }, button, frame);
}

function allStages(stage) {
  return [stage, ...(stage.children || []).flatMap(allStages)];
}
