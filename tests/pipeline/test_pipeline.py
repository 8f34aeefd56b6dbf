"""Building pipelines and running them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from faults import fails
from toy_stages import NAIROBI, QUESTION, SHILLING, Keep, Nothing

from graphbrick import (
    BM25,
    LLM,
    PPR,
    Evidence,
    Generate,
    LinkLabels,
    PathAnswer,
    Query,
    Rerank,
    ShortestPaths,
)
from graphbrick.core.errors import PipelineError
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import Pipeline, Sequence, Union
from graphbrick.pipeline.run import Level
from graphbrick.testing import tiny_graph


@pytest.fixture
def graph() -> Graph:
    return tiny_graph()


class TestBuilding:
    def test_the_message_of_the_design(self) -> None:
        with pytest.raises(PipelineError) as caught:
            PPR(k=1000) >> Generate(LLM())
        assert str(caught.value) == (
            "Generate needs evidence, but PPR(k=1000) gives only a subgraph; "
            "put a retrieve stage such as ShortestPaths() between them"
        )

    @pytest.mark.parametrize(
        ("left", "right", "gives", "advice"),
        [
            (LinkLabels(), Rerank(BM25()), Level.QUERY, "put a retrieve stage such as ShortestPaths() between them"),
            (PPR(), PPR(k=5), Level.SUBGRAPH, "unite the two with | or leave one out"),
            (ShortestPaths(), LinkLabels(), Level.EVIDENCE, "put it first"),
            (ShortestPaths(), Keep(), Level.EVIDENCE, "put it before the retrieve stage"),
            (
                PPR(),
                Rerank(BM25()) | Rerank(BM25(), n=5),
                Level.SUBGRAPH,
                "put a retrieve stage such as ShortestPaths() between them",
            ),
            (
                PPR() | PPR(k=5),
                PathAnswer(),
                Level.SUBGRAPH,
                "put a retrieve stage such as ShortestPaths() between them",
            ),
        ],
    )
    def test_stages_that_do_not_fit(self, left: Pipeline, right: Pipeline, gives: Level, advice: str) -> None:
        with fails("join.wrong_level", PipelineError, gives=gives, needs=right.accepts, advice=advice):
            left >> right

    def test_nothing_comes_after_the_answer(self) -> None:
        with fails("join.after_the_answer", PipelineError):
            ShortestPaths() >> PathAnswer() >> PathAnswer()

    @pytest.mark.parametrize(
        ("left", "right", "code"),
        [
            (PPR(), ShortestPaths(), "union.different_levels"),
            (PathAnswer(), PathAnswer(), "union.of_answers"),
            (ShortestPaths(), Rerank(BM25()), "union.different_starts"),
        ],
    )
    def test_branches_that_do_not_fit(self, left: Pipeline, right: Pipeline, code: str) -> None:
        with fails(code, PipelineError):
            left | right

    @pytest.mark.parametrize("other", [BM25(), PPR, "ShortestPaths()", None])
    def test_only_pipelines_are_joined(self, other: object) -> None:
        for join in (lambda: PPR() >> other, lambda: PPR() | other):  # type: ignore[operator]
            with pytest.raises(TypeError, match="unsupported operand"):
                join()

    def test_associative(self) -> None:
        a, b, c, d = PPR(), ShortestPaths(), Rerank(BM25()), PathAnswer()
        assert ((a >> b) >> c) >> d == a >> (b >> (c >> d)) == (a >> b) >> (c >> d)
        assert (a >> b >> c >> d) == Sequence((a, b, c, d))
        x, y, z = PPR(k=1), PPR(k=2), PPR(k=3)
        assert (x | y) | z == x | (y | z) == Union((x, y, z))

    def test_neither_joining_is_commutative(self) -> None:
        assert PPR(k=1) | PPR(k=2) != PPR(k=2) | PPR(k=1)

    @pytest.mark.parametrize(
        ("pipeline", "text"),
        [
            ((PPR() | PPR(k=5)) >> ShortestPaths(), "(PPR(k=1000) | PPR(k=5)) >> ShortestPaths()"),
            ((PPR() >> ShortestPaths()) | ShortestPaths(), "PPR(k=1000) >> ShortestPaths() | ShortestPaths()"),
            (
                LinkLabels() >> (PPR() >> ShortestPaths() | (PPR(k=1) | PPR(k=2)) >> ShortestPaths()) >> PathAnswer(),
                "LinkLabels() >> (PPR(k=1000) >> ShortestPaths() | (PPR(k=1) | PPR(k=2)) >> ShortestPaths()) "
                ">> PathAnswer()",
            ),
        ],
    )
    def test_parentheses_only_where_they_are_needed(self, pipeline: Pipeline, text: str) -> None:
        assert repr(pipeline) == text

    def test_levels(self) -> None:
        assert PPR().accepts == {Level.QUERY}
        assert ShortestPaths().accepts == {Level.QUERY, Level.SUBGRAPH}
        assert (PPR() >> ShortestPaths()).accepts == {Level.QUERY}
        assert (PPR() >> ShortestPaths()).gives == Level.EVIDENCE
        assert (PPR() >> ShortestPaths() | ShortestPaths()).accepts == {Level.QUERY}


class TestRunning:
    def test_the_answer_with_evidence_and_trace(self, graph: Graph) -> None:
        answer = (PPR() >> ShortestPaths() >> Rerank(BM25(), n=2) >> PathAnswer())(graph, QUESTION)
        assert answer.texts == ("Kenyan shilling",)
        assert answer.entities == (SHILLING,)
        assert answer.evidence.items[0].text == "Nairobi <- capital <- Kenya -> currency -> Kenyan shilling"
        assert answer.trace is not None
        assert [(stage.stage, stage.kind) for stage in answer.trace.stages] == [
            ("LinkLabels()", "link"),
            ("PPR(k=1000)", "extract"),
            ("ShortestPaths()", "retrieve"),
            ("Rerank(BM25(), n=2)", "rerank"),
            ("PathAnswer()", "generate"),
        ]
        assert [(stage.counts_in, stage.counts_out) for stage in answer.trace.stages] == [
            ({"seeds": 0}, {"seeds": 1}),
            ({"seeds": 1}, {"nodes": 8, "triples": 10}),
            ({"nodes": 8, "triples": 10}, {"paths": 14}),
            ({"paths": 14}, {"paths": 2}),
            ({"paths": 2}, {"answers": 1}),
        ]
        assert all(stage.seconds > 0 for stage in answer.trace.stages)
        json.dumps(answer.trace.to_dict())

    @pytest.mark.parametrize(
        ("pipeline", "level", "has"),
        [
            (LinkLabels(), Level.QUERY, ()),
            (PPR(k=3), Level.SUBGRAPH, ("subgraph",)),
            (ShortestPaths(), Level.EVIDENCE, ("evidence",)),
            (PPR() >> ShortestPaths(), Level.EVIDENCE, ("subgraph", "evidence")),
            (ShortestPaths() >> PathAnswer(), Level.ANSWER, ("evidence", "answer")),
        ],
    )
    def test_a_part_of_a_pipeline_runs_too(
        self, graph: Graph, pipeline: Pipeline, level: Level, has: tuple[str, ...]
    ) -> None:
        run = pipeline.run(graph, QUESTION)
        assert run.level == level
        assert [name for name in ("subgraph", "evidence", "answer") if getattr(run, name) is not None] == list(has)
        assert run.query.seeds == (NAIROBI,)

    def test_calling_what_gives_no_answer(self, graph: Graph) -> None:
        with fails("run.no_generate_stage", PipelineError, gives=Level.EVIDENCE):
            (PPR() >> ShortestPaths())(graph, QUESTION)

    def test_what_cannot_start_a_run(self, graph: Graph) -> None:
        for pipeline in (Rerank(BM25()) >> PathAnswer(), PathAnswer()):
            with fails("run.cannot_start", PipelineError, pipeline=repr(pipeline)):
                pipeline.run(graph, QUESTION)

    @pytest.mark.parametrize("question", ["", "  \n"])
    def test_an_empty_question(self, graph: Graph, question: str) -> None:
        for query in (question, Query(question, seeds=(0,))):
            with fails("run.empty_question"):
                ShortestPaths().run(graph, query)

    def test_an_empty_subgraph_stays_empty(self, graph: Graph) -> None:
        run = (Nothing() >> Keep() >> ShortestPaths() >> PathAnswer()).run(graph, QUESTION)
        assert run.subgraph is not None
        assert run.subgraph.n_nodes == 0
        assert run.evidence == Evidence()
        assert run.answer is not None
        assert run.answer.texts == ()
        assert run.trace.events == ["no answer: the evidence is empty"]

    def test_pruning_without_extraction_works_on_the_whole_graph(self, graph: Graph) -> None:
        run = Keep().run(graph, QUESTION)
        assert run.subgraph is not None
        assert run.subgraph.is_whole

    def test_the_same_run_twice(self, graph: Graph) -> None:
        pipeline = PPR(k=4) >> ShortestPaths() >> Rerank(BM25()) >> PathAnswer()
        first, second = pipeline.run(graph, QUESTION), pipeline.run(graph, QUESTION)
        assert first.evidence == second.evidence
        assert first.trace is not second.trace
        assert len(first.trace.stages) == len(second.trace.stages) == 5

    def test_four_threads(self, graph: Graph) -> None:
        pipeline = (PPR(k=6) | PPR(k=2)) >> ShortestPaths() >> Rerank(BM25(), n=4) >> PathAnswer()
        questions = [
            f"What is the {what} of {where}?" for what in ("currency", "capital") for where in ("Kenya", "Uganda")
        ]
        alone = [pipeline(graph, question) for question in questions]
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda question: pipeline(graph, question), questions * 8))
        for i, answer in enumerate(together):
            expected = alone[i % len(questions)]
            assert (answer.texts, answer.entities, answer.evidence) == (
                expected.texts,
                expected.entities,
                expected.evidence,
            )
            assert answer.trace is not None
            assert expected.trace is not None
            assert [s.stage for s in answer.trace.stages] == [s.stage for s in expected.trace.stages]
            assert answer.trace.events == expected.trace.events
        assert len({id(answer.trace) for answer in together}) == len(together)
