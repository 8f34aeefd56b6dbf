// A cited passage in a window of its own: the document around it, with the cited words marked.

import { get } from "./api.js";
import { el, fill, number, put } from "./dom.js";

const AROUND = 600; // characters before and after

/** Open the passage that a citation names; `item` is the evidence that cites it. */
export function openPassage(graph, citation, item) {
  const whole = citation.start === null || citation.start === undefined;
  const address = /^https?:\/\//.test(citation.document)
    ? el("a", { href: citation.document, target: "_blank", rel: "noreferrer" }, citation.document) : citation.document;
  const words = el("blockquote", { tabindex: 0 }, item.text);
  const dialog = el("dialog", { class: "passage-window", "aria-labelledby": "passage-title" },
    el("h2", { id: "passage-title" }, citation.section || citation.document.split("/").pop() || "Passage"),
    el("p", { class: "muted" }, address, whole ? null : ` · characters ${number(citation.start)} to ${number(citation.end)}`),
    words,
    el("form", { method: "dialog", class: "dialog-end" }, el("button", { type: "submit", class: "primary" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  if (!whole) showAround(graph, citation, words);
}

/** Put the document around a cited place into the window; the passage itself stays if that cannot be read. */
async function showAround(graph, { document: name, start, end }, words) {
  const from = Math.max(0, start - AROUND);
  try {
    const { text, characters } = await get("documentText", { query: { graph, document: name, start: from, end: end + AROUND } });
    const [before, cited, after] = [text.slice(0, start - from), text.slice(start - from, end - from), text.slice(end - from)];
    if (!cited) return;
    const mark = el("mark", {}, cited);
    fill(words, from ? "… " : "", before, mark, after, end + AROUND < characters ? " …" : "");
    mark.scrollIntoView({ block: "nearest" });
  } catch (error) {
    put(words.parentElement, el("p", { class: "muted" }, `The text around it cannot be shown: ${error.message}`));
  }
}
