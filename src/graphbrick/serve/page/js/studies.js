// Studies on the page that compares: figures with intervals, quality against cost, and single questions.

import { get } from "./api.js";
import { counted, duration, el, fill, number, problem, working } from "./dom.js";
import { notePlace, readPlace } from "./place.js";
import { paretoPlot } from "./pareto.js";
import { percent, share } from "./shares.js";
import { showQuestions } from "./study-questions.js";

const METRICS = { hits_at_1: "Hits@1", hit: "Hit", f1: "F1" };
const LOST = { "not lost": "answered", none: "answered" };

/** Show the studies that the server has, under the comparison of two pipelines. */
export async function showStudies(element, values) {
  const { studies } = await get("studies");
  if (!studies.length) {
    fill(element, el("section", { class: "panel studies" }, el("h2", {}, "Studies"),
      el("p", { class: "muted" }, "A study measures pipelines on many questions. Write one with ", el("code", {}, "graphbrick evaluate"), " and start the server with ", el("code", {}, "--study FILE"), " to see it here.")));
    return;
  }
  const body = el("div", { class: "study" });
  const choice = el("select", { id: "study", onchange: () => open(choice.value) }, studies.map(({ name, runs, problem: reason }) => (
    el("option", { value: name, disabled: Boolean(reason) }, `${name} (${reason || counted(runs.length, "pipeline")})`))));
  const metric = el("select", { id: "metric", onchange: () => open(choice.value) }, Object.entries(METRICS).map(([name, label]) => el("option", { value: name }, label)));
  fill(element, el("section", { class: "panel studies", "aria-labelledby": "studies-title" },
    el("div", { class: "side-top" }, el("h2", { id: "studies-title" }, "Studies"), el("label", { class: "start-from", for: "study" }, "Study "), choice,
      el("label", { class: "start-from", for: "metric" }, "by "), metric), body));

  async function open(name) {
    const { page, values: now } = readPlace();
    if (page === "compare") notePlace("compare", { ...Object.fromEntries([...now.keys()].map((key) => [key, now.getAll(key)])), study: name, metric: metric.value });
    fill(body, working("Reading the study …"));
    try {
      const [summary, comparison] = await Promise.all([
        get("study", { parts: { name }, query: { metric: metric.value } }),
        get("comparison", { parts: { name }, query: { metric: metric.value } }),
      ]);
      const questions = el("div", {});
      fill(body, figures(summary, metric.value), paretoPlot(summary.runs, metric.value, METRICS[metric.value]), pairs(comparison), lost(summary), questions);
      showQuestions(questions, name, summary.runs);
    } catch (error) {
      fill(body, problem(error));
    }
  }

  const named = values.get("study");
  metric.value = values.get("metric") in METRICS ? values.get("metric") : "hits_at_1";
  if (studies.some(({ name }) => name === named)) choice.value = named;
  await open(choice.value);
}

function figures({ runs }, metric) {
  const ordered = [...new Set([metric, ...Object.keys(METRICS)])];
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table" }, el("table", { class: "plain figures" },
    el("caption", {}, "Best first; shares of all questions with 95 % intervals"),
    el("thead", {}, el("tr", {}, ["Pipeline", ...ordered.map((name) => METRICS[name]), "Median", "95 %", "Tokens", "Cost", "Questions"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, runs.map((run) => el("tr", {},
      el("th", { scope: "row" }, run.name, el("code", { class: "recipe-of-run" }, run.recipe)),
      ordered.map((name) => share(run.means[name]?.all)),
      el("td", { class: "number" }, duration(run.milliseconds.median / 1000)), el("td", { class: "number" }, duration(run.milliseconds.p95 / 1000)),
      el("td", { class: "number" }, number((run.used.tokens_in || 0) + (run.used.tokens_out || 0), 0)),
      el("td", { class: "number" }, run.used.cost ? `$${run.used.cost.toPrecision(2)}` : "–"),
      el("td", { class: "number" }, run.done < run.asked ? `${number(run.done)} of ${number(run.asked)}` : number(run.done)))))));
}

function pairs({ comparisons }) {
  if (!comparisons.length) return null;
  const rows = comparisons.filter(({ group }) => !group);
  return el("details", { class: "inner-section" }, el("summary", {}, `Paired tests (${rows.length})`), el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table" }, el("table", { class: "plain" },
    el("thead", {}, el("tr", {}, ["First", "Second", "Difference", "Won", "Lost", "p, corrected (Holm)"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, el("th", { scope: "row" }, row.first), el("td", {}, row.second),
      el("td", { class: "number" }, `${percent(row.difference.mean)} (${percent(row.difference.low)} to ${percent(row.difference.high)})`),
      el("td", { class: "number" }, number(row.better)), el("td", { class: "number" }, number(row.worse)), el("td", { class: "number" }, row.p_holm === null ? "–" : row.p_holm < 0.001 ? "under 0.001" : row.p_holm.toFixed(3))))))));
}

/** At which stage questions were lost, a bar for each pipeline. */
function lost({ runs }) {
  const kinds = [...new Set(runs.flatMap((run) => Object.keys(run.lost)))].sort((a, b) => Number(b in LOST) - Number(a in LOST));
  return el("section", { class: "inner-section", "aria-labelledby": "lost-title" }, el("h3", { id: "lost-title" }, "Where questions are lost"),
    el("ul", { class: "legend" }, kinds.map((kind, i) => el("li", {}, el("span", { class: `dot part-${i % 8}`, "aria-hidden": "true" }), LOST[kind] || kind))),
    runs.map((run) => {
      const total = Object.values(run.lost).reduce((sum, count) => sum + count, 0) || 1;
      const words = kinds.filter((kind) => run.lost[kind]).map((kind) => `${LOST[kind] || kind} ${number(run.lost[kind])}`).join(", ");
      const bar = el("div", { class: "parts", role: "img", "aria-label": `${run.name}: ${words}`, title: words }, kinds.map((kind, i) => {
        const part = el("span", { class: `part-${i % 8}` });
        part.style.width = `${(100 * (run.lost[kind] || 0)) / total}%`;
        return part;
      }));
      return el("div", { class: "lost-row" }, el("span", {}, run.name), bar);
    }));
}
