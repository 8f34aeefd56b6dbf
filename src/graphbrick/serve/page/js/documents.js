// The page of graphs made from documents: what was read, what was found in it, and which names are one entity.

import { get, send } from "./api.js";
import { announce, counted, el, fill, number, problem } from "./dom.js";
import { rendered } from "./markdown.js";
import { showMerges } from "./merges.js";
import { go, notePlace } from "./place.js";
import { fileName, sectionWords } from "./quotes.js";
import { uploadPanel } from "./upload.js";

const PAGE = 20; // passages at a time
const NAMES = 10; // entities that are highlighted

/** Show the page; returns what ends it. */
export function show(main, values, workbench) {
  const fromText = workbench.graphs.filter((graph) => graph.made_from_text);
  const wanted = workbench.graphOf(values);
  const graph = wanted?.made_from_text ? wanted : fromText[0];
  if (!graph) {
    fill(main, el("h1", {}, "Documents"), el("section", { class: "panel prose" },
      el("p", {}, "None of the graphs here was made from documents. Make one, and serve it:"),
      el("pre", {}, "graphbrick index docs/ notes.graph\ngraphbrick serve notes.graph --write")));
    return null;
  }
  const state = { graph: graph.name, document: values.get("document") || "", chosen: values.has("document"), write: workbench.write, ended: false, listed: null };
  const list = el("section", { class: "panel", "aria-label": "Documents" });
  const reader = el("section", { class: "panel reader", "aria-label": "Passages" });
  const merges = el("section", { class: "panel", "aria-labelledby": "merges-title" });
  const sizes = el("p", { class: "muted" });
  const reload = () => load(state, { list, reader, sizes });
  const upload = uploadPanel(state, () => {
    reload();
    showMerges(merges, state, reload);
  });
  fill(main, el("div", { class: "documents-page" },
    el("div", { class: "page-top" }, el("h1", {}, "Documents"), sizes),
    el("div", { class: "editor documents-columns" }, el("div", { class: "side" }, upload.element, list, merges), reader)));
  reload().then(() => upload.watch(state.listed?.status));
  showMerges(merges, state, reload);
  return () => {
    state.ended = true;
    upload.end();
  };
}

async function load(state, parts) {
  try {
    const [listed, graph] = await Promise.all([get("documents", { query: { graph: state.graph } }), get("graph", { parts: { name: state.graph } })]);
    state.listed = listed;
    fill(parts.sizes, `${graph.name}: ${counted(graph.passages || 0, "passage")}, ${counted(graph.entities, "entity")}`);
  } catch (error) {
    fill(parts.list, problem(error));
    return;
  }
  const { documents, bad } = state.listed;
  const wanted = documents.find((one) => one.document === state.document || state.document.endsWith(`/${one.document}`)); // older links have whole paths
  state.document = (wanted || documents[0])?.document || "";
  drawList(state, parts, documents, bad);
  if (state.document) openDocument(state, parts, state.document, 0, state.chosen);
  else fill(parts.reader, el("p", { class: "muted" }, "There is no document yet."));
  state.chosen = false;
}

function drawList(state, parts, documents, bad) {
  const names = documents.map((one) => one.document);
  const short = (address) => fileName(address) === address || names.filter((one) => fileName(one) === fileName(address)).length < 2 ? fileName(address) : address.split("/").slice(-2).join("/");
  fill(parts.list, el("h2", {}, counted(documents.length, "document")),
    el("ul", { class: "document-list" }, documents.map((one) => el("li", {},
      el("button", { type: "button", class: "document", "aria-pressed": String(one.document === state.document), "data-document": one.document, onclick: () => openDocument(state, parts, one.document, 0, true) },
        el("strong", {}, one.title || short(one.document)), el("span", { class: "detail" }, `${one.title ? `${short(one.document)} · ` : ""}${counted(one.passages, "passage")}`),
        one.note ? el("span", { class: "detail note" }, one.note) : null),
      one.name && state.write ? el("button", { type: "button", class: "quiet small", "aria-label": `Delete ${one.name}`, onclick: () => remove(state, parts, one.name) }, "Delete") : null))),
    bad.length ? el("div", { class: "notice" }, el("strong", {}, "These could not be read"), el("ul", {}, bad.map((one) => el("li", {}, `${short(one.document)}: ${one.reason}`)))) : null);
}

async function remove(state, parts, name) {
  if (!confirm(`Delete ${name}, and take what only it says out of the graph?`)) return;
  try {
    await send("document", undefined, { method: "DELETE", parts: { name }, query: { graph: state.graph } });
    announce(`${name} is being deleted`);
    document.dispatchEvent(new Event("indexing"));
  } catch (error) {
    fill(parts.reader, problem(error));
  }
}

/** Show a page of the passages of a document. */
async function openDocument(state, parts, name, offset, chosen = false) {
  state.document = name;
  notePlace("documents", { graph: state.graph, document: name });
  for (const button of parts.list.querySelectorAll(".document")) button.setAttribute("aria-pressed", String(button.dataset.document === name));
  let found;
  try {
    found = await get("passages", { query: { graph: state.graph, document: name, offset, n: PAGE } });
  } catch (error) {
    fill(parts.reader, problem(error));
    return;
  }
  if (state.document !== name || state.ended) return;
  const title = state.listed?.documents.find((one) => one.document === name)?.title || fileName(name);
  const names = namesOf(found.passages, (key) => go("graph", { entity: key, graph: state.graph }));
  const bodies = await Promise.all(found.passages.map((passage) => rendered(passage.text, { name, names: new Map(names.map(({ label, open }) => [label, open])) })));
  if (state.document !== name || state.ended) return;
  fill(parts.reader, el("h2", {}, title),
    el("p", { class: "muted" }, fileName(name) === title ? "" : `${fileName(name)} · `, counted(found.count, "passage"),
      found.count > PAGE ? `, here ${number(offset + 1)} to ${number(offset + found.passages.length)}` : ""),
    names.length ? el("p", { class: "mentions" }, el("span", { class: "muted" }, "Named most "), names.map(({ label, open }) => el("button", { type: "button", class: "citation", title: "Show it in the graph", onclick: open }, label))) : null,
    el("ol", { class: "passages" }, found.passages.map((passage, i) => el("li", {},
      passage.section && !passage.text.trimStart().startsWith("#") ? el("p", { class: "section" }, sectionWords(passage.section)) : null, bodies[i]))),
    found.count > PAGE ? el("div", { class: "turn" },
      el("button", { type: "button", class: "small", disabled: offset === 0, onclick: () => openDocument(state, parts, name, offset - PAGE) }, "Back"),
      el("button", { type: "button", class: "small", disabled: found.next === null, onclick: () => openDocument(state, parts, name, found.next) }, "Further")) : null);
  const isBelow = chosen && parts.reader.getBoundingClientRect().top > innerHeight * 0.7; // as on a phone
  if (offset || isBelow) parts.reader.scrollIntoView({ block: "start" });
}

/** The entities that matter most in some passages, with what opens them: names before common words, often named ones first. */
function namesOf(passages, open) {
  const entities = new Map();
  for (const passage of passages) {
    for (const { key, label } of passage.entities) {
      const one = entities.get(key) || entities.set(key, { key, label, count: 0 }).get(key);
      one.count += 1;
    }
  }
  const weight = ({ label, count }) => count * (/\p{Lu}/u.test(label) ? 1 : 0.1) * (/\p{Lu}.*\s\S*\p{Lu}/u.test(label) ? 3 : /\S\p{Lu}|\d/u.test(label) ? 2 : 1);
  return [...entities.values()].filter(({ label }) => label.length > 1).sort((a, b) => weight(b) - weight(a)).slice(0, NAMES)
    .map(({ key, label }) => ({ label, open: () => open(key) }));
}
