// The stages of a run as a timeline: what went in and came out, how long it took, what it cost, and what happened.

import { brickName } from "./run.js";
import { codeText, counted, counts, duration, el, number } from "./dom.js";

const KINDS = {
  link: "Link", extract: "Extract", expand: "Expand", prune: "Prune", retrieve: "Retrieve", rerank: "Rerank",
  generate: "Generate", union: "Union", repeat: "Repeat", step: "Step", tool: "Tool",
};

/** Show the trace of a run. */
export function timeline(trace) {
  const whole = trace.stages.reduce((sum, stage) => sum + stage.seconds, 0) || 1;
  let start = 0;
  const rows = trace.stages.map((stage) => {
    const row = stageRow(stage, start / whole, stage.seconds / whole);
    start += stage.seconds;
    return row;
  });
  return el("ol", { class: "timeline" }, rows);
}

/** One stage, such as it ends while a question runs; `from` and `share` of the whole time, from 0 to 1. */
export function stageRow(stage, from = 0, share = 0) {
  const bar = el("span", { class: "bar", "aria-hidden": "true" }, el("span", {}));
  bar.firstChild.style.marginInlineStart = `${100 * from}%`;
  bar.firstChild.style.width = `${Math.max(100 * share, 0.6)}%`;
  const all = [...inside(stage)];
  const spent = cost(stage.children?.length ? all : [stage]);
  return el("li", { class: "stage", "data-kind": stage.kind },
    el("span", { class: "kind" }, KINDS[stage.kind] || stage.kind),
    el("span", { class: "what" }, el("strong", {}, stage.stage === "seeds" ? "Chosen start" : brickName(stage.stage)), " ",
      el("span", { class: "muted" }, change(stage))),
    el("span", { class: "spent" }, spent ? `${spent} · ` : "", el("span", { class: "time" }, duration(stage.seconds))),
    bar,
    eventList(stage),
    detail(stage));
}

/** A stage that is still to come. */
export function waitingRow(stage) {
  return el("li", { class: "stage waiting", "data-kind": stage.kind }, el("span", { class: "kind" }, KINDS[stage.kind] || stage.kind),
    el("span", { class: "what" }, el("strong", {}, stage.kind === "union" ? "Union" : brickName(stage.stage))), el("span", { class: "spent" }, "…"));
}

function* inside(stage) {
  yield stage;
  for (const child of stage.children || []) yield* inside(child);
}

function change(stage) {
  const [before, after] = [counts(stage.counts_in || {}), counts(stage.counts_out || {})];
  return before && after ? `${before} → ${after}` : before || after;
}

/** Whether a language model was asked; the models of this machine that compare texts write nothing. */
function asksModel(stage) {
  return Boolean(stage.tokens_out || stage.cost || stage.exchanges?.length);
}

/** Calls, tokens and dollars of language models in some stages in words; empty if none was asked. */
export function cost(all) {
  const stages = all.filter(asksModel);
  const sum = (name) => stages.reduce((total, stage) => total + (stage[name] || 0), 0);
  const [calls, tokens, dollars] = [sum("calls"), sum("tokens_in") + sum("tokens_out"), sum("cost")];
  const parts = [];
  if (calls) parts.push(counted(calls, "model call"));
  if (tokens) parts.push(`${sum("estimated") ? "about " : ""}${number(tokens)} tokens`);
  if (dollars) parts.push(`$${dollars < 0.01 ? dollars.toPrecision(2) : dollars.toFixed(2)}`);
  return parts.join(" · ");
}

function eventList(stage) {
  const events = stage.events || [];
  return events.length ? el("ul", { class: "events" }, events.map((text) => el("li", {}, codeText(text)))) : null;
}

function detail(stage) {
  const facts = Object.entries(stage.facts || {});
  const exchanges = stage.exchanges || [];
  const children = stage.children || [];
  const text = el("code", { class: "recipe-line" }, stage.stage);
  return el("details", {}, el("summary", {}, children.length ? `Details and ${counted(children.length, "step")}` : "Details"), text,
    facts.length ? el("p", { class: "muted" }, facts.map(([name, value]) => `${name.replaceAll("_", " ")}: ${number(value, 4)}`).join(" · ")) : null,
    stage.cache_hits ? el("p", { class: "muted" }, `${counted(stage.cache_hits, "result")} kept from before`) : null,
    exchanges.map(exchange),
    children.length ? el("ol", { class: "timeline inner" }, children.map((child) => stageRow(child, 0, child.seconds / (stage.seconds || 1)))) : null);
}

function exchange(one) {
  return el("details", { class: "exchange" },
    el("summary", {}, `${one.model}: ${number(one.tokens_in)} tokens in, ${number(one.tokens_out)} out${one.cached ? ", a kept reply" : ""}`),
    one.messages.map((message) => el("div", { class: "message" }, el("span", { class: "kind" }, message.role), el("pre", {}, asText(message.content)))),
    el("div", { class: "message" }, el("span", { class: "kind" }, "reply"), el("pre", {}, one.reply || asText(one.tool_calls))));
}

function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}
