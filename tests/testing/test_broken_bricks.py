"""The contract tests find what is wrong with a brick, and let right ones of third parties pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from broken_bricks import (
    EMPTY,
    Chatty,
    Crashing,
    Credulous,
    HalfDocumented,
    Infinite,
    Listed,
    Lonely,
    Melting,
    NumberlessName,
    Undeclared,
    Undocumented,
    Unpicklable,
    Unreadable,
    Vague,
    backwards,
    flipped,
    ids,
    outside,
    own_answer,
    place_scores,
    random_scores,
    scored_note,
    scorer,
    sorting,
    spoil_input,
    spoilt,
    stage,
    toggle,
    twice,
    uncoded_trace,
    undefined_for_nothing,
    write_into_graph,
)

from graphbrick import BM25, PPR, Answer, Evidence, Query
from graphbrick.core import Subgraph
from graphbrick.core.errors import LinkError
from graphbrick.core.parameters import parameter
from graphbrick.graphs.graph import Graph
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.pipeline import (
    ExtractStage,
    GenerateStage,
    Level,
    LinkStage,
    PruneStage,
    RerankStage,
    RetrieveStage,
    Stage,
)
from graphbrick.pipeline.brick import Brick
from graphbrick.testing import check_brick

EXTRACT, PRUNE, RETRIEVE, RERANK = ExtractStage, PruneStage, RetrieveStage, RerankStage
BROKEN: list[tuple[Callable[[], Brick], str]] = [
    (Melting, "Melting(): is not a frozen dataclass"),
    (Undeclared, "Undeclared: is not a frozen dataclass"),
    (Chatty, "has a repr of its own"),
    (Lonely, "does not equal its copy"),
    (Listed, "hash() raised TypeError"),
    (Unpicklable, "pickling raised TypeError: stays here"),
    (Undocumented, "has no docstring"),
    (HalfDocumented, "does not say in the Args of its docstring what these are: radius"),
    (lambda: Unreadable(frozenset({2})), "reading its repr raised RecipeSyntaxError"),
    (Credulous, "k='a lot' is not refused; declare it with graphbrick.core.parameters.parameter"),
    (Infinite, "radius=nan is not refused"),
    (Crashing, "k='a lot' raises TypeError, not PipelineError"),
    (Vague, "the refusal of k='a lot' does not name the parameter: wrong"),
    (NumberlessName, "name=b'bytes' is not refused"),
    # Scorers
    (lambda: scorer(lambda query, texts: [0.0] * len(texts)), "must give float64 [5], got [0.0"),
    (lambda: scorer(lambda query, texts: np.zeros(len(texts), np.float32)), "must give float64 [5]"),
    (lambda: scorer(lambda query, texts: np.zeros(3)), "must give float64 [5]"),
    (lambda: scorer(lambda query, texts: np.full(len(texts), np.nan)), "scores must be finite"),
    (lambda: scorer(random_scores), "differs the second time"),
    (lambda: scorer(place_scores), "scores depend on the order of the texts"),
    (lambda: scorer(sorting), "changed the list of texts"),
    (lambda: scorer(undefined_for_nothing), "0 texts) raised ValueError"),
    # Link
    (lambda: stage(LinkStage, lambda self, graph, query: (1,)), "link with a question: a link stage gives a Query"),
    (lambda: stage(LinkStage, lambda self, graph, query: Query("else", (1,))), "the text or the id of the query"),
    (lambda: stage(LinkStage, lambda self, graph, query: replace(query, seeds=(1, 1))), "seeds are not distinct"),
    (lambda: stage(LinkStage, lambda self, graph, query: replace(query, seeds=(99,))), "seed 99 is not in the graph"),
    (lambda: stage(LinkStage, lambda self, graph, query: query.seeds[0]), "raised IndexError"),
    # Extract and prune
    (lambda: stage(EXTRACT, lambda self, graph, query: query.seeds), "a Subgraph is expected, got (2,)"),
    (lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, EMPTY, EMPTY)), "seed 2 was dropped"),
    (
        lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, ids(0, 2, 1), EMPTY)),
        "nodes must be ascending and distinct, got [0, 2, 1]",
    ),
    (
        lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, np.arange(4), EMPTY)),
        "nodes must be int32 [n]",
    ),
    (lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, ids(2, 99), EMPTY)), "node 99 is not in"),
    (lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, ids(2), ids(99))), "triple 99 is not in"),
    (
        lambda: stage(EXTRACT, lambda self, graph, query: Subgraph(graph, ids(2), ids(1))),
        "a triple from node 0 to 2 has an end that is not among the nodes [2]",
    ),
    (lambda: stage(EXTRACT, lambda self, graph, query: 1 / len(query.seeds) and Subgraph(graph)), "no seed raised"),
    (
        lambda: stage(EXTRACT, lambda self, graph, query: PPR(k=2 + toggle()).extract(graph, query)),
        "gives another result the second time; break ties by id",
    ),
    (lambda: stage(EXTRACT, write_into_graph), "changed its input"),
    (lambda: stage(EXTRACT, uncoded_trace), "writing its trace as JSON"),
    (lambda: stage(PRUNE, spoil_input), "prune with a part of the graph changed its input; copy what you change"),
    (lambda: stage(PRUNE, lambda self, query, subgraph: Subgraph(subgraph.graph)), "the whole graph came back"),
    (
        lambda: stage(PRUNE, lambda self, query, subgraph: PPR(k=9).extract(subgraph.graph, query)),
        "it holds nodes or triples that were not in the subgraph given",
    ),
    (lambda: stage(PRUNE, lambda self, query, given: Subgraph(given.graph, EMPTY, EMPTY)), "was dropped"),
    (
        lambda: stage(PRUNE, lambda self, query, given: given if given.n_nodes else given.nodes[0]),
        "prune with an empty subgraph raised IndexError",
    ),
    # Retrieve
    (lambda: stage(RETRIEVE, lambda self, query, subgraph: []), "a retrieve stage gives Evidence, got []"),
    (lambda: stage(RETRIEVE, spoilt(triples=(99,))), "triple 99 is not in the graph"),
    (lambda: stage(RETRIEVE, spoilt(triples=(5,))), "triple 5 goes from node"),
    (lambda: stage(RETRIEVE, spoilt(forward=())), "has n + 1 nodes and n directions"),
    (lambda: stage(RETRIEVE, spoilt(nodes=(2,), triples=(), forward=())), "a path of n triples, at least one"),
    (lambda: stage(RETRIEVE, scored_note), "a note with another score is not equal to it"),
    (lambda: stage(RETRIEVE, flipped), "takes it from"),
    (lambda: stage(RETRIEVE, outside), "leaves the subgraph"),
    (lambda: stage(RETRIEVE, backwards), "a path does not start at a seed"),
    (lambda: stage(RETRIEVE, twice), "results must be distinct"),
    (
        lambda: stage(RETRIEVE, lambda self, query, given: Evidence() if given.local(query.seeds)[0] else 0),
        "raised IndexError",
    ),
    # Rerank
    (lambda: stage(RERANK, lambda self, query, evidence: list(evidence.items)), "a rerank stage gives Evidence"),
    (
        lambda: stage(RERANK, lambda self, query, given: Evidence(given.items[:1] or given.items[0])),
        "with empty evidence raised",
    ),
    (lambda: stage(RERANK, lambda self, query, evidence: Evidence(evidence.items * 2)), "results must be distinct"),
    (
        lambda: stage(
            RERANK,
            lambda self, query, evidence: Evidence(tuple(p.with_score(float(toggle())) for p in evidence.items)),
        ),
        "gives another result the second time",
    ),
    # Generate
    (lambda: stage(GenerateStage, lambda self, query, evidence: "Kenya"), "a generate stage gives an Answer"),
    (lambda: stage(GenerateStage, lambda self, query, evidence: Answer(("a", "b"), (1,))), "2 texts but 1 entities"),
    (lambda: stage(GenerateStage, lambda self, query, evidence: Answer(("a",), (1,))), "there is no evidence, yet"),
    (lambda: stage(GenerateStage, own_answer(("Kenya", 0), ("Kenia", 0))), "results must be distinct, got [0, 0]"),
    (lambda: stage(GenerateStage, own_answer(("Mars", None), ("Mars", None))), "results must be distinct"),
    (lambda: stage(GenerateStage, own_answer(("Kenya", 99))), "entity 99 is not in the graph"),
]


@pytest.mark.parametrize(("make", "message"), BROKEN, ids=[message for _, message in BROKEN])
def test_a_broken_brick_is_caught(make: Callable[[], Brick], message: str) -> None:
    brick = make()
    with pytest.raises(AssertionError) as caught:
        check_brick(brick, installed=False)
    assert message in str(caught.value)


@dataclass(frozen=True, repr=False)
class Whole(ExtractStage):
    """The whole graph."""

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@dataclass(frozen=True, repr=False)
class Reversed(RerankStage):
    """The ``n`` last paths.

    Args:
        n: Paths kept, at least 1.
        scorer: Not used.
    """

    n: int = parameter(2, at_least=1)
    scorer: Scorer = parameter(BM25())

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        return Evidence(evidence.items[::-1][: self.n])


@dataclass(frozen=True, repr=False)
class Greedy(Reversed):
    """All paths, whatever ``n``.

    Args:
        n: Paths kept, at least 1.
        scorer: Not used.
    """

    def rerank(self, query: Query, evidence: Evidence) -> Evidence:
        return evidence


@dataclass(frozen=True, repr=False)
class Resigned(LinkStage):
    """Finds nothing, ever."""

    def link(self, graph: Graph, query: Query) -> Query:
        raise LinkError("nothing found")


@dataclass(frozen=True, repr=False)
class Homeless(Stage):
    """Of no kind."""

    kind = "magic"
    _accepts = frozenset({Level.QUERY})
    _gives = Level.SUBGRAPH


@dataclass(frozen=True, repr=False)
class Undecided(ExtractStage):
    """Gives the whole graph.

    Args:
        fast: Whether to be fast; None to find out.
    """

    fast: bool | None = parameter(None)

    def extract(self, graph: Graph, query: Query) -> Subgraph:
        return Subgraph(graph)


@pytest.mark.parametrize("brick", [Whole(), Reversed(), Reversed(n=5, scorer=BM25(b=0.5)), Resigned(), Undecided()])
def test_a_right_brick_of_a_third_party_passes(brick: Brick) -> None:
    check_brick(brick, installed=False)


def test_a_brick_without_entry_point_is_told_how_to_declare_one() -> None:
    with pytest.raises(AssertionError, match="cannot be read from recipe text by name") as caught:
        check_brick(Whole())
    assert '[project.entry-points."graphbrick.bricks"] Whole = ' in str(caught.value)


def test_keeping_more_than_n_is_caught() -> None:
    with pytest.raises(AssertionError, match="items were kept, more than n=2"):
        check_brick(Greedy(), installed=False)


def test_a_stage_of_no_kind_is_caught() -> None:
    with pytest.raises(AssertionError, match="of the kind 'magic'; derive it from one of link, extract, expand, prune"):
        check_brick(Homeless(), installed=False)


def test_a_name_taken_by_another_class_is_caught() -> None:
    @dataclass(frozen=True, repr=False)
    class PathAnswer(GenerateStage):
        """Has the name of a brick there is."""

        def generate(self, query: Query, evidence: Evidence) -> Answer:
            return Answer()

    PathAnswer.__qualname__ = "Impostor"
    globals()["Impostor"] = PathAnswer
    with pytest.raises(AssertionError, match="cannot be read from recipe text by name"):
        check_brick(PathAnswer())
