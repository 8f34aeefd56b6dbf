// The frame of the workbench: pages, the choice of a graph, the theme, and the token.

import { get, onTokenNeeded } from "./api.js";
import { announce, el, fill, problem, svg } from "./dom.js";
import { notePlace, placeOf, readPlace } from "./place.js";

const PAGES = [
  { name: "ask", title: "Ask", load: () => import("./ask.js") },
  { name: "graph", title: "Graph", load: () => import("./graph.js") },
  // Some are offered only where there is something for them; their addresses always work, and say how to begin.
  { name: "documents", title: "Documents", load: () => import("./documents.js"), offered: () => workbench.graphs.some((graph) => graph.made_from_text) },
  { name: "compare", title: "Compare", load: () => import("./compare.js") },
  { name: "pipeline", title: "Pipeline", load: () => import("./pipeline.js") },
  { name: "tune", title: "Tune", load: () => import("./tune.js"), offered: () => workbench.tuned },
  { name: "label", title: "Label", load: () => import("./label.js"), offered: () => workbench.labels },
];

const main = document.getElementById("main");
const choice = document.getElementById("graph");
const workbench = { graphs: [], write: false, labels: false, tuned: false, graphOf };
let end = null;
let shown = 0;

/** The graph that an address names, or the one in use. */
function graphOf(values) {
  const named = workbench.graphs.find(({ name }) => name === values.get("graph"));
  if (named) choice.value = named.name;
  return named || workbench.graphs.find(({ name }) => name === choice.value) || workbench.graphs[0];
}

function title(text) {
  document.title = text ? `${text} · graphbrick` : "graphbrick workbench";
}

async function show() {
  const { page: name, values } = readPlace();
  const page = PAGES.find((one) => one.name === name) || PAGES[0];
  shown += 1;
  const mine = shown;
  end?.();
  end = null;
  for (const link of document.querySelectorAll("#pages a")) {
    if (link.dataset.page === page.name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    const module = await page.load();
    if (mine !== shown) return; // another page was chosen in the meantime
    main.dataset.page = page.name;
    title(values.get("q") ? `${values.get("q")}` : page.title);
    end = module.show(main, values, workbench) || null;
  } catch (error) {
    fill(main, problem(error));
  }
}

function navigation() {
  fill(document.getElementById("pages"), PAGES.filter(({ offered }) => !offered || offered()).map((page) => el("li", {},
    el("a", { href: placeOf(page.name), "data-page": page.name, onclick: (event) => {
      // Another page keeps the graph in use.
      event.preventDefault();
      location.hash = placeOf(page.name, workbench.graphs.length > 1 ? { graph: choice.value } : {});
    } }, page.title))));
}

function graphChoice() {
  fill(choice, workbench.graphs.map(({ name }) => el("option", { value: name }, name)));
  choice.closest("label").hidden = workbench.graphs.length < 2;
  choice.addEventListener("change", () => {
    const { page, values } = readPlace();
    notePlace(page, { graph: choice.value, q: values.get("q") }, { asNew: true });
    show();
  });
}

const THEMES = { auto: "Follow the system", light: "Light", dark: "Dark" };

function themeButton() {
  const button = document.getElementById("theme");
  const order = Object.keys(THEMES);
  const draw = () => {
    const theme = document.documentElement.dataset.theme || "auto";
    const path = { auto: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 3v18M15 5.5v13M18 8v8", light: "M12 7a5 5 0 1 0 0 10 5 5 0 0 0 0-10M12 1v3M12 20v3M1 12h3M20 12h3M4 4l2 2M18 18l2 2M4 20l2-2M18 6l2-2", dark: "M20 14A8.5 8.5 0 0 1 10 4a8.5 8.5 0 1 0 10 10z" }[theme];
    fill(button, svg("svg", { viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true", class: `theme-${theme}` }, svg("path", { d: path })));
    button.setAttribute("aria-label", `Theme: ${THEMES[theme]}`);
    button.title = button.getAttribute("aria-label");
  };
  button.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme || "auto";
    const next = order[(order.indexOf(now) + 1) % order.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("graphbrick-theme", next);
    } catch {
      // Without storage the choice holds for this view.
    }
    draw();
    announce(button.title);
    document.dispatchEvent(new Event("themechange"));
  });
  draw();
}

/** Ask the reader for the token of the server; say so where the last one was wrong. */
function tokenDialog(wasWrong) {
  return new Promise((resolve) => {
    const input = el("input", { type: "password", id: "token", autocomplete: "current-password", required: true, "aria-describedby": wasWrong ? "token-wrong" : null });
    const dialog = el("dialog", { "aria-labelledby": "token-title" }, el("form", { method: "dialog" },
      el("h2", { id: "token-title" }, "This server asks for a token"),
      el("p", { class: "muted" }, "Whoever started graphbrick serve can tell it. It is kept until this tab is closed."),
      wasWrong ? el("p", { class: "field-error", role: "alert", id: "token-wrong" }, "That token is wrong.") : null,
      el("label", { for: "token" }, "Token"), input,
      el("div", { class: "dialog-end" }, el("button", { type: "submit", class: "primary" }, "Use it"))));
    let isCancelled = false;
    dialog.addEventListener("cancel", () => { isCancelled = true; });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve((!isCancelled && input.value.trim()) || null);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

async function begin() {
  themeButton();
  let asking = null; // several calls at once need one token
  onTokenNeeded((wasWrong) => (asking ||= tokenDialog(wasWrong).finally(() => { asking = null; })));
  try {
    Object.assign(workbench, await get("graphs"));
  } catch (error) {
    navigation();
    fill(main, problem(error), el("button", { type: "button", class: "primary", onclick: () => location.reload() }, "Try again"));
    return;
  }
  graphChoice();
  graphOf(readPlace().values); // so that a link that is followed before the page is loaded keeps the graph
  navigation();
  addEventListener("hashchange", () => {
    show();
    main.focus({ preventScroll: true });
  });
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address is that of the view
    main.focus();
  });
  show();
}

begin();
