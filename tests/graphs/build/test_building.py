"""Builds that are larger than the rooms and groups they work with, builds that are taken up, and checks of a graph."""

from __future__ import annotations

import json
import random
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import fails, told
from forks import run_in_fork, run_until_killed
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick.core import trace
from graphbrick.core.errors import GraphFormatError, InputError
from graphbrick.core.files.digests import sha256
from graphbrick.graphs.build import builder as builder_module
from graphbrick.graphs.build import rows
from graphbrick.graphs.build.builder import GraphBuilder, build
from graphbrick.graphs.build.prefetch import prefetched
from graphbrick.graphs.build.steps import STATE
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, Record, RelationRecord
from graphbrick.graphs.store.writing import buckets
from graphbrick.graphs.store.writing.buckets import BucketReader, BucketWriter, groups, width_for
from graphbrick.kernels.strings.spooling import read_occurrences


def files_of(graph: Graph) -> dict[str, str]:
    return {file.name: sha256(file) for file in graph.path.iterdir() if file.name not in ("manifest.json", "seal.json")}


def records(count: int, seed: int = 0) -> list[Record]:
    """Triples with hubs, duplicates and parallel relations, and facts of all kinds before, between and behind them."""
    rng = random.Random(seed)
    found: list[Record] = []
    for i in range(count):
        head, tail = int(count * rng.random() ** 3 / 3), rng.randrange(max(count // 3, 1))
        found.append((f"key {head}", f"r{int(9 * rng.random() ** 2)}", f"key {tail}"))
        if rng.random() < 0.3:
            about = f"key {rng.randrange(count // 2 + 1)}"
            label = rng.choice([None, f"Name {i}", f"Ñame {i}", "Same Name"])
            aliases = tuple(rng.choice(["alias", f"also {i}", "Same Name"]) for _ in range(rng.randrange(3)))
            types = tuple(rng.choice("ABC") for _ in range(rng.randrange(3)))
            found.append(EntityRecord(about, label, aliases, types, rng.choice([None, "", f"about {i} " * 9])))
    return [
        *found,
        RelationRecord("r1", "the first"),
        EntityRecord("r2", "no entity", may_be_relation=True),
        EntityRecord("r3", "an entity too"),
        EntityRecord("long " * 300),
    ]


class Expected:
    """The graph that some records make, by hand."""

    def __init__(self, given: list[Record]) -> None:
        self.triples = [record for record in given if isinstance(record, tuple)]
        relations = {relation for _, relation, _ in self.triples}
        facts = [record for record in given if isinstance(record, EntityRecord)]
        ends = [key for head, _, tail in self.triples for key in (head, tail)]
        made = [fact.key for fact in facts if not fact.may_be_relation or fact.key not in relations]
        self.keys = list(dict.fromkeys([*ends, *made]))
        self.said: dict[str, dict[str, Any]] = {key: {"aliases": {}, "types": {}} for key in self.keys}
        for fact in facts:
            if fact.key in self.said:
                own = self.said[fact.key]
                own.update({k: v for k in ("label", "description") if (v := getattr(fact, k)) is not None})
                own["aliases"].update(dict.fromkeys(fact.aliases))
                own["types"].update(dict.fromkeys(fact.types))

    def check(self, graph: Graph) -> None:
        assert [graph.key(e) for e in range(graph.n_entities)] == self.keys
        ids = {key: entity for entity, key in enumerate(self.keys)}
        relations = list(dict.fromkeys(relation for _, relation, _ in self.triples))
        assert [graph.relation_key(r) for r in range(graph.n_relations)] == relations
        order = sorted({(ids[h], ids[t], relations.index(r)) for h, r, t in self.triples})
        assert [(h, t, r) for h, r, t in map(graph.triple, range(graph.n_triples))] == order
        for entity, key in enumerate(self.keys):
            own = self.said[key]
            label = own.get("label", key)
            assert graph.label(entity) == label
            assert graph.aliases(entity) == [alias for alias in own["aliases"] if alias != label]
            assert graph.types(entity) == list(own["types"])
            assert graph.description(entity) == own.get("description", "")
            assert graph.entity(key) == entity
            assert entity in graph.named(label)
        graph.check()


@pytest.mark.whole
@pytest.mark.parametrize("group", [1, 3000, 1 << 25])
@pytest.mark.parametrize("room", [64, 1 << 10])
def test_what_is_built_does_not_depend_on_rooms_and_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int, room: int
) -> None:
    triples = records(1500)
    usual = build(triples, tmp_path / "usual.graph")
    Expected(triples).check(usual)
    monkeypatch.setattr(buckets, "_SMALL", room)
    monkeypatch.setattr(buckets, "COUNT", 1024)
    monkeypatch.setattr(buckets.groups, "__defaults__", (group,))
    monkeypatch.setattr(BucketReader.pieces, "__defaults__", (group,))
    monkeypatch.setattr(builder_module, "_SPOOL", 100)
    assert files_of(build(triples, tmp_path / "other.graph")) == files_of(usual)


@settings(max_examples=25, deadline=None)
@given(count=st.integers(1, 60), seed=st.integers(0, 10**6))
def test_small_graphs_are_those_made_by_hand(tmp_path_factory: pytest.TempPathFactory, count: int, seed: int) -> None:
    triples = records(count, seed)
    Expected(triples).check(build(triples, tmp_path_factory.mktemp("small") / "g.graph"))


def test_triples_too_large_for_one_number_are_sorted_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    given = rng.integers(0, 6, (200, 3)).astype(np.uint32) + np.array([40, 0, 0], dtype=np.uint32)
    packed = [column.tolist() for column in rows.distinct(given, 40, 100, 10)]
    apart = [column.tolist() for column in rows.distinct(given, 40, 1 << 31, 1 << 31)]
    expected = sorted({(h - 40, t, r) for h, t, r in given.tolist()})
    assert packed == apart == [list(column) for column in zip(*expected, strict=True)]


# Buckets


@pytest.mark.parametrize("pack", [False, True])
def test_buckets_give_back_what_they_took_in_order(tmp_path: Path, pack: bool) -> None:
    rng = random.Random(0)
    keys = [(rng.randrange(1024), rng.randbytes(rng.choice([0, 3, 40, 254, 255, 900]))) for _ in range(20_000)]
    keys[5000] = (7, rng.randbytes(200_000))  # larger than any room
    data = np.frombuffer(b"".join(key for _, key in keys), dtype=np.uint8).copy()
    ends = np.cumsum([len(key) for _, key in keys]).astype(np.int64)
    starts = np.concatenate([[0], ends[:-1]])
    where = np.array([bucket for bucket, _ in keys], dtype=np.int32)
    with BucketWriter(tmp_path / "b", pack=pack) as writer:
        for part in np.array_split(np.arange(len(keys)), 7):
            at = slice(int(part[0]), int(part[-1]) + 1)
            writer.occurrences(data, starts[at], ends[at], where[at], at.start)
    order = sorted(range(len(keys)), key=lambda i: keys[i][0])
    found = []
    with BucketReader(tmp_path / "b") as reader:
        shares: list[float] = []
        ranges = list(groups([reader], lambda step, share, total: shares.append(share), 1 << 18))
        assert shares == sorted(shares)
        assert (len(shares), shares[-1]) == (len(ranges), 1.0)
        assert [begin for begin, _ in ranges[1:]] == [end for _, end in ranges[:-1]]
        for begin, end in ranges:
            for stream in reader.pieces(begin, end, 1 << 16):
                positions, first, last = read_occurrences(stream)
                found += [(int(p), stream[a:b].tobytes()) for p, a, b in zip(positions, first, last, strict=True)]
    assert found == [(i, keys[i][1]) for i in order]


@pytest.mark.parametrize(("total", "width"), [(0, 0), (1, 0), (1024, 0), (1025, 1), (1 << 32, 22)])
def test_width(total: int, width: int) -> None:
    assert width_for(total) == width
    assert max(total - 1, 0) >> width < 1024


def test_reading_ahead_raises_at_its_place() -> None:
    def values():
        yield from range(10)
        raise InputError("broken")

    seen: list[int] = []
    with pytest.raises(InputError, match="broken"):
        seen.extend(prefetched(values()))
    assert seen == list(range(10))
    assert next(iter(prefetched(iter(range(10**9))))) == 0  # and the thread ends


# Near misses


def test_a_graph_without_near_misses_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    triples: list[Record] = [("Nairobi", "in", "Kenya")]
    graph = build(triples, tmp_path / "no.graph", near=False)
    assert not graph.manifest.near
    assert not list(graph.path.glob("gram*"))
    with trace.record(trace.Trace(), "test", "link") as entry:
        assert graph.names.near("Nairobbi", 3) == []
    assert told(entry.events) == [("names.no_near_index", {"text": "Nairobbi"})]
    graph.check()
    monkeypatch.setattr(builder_module, "NEAR_LIMIT", 1)
    assert not build(triples, tmp_path / "large.graph").manifest.near
    assert build(triples, tmp_path / "yes.graph", near=True).names.near("Nairobbi", 3)


# Taking up

STEPS = [
    "reading", "finding keys", "numbering triples", "sorting triples", "sorting incoming triples", "writing texts",
    "indexing keys", "indexing names", "indexing near misses", "finding numbers and dates",
    "checksums",
]  # fmt: skip


def source(folder: Path, count: int = 400) -> Path:
    file = folder / "kb.tsv"
    rng = random.Random(1)
    file.write_text("broken\n" + "".join(f"e{rng.randrange(99)}\tr{i % 3}\te{i}\n" for i in range(count)))
    return file


def kill_before(file: Path, target: Path, step: str) -> None:
    """Build in another process that is killed when it begins a step."""
    code = """
        from pathlib import Path
        from graphbrick.graphs.build.builder import build
        file, target, last = arguments
        def progress(step, share, total):
            if step == last:
                die()
        build(Path(file), Path(target), skip_bad=True, overwrite=True, progress=progress)
    """
    run_until_killed(code, file, target, step)


@pytest.mark.whole
@pytest.mark.posix
@pytest.mark.parametrize("step", STEPS)
def test_a_killed_build_is_taken_up(tmp_path: Path, step: str) -> None:
    file, target = source(tmp_path), tmp_path / "g.graph"
    kill_before(file, target, step)
    with fails("graph.no_folder", GraphFormatError):
        Graph.open(target)
    begun: list[str] = []
    graph = build(file, target, skip_bad=True, progress=lambda step, share, total: begun.append(step))
    assert [name for name, _ in groupby(begun)] == STEPS[STEPS.index(step) :]
    fresh = build(file, tmp_path / "fresh.graph", skip_bad=True)
    assert files_of(graph) == files_of(fresh)
    assert graph.manifest == fresh.manifest
    assert graph.manifest.skipped == 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["fresh.graph", "g.graph", "kb.tsv"]


@pytest.mark.posix
def test_what_another_build_left_is_not_taken_up(tmp_path: Path) -> None:
    file, target = source(tmp_path), tmp_path / "g.graph"
    kill_before(file, target, "writing texts")
    file.write_text("a\tr\tb\n")
    assert list(build(file, target).key_triples()) == [("a", "r", "b")]
    kill_before(source(tmp_path), tmp_path / "h.graph", "writing texts")
    begun: list[str] = []
    build(file, tmp_path / "h.graph", skip_bad=True, near=False, progress=lambda step, share, total: begun.append(step))
    assert begun[0] == "reading"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["g.graph", "h.graph", "kb.tsv"]


@pytest.mark.posix
def test_a_state_that_is_damaged_is_not_taken_up(tmp_path: Path) -> None:
    file, target = source(tmp_path), tmp_path / "g.graph"
    kill_before(file, target, "sorting triples")
    (left,) = tmp_path.glob(".g.graph.building-*")
    for text in ("", "[]", '{"fingerprint": 3}'):
        (left / STATE).write_text(text)
    assert build(file, target, skip_bad=True).n_triples == 400


def test_a_build_that_fails_leaves_nothing_to_take_up(tmp_path: Path) -> None:
    with fails("reader.wrong_width", InputError, line=1):
        build(source(tmp_path), tmp_path / "g.graph")
    assert [entry.name for entry in tmp_path.iterdir()] == ["kb.tsv"]


def test_records_from_python_are_never_taken_up(tmp_path: Path) -> None:
    with GraphBuilder(tmp_path / "g.graph", source="test") as builder:
        builder.add(("a", "r", "b"))
        builder.finish()
        assert not list(tmp_path.glob(f"*/{STATE}"))


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(BucketWriter, "_append", full)
    with fails("build.not_written", reason="No space left on device") as caught:
        build(records(3000), tmp_path / "g.graph")
    assert "make space on the disk" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


# What must hold between the files


def damaged(graph: Graph, name: str, change: Any) -> None:
    """Change an array and the manifest with it, as a faulty builder would."""
    file = graph.path / f"{name}.npy"
    array = np.load(file)
    change(array)
    np.save(file, array)
    raw = json.loads((graph.path / "manifest.json").read_text())
    raw["files"][file.name]["sha256"] = sha256(file)
    (graph.path / "manifest.json").write_text(json.dumps(raw))
    (graph.path / "seal.json").unlink()  # as in a graph of an earlier version


def put(place: int, value: int) -> Any:
    def change(array: Any) -> None:
        array[place] = value

    return change


def swap(array: Any) -> None:
    array[[0, -1]] = array[[-1, 0]]


@pytest.mark.parametrize(
    ("name", "change", "rule"),
    [
        ("out_ptr", put(3, 9999), "ascending"),
        ("out_ptr", put(-1, 2000), "end"),
        ("out_ptr", put(0, 1), "end"),
        ("in_ptr", put(2, 9999), "ascending"),
        ("tail", put(5, -1), "range"),
        ("tail", put(5, 10**6), "range"),
        ("relation", put(5, 99), "range"),
        ("in_head", put(7, 10**6), "range"),
        ("in_triple", put(7, -3), "range"),
        ("key_hash", swap, "ascending"),
        ("name_hash", swap, "ascending"),
        ("key_entity", put(0, 10**6), "range"),
        ("gram", swap, "ascending"),
        ("gram_end", put(-1, 10**6), "end"),
        ("gram_name", put(0, -1), "range"),
        ("type_id", put(0, 3), "range"),
        ("alias_entity", swap, "ascending"),
    ],
)
def test_check_finds_what_does_not_hold(tmp_path: Path, name: str, change: Any, rule: str) -> None:
    graph = build(records(300), tmp_path / "g.graph")
    graph.check()
    damaged(graph, name, change)
    if rule == "end" and name.endswith("_ptr"):
        with fails("graph.cannot_open", GraphFormatError):
            Graph.open(graph.path)
        return
    with fails("graph.broken_invariant", GraphFormatError, array=name, rule=rule):
        Graph.open(graph.path).check()


def test_check_finds_rows_out_of_order_and_directions_that_differ(tmp_path: Path) -> None:
    triples: list[Record] = [("a", "r", "b"), ("a", "r", "c"), ("d", "r", "b"), ("d", "r", "a")]
    graph = build(triples, tmp_path / "order.graph")
    damaged(graph, "tail", lambda tail: tail.__setitem__(slice(0, 2), tail[[1, 0]]))
    with fails("graph.broken_invariant", GraphFormatError, array="tail", rule="order"):
        Graph.open(graph.path).check()
    graph = build(triples, tmp_path / "other.graph")
    damaged(graph, "tail", put(0, 0))
    with fails("graph.broken_invariant", GraphFormatError, array="in_triple", rule="triples"):
        Graph.open(graph.path).check()


def test_check_goes_piece_by_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.graphs.store.check._PIECE", 7)
    build(records(500), tmp_path / "g.graph").check()


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on file sizes")
@pytest.mark.parametrize("limit", [0, 1 << 12, 1 << 17, 1 << 20])
def test_a_limit_on_file_sizes_names_the_file_and_leaves_nothing(tmp_path: Path, limit: int) -> None:
    code = """
        import os, re, resource
        from graphbrick.core.errors import GraphbrickError
        from graphbrick.graphs.build.builder import build
        os.chdir(arguments[0])
        limit = int(arguments[1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        try:
            build([(f"entity {i} with a long name", "r", f"entity {i * 7}") for i in range(40_000)], "g.graph")
        except GraphbrickError as error:
            told = str(error)
            assert re.match(r"g\\.graph cannot be written \\(\\w+\\.tmp[\\w.]*\\): File too large; raise", told), told
        else:
            raise AssertionError("no error")
    """
    assert run_in_fork(code, tmp_path, limit) == 0
    assert not list(tmp_path.iterdir())
