// Answers that are sentences of documents: each with its place, and below them every passage once, with what was quoted
// marked in it.

import { el, newId, put } from "./dom.js";
import { rendered } from "./markdown.js";

/** The name of a document as people say it: its file. */
export function fileName(document) {
  return document.split("/").pop() || document;
}

/** Offsets that count characters, as the server does, as those of a text here. */
export function offsets(text, [start, end]) {
  if (!/[\uD800-\uDFFF]/.test(text)) return [start, end];
  const letters = [...text];
  return [letters.slice(0, start).join("").length, letters.slice(0, end).join("").length];
}

/** The sections of a passage in words. */
export function sectionWords(section) {
  return (section || "").replaceAll(" > ", " › ");
}

/** A passage as it is read: its plain text at once, then with the marks of its document. */
export function passageText(text, document = "", quotes = []) {
  const frame = el("div", { class: "passage-text" }, el("p", { class: "passage" }, text));
  rendered(text, { name: document, quotes }).then((body) => frame.replaceChildren(body)).catch((error) => console.warn("a passage is shown as plain text, without marks:", error));
  return frame;
}

/** The only passage that an answer is quoted from; null if it is an answer of another kind. */
function passageOf({ items }) {
  return items.length === 1 && items[0].item.kind === "passage" ? items[0].item : null;
}

/** Whether all answers are quoted from passages. */
export function areQuotes(answers) {
  return answers.length > 0 && answers.every((answer) => answer.mark && passageOf(answer));
}

/** The answers and their passages; `open(citation, item, quotes)` shows a place in its document. */
export function quoteList(answers, open) {
  const passages = new Map(); // identity to the passage and the answers from it
  for (const [i, answer] of answers.entries()) {
    const item = passageOf(answer);
    const id = JSON.stringify([item.citations?.[0]?.document, item.citations?.[0]?.start, item.text]);
    if (!passages.has(id)) passages.set(id, { item, id: newId("passage"), quotes: [] });
    answer.quote = [...offsets(item.text, answer.mark), `Answer ${i + 1}`];
    answer.passage = passages.get(id);
    answer.passage.quotes.push(answer.quote);
  }
  const row = (answer, i) => {
    const { item, id } = answer.passage;
    const [citation] = item.citations || [];
    return el("li", { "data-answer": i }, el("div", { class: "answer" }, el("span", { class: "answer-text" }, answer.text)),
      citation ? el("div", { class: "proofs" }, el("button", { type: "button", class: "citation", "aria-describedby": id, onclick: () => open(citation, item, [answer.quote]) }, fileName(citation.document),
        citation.section ? el("span", { class: "detail" }, ` › ${sectionWords(citation.section)}`) : null)) : null);
  };
  const cards = [...passages.values()].map(({ item, id, quotes }) => {
    const [citation] = item.citations || [];
    const frame = passageText(item.text, citation?.document, quotes);
    return el("li", { class: "passage-card", id },
      citation ? el("p", { class: "section" }, fileName(citation.document), citation.section ? ` › ${sectionWords(citation.section)}` : "") : null, frame);
  });
  const section = el("section", { class: "quoted", "aria-label": "Passages" }, el("h3", {}, cards.length === 1 ? "Where it stands" : "Where they stand"), el("ol", { class: "passage-cards" }, cards));
  return put(el("div", {}), el("ol", { class: "answers" }, answers.map(row)), section);
}
