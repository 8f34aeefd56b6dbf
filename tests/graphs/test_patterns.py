from __future__ import annotations

import gzip
import json
from itertools import islice, pairwise, product
from pathlib import Path

import numpy as np
import pytest
from following import follow_pattern

from graphbrick.core import Subgraph
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.patterns import follow
from graphbrick.questions.formats.metaqa import relation_steps
from graphbrick.testing import tiny_graph

Pattern = list[tuple[int, bool]]


def walks(graph: Graph, start: int, pattern: Pattern) -> set[tuple[int, ...]]:
    """All walks along a pattern that do not come back to the start, by trying every triple at every hop."""
    found: set[tuple[int, ...]] = {(start,)}
    for relation, forward in pattern:
        triples = [graph.triple(t) for t in range(graph.n_triples)]
        steps = [(h, t) if forward else (t, h) for h, r, t in triples if r == relation]
        found = {(*walk, v) for walk in found for u, v in steps if u == walk[-1] and v != start}
    return found


@pytest.mark.whole
def test_equals_brute_force(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    seen = 0
    for number in range(12):
        n = int(rng.integers(2, 9))
        rows = rng.integers(0, (n, 3, n), (int(rng.integers(1, 4 * n)), 3)).tolist()
        graph = build([(f"n{h}", f"r{r}", f"n{t}") for h, r, t in rows], tmp_path / f"{number}.graph")
        for _ in range(12):
            start = int(rng.integers(graph.n_entities))
            relations = rng.integers(0, graph.n_relations, int(rng.integers(1, 4))).tolist()
            pattern = [(relation, bool(rng.random() < 0.5)) for relation in relations]
            paths = follow_pattern(graph, start, pattern, source="test")
            expected = walks(graph, start, pattern)
            assert sorted(path.end for path in paths) == sorted({walk[-1] for walk in expected})  # one path an end
            assert {path.nodes for path in paths} <= expected
            for path in paths:
                assert path.pattern == tuple(pattern)
                assert path.source == "test"
                for (u, v), triple, forward in zip(pairwise(path.nodes), path.triples, path.forward, strict=True):
                    head, _, tail = graph.triple(triple)
                    assert (u, v) == ((head, tail) if forward else (tail, head))
            seen += len(paths)
    assert seen > 50


@pytest.mark.whole
def test_symmetric_relations_are_followed_both_ways(tmp_path: Path) -> None:
    """The walks are those of the pattern in all directions of its symmetric relations."""
    rng = np.random.default_rng(1)
    for number in range(8):
        rows = rng.integers(0, (7, 2, 7), (14, 3)).tolist()
        graph = build([(f"n{h}", f"r{r}", f"n{t}") for h, r, t in rows], tmp_path / f"{number}.graph")
        for pattern in product([(0, True), (0, False), (graph.n_relations - 1, True)], repeat=2):
            ways = [[(r, True), (r, False)] if r == 0 else [(r, forward)] for r, forward in pattern]
            for start in range(graph.n_entities):
                followed = follow(Subgraph(graph), start, pattern, symmetric={0})
                assert followed is not None
                expected = set().union(*(walks(graph, start, list(variant)) for variant in product(*ways)))
                assert sorted(followed.ends.tolist()) == sorted({walk[-1] for walk in expected})
                for index in range(len(followed.ends)):
                    path = followed.path(index)
                    assert path.nodes in expected
                    for (u, v), triple, forward in zip(pairwise(path.nodes), path.triples, path.forward, strict=True):
                        assert (u, v) == graph.triple(triple)[:: 2 if forward else -2]


@pytest.mark.whole
@pytest.mark.parametrize("back", [False, True])
def test_a_relation_that_is_complete_both_ways_leads_to_the_same_paths(tmp_path: Path, back: bool) -> None:
    pairs = [(f"n{a}", f"n{b}") for a, b in np.random.default_rng(2).integers(0, 9, (12, 2)).tolist()]
    triples = [triple for a, b in pairs for triple in ((a, "r", b), (b, "r", a), (a, "s", b))]
    graph = build(triples, tmp_path / "both.graph")
    for pattern in product([(0, True), (0, False), (1, True)], repeat=3):
        for start in range(graph.n_entities):
            paths = [
                [followed.path(index).identity for index in range(len(followed.ends))]
                for symmetric in (set[int](), {0})
                if (followed := follow(Subgraph(graph), start, pattern, back=back, symmetric=symmetric))
            ]
            if len({forward for relation, forward in pattern if relation == 0}) < 2:  # as retrieval orders them
                assert paths[0] == paths[1]


def test_the_start_is_left_out_of_every_later_hop() -> None:
    graph = tiny_graph()
    rwanda, borders = graph.entity("Rwanda"), 2
    assert graph.relation_key(borders) == "borders"
    # Rwanda borders itself in this graph.
    assert [path.text for path in follow_pattern(graph, rwanda, [(borders, True)])] == ["Rwanda -> borders -> Uganda"]
    ends = [graph.label(path.end) for path in follow_pattern(graph, rwanda, [(borders, True), (borders, False)])]
    assert ends == ["Kenya"]


def test_a_pattern_that_leads_nowhere() -> None:
    graph = tiny_graph()
    assert follow_pattern(graph, graph.entity("Nairobi"), [(0, True)]) == []
    assert follow_pattern(graph, graph.entity("Kenya"), [(0, True), (0, True)]) == []


def steps_of(graph: Graph, name: str) -> Pattern:
    """The relation steps of a question type such as ``director_to_movie_to_genre``."""
    ids = {graph.relation_key(i): i for i in range(graph.n_relations)}
    return [(ids[relation], forward) for relation, forward in relation_steps(name)]


@pytest.mark.whole
@pytest.mark.shared
@pytest.mark.parametrize(("hops", "share"), [(1, 0.94), (2, 0.999), (3, 0.999)])
def test_metaqa_patterns_lead_to_the_gold_answers(data_dir: Path, metaqa_graph: Graph, hops: int, share: float) -> None:
    # Measured on all dev questions: the same set for .9485, .99993 and 1; all gold answers for .9997, .99993 and 1.
    # Many 1-hop gold sets are incomplete; two are split at the comma of a title; two hold the seed itself.
    equal = contained = asked = 0
    with gzip.open(data_dir / "metaqa" / f"dev_{hops}hop.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in islice(lines, 0, None, 3):
            question = json.loads(line)
            pattern = steps_of(metaqa_graph, question["pattern"])
            assert len(pattern) == question["hops"] == hops
            paths = [
                path
                for seed in question["seeds"]
                for path in follow_pattern(metaqa_graph, metaqa_graph.entity(seed), pattern)
            ]
            ends = {metaqa_graph.key(path.end) for path in paths}
            equal += ends == set(question["answers"])
            contained += ends >= set(question["answers"])
            asked += 1
    assert equal / asked >= share
    assert contained / asked >= 0.999
    assert asked > 3000
