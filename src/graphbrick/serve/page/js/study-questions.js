// The questions of a study: a page at a time, filtered by the pipeline and stage that lost them; each opens.

import { get } from "./api.js";
import { counted, duration, el, fill, number, problem } from "./dom.js";
import { go } from "./place.js";
import { timeline } from "./timeline.js";

const PAGE = 25;

/** Show the questions of a study. */
export function showQuestions(element, study, runs) {
  const state = { run: "", lost: "", offset: 0 };
  const body = el("div", {});
  const stages = [...new Set(runs.flatMap((run) => Object.keys(run.lost)))].filter((stage) => stage !== "not lost");
  const filter = (id, label, options, set) => [el("label", { class: "start-from", for: id }, label), el("select", { id, onchange: (event) => { set(event.target.value); state.offset = 0; load(); } }, options)];
  fill(element, el("section", { class: "inner-section", "aria-labelledby": "questions-title" },
    el("div", { class: "side-top" }, el("h3", { id: "questions-title" }, "Questions"),
      filter("questions-run", "of ", [el("option", { value: "" }, "every pipeline"), runs.map((run) => el("option", { value: run.run }, run.name))], (value) => { state.run = value; }),
      filter("questions-lost", "lost at ", [el("option", { value: "" }, "any stage, or none"), stages.map((stage) => el("option", { value: stage }, stage))], (value) => { state.lost = value; })),
    body));

  async function load() {
    let found;
    try {
      found = await get("questions", { parts: { name: study }, query: { run: state.run, lost_at: state.lost, offset: state.offset, n: PAGE } });
    } catch (error) {
      fill(body, problem(error));
      return;
    }
    const turn = (label, offset, off) => el("button", { type: "button", class: "small", disabled: off, onclick: () => { state.offset = offset; load(); } }, label);
    fill(body, el("p", { class: "muted", role: "status" }, counted(found.count, "question")),
      el("ul", { class: "question-list" }, found.questions.map((question) => row(question))),
      found.count > PAGE ? el("div", { class: "turn" }, turn("Back", state.offset - PAGE, state.offset === 0), turn("Further", found.next, found.next === null)) : null);
  }

  function row(question) {
    const outcome = (run) => {
      const result = question.results[run.run];
      if (!result) return el("span", { class: "outcome", title: `${run.name}: not asked yet` }, "·");
      const right = result.metrics.hits_at_1 === 1;
      const words = result.error ? `error: ${result.error}` : right ? "right" : result.lost_at === "none" ? "not first" : `lost at ${result.lost_at}`;
      return el("span", { class: `outcome ${right ? "right" : "wrong"}`, title: `${run.name}: ${words}` }, el("span", { "aria-hidden": "true" }, right ? "✓" : "✗"), el("span", { class: "hidden" }, `${run.name}: ${words}. `));
    };
    const details = el("details", {}, el("summary", {}, el("span", { class: "question-text" }, question.text), el("span", { class: "outcomes" }, runs.map(outcome))));
    details.addEventListener("toggle", async () => {
      if (!details.open || details.dataset.read) return;
      details.dataset.read = "yes";
      try {
        const found = await get("question", { parts: { name: study, question: question.question } });
        put(details, question, found);
      } catch (error) {
        details.append(problem(error));
      }
    });
    return el("li", {}, details);
  }

  function put(details, question, found) {
    const gold = question.gold.slice(0, 10).join(", ") || "not known";
    details.append(el("p", { class: "muted" }, `Right: ${gold}. Starts at ${question.seeds.map(({ label }) => label).join(", ") || "nothing"}.`),
      el("div", { class: "question-runs" }, runs.filter((run) => found.runs[run.run]).map((run) => oneRun(run, question.results[run.run], found.runs[run.run], question))));
  }

  load();
}

function oneRun(run, result, detail, question) {
  const lost = !result ? "" : result.error || (result.lost_at === "none" ? "" : `The answer was lost at ${result.lost_at}.`);
  return el("section", { class: "question-run", "aria-label": run.name },
    el("h3", {}, run.name, el("span", { class: "detail" }, result ? ` ${duration(result.seconds)}` : "")),
    lost ? el("p", { class: "lost" }, lost) : null,
    el("ol", { class: "short-answers" }, detail.answers.slice(0, 6).map((answer) => el("li", { class: answer.right ? "right" : "" },
      el("span", {}, answer.right ? "✓ " : "", answer.text), answer.support?.[0] ? el("span", { class: "detail" }, answer.support[0]) : null)),
    detail.answers.length ? null : el("li", { class: "muted" }, "No answer")),
    el("details", {}, el("summary", {}, `${counted(detail.paths.length, "path")} and ${counted(detail.stages.length, "stage")}`),
      el("ol", { class: "evidence-list" }, detail.paths.map((path) => el("li", { class: "evidence" }, el("span", { class: "score" }, number(path.score, 3)), el("span", {}, path.right ? "✓ " : "", path.text)))),
      timeline({ stages: detail.stages })),
    el("button", { type: "button", class: "quiet small", onclick: () => go("ask", { q: question.text, pipeline: run.recipe }) }, "Ask it now"));
}
