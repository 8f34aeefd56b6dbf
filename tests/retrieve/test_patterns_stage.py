from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick import BM25, GraphBuilder, KHop, PathAnswer, Query, Subgraph
from graphbrick.core import Path
from graphbrick.core.errors import PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.patterns import follow_pattern
from graphbrick.retrieve.patterns import Patterns
from graphbrick.scorers.scorer import Scorer
from graphbrick.testing import check_brick, tiny_graph

FILMS = (
    ("Alpha", "starring", "Ann"),
    ("Alpha", "starring", "Bob"),
    ("Alpha", "year", "1990"),
    ("Beta", "starring", "Ann"),
    ("Beta", "starring", "Cid"),
    ("Beta", "year", "2000"),
    ("Gamma", "starring", "Cid"),
    ("Gamma", "director", "Ann"),
    ("Gamma", "year", "1990"),
)


@dataclass(frozen=True, repr=False)
class Favour(Scorer):
    """Scores the patterns that are named, by their place; all others lower."""

    comparable: ClassVar[bool] = True

    wanted: tuple[str, ...] = ()

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """The place from the end."""
        order = {text: float(len(self.wanted) - i) for i, text in enumerate(self.wanted)}
        return np.array([order.get(text, -float(len(text))) for text in texts])


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    with GraphBuilder(tmp_path_factory.mktemp("patterns") / "films.graph", source="test") as builder:
        for triple in FILMS:
            builder.add(triple)
        return builder.finish()


def asked(graph: Graph, *seeds: str) -> Query:
    return Query("?", seeds=tuple(graph.entity(seed) for seed in seeds))


def brute_force(graph: Graph, seed: int, max_hops: int) -> dict[tuple[tuple[int, bool], ...], set[int]]:
    """The ends of every pattern, by walking; no walk comes back to the seed."""
    walks: list[tuple[int, tuple[tuple[int, bool], ...]]] = [(seed, ())]
    found: dict[tuple[tuple[int, bool], ...], set[int]] = {}
    for _ in range(max_hops):
        following = []
        for node, pattern in walks:
            steps = [(t, True) for t in graph.triples_from(node)] + [(t, False) for t in graph.triples_to(node)]
            for triple, forward in steps:
                head, relation, tail = graph.triple(triple)
                end = tail if forward else head
                if end != seed:
                    following.append((end, (*pattern, (relation, forward))))
        walks = list(dict.fromkeys(following))
        for end, pattern in walks:
            found.setdefault(pattern, set()).add(end)
    return found


def is_walk(path: Path) -> bool:
    for i, (triple, forward) in enumerate(zip(path.triples, path.forward, strict=True)):
        head, _, tail = path.graph.triple(triple)
        if path.nodes[i : i + 2] != ((head, tail) if forward else (tail, head)):
            return False
    return path.start not in path.nodes[1:]


@pytest.mark.parametrize("seed", ["Alpha", "Ann", "1990", "Cid"])
@pytest.mark.parametrize("max_hops", [1, 2, 3])
def test_every_pattern_and_every_end_is_found(films: Graph, seed: str, max_hops: int) -> None:
    query = asked(films, seed)
    stage = Patterns(BM25(), n=10_000, each=10_000, max_hops=max_hops, beam_width=10_000)
    found: dict[tuple[tuple[int, bool], ...], set[int]] = {}
    for path in stage.retrieve(query, Subgraph(films)).paths:
        assert is_walk(path)
        assert path.end not in found.setdefault(path.pattern, set())  # one path an end
        found[path.pattern].add(path.end)
    assert found == brute_force(films, query.seeds[0], max_hops)
    for pattern, ends in found.items():
        assert ends == {path.end for path in follow_pattern(films, query.seeds[0], pattern)}


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 2, st.integers(0, 2)), min_size=1, max_size=25), st.integers(1, 3))
@settings(deadline=None, max_examples=25)
def test_random_graphs(
    tmp_path_factory: pytest.TempPathFactory, triples: list[tuple[int, int, int]], max_hops: int
) -> None:
    with GraphBuilder(tmp_path_factory.mktemp("random") / "random.graph", source="test") as builder:
        for head, tail, relation in triples:
            builder.add((f"n{head}", f"r{relation}", f"n{tail}"))
        graph = builder.finish()
    stage = Patterns(BM25(), n=100_000, each=100_000, max_hops=max_hops, beam_width=100_000)
    paths = stage.retrieve(Query("?", seeds=(0,)), Subgraph(graph)).paths
    assert all(map(is_walk, paths))
    assert {(path.pattern, path.end) for path in paths} == {
        (pattern, end) for pattern, ends in brute_force(graph, 0, max_hops).items() for end in ends
    }


def test_the_best_pattern_first_and_shorter_ones_first_among_equals(films: Graph) -> None:
    # Without types the places of entities are empty.
    wanted = ("Alpha -> starring -> <- starring <- -> year ->", "Alpha -> year ->")
    paths = Patterns(Favour(wanted)).retrieve(asked(films, "Alpha"), Subgraph(films)).paths
    assert [path.text for path in paths[:2]] == [
        "Alpha -> starring -> Ann <- starring <- Beta -> year -> 2000",
        "Alpha -> year -> 1990",
    ]
    assert paths[0].score == 2
    scores = [path.score for path in paths]
    assert scores == sorted(scores, reverse=True)
    even = Patterns(Favour(())).retrieve(asked(films, "Ann"), Subgraph(films)).paths
    assert even[0].hops == 1


def test_no_pattern_comes_back_to_its_seed(films: Graph) -> None:
    wanted = ("Alpha -> starring -> <- starring <-",)
    paths = Patterns(Favour(wanted)).retrieve(asked(films, "Alpha"), Subgraph(films)).paths
    assert [path.text for path in paths if path.score > 0] == ["Alpha -> starring -> Ann <- starring <- Beta"]


def test_each_bounds_the_paths_of_a_pattern_and_n_all_paths(films: Graph) -> None:
    wanted = ("1990 <- year <-",)
    query, whole = asked(films, "1990"), Subgraph(films)
    both = Patterns(Favour(wanted), n=32).retrieve(query, whole).paths
    one = Patterns(Favour(wanted), n=32, each=1).retrieve(query, whole).paths
    assert [path.end for path in both if path.hops == 1] == sorted(films.entity(name) for name in ("Alpha", "Gamma"))
    assert len({path.pattern for path in one}) == len(one)
    assert len(Patterns(Favour(wanted), n=1).retrieve(query, whole)) == 1


def test_of_several_seeds_what_they_share_comes_first(films: Graph) -> None:
    wanted = ("Ann <- starring <-", "2000 <- year <-")
    query = asked(films, "Ann", "2000")
    paths = Patterns(Favour(wanted), max_hops=1).retrieve(query, Subgraph(films)).paths
    # Beta has Ann and 2000; Alpha has a lower id, and Ann only.
    assert [path.text for path in paths[:2]] == ["Ann <- starring <- Beta", "Ann <- starring <- Alpha"]


def test_entities_of_few_triples_come_before_hubs(films: Graph) -> None:
    paths = Patterns(Favour(("Beta -> starring ->",)), max_hops=1).retrieve(asked(films, "Beta"), Subgraph(films)).paths
    assert [films.label(path.end) for path in paths[:2]] == ["Cid", "Ann"]


def test_a_narrow_beam_carries_on_only_the_best(films: Graph) -> None:
    wanted = ("Alpha -> year ->",)
    stage = Patterns(Favour(wanted), beam_width=1, max_hops=2, n=1000, each=1000)
    paths = stage.retrieve(asked(films, "Alpha"), Subgraph(films)).paths
    longer = {path.pattern[0] for path in paths if path.hops == 2}
    assert len(longer) == 1
    assert films.relation_label(next(iter(longer))[0]) == "year"


def test_the_cap_is_an_event(films: Graph) -> None:
    trace = Trace()
    with record(trace, "patterns", "retrieve"):
        Patterns(BM25(), cap=1).retrieve(asked(films, "Alpha"), Subgraph(films))
    assert any("only the first 1 triples" in event for event in trace.events)


def test_a_subgraph_is_not_left(films: Graph) -> None:
    query = asked(films, "Alpha")
    part = KHop(max_hops=1).extract(films, query)
    paths = Patterns(BM25(), n=1000, each=1000).retrieve(query, part).paths
    assert paths
    assert part.nodes is not None
    assert {node for path in paths for node in path.nodes} <= set(part.nodes.tolist())
    assert all(map(is_walk, paths))


def test_types_stand_for_entities_in_what_is_scored() -> None:
    graph = tiny_graph()
    seen: list[str] = []

    @dataclass(frozen=True, repr=False)
    class Spy(Scorer):
        def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
            seen.extend(texts)
            return np.zeros(len(texts))

    query = Query("?", seeds=(graph.entity("Nairobi"),))
    paths = Patterns(Spy(), max_hops=2).retrieve(query, Subgraph(graph)).paths
    assert {path.pattern_text for path in paths} <= set(seen)


def test_a_pipeline_answers_with_it() -> None:
    pipeline = Patterns(BM25(), max_hops=2) >> PathAnswer()
    assert pipeline(tiny_graph(), "Which currency has the country with the capital Nairobi?").texts == (
        "Kenyan shilling",
    )


def test_the_contract() -> None:
    check_brick(Patterns(BM25(), n=4), installed=False)


@pytest.mark.parametrize("wrong", [{"n": 0}, {"each": 0}, {"max_hops": 0}, {"beam_width": 0}, {"direction": "up"}])
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(PipelineError, match=next(iter(wrong))):
        Patterns(BM25(), **wrong)  # type: ignore[arg-type]
