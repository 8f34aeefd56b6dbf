// The window that offers bricks: by stage, with what they do; those that fit at the place come first.

import { fits, KIND_WORDS, STAGES } from "./bricks.js";
import { codeText, el, fill } from "./dom.js";

/**
 * Let the reader choose a brick.
 *
 * @param {Map} bricks the catalogue.
 * @param {string|null} level what the stage before gives; null if that is not known.
 * @param {string|null} kind the kind to show first.
 * @returns {Promise} the brick, or null.
 */
export function pickBrick(bricks, level, kind = null) {
  return new Promise((resolve) => {
    let chosen = null;
    const search = el("input", { type: "search", placeholder: "Search bricks", "aria-label": "Search bricks" });
    const list = el("div", { class: "picker-list" });
    const dialog = el("dialog", { class: "picker", "aria-labelledby": "picker-title" },
      el("div", { class: "picker-top" }, el("h2", { id: "picker-title" }, "Choose a brick"), el("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel")),
      search, list);
    const draw = () => {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const match = (brick) => words.every((word) => `${brick.name} ${brick.summary}`.toLowerCase().includes(word));
      const kinds = [...STAGES].sort((a, b) => rank(a) - rank(b));
      const groups = kinds.map((one) => [one, [...bricks.values()].filter((brick) => brick.kind === one && match(brick))]).filter(([, members]) => members.length);
      fill(list, groups.length ? groups.map(([one, members]) => el("section", {}, el("h3", {}, KIND_WORDS[one]),
        el("ul", {}, members.map((brick) => el("li", {}, el("button", { type: "button", class: "pick", onclick: () => { chosen = brick; dialog.close(); } },
          el("strong", {}, brick.name), el("span", { class: "muted" }, codeText(brick.summary))))))))
        : el("p", { class: "muted" }, "No brick is called or does that."));
    };
    const rank = (one) => (one === kind ? -1 : 0) + (fits(one, level) ? 0 : 10) + STAGES.indexOf(one) / 100;
    search.addEventListener("input", draw);
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(chosen);
    });
    draw();
    document.body.append(dialog);
    dialog.showModal();
    search.focus();
  });
}
