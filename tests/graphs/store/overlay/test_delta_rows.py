"""The rows of a changed graph against rows that are built from the triples that it then has."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick.core.csr import Csr, from_rows, from_sorted
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.overlay import overlay_map, overlay_rows
from graphbrick.graphs.store.overlay.overlay_map import open_with_spare
from graphbrick.graphs.store.overlay.overlay_rows import changed_rows, find_triples
from graphbrick.kernels.pagerank.ppr import ppr_push
from graphbrick.kernels.paths.distances import hop_distances, hop_distances_python
from graphbrick.kernels.paths.induced import induced_triples, induced_triples_python
from graphbrick.kernels.paths.k_hop import k_hop, k_hop_python

Triple = tuple[int, int, int]  # head, relation, tail

NODES, RELATIONS, NEW = 7, 3, 3


@st.composite
def changes(draw: st.DrawFn) -> tuple[int, set[Triple], set[Triple], set[Triple]]:
    """Number of nodes, what is built, what of it is deleted, what is added; a hub, parallel triples, self loops."""
    n = draw(st.integers(1, NODES))
    new = draw(st.integers(0, NEW))

    def triples(nodes: int) -> st.SearchStrategy[set[Triple]]:
        end = st.one_of(st.integers(0, nodes - 1), st.just(0))
        return st.sets(st.tuples(end, st.integers(0, RELATIONS - 1), end), max_size=25)

    built = draw(triples(n).filter(bool))
    deleted = draw(st.one_of(st.just(set()), st.just(built), st.sets(st.sampled_from(sorted(built)))))
    return n + new, built, deleted, draw(triples(n + new)) - built


def rows_of(n: int, triples: set[Triple]) -> Csr:
    head, tail, relation = array(sorted((h, t, r) for h, r, t in triples)).T.copy()
    return from_sorted(n, head, tail, relation)


def array(triples: list[Triple]) -> npt.NDArray[np.int32]:
    return np.array(triples, dtype=np.int32).reshape(-1, 3)


def write(rows: Csr, folder: Path) -> None:
    pointers = [np.append(begin, end[-1:]) for begin, end in (rows[:2], rows[4:6])]
    arrays = (pointers[0], rows.tail, rows.relation, pointers[1], rows.in_head, rows.in_triple)
    for name, values in zip(Graph.ARRAYS, arrays, strict=True):
        np.save(folder / f"{name}.npy", values)


def change(n: int, built: set[Triple], deleted: set[Triple], added: set[Triple], folder: Path) -> Csr:
    n_built = 1 + max(max(h, t) for h, _, t in built)
    rows = rows_of(n_built, built)
    write(rows, folder)
    dropped = find_triples(rows, array(sorted(deleted)))
    assert (dropped >= 0).all()
    assert (find_triples(rows, array(sorted(added))) < 0).all()
    changed, origin = changed_rows(rows, folder, n, array(sorted(added)), np.sort(dropped))
    check_origin(rows, changed, origin, sorted(added))
    return changed


def check_origin(built: Csr, changed: Csr, origin: npt.NDArray[np.int64], added: list[Triple]) -> None:
    """Every triple with a new id is the built triple, or the added one, that it is said to come from."""
    for triple, source in enumerate(origin.tolist(), built.n_triples):
        head = int(changed.heads(np.array([triple]))[0])
        row = changed.row(head, True)
        if row.start <= triple < row.stop:
            now = head, int(changed.relation[triple]), int(changed.tail[triple])
            if source < 0:
                assert now == added[-1 - source]
            else:
                before = int(built.heads(np.array([source]))[0])
                assert now == (before, int(built.relation[source]), int(built.tail[source]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rows")


def check(rows: Csr, triples: set[Triple]) -> None:
    """Everything that kernels and callers take for granted of rows."""
    n = rows.n_nodes
    found = {}
    for u in range(n):
        row = rows.row(u, True)
        pairs = list(zip(rows.tail[row].tolist(), rows.relation[row].tolist(), strict=True))
        assert pairs == sorted(pairs)
        found |= {row.start + i: (u, r, t) for i, (t, r) in enumerate(pairs)}
    assert set(found.values()) == triples
    assert len(found) == len(triples) == rows.n_triples
    ids = sorted(found)
    assert rows.ids().tolist() == ids
    assert rows.ids().dtype == np.int32
    assert all(run.stop <= after.start for run, after in pairwise(rows.runs()))
    heads = [found[i][0] for i in ids]
    assert rows.heads(np.array(ids, dtype=np.int64)).tolist() == rows.all_heads().tolist() == heads
    incoming = {}
    for v in range(n):
        row = rows.row(v, False)
        entries = list(zip(rows.in_head[row].tolist(), rows.in_triple[row].tolist(), strict=True))
        assert entries == sorted(entries)
        incoming |= {i: (head, v) for head, i in entries}
    assert incoming == {i: (head, tail) for i, (head, _, tail) in found.items()}
    assert rows.degrees().sum() == 2 * len(triples)


@pytest.mark.whole
@given(change_of=changes())
def test_rows_after_a_change(folder: Path, change_of: tuple[int, set[Triple], set[Triple], set[Triple]]) -> None:
    n, built, deleted, added = change_of
    rows = change(n, built, deleted, added, folder)
    check(rows, (built - deleted) | added)
    assert {values.dtype for values in rows} == {np.dtype("u4"), np.dtype("i4")}
    assert not any(values.flags.writeable for values in rows)
    again = array(sorted((built - deleted) | added))
    assert (find_triples(rows, again) >= 0).all()
    gone = array(sorted(deleted))
    assert (find_triples(rows, gone) < 0).all()


@pytest.mark.whole
@settings(max_examples=40, deadline=None)
@given(change_of=changes(), data=st.data())
def test_a_part_of_changed_rows(
    folder: Path, change_of: tuple[int, set[Triple], set[Triple], set[Triple]], data: st.DataObject
) -> None:
    n, built, deleted, added = change_of
    rows = change(n, built, deleted, added, folder)
    ids = rows.ids()
    chosen = data.draw(st.sets(st.sampled_from(ids.tolist())) if len(ids) else st.just(set()))
    part = np.array(sorted(chosen), dtype=np.int32)
    heads, tails, relations = rows.heads(part), rows.tail[part], rows.relation[part]
    triples = set(zip(heads.tolist(), relations.tolist(), tails.tolist(), strict=True))
    local = from_rows(n, heads, tails, relations)
    check(local, triples)
    assert local.ids().tolist() == list(range(len(part)))
    assert local.heads(np.arange(len(part))).tolist() == heads.tolist()  # local triple j is triple j of the part


@pytest.mark.whole
@settings(max_examples=25, deadline=None)
@given(change_of=changes(), data=st.data())
def test_kernels_on_changed_rows(
    folder: Path, change_of: tuple[int, set[Triple], set[Triple], set[Triple]], data: st.DataObject
) -> None:
    """The same as on rows that were never changed; the ids of nodes are the same in both."""
    n, built, deleted, added = change_of
    rows, fresh = change(n, built, deleted, added, folder), rows_of(n, (built - deleted) | added)
    seeds = np.array([data.draw(st.integers(0, n - 1))], dtype=np.int32)
    nodes = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1)))), dtype=np.int32)
    found = induced_triples(rows.rows, nodes)
    assert found.tolist() == induced_triples_python(rows, nodes.tolist())
    same = induced_triples(fresh.rows, nodes)
    assert sorted(texts(rows, found)) == sorted(texts(fresh, same))
    for ways in ((True, True), (True, False), (False, True)):
        reached = [k_hop(csr.rows, seeds, *ways, 2, n)[0].tolist() for csr in (rows, fresh)]
        assert reached[0] == reached[1] == k_hop_python(rows, seeds.tolist(), *ways, 2, n)[0]
        scores = [ppr_push(csr.rows, seeds, 0.2, *ways, 1e-10)[0] for csr in (rows, fresh)]
        assert scores[0] == pytest.approx(scores[1], abs=1e-9)
    assert hop_distances(rows.rows, seeds).tolist() == hop_distances_python(fresh, seeds.tolist())


def texts(rows: Csr, ids: npt.NDArray[np.int32]) -> list[Triple]:
    return list(zip(rows.heads(ids).tolist(), rows.relation[ids].tolist(), rows.tail[ids].tolist(), strict=True))


def test_a_hub_that_grows(tmp_path: Path) -> None:
    """One triple more at a node that many triples leave: the entries of all its tails name their triples rightly."""
    built = {(0, 0, t) for t in range(1, 3000)} | {(t, 1, 0) for t in range(1, 3000)}
    rows = change(3000, built, set(), {(0, 1, 1500)}, tmp_path)
    check(rows, built | {(0, 1, 1500)})
    assert rows.in_head[rows.row(1500, False)].tolist() == [0, 0]


def test_ids_that_would_not_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlay_rows, "_MOST", 4)
    with fails("delta.too_many_changes", triples=2):
        change(2, {(0, 0, 1), (1, 0, 1)}, set(), {(0, 1, 1), (1, 1, 1)}, tmp_path)


# Arrays with room


@pytest.mark.parametrize("entries", [0, 1, 1000, 1024, 5000])
@pytest.mark.parametrize("room", [0, 1, 5000])
@pytest.mark.parametrize("can_map", [True, False])
def test_an_array_with_room(
    tmp_path: Path, entries: int, room: int, can_map: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(overlay_map, "_CAN_MAP", can_map)
    file = tmp_path / "values.npy"
    values = np.arange(1, entries + 1, dtype=np.uint32)
    np.save(file, values)
    before = file.read_bytes()
    changed, other = open_with_spare(file, room), open_with_spare(file, room)
    assert changed.dtype == np.uint32
    assert changed.tolist() == [*values.tolist(), *[0] * room]
    changed[:] = 7
    assert changed.tolist() == [7] * (entries + room)
    assert other.tolist() == [*values.tolist(), *[0] * room]
    assert file.read_bytes() == before


def test_an_array_stays_when_its_file_is_removed(tmp_path: Path) -> None:
    file = tmp_path / "values.npy"
    np.save(file, np.arange(3000, dtype=np.int32))
    values = open_with_spare(file, 10)[2990:]
    file.unlink()
    values[-1] = 5
    assert values.tolist() == [*range(2990, 3000), *[0] * 9, 5]


def test_an_array_that_is_missing_or_damaged(tmp_path: Path) -> None:
    file = tmp_path / "values.npy"
    with pytest.raises(FileNotFoundError):
        open_with_spare(file, 1)
    np.save(file, np.arange(5000))
    data = file.read_bytes()
    file.write_bytes(data[:-1])
    with pytest.raises(ValueError, match="is cut short"):
        open_with_spare(file, 1)
    file.write_bytes(data[:6] + b"\x02" + data[7:])
    with pytest.raises(ValueError, match="array file of an unknown version"):
        open_with_spare(file, 1)
