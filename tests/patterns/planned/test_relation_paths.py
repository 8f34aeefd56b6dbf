"""Instances of relation paths in a graph, against trying every triple."""

from __future__ import annotations

from pathlib import Path as File

import numpy as np
import pytest

from graphbrick import build
from graphbrick.graphs.graph import Graph
from graphbrick.patterns.planned import relation_paths
from graphbrick.testing import tiny_graph

Way = tuple[str, bool]


def instances(graph: Graph, seed: int, plan: list[Way]) -> set[int]:
    """The triples on all instances of a plan, by trying every triple at every hop."""
    rows = [graph.triple(t) for t in range(graph.n_triples)]
    paths: list[tuple[tuple[int, ...], tuple[int, ...]]] = [((seed,), ())]
    for name, forward in plan:
        steps = [(t, h, e) if forward else (t, e, h) for t, (h, r, e) in enumerate(rows)
                 if graph.relation_label(r) == name]  # fmt: skip
        paths = [((*nodes, v), (*triples, t)) for nodes, triples in paths for t, u, v in steps
                 if u == nodes[-1] and v not in nodes]  # fmt: skip
    return {triple for _, triples in paths for triple in triples}


@pytest.mark.whole
def test_equals_brute_force(tmp_path: File) -> None:
    rng = np.random.default_rng(0)
    matched = 0
    for number in range(25):
        n = int(rng.integers(3, 8))
        rows = rng.integers(0, (n, 2, n), (int(rng.integers(4, 4 * n)), 3)).tolist()
        graph = build([(f"n{h}", f"r{r}", f"n{t}") for h, r, t in rows], tmp_path / f"{number}.graph")
        for _ in range(10):
            seed = int(rng.integers(graph.n_entities))
            plan = [(f"r{rng.integers(2)}", bool(rng.random() < 0.5)) for _ in range(int(rng.integers(1, 6)))]
            ids = {graph.relation_label(r): r for r in range(graph.n_relations)}
            if any(name not in ids for name, _ in plan):
                continue
            hops = [frozenset({(ids[name], forward)}) for name, forward in plan]
            paths = list(relation_paths.match(graph, seed, hops))
            expected = instances(graph, seed, plan)
            assert {triple for path in paths for triple in path} == expected
            for path in paths:
                assert len(path) == len(plan)
                at = [seed]
                for triple, (name, forward) in zip(path, plan, strict=True):
                    head, relation, tail = graph.triple(triple)
                    assert at[-1] == (head if forward else tail)
                    assert graph.relation_label(relation) == name
                    at.append(tail if forward else head)
                assert len(set(at)) == len(at)
            matched += bool(expected)
    assert matched > 40


def test_edges_of_are_those_of_the_graph() -> None:
    graph = tiny_graph()
    nodes = np.array([1, 3, 6], dtype=np.int32)
    for forward in (True, False):
        expected = [
            (node, graph.triple(t)[2 if forward else 0], t)
            for node in nodes.tolist()
            for t in (graph.triples_from(node) if forward else graph.triples_to(node))
        ]
        for limit in (100, 3, 1, 0):
            edges = relation_paths.edges_of(graph, nodes, forward, limit)
            assert list(zip(*(column.tolist() for column in edges), strict=True)) == expected[:limit]
            assert {column.dtype for column in edges} == {np.dtype(np.int32)}
    assert all(len(column) == 0 for column in relation_paths.edges_of(graph, nodes[:0], True, 9))
