"use strict";
(() => {
  const find = (name) => document.getElementById(name);
  const read = (name) => { const block = find(name); return block && JSON.parse(block.textContent); };

  // An element with its content; what is text is put in as text, never as markup.
  function make(name, attributes, ...content) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value !== null && value !== undefined) element.setAttribute(key, value);
    }
    element.append(...content.flat(9).filter((piece) => piece !== null && piece !== undefined));
    return element;
  }
  const bdi = (text) => make("bdi", {}, text);

  // ---- light and dark ----
  const theme = find("theme"), root = document.documentElement;
  const isDark = () => root.classList.contains("dark")
    || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.hidden = false;
  nameTheme();
  theme.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    root.classList.remove("light", "dark");
    root.classList.add(next);
    nameTheme();
  });

  // ---- tables that are sorted by their headings ----
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells], body = table.tBodies[0];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const rows = [...body.rows], cells = new Map(rows.map((row) => [row, row.cells[column].dataset.v]));
      const numeric = rows.every((row) => cells.get(row) === undefined || !Number.isNaN(Number(cells.get(row))));
      const before = head.getAttribute("aria-sort");
      const up = before ? before === "descending" : head.classList.contains("text") || column === 0;
      rows.sort((a, b) => {
        const [x, y] = [cells.get(a), cells.get(b)];
        if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
        return (numeric ? x - y : x.localeCompare(y)) * (up ? 1 : -1);
      });
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      body.append(...rows);
    }));
  }

  // ---- what a mark of a chart means: the browser's own title is slow and cannot be reached by keyboard ----
  const tip = find("tip");
  for (const title of document.querySelectorAll("svg title")) {
    const mark = title.parentNode, text = title.textContent;
    if (!mark.hasAttribute("aria-label")) mark.setAttribute("aria-label", text);
    title.remove();
    const show = (x, y) => {
      tip.textContent = text;
      tip.hidden = false;
      const box = tip.getBoundingClientRect();
      tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.width - 8)) + "px";
      tip.style.top = (y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 12) : y + 16) + "px";
    };
    mark.addEventListener("pointermove", (event) => show(event.clientX, event.clientY));
    mark.addEventListener("pointerleave", () => { tip.hidden = true; });
    mark.addEventListener("focus", () => { const at = mark.getBoundingClientRect(); show(at.right, at.bottom - 16); });
    mark.addEventListener("blur", () => { tip.hidden = true; });
  }
  addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

  // ---- the browser of questions ----
  const list = find("list");
  if (!list) return;
  const questions = read("data-questions"), scores = read("data-scores"), runs = scores.runs;
  const total = questions.text.length, PAGE = 25, NONE = "-";
  const search = questions.text.map((text, i) => (questions.name[i] + "\n" + text).toLowerCase());
  const placeOf = new Map(questions.detailed.map((question, place) => [question, place]));
  const stage = (run, i) => run.lost[i] === NONE ? "" : scores.stages[run.lost[i].charCodeAt(0) - 97];
  const filters = {}, pieces = new Map();
  let found = [], page = 0, open = null;

  function select(name, title, options) {
    const box = make("select", { onchange: refresh }, options.map(([value, text]) => make("option", { value }, text)));
    filters[name] = box;
    return make("label", {}, title, box);
  }

  function details(question) {
    const place = placeOf.get(question);
    if (place === undefined) return null;
    const piece = Math.floor(place / questions.together);
    if (!pieces.has(piece)) {
      if (pieces.size > 20) pieces.clear();
      pieces.set(piece, read("data-details-" + piece));
    }
    const data = pieces.get(piece);
    return { row: data.rows[place % questions.together], text: (i) => data.texts[i] };
  }

  function refresh() {
    const value = (name) => filters[name] ? filters[name].value : "";
    const run = runs[value("run")], other = runs[value("other")];
    const words = value("text").toLowerCase().split(/\s+/).filter(Boolean);
    const [hops, dataset, lost, outcome, only] = ["hops", "dataset", "lost", "outcome", "only"].map(value);
    found = [];
    for (let i = 0; i < total; i++) {
      if (hops !== "" && questions.hops[i] !== Number(hops)) continue;
      if (dataset !== "" && questions.dataset[i] !== Number(dataset)) continue;
      if (lost !== "" && stage(run, i) !== lost) continue;
      if (outcome !== "" && run.hits[i] !== outcome) continue;
      if (other && !(run.hits[i] + other.hits[i] === "10" || run.hits[i] + other.hits[i] === "01")) continue;
      if (only === "answerable" && questions.answerable[i] !== "1") continue;
      if (only === "details" && !placeOf.has(i)) continue;
      if (!words.every((word) => search[i].includes(word))) continue;
      found.push(i);
    }
    const key = { f1: run.f1, slow: run.ms.map((ms) => -ms) }[value("order")];
    if (key) found.sort((a, b) => key[a] - key[b] || a - b);
    page = 0;
    open = null;
    show();
  }

  const outcomes = { 1: ["right", "right"], 0: ["wrong", "wrong"], "?": ["faint", "not scored"], "-": ["faint", "not done"] };
  const outcomeOf = (run, i) => make("span", { class: outcomes[run.hits[i]][0] }, outcomes[run.hits[i]][1]);
  const time = (ms) => ms < 0 ? "" : ms < 1000 ? ms + " ms" : (ms / 1000).toPrecision(3) + " s";

  function show() {
    const run = runs[filters.run.value], other = runs[filters.other ? filters.other.value : ""];
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    const heads = ["question", "hops", "Hits@1", other ? "the other" : null, "F1", "lost at", "time"].filter(Boolean);
    const less = (name) => ["hops", "F1", "time"].includes(name) ? "less" : null;
    const body = make("tbody");
    for (const i of found.slice(page * PAGE, (page + 1) * PAGE)) {
      const button = make("button", {
        type: "button", class: "question", "aria-expanded": String(open === i), onclick: () => toggle(i, line, button),
      }, bdi(questions.text[i]), " ", make("small", {}, bdi(questions.name[i])));
      const line = make("tr", {},
        make("td", {}, button),
        make("td", { class: "less" }, questions.hopses[questions.hops[i]]),
        make("td", {}, outcomeOf(run, i)),
        other ? make("td", {}, outcomeOf(other, i)) : null,
        make("td", { class: "less" }, run.f1[i] < 0 ? "" : String(run.f1[i])),
        make("td", {}, stage(run, i)),
        make("td", { class: "less number" }, time(run.ms[i])));
      body.append(line);
      if (open === i) body.append(detailRow(i));
    }
    const columns = make("tr", {}, heads.map((name) => make("th", { scope: "col", class: less(name) }, name)));
    list.replaceChildren(make("thead", {}, columns), body);
    find("found").textContent = `${found.length.toLocaleString("en")} of ${total.toLocaleString("en")} questions`
      + (pages > 1 ? `, page ${page + 1} of ${pages}` : "");
    find("before").disabled = page === 0;
    find("after").disabled = page >= pages - 1;
  }

  function toggle(i, line, button) {
    const was = open === i, previous = list.querySelector("tr.detail");
    if (previous) {
      previous.previousSibling.querySelector(".question").setAttribute("aria-expanded", "false");
      previous.remove();
    }
    open = was ? null : i;
    if (!was) {
      button.setAttribute("aria-expanded", "true");
      line.after(detailRow(i));
    }
  }

  function detailRow(i) {
    const cell = make("td", { colspan: 9 });
    fill(cell, i, Number(filters.run.value));
    return make("tr", { class: "detail" }, cell);
  }

  function fill(cell, i, at) {
    const known = details(i);
    const chips = runs.map((run, k) => make("button", {
      type: "button", "aria-pressed": String(k === at), title: run.recipe, onclick: () => {
        fill(cell, i, k);
        cell.querySelectorAll(".chips button")[k].focus();
      },
    }, String(run.number), bdi(run.name), outcomeOf(run, i)));
    const parts = [runs.length > 1 ? make("div", { class: "chips" }, chips) : null];
    if (known) parts.push(questionFacts(known, i), outcomeFacts(known, i, at));
    else parts.push(make("p", {}, "Answers and paths of this question are not in the page; "
      + "a report with a larger --details has them."));
    cell.replaceChildren(...parts.filter(Boolean));
  }

  function facts(pairs) {
    const shown = pairs.filter(([, value]) => value !== null && value !== "" && !(Array.isArray(value) && !value.length));
    return make("dl", { class: "facts" }, shown.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  }
  const joined = (places, text) => places.flatMap((place, k) => [k ? "; " : null, bdi(text(place))]);

  function questionFacts({ row, text }, i) {
    const gold = row.gold.flatMap(([names, known], k) => [
      k ? "; " : null, bdi(text(names[0])),
      names.length > 1 ? make("small", {}, " (also ", joined(names.slice(1), text), ")") : null,
      known ? null : make("small", {}, " not in the graph"),
    ]);
    if (row.golds > row.gold.length) gold.push(` and ${row.golds - row.gold.length} more`);
    return facts([
      ["gold", gold], ["seeds", joined(row.seeds, text)], ["not in the graph", joined(row.missing, text)],
      ["data set", questions.datasets[questions.dataset[i]]],
      ["distance", row.distance === null ? "" : row.distance + (row.distance === 1 ? " hop" : " hops")],
      ["known of it", joined(row.facts, text)],
    ]);
  }

  function outcomeFacts({ row, text }, i, at) {
    const run = runs[at], own = row.runs[at], part = make("div");
    if (!own) {
      part.append(make("p", {}, run.hits[i] === NONE ? "This pipeline is not done with this question." : "Nothing is kept of it."));
      return part;
    }
    const mark = (right) => right < 0 ? null : make("span", { class: right ? "right" : "faint" }, right ? " ✓ right" : "");
    part.append(make("h4", {}, "with ", bdi(run.name)), facts([
      ["lost at", stage(run, i)], ["error", own.error ? make("span", { class: "wrong" }, bdi(own.error)) : ""],
      ["started from", own.seeds ? joined(own.seeds, text) : ""],
      ["judged", own.judge ? [make("span", { class: ["wrong", "right"][own.judge[0]] || "faint" },
        ["wrong", "right"][own.judge[0]] || "not judged"), " ", make("small", {}, bdi(text(own.judge[1]))),
      own.judge[2].map((event) => make("div", { class: "faint" }, bdi(text(event))))] : ""],
    ]));
    const more = (kept, all) => all > kept ? make("p", { class: "faint" }, `${(all - kept).toLocaleString("en")} more`) : "";
    part.append(make("h4", {}, own.answers.length ? "answers" : "no answer"));
    part.append(make("ol", {}, own.answers.map(([answer, right, support]) => make("li", {}, bdi(text(answer)), mark(right),
      support.length ? make("ul", {}, support.map((path) => make("li", { class: "faint" }, bdi(text(path))))) : null))));
    part.append(more(own.answers.length, own.n_answers));
    part.append(make("h4", {}, own.paths.length ? "paths, best first" : "no path in the evidence"));
    part.append(make("ol", {}, own.paths.map(([path, score, right]) => make("li", {},
      make("small", {}, (score === null ? "no score" : String(score)) + " "), bdi(text(path)), mark(right)))));
    part.append(more(own.paths.length, own.n_paths));
    const events = own.stages.flatMap((entry) => entry[3]);
    if (events.length) part.append(make("h4", {}, "events"), make("ul", {}, events.map((event) => make("li", {}, bdi(text(event))))));
    if (own.said && own.said.length) {
      part.append(make("details", {}, make("summary", {}, `prompts and replies (${own.said.length})`), own.said.map(
        ([about, messages, reply]) => make("details", { class: "said" }, make("summary", {}, bdi(text(about))),
          messages.map(([role, words]) => [make("h5", {}, bdi(text(role))), make("pre", {}, bdi(text(words)))]),
          make("h5", {}, "reply"), make("pre", {}, bdi(text(reply)))))));
    }
    part.append(make("details", {}, make("summary", {}, "stages"), make("table", {}, own.stages.map(([name, ms, counts]) =>
      make("tr", {}, make("td", { class: "number" }, time(ms)), make("td", {}, make("code", {}, text(name))), make("td", {}, text(counts)))))));
    return part;
  }

  const any = ["", "any"], numbered = (names) => names.map((name, i) => [i, name || "unknown"]);
  const text = make("input", { type: "search", placeholder: "words or id", oninput: () => { clearTimeout(text.wait); text.wait = setTimeout(refresh, 120); } });
  filters.text = text;
  const pipelines = runs.map((run, i) => [i, `${run.number} ${run.name}`]);
  find("filters").append(...[
    make("label", {}, "text", text),
    select("run", "pipeline", pipelines),
    select("outcome", "Hits@1", [any, ["1", "right"], ["0", "wrong"], ["-", "not done"]]),
    select("lost", "lost at", [any, ...scores.stages.map((name) => [name, name])]),
    questions.hopses.length > 1 ? select("hops", "hops", [any, ...numbered(questions.hopses)]) : null,
    questions.datasets.length > 1 ? select("dataset", "data set", [any, ...numbered(questions.datasets)]) : null,
    runs.length > 1 ? select("other", "differs from", [["", "no other"], ...pipelines]) : null,
    select("only", "only", [["", "all"], ["answerable", "answerable"], ["details", "with details"]]),
    select("order", "order", [["", "of the study"], ["f1", "worst F1 first"], ["slow", "slowest first"]]),
  ].filter(Boolean));
  find("before").addEventListener("click", () => { page -= 1; open = null; show(); });
  find("after").addEventListener("click", () => { page += 1; open = null; show(); });
  find("browser").hidden = false;
  refresh();
})();
