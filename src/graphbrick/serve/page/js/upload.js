// Uploading documents, and how far their indexing is.

import { get, sendFile } from "./api.js";
import { announce, counted, el, fill, number, problem, working } from "./dom.js";

const PACE = 800; // milliseconds between two looks

/**
 * The panel that uploads.
 *
 * @param {object} state of the page: `graph` and `write`.
 * @param {Function} finished called when indexing has ended.
 */
export function uploadPanel(state, finished) {
  const input = el("input", { type: "file", multiple: true, id: "upload", class: "hidden-file" });
  const said = el("div", { class: "indexing", role: "status" });
  const drop = el("div", { class: "drop" }, el("label", { for: "upload", class: "drop-label" }, el("strong", {}, "Add documents"), el("span", { class: "detail" }, "Text, Markdown, HTML, PDF, Word or tables. Drop files here, or choose them.")), input);
  const element = el("section", { class: "panel", "aria-label": "Upload" }, state.write ? drop
    : el("p", { class: "muted" }, "This server only reads. Start it with ", el("code", {}, "--write"), " to add and delete documents here."), said);
  let timer = 0;
  let pace = { step: "", done: 0, since: 0 };
  let ended = false;

  input.addEventListener("change", () => upload([...input.files]));
  drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    upload([...event.dataTransfer.files]);
  });

  async function upload(files) {
    const errors = [];
    for (const [i, file] of files.entries()) {
      fill(said, working(`Sending ${file.name} (${i + 1} of ${files.length}) …`));
      try {
        await sendFile("document", file, { parts: { name: file.name }, query: { graph: state.graph } });
      } catch (error) {
        errors.push(problem(error));
      }
    }
    input.value = "";
    if (errors.length) fill(said, errors);
    if (errors.length < files.length) look(errors);
  }

  async function look(errors = []) {
    clearTimeout(timer);
    if (ended) return;
    let status;
    try {
      status = await get("indexing", { query: { graph: state.graph } });
    } catch (error) {
      fill(said, problem(error));
      return;
    }
    draw(status, errors);
    if (status.state === "running") timer = setTimeout(() => look(errors), PACE);
    else if (status.state !== "idle") {
      announce(status.message || "Indexing has ended");
      finished();
    }
  }

  function draw(status, errors) {
    if (status.state === "idle") fill(said, errors);
    else if (status.state === "running") {
      const bar = status.total ? el("progress", { max: status.total, "aria-label": status.step || "Indexing", value: status.done }) : el("progress", { "aria-label": status.step || "Indexing" });
      fill(said, errors, el("p", { class: "muted working" }, status.step === "waiting" ? "Waiting for its turn" : status.step || "Indexing", status.total ? `: ${number(status.done)} of ${number(status.total)}` : " …", left(status)), bar);
    } else if (status.state === "failed") fill(said, errors, el("div", { class: "notice bad" }, el("strong", {}, "Indexing failed"), el("p", {}, status.message)));
    else fill(said, errors, el("p", { class: "muted" }, status.message));
  }

  /** How long the step may still take, from how fast it went since it was first seen. */
  function left({ step, done, total }) {
    if (pace.step !== step || done < pace.done) pace = { step, done, since: Date.now() };
    const seconds = (Date.now() - pace.since) / 1000;
    if (!total || seconds < 2 || done <= pace.done) return "";
    const open = ((total - done) * seconds) / (done - pace.done);
    return open < 60 ? `, about ${Math.ceil(open)} s left` : `, about ${counted(Math.ceil(open / 60), "minute")} left`;
  }

  const again = () => look();
  document.addEventListener("indexing", again);
  return {
    element,
    watch: (status) => {
      if (!status || status.state === "idle") return;
      draw(status, []);
      if (status.state === "running") look();
    },
    end: () => {
      ended = true;
      clearTimeout(timer);
      document.removeEventListener("indexing", again);
    },
  };
}
