"""A small graph with properties of every kind, of entities and of triples."""

from __future__ import annotations

import datetime
from pathlib import Path

from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord

LONG = "A long note. " * 400
RECORDS = [
    EntityRecord(
        "kettle",
        "Blue Kettle",
        (),
        ("Product",),
        "Boils two cups.",
        {
            "unit_price": 24.5,
            "stock": 7,
            "tags": ("kitchen", "steel"),
            "added": datetime.date(2020, 5, 31),
            "sold": True,
        },
    ),
    EntityRecord("lamp", "Lamp", (), ("Product",), None, {"unit_price": 40, "note": LONG, "code": 2**60}),
    EntityRecord("box", "Box", (), ("Package",), None, {"unit_price": 40, "stock": "none"}),
    EdgeRecord("lee", "bought", "kettle", {"on": datetime.date(2021, 1, 2)}),
    EdgeRecord("lee", "bought", "kettle", {"on": datetime.date(2022, 3, 4)}),
    ("lee", "likes", "lamp"),
]


def shop(folder: Path) -> Graph:
    """Build the graph."""
    return build(RECORDS, folder / "shop.graph")
