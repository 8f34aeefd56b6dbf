from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails
from following import follow_pattern
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick import BM25, GraphBuilder, KHop, Mention, PathAnswer, Query, Subgraph, build
from graphbrick.bricks.retrieve.patterns.patterns import Patterns
from graphbrick.core import Path, PathPattern, Scorable
from graphbrick.core.errors import PipelineError
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.graph import Graph
from graphbrick.models.scorers.scorer import Scorer
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
class FavourBack(Scorer):
    """Scores one pattern highest; `wanted` is its text with a * before each step that comes back."""

    comparable: ClassVar[bool] = True

    wanted: str = ""

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.zeros(len(texts))

    def rate_items(self, query: str, items: Sequence[Scorable], *, by_pattern: bool = False) -> npt.NDArray[np.float64]:
        """One for the pattern wanted."""
        assert all(isinstance(item, PathPattern) for item in items)
        steps = [" ".join("*" * s.back + s.relation for s in item.steps) for item in items]  # type: ignore[attr-defined]
        return np.array([float(text == self.wanted) for text in steps])


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


Pattern = tuple[tuple[int, bool], ...]


def brute_force(graph: Graph, seed: int, max_hops: int) -> dict[Pattern, tuple[set[int], set[int]]]:
    """The ends of every pattern: those of walks that stay away from the seed, and of walks that come back."""
    ends: dict[Pattern, tuple[set[int], set[int]]] = {(): ({seed}, set())}
    for hop in range(max_hops):
        for pattern in [pattern for pattern in ends if len(pattern) == hop]:
            undone = pattern and (pattern[-1][0], not pattern[-1][1])
            left = departures(pattern, seed, ends)
            for has_been_back, nodes in enumerate(ends[pattern]):
                for node in nodes:
                    for relation, forward, end in steps_from(graph, node):
                        if end == seed and (relation, not forward) in left:
                            continue
                        if has_been_back and node == seed and (relation, forward) == undone:
                            continue
                        longer = (*pattern, (relation, forward))
                        ends.setdefault(longer, (set(), set()))[has_been_back or end == seed].add(end)
    del ends[()]
    return ends


def departures(pattern: Pattern, seed: int, ends: dict[Pattern, tuple[set[int], set[int]]]) -> set[tuple[int, bool]]:
    """The steps of a pattern that leave the seed."""
    return {
        step
        for hop, step in enumerate(pattern)
        if hop == 0 or (seed in ends[pattern[:hop]][1] and step != (pattern[hop - 1][0], not pattern[hop - 1][1]))
    }


def steps_from(graph: Graph, node: int) -> list[tuple[int, bool, int]]:
    out = [(t, True) for t in graph.triples_from(node)]
    into = [(t, False) for t in graph.triples_to(node)]
    triples = [(graph.triple(t), forward) for t, forward in (*out, *into)]
    return [(relation, forward, tail if forward else head) for (head, relation, tail), forward in triples]


def is_walk(path: Path) -> bool:
    for i, (triple, forward) in enumerate(zip(path.triples, path.forward, strict=True)):
        head, _, tail = path.graph.triple(triple)
        if path.nodes[i : i + 2] != ((head, tail) if forward else (tail, head)):
            return False
    return True


def check_all(graph: Graph, seed: int, paths: Sequence[Path], max_hops: int) -> None:
    """The paths are one for each pattern, variant and end, as is what following each pattern gives."""
    expected = brute_force(graph, seed, max_hops)
    found: dict[Pattern, tuple[set[int], set[int]]] = {}
    for path in paths:
        assert is_walk(path)
        ends = found.setdefault(path.pattern, (set(), set()))[path.comes_back]
        assert path.end not in ends  # one path an end
        ends.add(path.end)
    assert found == expected
    for pattern, (away, back) in expected.items():
        assert {path.end for path in follow_pattern(graph, seed, pattern)} == away
        both = follow_pattern(graph, seed, pattern, back=True)
        assert {path.end for path in both} == away | back
        assert {path.end for path in both if path.comes_back} == back
        assert all(map(is_walk, both))


@pytest.mark.parametrize("seed", ["Alpha", "Ann", "1990", "Cid"])
@pytest.mark.parametrize("max_hops", [1, 2, 3])
def test_every_pattern_and_every_end_is_found(films: Graph, seed: str, max_hops: int) -> None:
    query = asked(films, seed)
    stage = Patterns(BM25(), n=10_000, each=10_000, max_hops=max_hops, beam_width=10_000)
    check_all(films, query.seeds[0], stage.retrieve(query, Subgraph(films)).paths, max_hops)


@pytest.mark.whole
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
    check_all(graph, 0, stage.retrieve(Query("?", seeds=(0,)), Subgraph(graph)).paths, max_hops)


def test_the_best_pattern_first_and_shorter_ones_first_among_equals(films: Graph) -> None:
    # Without types the places of entities are empty.
    wanted = ("Alpha -> starring -> <- starring <- -> year ->", "Alpha -> year ->")
    paths = Patterns(Favour(wanted), names="all").retrieve(asked(films, "Alpha"), Subgraph(films)).paths
    assert [path.text for path in paths[:2]] == [
        "Alpha -> starring -> Ann <- starring <- Beta -> year -> 2000",
        "Alpha -> year -> 1990",
    ]
    assert paths[0].score == 2
    scores = [path.score for path in paths]
    assert scores == sorted(scores, reverse=True)
    even = Patterns(Favour(()), names="all").retrieve(asked(films, "Ann"), Subgraph(films)).paths
    assert even[0].hops == 1


FAMILY = (
    ("Xa", "child", "Zoe"),
    ("Zoe", "parent", "Xa"),
    ("Zoe", "parent", "Yan"),
    ("Xa", "spouse", "Yan"),
    ("Yan", "spouse", "Xa"),
    ("Xa", "gender", "female"),
)


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(FAMILY, tmp_path_factory.mktemp("patterns") / "family.graph")


@pytest.mark.parametrize(
    ("pattern", "answers"),
    [
        ("child *parent", ("Xa", "Yan")),
        ("child parent", ("Yan",)),
        ("spouse *spouse", ("Xa",)),
        ("spouse *spouse gender", ("female",)),
    ],
)
def test_an_answer_may_be_the_seed_or_lie_behind_it(family: Graph, pattern: str, answers: tuple[str, ...]) -> None:
    pipeline = Patterns(FavourBack(pattern)) >> PathAnswer()
    assert pipeline(family, "?", seeds=("Xa",)).texts == answers


def test_of_equal_scores_the_variant_that_stays_away_wins(family: Graph) -> None:
    wanted = ("Xa -> child -> -> parent ->",)
    assert (Patterns(Favour(wanted), names="all") >> PathAnswer())(family, "?", seeds=("Xa",)).texts == ("Yan",)


def test_no_film_shares_an_actor_with_itself(films: Graph) -> None:
    wanted = ("Alpha -> starring -> <- starring <-",)
    paths = Patterns(Favour(wanted), names="all").retrieve(asked(films, "Alpha"), Subgraph(films)).paths
    assert [path.text for path in paths if path.score > 0] == ["Alpha -> starring -> Ann <- starring <- Beta"]


def test_each_bounds_the_paths_of_a_pattern_and_n_all_paths(films: Graph) -> None:
    wanted = ("1990 <- year <-",)
    query, whole = asked(films, "1990"), Subgraph(films)
    both = Patterns(Favour(wanted), names="all", n=32).retrieve(query, whole).paths
    one = Patterns(Favour(wanted), names="all", n=32, each=1).retrieve(query, whole).paths
    assert [path.end for path in both if path.hops == 1] == sorted(films.entity(name) for name in ("Alpha", "Gamma"))
    assert len({path.pattern for path in one}) == len(one)
    assert len(Patterns(Favour(wanted), names="all", n=1).retrieve(query, whole)) == 1


def test_of_several_seeds_what_they_share_comes_first(films: Graph) -> None:
    wanted = ("Ann <- starring <-", "2000 <- year <-")
    query = asked(films, "Ann", "2000")
    paths = Patterns(Favour(wanted), names="all", max_hops=1).retrieve(query, Subgraph(films)).paths
    # Beta has Ann and 2000; Alpha has a lower id, and Ann only.
    assert [path.text for path in paths[:2]] == ["Ann <- starring <- Beta", "Ann <- starring <- Alpha"]


def test_entities_of_few_triples_come_before_hubs(films: Graph) -> None:
    paths = (
        Patterns(Favour(("Beta -> starring ->",)), names="all", max_hops=1)
        .retrieve(asked(films, "Beta"), Subgraph(films))
        .paths
    )
    assert [films.label(path.end) for path in paths[:2]] == ["Cid", "Ann"]


def test_a_narrow_beam_carries_on_only_the_best(films: Graph) -> None:
    wanted = ("Alpha -> year ->",)
    stage = Patterns(Favour(wanted), names="all", beam_width=1, max_hops=2, n=1000, each=1000)
    paths = stage.retrieve(asked(films, "Alpha"), Subgraph(films)).paths
    longer = {path.pattern[0] for path in paths if path.hops == 2}
    assert len(longer) == 1
    assert films.relation_label(next(iter(longer))[0]) == "year"


def test_the_cap_is_an_event(films: Graph) -> None:
    trace = Trace()
    with record(trace, "patterns", "retrieve"):
        Patterns(BM25(), cap=1).retrieve(asked(films, "Alpha"), Subgraph(films))
    assert "patterns.cap" in trace.event_codes


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
    paths = Patterns(Spy(), max_hops=2, names="all").retrieve(query, Subgraph(graph)).paths
    assert {path.pattern_text for path in paths} <= set(seen)


def spy(seen: list[tuple[str, tuple[str, ...]]]) -> Scorer:
    """A scorer that adds every question and its texts to a list."""

    @dataclass(frozen=True, repr=False)
    class Spy(Scorer):
        comparable: ClassVar[bool] = True

        def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
            seen.append((query, tuple(texts)))
            return np.zeros(len(texts))

    return Spy()


def test_the_names_of_seeds_are_read_neither_in_the_question_nor_in_the_patterns() -> None:
    seen: list[tuple[str, tuple[str, ...]]] = []
    graph = tiny_graph()
    for name, texts in (("Nairobi", ["<- capital <-"]), ("Kampala", ["<- capital <-", "<- largest city <-"])):
        query = Query(f"Which country has the capital {name}?", (graph.entity(name),))
        Patterns(spy(seen), max_hops=1, names="none").retrieve(query, Subgraph(graph))
        assert seen.pop() == ("Which country has the capital X?", tuple(texts))
    both = Query("Do Nairobi and kampala border?", (graph.entity("Nairobi"), graph.entity("Kampala")))
    Patterns(spy(seen), max_hops=1, names="none").retrieve(both, Subgraph(graph))
    assert seen == [("Do X and X border?", ("<- capital <-", "<- largest city <-"))]


@pytest.mark.parametrize("mention", ["Nairobi", "NBO", "The Green City in the Sun", "Nai"])
def test_the_name_of_a_seed_is_left_out_however_the_question_spells_it(mention: str) -> None:
    seen: list[tuple[str, tuple[str, ...]]] = []
    graph = tiny_graph()
    seed = graph.entity("Nairobi")
    query = Query(f"Which country has {mention}?", (seed,), mentions=(Mention(mention, seed),))
    Patterns(spy(seen), max_hops=1, names="none").retrieve(query, Subgraph(graph))
    assert seen == [("Which country has X?", ("<- capital <-",))]


def test_only_the_best_patterns_are_read_with_the_names_of_seeds() -> None:
    seen: list[tuple[str, tuple[str, ...]]] = []

    @dataclass(frozen=True, repr=False)
    class Spy(Scorer):
        comparable: ClassVar[bool] = True

        def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
            seen.append((query, tuple(texts)))
            return np.array([float("borders" in text) + (text == "Kampala <- largest city <-") for text in texts])

    graph = tiny_graph()
    question = "Which city is Kampala?"
    query = Query(question, (graph.entity("Kampala"),))
    paths = Patterns(Spy(), n=2, max_hops=1).retrieve(query, Subgraph(graph)).paths
    assert seen[-1] == (question, ("Kampala <- capital <-", "Kampala <- largest city <-"))
    assert [path.score for path in paths] == [1.0, 0.0]
    assert paths[0].pattern_text == "Kampala <- largest city <-"
    seen.clear()
    Patterns(Spy(), n=1, max_hops=2).retrieve(query, Subgraph(graph))
    assert [asked for asked, _ in seen] == ["Which city is X?", "Which city is X?", question]
    assert len(seen[-1][1]) == 1


def test_a_pipeline_answers_with_it() -> None:
    pipeline = Patterns(BM25(), max_hops=2) >> PathAnswer()
    assert pipeline(tiny_graph(), "Which currency has the country with the capital Nairobi?").texts == (
        "Kenyan shilling",
    )


def test_the_contract() -> None:
    check_brick(Patterns(BM25(), n=4), installed=False)


@pytest.mark.parametrize("wrong", [{"n": 0}, {"each": 0}, {"max_hops": 0}, {"beam_width": 0}, {"direction": "up"}])
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    with fails("parameter.not_allowed", PipelineError, name=next(iter(wrong))):
        Patterns(BM25(), **wrong)  # type: ignore[arg-type]
