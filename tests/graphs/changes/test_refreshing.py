"""A refreshed copy equals a new one, with no more work than the database allows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyoxigraph as ox
import pytest
from built_graphs import content_of
from commands import Run
from faults import fails, told
from property_databases import make_ladybug
from sparql_server import sparql_server

from graphbrick import Graph, Session, build, change
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.changes import refreshing
from graphbrick.graphs.changes.copying import copy_graph
from graphbrick.graphs.changes.difference import difference
from graphbrick.graphs.changes.refreshing import Refreshed, refresh_graph
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.records.records import EntityRecord, RelationRecord

pytestmark = pytest.mark.whole

CITIES = 40
Write = Callable[..., None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write to a database of cities, whose nodes and relations have the number of their last change."""
    pytest.importorskip("ladybug")

    def run(*queries: str) -> None:
        make_ladybug(tmp_path / "db", *queries)

    run(
        "CREATE NODE TABLE City(key STRING PRIMARY KEY, label STRING, description STRING, changed INT64)",
        "CREATE REL TABLE ROAD(FROM City TO City, changed INT64)",
        *(f"CREATE (:City {{key: 'c{i}', label: 'City {i}', changed: 1}})" for i in range(CITIES)),
        *(road(f"c{i}", f"c{(i + 1) % CITIES}", 1) for i in range(CITIES)),
    )
    return run


def road(head: str, tail: str, time: int) -> str:
    return f"MATCH (a:City {{key: '{head}'}}), (b:City {{key: '{tail}'}}) CREATE (a)-[:ROAD {{changed: {time}}}]->(b)"


@pytest.fixture
def place(write: Write, tmp_path: Path) -> Path:
    """A copy of the database, which knows the property of changes, with a folder beside it."""
    with Session():
        copy_graph(f"ladybug:{tmp_path / 'db'}?changed=changed", tmp_path / "copy.graph")
    return tmp_path / "copy.graph"


def refreshed(place: Path, **options: bool) -> Refreshed:
    """Refresh a graph; it must equal a new copy then."""
    with Session():
        done = refresh_graph(place, **options)
    with Session():
        copy_graph(done.graph.manifest.source, place.with_name("whole.graph"), overwrite=True)
        assert content_of(Graph.open(place)) == content_of(Graph.open(place.with_name("whole.graph")))
    return done


@pytest.fixture
def without_copies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let copying everything fail."""

    def copied(*_: object, **__: object) -> None:
        raise AssertionError("everything was copied")

    monkeypatch.setattr(refreshing, "copy_graph", copied)


@pytest.mark.usefixtures("without_copies")
def test_only_what_is_newer_is_copied(place: Path, write: Write) -> None:
    first = Graph.open(place)
    assert refreshed(place).copied == "nothing"
    write("CREATE (:City {key: 'new', label: 'New', changed: 2})", road("c0", "new", 2), road("c0", "c9", 2))
    done = refreshed(place)
    assert (done.copied, done.added, done.deleted, done.described, done.replaced) == ("new", 2, 0, 1, False)
    assert done.changed
    assert [done.graph.entity(first.key(i)) for i in range(CITIES)] == [*range(CITIES)]  # so what lies beside it holds
    write("MATCH (c:City {key: 'c3'}) SET c.label = 'Third', c.description = 'a town', c.changed = 3")
    assert refreshed(place).described == 1
    write(road("c3", "c9", 3))  # in the same tick as the one before
    assert refreshed(place).added == 1
    assert refreshed(place).copied == "nothing"


@pytest.mark.usefixtures("without_copies")
def test_changed_properties_are_seen(place: Path, write: Write) -> None:
    graph = Graph.open(place)
    c1 = graph.entity("c1")
    assert graph.own_properties(c1) == {"changed": 1}
    write(
        "MATCH (c:City {key: 'c1'}) SET c.changed = 2",
        "MATCH (:City {key: 'c4'})-[r:ROAD]->() SET r.changed = 2",
    )
    done = refreshed(place)
    assert (done.copied, done.added, done.deleted, done.described) == ("new", 1, 1, 1)
    assert done.graph.own_properties(c1) == {"changed": 2}
    write(road("c4", "c5", 3))  # a parallel one
    done = refreshed(place)
    assert (done.copied, done.added, done.deleted) == ("new", 1, 0)
    assert done.graph.n_triples == graph.n_triples + 1


def test_what_may_be_several_changes_is_seen_by_a_full_copy(place: Path, write: Write) -> None:
    write(road("c4", "c5", 2))
    refreshed(place)
    write("MATCH (:City {key: 'c4'})-[r:ROAD]->() SET r.changed = r.changed + 2")
    done = refreshed(place)
    assert (done.copied, done.added, done.deleted) == ("all", 2, 2)


def test_lost_properties_replace_the_copy(place: Path, write: Write) -> None:
    write("MATCH (c:City {key: 'c1'}) SET c.changed = NULL", "MATCH (c:City {key: 'c2'}) SET c.changed = 2")
    done = refreshed(place, full=True)
    assert (done.copied, done.replaced) == ("all", True)
    assert done.graph.own_properties(done.graph.entity("c1")) == {}


def test_deletions_are_seen_by_the_numbers(place: Path, write: Write) -> None:
    write("MATCH (:City {key: 'c1'})-[r]->() DELETE r", road("c5", "c9", 2))
    done = refreshed(place)
    assert (done.copied, done.added, done.deleted, done.replaced) == ("all", 1, 1, False)
    write("MATCH (c:City {key: 'c7'}) DETACH DELETE c")  # a change cannot remove an entity
    assert refreshed(place).replaced


def test_what_has_no_new_time_is_seen_by_a_full_copy_only(place: Path, write: Write) -> None:
    write("MATCH (c:City {key: 'c8'}) SET c.label = 'Eighth'")
    with Session():
        assert refresh_graph(place).copied == "nothing"
    done = refreshed(place, full=True)
    assert (done.copied, done.described, done.replaced) == ("all", 1, False)


@pytest.mark.usefixtures("without_copies")
def test_files_that_are_the_same_are_not_copied(tmp_path: Path) -> None:
    to_ladybug(build([("a", "r", "b")], tmp_path / "g"), tmp_path / "db")
    store = ox.Store(str(tmp_path / "store"))
    store.load(b"<http://e/a> <http://e/p> <http://e/b> .", format=ox.RdfFormat.TURTLE)
    store.flush()
    del store
    for address in (f"ladybug:{tmp_path / 'db'}", f"oxigraph:{tmp_path / 'store'}"):
        with Session():
            copy_graph(address, tmp_path / "copy.graph", overwrite=True)
            assert refresh_graph(tmp_path / "copy.graph").copied == "nothing"


def test_an_endpoint_may_tell_when_it_was_modified(tmp_path: Path) -> None:
    modified = "<http://purl.org/dc/terms/modified>"
    store = ox.Store()
    lines = [f"<http://e/{i}> <http://e/p> <http://e/{i + 1}> ." for i in range(30)]
    store.load("\n".join([*lines, f'<http://e/all> {modified} "2026-01-01" .']).encode(), format=ox.RdfFormat.TURTLE)
    with sparql_server(store) as server, Session():
        address = f"{server.address}?graph=http://e/all"
        copy_graph(address, tmp_path / "copy.graph")
        server.queries.clear()
        assert refresh_graph(tmp_path / "copy.graph").copied == "nothing"
        assert len(server.queries) == 2
        store.update(
            f'DELETE {{ ?d {modified} ?m }} INSERT {{ ?d {modified} "2026-01-02" . <http://e/9> <http://e/p> '
            f"<http://e/1> }} WHERE {{ ?d {modified} ?m }}"
        )
        done = refresh_graph(tmp_path / "copy.graph")
        assert (done.copied, done.replaced) == ("all", True)  # the old date is an entity that has gone
        plain = tmp_path / "plain.graph"
        copy_graph(server.address, plain)
        assert refresh_graph(plain).copied == "all"  # without a graph, a void:Dataset has to say it


def test_the_difference_makes_the_old_graph_the_new_one(tmp_path: Path) -> None:
    generator = random.Random(0)
    for number in range(3):
        triples = {
            (f"e{generator.randrange(30)}", f"r{generator.randrange(3)}", f"e{generator.randrange(30)}")
            for _ in range(200)
        }
        gone = {triple for triple in sorted(triples) if generator.random() < 0.02}
        come = {("e1", "r0", f"n{i}") for i in range(3)} | {("e2", "r9", "e3")}
        kept = [EntityRecord(f"e{i}", f"E {i}") for i in range(30)] + [RelationRecord("r0", "next to")]
        facts = [
            EntityRecord("e1", "Uno", ("One",), ("Town",), "a town"),
            EntityRecord("alone", types=("Town",)),
            RelationRecord("r9", "nine"),
        ]
        old = build([*kept, *sorted(triples)], tmp_path / f"old{number}")
        new = build([*kept, *facts, *sorted(triples - gone | come)], tmp_path / f"new{number}")
        found = difference(old, new)
        assert found is not None
        assert content_of(change(old.path, add=found.add, delete=found.delete).graph) == content_of(new)


@pytest.mark.parametrize(
    "lost",
    [
        [("a", "r", "b")],
        [EntityRecord("c"), EntityRecord("a", types=("T",)), ("a", "r", "b"), ("b", "q", "a")],
        [EntityRecord("c"), EntityRecord("a", types=("T", "U")), ("a", "r", "b")],
        [
            EntityRecord("c"),
            EntityRecord("a", types=("T", "U"), aliases=("x",)),
            *[("b", "q", f"n{i}") for i in range(9)],
        ],
    ],
    ids=["entity", "type", "relation", "too much"],
)
def test_what_a_change_cannot_say_is_no_difference(lost: list[Any], tmp_path: Path) -> None:
    facts = [EntityRecord("c"), EntityRecord("a", types=("T", "U"))]
    old = build([*facts, ("a", "r", "b"), ("b", "q", "a")], tmp_path / "old")
    assert difference(old, build(lost, tmp_path / "new")) is None


def test_a_copy_that_was_changed_by_hand_is_not_refreshed(place: Path, write: Write, tmp_path: Path) -> None:
    write(road("c0", "c9", 2))
    refreshed(place)
    change(place, add=[("c1", "ROAD", "c20")])
    with fails("refresh.has_changes"), Session():
        refresh_graph(place)
    built = build([("a", "r", "b")], tmp_path / "g")
    with fails("refresh.not_from_a_database"):
        refresh_graph(built.path)


def test_a_lost_or_damaged_mark_means_a_whole_copy(place: Path) -> None:
    mark = place.with_name("copy.graph.source.json")
    for damage, n_events in ((mark.unlink, 0), (lambda: mark.write_text("{"), 1)):
        damage()
        with record(Trace(), "refresh", "refresh") as entry:
            assert refreshed(place).copied == "all"
        assert told(entry.events) == [("source_mark.unreadable", {"file": mark})] * n_events
        assert json.loads(mark.read_text())["mark"] == {"nodes": CITIES, "relations": CITIES, "latest": 1}


def test_the_command_says_what_it_did(place: Path, write: Write, run: Run) -> None:
    with Session():
        assert run("refresh", place).out.strip() == f"{place}: nothing has changed"
    write(road("c0", "c9", 2))
    with Session():
        assert "1 triple added, 0 deleted" in run("refresh", place).out
    told = json.loads(run("refresh", place, "--json", "--full").out)
    assert (told["changed"], told["copied"], told["replaced"]) == (False, "all", False)
    assert sorted(file.name for file in place.parent.iterdir()) == ["copy.graph", "copy.graph.source.json", "db"]


@pytest.mark.parametrize("later", ["add", "build"])
def test_a_change_that_others_make_while_it_is_copied_stays(
    write: Write, place: Path, monkeypatch: pytest.MonkeyPatch, later: str
) -> None:
    write(road("c0", "c5", 1))
    copy = refreshing.copy_graph

    def copied(*arguments: Any, **options: Any) -> Graph:
        if later == "add":
            change(place, add=[("mine", "r", "c1")])
        else:
            build([("mine", "r", "c1")], place, overwrite=True)
        return copy(*arguments, **options)

    monkeypatch.setattr(refreshing, "copy_graph", copied)
    with fails("change.other_version"), Session():
        refresh_graph(place, full=True)
    assert ("mine", "r", "c1") in set(Graph.open(place).key_triples())
