"""Queries that would take all time or memory, by the command line and by a server that answers others meanwhile.

    python benchmarks/hostile_queries.py [--seconds 3] [--memory 512] [--name TEXT] [--cli 10]

A graph of 300 nodes is made as ladybug database, as folder with its copy, and as Oxigraph store, and served. Each text
of `hostile_query_texts.py` is sent to ``POST /v1/query`` while another client asks and queries all the time. A table
shows the outcome, the seconds, and the most memory of a process of queries. It is a fault if a query goes on for more
than its time and two seconds, takes more than its memory and 600 MB, is answered with more than one line, or if a good
query is not answered afterwards, or a process is left at the end. Every tenth text (``--cli 10``; 0 for none) is given
to ``graphbrick query`` too. Exits with 1 if there is a fault. Linux; about five minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyoxigraph

from graphbrick import build
from graphbrick.core.workers.worker import used_memory
from graphbrick.graphs.export.ladybug import to_ladybug
from hostile_query_texts import CYPHER, SPARQL
from server_process import ServerProcess, running

_LATE = 2.0  # seconds
_START = 5.0  # seconds in which a command starts, and prints
_SLACK = 600.0  # megabytes: what a process has without queries, and takes between two looks of a busy machine
_NODES, _EDGES = 300, 1_500
GOOD = {
    "Cypher": "MATCH (a)-[r]->(b) RETURN a.key, b.key LIMIT 5",
    "SPARQL": "SELECT * { ?a ?b ?c } LIMIT 5",
}


class Tried(NamedTuple):
    """A query that was tried: what came, how long it took, and the most memory of a process (MB)."""

    outcome: str
    seconds: float
    memory: float


def made(folder: Path, seconds: float, memory: int) -> list[str]:
    """Make the graphs; return the arguments of a server that has them."""
    draw = random.Random(1)
    name = lambda: f"n{draw.randrange(_NODES)}"  # noqa: E731
    triples = [(name(), draw.choice(["knows", "likes"]), name()) for _ in range(_EDGES)]
    graph = build(triples, folder / "folder.graph")
    to_ladybug(graph, folder / "db.ladybug")
    store = pyoxigraph.Store(str(folder / "store"))
    lines = "\n".join(
        f"<http://e/{head}> <http://e/{relation}> <http://e/{tail}> ." for head, relation, tail in triples
    )
    store.load(lines.encode(), format=pyoxigraph.RdfFormat.TURTLE)
    store.flush()
    limits = f"timeout={seconds:g}&memory={memory}"
    return [
        f"ladybug=ladybug:{folder / 'db.ladybug'}?{limits}",
        f"oxigraph=oxigraph:{folder / 'store'}?{limits}",
        f"folder={folder / 'folder.graph'}",
    ]


def posted(server: ServerProcess, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Send a request; return the status and the reply."""
    connection = http.client.HTTPConnection(server.host, server.port, timeout=120)
    with contextlib.closing(connection):
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())


class Client:
    """Another client, which asks, and queries, all the time; its seconds by what it does."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server
        self.seconds: dict[str, list[float]] = {"ask": [], "query": []}
        self.faults: list[str] = []
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(kind,)) for kind in self.seconds]

    def _run(self, kind: str) -> None:
        path, body = {
            "ask": ("/v1/ask", {"graph": "folder", "question": "Who knows n1?", "recipe": "paths"}),
            "query": ("/v1/query", {"graph": "folder", "query": GOOD["Cypher"]}),
        }[kind]
        while not self._ended.wait(0.05):
            start = time.perf_counter()
            status, reply = posted(self._server, path, body)
            self.seconds[kind].append(time.perf_counter() - start)
            if status != 200:
                self.faults.append(f"{kind}: {status} {reply['error']['message']}")

    def __enter__(self) -> Client:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def median(self, kind: str) -> float:
        """Return the median of the seconds."""
        return statistics.median(self.seconds[kind])

    def worst(self, kind: str) -> float:
        """Return the seconds below which 95 of 100 requests are."""
        return statistics.quantiles(self.seconds[kind], n=20)[-1]


@contextlib.contextmanager
def most_memory(pid: int) -> Iterator[list[float]]:
    """Yield a list whose only value becomes the most memory, in MB, of a process below another one."""
    most, ended = [0.0], threading.Event()

    def watch() -> None:
        while not ended.wait(0.02):
            most[0] = max([most[0], *(used_memory(child) / (1 << 20) for child in children(pid))])

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        ended.set()
        thread.join()


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    pids = list[int]()
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                pids += map(int, (task / "children").read_text().split())
    return pids


def by_server(server: ServerProcess, graph: str, text: str) -> Tried:
    """Try a query by a request."""
    with most_memory(server.process.pid) as most:
        start = time.perf_counter()
        status, reply = posted(server, "/v1/query", {"graph": graph, "query": text, "limit": 10_000})
        seconds = time.perf_counter() - start
    return Tried(f"{status} {told(reply)}", seconds, most[0])


def told(reply: dict[str, Any]) -> str:
    """Return what a reply says."""
    return str(reply["error"]["message"]) if "error" in reply else f"{len(reply['rows'])} rows"


def by_command(address: str, text: str) -> Tried:
    """Try a query by ``graphbrick query``."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "graphbrick", "query", address, text]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        with most_memory(process.pid) as most:
            out, err = process.communicate()
        seconds = time.perf_counter() - start
    rows = f"{process.returncode} {len(out):,} characters"
    return Tried(f"{process.returncode} {err.strip()}" if err else rows, seconds, most[0])


def fault(tried: Tried, seconds: float, memory: float) -> str:
    """Return what is wrong with the outcome of a query; empty if nothing is."""
    if tried.seconds > seconds + _LATE:
        return "late"
    if tried.memory > memory + _SLACK:
        return "memory"
    if "\n" in tried.outcome or "Traceback" in tried.outcome or tried.outcome.startswith("500"):
        return "outcome"
    return ""


def show(front: str, name: str, tried: Tried, wrong: str) -> None:
    """Print a line of the table."""
    outcome = " ".join(tried.outcome.split())
    outcome = outcome if len(outcome) < 100 else f"{outcome[:60]} ... {outcome[-36:]}"
    marked = f"FAULT ({wrong})" if wrong else ""
    print(f"{front:16} {name:38} {tried.seconds:6.1f} {tried.memory:7.0f}  {outcome} {marked}", flush=True)


def tries(name: str) -> list[tuple[str, str, str]]:
    """Return the graph, name and text of the queries whose names contain a text."""
    cypher = [(graph, key, text) for graph in ("ladybug", "folder") for key, text in CYPHER.items()]
    return [one for one in (*cypher, *(("oxigraph", *one) for one in SPARQL.items())) if name in one[1]]


def main() -> None:
    """Run all tries, and print the table and the latencies."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=3.0, help="time of a query")
    parser.add_argument("--memory", type=int, default=512, help="megabytes of a query in a database")
    parser.add_argument("--name", default="", help="only queries whose names contain this")
    parser.add_argument("--cli", type=int, default=10, help="every such query by the command line too; 0 for none")
    options = parser.parse_args()
    wrong = list[str]()
    print(f"{'front':16} {'query':38} {'s':>6} {'MB':>7}  outcome")
    with tempfile.TemporaryDirectory() as scratch:
        arguments = made(Path(scratch), options.seconds, options.memory)
        recipe = "paths=ShortestPaths() >> PathAnswer()"
        with running(*arguments, "--timeout", f"{options.seconds:g}", "--recipe", recipe) as server:
            for graph, language in (("folder", "Cypher"), ("ladybug", "Cypher"), ("oxigraph", "SPARQL")):
                posted(server, "/v1/query", {"graph": graph, "query": GOOD[language]})
            with Client(server) as before:
                time.sleep(5 * options.seconds)
            with Client(server) as during:
                for graph, name, text in tries(options.name):
                    tried = by_server(server, graph, text)
                    # The copy of a folder has no address, and so the usual memory.
                    one = fault(tried, options.seconds, 2048 if graph == "folder" else options.memory)
                    language = "SPARQL" if graph == "oxigraph" else "Cypher"
                    status, _ = posted(server, "/v1/query", {"graph": graph, "query": GOOD[language]})
                    one = one or ("next" if status != 200 else "")
                    wrong += [one] * bool(one)
                    show(f"POST {graph}", name, tried, one)
            processes = children(server.process.pid)
        wrong += [fault for fault in during.faults if print(f"FAULT of the other client: {fault}") is None]
        left = [pid for pid in processes if Path(f"/proc/{pid}/statm").exists() and used_memory(pid)]
        wrong += ["left"] * bool(left)
        for graph, name, text in tries(options.name)[:: options.cli] if options.cli else ():
            address = next(one for one in arguments if one.startswith(graph)).partition("=")[2]
            if graph != "folder":
                tried = by_command(address, text)
                one = fault(tried, options.seconds + _START, options.memory)
                wrong += [one] * bool(one)
                show(f"query {graph}", name, tried, one)
    for kind in before.seconds:
        median, worst = during.median(kind), during.worst(kind)
        print(
            f"another client's {kind}: median {1000 * before.median(kind):.0f} ms before, {1000 * median:.0f} ms "
            f"during; 95 of 100 within {1000 * before.worst(kind):.0f} ms before, {1000 * worst:.0f} ms during"
        )
    print(f"{len(tries(options.name))} queries, {len(wrong)} faults; processes left behind: {len(left)}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
