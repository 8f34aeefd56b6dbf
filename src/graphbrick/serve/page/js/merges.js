// Which names are one entity: spellings that were folded, names that were merged, and what was kept apart.

import { get, send } from "./api.js";
import { announce, el, fill, number, problem, working } from "./dom.js";
import { findEntities } from "./seeds.js";
import { withSuggestions } from "./suggest.js";

/** Show the merges of a graph; `changed` is called after one was made or taken back. */
export async function showMerges(element, state, changed) {
  let merges;
  try {
    merges = await get("merges", { query: { graph: state.graph } });
  } catch (error) {
    fill(element, problem(error));
    return;
  }
  const said = el("div", { role: "status" });
  const change = async (body, words) => {
    fill(said, working("Changing the graph …"));
    try {
      await send("merges", body, { query: { graph: state.graph } });
      announce(words);
      await showMerges(element, state, changed);
      changed();
    } catch (error) {
      fill(said, problem(error));
    }
  };
  const row = (texts, label, action) => el("li", { class: "merge" }, el("span", {}, texts),
    state.write && action ? el("button", { type: "button", class: "quiet small", "aria-label": `${label}: ${texts.join("")}`, onclick: action }, label) : null);
  const group = (title, rows) => (rows.length ? [el("h3", {}, title), el("ul", { class: "merges" }, rows)] : null);
  fill(element, el("h2", { id: "merges-title" }, "Names of one entity"),
    group("You merged", merges.merged.map(({ alias, name }) => row([alias, " is ", name], "Undo", () => change({ undo: [alias] }, `${alias} is an entity of its own again`)))),
    group("Folded by their spelling", merges.folded.slice(0, 40).map(({ name, spellings }) => row([`${name}: `, spellings.join(", ")], "Keep apart", () => change({ apart: [name] }, `${name} is kept apart`)))),
    merges.folded.length > 40 ? el("p", { class: "muted" }, `and ${number(merges.folded.length - 40)} more`) : null,
    group("Kept apart", merges.apart.map((name) => row([name], "Undo", () => change({ undo: [name] }, `${name} is folded again`)))),
    !merges.merged.length && !merges.folded.length && !merges.apart.length ? el("p", { class: "muted" }, "Every name is an entity of its own.") : null,
    state.write ? [mergeForm(state, change), proposals(state, change)] : null, said);
}

/** Names that look alike, each pair to be merged or kept apart; looked for only on request, as it takes a while. */
function proposals(state, change) {
  const list = el("div", {});
  const look = el("button", { type: "button", class: "quiet small", onclick: async () => {
    look.disabled = true;
    fill(list, working("Comparing the names; the first time this may take a minute …"));
    try {
      const { proposals: found } = await get("proposals", { query: { graph: state.graph } });
      fill(list, found.length ? el("ul", { class: "merges" }, found.map(({ alias, name }) => el("li", { class: "merge" }, el("span", {}, `${alias} may be ${name}`),
        el("span", { class: "merge-choice" },
          el("button", { type: "button", class: "quiet small", "aria-label": `Merge ${alias} with ${name}`, onclick: () => change({ merge: [{ alias, name }] }, `${alias} is now ${name}`) }, "Merge"),
          el("button", { type: "button", class: "quiet small", "aria-label": `Keep ${alias} apart from ${name}`, onclick: () => change({ apart: [alias] }, `${alias} is kept apart`) }, "Keep apart")))))
        : el("p", { class: "muted" }, "No two names look like the same entity."));
    } catch (error) {
      fill(list, problem(error));
    }
    look.disabled = false;
  } }, "Look for names that may be the same");
  return el("div", { class: "proposals" }, look, list);
}

function mergeForm(state, change) {
  const field = (label) => el("input", { type: "text", "aria-label": label, placeholder: label, required: true });
  const [alias, name] = [field("This name"), field("is the same as")];
  const suggested = (input) => withSuggestions(input, { find: (text) => findEntities(state.graph, text, 6), take: ({ value }) => { input.value = value.label; } });
  return el("form", { class: "merge-form", onsubmit: (event) => {
    event.preventDefault();
    if (alias.value.trim() && name.value.trim()) change({ merge: [{ alias: alias.value.trim(), name: name.value.trim() }] }, `${alias.value} is now ${name.value}`);
  } }, suggested(alias), suggested(name), el("button", { type: "submit" }, "Merge"));
}
