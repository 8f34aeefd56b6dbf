// A question whose answers are shown at its end: until then a line says what is done.

import { errorFrom, events } from "./api.js";
import { counted, number } from "./dom.js";
import { brickName, readRun } from "./run.js";

/** What is done now, how much of it, and how long it still takes: «Rerank: 1,068 of 4,808, about 45 s left». */
export function progressText({ step, done, total, seconds_left: left }) {
  const amount = total ? `: ${number(done)} of ${number(total)}` : "";
  const time = left === null || left === undefined ? "" : left < 60 ? `, about ${Math.ceil(left)} s left` : `, about ${counted(Math.ceil(left / 60), "minute")} left`;
  return `${brickName(step)}${amount}${time} …`;
}

/**
 * Ask, and return the run as of `readRun`. A question that names nothing of the graph is an event like others, and not a
 * fault of the call.
 *
 * @param {object} body of the request.
 * @param {object} options `signal`; `query`; `say(text)` is called with what is done now.
 */
export async function askOnce(body, { signal, query = {}, say = () => {} }) {
  for await (const { event, data } of events("ask", { ...body, stream: true }, { signal, query })) {
    if (event === "progress") say(progressText(data));
    if (event === "error") throw errorFrom(data);
    if (event === "result") return readRun(data);
  }
  throw new Error("The server ended without an answer.");
}
