from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick import EntityRecord, Query, ShortestPaths, Subgraph
from graphbrick.bricks.retrieve.paths.beam import Candidates, Partial, expand, in_turns
from graphbrick.core import step_text
from graphbrick.core.csr import Csr, from_sorted
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import Record, RelationRecord

Row = tuple[int, int, int, bool]  # parent, triple, node, forward
some = settings(max_examples=100, deadline=None)


def csr_of(n: int, triples: set[tuple[int, int, int]]) -> tuple[Csr, list[tuple[int, int, int]]]:
    """Rows of (head, tail, relation) triples, and the triples by id."""
    ordered = sorted(triples)
    columns = np.array(ordered, dtype=np.int32).reshape(-1, 3).T
    return from_sorted(n, *(np.ascontiguousarray(column) for column in columns)), ordered


def rows(candidates: Candidates) -> list[Row]:
    columns = (candidates.parent, candidates.triple, candidates.node, candidates.forward)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def expand_by_hand(
    beam: list[tuple[int, ...]], triples: list[tuple[int, int, int]], out: bool, into: bool
) -> list[Row]:
    """Every triple is looked at for every path, first as an outgoing one, then as an incoming one."""
    found = []
    for parent, nodes in enumerate(beam):
        for forward, follow in ((True, out), (False, into)):
            for triple, (head, tail, _) in enumerate(triples):
                here, there = (head, tail) if forward else (tail, head)
                if follow and here == nodes[-1] and there not in nodes:
                    found.append((parent, triple, there, forward))
    return found


@pytest.mark.whole
@some
@given(
    triples=st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 2)), max_size=25),
    beam=st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True).map(tuple), max_size=4),
    out=st.booleans(),
    into=st.booleans(),
)
def test_every_neighbour_is_looked_at_in_the_stated_order(
    triples: set[tuple[int, int, int]], beam: list[tuple[int, ...]], out: bool, into: bool
) -> None:
    csr, ordered = csr_of(6, triples)
    found, count = expand([Partial(nodes) for nodes in beam], csr, follow_out=out, follow_in=into, cap=1000)
    assert rows(found) == expand_by_hand(beam, ordered, out, into)
    assert count == len(found) == len(found.parent)
    for cap in (1, 3, 7):
        taken, of = expand([Partial(nodes) for nodes in beam], csr, follow_out=out, follow_in=into, cap=cap)
        assert (len(taken), of) == (min(cap, count), count)
        assert rows(taken) == in_turns_by_hand(rows(found), csr.relation.tolist(), cap)


def test_a_path_whose_neighbours_are_all_on_it_cannot_go_on() -> None:
    csr, _ = csr_of(3, {(0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 2, 0), (0, 1, 1)})
    found, count = expand([Partial((0, 1, 2))], csr, follow_out=True, follow_in=True, cap=1000)
    assert (len(found), count) == (0, 0)


def in_turns_by_hand(found: list[Row], relation: list[int], cap: int) -> list[Row]:
    """The first candidate of every relation of every path, then the second of each, and so on.

    Within a turn come the first relations of all paths, in order of appearance, then their second ones.
    """
    if len(found) <= cap:
        return found
    turn, place, seen, groups = [], [], {}, {}
    for parent, triple, _, forward in found:
        group = parent, relation[triple], forward
        turn.append(seen.get(group, 0))
        seen[group] = turn[-1] + 1
        of_path = groups.setdefault(parent, {})
        place.append(of_path.setdefault(group, len(of_path)))
    chosen = sorted(range(len(found)), key=lambda i: (turn[i], place[i], i))[:cap]
    return [found[i] for i in sorted(chosen)]


@pytest.mark.whole
@some
@given(
    found=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 19), st.integers(0, 9), st.booleans()), max_size=40),
    relation=st.lists(st.integers(0, 3), min_size=20, max_size=20),
    cap=st.integers(1, 45),
)
def test_turns_are_taken_as_by_hand(found: list[Row], relation: list[int], cap: int) -> None:
    columns = [list(column) for column in zip(*found, strict=True)] or [[], [], [], []]
    types = (np.int64, np.int64, np.int64, np.bool_)
    given_candidates = Candidates(*(np.array(c, dtype=t) for c, t in zip(columns, types, strict=True)))
    taken = in_turns(given_candidates, np.array(relation, dtype=np.int32), cap)
    assert rows(taken) == in_turns_by_hand(found, relation, cap)


def test_no_relation_is_crowded_out() -> None:
    # 90 triples of relation 0, 5 of relation 1, one of relation 2.
    relation = np.array([0] * 90 + [1] * 5 + [2], dtype=np.int32)
    nothing = np.zeros(96, dtype=np.int64)
    every = Candidates(nothing, np.arange(96), nothing, np.ones(96, dtype=np.bool_))
    for cap, shares in ((3, [1, 1, 1]), (5, [2, 2, 1]), (11, [5, 5, 1]), (20, [14, 5, 1]), (96, [90, 5, 1])):
        taken = in_turns(every, relation, cap)
        assert np.bincount(relation[taken.triple]).tolist() == shares
        assert taken.triple.tolist() == sorted(taken.triple.tolist())


NAMES = st.sampled_from(["a", "", " ", "b c", "->", "内", "x\ny", "\ud800"])


class Folder:
    """Where the graphs of this module lie, one at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @contextmanager
    def graph(self, records: list[Record]) -> Iterator[Graph]:
        try:
            yield build(records, self.path)
        finally:
            shutil.rmtree(self.path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    return Folder(tmp_path_factory.mktemp("steps") / "any.graph")


@pytest.mark.whole
@settings(max_examples=25, deadline=None)
@given(labels=st.lists(NAMES, min_size=4, max_size=4), relations=st.lists(NAMES, min_size=3, max_size=3))
def test_the_text_grows_into_that_of_the_path(folder: Folder, labels: list[str], relations: list[str]) -> None:
    keys = [f"e{i}" for i in range(4)]
    records: list[Record] = [("e0", "r0", "e1"), ("e2", "r1", "e1"), ("e2", "r2", "e3")]
    records += [EntityRecord(key, label=label) for key, label in zip(keys, labels, strict=True)]
    records += [RelationRecord(f"r{i}", label) for i, label in enumerate(relations)]
    with folder.graph(records) as graph:
        for start in range(4):
            for path in ShortestPaths().retrieve(Query("?", seeds=(start,)), Subgraph(graph)).items:
                text = graph.label(path.start)
                parts = [text]
                for (relation, forward), node in zip(path.pattern, path.nodes[1:], strict=True):
                    text = step_text(text, graph.relation_label(relation), graph.label(node), forward=forward)
                    arrow = "->" if forward else "<-"
                    parts += [arrow, graph.relation_label(relation), arrow, graph.label(node)]
                assert text == path.text == " ".join(part for part in parts if part)


def test_a_partial_path_gets_the_ids_of_the_graph(tmp_path: Path) -> None:
    graph = build([("a", "r", "b"), ("c", "r", "b"), ("c", "s", "d")], tmp_path / "ids.graph")
    nodes = np.array([graph.entity(name) for name in "bcd"], dtype=np.int32)
    part = Subgraph(graph, np.sort(nodes), np.array([1, 2], dtype=np.int32))
    # Local nodes 0, 1, 2 are b, c, d in order of id; local triples 0 and 1 are 1 and 2.
    local = part.local([graph.entity("b"), graph.entity("c"), graph.entity("d")])
    path = Partial(tuple(local), (0, 1), (False, True), score=0.5).path(part, "Test()")
    assert path.text == "b <- r <- c -> s -> d"
    assert path.triples == (1, 2)
    assert (path.score, path.source) == (0.5, "Test()")
    assert {type(i) for i in path.nodes + path.triples} == {int}
