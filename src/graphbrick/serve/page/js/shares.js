// Shares of questions as numbers and as lines with their intervals.

import { el } from "./dom.js";

/** A share with its interval as a number and a line. */
export function share(mean) {
  if (!mean) return el("td", { class: "number muted" }, "–");
  const bar = el("span", { class: "interval", "aria-hidden": "true" }, el("span", {}), el("i", {}));
  bar.firstChild.style.left = `${100 * mean.low}%`;
  bar.firstChild.style.width = `${100 * (mean.high - mean.low)}%`;
  bar.lastChild.style.left = `${100 * mean.mean}%`;
  return el("td", {}, el("span", { class: "share-number" }, percent(mean.mean), el("span", { class: "detail" }, ` ${percent(mean.low)}–${percent(mean.high)}`)), bar);
}

/** A share for people: 61.5 %. */
export function percent(value) {
  return `${(100 * value).toFixed(1)} %`;
}
