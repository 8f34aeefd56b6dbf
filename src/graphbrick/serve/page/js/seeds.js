// The entities where a search starts, as chips: each can be taken away or replaced, and others can be added.

import { get } from "./api.js";
import { el, fill, number, spoken } from "./dom.js";
import { withSuggestions } from "./suggest.js";

const MOST = 6; // namesakes

/** Entities whose names fit a text, as suggestions. */
export async function findEntities(graph, text, n = 8) {
  if (text.trim().length < 2) return [];
  const found = await get("entities", { query: { graph, q: text.trim(), n, properties: false } });
  return found.entities.map((entity) => ({
    label: entity.label, detail: entity.description || [(entity.types || []).join(", "), entity.key].filter(Boolean).join(" · "), value: entity,
  }));
}

/**
 * Show seeds.
 *
 * @param {object} options `graph`, its name; `seeds`, rows of a run; `labels` and `types` of entities by key; `chosen`,
 *   whether the reader chose the seeds; `change(keys)` is called with the new keys, or with null to link again.
 */
export function seedChips({ graph, seeds, labels = new Map(), types = new Map(), chosen, change }) {
  const row = el("div", { class: "seeds", role: "group", "aria-label": "Where the search starts" });
  const keys = () => seeds.map((seed) => seed.key);
  const editor = el("div", { class: "seed-editor" });

  const edit = (index) => {
    const seed = seeds[index];
    const input = el("input", { type: "text", class: "small", placeholder: "Search for an entity", "aria-label": seed ? `Replace ${seed.label} with` : "Add an entity to start from" });
    const take = ({ value }) => {
      const next = keys();
      if (seed) next[index] = value.key;
      else next.push(value.key);
      change([...new Set(next)]);
    };
    fill(editor, withSuggestions(input, { find: (text) => findEntities(graph, text), take }),
      el("button", { type: "button", class: "quiet small", onclick: () => { fill(editor); row.querySelector("button")?.focus(); } }, "Cancel"));
    input.addEventListener("keydown", (event) => { if (event.key === "Escape") fill(editor); });
    input.focus();
  };

  fill(row, el("span", { class: "seeds-title" }, "Starts at"),
    seeds.length ? null : el("span", { class: "muted" }, "the whole graph"),
    seeds.map((seed, index) => el("span", { class: "chip", "data-key": seed.key },
      el("button", { type: "button", class: "chip-name", title: seed.text || seed.key, onclick: () => edit(index) }, seed.label,
        seed.mention && !chosen && seed.mention !== seed.label ? el("span", { class: "detail" }, ` for “${seed.mention}”`) : null,
        seed.others?.length ? el("span", { class: "detail apart", "data-key": seed.key }) : null),
      seeds.length > 1 ? el("button", { type: "button", class: "chip-remove", "aria-label": `Do not start at ${seed.label}`, onclick: () => change(keys().filter((_, i) => i !== index)) }, "×") : null)),
    el("button", { type: "button", class: "quiet small", onclick: () => edit(seeds.length) }, "Add"),
    chosen ? el("button", { type: "button", class: "quiet small", onclick: () => change(null) }, "Find them in the question") : null);
  const element = el("div", {}, row, seeds.filter((seed) => seed.others?.length).map((seed) => namesakes(seed, { labels, types, change: (key) => change(keys().map((one) => (one === seed.key ? key : one))) })), editor);
  tellApart(graph, seeds, element);
  return element;
}

/** The other entities that a name may mean, each one click away. */
function namesakes(seed, { labels, types, change }) {
  return el("div", { class: "others", role: "group", "aria-label": `What else ${seed.mention || seed.label} may mean` },
    el("span", { class: "muted" }, `“${seed.mention || seed.label}” may also be`),
    seed.others.slice(0, MOST).map((key) => el("button", { type: "button", class: "small", "data-key": key, onclick: () => change(key) },
      labels.get(key) || key, el("span", { class: "detail apart", "data-key": key }, types.get(key) ? ` ${types.get(key)}` : ""))),
    seed.others.length > MOST ? el("span", { class: "muted" }, `and ${number(seed.others.length - MOST)} more`) : null);
}

/** Write what tells namesakes apart into their chips, once the server has said what it knows of them. */
async function tellApart(graph, seeds, element) {
  for (const { key, others } of seeds.filter((seed) => seed.others?.length)) {
    const keys = [key, ...others.slice(0, MOST)];
    const cards = await Promise.all(keys.map((one) => get("entity", { query: { graph, key: one } }).catch(() => null)));
    const words = apartWords(cards.filter(Boolean));
    for (const place of element.querySelectorAll(".apart")) {
      if (words.has(place.dataset.key)) place.textContent = ` ${words.get(place.dataset.key)}`;
    }
  }
}

/** What tells entities of one name apart, by key: their descriptions, a property, or a relation in which they differ. */
function apartWords(cards) {
  const differ = (texts) => texts.filter(Boolean).length === cards.length && new Set(texts).size > 1;
  const tries = [(card) => card.apart, (card) => card.description, (card) => card.types?.[0]];
  for (const name of Object.keys(cards[0]?.properties || {})) tries.push((card) => (name in card.properties ? `${spoken(name)} ${[card.properties[name]].flat().slice(0, 2).join(", ").slice(0, 60)}` : ""));
  for (const { key, direction, name } of cards[0]?.relations || []) {
    tries.push((card) => {
      const row = card.relations.find((one) => one.key === key && one.direction === direction);
      return row ? `${name} ${row.best[0].label}` : "";
    });
  }
  const telling = tries.map((tell) => cards.map(tell)).filter(differ);
  // One that differs for each is enough; else the first two that differ at all.
  const whole = telling.find((texts) => new Set(texts).size === cards.length);
  const chosen = whole ? [whole] : telling.slice(0, 2);
  return new Map(cards.map(({ key }, i) => [key, chosen.length ? chosen.map((texts) => texts[i]).join(", ") : key]));
}
