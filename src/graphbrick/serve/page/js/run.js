// What a run of a pipeline says, in the form that the views need. The JSON is that of `graphbrick ask --json`.

import { spoken } from "./dom.js";

/** The keys of the entities along a path, one more than it has triples. */
function stationsOf(item) {
  const [first] = item.triples;
  const stations = [item.forward[0] ? first[0] : first[2]];
  item.triples.forEach((triple, hop) => stations.push(item.forward[hop] ? triple[2] : triple[0]));
  return stations;
}

/** One item of evidence as a path: its stations, and for each hop the relation and the direction of its triple. */
function pathOf(item, relations) {
  if (!item.triples || !item.triples.length) return null;
  const stations = stationsOf(item);
  const hops = item.triples.map((triple, i) => ({
    relation: spoken(relations[triple[1]] || triple[1]), forward: item.forward[i], from: stations[i], to: stations[i + 1], triple,
  }));
  return { stations, hops, score: item.score, source: item.source };
}

/** Read a run: answers with their paths and other items, and the labels and types of all that is named, by key. */
export function readRun(run) {
  const entities = Object.entries(run.entities || {});
  const labels = new Map(entities.map(([key, { label }]) => [key, label]));
  const types = new Map(entities.map(([key, { type }]) => [key, type]));
  const withPath = (item) => ({ item, path: pathOf(item, run.relations || {}) });
  const support = (run.support || []).map(withPath);
  const evidence = (run.evidence || []).map(withPath);
  const answers = (run.answers || []).map((answer) => {
    const items = (answer.support || []).map((index) => support[index]).filter(Boolean);
    return { text: answer.text, key: answer.key, mark: answer.mark || null, items, paths: items.map(({ path }) => path).filter(Boolean) };
  });
  return { run, answers, support, evidence, labels, types, seeds: run.seeds || [] };
}

/** The paths to draw: those that support answers, or else the evidence; each once, with the answer it leads to. */
export function pathsToDraw(read, most) {
  const supported = read.answers.flatMap((answer, index) => answer.paths.map((path) => ({ path, answer: index })));
  const all = supported.length ? supported
    : read.evidence.filter(({ path }) => path).map(({ path }) => ({ path, answer: -1 }));
  const once = new Map();
  for (const entry of all) {
    const id = JSON.stringify(entry.path.hops.map((hop) => hop.triple)) + entry.path.stations[0];
    if (!once.has(id)) once.set(id, entry);
  }
  const entries = [...once.values()];
  return { entries: entries.slice(0, most), total: entries.length, supported: supported.length > 0 };
}

/** One hop as a sentence in the direction of its triple. */
export function hopSentence(hop, labels) {
  const [head, tail] = hop.forward ? [hop.from, hop.to] : [hop.to, hop.from];
  return `${labels.get(head) || head} – ${hop.relation} → ${labels.get(tail) || tail}`;
}

/** The name of the brick that a stage's recipe text begins with. */
export function brickName(text) {
  return (/^\s*\(*\s*([A-Za-z_]\w*)/.exec(text) || ["", text])[1];
}
