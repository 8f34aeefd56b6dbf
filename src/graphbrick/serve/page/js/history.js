// The conversation: questions and their first answers. It stays in this browser: the server keeps none of it.

const [KEPT, SINCE] = [`graphbrick-questions ${location.pathname}`, `graphbrick-since ${location.pathname}`];
/** Questions that are kept. */
export const MOST = 60;
const EARLIER = 6; // questions of the conversation that a follow-up may speak of

const memory = { [KEPT]: "[]", [SINCE]: "0" }; // where the browser does not let a page store anything

function read(storage, name) {
  try {
    return storage().getItem(name);
  } catch {
    return memory[name];
  }
}

function write(storage, name, text) {
  memory[name] = text;
  try {
    storage().setItem(name, text);
  } catch {
    // The conversation then lasts until the page is left.
  }
}

const local = () => localStorage;
const tab = () => sessionStorage;

/** Earlier questions, the newest first, each `{question, said, graph, among, pipeline, seeds, answers, count, when}`. */
export function questions() {
  try {
    const list = JSON.parse(read(local, KEPT) || "[]");
    return Array.isArray(list) ? list.filter((one) => typeof one?.question === "string") : [];
  } catch {
    return [];
  }
}

/** Add a question with its answers; asked again, it moves to the front. */
export function remember(turn) {
  const same = (one) => one.question === turn.question && one.graph === turn.graph && one.among === turn.among && one.pipeline === turn.pipeline;
  write(local, KEPT, JSON.stringify([{ ...turn, when: Date.now() }, ...questions().filter((one) => !same(one))].slice(0, MOST)));
}

/** Forget one question, or all. */
export function forget(when = null) {
  write(local, KEPT, JSON.stringify(when === null ? [] : questions().filter((one) => one.when !== when)));
}

/** Begin a new conversation: questions from now on speak of none before. */
export function startAnew() {
  write(tab, SINCE, String(Date.now()));
}

/** The questions on a graph in this conversation, which a follow-up may speak of, the oldest first. */
export function conversation(graph) {
  const since = Number(read(tab, SINCE));
  return questions().filter((one) => one.graph === graph && !one.among && one.when >= since).slice(0, EARLIER).reverse();
}

/** A conversation as the messages of a chat. */
export function messages(turns, last) {
  return [...turns.flatMap((one) => [{ role: "user", content: one.question }, { role: "assistant", content: one.answers.join(", ") || "No answer." }]), { role: "user", content: last }];
}

if (!Number(read(tab, SINCE))) startAnew(); // a new tab is a new conversation
