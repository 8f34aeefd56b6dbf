"""The export to ladybug loses nothing, and has typed values."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ladybug
import pytest
from built_graphs import content_of
from faults import fails
from hypothesis import given, settings
from hypothesis import strategies as st

import graphbrick
from graphbrick import Graph, build
from graphbrick.graphs.export import ladybug as exporter
from graphbrick.graphs.export import ladybug_layout
from graphbrick.graphs.export.ladybug import to_ladybug
from graphbrick.graphs.queries.check import check_query
from graphbrick.graphs.queries.schema_text import schema_text
from graphbrick.graphs.records.records import EntityRecord, Record, RelationRecord
from graphbrick.testing import tiny_graph


@contextmanager
def opened(file: Path) -> Iterator[Any]:
    with ladybug.Database(str(file), read_only=True) as database, ladybug.Connection(database) as connection:
        yield lambda text: connection.execute(text).get_all()


def exported_content(file: Path) -> tuple[Any, ...]:
    with opened(file) as query:
        rows = query("MATCH (a) RETURN a.key, a.label, a.types, a.description, a.aliases")
        triples = query("MATCH (a)-[r]->(b) RETURN a.key, r.key, b.key")
        comments = [json.loads(row[4]) for row in query("CALL show_tables() RETURN *")]
    assert len(rows) == len({row[0] for row in rows})
    facts = {key: (label, types, said or "", sorted(others)) for key, label, types, said, others in rows}
    labels = {comment["relation"]: comment["label"] for comment in comments if "relation" in comment}
    if any("relations" in comment for comment in comments):
        with opened(file) as query:
            labels |= dict(query(f"MATCH ()-[r:{exporter.SHARED}]->() RETURN DISTINCT r.key, r.label"))
    return facts, Counter(map(tuple, triples)), labels


names = st.sampled_from(
    ["Kenya", "order", "Größe 2", "a.b/c", "A.B.C", "3D", 'it\'s \\ "x"', "_id", "key", "12 km²", "9"]
)
entity = st.builds(
    EntityRecord,
    names,
    label=st.none() | names,
    aliases=st.lists(names, max_size=2, unique=True).map(tuple),
    types=st.lists(names, max_size=2, unique=True).map(tuple),
    description=st.none() | names,
)
records = st.lists(st.tuples(names, names, names) | entity | st.builds(RelationRecord, names, names), max_size=12)


@pytest.mark.whole
@settings(max_examples=8, deadline=None)
@given(records=records, last=st.tuples(names, names, names))
def test_every_entity_and_triple_is_in_the_database(
    records: list[Record], last: tuple[str, str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("export")
    graph = build([*records, last], folder / "g.graph")
    file = to_ladybug(graph, folder / "g.ladybug")
    assert exported_content(file) == content_of(graph)
    assert sorted(path.name for path in folder.iterdir()) == ["g.graph", "g.ladybug"]


def test_numbers_and_dates_are_typed_properties_of_their_heads(tmp_path: Path) -> None:
    triples = [
        *(("Kenya", "area", "582,650 km²"), ("Uganda", "area", "241,038 km²"), ("Kenya", "founded", "1963-12-12")),
        *(("Uganda", "founded", "1962-10"), ("Kenya", "growth", "-3.5"), ("Kenya", "growth", "4.5")),
        *(("Kenya", "order", "1"), ("Kenya", "capital", "Nairobi")),
    ]
    countries = [EntityRecord(name, types=("Country",)) for name in ("Kenya", "Uganda")]
    file = to_ladybug(build([*triples, *countries], tmp_path / "g.graph"), tmp_path / "g.ladybug")
    with opened(file) as query:
        rows = query("MATCH (c:Country) RETURN c.key, c.area, c.founded, c.order_ ORDER BY c.area DESC")
        growth = query("MATCH (c:Country) WHERE c.growth IS NOT NULL RETURN c.growth")
        comments = {row[1]: json.loads(row[4]) for row in query("CALL show_tables() RETURN *")}
    assert rows == [
        ["Kenya", 582650, datetime.date(1963, 12, 12), 1],
        ["Uganda", 241038, datetime.date(1962, 10, 1), None],
    ]
    assert growth in ([[-3.5]], [[4.5]])
    assert comments["Country"]["properties"]["order_"] == "order"
    assert comments["order_"] == {"relation": "order", "label": "order"}


def test_large_whole_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    triples = [("a", "number", "9007199254740993"), ("b", "number", "9,007,199,254,740,993"), ("c", "number", "4")]
    file = to_ladybug(build(triples, tmp_path / "g.graph"), tmp_path / "g.ladybug")
    with opened(file) as query:
        rows = query("MATCH (a) WHERE a.number IS NOT NULL RETURN a.key, a.number ORDER BY a.key")
    assert rows == [["a", 9007199254740993], ["b", 9007199254740993], ["c", 4]]


@pytest.mark.whole
def test_blocks_of_any_size_give_the_same_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporter, "_ROWS", 2)
    monkeypatch.setattr(exporter, "_COPIED", 2)
    monkeypatch.setattr(exporter, "_SAVED", 3)
    monkeypatch.setattr(ladybug_layout, "_MOST_TYPES", (1,))
    types = [EntityRecord("Kenya", types=("State",)), EntityRecord("Nairobi", types=("City",))]
    graph = build(
        [*(("Kenya", "borders", str(n)) for n in range(7)), ("Kenya", "capital", "Nairobi"), *types], tmp_path / "g"
    )
    steps: list[tuple[str, float, float]] = []
    file = to_ladybug(graph, tmp_path / "db", progress=lambda *step: steps.append(step))
    assert exported_content(file) == content_of(graph)
    assert steps[-1] == ("triples", 8, 8)


def many_relations(folder: Path) -> Graph:
    """A graph of 2 frequent relations and 4 rare ones, one of them with the name of the shared table."""
    triples = [(f"e{i}", relation, f"e{i + 1}") for relation in ("knows", "likes") for i in range(6)]
    triples += [("e0", name, "e3") for name in ("other relation", "r/a", "r/b", "it's")] + [("e1", "r/a", "e4")]
    types = [EntityRecord(f"e{i}", types=("Person" if i % 2 else "City",)) for i in range(6)]
    return build([*triples, *types], folder / "many.graph")


@pytest.mark.whole
@pytest.mark.parametrize("limits", [{"_MOST_RELATIONS": 2}, {"_COST_OF_PAIR": 30_000_000}, {"_COST": 1_900_000}])
def test_rare_relations_share_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(ladybug_layout, name, value)
    graph = many_relations(tmp_path)
    file = to_ladybug(graph, tmp_path / "db")
    assert exported_content(file) == content_of(graph)
    with opened(file) as query:
        tables = [row[1] for row in query("CALL show_tables() RETURN *") if row[2] == "REL"]
        rows = query("MATCH (a)-[r:other_relation {label: 'r/a'}]->(b) RETURN a.key, b.key ORDER BY a.key")
    assert exporter.SHARED in tables
    assert len(tables) < 6
    assert rows == [["e0", "e3"], ["e1", "e4"]]


@pytest.mark.whole
def test_a_database_with_a_shared_table_is_read_as_the_graph_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladybug_layout, "_MOST_RELATIONS", 2)
    graph = many_relations(tmp_path)
    live = graphbrick.open(f"ladybug:{to_ladybug(graph, tmp_path / 'db')}")
    seed = live.entity("e0")

    def read(relations: list[int] | None, limit: int) -> tuple[list[tuple[str, str]], bool]:
        ((rows, is_cut),) = live.neighbours([seed], direction="out", relations=relations, limit=limit)
        return sorted((live.relation_label(r), live.key(t)) for _, r, t in rows.tolist()), is_cut

    everything, _ = read(None, 100)
    assert everything == [
        *(("it's", "e3"), ("knows", "e1"), ("likes", "e1"), ("other relation", "e3"), ("r/a", "e3"), ("r/b", "e3"))
    ]
    by_label = {live.relation_label(r): r for r in range(6)}
    assert read([by_label["r/a"]], 1) == ([("r/a", "e3")], False)  # the other rare relations do not use up the limit
    assert read([by_label["it's"], by_label["knows"]], 5) == ([("it's", "e3"), ("knows", "e1")], False)

    schema = live.schema()
    assert schema.is_complete
    assert {one.label or one.relation for one in schema.connections} == set(by_label)
    assert sum(one.count for one in schema.connections) == graph.n_triples
    text = schema_text(schema, "Cypher")
    assert "(:City)-[:other_relation {label: 'it\\'s'}]->(:Person); 1 triples" in text
    checked = check_query("MATCH (a)-[:r_a]->(b) RETURN b", "Cypher", schema)
    assert checked.text == "MATCH (a)-[:other_relation {label: 'r/a'}]->(b) RETURN b"
    assert live.query(checked.text, {}, 5).rows in ([("e3",), ("e4",)], [("e4",), ("e3",)])
    fixed = check_query("MATCH (a)-[:other_relation {label: 'R A'}]->(b) RETURN b", "Cypher", schema)
    assert (fixed.text[10:42], fixed.problems) == ("[:other_relation {label: 'r/a'}]", ())
    (problem,) = check_query("MATCH (a)-[:other_relation {label: 'r/c'}]->(b) RETURN b", "Cypher", schema).problems
    assert "did you mean 'r/" in problem


def test_a_relation_between_too_many_pairs_of_types_makes_fewer_node_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladybug_layout, "_COST", 10 * ladybug_layout._COST_OF_PAIR)
    types = [EntityRecord(f"e{i}", types=(f"T{i}",)) for i in range(30)]
    triples = [(f"e{i}", "next", f"e{(i + step) % 30}") for i in range(30) for step in (1, 2)]
    graph = build([*triples, *types], tmp_path / "g")
    file = to_ladybug(graph, tmp_path / "db")
    assert exported_content(file) == content_of(graph)
    with opened(file) as query:
        assert sorted(row[1] for row in query("CALL show_tables() RETURN *")) == ["Entity", "next"]


def test_names_are_readable_where_types_and_relations_share_them(tmp_path: Path) -> None:
    types = [EntityRecord("KE", types=("time zone",)), EntityRecord("EAT", types=("Time-Zone",))]
    triples = [("KE", "time zone", "EAT"), ("EAT", "time/zone", "KE")]
    file = to_ladybug(build([*types, *triples], tmp_path / "g"), tmp_path / "db")
    with opened(file) as query:
        names = [row[1] for row in query("CALL show_tables() RETURN *")]
    assert sorted(names) == ["Time_Zone_2", "has_time_zone", "has_time_zone_2", "time_zone"]


def test_a_database_that_is_there_is_replaced_only_on_request(tmp_path: Path) -> None:
    file = to_ladybug(tiny_graph(), tmp_path / "db")
    before = file.read_bytes()
    with fails("export.file_exists", target=file):
        to_ladybug(tiny_graph(), file)
    assert file.read_bytes() == before
    to_ladybug(build([("a", "b", "c")], tmp_path / "g.graph"), file, overwrite=True)
    assert exported_content(file)[1] == {("a", "b", "c"): 1}
    (tmp_path / "db.wal").touch()
    with fails("export.not_closed", file=file):
        to_ladybug(tiny_graph(), file, overwrite=True)


def test_a_failed_export_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        to_ladybug(tiny_graph(), tmp_path / "db", progress=fail)
    assert list(tmp_path.iterdir()) == []
