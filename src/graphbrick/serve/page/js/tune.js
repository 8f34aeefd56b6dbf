// The page that shows what searches for pipelines found: a pipeline for each aim, quality against time, what each
// choice brings. The figures are those of questions that chose nothing.

import { get } from "./api.js";
import { inLines } from "./bricks.js";
import { copyButton, counted, duration, el, fill, number, problem, working } from "./dom.js";
import { paretoPlot } from "./pareto.js";
import { go, notePlace } from "./place.js";
import { percent, share } from "./shares.js";

const METRICS = { hits_at_1: "Hits@1", hit: "Hit", f1: "F1", exact_match: "Exact match" };

/** Show the page; returns what ends it. */
export function show(main, values, workbench) {
  const state = { graph: workbench.graphOf(values).name, ended: false };
  const body = el("div", { class: "tuned" });
  const top = el("div", { class: "side-top" });
  fill(main, el("div", { class: "tune-page" }, el("div", { class: "page-top" }, el("h1", {}, "Tune"), top), body));
  begin(state, top, body, values.get("search")).catch((error) => fill(body, problem(error)));
  return () => { state.ended = true; };
}

async function begin(state, top, body, named) {
  const { tunings } = await get("tunings");
  if (state.ended) return;
  if (!tunings.length) {
    fill(body, el("section", { class: "panel" }, el("p", { class: "muted" }, "A search finds the best pipeline for a graph and an aim. Make one with ",
      el("code", {}, "graphbrick tune"), " and start the server with ", el("code", {}, "--tuned FOLDER"), " to see it here.")));
    return;
  }
  const choice = el("select", { id: "search", onchange: () => open(state, body, choice.value) }, tunings.map(({ name, problem: reason }) => (
    el("option", { value: name, disabled: Boolean(reason) }, reason ? `${name} (${reason})` : name))));
  fill(top, el("label", { class: "start-from", for: "search" }, "Search "), choice);
  const usable = tunings.filter(({ problem: reason }) => !reason);
  if (!usable.length) {
    fill(body, tunings.map(({ problem: reason }) => problem(new Error(reason))));
    return;
  }
  choice.value = (usable.find(({ name }) => name === named) || usable[0]).name;
  await open(state, body, choice.value);
}

async function open(state, body, name) {
  notePlace("tune", { graph: state.graph, search: name });
  fill(body, working("Reading the search …"));
  try {
    const found = await get("tuning", { parts: { name } });
    if (!state.ended) draw(state, body, found);
  } catch (error) {
    fill(body, problem(error));
  }
}

function draw(state, body, found) {
  const metric = METRICS[found.metric] || found.metric;
  const measured = new Map(found.measured.map((one) => [one.name, one]));
  const runs = found.measured.map((one) => ({ name: one.name, means: { [found.metric]: { all: one.quality } }, milliseconds: { median: 1000 * one.figures.seconds } }));
  fill(body,
    el("p", { class: "muted" }, `${counted(found.tried, "pipeline")} of ${number(found.size)} ${found.tried === 1 ? "was" : "were"} tried in ${found.seconds < 120 ? duration(found.seconds) : `${number(Math.round(found.seconds / 60))} minutes`} on ${counted(found.choosing, "question")}; the figures are of ${number(found.final)} others.`),
    found.notes.length ? el("ul", { class: "notice tune-notes" }, found.notes.map((note) => el("li", {}, note))) : null,
    el("h2", {}, "Recommended"),
    el("div", { class: "tune-aims" }, found.recommended.map((one) => aim(state, one, measured.get(one.name), metric))),
    el("section", { class: "panel" }, paretoPlot(runs, found.metric, metric), table(state, found, metric)),
    effects(state, found), rules(found), bricks(found));
}

/** What the pipelines tried say of bricks, in sentences. */
function rules(found) {
  if (!found.rules.length) return null;
  return el("section", { class: "panel", "aria-labelledby": "rules-title" }, el("h2", { id: "rules-title" }, "Rules of thumb"),
    el("ul", { class: "tune-effects" }, found.rules.map((rule) => el("li", {}, rule))));
}

/** The pipeline for an aim, with its figures and what to do with it. */
function aim(state, one, figures, metric) {
  return el("section", { class: "panel", "aria-label": `Best for ${one.aim}` },
    el("h3", {}, one.aim === "quality" ? "Best quality" : `Best with ${one.aim}`),
    el("p", { class: "run-summary" }, el("strong", {}, one.name), figures ? ` · ${metric} ${percent(figures.quality.mean)} (${percent(figures.quality.low)} to ${percent(figures.quality.high)}) · ${duration(figures.figures.seconds)}${figures.figures.tokens ? ` · ${number(figures.figures.tokens, 0)} tokens` : ""}` : ""),
    one.kept ? null : el("p", { class: "notice" }, "It does not keep this limit on the other questions; see the notes above."),
    el("pre", { class: "tune-recipe", tabindex: 0 }, inLines(one.text)),
    el("div", { class: "entity-actions" },
      use(state, one.text, `Use this: best for ${one.aim}`, "Use this", "primary"),
      copyButton("Copy", one.text)));
}

function use(state, text, label, words = "Use", kind = "small") {
  return el("button", { type: "button", class: kind, "aria-label": label, onclick: () => go("pipeline", { graph: state.graph, text }) }, words);
}

function table(state, found, metric) {
  const p = new Map(found.comparisons.map((row) => [row.first, row.p_holm]));
  const names = ["Pipeline", metric, "Choosing", "Median", "95 %", "Tokens", "Cost", `p against ${found.baseline}`, ""];
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table" }, el("table", { class: "plain figures" },
    el("caption", {}, "Best first; shares of the other questions with 95 % intervals, and on the questions to choose by"),
    el("thead", {}, el("tr", {}, names.map((name) => (name ? el("th", { scope: "col" }, name) : el("td", {}))))),
    el("tbody", {}, found.measured.map((one) => el("tr", {},
      el("th", { scope: "row" }, one.name, one.front ? [" ", el("span", { class: "tag" }, "front")] : null, el("code", { class: "recipe-of-run" }, one.text)),
      share(one.quality), el("td", { class: "number" }, percent(one.chosen.quality)),
      el("td", { class: "number" }, duration(one.figures.seconds)), el("td", { class: "number" }, duration(one.seconds_95)),
      el("td", { class: "number" }, number(one.figures.tokens, 0)), el("td", { class: "number" }, one.figures.usd ? `$${one.figures.usd.toPrecision(2)}` : "–"),
      el("td", { class: "number" }, p.has(one.name) ? chance(p.get(one.name)) : "–"),
      el("td", {}, use(state, one.text, `Use ${one.name}`)))))));
}

function chance(p) {
  return p === null ? "–" : p < 0.001 ? "under 0.001" : p.toFixed(3);
}

/** What changing one choice of the recommended pipelines does. */
function effects(state, found) {
  if (!found.effects.length) return null;
  const names = [...new Set(found.effects.map(({ of }) => of))];
  return el("section", { class: "panel", "aria-labelledby": "effects-title" }, el("h2", { id: "effects-title" }, "What each choice brings"),
    el("p", { class: "muted" }, "Each recommended pipeline with one choice changed."),
    names.map((of) => el("section", { class: "inner-section" }, el("h3", {}, of),
      el("ul", { class: "tune-effects" }, found.effects.filter((one) => one.of === of).map((one) => el("li", {},
        el("span", { class: one.p < 0.05 ? "" : "muted" }, one.words), " ", use(state, one.text, `Use ${of} ${one.what}`)))))));
}

function bricks(found) {
  const kinds = [...new Set(found.bricks.map(({ kind }) => kind))];
  if (!kinds.length) return null;
  return el("details", { class: "panel" }, el("summary", {}, `The best pipeline with each brick (${number(found.bricks.length)})`), el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table" }, el("table", { class: "plain" },
    el("thead", {}, el("tr", {}, ["Kind", "Brick", "Pipelines tried", "Best, choosing", "Its median time"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, found.bricks.map((one) => el("tr", {}, el("td", {}, one.kind), el("th", { scope: "row" }, one.brick),
      el("td", { class: "number" }, number(one.tried)), el("td", { class: "number" }, percent(one.best)), el("td", { class: "number" }, duration(one.seconds))))))));
}
