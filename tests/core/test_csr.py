"""Compressed sparse rows against lists of triples, in order and with moved rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core import csr as module
from graphbrick.core.csr import Csr, ScatteredCsr, from_rows, from_sorted

Triple = tuple[int, int, int]
N = 5
TRIPLES = st.lists(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.integers(0, 2)), unique=True, max_size=12)


def columns(triples: list[Triple]) -> tuple[npt.NDArray[np.int32], ...]:
    rows = np.array(triples, dtype=np.int32).reshape(-1, 3).T
    return tuple(np.ascontiguousarray(column) for column in rows)


def read(csr: Csr) -> list[Triple]:
    """The triples of the outgoing rows, by node."""
    rows = [(u, csr.row(u, True)) for u in range(csr.n_nodes)]
    return [(u, int(csr.tail[e]), int(csr.relation[e])) for u, row in rows for e in range(row.start, row.stop)]


def check(csr: Csr, triples: list[Triple]) -> None:
    """Assert that rows hold these triples, which are sorted, whatever their ids are."""
    ids = csr.ids()
    assert ids.dtype == np.int32
    assert ids.tolist() == [id_ for run in csr.runs() for id_ in run] == sorted(set(ids.tolist()))
    assert all(len(run) or len(csr.runs()) == 1 for run in csr.runs())
    assert (csr.n_triples, csr.n_nodes, len(ids)) == (len(triples), N, len(triples))
    assert read(csr) == triples
    heads = csr.all_heads().tolist()
    assert heads == csr.heads(ids).tolist()
    assert sorted(zip(heads, csr.tail[ids].tolist(), csr.relation[ids].tolist(), strict=True)) == triples
    assert csr.out_degrees().tolist() == [sum(head == u for head, _, _ in triples) for u in range(N)]
    assert csr.in_degrees().tolist() == [sum(tail == u for _, tail, _ in triples) for u in range(N)]
    assert csr.degrees().tolist() == (csr.out_degrees() + csr.in_degrees()).tolist()


@given(TRIPLES)
def test_sorted_triples_are_rows(triples: list[Triple]) -> None:
    triples.sort()
    csr = from_sorted(N, *columns(triples))
    check(csr, triples)
    assert csr.runs() == [range(len(triples))]
    for v in range(N):
        row = csr.row(v, False)
        entering = [t for t, (_, tail, _) in enumerate(triples) if tail == v]
        assert csr.in_triple[row].tolist() == entering
        assert csr.in_head[row].tolist() == [triples[t][0] for t in entering]
    assert csr.in_relation.tolist() == [triples[t][2] for t in csr.in_triple]
    assert csr.n_relations == max((relation for _, _, relation in triples), default=-1) + 1
    assert not csr.in_relation.flags.writeable
    assert not any(array.flags.writeable for array in csr.rows)


@given(TRIPLES, st.permutations(range(N)))
def test_rows_may_be_stored_in_another_order_than_their_nodes(triples: list[Triple], order: list[int]) -> None:
    triples.sort()
    stored = sorted(triples, key=lambda triple: (order.index(triple[0]), triple[1:]))
    csr = from_rows(N, *columns(stored))
    check(csr, triples)
    in_storage = [stored[t][0] for t in range(len(stored))]
    assert csr.heads(np.arange(len(stored), dtype=np.int32)).tolist() == in_storage
    assert isinstance(csr, ScatteredCsr) == (in_storage != sorted(in_storage))
    assert not any(array.flags.writeable for array in csr.rows)
    for v in range(N):
        row = csr.row(v, False)
        entering = [(stored[t][0], stored[t][1]) for t in csr.in_triple[row].tolist()]
        assert entering == sorted((head, v) for head, tail, _ in triples if tail == v)


@given(TRIPLES, st.sets(st.integers(0, N - 1)), st.integers(0, 1))
def test_moved_rows_come_after_all_others(triples: list[Triple], moved: set[int], new_nodes: int) -> None:
    triples.sort()
    built_nodes = N - new_nodes
    triples = [triple for triple in triples if max(triple[:2]) < built_nodes]
    built = from_sorted(built_nodes, *columns(triples))
    nodes = sorted({*moved, *range(built_nodes, N)})
    changed = {u: sorted([triple for triple in triples if triple[0] == u] + [(u, u, 3)]) for u in nodes}
    tail, relation = built.tail.tolist(), built.relation.tolist()
    begin = np.concatenate([built.out_begin, np.zeros(new_nodes, dtype=np.uint32)])
    end = np.concatenate([built.out_end, np.zeros(new_nodes, dtype=np.uint32)])
    for u in nodes:
        begin[u] = len(tail)
        tail += [triple[1] for triple in changed[u]]
        relation += [triple[2] for triple in changed[u]]
        end[u] = len(tail)
    unchanged = [triple for triple in triples if triple[0] not in nodes]
    after = sorted([*unchanged, *(triple for row in changed.values() for triple in row)])
    by_head = from_sorted(N, *columns(after))  # the incoming rows are those of the triples after the change
    tails, relations = np.array(tail, dtype=np.int32), np.array(relation, dtype=np.int32)
    rows = Csr(begin, end, tails, relations, by_head.in_begin, by_head.in_end, by_head.in_head, by_head.in_triple)
    csr = ScatteredCsr.moved(rows, built, np.array(nodes, dtype=np.int32))
    check(csr, after)


@pytest.mark.parametrize(("most", "relations"), [(2, []), (3, [2, 0, 1])])
def test_relations_of_incoming_entries_are_not_copied_in_large_graphs(
    most: int, relations: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_COPIED", most)
    csr = from_sorted(N, *columns([(0, 1, 2), (0, 2, 0), (1, 3, 1)]))
    assert csr.in_relation.tolist() == relations
    assert csr.n_relations == (3 if relations else 0)
