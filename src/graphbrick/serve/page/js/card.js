// The card of an entity: what it is, its properties, its relations with counts, and passages that mention it.

import { el, number } from "./dom.js";
import { go } from "./place.js";
import { propertyTable } from "./properties.js";
import { fileName, passageText } from "./quotes.js";

const LONGEST = 400; // letters of a passage

/** Name, types, description, other names and properties of an entity. */
export function cardHead(card) {
  return [
    el("h2", {}, card.label),
    el("p", { class: "types" }, (card.types || []).map((type) => el("span", { class: "tag" }, type)), " ",
      card.apart ? el("span", { class: "muted" }, `${card.apart} `) : null, el("code", { class: "muted" }, card.key)),
    card.description ? el("p", {}, card.description) : null,
    card.aliases?.length ? el("p", { class: "muted" }, `Also ${card.aliases.slice(0, 8).join(", ")}${card.aliases.length > 8 ? ", …" : ""}`) : null,
    propertyTable(card),
  ];
}

/** The passages of documents that mention an entity; `open(citation, text)` shows the place of one. */
export function cardPassages(card, open) {
  if (!card.passages?.length) return null;
  return el("ul", { class: "card-passages" }, card.passages.map(({ text, document, title, section, start, end }) => el("li", {},
    passageText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text, document),
    open ? el("button", { type: "button", class: "citation", onclick: () => open({ document, section, start, end }, text) }, title || fileName(document)) : el("span", { class: "muted" }, title || fileName(document)))));
}

/** The whole card, whose neighbours lead to their page. */
export function cardView(card, graph, open) {
  const link = ({ key, label }) => el("button", { type: "button", class: "quiet small", onclick: () => go("graph", { entity: key, graph }) }, label);
  const row = ({ name, direction, count, is_cut: isCut, best }) => el("tr", {},
    el("th", { scope: "row" }, el("span", { "aria-hidden": "true" }, direction === "out" ? "→ " : "← "), direction === "out" ? name : `${name} (of it)`),
    el("td", {}, best.map(link), count > best.length ? el("span", { class: "muted" }, `${number(count)}${isCut ? " or more" : ""} in all`) : null));
  const relations = (card.relations || []).filter(({ is_value: isValue, label }) => !(isValue && label in card.properties));
  return el("article", { class: "card" }, cardHead(card),
    relations.length ? el("table", { class: "properties card-relations" }, el("caption", { class: "hidden" }, "Relations"), el("tbody", {}, relations.map(row))) : null,
    cardPassages(card, open),
    el("p", {}, el("button", { type: "button", class: "quiet small", onclick: () => go("graph", { entity: card.key, graph }) }, "Open in the graph")));
}
