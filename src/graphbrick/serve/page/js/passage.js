// A cited passage in a window of its own: the document around it, with the quoted sentences marked.

import { get } from "./api.js";
import { el, fill, put } from "./dom.js";
import { rendered } from "./markdown.js";
import { go } from "./place.js";
import { fileName, offsets, sectionWords } from "./quotes.js";

const AROUND = 600; // characters before and after

/**
 * Open the passage that a citation names.
 *
 * @param {string} graph the name of the graph.
 * @param {object} citation the place: document, start, end and section.
 * @param {object} item the evidence that cites it.
 * @param {Array} quotes parts of the passage to mark, each `[start, end, title]`; by default all of it.
 */
export function openPassage(graph, citation, item, quotes = null) {
  const whole = citation.start === null || citation.start === undefined;
  const isWeb = /^https?:/.test(citation.document);
  const address = isWeb ? el("a", { href: citation.document, target: "_blank", rel: "noreferrer" }, citation.document) : fileName(citation.document);
  const words = el("blockquote", { tabindex: 0 }, el("p", { class: "passage" }, item.text));
  const dialog = el("dialog", { class: "passage-window", "aria-labelledby": "passage-title" },
    el("h2", { id: "passage-title" }, sectionWords(citation.section) || fileName(citation.document) || "Passage"),
    el("p", { class: "muted" }, address),
    words,
    el("form", { method: "dialog", class: "dialog-end" },
      whole ? null : el("button", { type: "button", class: "quiet", onclick: () => { dialog.close(); go("documents", { graph, document: citation.document }); } }, "Open the document"),
      el("button", { type: "submit", class: "primary" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  show(graph, citation, item, quotes, words, whole);
}

/** Put the document around the place into the window; the passage itself stays if that cannot be read. */
async function show(graph, citation, item, quotes, words, whole) {
  const marks = quotes || [[0, (item.text || "").length, ""]];
  try {
    let [text, before, all, shift] = [item.text, "", marks, 0];
    if (!whole) {
      const { start, end } = citation;
      const from = Math.max(0, start - AROUND);
      const found = await get("documentText", { query: { graph, document: citation.document, start: from, end: end + AROUND } });
      const [begin, stop] = offsets(found.text, [start - from, end - from]);
      const cited = found.text.slice(begin, stop);
      // The passage as it was stored may differ from the document in its spaces; then all of the place is marked.
      all = cited === item.text ? marks.map(([a, b, title]) => [a + begin, b + begin, title]) : [[begin, stop, ""]];
      shift = begin;
      before = from > 0 ? "… " : "";
      text = found.text;
      if (end + AROUND < found.characters) text += " …";
    }
    const body = await rendered(before + text, { name: citation.document, quotes: all.map(([a, b, title]) => [a + before.length, b + before.length, title]) });
    fill(words, body);
    if (shift) body.querySelector("mark")?.scrollIntoView({ block: "center" });
  } catch (error) {
    put(words.parentElement, el("p", { class: "muted" }, `The text around it cannot be shown: ${error.message}`));
  }
}
