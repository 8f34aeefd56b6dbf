// The catalogue of bricks, and recipes as trees of blocks: `{brick, parameters}`, `{then: [...]}`, `{union: [...]}`.

import { get } from "./api.js";

let catalogue = null;

/** The bricks by name; asked for once. */
export async function brickCatalogue() {
  if (!catalogue) {
    catalogue = get("bricks").then(({ bricks }) => new Map(bricks.map((brick) => [brick.name, brick])));
    catalogue.catch(() => { catalogue = null; });
  }
  return catalogue;
}

export const STAGES = ["link", "extract", "expand", "prune", "retrieve", "rerank", "generate", "repeat"];
export const KIND_WORDS = {
  link: "Link: find the seeds", extract: "Extract: take a subgraph", expand: "Expand: make it larger", prune: "Prune: leave out what does not fit",
  retrieve: "Retrieve: find evidence", rerank: "Rerank: order it, keep the best", generate: "Generate: make the answer", repeat: "Repeat",
};

const ACCEPTS = {
  link: ["query"], extract: ["query"], expand: ["query", "subgraph", "evidence"], prune: ["query", "subgraph"],
  retrieve: ["query", "subgraph"], rerank: ["evidence"], generate: ["evidence"],
};

/** Whether a brick's kind can go on from a level; only for the order of lists, as the server decides. */
export function fits(kind, level) {
  return !ACCEPTS[kind] || !level || ACCEPTS[kind].includes(level);
}

/** The bricks that may stand for a parameter of some kinds, such as "Scorer". */
export function bricksFor(bricks, parts) {
  return [...bricks.values()].filter((brick) => parts.some((part) => brick.name === part || brick.kinds.includes(part)));
}

/** The kinds of brick that a parameter takes, apart from whole pipelines. */
export function takesPipeline(parameter) {
  return parameter.parts.includes("Pipeline");
}

/** A literal of recipe text as a value: 12, 0.5, 'both', True, None; undefined for anything else. */
export function literal(text) {
  if (text === null || text === undefined) return undefined;
  if (text === "None") return null;
  if (text === "True" || text === "False") return text === "True";
  if (/^-?\d[\d_]*(\.\d+)?(e[+-]?\d+)?$/i.test(text)) return Number(text.replaceAll("_", ""));
  const quoted = /^(['"])(.*)\1$/s.exec(text);
  return quoted ? quoted[2].replace(/\\(['"\\])/g, "$1") : undefined;
}

/** A new block of a brick; what must be given begins with its example, so that the block is whole at once. */
export function newBlock(brick, bricks) {
  const parameters = {};
  for (const parameter of brick.parameters) {
    if (parameter.default === null) parameters[parameter.name] = exampleOf(parameter, bricks);
  }
  return { brick: brick.name, parameters };
}

function exampleOf(parameter, bricks) {
  const value = literal(parameter.example);
  if (value !== undefined) return value;
  if (takesPipeline(parameter)) return { then: [{ brick: "Expand", parameters: {} }, { brick: "ShortestPaths", parameters: {} }] };
  const named = /^(\w+)\(/.exec(parameter.example || "");
  const brick = named && bricks.get(named[1]) ? bricks.get(named[1]) : bricksFor(bricks, parameter.parts)[0];
  return brick ? newBlock(brick, bricks) : "";
}

/** The stages of a block as a list: a single block is a sequence of one. */
export function stagesOf(block) {
  return block.then || [block];
}

/** A sequence from a list of stages; one stage alone is that stage. */
export function sequence(stages) {
  return stages.length === 1 ? stages[0] : { then: stages };
}

/** The name of a block for people. */
export function nameOf(block) {
  if (block.union) return "Union";
  return block.then ? "Sequence" : block.brick;
}

/** Recipe text with every stage on a line of its own, so that a long one can be read. */
export function inLines(text) {
  let depth = 0;
  let quote = "";
  let lines = "";
  for (let i = 0; i < text.length; i += 1) {
    const letter = text[i];
    if (quote) {
      if (letter === "\\") { lines += letter + text[i + 1]; i += 1; continue; }
      if (letter === quote) quote = "";
    } else if (letter === "'" || letter === '"') quote = letter;
    else if ("([".includes(letter)) depth += 1;
    else if (")]".includes(letter)) depth -= 1;
    if (!quote && depth === 0 && text.startsWith(" >> ", i)) {
      lines += "\n>> ";
      i += 3;
    } else lines += letter;
  }
  return lines;
}
