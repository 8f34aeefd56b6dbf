from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
import pytest

from graphbrick import (
    BM25,
    LLM,
    PPR,
    Evidence,
    Generate,
    LinkLabels,
    NGram,
    PathAnswer,
    Query,
    Rerank,
    ShortestPaths,
    Subgraph,
)
from graphbrick.core.errors import GraphbrickError, LinkError, PipelineError
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import ExtractStage, LinkStage, Pipeline, PruneStage, RetrieveStage, Sequence, Union, execute
from graphbrick.pipeline.run import Level
from graphbrick.testing import tiny_graph

QUESTION = "Which currency is used in the country whose capital is Nairobi?"
KENYA, SHILLING, NAIROBI, UGANDA = range(4)


@dataclass(frozen=True, repr=False)
class Finds(LinkStage):
    """Links the seeds given, or fails."""

    seeds: tuple[int, ...]

    def link(self, graph: Graph, query: Query) -> Query:
        if not self.seeds:
            raise LinkError("none found")
        return replace(query, seeds=self.seeds)


@dataclass(frozen=True, repr=False)
class Only(ExtractStage):
    """The seeds and one further entity.

    Args:
        entity: Which.
    """

    entity: int = 0

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        event(f"only {self.entity}")
        nodes = {*query.seeds, self.entity}
        triples = [t for t in range(graph.n_triples) if {graph.triple(t)[0], graph.triple(t)[2]} <= nodes]
        return Subgraph(graph, np.array(sorted(nodes), dtype=np.int32), np.array(triples, dtype=np.int32))


@dataclass(frozen=True, repr=False)
class Fixed(LinkStage):
    """Always the same seeds.

    Args:
        seeds: Entity ids.
    """

    seeds: tuple[int, ...] = ()

    def link(self, graph: Graph, query: Query) -> Query:
        return replace(query, seeds=self.seeds)


@dataclass(frozen=True, repr=False)
class Nothing(ExtractStage):
    """An empty subgraph."""

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph, np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32))


@dataclass(frozen=True, repr=False)
class Keep(PruneStage):
    """The same subgraph."""

    def prune(self, query: Query, subgraph: Subgraph) -> Subgraph:
        return subgraph


@dataclass(frozen=True, repr=False)
class Pick(RetrieveStage):
    """Chosen paths of at most two hops.

    Args:
        which: Their places among all shortest paths.
    """

    which: tuple[int, ...] = (0,)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        items = ShortestPaths(max_hops=2).retrieve(query, subgraph).items
        return Evidence(tuple(items[i] for i in self.which))


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
        ("left", "right", "message"),
        [
            (
                LinkLabels(),
                Rerank(BM25()),
                "Rerank needs evidence, but LinkLabels() gives only a query; put a retrieve stage such as "
                "ShortestPaths() between them",
            ),
            (PPR(), PPR(k=5), "PPR needs a query, but PPR(k=1000) gives a subgraph; unite the two with | or leave one"),
            (
                ShortestPaths(),
                LinkLabels(),
                "LinkLabels needs a query, but ShortestPaths() gives evidence; put it first",
            ),
            (
                ShortestPaths(),
                Keep(),
                "Keep needs a subgraph or a query, but ShortestPaths() gives evidence; put it before the retrieve",
            ),
            (
                ShortestPaths() >> PathAnswer(),
                PathAnswer(),
                "PathAnswer() gives the answer, so PathAnswer() cannot come after it; leave one of them out",
            ),
            (
                PPR(),
                Rerank(BM25()) | Rerank(BM25(), n=5),
                "Rerank(BM25(), n=32) | Rerank(BM25(), n=5) needs evidence, but PPR(k=1000) gives only a subgraph",
            ),
            (PPR() | PPR(k=5), PathAnswer(), "but PPR(k=1000) | PPR(k=5) gives only a subgraph; put a retrieve stage"),
        ],
    )
    def test_stages_that_do_not_fit(self, left: Pipeline, right: Pipeline, message: str) -> None:
        with pytest.raises(PipelineError) as caught:
            left >> right
        assert message in str(caught.value)

    @pytest.mark.parametrize(
        ("left", "right", "message"),
        [
            (
                PPR(),
                ShortestPaths(),
                "a union needs branches that give the same, but PPR(k=1000) gives a subgraph and ShortestPaths() gives "
                "evidence; bring both to the same level before the |",
            ),
            (PathAnswer(), PathAnswer(), "answers cannot be united: PathAnswer() | PathAnswer(); unite the evidence"),
            (ShortestPaths(), Rerank(BM25()), "no stage can come before ShortestPaths() | Rerank(BM25(), n=32)"),
        ],
    )
    def test_branches_that_do_not_fit(self, left: Pipeline, right: Pipeline, message: str) -> None:
        with pytest.raises(PipelineError) as caught:
            left | right
        assert message in str(caught.value)

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
        with pytest.raises(PipelineError) as caught:
            (PPR() >> ShortestPaths())(graph, QUESTION)
        assert str(caught.value) == (
            "PPR(k=1000) >> ShortestPaths() gives evidence, not an answer; end it with a generate stage such as "
            "PathAnswer(), or call run() to get what it gives"
        )

    def test_what_cannot_start_a_run(self, graph: Graph) -> None:
        with pytest.raises(PipelineError) as caught:
            (Rerank(BM25()) >> PathAnswer()).run(graph, QUESTION)
        assert str(caught.value) == (
            "Rerank(BM25(), n=32) >> PathAnswer() cannot start a run: it needs evidence; put stages such as "
            "PPR() >> ShortestPaths() before it"
        )
        with pytest.raises(PipelineError, match="cannot start a run"):
            PathAnswer()(graph, QUESTION)

    @pytest.mark.parametrize("question", ["", "  \n"])
    def test_an_empty_question(self, graph: Graph, question: str) -> None:
        for query in (question, Query(question, seeds=(0,))):
            with pytest.raises(GraphbrickError, match="the question is empty; ask for example"):
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


class TestSeeds:
    @pytest.mark.parametrize(
        ("seeds", "expected"),
        [
            (["Nairobi"], (NAIROBI,)),
            (["nairobi!"], (NAIROBI,)),
            ([2], (NAIROBI,)),
            ([np.int32(2), np.int64(0)], (NAIROBI, KENYA)),
            (np.array([2, 0], dtype=np.int32), (NAIROBI, KENYA)),
            (["Kenya", 2, "NAIROBI"], (KENYA, NAIROBI)),
            ("Nairobi", (NAIROBI,)),
            ((name for name in ("Uganda", "Kenya")), (UGANDA, KENYA)),
        ],
    )
    def test_by_key_label_or_id(self, graph: Graph, seeds, expected) -> None:  # type: ignore[no-untyped-def]
        run = ShortestPaths().run(graph, "What?", seeds=seeds)
        assert run.query.seeds == expected
        assert all(type(seed) is int for seed in run.query.seeds)
        assert [(stage.stage, stage.kind) for stage in run.trace.stages] == [
            ("seeds", "link"),
            ("ShortestPaths()", "retrieve"),
        ]
        assert run.trace.stages[0].counts_out == {"seeds": len(expected)}

    @pytest.mark.parametrize("seed", [8, -1, 10**12])
    def test_out_of_range(self, graph: Graph, seed: int) -> None:
        message = f"seed {seed} is not an entity id of {graph!r}"
        for run in (
            lambda: ShortestPaths().run(graph, "What?", seeds=[seed]),
            lambda: ShortestPaths().run(graph, Query("What?", seeds=(seed,))),
        ):
            with pytest.raises(LinkError) as caught:
                run()
            assert str(caught.value) == message

    def test_no_id_at_all(self, graph: Graph) -> None:
        for seed in (1.5, True, b"Kenya", None):
            with pytest.raises(LinkError, match="a seed is an entity id, a key or a label"):
                ShortestPaths().run(graph, "What?", seeds=[seed])  # type: ignore[list-item]

    def test_wrong_types_say_what_is_wanted(self, graph: Graph) -> None:
        with pytest.raises(GraphbrickError, match="open it with Graph"):
            ShortestPaths().run("tiny.graph", "What?")  # type: ignore[arg-type]
        with pytest.raises(GraphbrickError, match="a text or a Query, got None"):
            ShortestPaths().run(graph, None)  # type: ignore[arg-type]
        with pytest.raises(LinkError, match="got None"):
            ShortestPaths().run(graph, "What?", seeds=None)  # type: ignore[arg-type]
        with pytest.raises(LinkError, match="is not an entity id"):
            ShortestPaths().run(graph, Query("What?", seeds=("Kenya",)))  # type: ignore[arg-type]

    def test_given_seeds_take_the_place_of_those_of_the_query(self, graph: Graph) -> None:
        run = ShortestPaths().run(graph, Query("What?", seeds=(KENYA,), id="q1"), seeds=["Uganda"])
        assert run.query.seeds == (UGANDA,)
        assert run.query.id == "q1"


class TestDefaultLinking:
    def test_once_before_the_first_stage(self, graph: Graph) -> None:
        run = (PPR() >> ShortestPaths()).run(graph, QUESTION)
        assert [stage.kind for stage in run.trace.stages] == ["link", "extract", "retrieve"]
        assert run.query.seeds == (NAIROBI,)
        assert run.linked

    def test_not_where_the_pipeline_links_itself(self, graph: Graph) -> None:
        run = (LinkLabels(min_score=0.5) >> PPR()).run(graph, QUESTION)
        assert [stage.stage for stage in run.trace.stages] == ["LinkLabels(min_score=0.5)", "PPR(k=1000)"]

    def test_not_where_the_query_has_seeds(self, graph: Graph) -> None:
        run = PPR().run(graph, Query(QUESTION, seeds=(UGANDA,)))
        assert [stage.kind for stage in run.trace.stages] == ["extract"]
        assert run.query.seeds == (UGANDA,)

    def test_a_named_link_stage_is_skipped_for_given_seeds(self, graph: Graph) -> None:
        run = (LinkLabels() >> PPR()).run(graph, QUESTION, seeds=["Uganda"])
        assert run.query.seeds == (UGANDA,)
        assert run.trace.events == ["the query has seeds already; linking was skipped"]

    def test_once_for_all_branches_of_a_union(self, graph: Graph) -> None:
        run = ((PPR(k=2) | PPR(k=3)) >> ShortestPaths()).run(graph, QUESTION)
        assert [stage.kind for stage in run.trace.stages] == ["link", "extract", "extract", "union", "retrieve"]
        nested = (PPR(k=2) >> ShortestPaths() | (PPR(k=3) | PPR(k=4)) >> ShortestPaths()).run(graph, QUESTION)
        assert [stage.kind for stage in nested.trace.stages].count("link") == 1

    def test_each_branch_may_link_itself(self, graph: Graph) -> None:
        run = (LinkLabels() >> PPR(k=2) | PPR(k=3)).run(graph, QUESTION)
        assert [stage.kind for stage in run.trace.stages] == ["link", "extract", "link", "extract", "union"]
        assert run.query.seeds == (NAIROBI,)

    def test_a_question_that_names_nothing(self, graph: Graph) -> None:
        with pytest.raises(LinkError, match=r"names an entity of tiny\.graph"):
            PPR().run(graph, "What is the capital of Atlantis?")


class TestUnion:
    def test_of_subgraphs(self, graph: Graph) -> None:
        run = (Only(KENYA) | Only(UGANDA)).run(graph, QUESTION)
        assert run.subgraph is not None
        assert run.subgraph.nodes is not None
        assert run.subgraph.triples is not None
        assert run.subgraph.nodes.tolist() == [KENYA, NAIROBI, UGANDA]
        # Kenya -> borders -> Uganda has its ends in different branches.
        assert [graph.triple_text(t) for t in run.subgraph.triples] == ["Kenya -> capital -> Nairobi"]
        union = run.trace.stages[-1]
        assert (union.stage, union.kind) == ("Only() | Only(entity=3)", "union")
        assert union.counts_in == {"nodes": 4, "triples": 1}
        assert union.counts_out == {"nodes": 3, "triples": 1}
        assert run.trace.events == ["only 0", "only 3"]

    def test_of_evidence_keeps_the_order_and_duplicates_once(self, graph: Graph) -> None:
        all_paths = ShortestPaths(max_hops=2).run(graph, QUESTION).evidence
        assert all_paths is not None
        run = (Pick((2, 0)) | Pick((0, 1)) | Pick((1,))).run(graph, QUESTION)
        assert run.evidence is not None
        assert run.evidence.items == tuple(all_paths.items[i] for i in (2, 0, 1))
        assert run.trace.stages[-1].counts_in == {"paths": 5}
        assert run.trace.stages[-1].counts_out == {"paths": 3}

    def test_of_evidence_found_in_different_subgraphs(self, graph: Graph) -> None:
        run = (Only(KENYA) >> ShortestPaths() | PPR() >> ShortestPaths()).run(graph, QUESTION)
        whole = ShortestPaths().run(graph, QUESTION)
        assert run.evidence == whole.evidence

    def test_of_seeds_and_mentions(self, graph: Graph) -> None:
        run = (LinkLabels() | LinkLabels(min_score=0.5)).run(graph, "Kenya or Uganda?")
        assert run.query.seeds == (KENYA, UGANDA)
        assert [mention.text for mention in run.query.mentions] == ["Kenya", "Uganda"]

    def test_of_seeds_keeps_the_order_and_each_once(self, graph: Graph) -> None:
        run = (Fixed((UGANDA, NAIROBI)) | Fixed((KENYA, UGANDA))).run(graph, QUESTION)
        assert run.query.seeds == (UGANDA, NAIROBI, KENYA)
        assert run.trace.stages[-1].counts_out == {"seeds": 3}

    def test_a_branch_that_links_nothing_is_left_out(self, graph: Graph) -> None:
        run = (Finds(()) | LinkLabels() | Finds(())).run(graph, QUESTION)
        assert run.query.seeds == (NAIROBI,)
        assert run.trace.events == ["Finds(()) was left out of the union: none found"] * 2
        with pytest.raises(LinkError, match="none found"):
            (Finds(()) | Finds(())).run(graph, QUESTION)

    def test_of_rankings_by_the_same_scorer_is_best_first(self, graph: Graph) -> None:
        query = Query(QUESTION, seeds=(KENYA, UGANDA))
        ranked = Rerank(NGram(), n=4, by="pattern") | Rerank(NGram(), n=4)
        run = (ShortestPaths(max_hops=1) >> ranked).run(graph, query)
        assert run.evidence is not None
        scores = [item.score for item in run.evidence.items]
        assert scores == sorted(scores, reverse=True)

    def test_of_rankings(self, graph: Graph) -> None:
        ranked = Rerank(BM25(), n=1) | Rerank(BM25(k1=0.0), n=2)
        run = (ShortestPaths() >> ranked).run(graph, QUESTION)
        assert run.evidence is not None
        assert len(run.evidence) == 2

    def test_branches_start_from_the_same_point(self, graph: Graph) -> None:
        run = (Only(KENYA) >> (Keep() | Keep() >> Keep())).run(graph, QUESTION)
        assert run.subgraph is not None
        assert run.subgraph.nodes is not None
        assert run.subgraph.nodes.tolist() == [KENYA, NAIROBI]
        assert [s.counts_in for s in run.trace.stages if s.kind == "prune"] == [{"nodes": 2, "triples": 1}] * 3


def test_executing_leaves_the_run_given_as_it_is(graph: Graph) -> None:
    run = LinkLabels().run(graph, QUESTION)
    before = replace(run)
    after = execute(PPR(), run)
    assert run == before
    assert run.subgraph is None
    assert after.subgraph is not None
    assert after.trace is run.trace
