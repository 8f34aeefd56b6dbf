// The answers of a run: each with the path or the passages that prove it, and what else was found.

import { cardView } from "./card.js";
import { brickName } from "./run.js";
import { el, number } from "./dom.js";

const SHOWN = 12;

/** A path as a line of entities and relations, in the order of the walk. */
export function pathLine(path, labels) {
  const parts = [el("span", { class: "station" }, labels.get(path.stations[0]) || path.stations[0])];
  for (const hop of path.hops) {
    const arrow = hop.forward ? ["—", "→"] : ["←", "—"];
    parts.push(" ", el("span", { class: "relation" },
      el("span", { "aria-hidden": "true" }, arrow[0]), ` ${hop.relation} `, el("span", { "aria-hidden": "true" }, arrow[1])), " ",
    el("span", { class: "station" }, labels.get(hop.to) || hop.to));
  }
  return el("span", { class: "path-line" }, parts);
}

/**
 * The list of answers.
 *
 * @param {object} read as of `readRun`.
 * @param {object} options `choose(answer)` when an answer with a path is chosen; `openCitation(citation, item)` shows its
 *   place; `take(reading)` asks for a reading that is offered.
 */
export function answerList(read, { choose, openCitation, take }) {
  const { answers, run } = read;
  if (!answers.length) return el("div", {}, noAnswer(run), readingList(run.readings, take, isSmallTalk(run) ? "You can ask, for example" : undefined));
  const list = el("ol", { class: "answers" });
  const long = answers.length === 1 && answers[0].text.length > 160;
  const rows = answers.map((answer, index) => answerRow(answer, index, read, { choose, openCitation, long }));
  list.append(...rows.slice(0, SHOWN));
  const rest = rows.slice(SHOWN);
  const more = rest.length ? el("button", { type: "button", class: "quiet small", onclick: () => { list.append(...rest); more.remove(); rest[0].querySelector("button")?.focus(); } }, `Show ${number(rest.length)} more answers`) : null;
  const sure = run.confidence === null || run.confidence === undefined ? null
    : el("p", { class: "muted" }, `Estimated to be right with a probability of ${Math.round(100 * run.confidence)} %.`);
  const [own, ...others] = run.readings || [];
  return el("div", {}, own ? el("h3", { class: "namesake" }, own.about) : null, list, more, sure, others.map((one) => namesake(one, take)));
}

/** The answers for another entity of a name in the question. */
function namesake(reading, take) {
  const more = reading.answers - reading.texts.length;
  return el("section", { class: "namesake" }, el("h3", {}, reading.about),
    el("ol", { class: "answers" }, reading.texts.map((text) => el("li", {}, el("div", { class: "answer" }, el("span", { class: "answer-text" }, text))))),
    more > 0 ? el("p", { class: "muted" }, `and ${number(more)} more`) : null,
    el("button", { type: "button", class: "quiet small", onclick: () => take(reading) }, "Show how these were found"));
}

/** Readings that may be meant, as buttons that ask for them. */
export function readingList(readings, take, title = "Did you mean") {
  if (!readings?.length) return null;
  return el("section", { class: "readings", "aria-labelledby": "readings" }, el("h3", { id: "readings" }, title),
    el("ul", {}, readings.map((one) => el("li", {}, el("button", { type: "button", class: "example", onclick: () => take(one) },
      one.text, one.answers > 1 ? el("span", { class: "detail" }, ` ${number(one.answers)} answers`) : null)))));
}

/** Whether nothing was asked, as in a greeting. */
function isSmallTalk(run) {
  return (run.refusal?.code || "").includes("small_talk");
}

function noAnswer(run) {
  const reason = run.refusal?.text;
  if (isSmallTalk(run)) return el("p", {}, reason);
  return el("div", { class: "notice" }, el("strong", {}, run.withheld ? "No answer is sure enough" : "No answer was found"),
    reason ? el("p", {}, `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`) : el("p", {}, "Look at where the search starts: another entity may help. The stages below say where it came to an end."));
}

function answerRow(answer, index, read, { choose, openCitation, long }) {
  const told = answer.items.find(({ item }) => item.card)?.item;
  if (told) return el("li", { "data-answer": index }, cardView(told.card, read.run.graph?.name, (citation) => openCitation(citation, told)));
  const [path] = answer.paths;
  const others = answer.items.filter(({ path: own, item }) => !own && !(path && item.columns?.join() === "answer,plan")).map(({ item }) => item);
  const more = answer.paths.length > 1 ? ` and ${answer.paths.length - 1} more path${answer.paths.length > 2 ? "s" : ""}` : "";
  const body = [
    el("span", { class: `answer-text${long ? " long" : ""}` }, answer.text),
    path ? el("span", { class: "answer-path" }, pathLine(path, read.labels), more ? el("span", { class: "muted" }, more) : null) : null,
  ];
  return el("li", { "data-answer": index },
    path ? el("button", { type: "button", class: "answer", "aria-pressed": "false", onclick: () => choose(index) }, body) : el("div", { class: "answer" }, body),
    others.length ? el("ul", { class: "proofs" }, others.slice(0, 5).map((item) => evidenceItem(item, null, read.labels, openCitation))) : null,
    answer.items.length ? null : el("p", { class: "muted" }, "Nothing that was found supports this answer; a language model gave it from its own knowledge."));
}

/** One item of evidence of any kind, with its score and the places it was taken from. */
export function evidenceItem(item, path, labels, openCitation) {
  const text = path ? pathLine(path, labels) : el("span", { class: item.kind === "passage" ? "passage" : "" }, item.text);
  const citations = (item.citations || []).map((citation) => citationButton(citation, () => openCitation(citation, item)));
  const score = item.score ? number(item.score, 3) : ""; // what is not ranked, such as a value, has 0
  return el("li", { class: "evidence" }, el("span", { class: "score", title: score && `Score, from ${brickName(item.source || "")}` }, score),
    el("span", {}, text, citations.length ? el("span", { class: "citations" }, citations) : null));
}

function citationButton(citation, open) {
  if (citation.query) {
    return el("details", {}, el("summary", {}, "The query behind it"), el("pre", {}, citation.query));
  }
  const name = citation.document.split("/").pop() || citation.document;
  return el("button", { type: "button", class: "citation", onclick: open }, name,
    citation.section ? el("span", { class: "detail" }, ` › ${citation.section}`) : null);
}

/** All evidence, folded: what the last ranking stage left, best first. */
export function evidenceList(read, openCitation) {
  const { evidence } = read;
  if (!evidence.length) return null;
  const list = el("ol", { class: "evidence-list" });
  const details = el("details", { class: "panel" }, el("summary", {}, `All evidence (${number(evidence.length)})`), list);
  // Built when it is first opened: there may be thousands.
  details.addEventListener("toggle", () => {
    if (details.open && !list.children.length) {
      list.append(...evidence.slice(0, 200).map(({ item, path }) => evidenceItem(item, path, read.labels, openCitation)));
      if (evidence.length > 200) details.append(el("p", { class: "muted" }, `The first 200 of ${number(evidence.length)}; the JSON has all.`));
    }
  });
  return details;
}
