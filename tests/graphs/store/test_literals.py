from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.info import graph_info
from graphbrick.graphs.store.literals import LiteralType, literal_types, read_literal, values_of
from graphbrick.graphs.store.manifest import NAME


@pytest.mark.parametrize(
    ("text", "kind", "value", "unit"),
    [
        ("5", "integer", 5, ""),
        ("-12.5", "decimal", -12.5, ""),
        ("1,234,567", "integer", 1_234_567, ""),
        ("582,650 km²", "integer", 582_650, "km²"),
        ("100 km2", "integer", 100, "km²"),
        ("$61,000", "integer", 61_000, "$"),
        ("3.5 %", "decimal", 3.5, "%"),
        ("1963-12-12", "date", 1963 + 346 / 366, ""),
        ("1963-06", "date", 1963 + 152 / 366, ""),
    ],
)
def test_read(text: str, kind: str, value: float, unit: str) -> None:
    found = read_literal(text)
    assert found is not None
    assert (found.kind, found.unit) == (kind, unit)
    assert found.value == pytest.approx(value)


@pytest.mark.parametrize(
    "text", ["", "Kenya", "+254", "1-809", "12,34", "1963-13-01", "3 blind mice ran", "MI6", "1.2.3"]
)
def test_what_is_no_number(text: str) -> None:
    assert read_literal(text) is None


def _graph(folder: Path) -> Graph:
    triples = [(f"country {i}", "people", f"{1000 * i:,}") for i in range(1, 41)]
    triples += [(f"country {i}", "area", f"{i}.5 km²") for i in range(1, 41)]
    triples += [(f"country {i}", "founded", str(1800 + i)) for i in range(1, 41)]
    triples += [(f"country {i}", "holiday", f"2024-01-{i:02}") for i in range(1, 31)]
    triples += [(f"country {i}", "mixed", str(i) if i % 10 else f"about {i}") for i in range(1, 41)]
    triples += [(f"country {i}", "borders", f"country {i + 1}") for i in range(1, 40)]
    return build(triples, folder / "made.graph")


def test_types_are_found_at_build_and_kept(tmp_path: Path) -> None:
    graph = _graph(tmp_path)
    found = {graph.relation_label(relation): kind for relation, kind in literal_types(graph).items()}
    assert found == {
        "people": LiteralType("integer"),
        "area": LiteralType("decimal", "km²"),
        "founded": LiteralType("year"),
        "holiday": LiteralType("date"),
    }
    assert graph.manifest.literals is not None
    assert graph_info(graph)["literals"]["area"] == "decimal in km²"


def test_a_graph_of_an_earlier_version_opens_and_has_the_same_types(tmp_path: Path) -> None:
    graph = _graph(tmp_path)
    types = dict(literal_types(graph))
    manifest = json.loads((graph.path / NAME).read_text())
    del manifest["literals"]
    (tmp_path / "made.graph").rename(tmp_path / "old.graph")
    (tmp_path / "old.graph" / NAME).write_text(json.dumps(manifest))
    (tmp_path / "old.graph" / "seal.json").unlink()
    old = Graph.open(tmp_path / "old.graph")
    assert old.manifest.literals is None
    assert literal_types(old) == types


def test_values(tmp_path: Path) -> None:
    graph = _graph(tmp_path)
    relation = next(r for r in literal_types(graph) if graph.relation_label(r) == "people")
    values = values_of(graph, relation)
    asked = np.array([graph.entity("country 7"), graph.entity("1,000"), graph.entity("country 40")])
    assert values.of(asked).tolist()[::2] == [7000.0, 40000.0]
    assert np.isnan(values.of(asked)[1])


def test_changes_count(tmp_path: Path) -> None:
    graph = _graph(tmp_path)
    change(graph.path, add=[("country 1", "height", "8,848 m"), ("country 2", "height", "4,810 m")])
    changed = Graph.open(graph.path)
    found = {changed.relation_label(relation): kind for relation, kind in literal_types(changed).items()}
    assert found["height"] == LiteralType("integer", "m")


def test_a_name_that_python_takes_for_a_number_has_no_value(tmp_path: Path) -> None:
    triples = [(f"film {i}", "budget", str(i)) for i in range(40)]
    graph = build([*triples, ("film x", "budget", "Infinity"), ("film y", "budget", "NaN")], tmp_path / "g.graph")
    values = values_of(graph, 0)
    assert len(values.heads) == 40
    assert values.values.max() == 39


def test_a_relation_with_dates_among_names_has_no_type(tmp_path: Path) -> None:
    triples = [("Kenya", "founded", "1963-12-12"), ("Uganda", "founded", "long ago"), ("Kenya", "people", "5")]
    graph = build(triples, tmp_path / "g.graph")
    found = {graph.relation_label(relation): kind for relation, kind in literal_types(graph).items()}
    assert found == {"people": LiteralType("integer")}
    changed = change(graph.path, add=[("Rwanda", "founded", "1962-07")]).graph
    assert {changed.relation_label(relation) for relation in literal_types(changed)} == {"people"}
