// Marking the answers of a run right or wrong, for the next graphbrick learn; of a server that may be written to.

import { send } from "./api.js";
import { announce, el, fill, problem } from "./dom.js";

/**
 * Two buttons below the answers; wrong ones may be put right by naming others.
 *
 * @param {object} state of the page: `graph`, `question`, `pipeline` and `seeds`.
 */
export function feedbackButtons(state) {
  const frame = el("div", { class: "feedback" });
  const asked = { question: state.question, graph: state.graph.name };
  if (state.pipeline) asked.pipeline = state.pipeline;
  if (state.seeds.length) asked.seeds = state.seeds;
  const mark = async (right, answers = []) => {
    try {
      const { learned } = await send("feedback", { ...asked, right, answers });
      const said = learned ? "Marked; the next graphbrick learn uses it." : "Marked; nothing is learned from it.";
      fill(frame, el("p", { class: "muted", role: "status" }, said));
      announce(said);
    } catch (error) {
      frame.append(problem(error));
    }
  };
  const others = () => {
    const input = el("input", { type: "text", "aria-label": "The right answers", placeholder: "The right answers; separated by semicolons", maxlength: 2000 });
    fill(frame, el("form", { onsubmit: (event) => { event.preventDefault(); mark(false, input.value.split(";").map((name) => name.trim()).filter(Boolean)); } },
      input, " ", el("button", { type: "submit", class: "small" }, "Mark wrong")));
    input.focus();
  };
  fill(frame, el("button", { type: "button", class: "quiet small", onclick: () => mark(true) }, "Right"), " ",
    el("button", { type: "button", class: "quiet small", onclick: others }, "Wrong"));
  return frame;
}
