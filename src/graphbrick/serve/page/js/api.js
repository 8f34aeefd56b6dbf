// Calls of the server: JSON in and out, events of a running question, errors with what to do, and the token if one is
// needed. The page stands beside the server's routes, so addresses are relative to it.

import { ROUTES } from "./routes.js";

const TOKEN = "graphbrick-token";
let askForToken = null;
let held = null;

/** An error of the server, or that there is no server. */
export class ApiError extends Error {
  constructor(message, { status = 0, type = "", title = "", fix = "", place = null, readings = [] } = {}) {
    super(message);
    Object.assign(this, { status, type, title, fix, place, readings });
  }
}

/** Say what asks the reader for a token, given whether one was wrong; it returns the token, or null. */
export function onTokenNeeded(ask) {
  askForToken = ask;
}

/** The address of a route: values for its {parts}, and a query whose lists are repeated. */
export function address(route, parts = {}, query = {}) {
  const path = ROUTES[route].replace(/\{(\w+)(?::path)?\}/g, (_, name) => encodeURIComponent(parts[name]));
  const values = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "") values.append(name, one);
    }
  }
  const text = values.toString();
  return new URL(`.${path}${text ? `?${text}` : ""}`, document.baseURI.replace(/[?#].*$/, ""));
}

/** Whether the server asked this tab for a token, and was given one. */
export function hasToken() {
  return Boolean(stored());
}

async function call(url, options) {
  const headers = new Headers(options.headers);
  const token = stored();
  if (token) headers.set("Authorization", `Bearer ${token}`);
  let response;
  try {
    response = await fetch(url, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError("The server does not answer.", {
      title: "No connection", fix: "Look whether graphbrick serve is still running, then try again.",
    });
  }
  if (response.status === 401 && askForToken) {
    // Another call may have been given the right token meanwhile.
    const given = stored() === token ? await askForToken(Boolean(token)) : stored();
    if (given) {
      store(given);
      return call(url, options);
    }
    throw new ApiError("The server answers only with its token, and none was given.", { status: 401, title: "A token is needed" });
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

async function errorOf(response) {
  let body = {};
  try {
    body = await response.json();
  } catch {
    // A proxy may answer with a page; the status says enough then.
  }
  return errorFrom(body, response.status);
}

/** An error from its JSON, as a response or an event of a stream has it. */
export function errorFrom(body, status = 0) {
  const error = body.error || body;
  const message = typeof error.message === "string" ? error.message : `The server answered with the status ${status}.`;
  const place = error.line ? { line: error.line, column: error.column, endLine: error.end_line, endColumn: error.end_column } : null;
  const title = error.code === "no_entity" ? "The question was not understood" : "";
  return new ApiError(sentence(message), { status, title, type: error.code || error.type || "", fix: error.fix || "", place, readings: error.readings || [] });
}

function sentence(message) {
  const text = message.charAt(0).toUpperCase() + message.slice(1);
  return /[.!?»"')]$/.test(text) ? text : `${text}.`;
}

/** Get JSON. */
export async function get(route, { parts, query, signal } = {}) {
  return (await call(address(route, parts, query), { signal })).json();
}

/** Send JSON and get JSON. */
export async function send(route, body, { parts, query, signal, method = "POST" } = {}) {
  const response = await call(address(route, parts, query), {
    method, signal, headers: { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body),
  });
  return response.status === 204 ? null : response.json();
}

/** Send a file as the body and get JSON. */
export async function sendFile(route, file, { parts, query } = {}) {
  return (await call(address(route, parts, query), { method: "PUT", headers: { "Content-Type": "application/octet-stream" }, body: file })).json();
}

/** Send JSON and yield the server-sent events of the reply, each `{event, data}` with its data read as JSON. */
export async function* events(route, body, { signal, query } = {}) {
  const response = await call(address(route, {}, query), {
    method: "POST", signal, headers: { "Content-Type": "application/json", Accept: "text/event-stream" }, body: JSON.stringify(body),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    rest += (value || "").replaceAll("\r\n", "\n");
    const blocks = rest.split("\n\n");
    rest = done ? "" : blocks.pop();
    for (const block of blocks) {
      const found = readEvent(block);
      if (found) yield found;
    }
    if (done) return;
  }
}

function readEvent(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (!data.length || data.join("\n") === "[DONE]") return null;
  return { event, data: JSON.parse(data.join("\n")) };
}

// The token stays in this tab only: a page of another day should ask again.

function stored() {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return held;
  }
}

function store(token) {
  held = token; // without storage, it lasts until the page is left
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    // `held` has it.
  }
}
