"""One graph in different stores, and what goes wrong with their servers."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from stores import falkordb, write_falkor

import graphbrick
from graphbrick import BM25, Graph, PathAnswer, Rerank, ShortestPaths
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.session import Session
from graphbrick.graphs.changes.copying import copy_graph
from graphbrick.graphs.changes.refreshing import refresh_graph
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.learn.default import default_pipeline

pytestmark = pytest.mark.databases

RUNAWAY = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(a * b)"


cypher_stores = pytest.mark.parametrize("store", ["ladybug", "falkor", "bolt"], indirect=True)
servers = pytest.mark.parametrize("store", ["falkor", "bolt"], indirect=True)


@cypher_stores
def test_a_query_without_end_is_given_up_and_the_next_one_runs(store: DatabaseGraph) -> None:
    short = graphbrick.open(f"{store.path}?timeout=1")
    with pytest.raises(GraphbrickError, match="no answer within 1 s"):
        short.query(RUNAWAY, {}, 1)
    assert store.query("RETURN 1 AS one", {}, 1).rows == [(1,)]


@cypher_stores
def test_a_million_rows_are_cut_at_the_limit(store: DatabaseGraph) -> None:
    rows = store.query("UNWIND range(1, 1000000) AS a RETURN a", {}, 10)
    assert (len(rows.rows), rows.is_cut) == (10, True)


@cypher_stores
def test_nothing_that_a_query_writes_stays(store: DatabaseGraph) -> None:
    with suppress(GraphbrickError):  # ArcadeDB lets it through; then the transaction is rolled back
        store.query("CREATE (:Country {key: 'written'})", {}, 1)
    assert store.query("MATCH (n:Country {key: 'written'}) RETURN count(n)", {}, 1).rows == [(0,)]


@servers
def test_a_wrong_password_is_one_line_without_it(store: DatabaseGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_USER", "root")
    monkeypatch.setenv("GRAPHBRICK_PASSWORD", "not-the-password")
    with Session(), pytest.raises(GraphbrickError, match="set GRAPHBRICK_USER and GRAPHBRICK_PASSWORD") as caught:
        store.query("RETURN 1", {}, 1)
    assert "not-the-password" not in f"{caught.value} {store!r} {store.path}"


@servers
def test_a_database_that_is_not_there_is_named(store: DatabaseGraph) -> None:
    with pytest.raises(GraphbrickError, match="has no database 'nothing'"):
        graphbrick.open(store.path.replace("/graph", "/nothing")).query("MATCH (n) RETURN n", {}, 1)


@servers
def test_a_server_without_tls_is_told(store: DatabaseGraph) -> None:
    secure = store.path.replace("falkor:", "falkors:").replace("bolt:", "bolt+s:")
    with pytest.raises(GraphbrickError, match=r"no encrypted connection|no answer within 1 s"):
        graphbrick.open(f"{secure}?timeout=1").query("RETURN 1", {}, 1)


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "falkor"])
def test_a_server_that_is_not_running_is_told(scheme: str) -> None:
    with Session(), pytest.raises(GraphbrickError, match=r"is the server running there\?"):
        graphbrick.open(f"{scheme}://127.0.0.1:1/graph").query("RETURN 1", {}, 1)


def test_a_server_that_dies_in_the_middle_is_told(part: Graph, tmp_path: Path) -> None:
    pipeline = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
    with Session():
        with falkordb(tmp_path) as port:
            write_falkor(part, port)
            graph = graphbrick.open(f"falkor://127.0.0.1:{port}/graph?whole=0")
            assert pipeline(graph, "What is the capital of Kenya?").texts
        with pytest.raises(GraphbrickError, match=r"does not answer .* is the server running there\?"):
            pipeline(graph, "What is the capital of Uganda?")


def test_a_change_in_falkordb_is_seen_at_the_next_question(part: Graph, tmp_path: Path) -> None:
    with Session(), falkordb(tmp_path) as port:
        write_falkor(part, port)
        graph = graphbrick.open(f"falkor://127.0.0.1:{port}/graph")
        assert isinstance(graph, DatabaseGraph)
        mark, pipeline = graph.mark(), default_pipeline(graph)
        assert pipeline(graph, "Which city is the capital of Kenya?").texts == ("Nairobi",)
        assert graph.mark() == mark
        execute("MATCH (n {label: 'Nairobi'}) SET n.label = 'Mombasa'", graph)
        assert graph.mark() != mark
        assert pipeline(graph, "Which city is the capital of Kenya?").texts == ("Mombasa",)


@servers
def test_a_copy_is_refreshed_with_what_is_newer(store: DatabaseGraph, tmp_path: Path) -> None:
    execute("MATCH ()-[r]->() SET r.changed = 1", store)
    try:
        copied = copy_graph(f"{store.path}?changed=changed", tmp_path / "copy.graph")
        assert refresh_graph(copied.path).copied == "nothing"
        execute(
            "MATCH (a {key: 'country:KE'}), (b {key: 'country:RW'}) "
            "CREATE (a)-[:borders {key: 'borders', changed: 2, made: true}]->(b)",
            store,
        )
        done = refresh_graph(copied.path)
        assert (done.copied, done.added, done.replaced) == ("new", 1, False)
        execute("MATCH ()-[r {made: true}]->() DELETE r", store)
        done = refresh_graph(copied.path)
        assert (done.copied, done.deleted, done.replaced) == ("all", 1, False)
        assert sorted(done.graph.key_triples()) == sorted(copied.key_triples())
    finally:
        execute("MATCH ()-[r {made: true}]->() DELETE r", store)
        execute("MATCH ()-[r]->() REMOVE r.changed", store)


def execute(query: str, store: DatabaseGraph) -> None:
    """Write to the database of a store, as another program would."""
    host, _, port = store.address.host.partition(":")
    if store.address.scheme == "falkor":
        import falkordb as client

        client.FalkorDB(host, int(port)).select_graph(store.address.name).query(query)
        return
    import neo4j

    login = (os.environ["GRAPHBRICK_USER"], os.environ["GRAPHBRICK_PASSWORD"])
    with (
        neo4j.GraphDatabase.driver(f"bolt://{host}:{port}", auth=login) as driver,
        driver.session(database=store.address.name) as session,
    ):
        session.run(query).consume()
