"""Graphs in ladybug: our own exports, and databases that others made."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from faults import fails, told

import graphbrick
from graphbrick import BM25, Graph, LocalAround, PathAnswer, Rerank, ShortestPaths, build
from graphbrick.core import Evidence, Query, Row, Subgraph
from graphbrick.core.errors import InputError, LinkError
from graphbrick.core.graph import Capability
from graphbrick.core.schema import NodeKey
from graphbrick.core.session import Session
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.databases.names import spans
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.queries.guard import RefusedQueryError
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.pipeline import RetrieveStage
from graphbrick.testing import tiny_graph

ladybug = pytest.importorskip("ladybug")

FILMS = (
    "CREATE NODE TABLE Film(id INT64 PRIMARY KEY, title STRING, year INT64)",
    "CREATE NODE TABLE Person(id INT64 PRIMARY KEY, name STRING)",
    "CREATE REL TABLE ACTED_IN(FROM Person TO Film, role STRING)",
    "CREATE REL TABLE Knows(FROM Person TO Person)",
    "CREATE (:Film {id: 1, title: \"St. Elmo's Fire\", year: 1985}), (:Film {id: 2, title: 'Heat', year: 1995})",
    "CREATE (:Person {id: 1, name: 'Demi Moore'}), (:Person {id: 3, name: 'Al Pacino'})",
    "MATCH (p:Person {id: 1}), (f:Film {id: 1}) CREATE (p)-[:ACTED_IN {role: 'Jules'}]->(f)",
    "MATCH (p:Person {id: 3}), (f:Film {id: 2}) CREATE (p)-[:ACTED_IN {role: 'Vincent'}]->(f)",
    "MATCH (p:Person {id: 3}), (q:Person {id: 3}) CREATE (p)-[:Knows]->(q)",
    "MATCH (p:Person {id: 1}), (q:Person {id: 3}) CREATE (p)-[:Knows]->(q)",
)


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    with Session() as session:
        yield session


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"ladybug:{to_ladybug(tiny_graph(), tmp_path_factory.mktemp('tiny') / 'tiny.ladybug')}"


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("films") / "films.ladybug"
    with ladybug.Database(str(file), buffer_pool_size=1 << 26, max_db_size=1 << 34) as database:
        connection = ladybug.Connection(database)
        for text in FILMS:
            connection.execute(text)
        connection.close()
    return f"ladybug:{file}"


def opened(address: str) -> DatabaseGraph:
    graph = graphbrick.open(address)
    assert isinstance(graph, DatabaseGraph)
    return graph


def around(graph: DatabaseGraph | Graph, name: str, **options: object) -> tuple[list[tuple[str, str, str]], bool]:
    """Return the triples around an entity in words, and whether there are more."""
    (found,) = graph.neighbours([graph.entity(name)], **options)  # type: ignore[arg-type]
    words = [(graph.label(h), graph.relation_label(r), graph.label(t)) for h, r, t in found.triples.tolist()]
    return sorted(words), found.is_cut


@pytest.mark.whole
def test_an_export_has_the_triples_labels_and_relations_of_the_folder(tiny: str) -> None:
    graph, folder = opened(tiny), tiny_graph()
    for entity in range(folder.n_entities):
        key = folder.key(entity)
        for direction in ("both", "in", "out"):
            assert around(graph, key, direction=direction) == around(folder, key, direction=direction)
        assert graph.types(graph.entity(key)) == []
    relation = next(r for r in range(4) if graph.relation_label(r) == "borders")
    assert around(graph, "Rwanda", relations=[relation]) == (
        [("Rwanda", "borders", "Rwanda"), ("Rwanda", "borders", "Uganda")],
        False,
    )


@pytest.mark.whole
@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_a_limit_cuts_each_entity_by_itself(tiny: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.graphs.databases.cypher.around._LARGEST_BATCH", 3)  # so that requests are divided
    graph, folder = opened(tiny), tiny_graph()
    keys = [folder.key(entity) for entity in range(folder.n_entities)]
    lists = graph.neighbours([graph.entity(key) for key in keys], limit=limit)
    whole = folder.neighbours(range(folder.n_entities), limit=1000)
    for key, (triples, is_cut), full in zip(keys, lists, whole, strict=True):
        assert (len(triples), is_cut) == (min(len(full.triples), limit), len(full.triples) > limit), key


def test_a_foreign_database_is_read_by_its_usual_names(films: str) -> None:
    graph = opened(films)
    assert around(graph, "2") == ([("Al Pacino", "acted in", "Heat")], False)
    assert graph.types(graph.entity("2")) == ["Film"]
    assert [graph.label(entity) for entity in graph.search("Who acts in st. elmo's fire?", 3)] == ["St. Elmo's Fire"]
    assert [graph.label(entity) for entity in graph.search("pacin", 3)] == ["Al Pacino"]
    assert graph.search("", 3) == []


def test_a_property_of_names_can_be_chosen(films: str) -> None:
    graph = opened(f"{films}?label=year")
    assert graph.label(graph.entity("2")) == "1995"
    assert [graph.key(entity) for entity in graph.search("in 1995", 1)] == ["2"]


def test_equal_ids_of_two_classes_are_two_entities(films: str) -> None:
    graph = opened(films)
    film = graph.entity("1")
    (found,) = graph.neighbours([film])
    person = int(found.triples[0, 0])
    assert (graph.label(film), graph.label(person)) == ("St. Elmo's Fire", "Demi Moore")
    assert (graph.key(film), graph.key(person)) == ("1", "Person:1")
    fresh = opened(films)
    assert fresh.label(fresh.entity("Person:1")) == "Demi Moore"


def test_the_schema_has_numbers_types_and_examples(films: str) -> None:
    schema = opened(films).schema()
    assert schema.is_complete
    film = next(one for one in schema.classes if one.name == "Film")
    assert film.count == 2
    assert [(p.name, p.type, p.examples) for p in film.properties] == [
        ("id", "INT64", ("1", "2")),
        ("title", "STRING", ("St. Elmo's Fire", "Heat")),
        ("year", "INT64", ("1985", "1995")),
    ]
    assert [(c.head, c.relation, c.tail, c.count) for c in schema.connections] == [
        ("Person", "ACTED_IN", "Film", 2),
        ("Person", "Knows", "Person", 2),
    ]


def test_a_query_gives_values_with_entities_as_keys(films: str) -> None:
    graph = opened(films)
    rows = graph.query("MATCH (p)-[r:ACTED_IN]->(f) WHERE f.year > $year RETURN p, r, f.year", {"year": 1990}, 5)
    assert rows == (("p", "r", "f.year"), [("3", "ACTED_IN", 1995)], False)
    assert graph.label(graph.entity("3")) == "Al Pacino"
    assert graph.query("MATCH (p:Person) RETURN p.name ORDER BY p.name", {}, 1) == (
        ("p.name",),
        [("Al Pacino",)],
        True,
    )
    assert graph.query("MATCH q = (:Film {id: 2})<-[]-() RETURN q", {}, 1).rows == [(["2", "ACTED_IN", "3"],)]


def test_the_schema_of_a_copy_names_only_what_tells_something(tmp_path: Path) -> None:
    cities = [EntityRecord(f"city:{i}", f"City {i}", types=("city",)) for i in range(60)]
    cities[59] = EntityRecord("city:59", "City 59", types=("city",), aliases=("The Last",))  # not in a sample
    countries = [
        EntityRecord("KE", "Kenya", types=("country", "republic")),
        EntityRecord("UG", "Uganda", types=("country",)),
    ]
    graph = build([*cities, *countries, ("KE", "capital", "city:0")], tmp_path / "cities.graph")
    schema = opened(f"ladybug:{to_ladybug(graph, tmp_path / 'cities.ladybug')}").schema()
    named = {known.name: {part.name: part.examples for part in known.properties} for known in schema.classes}
    assert list(named["city"]) == ["key", "label", "aliases"]
    assert named["city"]["aliases"] == ("['The Last']",)
    assert list(named["country"]) == ["key", "label", "types"]
    assert named["country"]["types"] == ("['country', 'republic']", "['country']")
    assert [known.properties for known in schema.connections] == [()]  # the key of a relation is its name


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("MATCH (n:Movie) RETURN n", "Movie does not exist"),
        ("CREATE (:Film {id: 9})", "read-only"),
        ("MATCH (n RETURN n", "Parser exception"),
    ],
)
def test_a_query_that_fails_says_why(films: str, text: str, reason: str) -> None:
    with fails("database.refused_query") as caught:
        opened(films).run(text, {}, 5)
    assert reason in str(caught.value.values["reason"])
    with fails("ladybug.several_queries"):
        opened(films).run("RETURN 1; RETURN 2", {}, 5)


@pytest.mark.parametrize(
    "text", ["COPY (MATCH (n) RETURN n.id) TO '{}'", "CREATE (:Film {id: 9})", "RETURN 1; RETURN 2"]
)
def test_what_does_more_than_read_does_not_reach_the_database(films: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "out.csv"  # a database that is opened read-only writes it
    with pytest.raises(RefusedQueryError):
        opened(films).query(text.replace("{}", str(file)), {}, 5)
    assert not file.exists()


@pytest.mark.whole
def test_a_query_without_end_is_stopped(films: str) -> None:
    with fails("database.too_slow", seconds=0.3):
        opened(f"{films}?timeout=0.3").query(
            "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN count(a * b)", {}, 1
        )


def test_a_database_or_option_that_is_not_there_is_named(films: str, tmp_path: Path) -> None:
    with fails("ladybug.no_file", file=tmp_path / "none.ladybug"):
        opened(f"ladybug:{tmp_path / 'none.ladybug'}").schema()
    with fails("database.unknown_option", InputError, option="lable"):
        graphbrick.open(f"{films}?lable=title")
    with fails("database.bad_number", InputError, option="timeout", value="soon"):
        opened(f"{films}?timeout=soon").schema()
    with fails("database.unknown_key", LinkError, key="nobody"):
        opened(films).entity("nobody")


@pytest.mark.whole
def test_bricks_run_on_a_local_graph_that_remembers_where_it_comes_from(tiny: str) -> None:
    pipeline = ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
    question = "Which currency is used in the country whose capital is Nairobi?"
    graph = opened(f"{tiny}?whole=0")
    run, folder = pipeline.run(graph, question), pipeline.run(tiny_graph(), question)
    assert run.answer is not None
    assert folder.answer is not None
    assert run.answer.texts == folder.answer.texts == ("Kenyan shilling",)
    assert run.to_dict()["graph"] == {"path": f"{tiny}?whole=0", "hash": ""}
    assert run.trace.stages[0].kind == "local"
    with fails("local.no_entity", LinkError):
        pipeline.run(graph, "Who knows?")


def test_the_address_says_how_far_and_how_much_is_copied(tiny: str) -> None:
    run = ShortestPaths().run(opened(f"{tiny}?hops=1&limit=1&whole=0"), "What is around Uganda?")
    assert repr(run.trace.stages[0].stage) == "'LocalAround(LadybugGraph, hops=1)'"
    assert told(run.trace.events)[0][1]["limit"] == 1
    assert run.graph.n_triples == 1


@dataclass(frozen=True, repr=False)
class _Capitals(RetrieveStage):
    needs = frozenset({Capability.LABELS, Capability.QUERY_LANGUAGE})

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        graph: DatabaseGraph = subgraph.graph  # type: ignore[assignment]
        rows = graph.query("MATCH (a)-[:capital]->(b) RETURN b.label AS capital ORDER BY capital", {}, 10)
        return Evidence(tuple(Row(rows.columns, row) for row in rows.rows))


def test_a_brick_that_only_queries_runs_on_the_database_and_needs_no_seed(tiny: str) -> None:
    run = _Capitals().run(opened(tiny), "Which capitals are there?")
    assert run.evidence is not None
    assert [item.text for item in run.evidence.items] == ["capital: Kampala", "capital: Kigali", "capital: Nairobi"]
    assert run.to_dict()["graph"] == {"path": tiny, "hash": ""}
    assert "run.no_entity_named" in run.trace.event_codes


def test_walking_and_querying_in_one_pipeline_needs_a_folder(tiny: str) -> None:
    with fails("run.walks_and_queries", command=f"graphbrick build {tiny} my.graph"):
        (_Capitals() | ShortestPaths()).run(opened(tiny), "What is the capital of Kenya?")


@pytest.mark.posix
def test_connections_belong_to_the_session_and_a_graph_can_be_sent(tiny: str) -> None:
    graph = opened(tiny)
    with Session() as session:
        assert graph.label(graph.entity("Kenya")) == "Kenya"
        (pool,) = session.opened("database processes")
        (process,) = pool.processes()
    assert pool.is_closed
    assert not Path(f"/proc/{process}").exists()
    assert pickle.loads(pickle.dumps(graph)).path == graph.path == tiny


def test_what_is_forgotten_is_asked_for_again(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.graphs.databases.graph._REMEMBERED", 2)
    graph = opened(tiny)
    ids = {key: graph.entity(key) for key in ("Kenya", "Uganda", "Rwanda", "Nairobi")}
    assert {graph.label(entity): entity for entity in ids.values()} == ids


def test_a_local_graph_of_a_database_keeps_embeddings_in_the_cache(
    tiny: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    local, _ = LocalAround(opened(tiny)).for_question("What is the capital of Kenya?", ())
    assert local.vectors_place.is_relative_to(tmp_path)
    assert local.vectors_place == opened(tiny).vectors_place


def test_commands_take_addresses_or_say_what_to_do(tiny: str, capsys: pytest.CaptureFixture[str]) -> None:
    from graphbrick.cli.app import main

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        out = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return ended.value.code, out.out, out.err

    pipeline = "ShortestPaths() >> Rerank(BM25()) >> PathAnswer()"
    assert "Nairobi" in run("ask", tiny, "What is the capital of Kenya?", "--pipeline", pipeline)[1]
    code, out, _ = run("info", tiny)
    assert code == 0
    assert "largest_city" in out
    for command in (["compact"], ["prepare", "embeddings"], ["learn"], ["info", "--check"]):
        options = [part for part in command if part.startswith("--")]
        code, _, err = run(*(part for part in command if part not in options), tiny, *options)
        assert code == 1
        assert f"graphbrick build {tiny} my.graph" in err


@pytest.mark.whole
def test_names_in_a_question_are_found_as_comparing_every_name_finds_them(tmp_path: Path) -> None:
    facts = [
        EntityRecord("e1", "St. Elmo's Fire", types=("Film",)), EntityRecord("e2", "Heat", types=("Film",)),
        EntityRecord("e3", "hea"), EntityRecord("e4", "", aliases=("A", "heat")), EntityRecord("e5", "Ägypten"),
        EntityRecord("e6", "Al Pacino", aliases=("Alfredo James Pacino", "PACINO")), EntityRecord("e7", "Kenya"),
    ]  # fmt: skip
    graph = build([*facts, ("e1", "next", "e2")], tmp_path / "g")
    live = graphbrick.open(f"ladybug:{to_ladybug(graph, tmp_path / 'db')}")
    for question in (
        "Who was in St. Elmo's Fire, or in HEAT?",
        "Was Pacino in ägypten?",
        "heathen",
        "A heap of heat",
        "?",
    ):
        forms = set(spans(question))
        expected = {
            fact.key for fact in facts if forms & {name.lower() for name in (fact.label or "", *fact.aliases)} - {""}
        }
        assert {node.key for node in live.named_in(question, 10)} == expected
    assert [node.key for node in live.named_in("Heat of Al Pacino", 1)] == ["e6"]  # the longest name
    assert live.search("ken", 5) == [live.entity("e7")]  # a part of a name
    assert live.search("ken?", 5) == []


@pytest.mark.whole
@pytest.mark.parametrize("key", ["--1", "-", "9" * 19, "9" * 40, "²", "1.0"])
def test_a_key_that_is_almost_a_number_is_unknown(films: str, key: str) -> None:
    with fails("database.unknown_key", LinkError, key=key):
        opened(films).entity(key)


def test_nodes_in_rows_are_told_from_texts_that_equal_their_keys(films: str) -> None:
    rows = opened(films).query("MATCH (f:Film {title: 'Heat'}) RETURN f, '2' AS part, [f]", {}, 5).rows
    assert rows == [("2", "2", ["2"])]
    assert [isinstance(value, NodeKey) for value in (*rows[0][:2], rows[0][2][0])] == [True, False, True]
