// A cited passage in a window of its own: the document, the section, and the words.

import { el, number } from "./dom.js";

/** Open the passage that a citation names; `item` is the evidence that cites it. */
export function openPassage(graph, citation, item) {
  const place = citation.start === null || citation.start === undefined ? "the whole document"
    : `characters ${number(citation.start)} to ${number(citation.end)}`;
  const address = /^https?:\/\//.test(citation.document)
    ? el("a", { href: citation.document, target: "_blank", rel: "noreferrer" }, citation.document) : citation.document;
  const dialog = el("dialog", { class: "passage-window", "aria-labelledby": "passage-title" },
    el("h2", { id: "passage-title" }, citation.section || citation.document.split("/").pop() || "Passage"),
    el("p", { class: "muted" }, address, ` · ${place}`),
    el("blockquote", {}, item.text),
    el("form", { method: "dialog", class: "dialog-end" }, el("button", { type: "submit", class: "primary" }, "Close")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
