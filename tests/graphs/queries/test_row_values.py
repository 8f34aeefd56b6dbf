"""Values of rows as text, with the entities that they name."""

from __future__ import annotations

import json
from datetime import date

import pytest
from faults import told

from graphbrick.core.compute import limited_by
from graphbrick.core.errors import GraphbrickError, LinkError
from graphbrick.core.graph import Labels
from graphbrick.core.schema import NodeKey, Rows
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.queries.row_values import RowMaker
from graphbrick.pipeline.budget import StoppedError


class Films(Labels):
    """Three films by numbers; it counts look-ups, and fails where it is asked for «slow»."""

    names = ("Heat", "Ronin", "1917")
    n_lookups = 0

    def label(self, entity: int) -> str:
        return self.names[entity]

    def key(self, entity: int) -> str:
        return str(entity + 1)

    def relation_label(self, relation: int) -> str:
        return "follows"

    def entity(self, key: str) -> int:
        self.n_lookups += 1
        if key == "slow":
            raise GraphbrickError("no answer within 30 s")
        if key not in ("1", "2", "3"):
            raise LinkError(f"no entity has the key {key!r}")
        return int(key) - 1

    def search(self, text: str, n: int) -> list[int]:
        return [entity for entity, name in enumerate(self.names) if name == text][:n]


@pytest.mark.parametrize(
    ("value", "text", "entities"),
    [
        (NodeKey("2"), "Ronin", (1,)),
        ("2", "2", ()),  # a text such as the number of a version
        ("-2", "-2", ()),
        ("--2", "--2", ()),
        ("1,2", "1,2", ()),
        ("1917", "1917", (2,)),  # a name
        ("Heat", "Heat", (0,)),
        (["2", NodeKey("1")], "2, Heat", (0,)),
        ({"film": NodeKey("1"), "part": "1"}, "film: Heat, part: 1", (0,)),
        (2, "2", ()),
        (None, "", ()),
        (True, "yes", ()),
    ],
)
def test_digits_are_no_key_unless_they_are_of_a_node(value: object, text: str, entities: tuple[int, ...]) -> None:
    assert RowMaker(Films()).read([value]) == ((text,), entities)


def test_a_text_and_a_node_of_one_key_are_told_apart() -> None:
    assert RowMaker(Films()).read(["2", NodeKey("2"), "2"]) == (("2", "Ronin", "2"), (1,))


def test_a_graph_that_fails_leaves_the_values() -> None:
    trace, graph = Trace(), Films()
    maker = RowMaker(graph)
    with record(trace, "rows", "retrieve"):
        assert maker.read(["slow", "Heat", NodeKey("2")]) == (("slow", "Heat", "Ronin"), (1,))
        assert maker.read(["another name"]) == (("another name",), ())
    assert told(trace.events) == [("rows.not_looked_up", {"reason": "no answer within 30 s"})]
    assert graph.n_lookups == 2


def test_the_limits_of_a_run_end_long_look_ups() -> None:
    graph = Films()

    def check() -> None:
        if graph.n_lookups == 3:
            raise StoppedError("the time is over")

    with limited_by(check), pytest.raises(StoppedError):
        RowMaker(graph).read([f"name {i}" for i in range(100)])
    assert graph.n_lookups == 3


def test_rows_are_plain_json() -> None:
    rows = Rows(("a", "b"), [(float("nan"), float("-inf")), (date(1995, 12, 15), NodeKey("2"))])
    written = json.dumps(rows.to_dict(), allow_nan=False)
    assert json.loads(written)["rows"] == [["nan", "-inf"], ["1995-12-15", "2"]]
