// One question asked of several graphs and documents at once: those that answer it come first.

import { answerList, readingList } from "./answers.js";
import { askOnce } from "./ask-once.js";
import { announce, copyButton, counted, duration, el, fill, working } from "./dom.js";
import { go } from "./place.js";

const AT_ONCE = 2;

/** Ask every graph of the kind that was chosen, and show the answers as they come. */
export async function runAmong(state, { result, ended }) {
  state.abort?.abort();
  const abort = new AbortController();
  state.abort = abort;
  const graphs = state.graphs.filter((graph) => state.among === "all" || Boolean(graph.made_from_text) === (state.among === "documents"));
  const asked = graphs.map((graph) => ({ graph, read: null, error: null, done: false }));
  const line = working("");
  const list = el("div", { class: "among" });
  fill(result, line, list);
  const waiting = [...asked];
  const say = () => {
    const open = asked.filter(({ done }) => !done).map(({ graph }) => graph.name);
    if (open.length) line.say(`Asking ${open.slice(0, 4).join(", ")}${open.length > 4 ? " …" : ""} (${asked.length - open.length} of ${asked.length} done)`);
    else line.remove();
    draw(state, asked, list);
  };
  const worker = async () => {
    for (let one = waiting.shift(); one && !abort.signal.aborted; one = waiting.shift()) {
      try {
        one.read = await askOnce({ question: state.question, graph: one.graph.name }, { signal: abort.signal });
      } catch (error) {
        if (error.name === "AbortError") return;
        one.error = error;
      }
      one.done = true;
      if (!abort.signal.aborted) say();
    }
  };
  say();
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (abort.signal.aborted) return;
  list.append(el("div", { class: "share" }, copyButton("Copy a link", () => location.href)));
  const texts = ordered(asked).flatMap(({ read }) => read.answers.map(({ text }) => text));
  announce(texts.length ? `${counted(texts.length, "answer")}: ${texts.slice(0, 5).join(", ")}` : "No answer was found");
  ended(texts);
}

/** Those with answers, the surest first. */
function ordered(asked) {
  return asked.filter(({ read }) => read?.answers.length).sort((a, b) => (b.read.run.confidence ?? 0) - (a.read.run.confidence ?? 0));
}

function draw(state, asked, list) {
  const isFailure = ({ error }) => error && error.type !== "no_entity";
  const without = asked.filter((one) => one.done && !one.read?.answers.length && !isFailure(one));
  const open = (one) => go("ask", { q: state.question, graph: one.graph.name });
  const cited = (one) => async (citation, item, quotes) => (await import("./passage.js")).openPassage(one.graph.name, citation, item, quotes);
  const take = (one) => (reading) => go("ask", { q: reading.question, graph: one.graph.name, seed: reading.seeds });
  const readings = without.map((one) => [one, one.read?.run.readings || one.error?.readings || []]).filter(([, offered]) => offered.length);
  fill(list, ordered(asked).map((one) => el("section", { class: "panel", "aria-label": one.graph.name },
    el("div", { class: "side-top" }, el("h2", {}, one.graph.name, " ", el("span", { class: "tag" }, one.graph.made_from_text ? "documents" : "graph")),
      el("span", { class: "muted" }, duration(one.read.run.trace.seconds)),
      el("button", { type: "button", class: "quiet small", "aria-label": `Open in ${one.graph.name}`, onclick: () => open(one) }, "Open")),
    answerList(one.read, { choose: () => open(one), openCitation: cited(one), take: take(one) }))),
  without.length ? el("p", { class: "muted" }, `No answer in ${without.map(({ graph }) => graph.name).join(", ")}.`) : null,
  asked.filter(isFailure).map((one) => el("p", { class: "muted", role: "alert" }, `${one.graph.name} could not be asked: ${one.error.message}`)),
  asked.every(({ done }) => done) && without.length === asked.length ? readings.slice(0, 1).map(([one, offered]) => readingList(offered, take(one), `Did you mean, in ${one.graph.name}`)) : null);
}
