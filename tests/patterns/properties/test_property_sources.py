"""Properties as numbers and words of a question: of columns, tails of triples, changes, and by the protocol."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from property_graphs import shop_records

from graphbrick import EntityRecord
from graphbrick.core.properties.condition import Condition
from graphbrick.core.properties.values import Properties, PropertyColumn, kind_of, value_text
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.literals import read_literal
from graphbrick.patterns.properties.sources import Source, equal_to, has_columns, numbers_of, owners_of, sources_of
from graphbrick.patterns.properties.terms import terms_in


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(shop_records(), tmp_path_factory.mktemp("shop") / "shop.graph")


def source(graph: Graph, name: str) -> Source:
    return next(one for one in sources_of(graph) if one.name == name)


def numbers(graph: Graph, name: str) -> dict[str, float]:
    values = numbers_of(graph, source(graph, name))
    return dict(zip(map(graph.label, values.heads.tolist()), values.values.tolist(), strict=True))


def test_dates_are_years_as_those_of_literal_tails(tmp_path: Path) -> None:
    days = [
        datetime.date(year, month, day)
        for year in (1, 1969, 1970, 2023, 2024)
        for month in range(1, 13)
        for day in (1, 28)
    ]
    records = [EntityRecord(f"e{i}", properties={"day": day}) for i, day in enumerate(days)]
    graph = build([*records, ("e0", "r", "e1")], tmp_path / "days.graph")
    values = numbers(graph, "day")
    for i, day in enumerate(days):
        literal = read_literal(day.isoformat())
        assert literal is not None
        assert values[f"e{i}"] == pytest.approx(literal.value, abs=1e-9)


def test_a_column_and_a_relation_to_numbers_are_sources_of_one_kind(tmp_path: Path) -> None:
    records = [EntityRecord("Ada", properties={"salary": 10}), ("Ada", "height", "171"), ("Bo", "height", "185")]
    graph = build(records, tmp_path / "people.graph")
    assert [(one.name, one.relation >= 0) for one in sources_of(graph)] == [("height", True), ("salary", False)]
    assert numbers(graph, "height") == {"Ada": 171.0, "Bo": 185.0}
    assert numbers(graph, "salary") == {"Ada": 10.0}


def test_whole_numbers_are_years_where_the_name_says_so(tmp_path: Path) -> None:
    rows = [EntityRecord(f"f{i}", properties={"release_year": 1990 + i, "price": 1990 + i}) for i in range(3)]
    graph = build([*rows, ("f0", "r", "f1")], tmp_path / "films.graph")
    assert (source(graph, "release_year").is_date, source(graph, "price").is_date) == (True, False)


def test_a_change_replaces_values_of_columns(tmp_path: Path) -> None:
    built = build(shop_records(), tmp_path / "shop.graph")
    change(built.path, add=[EntityRecord("Steel Pan", properties={"price": 20.0, "colour": "Black"})])
    graph = Graph.open(tmp_path / "shop.graph")
    assert numbers(graph, "price")["Steel Pan"] == 20.0
    assert [graph.label(entity) for entity in equal_to(graph, "colour", "black").tolist()] == ["Steel Pan"]
    assert equal_to(graph, "colour", "silver").tolist() == []


def test_properties_that_only_a_change_brings_are_sources(tmp_path: Path) -> None:
    build([("Kenya", "borders", "Uganda")], tmp_path / "world.graph")
    assert not has_columns(Graph.open(tmp_path / "world.graph"))
    change(tmp_path / "world.graph", add=[EntityRecord("Kenya", properties={"area": 582_650, "tongue": "Swahili"})])
    graph = Graph.open(tmp_path / "world.graph")
    assert has_columns(graph)
    assert numbers(graph, "area") == {"Kenya": 582_650.0}
    assert owners_of(graph, source(graph, "tongue")).tolist() == [graph.entity("Kenya")]


class Viewed(Graph):
    """A graph whose properties are known by the protocol alone."""

    values: ClassVar[dict[str, Properties]] = {
        record.key: record.properties for record in shop_records() if isinstance(record, EntityRecord)
    }

    def property_columns(self) -> Sequence[PropertyColumn]:
        every = {name: value for own in self.values.values() for name, value in own.items()}
        return [
            PropertyColumn(name, kind_of(value), 1) for name, value in every.items() if not isinstance(value, tuple)
        ]

    def properties(self, entity: int) -> Properties:
        return self.values[self.key(entity)]

    def matching(self, condition: Condition) -> Sequence[int]:
        own = {self.entity(key): properties.get(condition.name) for key, properties in self.values.items()}
        return sorted(entity for entity, value in own.items() if value is not None and condition.holds(value))


def test_the_protocol_gives_the_same_as_the_columns(shop: Graph) -> None:
    viewed = Viewed.open(shop.path)
    viewed.columns, viewed.place = [], viewed.place / "viewed"  # another place, so that the session tells them apart
    for one in sources_of(shop):
        if one.name == "tags":
            continue
        assert owners_of(viewed, source(viewed, one.name)).tolist() == owners_of(shop, one).tolist()
        if one.literal is not None:
            assert np.array_equal(numbers_of(viewed, source(viewed, one.name)).values, numbers_of(shop, one).values)
    assert equal_to(viewed, "colour", "red").tolist() == equal_to(shop, "colour", "RED").tolist()
    assert [term.value for term in terms_in(viewed, "red products from poland")] == ["red", "Poland"]


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("which red products are in stock", [("red", "colour", "red"), ("in stock", "inStock", "true")]),
        ("vendors from Poland or norway", [("Poland", "country", "Poland"), ("norway", "country", "Norway")]),
        ("products with rating 4.5", [("rating 4.5", "rating", "4.5")]),
        ("products with a rating of 4.5", [("rating of 4.5", "rating", "4.5")]),
        ("rating 4 or 5", [("rating 4", "rating", "4.0"), ("5", "rating", "5.0")]),
        ("non-vip customers", [("vip", "vip", "true")]),
        ("what costs 24.5", []),
        ("who is e0", []),
    ],
)
def test_values_in_a_text(shop: Graph, text: str, terms: list[tuple[str, str, str]]) -> None:
    values = terms_in(shop, text)
    assert [(text[t.start : t.end], t.sources[0].name, value_text(t.value)) for t in values] == terms
