"""Stages made of functions."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faults import fails

from graphbrick import (
    BM25,
    PPR,
    Answer,
    Apply,
    Evidence,
    PathAnswer,
    Query,
    Rerank,
    ShortestPaths,
    evaluate,
    parse,
)
from graphbrick.core.errors import PipelineError
from graphbrick.pipeline import ExpandStage, ExtractStage, GenerateStage, LinkStage, PruneStage, RerankStage
from graphbrick.pipeline.stages import RetrieveStage
from graphbrick.questions.question import Question
from graphbrick.testing import tiny_graph

QUESTION = "Which country has the capital Nairobi?"
KEPT = 1


def first(query: Query, evidence: Evidence) -> Evidence:
    return Evidence(evidence.items[:KEPT])


def test_each_kind_is_a_stage_of_its_kind_and_runs_where_a_brick_does() -> None:
    graph = tiny_graph()
    linked = ShortestPaths().run(graph, QUESTION)
    extract, retrieve = PPR(k=5), ShortestPaths()
    stages = {
        LinkStage: Apply(link=lambda graph, query: linked.query),
        ExtractStage: Apply(extract=lambda graph, query: extract.extract(graph, query)),
        ExpandStage: Apply(expand=lambda query, subgraph: subgraph),
        PruneStage: Apply(prune=lambda query, subgraph: subgraph),
        RetrieveStage: Apply(retrieve=lambda query, subgraph: retrieve.retrieve(query, subgraph)),
        RerankStage: Apply(rerank=first),
        GenerateStage: Apply(generate=lambda query, evidence: PathAnswer().generate(query, evidence)),
    }
    assert all(isinstance(stage, kind) and isinstance(stage, Apply) for kind, stage in stages.items())
    link, *others = stages.values()
    pipeline = link
    for stage in others:
        pipeline = pipeline >> stage
    assert pipeline(graph, QUESTION).texts == ("Kenya",)
    run = pipeline.run(graph, QUESTION)
    assert [stage.kind for stage in run.trace.stages] == [kind.kind for kind in stages]


@pytest.mark.parametrize(
    ("keywords", "code", "values"),
    [
        ({}, "apply.functions", {"n": 0}),
        ({"rerank": first, "prune": first}, "apply.functions", {"n": 2}),
        ({"rank": first}, "apply.kind", {"keyword": "rank"}),
        ({"rerank": "first"}, "apply.no_function", {}),
    ],
)
def test_exactly_one_function_for_a_kind(keywords: dict[str, Any], code: str, values: dict[str, Any]) -> None:
    with fails(code, PipelineError, **values):
        Apply(**keywords)


def test_a_function_that_returns_something_else_is_an_error_with_its_name() -> None:
    pipeline = ShortestPaths() >> Apply(rerank=lambda query, evidence: evidence.items, name="broken")
    with fails("apply.result", PipelineError) as caught:
        pipeline.run(tiny_graph(), QUESTION)
    assert "Apply(rerank='broken')" in str(caught.value)


def test_it_is_shown_by_name_and_cannot_be_parsed() -> None:
    pipeline = ShortestPaths() >> Apply(rerank=first) >> PathAnswer()
    assert repr(pipeline) == "ShortestPaths() >> Apply(rerank='first') >> PathAnswer()"
    with pytest.raises(PipelineError, match="Apply holds a Python function, which recipe text cannot name"):
        parse(repr(pipeline))
    assert pickle.loads(pickle.dumps(pipeline)) == pipeline


def capped(n: Any) -> Callable[[Query, Evidence], Evidence]:
    return lambda query, evidence: Evidence(evidence.items[:n])


def test_the_identity_is_that_of_the_code_and_of_the_values_that_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    def identity(function: Callable[..., Evidence]) -> str:
        return Apply(rerank=function).identity()

    assert identity(capped(1)) == identity(capped(1)) != identity(capped(2))
    pair = (lambda query, evidence: evidence), (lambda query, evidence: Evidence(evidence.items))
    assert identity(pair[0]) != identity(pair[1])
    ranked = [capped(BM25()), capped(BM25(k1=2.0)), capped({"a": [1, (2, {3, 4})]}), capped(first), capped(capped)]
    assert len({identity(function) for function in ranked}) == 5
    before = identity(first)
    monkeypatch.setitem(first.__globals__, "KEPT", 2)
    assert identity(first) != before
    assert Apply(rerank=first, name="a").identity() == Apply(rerank=capped(3), name="a").identity()


@pytest.mark.parametrize(
    ("function", "code"),
    [(capped(object()), "no_identity"), (Evidence, "no_code"), (capped(iter(())), "no_identity")],
)
def test_without_a_name_a_value_that_cannot_be_told_again_is_refused(
    tmp_path: Path, function: Callable[..., Evidence], code: str
) -> None:
    questions = [Question("1", QUESTION, ("Nairobi",), ("Kenya",))]
    pipeline = ShortestPaths() >> Apply(rerank=function) >> PathAnswer()
    with fails(f"apply.{code}", PipelineError):
        evaluate(tiny_graph(), questions, [pipeline], out=tmp_path / "runs.sqlite")


def test_it_is_evaluated_and_its_answers_are_kept(tmp_path: Path) -> None:
    calls: list[str] = []

    def counted(query: Query, evidence: Evidence) -> Answer:
        calls.append(query.text)
        return PathAnswer().generate(query, evidence)

    questions = [Question("1", QUESTION, ("Nairobi",), ("Kenya",))]
    pipelines = {
        "first": ShortestPaths() >> Apply(rerank=first) >> PathAnswer(),
        "counted": ShortestPaths() >> Rerank(BM25()) >> Apply(generate=counted, name="counted"),
    }
    for _ in range(2):
        study = evaluate(tiny_graph(), questions, pipelines, out=tmp_path / "runs.sqlite", workers=1)
    assert len(calls) == 1
    assert study is not None
