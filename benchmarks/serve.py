"""Load on a server over the world graph: requests a second, latencies, errors, memory, and the server's own cost.

    python benchmarks/serve.py [--seconds 600] [--clients 100] [--workers 1 2] [--recipes learned untrained]

Every client keeps a connection and asks the 99 questions of the demo, one after the other, each client from another
place. Clients and server share the machine. Memory is that of all processes of the server together, in the first and
the last tenth of the time: pages that processes share count for each of them, and once in the PSS. Beside it stand
calls in this process, of the pipeline alone and with the JSON of the reply. The server's own cost is the latency of one
client alone less the time of the stages, JSON included; and, for a machine that others use too, its processor time a
request less that of a call in this process.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from graphbrick import Graph, parse
from graphbrick.demo.graph import world_graph
from graphbrick.learn.default import DEFAULT_PIPELINE, default_pipeline
from graphbrick.pipeline.run_json import run_json
from graphbrick.questions.loading import load as load_questions
from server_process import Connection, ServerProcess, proportional_memory, running

RECIPES = {"learned": "default", "untrained": "untrained"}
ALONE = 99


class Load:
    """What clients saw."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.statuses: Counter[int | str] = Counter()
        self.memory: list[float] = []
        self.proportional = 0.0
        self.processor = 0.0


async def ask_until(
    server: ServerProcess, load: Load, questions: Sequence[str], recipe: str, first: int, end: float
) -> None:
    """Be one client until a time."""
    connection, at = Connection(server), first
    while time.monotonic() < end:
        start = time.perf_counter()
        try:
            status, _ = await connection.post("/v1/ask", {"question": questions[at % len(questions)], "recipe": recipe})
        except (OSError, asyncio.IncompleteReadError) as error:
            load.statuses[type(error).__name__] += 1
            continue
        load.seconds.append(time.perf_counter() - start)
        load.statuses[status] += 1
        at += 1
    await connection.close()


async def put_load(server: ServerProcess, questions: Sequence[str], recipe: str, clients: int, seconds: float) -> Load:
    """Let clients ask at the same time."""
    load, end, before = Load(), time.monotonic() + seconds, server.processor_seconds()

    async def watch() -> None:
        while time.monotonic() < end:
            load.memory.append(server.memory())
            await asyncio.sleep(min(1.0, seconds / 20))

    asking = (ask_until(server, load, questions, recipe, 7 * i, end) for i in range(clients))
    await asyncio.gather(watch(), *asking)
    load.processor = server.processor_seconds() - before
    load.proportional = proportional_memory(server.pids())
    return load


async def ask_alone(server: ServerProcess, questions: Sequence[str], recipe: str) -> tuple[float, float, float]:
    """Return the median latency of one client, that less the time of the stages, and processor time, in ms."""
    connection, whole, own, before = Connection(server), [], [], server.processor_seconds()
    for question in questions[:ALONE]:
        start = time.perf_counter()
        _, body = await connection.post("/v1/ask", {"question": question, "recipe": recipe})
        spent = time.perf_counter() - start
        whole.append(1000 * spent)
        own.append(1000 * (spent - json.loads(body)["trace"]["seconds"]))
    await connection.close()
    used = 1000 * (server.processor_seconds() - before) / len(whole)
    return statistics.median(whole), statistics.median(own), used


def in_process(graph: Graph, recipe: str, questions: Sequence[str]) -> tuple[float, float, float]:
    """Return the median milliseconds of a call and of its JSON, and the mean processor time of a call."""
    pipeline = default_pipeline(graph) if recipe == "default" else parse(DEFAULT_PIPELINE)
    calls, texts = [], []
    used: list[float] = []
    for question in (*questions[:ALONE], *questions[:ALONE]):  # the first time, models are loaded and words embedded
        start, before = time.perf_counter(), time.process_time()
        run = pipeline.run(graph, question)
        called = time.perf_counter()
        used.append(1000 * (time.process_time() - before))
        json.dumps(run_json(run, pipeline))
        calls.append(1000 * (called - start))
        texts.append(1000 * (time.perf_counter() - called))
    half = len(calls) // 2
    return statistics.median(calls[half:]), statistics.median(texts[half:]), statistics.mean(used[half:])


def row(load: Load, seconds: float) -> dict[str, Any]:
    """Return the figures of a load."""
    cuts = statistics.quantiles(load.seconds, n=100)
    tenth = max(1, len(load.memory) // 10)
    return {
        "requests/s": round(len(load.seconds) / seconds, 1),
        "processor ms a request": round(1000 * load.processor / len(load.seconds), 1),
        "p50 ms": round(1000 * cuts[49]),
        "p95 ms": round(1000 * cuts[94]),
        "p99 ms": round(1000 * cuts[98]),
        "errors": sum(count for status, count in load.statuses.items() if status != 200),
        "MB at first": round(statistics.median(load.memory[:tenth])),
        "MB at last": round(statistics.median(load.memory[-tenth:])),
        "PSS MB": round(load.proportional),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--recipes", nargs="+", choices=RECIPES, default=list(RECIPES))
    options = parser.parse_args()
    graph = world_graph()
    questions = [one.text for one in load_questions(str(files("graphbrick.demo") / "questions.jsonl"))]
    for name in options.recipes:
        call, text, used = in_process(graph, RECIPES[name], questions)
        print(f"{name}: in this process {call:.1f} ms a question ({used:.1f} of the processor), JSON {text:.1f} ms")
        for workers in options.workers:
            arguments = (f"world={graph.path}", "--recipe", f"untrained={DEFAULT_PIPELINE}", "--workers", str(workers))
            with running(*arguments) as server:
                asyncio.run(ask_alone(server, questions, RECIPES[name]))  # loads what the readiness of one worker left
                whole, own, spent = asyncio.run(ask_alone(server, questions, RECIPES[name]))
                asyncio.run(put_load(server, questions, RECIPES[name], options.clients, min(5.0, options.seconds)))
                load = asyncio.run(put_load(server, questions, RECIPES[name], options.clients, options.seconds))
            print(f"{name}, {workers} workers: one client {whole:.1f} ms, of which the server {own:.1f} ms")
            print(f"  processor: {spent:.1f} ms a request, of which the server {spent - used:.1f} ms", flush=True)
            print(f"  {options.clients} clients, {options.seconds:g} s: {row(load, options.seconds)}", flush=True)


if __name__ == "__main__":
    main()
