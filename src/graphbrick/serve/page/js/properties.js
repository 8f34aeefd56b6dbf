// Properties as tables: the values of one entity, and the properties that a graph has.

import { el, number } from "./dom.js";

const LONG = 160; // letters of a value that are shown at once
const SHORT = 24; // letters of an example that stay on one line
const LONGEST = 44; // letters of an example
const FIRST = 12; // properties of a graph that are shown at once
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;

/** The properties of an entity as rows of name and value; null without any. */
export function propertyTable({ properties = {}, properties_cut: isCut = false }) {
  const rows = Object.entries(properties);
  if (!rows.length) return null;
  return [
    el("table", { class: "properties" }, el("caption", { class: "hidden" }, "Properties"), el("tbody", {}, rows.map(([name, value]) => (
      el("tr", {}, el("th", { scope: "row" }, breakable(name)), el("td", {}, shown(value))))))),
    isCut ? el("p", { class: "muted" }, "Long values are cut here.") : null,
  ];
}

/** Properties in one line, for a triple in a list. */
export function propertyLine(properties = {}) {
  return Object.entries(properties).map(([name, value]) => `${name} ${[value].flat().map(plain).join(", ")}`).join(" · ");
}

/** The properties that a graph has, with kinds, counts and examples, and what the build did not keep. */
export function propertyOverview(info) {
  const rows = [...(info?.properties || []).map((row) => [row, ""]), ...(info?.triple_properties || []).map((row) => [row, " (of triples)"])];
  const notes = Object.entries(info?.not_kept || {});
  return [
    rows.length ? [el("h3", {}, "Properties"), listing(rows.slice(0, FIRST)),
      rows.length > FIRST ? el("details", {}, el("summary", {}, `${number(rows.length - FIRST)} more`), listing(rows.slice(FIRST))) : null,
      info.more_properties ? el("p", { class: "muted" }, `and ${number(info.more_properties)} more properties`) : null] : null,
    info?.problem ? el("p", { class: "muted" }, `The properties cannot be read: ${info.problem}`) : null,
    notes.length ? [el("h3", {}, "Not kept by the build"), el("ul", { class: "not-kept" }, notes.map(([what, { count, examples }]) => (
      el("li", {}, `${what}: ${number(count)}${examples?.length ? `, such as ${examples.join(", ")}` : ""}`))))] : null,
  ];
}

function listing(rows) {
  return el("table", { class: "properties" }, el("tbody", {}, rows.map(([row, of]) => el("tr", {},
    el("th", { scope: "row" }, breakable(`${row.name}${of}`)),
    el("td", {}, el("span", {}, row.kind), el("span", { class: "detail" }, row.examples.map((text, i) => [i ? ", " : "", example(plain(text))]))),
    el("td", { class: "number" }, number(row.count))))));
}

/** A name that a line may break after an underscore. */
function breakable(name) {
  return name.split("_").map((part, i) => (i ? ["_", el("wbr"), part] : part));
}

/** One of several values, on one line if it is short. */
function example(text) {
  return el("span", text.length < SHORT ? { class: "whole" } : {}, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

function shown(value) {
  if (Array.isArray(value)) return el("ul", { class: "values" }, value.map((one) => el("li", {}, shown(one))));
  const text = plain(value);
  return text.length > LONG ? el("details", {}, el("summary", {}, `${text.slice(0, LONG)}…`), text) : text;
}

/** A value as text; numbers without separators, as a year or a code may be among them. */
function plain(value) {
  return typeof value === "string" && MOMENT.test(value) ? value.replace("T", " ").replace(/(\+00:00|Z)$/, " UTC") : String(value);
}
