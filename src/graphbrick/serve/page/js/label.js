// The page on which people label answers for a judge: one answer at a time, by keys or buttons, written at once.

import { get, send } from "./api.js";
import { announce, el, fill, newId, number, problem } from "./dom.js";
import { notePlace } from "./place.js";

const VALUES = [["1", "Yes", "1"], ["0", "No", "0"], ["skip", "Skip", "S"]];

/** Show the page; returns what ends it. */
export function show(main, values, workbench) {
  if (!workbench.labels) {
    fill(main, el("h1", {}, "Label"), howTo());
    return null;
  }
  const view = el("div", { class: "label-page" });
  const state = { info: null, row: Number(values.get("row")) || 0, asked: 0, active: 0, case: null };
  fill(main, view);
  const onKey = (event) => key(event, state, view);
  document.addEventListener("keydown", onKey);
  begin(state, view, values.has("row")).catch((error) => fill(view, problem(error)));
  return () => document.removeEventListener("keydown", onKey);
}

function howTo() {
  return el("section", { class: "panel prose" },
    el("p", {}, "Labels by people tell how far a judge can be trusted. Draw some answers of a study, and serve them:"),
    el("pre", {}, "graphbrick judge sample runs.sqlite --out labels.csv\ngraphbrick serve films.graph --labels labels.csv"));
}

async function begin(state, view, isNamed) {
  state.info = await get("labels");
  // Goes on where the labeller stopped.
  if (!isNamed) state.row = Math.max(0, firstOpen(state, 0));
  await open(state, view, state.row);
}

function rows({ info }) {
  return info.values.length / info.labels.length;
}

function valueAt({ info }, row, label) {
  return info.values[row * info.labels.length + label];
}

/** The first row from a place on that has an empty label, or -1. */
function firstOpen(state, from) {
  const count = state.info.labels.length;
  const index = state.info.values.findIndex((value, i) => value === "" && i >= from * count);
  return index < 0 ? -1 : Math.floor(index / count);
}

async function open(state, view, row) {
  const last = rows(state) - 1;
  const wanted = Math.min(Math.max(row, 0), last);
  state.asked = wanted;
  const found = await get("labelCase", { query: { row: wanted } });
  if (state.asked !== wanted) return; // the labeller went further meanwhile
  // Row and case change together: until now, keys were meant for the answer that is seen.
  state.row = wanted;
  state.case = found;
  state.active = Math.max(0, state.info.labels.findIndex((_, i) => valueAt(state, wanted, i) === ""));
  notePlace("label", { row: wanted });
  draw(state, view);
  announce(`Answer ${wanted + 1} of ${last + 1}: ${found.question}`);
}

function draw(state, view) {
  const { info, case: one } = state;
  const given = info.values.filter((value) => value !== "").length;
  const turn = (label, row, off) => el("button", { type: "button", class: "small", disabled: off, onclick: () => open(state, view, row).catch((error) => fill(view, problem(error))) }, label);
  fill(view,
    el("div", { class: "page-top" }, el("h1", {}, "Label"), el("p", { class: "muted" }, `${number(given)} of ${number(info.values.length)} labels are given, in ${info.file}`)),
    el("progress", { max: info.values.length, value: given, "aria-label": "Labels given" }),
    el("div", { class: "label-columns" },
      el("article", { class: "panel label-case", "aria-label": "Answer to label" },
        el("h2", { class: "kicker" }, "Question"), el("p", { class: "label-question" }, one.question),
        el("h2", { class: "kicker" }, "Answer"), el("p", { class: "label-answer" }, one.answer || el("em", {}, "no answer")),
        one.gold ? [el("h2", { class: "kicker" }, "Correct answers"), el("p", { class: "passage" }, one.gold)] : null,
        el("h2", { class: "kicker" }, "Evidence"),
        one.evidence.length ? el("ol", { class: "label-evidence" }, one.evidence.map((text) => el("li", { class: "passage" }, text))) : el("p", { class: "muted" }, "none")),
      el("div", { class: "panel label-panel" },
        info.labels.map((label, i) => labelRow(state, view, label, i)),
        el("div", { class: "turn" }, turn("← Before", state.row - 1, state.row === 0), el("span", { class: "muted" }, `${number(state.row + 1)} of ${number(rows(state))}`), turn("Next →", state.row + 1, state.row + 1 >= rows(state))),
        el("p", { class: "help" }, "Keys: 1 yes, 0 no, S skip, Backspace takes a label back, up and down change the label, left and right the answer."))));
}

function labelRow(state, view, label, index) {
  const now = valueAt(state, state.row, index);
  const id = newId("label");
  return el("div", { role: "group", "aria-labelledby": id, class: `label-choice${index === state.active ? " active" : ""}`, "data-label": label.name },
    el("h2", { id }, label.title), el("p", { class: "muted" }, `${label.meaning.charAt(0).toUpperCase()}${label.meaning.slice(1)}`),
    el("div", { class: "label-values" }, VALUES.map(([value, text, shortcut]) => el("button", { type: "button", "aria-pressed": String(now === value), onclick: () => give(state, view, index, now === value ? "" : value) }, text, el("kbd", {}, shortcut)))));
}

/** Write a label, and go to the next one that is open. */
async function give(state, view, index, value) {
  const { row, case: one } = state;
  const label = state.info.labels[index];
  const at = row * state.info.labels.length + index;
  const before = state.info.values[at];
  state.info.values[at] = value;
  state.active = value === "" ? index : Math.min(index + 1, state.info.labels.length - 1);
  draw(state, view);
  try {
    await send("labels", { id: one.id, label: label.name, value }, { method: "PUT" });
    announce(`${label.title}: ${value === "" ? "taken back" : { 1: "yes", 0: "no", skip: "skipped" }[value]}`);
    const isDone = state.info.labels.every((_, i) => valueAt(state, row, i) !== "");
    const next = isDone && before === "" && state.row === row ? firstOpen(state, row) : -1;
    if (next > row) await open(state, view, next);
  } catch (error) {
    state.info.values[at] = before;
    draw(state, view);
    view.prepend(problem(error));
  }
}

function key(event, state, view) {
  if (!state.case || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
  const value = { 1: "1", 0: "0", s: "skip", S: "skip", Backspace: "" }[event.key];
  if (value !== undefined) {
    event.preventDefault();
    give(state, view, state.active, value);
  } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    event.preventDefault();
    open(state, view, state.row + (event.key === "ArrowRight" ? 1 : -1)).catch((error) => fill(view, problem(error)));
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    event.preventDefault();
    const count = state.info.labels.length;
    state.active = (state.active + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
    draw(state, view);
  }
}
