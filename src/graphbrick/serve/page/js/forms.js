// Form fields for the parameters of a brick, made from what the brick declares: type, range, choices, default and text.

import { bricksFor, literal, newBlock, takesPipeline } from "./bricks.js";
import { codeText, counted, el, newId } from "./dom.js";

/**
 * The form of a block.
 *
 * @param {object} block `{brick, parameters}`; changed in place.
 * @param {Map} bricks the catalogue.
 * @param {object} options `changed()` after a change of a value, `reshaped()` if other fields are needed; `nested(block,
 *   take)` draws a pipeline inside a parameter; `errorAt(path)` gives the error of a place, or null; `path` of this block.
 */
export function blockForm(block, bricks, options) {
  const brick = bricks.get(block.brick);
  if (!brick) return el("p", { class: "muted" }, `There is no brick ${block.brick} here.`);
  const shown = brick.parameters.filter((parameter) => isPlain(parameter, block));
  const more = brick.parameters.filter((parameter) => !isPlain(parameter, block));
  const field = (parameter) => parameterField(block, parameter, bricks, options);
  return el("div", { class: "form" }, shown.map(field),
    more.length ? el("details", { class: "more" }, el("summary", {}, counted(more.length, "more setting")), more.map(field)) : null);
}

/** Whether a parameter is shown at once: it must be given, was changed, or is worth trying. */
function isPlain(parameter, block) {
  return parameter.default === null || parameter.name in block.parameters || parameter.search.length > 0;
}

function parameterField(block, parameter, bricks, options) {
  const id = newId("field");
  const path = [...options.path, "parameters", parameter.name];
  const error = options.errorAt(path);
  const set = (value) => {
    if (value === undefined) delete block.parameters[parameter.name];
    else block.parameters[parameter.name] = value;
  };
  const input = inputFor(block, parameter, bricks, { ...options, id, path, set, owner: block });
  const isSet = parameter.name in block.parameters && parameter.default !== null;
  return el("div", { class: `field${error ? " wrong" : ""}` },
    el("label", { for: id }, parameter.name.replaceAll("_", " ")),
    el("div", { class: "field-input" }, input, tries(parameter, id),
      isSet && !takesPipeline(parameter) ? el("button", { type: "button", class: "quiet small", title: `Back to ${parameter.default}`, "aria-label": `${parameter.name}: back to the default, ${parameter.default}`, onclick: () => { set(undefined); options.reshaped(); } }, "Default") : null),
    error ? el("p", { class: "field-error", role: "alert" }, error.message) : null,
    el("p", { class: "help", id: `${id}-help` }, codeText(parameter.doc), parameter.allowed && !parameter.choices.length && !parameter.parts.length ? ` (${parameter.allowed})` : ""));
}

function inputFor(block, parameter, bricks, options) {
  const { id, set, changed } = options;
  const value = parameter.name in block.parameters ? block.parameters[parameter.name] : literal(parameter.default);
  const common = { id, "aria-describedby": `${id}-help`, name: parameter.name };
  const kinds = parameter.type.split(" | ");
  if (takesPipeline(parameter)) return options.nested(value, set, options.path);
  if (parameter.parts.length) return brickField(value, parameter, bricks, { ...options, common });
  if (kinds.includes("bool")) {
    return el("input", { ...common, type: "checkbox", checked: value === true, onchange: (event) => { set(event.target.checked); changed(); } });
  }
  if (parameter.choices.length) {
    return el("select", { ...common, value: String(value), onchange: (event) => { set(event.target.value); changed(); } },
      parameter.choices.map((choice) => el("option", { value: choice }, choice)));
  }
  const isText = kinds.includes("str") && !kinds.includes("float");
  if (isText) {
    return el("input", { ...common, type: "text", value: value ?? "", placeholder: parameter.default === "None" ? "none" : "", oninput: (event) => { set(event.target.value === "" && kinds.includes("None") ? null : event.target.value); changed(); } });
  }
  const whole = !kinds.includes("float");
  return el("input", { ...common, type: "text", inputmode: whole ? "numeric" : "decimal", class: "number", value: value === null || value === undefined ? "" : String(value),
    placeholder: kinds.includes("None") ? "none" : "", list: parameter.search.length ? `${id}-tries` : null,
    oninput: (event) => { set(numberFrom(event.target.value, kinds)); changed(); } });
}

/** What was typed as a number, or the text itself, about which the server then says what is allowed. */
function numberFrom(text, kinds) {
  const typed = text.trim();
  if (typed === "") return kinds.includes("None") ? null : undefined;
  return /^[-+]?(\d[\d_]*)?(\.\d*)?(e[-+]?\d+)?$/i.test(typed) && /\d/.test(typed) ? Number(typed.replaceAll("_", "")) : typed;
}

/** Values worth trying, as suggestions of the browser. */
function tries(parameter, id) {
  if (!parameter.search.length || parameter.choices.length || parameter.parts.length) return null;
  return el("datalist", { id: `${id}-tries` }, parameter.search.map((value) => el("option", { value: literal(value) ?? value })));
}

/** A model inside a brick: which one, and its own parameters. */
function brickField(value, parameter, bricks, options) {
  const choices = bricksFor(bricks, parameter.parts);
  const none = parameter.type.includes("None");
  const isText = typeof value === "string" || typeof value === "number";
  const chosen = value && typeof value === "object" ? value.brick : "";
  const select = el("select", { ...options.common, value: chosen, onchange: (event) => {
    const brick = bricks.get(event.target.value);
    options.set(brick ? newBlock(brick, bricks) : null);
    options.reshaped();
  } }, none || !chosen ? el("option", { value: "" }, isText ? String(value) : "none") : null, choices.map((brick) => el("option", { value: brick.name }, brick.name)));
  if (!chosen) return select;
  const inner = bricks.get(chosen);
  const isWritten = parameter.name in options.owner.parameters;
  // The parts of a default are shown once it has been written into the block.
  return el("div", { class: "inner-brick" }, select, el("p", { class: "help" }, inner ? codeText(inner.summary) : ""),
    inner?.parameters.length && isWritten ? el("details", { open: false }, el("summary", {}, `Settings of ${chosen}`), blockForm(value, bricks, { ...options, path: options.path })) : null);
}
