from __future__ import annotations

from dataclasses import dataclass

import pytest
from faults import fails

from graphbrick import BM25, PPR, ByHops, PathAnswer, Query, ShortestPaths, Subgraph, parse
from graphbrick.bricks.retrieve.paths.hops import HopClassifier
from graphbrick.core.errors import PipelineError
from graphbrick.testing import tiny_graph


@dataclass(frozen=True, repr=False)
class Always(HopClassifier):
    """Says one number."""

    number: int

    def hops(self, query: Query, subgraph: Subgraph) -> int:
        return self.number


@pytest.mark.parametrize(("hops", "chosen"), [(1, 1), (2, 3), (7, 3)])
def test_the_number_of_hops_chooses(hops: int, chosen: int) -> None:
    graph = tiny_graph()
    stage = ByHops(Always(hops), ShortestPaths(max_hops=1), ShortestPaths(max_hops=3))
    run = stage.run(graph, "What is around Nairobi?", seeds=["Nairobi"])
    expected = ShortestPaths(max_hops=chosen).retrieve(run.query, Subgraph(graph))
    assert run.evidence == expected
    assert run.trace.stages[-1].facts["hops"] == hops


def test_it_is_written_like_any_other_stage() -> None:
    text = (
        "PPR(k=1000) >> ByHops(PatternHops(BM25()), BeamSearch(BM25(), cut='mean'), BeamSearch(BM25(), by='triple')) "
        ">> PathAnswer()"
    )
    assert repr(parse(text)) == text
    graph = tiny_graph()
    run = parse(text).run(graph, "Which currency has the country with the capital Nairobi?")
    assert run.evidence is not None
    assert "Kenyan shilling" in {graph.label(path.end) for path in run.evidence.paths}


@pytest.mark.parametrize(
    ("arguments", "name", "value"),
    [
        ((BM25(), ShortestPaths(), ShortestPaths()), "classifier", "BM25()"),
        ((Always(1), PPR(), ShortestPaths()), "one", "PPR(k=1000)"),
        ((Always(1), ShortestPaths(), PathAnswer()), "more", "PathAnswer()"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: tuple[object, ...], name: str, value: str) -> None:
    with fails("parameter.not_allowed", PipelineError, brick="ByHops", name=name, value=value):
        ByHops(*arguments)  # type: ignore[arg-type]
