"""What holds for any small graph, whatever its shape and whatever its keys are called."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from graphbrick.bricks.extract.ppr import PPR
from graphbrick.bricks.retrieve.paths.shortest_paths import ShortestPaths
from graphbrick.core import Path, Query, Subgraph
from graphbrick.core.graph import DIRECTIONS, follow
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.kernels.paths.induced import induced_triples

Triples = list[tuple[str, str, str]]

ODD = [
    "a", "A", "á", "a\u0301", "ß", "内", "b c", "a|b", "x\ty", "1,2", '"q"', "it's", "new\n", "\r-", "\x00", "\ud800"
]  # fmt: skip
KEYS = st.one_of(st.sampled_from(ODD), st.text(st.characters(), min_size=1, max_size=6)).filter(
    lambda k: k.strip() != ""
)
RELATIONS = st.one_of(st.sampled_from(["r", "s", "r ", "->", "内"]), KEYS)


@st.composite
def triples_of(draw: st.DrawFn) -> Triples:
    """A multigraph of up to 7 entities with parallel relations, self loops, duplicates."""
    keys = draw(st.lists(KEYS, min_size=1, max_size=7, unique=True))
    relations = draw(st.lists(RELATIONS, min_size=1, max_size=3, unique=True))
    ends = st.sampled_from(keys)
    return draw(st.lists(st.tuples(ends, st.sampled_from(relations), ends), min_size=1, max_size=18))


class Folder:
    """Where the graphs of one module lie, one at a time."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self.path = factory.mktemp("properties") / "any.graph"

    @contextmanager
    def graph(self, triples: Triples) -> Iterator[Graph]:
        graph = build(triples, self.path)
        try:
            yield graph
        finally:
            shutil.rmtree(self.path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory)


some = settings(max_examples=30, deadline=None)
few = settings(max_examples=15, deadline=None)  # two builds an example


def ids(values: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(sorted(values), dtype=np.int32)


def view(data: st.DataObject, graph: Graph) -> Subgraph:
    """Some of the entities and some of the triples among them."""
    nodes = ids(data.draw(st.sets(st.integers(0, graph.n_entities - 1)), label="nodes"))
    among = induced_triples(graph.csr.rows, nodes).tolist()
    return Subgraph(
        graph, nodes, ids(data.draw(st.sets(st.sampled_from(among)) if among else st.just(set()), label="triples"))
    )


def seeds_in(data: st.DataObject, graph: Graph) -> list[int]:
    entities = st.integers(0, graph.n_entities - 1)
    return data.draw(st.lists(entities, min_size=1, max_size=3, unique=True), label="seeds")


@pytest.mark.whole
@some
@given(triples=triples_of())
def test_what_is_built_is_read(folder: Folder, triples: Triples) -> None:
    with folder.graph(triples) as graph:
        stored = list(graph.key_triples())
        assert len(stored) == graph.n_triples == len(set(stored))
        assert set(stored) == set(triples)
        assert graph.manifest.duplicates == len(triples) - len(set(triples))
        keys = list(dict.fromkeys(key for head, _, tail in triples for key in (head, tail)))
        assert [graph.key(entity) for entity in range(graph.n_entities)] == keys
        assert [graph.entity(key) for key in keys] == list(range(len(keys)))
        for entity, key in enumerate(keys):
            assert {graph.triple_text(t) for t in graph.triples_from(entity)} == {
                f"{h} -> {r} -> {t}" for h, r, t in triples if h == key
            }
            assert len(graph.triples_to(entity)) == len({triple for triple in triples if triple[2] == key})
            assert graph.degree(entity) == len(graph.triples_from(entity)) + len(graph.triples_to(entity))


@pytest.mark.whole
@few
@given(triples=triples_of())
def test_a_graph_can_be_built_from_a_graph(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, triples: Triples
) -> None:
    with folder.graph(triples) as graph:
        again = build(graph.key_triples(), tmp_path_factory.mktemp("again") / "again.graph")
        assert set(again.key_triples()) == set(triples)


@pytest.mark.whole
@some
@given(
    triples=triples_of(),
    data=st.data(),
    direction=st.sampled_from(DIRECTIONS),
    restart=st.sampled_from([0.1, 0.2, 0.8]),
)
def test_ppr_is_the_dense_solution(
    folder: Folder, triples: Triples, data: st.DataObject, direction: str, restart: float
) -> None:
    with folder.graph(triples) as graph:
        seeds = seeds_in(data, graph)
        out, into = follow(direction)
        n = graph.n_entities
        walk, start = np.zeros((n, n)), np.zeros(n)
        for head, _, tail in map(graph.triple, range(graph.n_triples)):
            walk[head, tail] += out
            walk[tail, head] += into
        start[seeds] = 1 / len(seeds)
        step = np.array([row / row.sum() if row.any() else start for row in walk])
        expected = np.linalg.solve(np.eye(n) - (1 - restart) * step.T, restart * start)
        brick = PPR(restart=restart, direction=direction)
        found = brick.scores(graph, ids(seeds))
        scores = np.zeros(n)
        scores[found.nodes] = found.values
        assert np.abs(scores - expected).sum() <= found.error + 1e-11 <= 2e-10
        subgraph = brick.extract(graph, Query("?", seeds=tuple(seeds)))
        assert subgraph.nodes is not None
        assert subgraph.nodes.tolist() == np.flatnonzero(expected > 1e-15).tolist()


def paths_by_networkx(subgraph: Subgraph, seed: int, direction: str, max_hops: int) -> set[tuple[tuple[int, ...], ...]]:
    """(nodes, triples, directions) of all shortest paths from one seed."""
    out, into = follow(direction)
    graph = subgraph.graph
    chosen = range(graph.n_triples) if subgraph.triples is None else subgraph.triples.tolist()
    steps: dict[tuple[int, int], list[tuple[int, bool]]] = defaultdict(list)
    for triple in chosen:
        head, _, tail = graph.triple(triple)
        if out:
            steps[head, tail].append((triple, True))
        if into:
            steps[tail, head].append((triple, False))
    network = nx.DiGraph(list(steps))
    network.add_node(seed)
    found: set[tuple[tuple[int, ...], ...]] = set()
    for target, hops in nx.single_source_shortest_path_length(network, seed).items():
        if 0 < hops <= max_hops:
            for nodes in nx.all_shortest_paths(network, seed, target):
                for choice in product(*(steps[pair] for pair in pairwise(nodes))):
                    found.add((tuple(nodes), tuple(t for t, _ in choice), tuple(f for _, f in choice)))
    return found


@pytest.mark.whole
@some
@given(
    triples=triples_of(),
    data=st.data(),
    direction=st.sampled_from(DIRECTIONS),
    max_hops=st.integers(1, 4),
    k=st.integers(1, 7),
)
def test_shortest_paths_are_those_of_networkx(
    folder: Folder, triples: Triples, data: st.DataObject, direction: str, max_hops: int, k: int
) -> None:
    with folder.graph(triples) as graph:
        query = Query("?", seeds=tuple(seeds_in(data, graph)))
        brick = ShortestPaths(max_hops=max_hops, direction=direction)
        for subgraph in (Subgraph(graph), PPR(k=k).extract(graph, query), view(data, graph)):
            inside = [s for s in query.seeds if subgraph.nodes is None or s in subgraph.nodes]
            items = brick.retrieve(query, subgraph).items
            found = [(path.nodes, path.triples, path.forward) for path in items]
            assert len(set(found)) == len(found)
            for seed in inside:
                expected = paths_by_networkx(subgraph, seed, direction, max_hops)
                assert {path for path in found if path[0][0] == seed} == expected
            assert {path.start for path in items} <= set(inside)
            order = [(path.hops, query.seeds.index(path.start)) for path in items]
            assert order == sorted(order)


@pytest.mark.whole
@few
@given(triples=triples_of(), data=st.data())
def test_the_rows_of_a_view_are_those_of_a_graph_built_from_it(
    folder: Folder, tmp_path_factory: pytest.TempPathFactory, triples: Triples, data: st.DataObject
) -> None:
    with folder.graph(triples) as graph:
        subgraph = view(data, graph)
        assert subgraph.nodes is not None
        assert subgraph.triples is not None
        csr = subgraph.csr
        assert (csr.n_nodes, csr.n_triples) == (subgraph.n_nodes, subgraph.n_triples)
        local = [
            (head, tail) for head in range(csr.n_nodes) for tail in csr.tail[csr.out_begin[head] : csr.out_end[head]]
        ]
        named = [tuple(graph.key(int(subgraph.nodes[i])) for i in ends) for ends in local]
        inside = [(head, graph.relation_key(int(r)), tail) for (head, tail), r in zip(named, csr.relation, strict=True)]
        all_keys = list(graph.key_triples())
        assert inside == [all_keys[t] for t in subgraph.triples]
        assume(inside)
        built = build(inside, tmp_path_factory.mktemp("view") / "view.graph")
        assert set(built.key_triples()) == set(inside)
        for i, node in enumerate(subgraph.nodes.tolist()):
            key = graph.key(node)
            rows = slice(int(csr.in_begin[i]), int(csr.in_end[i]))
            entering = {all_keys[subgraph.triples[t]] for t in csr.in_triple[rows]}
            heads = [graph.key(int(subgraph.nodes[h])) for h in csr.in_head[rows]]
            if any(key in (head, tail) for head, _, tail in inside):
                twin = built.entity(key)
                twins = list(built.key_triples())
                assert entering == {twins[t] for t in built.triples_to(twin)}
                assert sorted(heads) == sorted(twins[t][0] for t in built.triples_to(twin))
                assert csr.out_end[i] - csr.out_begin[i] == len(built.triples_from(twin))
            else:
                assert (entering, heads) == (set(), [])
        assert subgraph.local(range(graph.n_entities)) == list(range(subgraph.n_nodes))


@pytest.mark.whole
@some
@given(triples=triples_of(), data=st.data())
def test_a_union_of_views_is_the_union_of_their_sets(folder: Folder, triples: Triples, data: st.DataObject) -> None:
    with folder.graph(triples) as graph:
        one, other = view(data, graph), view(data, graph)
        both = one.union(other)
        for attribute in ("nodes", "triples"):
            expected = set(getattr(one, attribute).tolist()) | set(getattr(other, attribute).tolist())
            assert getattr(both, attribute).tolist() == sorted(expected)
            assert getattr(both, attribute).dtype == np.int32
        assert both.csr.n_triples == both.n_triples
        assert one.union(Subgraph(graph)).is_whole
        assert Subgraph(graph).union(one).is_whole


@pytest.mark.whole
@some
@given(triples=triples_of(), data=st.data())
def test_a_path_is_what_it_follows(folder: Folder, triples: Triples, data: st.DataObject) -> None:
    with folder.graph(triples) as graph:
        query = Query("?", seeds=tuple(seeds_in(data, graph)))
        for path in ShortestPaths(max_hops=2).retrieve(query, Subgraph(graph)).items:
            twin = Path(graph, path.nodes, path.triples, path.forward, score=1.0, source="elsewhere")
            assert twin == path
            assert hash(twin) == hash(path)
            assert twin.text == path.text
            assert (path.start, path.end, path.hops) == (path.nodes[0], path.nodes[-1], len(path.triples))
            for (u, v), triple, forward in zip(pairwise(path.nodes), path.triples, path.forward, strict=True):
                head, _, tail = graph.triple(triple)
                assert (u, v) == ((head, tail) if forward else (tail, head))
