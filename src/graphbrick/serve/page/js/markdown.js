// Markdown of documents as elements. A library reads it into tokens; elements are built here one by one, and texts go in
// as text nodes, so that no markup of a document is ever run, and no picture is loaded.

import { el } from "./dom.js";

const [BEGIN, END] = ["\uE000", "\uE001"]; // characters of private use around a quoted part
const MARKUP = /^[\s>#*+|-]*(?:\d+[.)]\s+)?/; // what a line begins with, and what is not part of a quoted sentence
const NAMED = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": "\u00A0" };

let library = null;

/** The library that reads Markdown; loaded when a document is first shown. */
function marked() {
  library ||= import("../vendor/marked.esm.js");
  return library;
}

/**
 * A text of a document as elements.
 *
 * @param {string} text the text.
 * @param {object} options `name` of the document, whose ending tells what it is; `quotes`, a list of `[start, end, title]`
 *   of parts to mark; `names`, a map of names of entities to highlight to what a click on them does.
 */
export async function rendered(text, { name = "", quotes = [], names = new Map() } = {}) {
  const told = withSentinels(text, quotes);
  const body = el("div", { class: "rendered" });
  if (isMarkdown(name)) {
    const { lexer } = await marked();
    body.append(...blocks(lexer(told, { gfm: true })));
  } else body.append(...plainBlocks(told));
  markQuotes(body, quotes);
  markNames(body, names);
  return body;
}

/** A text that is not Markdown; lines with the same number of cells, as reStructuredText is read into, are a table. */
function plainBlocks(text) {
  const cells = text.split("\n").map((line) => (line.includes(" | ") ? line.split(" | ").map((cell) => cell.trim()) : [line]));
  const runs = [];
  for (const row of cells) {
    const last = runs.at(-1);
    if (last && last.width === row.length) last.rows.push(row);
    else runs.push({ width: row.length, rows: [row] });
  }
  const blocks = [];
  for (const { width, rows } of runs) {
    if (width > 1 && rows.length > 1) blocks.push(plainTable(rows));
    else {
      const words = rows.map((row) => row.join(" | ")).join("\n");
      if (typeof blocks.at(-1) === "string") blocks.push(`${blocks.pop()}\n${words}`);
      else blocks.push(words);
    }
  }
  if (blocks.length === 1 && typeof blocks[0] === "string") return [el("p", { class: "passage" }, text)];
  return blocks.map((one) => (typeof one === "string" ? el("p", { class: "passage" }, one.replace(/^\n+|\n+$/g, "")) : one)).filter((one) => one.textContent);
}

function plainTable([first, ...rest]) {
  return el("div", { class: "scroll", tabindex: 0 }, el("table", { class: "plain" },
    el("thead", {}, el("tr", {}, first.map((cell) => el("th", { scope: "col" }, cell)))),
    el("tbody", {}, rest.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell)))))));
}

/** Whether a document is Markdown, by the ending of its name. */
function isMarkdown(name) {
  return /\.(md|markdown|mdx|rmd|qmd)(\.gz|\.zst)?$/i.test(name.split(/[?#]/)[0]);
}

function withSentinels(text, quotes) {
  let told = text.replace(/[\uE000\uE001]/g, "\uFFFD");
  for (const [start, end] of [...quotes].sort((a, b) => b[0] - a[0])) {
    const part = told.slice(start, end);
    const skipped = start === 0 || told[start - 1] === "\n" ? MARKUP.exec(part)[0].length : 0;
    const whole = part.slice(skipped).trimEnd();
    if (whole) told = `${told.slice(0, start + skipped)}${BEGIN}${whole}${END}${told.slice(start + skipped + whole.length)}`;
  }
  return told;
}

function blocks(tokens) {
  return tokens.map(block).filter(Boolean);
}

function block(token) {
  switch (token.type) {
    case "space": case "def": return null;
    case "heading": return el("p", { class: `heading heading-${token.depth}` }, inline(token.tokens));
    case "paragraph": return el("p", {}, inline(token.tokens));
    case "text": return el("span", {}, token.tokens ? inline(token.tokens) : decoded(token.text));
    case "code": return el("pre", { tabindex: 0 }, el("code", {}, token.text));
    case "blockquote": return el("blockquote", {}, blocks(token.tokens));
    case "hr": return el("hr");
    case "list": return el(token.ordered ? "ol" : "ul", { class: "marked", start: token.ordered && token.start !== 1 ? token.start : null },
      token.items.map((item) => el("li", {}, item.task ? (item.checked ? "☑ " : "☐ ") : null, blocks(item.tokens))));
    case "table": return el("div", { class: "scroll", tabindex: 0 }, el("table", { class: "plain" },
      el("thead", {}, el("tr", {}, token.header.map((cell) => el("th", { scope: "col" }, inline(cell.tokens))))),
      el("tbody", {}, token.rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, inline(cell.tokens))))))));
    default: return el("p", { class: "passage" }, token.raw.trim()); // HTML, as the text it is
  }
}

function inline(tokens) {
  return tokens.map((token) => {
    switch (token.type) {
      case "strong": return el("strong", {}, inline(token.tokens));
      case "em": return el("em", {}, inline(token.tokens));
      case "del": return el("s", {}, inline(token.tokens));
      case "codespan": return el("code", {}, token.text);
      case "br": return el("br");
      case "image": return el("span", { class: "muted" }, `[picture: ${token.text || token.href}]`);
      case "link": return /^https?:/i.test(token.href) ? el("a", { href: token.href, target: "_blank", rel: "noreferrer" }, inline(token.tokens)) : inline(token.tokens);
      case "html": return token.raw;
      default: return token.tokens ? inline(token.tokens) : decoded(token.text ?? token.raw);
    }
  });
}

function decoded(text) {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (name) => NAMED[name]);
}

function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

/** Put what stands between the sentinels into marks; a quote may run over several elements. */
function markQuotes(body, quotes) {
  const titles = [...quotes].sort((a, b) => a[0] - b[0]).map(([, , title]) => title);
  let inside = false;
  let at = -1;
  for (const node of textNodes(body)) {
    const parts = node.data.split(/([\uE000\uE001])/);
    if (parts.length === 1 && !inside) continue;
    const made = [];
    for (const part of parts) {
      if (part === BEGIN) {
        inside = true;
        at += 1;
      } else if (part === END) inside = false;
      else if (part) made.push(inside ? el("mark", { class: "quote", title: titles[at] }, part) : part);
    }
    node.replaceWith(...made);
  }
}

/** Make the names of entities buttons. */
function markNames(body, names) {
  const known = new Map([...names].map(([name, open]) => [name.toLowerCase(), open]));
  const list = [...names.keys()].sort((a, b) => b.length - a.length);
  if (!list.length) return;
  const pattern = new RegExp(`(?<![\\p{L}\\d])(${list.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?![\\p{L}\\d])`, "giu");
  for (const node of textNodes(body)) {
    if (node.parentElement.closest("pre, code, a")) continue;
    const parts = node.data.split(pattern);
    if (parts.length > 1) node.replaceWith(...parts.map((part, i) => (i % 2 ? el("button", { type: "button", class: "name", title: "Show it in the graph", onclick: known.get(part.toLowerCase()) }, part) : part)));
  }
}
