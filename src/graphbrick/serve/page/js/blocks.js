// A pipeline as blocks: a sequence from top to bottom, unions with their branches side by side. Blocks are moved by
// dragging or by keys, and every change is told, so that the text beside them follows.

import { KIND_WORDS, nameOf, newBlock, sequence, stagesOf } from "./bricks.js";
import { announce, codeText, el, fill } from "./dom.js";
import { blockForm } from "./forms.js";
import { pickBrick } from "./picker.js";

const LEVELS = { query: "seeds", subgraph: "subgraph", evidence: "evidence", answer: "answer" };

/**
 * The editor of blocks.
 *
 * @param {Map} bricks the catalogue.
 * @param {Function} changed called with the whole tree after every change.
 * @returns {{element: Element, show: Function}} `show(tree, check)` draws a tree with what the server says of it.
 */
export function blockEditor(bricks, changed) {
  const element = el("div", { class: "blocks", role: "group", "aria-label": "Blocks of the pipeline" });
  let root = [];
  let check = null;
  let open = null; // the block whose form is open
  let dragged = null;

  const tree = () => sequence(root);
  const draw = (focus = null) => {
    // Drawing anew must not take the keyboard away from where it is.
    const active = element.contains(document.activeElement) ? document.activeElement : null;
    const before = active?.closest("[data-block]")?.dataset.block;
    const label = active?.getAttribute("aria-label");
    fill(element, column(root, [], root.length > 1 ? ["then"] : []));
    const block = element.querySelector(`[data-block="${focus ? idOf(focus) : before}"]`);
    if (focus) block?.querySelector(".block-name")?.focus();
    else if (block) ([...block.querySelectorAll("button")].find((one) => label && one.getAttribute("aria-label") === label) || block.querySelector(".block-name"))?.focus();
  };
  const tell = (focus = null) => {
    draw(focus);
    changed(tree());
  };

  /** One list of stages, with places to insert between them; `path` as errors name it. */
  function column(list, branchPath, path) {
    const outer = branchPath.length === 0;
    return el("ol", { class: "sequence" },
      insertion(list, 0, outer ? "query" : null),
      list.map((block, index) => [
        el("li", {}, card(list, block, index, [...branchPath, ...path, ...(path.length ? [index] : [])])),
        insertion(list, index + 1, outer ? check?.stages?.[index]?.gives : null),
      ]));
  }

  function insertion(list, index, level) {
    const add = el("button", { type: "button", class: "insert", "aria-label": `Insert a stage ${index === 0 ? "at the beginning" : `after ${nameOf(list[index - 1])}`}`,
      onclick: async () => {
        const brick = await pickBrick(bricks, level);
        if (!brick) return;
        const block = newBlock(brick, bricks);
        list.splice(index, 0, block);
        open = block;
        tell(block);
      } }, el("span", { "aria-hidden": "true" }, "+"));
    const row = el("li", { class: "joint" }, el("span", { class: "line", "aria-hidden": "true" }), index && level && LEVELS[level] ? el("span", { class: "level" }, LEVELS[level]) : null, add);
    dropZone(row, () => {
      const [from, at] = dragged;
      const [block] = from.splice(at, 1);
      list.splice(from === list && at < index ? index - 1 : index, 0, block);
      afterMove(block);
    });
    return row;
  }

  function card(list, block, index, path) {
    if (block.union) return unionCard(list, block, index, path);
    const brick = bricks.get(block.brick);
    const error = errorOf(path, block);
    const isOpen = open === block;
    const name = el("button", { type: "button", class: "block-name", "aria-expanded": String(isOpen), onclick: () => { open = isOpen ? null : block; draw(block); } },
      el("strong", {}, block.brick), el("span", { class: "block-values" }, valuesOf(block)));
    const node = el("div", { class: `block${error ? " wrong" : ""}`, "data-block": idOf(block), "data-kind": brick?.kind || "", draggable: "true", onkeydown: (event) => onKey(event, list, index) },
      el("div", { class: "block-top" }, el("span", { class: "handle", "aria-hidden": "true", title: "Drag to move" }, "⠿"),
        el("span", { class: "kind" }, (KIND_WORDS[brick?.kind] || "").split(":")[0]), name, tools(list, block, index)),
      error ? el("p", { class: "field-error", role: "alert" }, error.message) : null,
      isOpen ? el("div", { class: "block-form" }, brick ? el("p", { class: "muted" }, codeText(brick.summary)) : null,
        blockForm(block, bricks, { path, errorAt: errorAt(block, path), changed: () => changed(tree()), reshaped: () => tell(block), nested: (value, set, at) => nested(value, set, [...path, "parameters", "stage"], at) }),
        brick?.paper ? el("p", { class: "help" }, codeText(brick.paper)) : null) : null);
    node.addEventListener("dragstart", (event) => {
      if (event.target !== node) return;
      dragged = [list, index];
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", block.brick);
      requestAnimationFrame(() => element.classList.add("dragging"));
      event.stopPropagation();
    });
    node.addEventListener("dragend", () => {
      element.classList.remove("dragging");
      if (dragged) { // dropped nowhere; what came meanwhile is drawn now
        dragged = null;
        draw();
      }
    });
    dropZone(node, () => {
      const [from, at] = dragged;
      if (from[at] === block) return;
      const [other] = from.splice(at, 1);
      list[list.indexOf(block)] = { union: [block, ...(other.union || [other])] };
      afterMove(other);
    });
    return node;
  }

  function unionCard(list, block, index, path) {
    const error = errorOf(path, block);
    return el("div", { class: `union${error ? " wrong" : ""}`, "data-block": idOf(block), role: "group", "aria-label": "Union", onkeydown: (event) => onKey(event, list, index) },
      el("div", { class: "block-top" }, el("span", { class: "kind" }, "Union"), el("span", { class: "muted block-name", tabindex: -1 }, "the results of all branches together"), tools(list, block, index)),
      error ? el("p", { class: "field-error", role: "alert" }, error.message) : null,
      el("div", { class: "branches" }, block.union.map((branch, i) => {
        const stages = stagesOf(branch);
        const watched = watchedList(stages, (next) => { block.union[i] = next; });
        return el("div", { class: "branch", role: "group", "aria-label": `Branch ${i + 1}` }, column(watched, [...path, "union", i], branch.then ? ["then"] : []));
      })));
  }

  function tools(list, block, index) {
    const button = (label, glyph, action, off = false) => el("button", { type: "button", class: "quiet icon small", "aria-label": `${label}: ${nameOf(block)}`, title: label, disabled: off, onclick: action }, el("span", { "aria-hidden": "true" }, glyph));
    return el("span", { class: "tools" },
      button("Move up", "↑", () => move(list, index, -1), index === 0),
      button("Move down", "↓", () => move(list, index, 1), index === list.length - 1),
      button("Add an alternative beside it", "∥", () => branch(list, index)),
      button("Remove", "×", () => remove(list, index)));
  }

  function onKey(event, list, index) {
    const typing = event.target.closest("input, select, textarea");
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      event.preventDefault();
      event.stopPropagation();
      move(list, index, event.key === "ArrowUp" ? -1 : 1);
    } else if (event.key === "Delete" && !typing) {
      event.preventDefault();
      event.stopPropagation();
      remove(list, index);
    }
  }

  function move(list, index, step) {
    const to = index + step;
    if (to < 0 || to >= list.length) return;
    const block = list[index];
    const other = list[to];
    list[index] = other;
    list[to] = block;
    announce(`${nameOf(block)} moved ${step < 0 ? "up" : "down"}, now ${to + 1} of ${list.length}`);
    tell(block);
  }

  function remove(list, index) {
    const [block] = list.splice(index, 1);
    tidy();
    announce(`${nameOf(block)} removed`);
    tell(list[Math.min(index, list.length - 1)] || null);
  }

  async function branch(list, index) {
    const block = list[index];
    const kind = block.union ? null : bricks.get(block.brick)?.kind;
    const brick = await pickBrick(bricks, null, kind);
    if (!brick) return;
    const other = newBlock(brick, bricks);
    list[index] = { union: [...(block.union || [block]), other] };
    open = other;
    tell(other);
  }

  function afterMove(block) {
    tidy();
    dragged = null;
    tell(block);
  }

  /** Unions of one branch, and branches without a stage, are no unions. */
  function tidy() {
    const clean = (list) => {
      const flat = list.map((block) => {
        if (!block.union) return block;
        const branches = block.union.map((one) => sequence(clean(stagesOf(one)))).filter((one) => !one.then || one.then.length);
        return branches.length > 1 ? { union: branches } : branches[0] || null;
      }).filter(Boolean).flatMap((block) => block.then || [block]);
      return flat;
    };
    root = clean(root);
  }

  function dropZone(node, dropped) {
    node.addEventListener("dragover", (event) => {
      if (!dragged) return;
      event.preventDefault();
      event.stopPropagation();
      node.classList.add("over");
    });
    node.addEventListener("dragleave", () => node.classList.remove("over"));
    node.addEventListener("drop", (event) => {
      if (!dragged) return;
      event.preventDefault();
      event.stopPropagation();
      node.classList.remove("over");
      element.classList.remove("dragging");
      dropped();
    });
  }

  /** A pipeline inside a parameter, such as what is repeated. */
  function nested(value, set, path) {
    const stages = stagesOf(value || { then: [] });
    const watched = watchedList(stages, set);
    return el("div", { class: "branch" }, column(watched, path, value?.then ? ["then"] : []));
  }

  function errorOf(path, block) {
    const error = check && !check.ok ? check.error : null;
    if (!error?.at) return null;
    const same = JSON.stringify(error.at) === JSON.stringify(path);
    return same && !(open === block && fieldOf(error, block)) ? error : null;
  }

  function errorAt(block, path) {
    const error = check && !check.ok ? check.error : null;
    return (at) => {
      if (!error?.at) return null;
      const here = JSON.stringify(at);
      if (here === JSON.stringify(error.at)) return error;
      return here === JSON.stringify([...error.at, "parameters", fieldOf(error, block)]) ? error : null;
    };
  }

  return {
    element,
    show: (next, said) => {
      root = next ? structuredClone(stagesOf(next)) : [];
      check = said;
      open = null;
      draw();
    },
    judge: (said) => {
      check = said;
      // Forms keep their focus: only what the server says is drawn anew.
      if (dragged) return; // drawing anew would end the drag
      const typing = element.contains(document.activeElement) && document.activeElement.closest("input, select, textarea");
      if (typing) mark();
      else draw();
    },
  };

  /** Show errors without drawing the form anew in which somebody types. */
  function mark() {
    const field = document.activeElement.closest(".field");
    field.querySelector(".field-error")?.remove();
    const wrong = check && !check.ok;
    field.classList.toggle("wrong", Boolean(wrong));
    if (wrong) field.querySelector(".help").before(el("p", { class: "field-error", role: "alert" }, check.error.message));
    const block = field.closest(".block");
    const name = block?.querySelector(".block-values");
    if (name && open) name.textContent = valuesOf(open);
  }
}

/** A list of stages that tells the block it stands for after every change: of one stage, or a sequence. */
function watchedList(stages, set) {
  return new Proxy(stages, { set: (target, key, value) => {
    target[key] = value;
    set(sequence(target));
    return true;
  } });
}

/** The parameter that an error such as "PPR restart must be ..." speaks of. */
function fieldOf(error, block) {
  const found = /^(\w+) (\w+) must be/.exec(error.message);
  return found && found[1] === block.brick ? found[2] : "";
}

/** The values of a block in short, such as "k = 500, direction = out". */
function valuesOf(block) {
  return Object.entries(block.parameters || {}).map(([name, value]) => `${name} = ${shortOf(value)}`).join(", ");
}

function shortOf(value) {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.map(shortOf).join(" ");
  if (typeof value !== "object") return String(value);
  if (value.then || value.union) return (value.then || value.union).map(shortOf).join(value.then ? " >> " : " | ");
  return value.brick;
}

const ids = new WeakMap();
let last = 0;

/** An id of a block that stays when it is moved. */
function idOf(block) {
  if (!ids.has(block)) ids.set(block, (last += 1));
  return ids.get(block);
}
