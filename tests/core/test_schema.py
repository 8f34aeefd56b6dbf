"""Schemas by size, and rows as JSON."""

from __future__ import annotations

import json
from datetime import date

from graphbrick.core.schema import Connection, NodeClass, NodeKey, Rows, Schema


def test_the_largest_come_first_and_equal_ones_by_name() -> None:
    counts = {"c": 1, "b": None, "z": 9, "a": 1, "0": 0}
    classes = [NodeClass(name, count=count) for name, count in counts.items()]
    assert [one.name for one in Schema.by_count(classes, (), True).classes] == ["z", "a", "c", "0", "b"]
    connections = [
        Connection("b", "r", "x", count=1),
        Connection("a", "s", "x", count=1),
        Connection("a", "r", "y", count=1),
        Connection("a", "r", "x", count=1),
        Connection("z", "z", "z"),
        Connection("c", "c", "c", count=2),
        Connection("y", "y", "y", count=0),
    ]
    schema = Schema.by_count((), connections, False)
    order = ["ccc", "arx", "ary", "asx", "brx", "yyy", "zzz"]
    assert [f"{one.head}{one.relation}{one.tail}" for one in schema.connections] == order
    assert not schema.is_complete
    assert Schema().is_complete


def test_rows_are_plain_json_types() -> None:
    row = (NodeKey("a"), "text", 3, 1.5, True, None, float("nan"), float("-inf"), date(2020, 1, 2), [1])
    told = Rows(("x",), [row], True).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == {
        "columns": ["x"],
        "rows": [["a", "text", 3, 1.5, True, None, "nan", "-inf", "2020-01-02", [1]]],
        "is_cut": True,
    }
    assert not Rows(("x",), []).is_cut
