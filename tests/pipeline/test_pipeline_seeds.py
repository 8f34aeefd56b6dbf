"""Seeds that are given, linked by default, or found by a union of stages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from faults import fails
from toy_stages import KENYA, NAIROBI, QUESTION, UGANDA, Finds, Fixed, Keep, Only, Pick

from graphbrick import BM25, PPR, LinkLabels, NGram, Query, Rerank, ShortestPaths
from graphbrick.core.errors import LinkError
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline import execute
from graphbrick.testing import tiny_graph


@pytest.fixture
def graph() -> Graph:
    return tiny_graph()


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
        for run in (
            lambda: ShortestPaths().run(graph, "What?", seeds=[seed]),
            lambda: ShortestPaths().run(graph, Query("What?", seeds=(seed,))),
        ):
            with fails("run.bad_seed", LinkError, seed=seed):
                run()

    def test_no_id_at_all(self, graph: Graph) -> None:
        for seed in (1.5, True, b"Kenya", None):
            with fails("link.seed_type", LinkError):
                ShortestPaths().run(graph, "What?", seeds=[seed])  # type: ignore[list-item]

    def test_wrong_types_say_what_is_wanted(self, graph: Graph) -> None:
        with fails("graph.not_a_graph"):
            ShortestPaths().run("tiny.graph", "What?")  # type: ignore[arg-type]
        with fails("run.question_type"):
            ShortestPaths().run(graph, None)  # type: ignore[arg-type]
        with fails("link.seed_type", LinkError):
            ShortestPaths().run(graph, "What?", seeds=None)  # type: ignore[arg-type]
        with fails("run.bad_seed", LinkError, seed="Kenya"):
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
        assert run.trace.event_codes == ["run.linking_skipped"]

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
        with fails("link.no_entity", LinkError):
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
        assert run.trace.event_codes == ["union.branch_left_out"] * 2
        assert all(event.values == {"branch": "Finds(())", "reason": "none found"} for event in run.trace.events)
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
