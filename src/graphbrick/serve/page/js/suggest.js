// A text field with suggestions, after the combobox pattern of the ARIA practices: arrow keys move, Enter takes, Escape
// closes, and a screen reader hears each suggestion.

import { announce, debounced, el, fill, newId } from "./dom.js";

/**
 * Give an input suggestions.
 *
 * @param {HTMLInputElement} input the field.
 * @param {object} options `find(text)` returns a promise of suggestions, each `{label, detail, value}`; `take(suggestion)`
 *   is called with the chosen one; `wait` milliseconds before looking. Suggestions for a text that has changed since are
 *   taken away at once, unless they still begin with it.
 * @returns {Element} the field with its list, to put into the page.
 */
export function withSuggestions(input, { find, take, wait = 120 }) {
  const list = el("ul", { class: "suggestions", role: "listbox", id: newId("suggestions"), hidden: true, "aria-label": "Suggestions" });
  let shown = [];
  let active = -1;
  let asked = 0;
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false",
  })) input.setAttribute(name, value);

  const close = () => {
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const stop = () => {
    close();
    asked += 1; // what is still looked up comes too late now
    look.cancel();
  };
  const choose = (index) => {
    const suggestion = shown[index];
    stop();
    take(suggestion);
  };
  const mark = (index) => {
    active = index;
    [...list.children].forEach((option, i) => option.setAttribute("aria-selected", String(i === index)));
    const option = list.children[index];
    if (option) {
      input.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };
  const show = (suggestions) => {
    const marked = shown[active]?.label;
    shown = suggestions;
    if (!shown.length) {
      close();
      return;
    }
    fill(list, shown.map((suggestion, index) => el("li", {
      role: "option", id: newId("option"), "aria-selected": "false",
      onpointerdown: (event) => { event.preventDefault(); choose(index); },
    }, el("span", {}, suggestion.label), suggestion.detail ? el("span", { class: "detail" }, suggestion.detail) : null)));
    mark(shown.findIndex(({ label }) => label === marked)); // what was marked stays so in a newer list
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    announce(`${shown.length} suggestions`);
  };
  const look = debounced(wait, async () => {
    asked += 1;
    const mine = asked;
    let suggestions = [];
    try {
      suggestions = await find(input.value);
    } catch {
      // A field works without suggestions; an error of the server is shown when the question is asked.
    }
    if (mine === asked && document.activeElement === input) show(suggestions);
  });
  const stillFit = (text) => shown.every(({ label, value }) => (typeof value === "string" ? value : label).toLowerCase().startsWith(text));
  input.addEventListener("input", () => {
    asked += 1; // what is looked up for the text before comes too late
    if (!list.hidden && !stillFit(input.value.trim().toLowerCase())) close();
    look();
  });
  input.addEventListener("blur", stop);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && active < 0) stop(); // the text is sent: nothing is to cover the answer
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      const step = event.key === "ArrowDown" ? 1 : -1;
      mark((active + step + shown.length + (active < 0 && step < 0 ? 1 : 0)) % shown.length);
    } else if (event.key === "Enter" && active >= 0) {
      event.preventDefault();
      event.stopImmediatePropagation();
      choose(active);
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  });
  return el("div", { class: "combobox" }, input, list);
}
