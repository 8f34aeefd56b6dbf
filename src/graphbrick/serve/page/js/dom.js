// Elements, announcements and small helpers. Texts always go in as text nodes, so nothing that a server, a graph or a
// document says is ever read as markup.

const SVG = "http://www.w3.org/2000/svg";
const PROPERTIES = new Set(["value", "checked", "selected", "disabled", "hidden", "open", "indeterminate"]);

/** Build an HTML element: attributes, `on...` handlers and properties, then children (nodes, texts, nested lists). */
export function el(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** Build an SVG element, like `el`. */
export function svg(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

function build(node, attributes, children) {
  const late = [];
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (PROPERTIES.has(name)) late.push([name, value]); // the value of a select needs its options first
    else if (value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  put(node, children);
  for (const [name, value] of late) node[name] = value;
  return node;
}

/** Append children to a node. */
export function put(node, ...children) {
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Replace everything in a node. */
export function fill(node, ...children) {
  node.replaceChildren();
  return put(node, ...children);
}

/** Tell a screen reader something that is otherwise only seen. */
export function announce(text) {
  const announcer = document.getElementById("announcer");
  announcer.textContent = "";
  requestAnimationFrame(() => { announcer.textContent = text; });
}

/** A call that waits until no other call has come for some milliseconds. */
export function debounced(milliseconds, action) {
  let timer = 0;
  const late = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...values), milliseconds);
  };
  late.cancel = () => clearTimeout(timer);
  return late;
}

let last = 0;

/** An id that no other element has. */
export function newId(prefix) {
  last += 1;
  return `${prefix}-${last}`;
}

/** Whether the reader wants less motion. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

const whole = new Intl.NumberFormat("en");

/** A number for people: 1,234 or 0.57. */
export function number(value, digits = 2) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return Number.isInteger(value) ? whole.format(value) : value.toLocaleString("en", { maximumFractionDigits: digits });
}

/** Seconds for people: 0.4 ms, 12 ms or 3.4 s. */
export function duration(seconds) {
  if (seconds >= 1) return `${number(seconds, seconds < 10 ? 1 : 0)} s`;
  const ms = 1000 * seconds;
  return `${number(ms, ms < 10 ? 1 : 0)} ms`;
}

const SAID = { seeds: "starts" };

/** Counts in words, such as "1 start" or "3 paths"; names come in the plural. */
export function counts(sizes) {
  const there = Object.entries(sizes).filter(([, size]) => size);
  const words = (there.length ? there : Object.entries(sizes)).map(([name, size]) => `${number(size)} ${size === 1 ? singular(SAID[name] || name) : SAID[name] || name}`);
  return words.join(", ");
}

function singular(name) {
  if (name.endsWith("ies")) return `${name.slice(0, -3)}y`;
  return name.endsWith("s") ? name.slice(0, -1) : name;
}

/** A number with its noun, such as "1 triple" or "1,931 entities". */
export function counted(size, noun) {
  const plural = /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${number(size)} ${size === 1 ? noun : plural}`;
}

/** A relation in words: «depends on» for DEPENDS_ON. */
export function spoken(relation) {
  const text = relation.replaceAll("_", " ");
  return text.length > 3 && text === text.toUpperCase() ? text.toLowerCase() : text;
}

/** The sizes of a graph in words, such as "663 entities, 10 relations". */
export function sizesOf(graph) {
  return [["entities", "entity"], ["relations", "relation"], ["triples", "triple"], ["passages", "passage"]]
    .filter(([name]) => graph[name]).map(([name, noun]) => counted(graph[name], noun)).join(", ");
}

/** A text in which ``code`` and `code` are marked so, as docstrings write it. */
export function codeText(text) {
  return String(text ?? "").split(/(``[^`]+``|`[^`]+`)/).map((part, i) => (i % 2 ? el("code", {}, part.replace(/^`+|`+$/g, "")) : part));
}

/** A line about what is being done; from two seconds on it says for how long. */
export function working(text) {
  const [words, time] = [el("span", {}, text), el("span", { class: "elapsed", "aria-hidden": "true" })];
  const line = el("p", { class: "muted working" }, words, time);
  const begun = Date.now();
  const timer = setInterval(() => {
    const seconds = Math.floor((Date.now() - begun) / 1000);
    if (seconds > 3 && !line.isConnected) clearInterval(timer);
    else if (seconds > 1) time.textContent = ` ${seconds} s`;
  }, 1000);
  line.say = (now) => { words.textContent = now; };
  return line;
}

/** A message about something that failed, with what to do. */
export function problem(error) {
  return el("div", { class: "notice bad", role: "alert" }, el("strong", {}, error.title || "This did not work"),
    el("p", {}, error.message), error.fix && !error.message.includes(error.fix) ? el("p", {}, error.fix) : null);
}

/** A copy button that says when it is done. */
export function copyButton(label, text) {
  const button = el("button", { type: "button", class: "quiet small" }, label);
  button.addEventListener("click", async () => {
    const value = typeof text === "function" ? text() : text;
    let done = "Copied";
    try {
      await navigator.clipboard.writeText(value);
    } catch {
      done = copyBySelection(value) ? "Copied" : "The browser refused";
    }
    button.textContent = done;
    announce(`${label}: ${done}`);
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}

// The clipboard needs https or localhost; a server in the local network may have neither.
function copyBySelection(value) {
  const area = el("textarea", { class: "hidden", value });
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
