"""Unions of which one branch is stopped: what the others gave is kept, and what is undone is named."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from graphbrick import Evidence, Query, ShortestPaths, Subgraph
from graphbrick.pipeline import Pipeline, RetrieveStage
from graphbrick.pipeline.budget import StoppedError
from graphbrick.testing import tiny_graph


@dataclass(frozen=True, repr=False)
class Stops(RetrieveStage):
    """Stops its branch.

    Args:
        why: The reason.
    """

    why: str

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        raise StoppedError(self.why)


@pytest.mark.parametrize(
    ("union", "reason", "undone"),
    [
        (Stops("first") | ShortestPaths(), "first", ("Stops('first')",)),
        (ShortestPaths() | Stops("second"), "second", ("Stops('second')",)),
        (Stops("first") | Stops("second"), "first", ("Stops('first')", "Stops('second')")),
        (ShortestPaths() | ShortestPaths(max_hops=1), None, ()),
    ],
)
def test_a_stopped_branch_stops_the_union_for_its_reason(
    union: Pipeline, reason: str | None, undone: tuple[str, ...]
) -> None:
    run = union.run(tiny_graph(), "Which currency is used in Kenya?", seeds=["Kenya"])
    assert (run.stopped and run.stopped.reason) == reason
    assert (run.stopped.undone if run.stopped else ()) == undone
    if "ShortestPaths" in repr(union):
        assert run.evidence is not None
        assert run.evidence.items
