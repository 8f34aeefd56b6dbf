// The text of a recipe with the place of an error marked in it.

import { el, fill, newId } from "./dom.js";

/**
 * The field of a recipe text.
 *
 * @param {Function} changed called with the text as it is typed.
 * @returns {{element: Element, set: Function, get: Function, judge: Function}}
 */
export function recipeText(changed) {
  const id = newId("recipe");
  const back = el("pre", { class: "recipe-back", "aria-hidden": "true" });
  const area = el("textarea", { id, class: "recipe", spellcheck: "false", autocapitalize: "off", rows: 6, "aria-describedby": `${id}-error` });
  const said = el("div", { class: "recipe-error", id: `${id}-error`, role: "status" });
  let error = null;
  const draw = () => {
    const [start, end] = error?.line ? rangeOf(area.value, error) : [0, 0];
    fill(back, area.value.slice(0, start), end > start ? el("mark", {}, area.value.slice(start, end)) : null, `${area.value.slice(end)}\n`);
    area.style.height = "auto";
    area.style.height = `${Math.max(area.scrollHeight + 2, 140)}px`;
  };
  area.addEventListener("input", () => {
    error = null;
    draw();
    changed(area.value);
  });
  area.addEventListener("scroll", () => { back.scrollTop = area.scrollTop; });
  return {
    element: el("div", { class: "recipe-text" }, el("label", { for: id }, "Recipe text"), el("div", { class: "recipe-frame" }, back, area), said),
    get: () => area.value,
    set: (text) => {
      area.value = text;
      error = null;
      draw();
    },
    judge: (check) => {
      error = check.ok ? null : check.error;
      area.setAttribute("aria-invalid", String(!check.ok));
      fill(said, error ? el("div", { class: "notice bad" }, el("strong", {}, error.line ? `Line ${error.line}, column ${error.column}` : "This is not a pipeline yet"), el("p", {}, sentence(error.message))) : null);
      draw();
    },
  };
}

function sentence(message) {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? "" : "."}`;
}

/** Offsets of the wrong part in a text; lines and columns are from 1. */
function rangeOf(text, { line, column, end_line: endLine, end_column: endColumn }) {
  const lines = text.split("\n");
  const offset = (row, place) => lines.slice(0, row - 1).reduce((sum, one) => sum + one.length + 1, 0) + place - 1;
  const start = Math.min(offset(line, column), text.length);
  const end = endLine ? Math.min(offset(endLine, endColumn), text.length) : start + 1;
  return [start, Math.max(end, start + 1)];
}
