"""Questions that go on from a copy to the graph that it was made from."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from graphbrick import build
from graphbrick.bricks.generate.from_rows import answer_by_rows
from graphbrick.core import Answer, Evidence, Query, Subgraph
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.records.records import EntityRecord
from graphbrick.pipeline import RetrieveStage


class Heard:
    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        self.query = query
        return Evidence((), subgraph=subgraph)


def test_seeds_that_are_gone_or_others_in_the_database_are_left_out(tmp_path: Path) -> None:
    copy = build([EntityRecord("1", "Ada"), EntityRecord("2", "Bo"), ("1", "knows", "3")], tmp_path / "copy.graph")
    now = build([EntityRecord("1", "Ada"), EntityRecord("3", "Cy"), ("1", "knows", "3")], tmp_path / "now.graph")
    copy.remote = now
    seeds = tuple(map(copy.entity, "123"))
    stage, trace = Heard(), Trace()
    before = Evidence((), subgraph=Subgraph(copy))
    with record(trace, "stage", "generate"):
        answer = answer_by_rows(cast("RetrieveStage", stage), Query("Who?", seeds), before)
    assert answer == Answer()
    assert [now.label(seed) for seed in stage.query.seeds] == ["Ada"]
    assert [*map(str, trace.events)] == [
        "Bo has gone from the database, or has another name there",
        "3 has gone from the database, or has another name there",
    ]
