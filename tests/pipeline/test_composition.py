"""Pipelines as values: their parts, their levels in words, and the advice where two do not fit."""

from __future__ import annotations

import pytest

from graphbrick import BM25, PPR, EnoughPaths, Expand, KHop, PathAnswer, Repeat, Rerank, ShortestPaths, parse
from graphbrick.core.errors import PipelineError
from graphbrick.pipeline.composition import Pipeline, Sequence, Union, needed_levels, parts_within
from graphbrick.pipeline.run import Level

ROUND = Repeat(Expand() >> ShortestPaths(), EnoughPaths(n=5), at_most=2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "ShortestPaths() >> PPR()",
            "PPR needs a query, but ShortestPaths() gives evidence; put it first",
        ),
        (
            "PPR() >> Rerank(BM25())",
            "Rerank needs evidence, but PPR(k=1000) gives only a subgraph; put a retrieve stage such as "
            "ShortestPaths() between them",
        ),
        (
            "PPR() >> PPR()",
            "PPR needs a query, but PPR(k=1000) gives a subgraph; unite the two with | or leave one out",
        ),
        (
            "ShortestPaths() >> PruneNodes(BM25())",
            "PruneNodes needs a subgraph or a query, but ShortestPaths() gives evidence; put it before the retrieve "
            "stage",
        ),
        (
            "PathAnswer() >> Rerank(BM25(), n=3)",
            "PathAnswer() gives the answer, so Rerank(BM25(), n=3) cannot come after it; leave one of them out",
        ),
        (
            "PPR() >> (PPR() | KHop())",
            "PPR(k=1000) | KHop() needs a query, but PPR(k=1000) gives a subgraph; unite the two with | or leave one "
            "out",
        ),
    ],
)
def test_the_error_says_what_to_do(text: str, message: str) -> None:
    with pytest.raises(PipelineError) as refused:
        parse(text)
    assert str(refused.value) == message


def test_sequences_and_unions_are_flat() -> None:
    a, b, c = KHop(max_hops=1), KHop(max_hops=2), KHop(max_hops=3)
    assert (a | b) | c == a | (b | c) == Union((a, b, c))
    one, two, three = KHop(), ShortestPaths(), PathAnswer()
    assert (one >> two) >> three == one >> (two >> three) == Sequence((one, two, three))
    assert repr((a | b) >> two) == "(KHop(max_hops=1) | KHop()) >> ShortestPaths()"
    assert repr(a | b >> Expand()) == "KHop(max_hops=1) | KHop() >> Expand()"
    assert parse(repr((a | b) >> two)) == (a | b) >> two


@pytest.mark.parametrize(
    ("pipeline", "accepts", "gives", "words"),
    [
        (KHop(), {Level.QUERY}, Level.SUBGRAPH, "a query"),
        (KHop() >> ShortestPaths(), {Level.QUERY}, Level.EVIDENCE, "a query"),
        (ShortestPaths(), {Level.QUERY, Level.SUBGRAPH}, Level.EVIDENCE, "a subgraph or a query"),
        (PathAnswer(), {Level.EVIDENCE}, Level.ANSWER, "evidence"),
        (KHop() | Expand(), {Level.QUERY}, Level.SUBGRAPH, "a query"),
        (ROUND, {Level.QUERY, Level.SUBGRAPH, Level.EVIDENCE}, Level.EVIDENCE, "evidence or a subgraph or a query"),
    ],
)
def test_levels(pipeline: Pipeline, accepts: set[Level], gives: Level, words: str) -> None:
    assert (pipeline.accepts, pipeline.gives, needed_levels(pipeline)) == (accepts, gives, words)


def test_a_pipeline_yields_its_stages_and_all_its_parts() -> None:
    pipeline = (PPR() | KHop()) >> ROUND >> Rerank(BM25()) >> PathAnswer()
    stages = [PPR(), KHop(), Expand(), ShortestPaths(), Rerank(BM25()), PathAnswer()]
    assert list(pipeline.stages_within()) == stages
    assert list(parts_within(pipeline)) == [
        pipeline, PPR() | KHop(), PPR(), KHop(),
        ROUND, ROUND.stage, Expand(), ShortestPaths(), EnoughPaths(n=5),
        Rerank(BM25()), BM25(), PathAnswer(),
    ]  # fmt: skip
    assert list(parts_within(BM25())) == [BM25()]


@pytest.mark.parametrize("other", [BM25(), 3, None, "PPR()"])
def test_what_is_no_pipeline_cannot_be_joined(other: object) -> None:
    with pytest.raises(TypeError):
        KHop() >> other  # type: ignore[operator]
    with pytest.raises(TypeError):
        KHop() | other  # type: ignore[operator]
