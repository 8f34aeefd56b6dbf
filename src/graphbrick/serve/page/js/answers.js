// The answers of a run: each with the path or the passages that prove it, and what else was found.

import { cardView } from "./card.js";
import { codeText, counted, el, number } from "./dom.js";
import { areQuotes, fileName, passageText, quoteList, sectionWords } from "./quotes.js";

const SHOWN = 12;
const FACTS = 5; // facts of an answer that are shown

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
 * @param {object} options `choose(answer)` when an answer with a path is chosen; `openCitation(citation, item, quotes)` shows
 *   its place; `take(reading)` asks for a reading that is offered.
 */
export function answerList(read, { choose, openCitation, take }) {
  const { answers, run } = read;
  if (!answers.length) return el("div", {}, noAnswer(run), readingList(run.readings, take, isSmallTalk(run) ? "You can ask, for example" : undefined));
  // The confidence of quotations is that the documents hold an answer at all, not that the first one is it.
  const what = areQuotes(answers) ? "The documents are estimated to hold an answer" : "Estimated to be right";
  const sure = run.confidence === null || run.confidence === undefined ? null
    : el("p", { class: "muted" }, `${what} with a probability of ${Math.round(100 * run.confidence)} %.`);
  if (areQuotes(answers)) return el("div", {}, quoteList(answers, openCitation), sure, notes(run));
  const list = el("ol", { class: "answers" });
  const long = answers.length === 1 && answers[0].text.length > 160;
  const rows = answers.map((answer, index) => answerRow(answer, index, read, { choose, openCitation, long }));
  list.append(...rows.slice(0, SHOWN));
  const rest = rows.slice(SHOWN);
  const more = rest.length ? el("button", { type: "button", class: "quiet small", onclick: () => { list.append(...rest); more.remove(); rest[0].querySelector("button")?.focus(); } }, `Show ${counted(rest.length, "more answer")}`) : null;
  const [own, ...others] = run.readings || [];
  return el("div", {}, own?.about ? el("h3", { class: "namesake" }, own.about) : null, list, more, computed(answers), sure, notes(run), (own?.about ? others : []).map((one) => namesake(one, take)));
}

/** What was assumed, left out or not counted; the plan stands elsewhere. */
function notes(run) {
  const told = (run.notes || []).filter((note) => note.code !== "operators.plan").map((note) => note.text);
  const once = [...new Set(told)];
  if (!once.length) return null;
  return el("ul", { class: "told muted", "aria-label": "Notes" }, once.slice(0, FACTS).map((text) => el("li", {}, codeText(text))),
    once.length > FACTS ? el("li", {}, `and ${counted(once.length - FACTS, "more note")}, below`) : null);
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
      one.text, one.answers > 1 ? el("span", { class: "detail" }, ` ${counted(one.answers, "answer")}`) : null)))));
}

/** Whether nothing was asked, as in a greeting. */
function isSmallTalk(run) {
  return (run.refusal?.code || "").includes("small_talk");
}

function noAnswer(run) {
  const reason = run.refusal?.text;
  if (isSmallTalk(run)) return el("p", {}, reason);
  const title = run.withheld ? "No answer is sure enough" : (run.refusal?.code || "").endsWith(".nothing_fits") ? "None" : "No answer was found";
  return el("div", { class: "notice" }, el("strong", {}, title),
    reason ? el("p", {}, codeText(`${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? "" : "."}`)) : el("p", {}, "Look at where the search starts: another entity may help. The stages below say where it came to an end."));
}

function isPlan(item) {
  return item.columns?.join() === "answer,plan";
}

/** How answers were computed: each plan once, however many answers it gave. */
function computed(answers) {
  const plans = answers.flatMap(({ items, paths }) => (paths.length ? [] : items.filter(({ item }) => isPlan(item)).map(({ item }) => item.values?.[1] || item.text)));
  const once = [...new Set(plans)];
  if (!once.length) return null;
  return el("details", { class: "computed" }, el("summary", {}, "How it was computed"), el("ul", {}, once.slice(0, FACTS).map((plan) => el("li", {}, el("code", {}, plan)))));
}

function answerRow(answer, index, read, { choose, openCitation, long }) {
  const told = answer.items.find(({ item }) => item.card)?.item;
  if (told) return el("li", { "data-answer": index }, cardView(told.card, read.run.graph?.name, (citation, text) => openCitation(citation, { text })));
  const [path] = answer.paths;
  const others = answer.items.filter(({ path: own, item }) => !own && !isPlan(item)).map(({ item }) => item);
  const facts = others.filter(({ kind }) => kind === "property");
  const proofs = others.filter(({ kind }) => kind !== "property");
  const more = morePaths(answer);
  const body = [
    el("span", { class: `answer-text${long ? " long" : ""}` }, answer.text),
    path ? el("span", { class: "answer-path" }, pathLine(path, read.labels), more ? el("span", { class: "muted" }, more) : null) : null,
    facts.length ? el("span", { class: "answer-path muted" }, factLine(answer, facts)) : null,
  ];
  return el("li", { "data-answer": index },
    path ? el("button", { type: "button", class: "answer", "aria-pressed": "false", onclick: () => choose(index) }, body) : el("div", { class: "answer" }, body),
    proofs.length ? el("ul", { class: "proofs" }, proofs.slice(0, FACTS).map((item) => evidenceItem(item, null, read.labels, openCitation))) : null,
    answer.items.length ? null : el("p", { class: "muted" }, "Nothing that was found supports this answer; a language model gave it from its own knowledge."));
}

/** How many things an answer counts, which the server tells; 0 for an answer that is no count, such as a price. */
function countOf(answer) {
  return answer.items.find(({ item }) => isPlan(item))?.item.counted ?? 0;
}

/** How many are not shown: of a count, of all that it counts, whatever the number of paths; else of the paths. */
function morePaths(answer) {
  const count = countOf(answer);
  if (count) return count > 1 ? ` and ${number(count - 1)} more` : "";
  return answer.paths.length > 1 ? ` and ${counted(answer.paths.length - 1, "more path")}` : "";
}

/** Properties that support an answer, without its own name before each. */
function factLine(answer, facts) {
  const own = `${answer.text}: `;
  const texts = facts.map(({ text }) => (text.startsWith(own) ? text.slice(own.length) : text));
  const once = [...new Set(texts)];
  const shown = once.slice(0, FACTS);
  const more = Math.max(once.length, countOf(answer)) - shown.length; // of what many are counted by, the first are sent
  return `${shown.join(" · ")}${more > 0 ? ` · and ${number(more)} more` : ""}`;
}

/** One item of evidence of any kind, with the places it was taken from. */
export function evidenceItem(item, path, labels, openCitation) {
  const text = path ? pathLine(path, labels) : item.kind === "passage" ? passageText(item.text, item.citations?.[0]?.document) : el("span", {}, item.text);
  const citations = (item.citations || []).map((citation) => citationButton(citation, () => openCitation(citation, item)));
  return el("li", { class: "evidence" }, text, citations.length ? el("span", { class: "citations" }, citations) : null);
}

function citationButton(citation, open) {
  if (citation.query) {
    return el("details", {}, el("summary", {}, "The query behind it"), el("pre", {}, citation.query));
  }
  return el("button", { type: "button", class: "citation", onclick: open }, fileName(citation.document),
    citation.section ? el("span", { class: "detail" }, ` › ${sectionWords(citation.section)}`) : null);
}

/** All evidence, folded: what the last ranking stage left, best first. */
export function evidenceList(read, openCitation) {
  const { evidence } = read;
  if (!evidence.length) return null;
  const list = el("ol", { class: "evidence-list" });
  const details = el("details", { class: "panel" }, el("summary", {}, `All evidence (${number(evidence.length)}), best first`), list);
  // Built when it is first opened: there may be thousands.
  details.addEventListener("toggle", () => {
    if (details.open && !list.children.length) {
      list.append(...evidence.slice(0, 200).map(({ item, path }) => evidenceItem(item, path, read.labels, openCitation)));
      if (evidence.length > 200) details.append(el("p", { class: "muted" }, `The first 200 of ${number(evidence.length)}; the JSON has all.`));
    }
  });
  return details;
}
