// A run as something to take along: a link, Python, a command, or JSON.

import { hasToken } from "./api.js";
import { copyButton, el } from "./dom.js";
import { placeOf } from "./place.js";

/** A text as a Python literal; those of JSON are also Python's. */
function python(text) {
  return JSON.stringify(text);
}

/** A text as one word of a POSIX shell. */
function shell(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\"'\"'")}'`;
}

/** The run as Python; the server does not tell where the folder of the graph is. */
export function asPython(run, seeds) {
  const given = seeds.length ? `, seeds=[${seeds.map(python).join(", ")}]` : "";
  return [
    "import graphbrick", "",
    `graph = graphbrick.Graph.open(${python(`${run.graph.name}.graph`)})  # its folder`,
    `pipeline = graphbrick.parse(${python(run.pipeline)})`,
    `answer = pipeline(graph, ${python(run.question)}${given})`,
    "print(answer.texts)", "",
  ].join("\n");
}

/** The run as a command, which asks this server. A token is not written into it: the variable that holds it is named. */
export function asCommand(run, seeds) {
  const server = document.baseURI.replace(/[?#].*$/, "").replace(/\/$/, "");
  const given = seeds.map((seed) => ` --seed ${shell(seed)}`).join("");
  return `graphbrick ask ${shell(run.graph.name)} ${shell(run.question)} --server ${shell(server)} --pipeline ${shell(run.pipeline)}${given}${hasToken() ? ' --token "$GRAPHBRICK_TOKEN"' : ""} --explain`;
}

/** Buttons that copy a run; `values` are those of its address. */
export function shareButtons(run, values, seeds) {
  const link = () => `${location.origin}${location.pathname}${placeOf("ask", values)}`;
  return el("div", { class: "share", role: "group", "aria-label": "Copy this run" },
    el("span", { class: "muted" }, "Copy as"), copyButton("Link", link), copyButton("Python", () => asPython(run, seeds)),
    copyButton("Command", () => asCommand(run, seeds)), copyButton("JSON", () => JSON.stringify(run, null, 2)));
}
