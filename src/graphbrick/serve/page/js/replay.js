// The replay of a path: forwards and back hop by hop, by buttons, by keys, or by itself.

import { announce, counted, el, fill } from "./dom.js";
import { hopSentence } from "./run.js";

const PACE = 1100; // milliseconds between hops

/**
 * The controls of a replay.
 *
 * @param {object} options `labels` by key; `show(path, hop, moving)` draws a state; `entries` the paths, each `{path}`;
 *   `single`, whether one path is drawn at a time.
 * @returns {{element: Element, choose: Function, stop: Function}} `choose(path)` turns to a path, `choose(-1)` to all.
 */
export function replayControls({ labels, show, entries, single = false }) {
  let current = -1;
  let hop = 0;
  let timer = 0;
  const button = (label, glyph, action) => el("button", { type: "button", class: "quiet icon", "aria-label": label, title: label, onclick: action }, el("span", { "aria-hidden": "true" }, glyph));
  const [first, back, forth, last] = [button("To the start", "⇤", () => go(0)), button("One hop back", "←", () => go(hop - 1)),
    button("One hop forward", "→", () => go(hop + 1)), button("To the end", "⇥", () => go(Infinity))];
  const play = el("button", { type: "button", class: "play", onclick: () => (timer ? stop() : start()) }, "Play");
  const everything = el("button", { type: "button", class: "quiet small", onclick: () => choose(-1) }, "All paths");
  const words = el("p", { class: "replay-words" });
  const steps = el("span", { class: "replay-steps muted" });

  const path = () => entries[current]?.path;

  function render(moving) {
    const chosen = path();
    const end = chosen ? chosen.hops.length : 0;
    back.disabled = first.disabled = !chosen || hop === 0;
    forth.disabled = last.disabled = Boolean(chosen) && hop === end;
    play.textContent = timer ? "Pause" : "Play";
    everything.disabled = !chosen;
    steps.textContent = chosen ? `Hop ${hop} of ${end}` : counted(entries.length, "path");
    const sentence = !chosen ? "Play a path, or choose an answer to see how it was found."
      : hop === 0 ? `The search starts at ${labels.get(chosen.stations[0])}.` : hopSentence(chosen.hops[hop - 1], labels);
    fill(words, sentence);
    show(current, hop, moving);
    if (chosen) announce(hop ? `Hop ${hop} of ${end}: ${sentence}` : sentence);
  }

  function go(to) {
    stop(false);
    if (!path()) current = 0;
    move(to);
  }

  function move(to) {
    const end = path().hops.length;
    const next = Math.max(0, Math.min(to, end));
    const moving = next === hop + 1;
    hop = next;
    render(moving);
    return hop < end;
  }

  function start() {
    if (!entries.length) return;
    if (!path()) current = 0;
    if (hop >= path().hops.length) hop = 0;
    timer = setInterval(() => { if (!move(hop + 1)) stop(); }, PACE);
    render(false);
  }

  function stop(again = true) {
    clearInterval(timer);
    timer = 0;
    if (again) render(false);
  }

  function choose(index) {
    stop(false);
    current = index;
    hop = path() ? path().hops.length : 0;
    render(false);
  }

  const keys = { ArrowRight: () => go(hop + 1), ArrowLeft: () => go(hop - 1), Home: () => go(0), End: () => go(Infinity), " ": () => (timer ? stop() : start()) };
  const onKey = (event) => {
    const free = event.target.closest?.("input, textarea, select, button, [role=button], summary, a") === null || event.key !== " ";
    if (keys[event.key] && free && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      keys[event.key]();
    }
  };
  const element = el("div", { class: "replay", role: "group", "aria-label": "Replay of a path", onkeydown: onKey },
    el("div", { class: "replay-buttons" }, first, back, play, forth, last, steps, single ? null : everything), words);
  return { element, choose, stop: () => stop(false), start, onKey, current: () => current };
}
