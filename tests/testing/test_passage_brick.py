"""A brick that retrieves passages, written from CONTRIBUTING.md alone, and others that use what the contract allows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from graphbrick import BM25, LLM, Generate, Rerank
from graphbrick.core import Answer, Citation, Evidence, Passage, Path, Query, Subgraph
from graphbrick.core.parameters import parameter
from graphbrick.pipeline import GenerateStage, RerankStage, RetrieveStage
from graphbrick.testing import ScriptedLLM, check_brick, tiny_graph

ATLAS = (
    "Nairobi is the capital of Kenya.",
    "The Kenyan shilling is the currency of Kenya.",
    "Kampala lies in Uganda.",
)


@dataclass(frozen=True, repr=False)
class AtlasPassages(RetrieveStage):
    """The sentences of a small atlas that name an entity of the subgraph, if a seed is in it.

    Args:
        n: Passages at most, at least 1.
    """

    n: int = parameter(8, at_least=1)

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the passages in the order of the atlas."""
        graph, start = subgraph.graph, 0
        inside = range(graph.n_entities) if subgraph.nodes is None else subgraph.nodes.tolist()
        passages = []
        for sentence in ATLAS if subgraph.local(query.seeds) else ():
            entities = tuple(entity for entity in inside if graph.label(entity) in sentence)
            if entities:
                place = Citation("atlas.txt", start, start + len(sentence))
                passages.append(Passage(sentence, (place,), entities, graph, source=repr(self)))
            start += len(sentence) + 1
        return Evidence(tuple(passages[: self.n]))


@dataclass(frozen=True, repr=False)
class Elsewhere(RetrieveStage):
    """One path that starts at an entity that the stage found itself: the first triple of the subgraph."""

    starts_at_seeds = False

    def retrieve(self, query: Query, subgraph: Subgraph) -> Evidence:
        """Return the path."""
        ids = subgraph.graph.triple_ids() if subgraph.triples is None else subgraph.triples
        if not len(ids):
            return Evidence()
        head, _, tail = subgraph.graph.triple(int(ids[0]))
        return Evidence((Path(subgraph.graph, (head, tail), (int(ids[0]),), (True,)),))


@dataclass(frozen=True, repr=False)
class ElsewhereUndeclared(Elsewhere):
    """The same without saying so."""

    starts_at_seeds = True


@dataclass(frozen=True, repr=False)
class Summary(RerankStage):
    """One passage in the place of all items."""

    writes_items = True

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        """Return the passage."""
        words = " ".join(evidence.texts())
        return Evidence((Passage(words),) if words else ())


@dataclass(frozen=True, repr=False)
class SummaryUndeclared(Summary):
    """The same without saying so."""

    writes_items = False


@dataclass(frozen=True, repr=False)
class ByHeart(GenerateStage):
    """Answers without any evidence.

    Args:
        says_so: Whether the answer is flagged.
    """

    says_so: bool = parameter(True)

    def generate(self, query: Query, evidence: Evidence) -> Answer:
        """Return the answer."""
        return Answer(("42",), (None,), from_model=self.says_so)


def test_a_brick_for_passages_keeps_the_contract() -> None:
    check_brick(AtlasPassages(n=2), installed=False)


def test_passages_go_through_a_whole_pipeline() -> None:
    with ScriptedLLM(["Kenyan shilling [1]"]) as server:
        pipeline = AtlasPassages() >> Rerank(BM25(), n=2) >> Generate(LLM(base_url=server.base_url))
        run = pipeline.run(tiny_graph(), "What is the currency of Kenya?")
        asked = server.requests[0].prompt
    assert run.answer is not None
    assert "Passages:\n1. The Kenyan shilling is the currency of Kenya." in asked
    assert run.answer.texts == ("Kenyan shilling",)
    assert run.answer.support == ((0,),)
    assert run.answer.evidence.items[0].citations == (Citation("atlas.txt", 33, 78),)
    assert run.evidence is not None
    assert run.trace.stages[-2].counts_out == {"paths": 0, "passages": 2}
    assert replace(run.evidence, items=()).subgraph is run.evidence.subgraph is not None


@pytest.mark.parametrize("brick", [Elsewhere(), Summary(), ByHeart()])
def test_what_the_systems_of_the_paper_do_is_allowed(brick: RetrieveStage | RerankStage | GenerateStage) -> None:
    check_brick(brick, installed=False)


@pytest.mark.parametrize(
    ("brick", "advice"),
    [
        (ElsewhereUndeclared(), "starts_at_seeds = False"),
        (SummaryUndeclared(), "writes_items = True"),
        (ByHeart(says_so=False), "from_model=True"),
    ],
)
def test_what_is_not_declared_is_refused(brick: RetrieveStage | RerankStage | GenerateStage, advice: str) -> None:
    with pytest.raises(AssertionError, match=advice):
        check_brick(brick, installed=False)
