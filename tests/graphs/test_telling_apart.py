"""What tells entities of one name apart."""

from __future__ import annotations

from pathlib import Path

from graphbrick import Graph
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord
from graphbrick.graphs.telling_apart import told_apart

JORDANS = [
    EntityRecord("mj", "Jordan", (), ("player",), "", {"born": 1963}),
    EntityRecord("jp", "Jordan", (), ("player",), "", {"born": 1963}),
    EntityRecord("jo", "Jordan", (), ("country",), "a kingdom in Asia", {}),
    EntityRecord("one", "Twin", (), ()),
    EntityRecord("two", "Twin", (), ()),
    EdgeRecord("mj", "plays_for", "Bulls"),
    EdgeRecord("jp", "plays_for", "Clippers"),
    EdgeRecord("jo", "borders", "Iraq"),
]


def graph(folder: Path) -> Graph:
    return build(JORDANS, folder / "jordan.graph")


def test_a_type_a_property_or_a_relation_tells_them_apart(tmp_path: Path) -> None:
    made = graph(tmp_path)
    mj, jp, jo = map(made.entity, ("mj", "jp", "jo"))
    assert told_apart(made, [mj, jp]) == [
        "Jordan (player, plays for Bulls)",
        "Jordan (player, plays for Clippers)",
    ]
    assert told_apart(made, [mj, jo])[1].startswith("Jordan (country")
    every = told_apart(made, [mj, jp, jo])
    assert len(set(every)) == 3


def test_what_nothing_tells_apart_is_told_by_its_key(tmp_path: Path) -> None:
    made = graph(tmp_path)
    assert told_apart(made, list(map(made.entity, ("one", "two")))) == ["Twin (one)", "Twin (two)"]
