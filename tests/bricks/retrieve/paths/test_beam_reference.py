"""Beam search against a readable reference and all simple paths of networkx, on random graphs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from beam import ASKED, HUGE, Measures, Ranks, retrieve
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick import EntityRecord, Query, Subgraph
from graphbrick import Path as ReasoningPath
from graphbrick.bricks.retrieve.paths.beam_search import BeamSearch
from graphbrick.core.graph import DIRECTIONS, follow
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record
from graphbrick.kernels.paths.induced import induced_triples

# The reference: one seed at a time, every triple of the subgraph looked at, nothing but graph.triple and graph.label.

Found = tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...]]


def path_text(graph: Graph, found: Found) -> str:
    nodes, triples, forward = found
    text = graph.label(nodes[0])
    for triple, way, node in zip(triples, forward, nodes[1:], strict=True):
        arrow = "->" if way else "<-"
        text += f" {arrow} {graph.relation_label(graph.triple(triple)[1])} {arrow} {graph.label(node)}"
    return text


def sets_of(subgraph: Subgraph) -> tuple[set[int], list[int]]:
    if subgraph.nodes is None or subgraph.triples is None:
        return set(range(subgraph.graph.n_entities)), list(range(subgraph.graph.n_triples))
    return set(subgraph.nodes.tolist()), subgraph.triples.tolist()


def candidates(subgraph: Subgraph, beam: list[Found], direction: str) -> list[Found]:
    graph, (_, triples) = subgraph.graph, sets_of(subgraph)
    found = []
    for nodes, before, ways in beam:
        for forward, followed in zip((True, False), follow(direction), strict=True):
            for triple in triples:
                head, _, tail = graph.triple(triple)
                here, there = (head, tail) if forward else (tail, head)
                if followed and here == nodes[-1] and there not in nodes:
                    found.append(((*nodes, there), (*before, triple), (*ways, forward)))
    return found


def above_cut(scores: list[int], cut: str | float | None) -> float:
    if cut is None:
        return -HUGE
    return float(Fraction(sum(scores), len(scores))) if cut == "mean" else float(np.percentile(scores, cut))


def layers_of(brick: BeamSearch, seed: int, subgraph: Subgraph) -> list[list[tuple[Found, int]]]:
    """What the beam of one seed keeps at each step, best first, with the scores."""
    graph, layers = subgraph.graph, []
    beam: list[Found] = [((seed,), (), ())]
    scorer, prefilter = brick.scorer, brick.prefilter
    assert isinstance(scorer, Ranks)
    for _ in range(brick.max_hops):
        found = candidates(subgraph, beam, brick.direction)
        text = {
            path: path_text(graph, path) if brick.by == "path" else graph.triple_text(path[1][-1]) for path in found
        }
        if prefilter is not None:
            assert isinstance(prefilter, Ranks)
            found = sorted(found, key=lambda path: -prefilter.one(text[path]))[: brick.prefilter_n]
        if not found:
            break
        scores = {path: scorer.one(text[path]) for path in found}
        level = above_cut(list(scores.values()), brick.cut)
        kept = [path for path in found if scores[path] >= level]
        if brick.threshold is not None:
            kept = [path for path in kept if scores[path] > brick.threshold]
        beam = sorted(kept, key=lambda path: -scores[path])[: brick.beam_width]
        if not beam:
            break
        layers.append([(path, scores[path]) for path in beam])
    return layers


def expected(brick: BeamSearch, query: Query, subgraph: Subgraph) -> list[tuple[Found, int]]:
    inside = [seed for seed in query.seeds if seed in sets_of(subgraph)[0]]
    rows = []
    for place, seed in enumerate(inside):
        for step, layer in enumerate(layers_of(brick, seed, subgraph)):
            for rank, (path, score) in enumerate(layer):
                first = -score if brick.scorer.comparable else rank
                rows.append(((first, step, place, rank), path, score))
    return [(path, score) for _, path, score in sorted(rows)]


@st.composite
def records_of(draw: st.DrawFn) -> list[Record]:
    keys = "abcdefg"[: draw(st.integers(1, 7))]
    ends = st.sampled_from(keys)
    records: list[Record] = list(draw(st.lists(st.tuples(ends, st.sampled_from("rst"), ends), min_size=1, max_size=14)))
    return records + [EntityRecord(key, label="homonym") for key in sorted(draw(st.sets(ends, max_size=2)))]


class Folder:
    """Where the graphs of this module lie, one at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def graph(self, records: list[Record]) -> Iterator[Graph]:
        graph = build(records, self.path)
        try:
            yield graph
        finally:
            shutil.rmtree(self.path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("beam") / "any.graph")


def view(data: st.DataObject, graph: Graph) -> Subgraph:
    if data.draw(st.booleans(), label="whole"):
        return Subgraph(graph)
    chosen = data.draw(st.sets(st.integers(0, graph.n_entities - 1)), label="nodes")
    nodes = np.array(sorted(chosen), dtype=np.int32)
    among = induced_triples(graph.csr.rows, nodes).tolist()
    triples = data.draw(st.sets(st.sampled_from(among)) if among else st.just(set()), label="triples")
    return Subgraph(graph, nodes, np.array(sorted(triples), dtype=np.int32))


def seeds_in(data: st.DataObject, graph: Graph) -> tuple[int, ...]:
    entities = st.integers(0, graph.n_entities - 1)
    return tuple(data.draw(st.lists(entities, min_size=1, max_size=3, unique=True), label="seeds"))


SCORERS = st.one_of(
    st.builds(Ranks, st.sampled_from([1, 2, 5, 1000]), st.sampled_from("xyz")),
    st.builds(Measures, st.sampled_from([1, 2, 5, 1000]), st.sampled_from("xyz")),
)
PREFILTERS = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {"prefilter": st.builds(Ranks, st.sampled_from([2, 1000]), st.just("pre")), "prefilter_n": st.integers(1, 6)}
    ),
)
BRICKS = st.builds(
    lambda scorer, width, options, prefilter: BeamSearch(
        scorer, None if width == 6 and options["cut"] is not None else width, **options, **prefilter
    ),
    SCORERS,
    st.integers(1, 6),
    st.fixed_dictionaries(
        {
            "max_hops": st.integers(1, 4),
            "by": st.sampled_from(["path", "triple"]),
            "cut": st.sampled_from([None, None, "mean", 0, 25, 50.0, 90, 100]),
            "threshold": st.sampled_from([None, None, -1, 0, 0.5]),
            "direction": st.sampled_from(DIRECTIONS),
        }
    ),
    PREFILTERS,
)


def plain(items: Sequence[ReasoningPath]) -> list[tuple[Found, float]]:
    return [((path.nodes, path.triples, path.forward), path.score) for path in items]


@pytest.mark.whole
@settings(max_examples=40, deadline=None)
@given(records=records_of(), data=st.data(), bricks=st.lists(BRICKS, min_size=4, max_size=8))
def test_paths_are_those_of_the_reference(
    folder: Folder, records: list[Record], data: st.DataObject, bricks: list[BeamSearch]
) -> None:
    with folder.graph(records) as graph:
        subgraph, query = view(data, graph), Query("?", seeds=seeds_in(data, graph))
        for brick in bricks:
            items, entry = retrieve(brick, query, subgraph)
            assert plain(items) == expected(brick, query, subgraph)
            assert all(path.source == repr(brick) for path in items)
            assert entry.events == []
            assert entry.facts["steps"] == max((path.hops for path in items), default=0)
            assert len(set(items)) == len(items)


@pytest.mark.whole
@settings(max_examples=40, deadline=None)
@given(records=records_of(), data=st.data(), max_hops=st.integers(1, 5))
def test_a_huge_beam_finds_all_simple_paths_of_networkx(
    folder: Folder, records: list[Record], data: st.DataObject, max_hops: int
) -> None:
    with folder.graph(records) as graph:
        (seed, *_) = seeds_in(data, graph)
        network = nx.MultiGraph()
        network.add_nodes_from(range(graph.n_entities))
        for triple in range(graph.n_triples):
            head, _, tail = graph.triple(triple)
            if head != tail:
                network.add_edge(head, tail, key=triple)
        simple = {
            tuple(key for _, _, key in edges)
            for target in range(graph.n_entities)
            if target != seed
            for edges in nx.all_simple_edge_paths(network, seed, target, cutoff=max_hops)
        }
        brick = BeamSearch(Measures(1000), beam_width=HUGE, max_hops=max_hops, cap=HUGE)
        items, _ = retrieve(brick, Query("?", seeds=(seed,)), Subgraph(graph))
        assert len(items) == len(simple)
        assert {path.triples for path in items} == simple
        assert all(len(set(path.nodes)) == path.hops + 1 for path in items)


@pytest.mark.whole
@settings(max_examples=25, deadline=None)
@given(records=records_of(), data=st.data())
def test_what_is_scored_is_the_text_of_the_path_or_of_the_triple(
    folder: Folder, records: list[Record], data: st.DataObject
) -> None:
    with folder.graph(records) as graph:
        query = Query("?", seeds=seeds_in(data, graph))
        for by in ("path", "triple"):
            ASKED.clear()
            items, entry = retrieve(BeamSearch(Ranks(), beam_width=HUGE, by=by), query, Subgraph(graph))
            texts = [path.text if by == "path" else graph.triple_text(path.triples[-1]) for path in items]
            assert {text for call in ASKED for text in call} == set(texts)
            assert all(len(set(call)) == len(call) for call in ASKED)
            assert entry.facts["candidates"] == len(items)
