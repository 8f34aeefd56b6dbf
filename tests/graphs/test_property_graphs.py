"""Random property graphs through build, changes and compaction, beside a dictionary."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from faults import fails
from random_properties import NAMES, random_properties, random_records

from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Raw, Value, raw_kind
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.compact import compact
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.changes.difference import difference
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.columns import properties_text
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record


class _Model:
    """A property graph in dictionaries."""

    def __init__(self) -> None:
        self.entities: dict[str, dict[str, Value]] = {}
        self.triples: dict[tuple[tuple[str, str, str], str], dict[str, Value]] = {}

    def add(self, record: Any) -> None:
        if isinstance(record, EntityRecord):
            self.entities.setdefault(record.key, {}).update(record.properties)
            return
        triple = record.triple if isinstance(record, EdgeRecord) else record
        own = dict(record.properties) if isinstance(record, EdgeRecord) else {}
        self.entities.setdefault(triple[0], {})
        self.entities.setdefault(triple[2], {})
        self.triples[triple, properties_text(own)] = own

    def delete(self, record: Any) -> None:
        triple = record.triple if isinstance(record, EdgeRecord) else record
        own = properties_text(record.properties) if isinstance(record, EdgeRecord) else None
        for key in [key for key in self.triples if key[0] == triple and own in (None, key[1])]:
            del self.triples[key]


def _assert_same(graph: Graph, model: _Model) -> None:
    entities = {graph.key(entity): dict(graph.own_properties(entity)) for entity in range(graph.n_entities)}
    assert entities == model.entities
    triples: Counter[tuple[tuple[str, str, str], str]] = Counter()
    for triple in graph.triple_ids().tolist():
        head, relation, tail = graph.triple(triple)
        cells = graph.key(head), graph.relation_key(relation), graph.key(tail)
        triples[cells, properties_text(graph.triple_properties(triple))] += 1
    assert triples == Counter(model.triples.keys())
    incoming = Counter(triple for entity in range(graph.n_entities) for triple in graph.triples_to(entity))
    assert incoming == Counter(graph.triple_ids().tolist())
    for name in NAMES:
        values = {v for own in model.entities.values() for v in [own.get(name)] if v is not None}
        scalars = {one for value in values for one in (value if isinstance(value, tuple) else (value,))}
        for bound in sorted(scalars, key=repr)[:6]:
            for condition in (
                Condition(name, equals=bound),
                Condition(name, above=bound),
                Condition(name, at_most=bound),
            ):
                expected = {key for key, own in model.entities.items() if name in own and condition.holds(own[name])}
                assert {graph.key(entity) for entity in graph.own_matching(condition)} == expected, condition


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(12))
def test_random_property_graphs_equal_a_dictionary(tmp_path: Path, seed: int) -> None:
    rng, model = random.Random(seed), _Model()
    records = random_records(rng, rng.randrange(5, 60))
    for record in records:
        model.add(record)
    graph = build(records, tmp_path / "x.graph")
    _assert_same(graph, model)
    graph.check()
    for _ in range(3):
        news = random_records(rng, rng.randrange(6))
        present = list(model.triples)
        gone: list[Record] = []
        for triple, text in rng.sample(present, min(3, len(present))):
            own = model.triples.get((triple, text))
            if own is not None:
                record: Record = EdgeRecord(*triple, own) if rng.random() < 0.5 else triple
                gone.append(record)
        for record in gone:
            model.delete(record)
        for record in news:
            model.add(record)
        graph = change(graph.path, add=news, delete=gone).graph
        _assert_same(graph, model)
    _assert_same(Graph.open(graph.path), model)
    compacted = compact(graph.path)
    _assert_same(compacted, model)
    compacted.check()


@pytest.mark.whole
@pytest.mark.parametrize("seed", range(6))
def test_the_difference_of_two_property_graphs_turns_one_into_the_other(tmp_path: Path, seed: int) -> None:
    rng, model = random.Random(seed), _Model()
    # One large part in common, as a difference of more than 10 % is not expressed.
    common = [(f"c{i}", "knows", f"c{i + 1}") for i in range(200)]
    first = [*common, *random_records(rng, 10)]
    old = build(first, tmp_path / "old.graph")
    second = [record for record in first if isinstance(record, EntityRecord) or rng.random() < 0.97]
    second += [EntityRecord(f"n{rng.randrange(12)}", properties=random_properties(rng)) for _ in range(3)]
    second += [EntityRecord(f"n{i}") for i in range(12)] + [EntityRecord(f"c{i}") for i in range(201)]
    second += [EdgeRecord("n0", "knows", "n1", {"a": 1}), ("n0", "part of", "n1"), ("n0", "knows", "n1")]
    for record in second:
        model.add(record)
    new = build(second, tmp_path / "new.graph")
    changes = difference(old, new)
    assert changes is not None
    changed = change(old.path, add=changes.add, delete=changes.delete).graph
    _assert_same(changed, model)


def test_cells_without_types_get_the_kind_of_their_column(tmp_path: Path) -> None:
    columns = {
        "whole": ["1", "-2", "30"],
        "number": ["1", "2.5", "1e3"],
        "flag": ["true", "False", "TRUE"],
        "day": ["2020-02-29", "1999-12-31", "2020-01-01"],
        "moment": ["2020-01-01 10:00", "2020-01-01T10:00:00Z", "2020-01-01T10:00:00.5+02:00"],
        "code": ["007", "12", "13"],
        "text": ["Berlin", "1", "true"],
    }
    rows = [
        EntityRecord(f"e{i}", properties={name: Raw(cells[i]) for name, cells in columns.items()}) for i in range(3)
    ]
    graph = build([*rows, ("e0", "r", "e1")], tmp_path / "x.graph")
    kinds = {column.name: str(column.kind) for column in graph.property_columns()}
    assert kinds == {
        "whole": "whole number",
        "number": "number",
        "flag": "boolean",
        "day": "date",
        "moment": "date-time",
        "code": "text",
        "text": "text",
    }
    own = graph.own_properties(graph.entity("e0"))
    assert own["number"] == 1.0
    assert isinstance(own["number"], float)
    assert own["code"] == "007"
    assert graph.manifest.not_kept == {}


def test_a_few_cells_that_stand_out_are_kept_as_texts_and_counted(tmp_path: Path) -> None:
    rows = [EntityRecord(f"e{i}", properties={"price": Raw(str(i) if i != 50 else "n/a")}) for i in range(100)]
    graph = build([*rows, ("e0", "r", "e1")], tmp_path / "x.graph")
    assert graph.own_properties(graph.entity("e50")) == {"price": "n/a"}
    assert graph.own_properties(graph.entity("e51")) == {"price": 51}
    (what,) = graph.manifest.not_kept
    assert "price" in what
    assert graph.manifest.not_kept[what] == {"count": 1, "examples": ["n/a"]}
    assert [graph.key(entity) for entity in graph.entities_where("price", above=98)] == ["e99"]


def test_readings_of_cells_agree_with_their_readable_version() -> None:
    rng = random.Random(3)
    from graphbrick.graphs.records.interner import spans_of
    from graphbrick.kernels.strings import cells

    names = ["text", "whole number", "number", "boolean", "date", "date-time", "text"]
    known = ["-", "-0", "0", "007", "1e5", "1e100", ".5", "5.", "-.5e-3", "e5", "1e", "TRUE", "fAlse", "2020-02-29"]
    known += ["2021-02-29", "0000-01-01", "2020-01-02T03:04", "2020-01-02 03:04:05.123456", "2020-01-02T24:00"]
    known += ["2020-01-02T03:04:05.1234567", "2020-01-02T03:04:05.1234560", "2020-01-02T03:04:05+01:30", "1" * 18]
    known += ["1" * 19, "1" * 18 + ".5", "1" * 60 + ".5", "2020-01-02T03:04:05-0130", "1999-12-31T23:59:59.999999Z"]
    texts = list(known)
    for _ in range(4000):
        text = rng.choice(known)
        at = rng.randrange(len(text))
        texts.append((text[:at] + rng.choice("0123456789-+.eE:TZ ") + text[at + rng.randint(0, 1) :]).strip())
    kinds = cells.cell_kinds(*spans_of(texts)).tolist()
    assert [names[kind] for kind in kinds] == [str(raw_kind(text)) for text in texts]


def test_conditions_need_bounds_of_one_kind() -> None:
    with fails("condition.no_bound", name="price"):
        Condition("price")
    with fails("condition.several_kinds", name="price"):
        Condition("price", above=3, below="x")
    assert Condition("born", at_least=datetime.date(2020, 1, 1)).holds(
        datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=-5)))
    )


def test_bad_properties_of_records_are_named(tmp_path: Path) -> None:
    with fails("record.bad_fact"):
        build([EntityRecord("a", properties={"x": {"y": 1}}), ("a", "r", "b")], tmp_path / "x")  # type: ignore[dict-item]
    with fails("record.bad_property"):
        build([EdgeRecord("a", "r", "b", {"": 1})], tmp_path / "x")


def test_values_that_are_tails_are_properties_too(tmp_path: Path) -> None:
    file = tmp_path / "kb.nt"
    number = "^^<http://www.w3.org/2001/XMLSchema#decimal>"
    lines = [("a", "height", f'"3.5"{number}'), ("a", "motto", '"Hold fast"@en'), ("a", "near", "<http://x.org/b>")]
    lines.append(("b", "height", f'"4"{number}'))
    file.write_text("".join(f"<http://x.org/{a}> <http://x.org/{b}> {c} .\n" for a, b, c in lines))
    graph = build(file, tmp_path / "kb.graph")
    assert graph.properties(graph.entity("http://x.org/a")) == {"height": 3.5, "motto": "Hold fast"}
    assert [graph.key(entity) for entity in graph.entities_where("height", above=3.6)] == ["http://x.org/b"]
    assert [graph.key(entity) for entity in graph.entities_where("motto", equals="Hold fast")] == ["http://x.org/a"]
    triples = [("Heat", "year", "1995"), ("Alien", "year", "1979"), ("Heat", "by", "Mann")]
    graph = build(triples, tmp_path / "films.graph")
    assert graph.properties(graph.entity("Heat")) == {"year": 1995}
    assert [graph.key(entity) for entity in graph.entities_where("year", below=1990)] == ["Alien"]


def test_numbers_that_are_keys_of_nodes_are_not_values(tmp_path: Path) -> None:
    routes = [(str(i), "route", str(i % 40 + 1)) for i in range(1, 41)]
    graph = build(routes, tmp_path / "routes.graph")
    assert graph.manifest.literals == {}
    assert graph.properties(graph.entity("3")) == {}
