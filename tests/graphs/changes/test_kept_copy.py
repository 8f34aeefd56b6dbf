"""A small database is asked as a whole: by a copy that is made once, and again when the database has changed."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from faults import fails
from property_databases import make_ladybug
from sparql_server import sparql_server

import graphbrick
from graphbrick.core.errors import InputError, LinkError
from graphbrick.core.session import Session
from graphbrick.graphs.changes import copying, kept_copy
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.databases.address import Address
from graphbrick.graphs.databases.cypher.ladybug import LadybugGraph
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.learn.default import default_pipeline
from graphbrick.pipeline.run import Run

pytest.importorskip("ladybug")

HOW_MANY = "How many cities are there?"
Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write to a database of three cities, one of which has no road."""

    def run(*queries: str) -> None:
        make_ladybug(tmp_path / "db", *queries)

    run(
        "CREATE NODE TABLE City(key STRING PRIMARY KEY, label STRING, inhabitants INT64)",
        "CREATE REL TABLE ROAD(FROM City TO City)",
        "CREATE (:City {key: 'a', label: 'Aachen', inhabitants: 250000})",
        "CREATE (:City {key: 'b', label: 'Bonn', inhabitants: 330000})",
        "CREATE (:City {key: 'c', label: 'Celle', inhabitants: 70000})",
        "MATCH (a:City {key: 'a'}), (b:City {key: 'b'}) CREATE (a)-[:ROAD]->(b)",
    )
    return run


@pytest.fixture
def address(write: Write, tmp_path: Path) -> str:
    return f"ladybug:{tmp_path / 'db'}"


def opened(address: str) -> DatabaseGraph:
    graph = graphbrick.open(address)
    assert isinstance(graph, DatabaseGraph)
    return graph


def asked(address: str, question: str) -> Run:
    graph = opened(address)
    return default_pipeline(graph).run(graph, question)


def texts(run: Run) -> tuple[str, ...]:
    assert run.answer is not None
    return run.answer.texts


def test_questions_about_all_of_a_small_database_are_answered(address: str) -> None:
    run = asked(address, HOW_MANY)
    assert texts(run) == ("3",)
    assert run.to_dict()["graph"] == {"path": address, "hash": ""}
    assert "kept_copy.made" in run.trace.event_codes
    assert texts(asked(address, "Which city has the most inhabitants?")) == ("Bonn",)


@pytest.mark.whole
def test_it_is_copied_once_also_for_other_processes(address: str) -> None:
    assert "kept_copy.made" in asked(address, HOW_MANY).trace.event_codes
    assert "kept_copy.made" not in asked(address, HOW_MANY).trace.event_codes
    with Session():  # as in another process
        run = asked(address, HOW_MANY)
    assert texts(run) == ("3",)
    assert "kept_copy.made" not in run.trace.event_codes


def test_a_change_is_seen_at_the_next_question(address: str, write: Write) -> None:
    assert texts(asked(address, HOW_MANY)) == ("3",)
    write("CREATE (:City {key: 'd', label: 'Dessau', inhabitants: 80000})")
    assert texts(asked(address, HOW_MANY)) == ("4",)
    write("MATCH (d:City {key: 'd'}) SET d.inhabitants = 900000")
    with Session():
        assert texts(asked(address, "Which city has the most inhabitants?")) == ("Dessau",)


@pytest.mark.whole
def test_a_damaged_copy_is_made_again(address: str, copies_of_databases: Path) -> None:
    asked(address, HOW_MANY)
    place = kept_copy.place_of(opened(address))
    assert place.parent == copies_of_databases
    (place / "manifest.json").write_text("{", encoding="utf-8")
    with Session():
        run = asked(address, HOW_MANY)
    assert texts(run) == ("3",)
    assert "kept_copy.made" in run.trace.event_codes


@pytest.mark.parametrize("option", ["whole=0", "whole=3"])
def test_a_larger_database_is_copied_around_names(address: str, option: str, copies_of_databases: Path) -> None:
    with fails("local.no_entity", LinkError) as caught:
        asked(f"{address}?{option}", HOW_MANY)
    assert "graphbrick build ladybug:" in str(caught.value)
    run = asked(f"{address}?{option}", "Where does the road from Aachen lead?")
    assert run.trace.stages[0].stage.startswith("LocalAround(")
    assert not kept_copy.place_of(opened(f"{address}?{option}")).exists()


def test_an_entity_without_triples_has_its_properties(address: str) -> None:
    for place in (address, f"{address}?whole=0"):
        assert texts(asked(place, "How many inhabitants does Celle have?")) == ("70000",)


def test_pages_of_an_ended_copy_are_not_taken(address: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "_copy_edges", _ended)
    with pytest.raises(KeyboardInterrupt):
        copying.copy_graph(address, kept_copy.place_of(opened(address)))
    monkeypatch.undo()
    assert copying.pages_of(kept_copy.place_of(opened(address))).exists()
    write("MATCH (c:City {key: 'c'}) SET c.inhabitants = 71000")
    assert texts(asked(address, "How many inhabitants does Celle have?")) == ("71000",)
    assert not copying.pages_of(kept_copy.place_of(opened(address))).exists()


@pytest.mark.whole
def test_a_refresh_that_was_ended_before_it_was_noted_is_made_again(address: str, write: Write) -> None:
    asked(address, HOW_MANY)
    change(kept_copy.place_of(opened(address)), add=[("a", "ROAD", "c")])
    write("CREATE (:City {key: 'd', label: 'Dessau', inhabitants: 80000})")
    with Session():
        assert texts(asked(address, HOW_MANY)) == ("4",)


def _ended(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_database_of_nodes_only(tmp_path: Path) -> None:
    address = f"ladybug:{tmp_path / 'people'}"
    make_ladybug(tmp_path / "people", "CREATE NODE TABLE Person(key STRING PRIMARY KEY, name STRING, age INT64)")
    with fails("local.no_entity", LinkError):
        asked(address, "How many persons are there?")
    people = "CREATE (:Person {key: 'a', name: 'Ann', age: 30})", "CREATE (:Person {key: 'b', name: 'Ben', age: 40})"
    make_ladybug(tmp_path / "people", *people)
    assert texts(asked(address, "How many persons are there?")) == ("2",)
    assert texts(asked(address, "Who is the oldest person?")) == ("Ben",)


def test_seeds_are_those_of_the_database(address: str) -> None:
    graph = opened(address)
    for seed in ("b", "Bonn", graph.entity("b")):
        run = default_pipeline(graph).run(graph, "Where does the road lead?", seeds=[seed])
        assert [run.graph.key(one) for one in run.query.seeds] == ["b"]
    with fails("seeds.unknown_name", LinkError, name="nowhere"):
        default_pipeline(graph).run(graph, HOW_MANY, seeds=["nowhere"])


def test_addresses_of_one_file_name_in_two_folders_have_two_copies(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    places = []
    for folder in (tmp_path, other):
        monkeypatch.chdir(folder)
        places.append(kept_copy.place_of(opened("ladybug:db")))
    monkeypatch.setenv("GRAPHBRICK_USER", "somebody")
    places.append(kept_copy.place_of(opened("ladybug:db")))
    assert len({*places}) == 3


def test_a_place_that_cannot_be_written_is_told(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setattr(kept_copy, "_folder", lambda: tmp_path / "file")
    run = asked(address, "How many inhabitants does Celle have?")
    assert texts(run) == ("70000",)
    assert "kept_copy.not_made" in run.trace.event_codes
    with fails("local.no_entity", LinkError) as caught:
        asked(address, HOW_MANY)
    assert "a copy of all failed" in str(caught.value)


@pytest.mark.parametrize("value", ["some", "-1", "1.5"])
def test_a_number_that_is_none_is_an_error(address: str, value: str) -> None:
    with fails("database.bad_whole", InputError, value=value):
        asked(f"{address}?whole={value}", HOW_MANY)


def statements(*lines: str) -> ox.Store:
    store = ox.Store()
    store.load("\n".join(lines).encode(), format=ox.RdfFormat.TURTLE, base_iri="http://e.org/")
    return store


CITIES = (
    '<a> a <City>; <http://www.w3.org/2000/01/rdf-schema#label> "Aachen" .',
    '<b> a <City>; <http://www.w3.org/2000/01/rdf-schema#label> "Bonn" . <a> <road> <b> .',
    '<City> <http://www.w3.org/2000/01/rdf-schema#label> "city" .',
)


@pytest.mark.whole
def test_an_endpoint_is_copied_too_and_again_after_five_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    with sparql_server(statements(*CITIES)) as server:
        assert texts(asked(server.address, HOW_MANY)) == ("2",)
        assert "kept_copy.made" not in asked(server.address, HOW_MANY).trace.event_codes
        with Session():
            assert "kept_copy.made" not in asked(server.address, HOW_MANY).trace.event_codes
        monkeypatch.setattr(kept_copy, "_FRESH", 0.0)
        assert "kept_copy.made" in asked(server.address, HOW_MANY).trace.event_codes


def test_more_or_fewer_triples_are_seen_where_the_database_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    store, rdfs = statements(*CITIES), "http://www.w3.org/2000/01/rdf-schema#label"
    with sparql_server(store) as server:
        assert texts(asked(server.address, HOW_MANY)) == ("2",)
        assert "kept_copy.age" not in asked(server.address, HOW_MANY).trace.event_codes
        store.load(f'<c> a <City>; <{rdfs}> "Celle" .'.encode(), format=ox.RdfFormat.TURTLE, base_iri="http://e.org/")
        assert texts(asked(server.address, HOW_MANY)) == ("3",)
        store.update(f'DELETE DATA {{ <http://e.org/c> <{rdfs}> "Celle" }}')
        store.update(f'INSERT DATA {{ <http://e.org/c> <{rdfs}> "Cham" }}')  # as many as before
        monkeypatch.setattr(kept_copy, "_NEW", 0.0)
        with Session():
            run = asked(server.address, "Which cities are there?")
        assert "Celle" in texts(run)
        assert any("a value that has changed since is not seen" in str(event) for event in run.trace.stages[0].events)


class SharedServer(LadybugGraph):
    """A database on a server that counts its changes together with those of others."""

    changes = 1

    def mark(self) -> dict[str, Any]:
        return {"changes": self.changes}

    @property
    def mark_is_shared(self) -> bool:
        return True


def test_a_server_where_others_change_what_is_theirs_is_not_copied_again_and_again(
    address: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_copy, "_NEW", 0.0)

    def codes(changes: int, expected: str) -> Sequence[str]:
        monkeypatch.setattr(SharedServer, "changes", changes)
        with Session():
            graph = SharedServer(Address.read(address))
            run = default_pipeline(graph).run(graph, HOW_MANY)
            assert texts(run) == (expected,)
            return [code for code in run.trace.event_codes if code.startswith("kept_copy")]

    assert codes(1, "3") == ["kept_copy.made"]
    assert codes(1, "3") == []
    assert codes(2, "3") == ["kept_copy.made"]  # it may be this graph that has changed
    assert codes(3, "3") == ["kept_copy.age"]  # it was another
    write("CREATE (:City {key: 'd', label: 'Dessau', inhabitants: 80000})")
    assert codes(4, "4") == ["kept_copy.made"]
    assert codes(4, "4") == []


def test_an_endpoint_with_blank_nodes_is_not_as_they_would_be_lost() -> None:
    store = statements(*CITIES, "<a> <mayor> [ <name> 'Sibylle' ] .")
    with sparql_server(store) as server, fails("local.no_entity", LinkError):
        asked(server.address, HOW_MANY)


@pytest.mark.whole
def test_an_oxigraph_store(tmp_path: Path) -> None:
    store = ox.Store(str(tmp_path / "store"))
    store.load("\n".join(CITIES).encode(), format=ox.RdfFormat.TURTLE, base_iri="http://e.org/")
    store.flush()
    del store
    assert texts(asked(f"oxigraph:{tmp_path / 'store'}", HOW_MANY)) == ("2",)
    shutil.rmtree(tmp_path / "store")
