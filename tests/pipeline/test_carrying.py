"""What evidence says besides its items, on its way through stages that do not know of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from faults import fails

from graphbrick import BM25, Evidence, PathAnswer, Query, RandomSample, Rerank, Row, Run, ShortestPaths, Subgraph, build
from graphbrick.core import Path
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import Trace
from graphbrick.pipeline import RerankStage, RetrieveStage
from graphbrick.pipeline.interpreter import execute
from graphbrick.testing import check_brick, tiny_graph

QUERY = Query("Which countries border Kenya?")


@dataclass(frozen=True, repr=False)
class Turned(RerankStage):
    """The items from last to first, as somebody writes it who knows only items."""

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """Return the items."""
        return Evidence(evidence.items[::-1])


@dataclass(frozen=True, repr=False)
class Kept(RerankStage):
    """The items as they are."""

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """Return the items."""
        return Evidence(evidence.items)


@pytest.fixture
def evidence() -> Evidence:
    graph = tiny_graph()
    query = replace(QUERY, seeds=(graph.entity("Kenya"),))
    paths = ShortestPaths(max_hops=1).retrieve(query, Subgraph(graph)).items
    scored = tuple(path.with_score(1 / place) for place, path in enumerate(paths, 1))
    return Evidence(scored, Subgraph(graph), "BM25()", 0.8, frozenset({"borders"}))


def after(stage: RerankStage, evidence: Evidence) -> Evidence:
    graph = tiny_graph()
    run = execute(stage, Run(graph, QUERY, linked=True, evidence=evidence, trace=Trace()))
    assert run.evidence is not None
    return run.evidence


def test_all_is_carried_past_a_stage_that_keeps_the_items(evidence: Evidence) -> None:
    carried = after(Kept(), evidence)
    assert (carried.subgraph, carried.scale, carried.confidence, carried.symmetric) == (
        evidence.subgraph, "BM25()", 0.8, {"borders"}
    )  # fmt: skip


def test_the_confidence_ends_with_the_first_item_and_the_scale_with_the_order(evidence: Evidence) -> None:
    carried = after(Turned(), evidence)
    assert (carried.confidence, carried.scale, carried.symmetric) == (None, "", {"borders"})
    assert carried.subgraph is evidence.subgraph


def test_a_ranking_of_its_own_has_a_scale_of_its_own(evidence: Evidence) -> None:
    carried = after(Rerank(BM25()), evidence)
    assert carried.scale == ""
    assert carried.symmetric == {"borders"}
    assert carried.confidence == (0.8 if carried.items[0] == evidence.items[0] else None)


def test_the_scale_survives_a_part_of_the_items(evidence: Evidence) -> None:
    carried = after(RandomSample(n=2), evidence)
    assert len(carried) == 2
    assert carried.scale == "BM25()"


def test_both_directions_of_a_symmetric_relation_are_answers_after_any_stage(tmp_path) -> None:
    graph = build([("Ann", "spouse", "Bob"), ("Cid", "spouse", "Ann"), ("Ann", "boss", "Dan")], tmp_path / "g.graph")
    query = Query("Who is the spouse of Ann?", seeds=(graph.entity("Ann"),))
    paths = ShortestPaths(max_hops=1).retrieve(query, Subgraph(graph)).items
    first = [path for path in paths if isinstance(path, Path) and path.end == graph.entity("Bob")]
    others = [path for path in paths if path not in first]
    known = Evidence((*first, *others), Subgraph(graph), symmetric=frozenset({"spouse"}))
    run = Run(graph, query, linked=True, evidence=known, trace=Trace())
    answers = {repr(stage): execute(stage >> PathAnswer(), run).answer for stage in (Kept(), RandomSample(n=9))}
    assert {name: answer.texts for name, answer in answers.items() if answer} == {
        "Kept()": ("Bob", "Cid"),
        "RandomSample(n=9)": ("Bob", "Cid"),
    }


@dataclass(frozen=True, repr=False)
class Told(RetrieveStage):
    """Shortest paths with a confidence."""

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the paths."""
        return replace(ShortestPaths(max_hops=2).retrieve(query, subgraph), confidence=0.5)


@dataclass(frozen=True, repr=False)
class Forgetful(RetrieveStage):
    """What another stage finds, without what it says of it.

    Args:
        stage: The other stage.
    """

    stage: RetrieveStage = parameter(example="ShortestPaths()")

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the items of the other stage."""
        return Evidence(self.stage.retrieve(query, subgraph).items)


def test_check_brick_fails_on_a_stage_that_loses_what_a_stage_inside_it_says() -> None:
    check_brick(Forgetful(ShortestPaths(max_hops=2)), installed=False)
    with pytest.raises(AssertionError, match="lost the confidence in the first item"):
        check_brick(Forgetful(Told()), installed=False)


def test_rows_keep_their_confidence(evidence: Evidence) -> None:
    row = Row(("answer", "plan"), ("3", "count"), (), (), None)
    assert after(Kept(), replace(evidence, items=(row,))).confidence == 0.8


@dataclass(frozen=True, repr=False)
class Listing(RerankStage):
    """A list in the place of evidence, as somebody writes it by mistake."""

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """Return a list."""
        return list(evidence.items)  # type: ignore[return-value]


def test_a_stage_that_returns_another_type_is_named(evidence: Evidence) -> None:
    with fails("run.wrong_result", stage="Listing()", wanted="Evidence"):
        after(Listing(), evidence)
