// The page that builds a pipeline: blocks and text beside each other, both ways, and the question run while editing.

import { get, send } from "./api.js";
import { blockEditor } from "./blocks.js";
import { brickCatalogue, inLines } from "./bricks.js";
import { answerList } from "./answers.js";
import { copyButton, counted, debounced, duration, el, fill, problem, working } from "./dom.js";
import { go, notePlace } from "./place.js";
import { recipeText } from "./recipe-text.js";
import { readRun } from "./run.js";
import { cost, timeline } from "./timeline.js";

/** Show the page; returns what ends it. */
export function show(main, values, workbench) {
  const graph = workbench.graphOf(values);
  const state = { graph: graph.name, text: values.get("text") || "", question: values.get("q") || "", check: null, abort: null, asked: 0, before: null };
  const view = el("div", { class: "pipeline-page" }, working("Loading the bricks …"));
  fill(main, view);
  begin(state, graph, view).catch((error) => fill(view, problem(error)));
  return () => {
    state.abort?.abort();
    state.asked += 1;
  };
}

async function begin(state, graph, view) {
  const [bricks, recipes] = await Promise.all([brickCatalogue(), get("recipes", { query: { graph: state.graph } })]);
  if (!state.text) state.text = recipes.recipes[0].pipeline;
  const verdict = el("p", { class: "verdict muted", role: "status" });
  const text = recipeText(debounced(250, () => read({ pipeline: text.get() })));
  const blocks = blockEditor(bricks, debounced(150, (tree) => read({ blocks: tree })));
  const results = el("div", { class: "results" });
  const question = el("input", { type: "text", id: "run-question", value: state.question, placeholder: "A question to try it on" });
  const automatic = el("input", { type: "checkbox", id: "run-automatic", checked: true });
  const rerun = debounced(400, () => run(state, results));

  /** Read what was edited, on either side, and bring the other side to it. */
  async function read(body) {
    state.asked += 1;
    const mine = state.asked;
    let check;
    try {
      check = await send("check", body, { query: { graph: state.graph } });
    } catch (error) {
      fill(verdict, error.message);
      return;
    }
    if (mine !== state.asked) return; // something newer was typed
    state.check = check;
    if (check.ok) {
      state.text = check.pipeline;
      if (body.blocks) {
        text.set(inLines(check.pipeline));
        text.judge(check);
        blocks.judge(check);
      } else {
        text.judge(check);
        blocks.show(check.blocks, check);
      }
      notePlace("pipeline", { text: check.pipeline, q: state.question, graph: state.graph });
    } else if (body.blocks) blocks.judge(check);
    else text.judge(check);
    fill(verdict, verdictOf(check, Boolean(body.blocks)));
    if (runnable(check) && automatic.checked && state.question) rerun();
  }

  const choice = el("select", { id: "start-from", onchange: () => {
    if (!choice.value) return;
    text.set(inLines(choice.value));
    read({ pipeline: choice.value });
    choice.value = "";
  } }, el("option", { value: "" }, "a recipe …"),
  el("optgroup", { label: "This server" }, recipes.recipes.map(({ name, pipeline }) => el("option", { value: pipeline }, name))),
  el("optgroup", { label: "Published" }, recipes.published.filter(({ allowed }) => allowed).map(({ recipe, title, pipeline }) => el("option", { value: pipeline }, `${recipe}: ${title}`))));

  const form = el("form", { class: "run-form", onsubmit: (event) => { event.preventDefault(); if (runnable(state.check)) run(state, results); } },
    el("label", { for: "run-question" }, "Question"), el("div", { class: "run-row" }, question, el("button", { type: "submit", class: "primary" }, "Run")),
    el("span", { class: "check" }, automatic, el("label", { for: "run-automatic" }, "Run while editing")));
  question.addEventListener("input", debounced(600, () => {
    state.question = question.value.trim();
    notePlace("pipeline", { text: state.text, q: state.question, graph: state.graph });
    if (automatic.checked && state.question && runnable(state.check)) run(state, results);
  }));
  form.addEventListener("submit", () => { state.question = question.value.trim(); }, { capture: true });

  fill(view,
    el("div", { class: "page-top" }, el("h1", {}, "Pipeline"), el("label", { class: "start-from" }, "Start from ", choice)),
    el("div", { class: "editor" },
      el("section", { class: "panel", "aria-labelledby": "blocks-title" }, el("h2", { id: "blocks-title" }, "Blocks"), blocks.element,
        el("p", { class: "help" }, "Drag a block to move it, or onto another one to put both side by side. Keys: Alt with an arrow moves a block, Delete removes it.")),
      el("div", { class: "side" },
        el("section", { class: "panel", "aria-label": "Text" }, text.element, verdict,
          el("div", { class: "share" }, copyButton("Copy the text", () => state.text), copyButton("Copy a link", () => location.href),
            el("button", { type: "button", class: "quiet small", onclick: () => go("ask", { q: state.question, graph: state.graph, pipeline: state.text }) }, "Open in Ask"),
            el("button", { type: "button", class: "quiet small", onclick: () => go("compare", { q: state.question, graph: state.graph, pipeline: ["", state.text] }) }, "Compare with the default"))),
        el("section", { class: "panel", "aria-label": "Run" }, form, results))));
  text.set(inLines(state.text));
  await read({ pipeline: state.text });
}

/** Whether the server would run what was read. */
function runnable(check) {
  return Boolean(check?.ok && check.allowed && !check.missing.length);
}

function verdictOf(check, fromBlocks) {
  if (!check.ok) return fromBlocks ? "The blocks do not fit together yet; the text is that of the last ones that did." : "";
  if (check.missing.length) return `This graph does not give what it needs: ${check.missing.join(", ")}.`;
  if (!check.allowed) return `This server does not run it: ${check.reason}.`;
  const gives = { query: "seeds only", subgraph: "a subgraph", evidence: "evidence, but no answer", answer: "an answer" }[check.gives];
  return `It gives ${gives}${check.calls_model ? ", and asks a language model" : ""}.`;
}

async function run(state, results) {
  state.abort?.abort();
  const abort = new AbortController();
  state.abort = abort;
  if (!state.question) return;
  results.setAttribute("aria-busy", "true");
  if (!results.children.length) fill(results, working("Running …"));
  try {
    const route = state.check?.gives === "answer" ? "ask" : "retrieve";
    const found = await send(route, { question: state.question, graph: state.graph, pipeline: state.text }, { signal: abort.signal });
    showRun(state, results, found);
  } catch (error) {
    if (error.name !== "AbortError") fill(results, problem(error));
  } finally {
    if (state.abort === abort) results.removeAttribute("aria-busy");
  }
}

function showRun(state, results, found) {
  const read = readRun(found);
  const summary = summaryOf(read);
  const spent = cost(found.trace.stages);
  fill(results,
    el("p", { class: "run-summary", role: "status" }, el("strong", {}, summary), spent ? ` · ${spent}` : "", state.before && state.before !== summary ? el("span", { class: "muted" }, ` · before: ${state.before}`) : null),
    found.answers.length || found.withheld ? answerList(read, { choose: () => go("ask", { q: state.question, graph: state.graph, pipeline: state.text }), openCitation: async (citation, item) => (await import("./passage.js")).openPassage(state.graph, citation, item) }) : null,
    timeline(found.trace));
  state.before = summary;
}

function summaryOf({ run, answers, evidence }) {
  const what = answers.length || !evidence.length ? counted(answers.length, "answer") : `${counted(evidence.length, "item")} of evidence`;
  return `${what} in ${duration(run.trace.seconds)}`;
}
