// What was asked before, with its answers: one click asks it again.

import { announce, el, fill, number } from "./dom.js";
import { forget, MOST, questions, startAnew } from "./history.js";
import { go } from "./place.js";

const SHOWN = 8;

/**
 * Show the questions asked before.
 *
 * @param {Element} place where they are shown.
 * @param {object} options `current`, the question whose answers are above; `graphs`, the names of those there are;
 *   `again()` draws them anew.
 */
export function earlierQuestions(place, { current, graphs, again }) {
  const list = questions().filter(({ question, graph }) => question !== current && graphs.includes(graph));
  if (!list.length) {
    fill(place);
    return;
  }
  const row = (one) => el("li", { class: "earlier" },
    el("button", { type: "button", class: "example", onclick: () => go("ask", { q: one.question, graph: one.graph, in: one.among, pipeline: one.pipeline, seed: one.seeds }) },
      el("span", { class: "earlier-question" }, one.question), el("span", { class: "detail" }, answersOf(one))),
    el("button", { type: "button", class: "quiet icon", "aria-label": `Forget: ${one.question}`, title: "Forget it", onclick: () => { forget(one.when); again(); } }, "×"));
  const rest = list.slice(SHOWN);
  const rows = el("ul", {}, list.slice(0, SHOWN).map(row));
  fill(place, el("section", { class: "earlier-questions", "aria-labelledby": "earlier" },
    el("div", { class: "side-top" }, el("h2", { id: "earlier" }, "Asked before"),
      el("button", { type: "button", class: "quiet small", title: "Questions from now on speak of none before", onclick: () => { startAnew(); announce("A new conversation begins"); go("ask", {}); } }, "New conversation"),
      el("button", { type: "button", class: "quiet small", onclick: () => { forget(); announce("The history is cleared"); again(); } }, "Clear history")),
    rows,
    rest.length ? el("details", {}, el("summary", {}, `${number(rest.length)} more`), el("ul", {}, rest.map(row))) : null,
    el("p", { class: "muted" }, `The newest ${MOST} are kept, in this browser only.`)));
}

function answersOf({ answers, count, graph, among }) {
  const more = count - answers.length;
  const where = among ? "several graphs" : graph;
  return ` ${answers.length ? `${answers.join(", ")}${more > 0 ? ` and ${number(more)} more` : ""}` : "no answer"} · ${where}`;
}
