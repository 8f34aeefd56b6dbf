"""The same pipelines over one graph in different stores, and what goes wrong with servers; make test-databases."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from stores import arcadedb, falkordb, write

from graphbrick import (
    BM25,
    Graph,
    LocalAround,
    MiniLM,
    PathAnswer,
    Rerank,
    ShortestPaths,
    local_graph,
    open_graph,
    parse,
    recipe,
)
from graphbrick.core.errors import GraphbrickError
from graphbrick.demo.graph import world_graph
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.session import Session

pytestmark = pytest.mark.databases

STORES = ("ladybug", "falkor", "bolt")
QUESTIONS = (
    "What is the capital of Kenya?",
    "Which currency is used in Kenya?",
    "Which countries border Kenya?",
    "What is the capital of the country that borders Kenya?",
)
PIPELINES = {
    "1": parse(repr(recipe("1").pipeline(answer="PathAnswer()")).replace("n=32", "n=100000")),
    "12": recipe("12").pipeline(embedder=MiniLM(), answer="PathAnswer()"),
    "14": recipe("14").pipeline(embedder=MiniLM(), answer="PathAnswer()"),
    "patterns": parse("Operators(Patterns(WordAlignment(MiniLM()), n=32)) >> PathAnswer()"),
}
RUNAWAY = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(a * b)"


@pytest.fixture(scope="module")
def part(world_cache: Path) -> Graph:
    """What is at most two triples away from Kenya in the world graph."""
    world = world_graph()
    return local_graph(world, world.named("Kenya")[:1], hops=2, limit_per_node=40)


@pytest.fixture(scope="module")
def addresses(part: Graph, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The address of the part in each store; servers run until the last test."""
    import falkordb as falkor_client
    from neo4j import GraphDatabase

    folder = tmp_path_factory.mktemp("stores")
    for name in ("falkor", "arcade"):
        (folder / name).mkdir()
    with (
        falkordb(folder / "falkor") as port,
        arcadedb(folder / "arcade") as (bolt_port, password),
        pytest.MonkeyPatch.context() as patch,
    ):
        graph = falkor_client.FalkorDB(port=port).select_graph("graph")
        write(part, lambda text, values: graph.query(text, dict(values)), index="CREATE INDEX FOR (n:{}) ON (n.key)")
        uri = f"bolt://127.0.0.1:{bolt_port}"
        with GraphDatabase.driver(uri, auth=("root", password)) as driver, driver.session(database="graph") as session:
            write(
                part,
                lambda text, values: session.run(text, dict(values)).consume(),
                index="CREATE INDEX FOR (n:{}) ON (n.key)",
            )
        patch.setenv("PASSWORD_OF_BOLT", password)
        yield {
            "ladybug": f"ladybug:{to_ladybug(part, folder / 'part.ladybug')}",
            "falkor": f"falkor://127.0.0.1:{port}/graph",
            "bolt": f"{uri}/graph",
        }


@pytest.fixture
def store(
    request: pytest.FixtureRequest, addresses: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[DatabaseGraph]:
    """The graph in the store that a test is about, in a session of its own."""
    import os

    if request.param == "bolt":
        monkeypatch.setenv("GRAPHBRICK_USER", "root")
        monkeypatch.setenv("GRAPHBRICK_PASSWORD", os.environ["PASSWORD_OF_BOLT"])
    with Session():
        graph = open_graph(addresses[request.param])
        assert isinstance(graph, DatabaseGraph)
        yield graph


every_store = pytest.mark.parametrize("store", STORES, indirect=True)
servers = pytest.mark.parametrize("store", ["falkor", "bolt"], indirect=True)


def results(name: str, graph: Graph | LocalAround) -> list[list[str]]:
    """Return the best answers of every question, those of equal score in alphabetical order.

    Recipe 1 draws paths, which depends on the numbers of entities; here it draws all, and they are returned.
    """
    runs = [PIPELINES[name].run(graph, question, seeds=["Kenya"]) for question in QUESTIONS]
    if name == "1":
        return [sorted(item.text for item in run.evidence.items) for run in runs if run.evidence is not None]
    return [sorted(run.answer.texts) for run in runs if run.answer is not None]


@every_store
@pytest.mark.parametrize("name", list(PIPELINES))
def test_pipelines_give_the_same_answers_as_over_the_folder(part: Graph, store: DatabaseGraph, name: str) -> None:
    over_folder = results(name, part)
    assert results(name, LocalAround(store, hops=4)) == over_folder
    assert len(over_folder) == len(QUESTIONS)
    assert all(over_folder)


@every_store
def test_every_store_has_the_triples_and_names_of_the_folder(part: Graph, store: DatabaseGraph) -> None:
    keys = [part.key(entity) for entity in range(0, part.n_entities, 7)]
    whole = part.neighbours([part.entity(key) for key in keys])
    lists = store.neighbours([store.entity(key) for key in keys])
    for key, found, expected in zip(keys, lists, whole, strict=True):
        assert sorted(words(store, found.triples)) == sorted(words(part, expected.triples)), key
        assert store.types(store.entity(key)) == part.types(part.entity(key))
    assert "Kenya" in [store.label(entity) for entity in store.search("which countries border kenya?", 5)]
    assert sum(one.count or 0 for one in store.schema().classes) == part.n_entities


def words(graph: DatabaseGraph | Graph, triples: object) -> list[tuple[str, str, str]]:
    return [(graph.key(h), graph.relation_key(r), graph.key(t)) for h, r, t in triples.tolist()]  # type: ignore


@every_store
def test_a_query_without_end_is_given_up_and_the_next_one_runs(store: DatabaseGraph) -> None:
    short = open_graph(f"{store.path}?timeout=1")
    start = time.monotonic()
    with pytest.raises(GraphbrickError, match="no answer within 1 s"):
        short.query(RUNAWAY, {}, 1)
    assert time.monotonic() - start < 10
    assert store.query("RETURN 1 AS one", {}, 1).rows == [(1,)]


@every_store
def test_a_million_rows_are_cut_at_the_limit(store: DatabaseGraph) -> None:
    rows = store.query("UNWIND range(1, 1000000) AS a RETURN a", {}, 10)
    assert (len(rows.rows), rows.is_cut) == (10, True)


@every_store
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
        open_graph(store.path.replace("/graph", "/nothing")).query("MATCH (n) RETURN n", {}, 1)


@servers
def test_a_server_without_tls_is_told(store: DatabaseGraph) -> None:
    secure = store.path.replace("falkor:", "falkors:").replace("bolt:", "bolt+s:")
    start = time.monotonic()
    with pytest.raises(GraphbrickError, match=r"no encrypted connection|no answer within 1 s"):
        open_graph(f"{secure}?timeout=1").query("RETURN 1", {}, 1)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("scheme", ["bolt", "neo4j", "falkor"])
def test_a_server_that_is_not_running_is_told(scheme: str) -> None:
    with Session(), pytest.raises(GraphbrickError, match=r"is the server running there\?"):
        open_graph(f"{scheme}://127.0.0.1:1/graph").query("RETURN 1", {}, 1)


def test_a_server_that_dies_in_the_middle_is_told(part: Graph, tmp_path: Path) -> None:
    import falkordb as falkor_client

    pipeline = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
    with Session():
        with falkordb(tmp_path) as port:
            client = falkor_client.FalkorDB(port=port)
            write(part, lambda text, values: client.select_graph("graph").query(text, dict(values)))
            graph = open_graph(f"falkor://127.0.0.1:{port}/graph")
            assert pipeline(graph, "What is the capital of Kenya?").texts
        start = time.monotonic()
        with pytest.raises(GraphbrickError, match=r"does not answer .* is the server running there\?"):
            pipeline(graph, "What is the capital of Uganda?")
        assert time.monotonic() - start < 10
