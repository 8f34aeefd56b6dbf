// Browsing by type and value: the entities of a type, those with the most triples first, and the values they share.

import { get } from "./api.js";
import { counted, el, fill, number, problem, working } from "./dom.js";
import { propertyLine } from "./properties.js";

const PAGE = 25;
const VALUES = 6; // values of a property that are shown at once

/**
 * Show the entities of a type.
 *
 * @param {Element} element where they are shown.
 * @param {object} options `graph`, its name; `type`; `property` and `value`, which they share; `open(key)` opens an entity;
 *   `change(place)` notes the address; `back()` leads to all types.
 */
export async function browse(element, { graph, type, property = "", value = "", open, change, back }) {
  const again = (more) => browse(element, { graph, type, open, change, back, ...more });
  change({ type, property, value });
  fill(element, el("h2", {}, type || "All entities"), working("Reading …"));
  let page;
  try {
    page = await get("browse", { query: { graph, type, property, value, n: PAGE } });
  } catch (error) {
    fill(element, problem(error), el("button", { type: "button", class: "small", onclick: back }, "All types"));
    return;
  }
  const list = el("ul", { class: "browse-list" }, page.entities.map(row));
  const more = el("button", { type: "button", class: "small", onclick: async () => {
    more.disabled = true;
    const next = await get("browse", { query: { graph, type, property, value, n: PAGE, offset: list.children.length } });
    list.append(...next.entities.map(row));
    more.disabled = false;
    more.hidden = next.next === null;
  } }, "More");
  more.hidden = page.next === null;

  function row(entity) {
    const line = entity.description || propertyLine(firstOf(entity.properties));
    return el("li", {}, el("button", { type: "button", class: "document", onclick: () => open(entity.key) }, el("strong", {}, entity.label), line ? el("span", { class: "detail" }, line) : null));
  }

  const chip = (name) => ({ value: one, count }) => el("button", { type: "button", class: "small value", "aria-pressed": String(name === property && one === value),
    onclick: () => again(name === property && one === value ? {} : { property: name, value: one }) }, one, el("span", { class: "detail" }, ` ${number(count)}`));
  const valuesOf = ({ property: name, values }) => el("div", { class: "values-of", role: "group", "aria-label": name }, el("span", { class: "muted" }, name.replaceAll("_", " ")),
    values.slice(0, VALUES).map(chip(name)),
    values.length > VALUES ? el("details", {}, el("summary", {}, `${number(values.length - VALUES)} more`), values.slice(VALUES).map(chip(name))) : null);
  fill(element, el("div", { class: "side-top" }, el("h2", {}, type || "All entities"), el("button", { type: "button", class: "quiet small", onclick: back }, "All types")),
    el("p", { class: "muted", role: "status" }, counted(page.count, "entity"), property ? ` with ${property.replaceAll("_", " ")} ${value}` : ""),
    page.values.map(valuesOf), list, more);
}

/** The first properties, to tell entities apart by. */
function firstOf(properties = {}) {
  return Object.fromEntries(Object.entries(properties).slice(0, 3).map(([name, value]) => [name.replaceAll("_", " "), String(value).slice(0, 60)]));
}
