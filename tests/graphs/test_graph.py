from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from faults import fails

from graphbrick.core.errors import GraphFormatError, LinkError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.records.records import EntityRecord, Record, RelationRecord
from graphbrick.graphs.store import manifest
from graphbrick.language.hashing import hash64

RECORDS: list[Record] = [
    EntityRecord("Q1", "Paris", ("City of Light", "Paname"), ("city", "capital"), "capital of France"),
    EntityRecord("Q2", "Paris", types=("city",)),
    EntityRecord("Q3", "France", aliases=("République française",)),
    EntityRecord("Q9", "Atlantis"),
    RelationRecord("P17", "country"),
    ("Q1", "P17", "Q3"),
    ("Q2", "P17", "Q4"),
    ("Q3", "P36", "Q1"),
    ("Q3", "P1376", "Q1"),
    ("Q4", "P0", "Q4"),
    ("Q3", "P36", "Q1"),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return build(RECORDS, tmp_path_factory.mktemp("graph") / "places.graph")


@pytest.fixture
def copy(graph: Graph, tmp_path: Path) -> Path:
    """A folder to damage."""
    return Path(shutil.copytree(graph.path, tmp_path / "copy.graph"))


# What can be read


def test_counts(graph: Graph) -> None:
    assert (graph.n_entities, graph.n_relations, graph.n_triples) == (5, 4, 5)
    assert repr(graph) == "Graph('places.graph', entities=5, relations=4, triples=5)"
    assert graph.hash == graph.manifest.hash


def test_entities(graph: Graph) -> None:
    keys = ["Q1", "Q3", "Q2", "Q4", "Q9"]  # in order of first appearance in a triple, then the others
    assert [graph.key(e) for e in range(5)] == keys
    assert [graph.entity(key) for key in keys] == list(range(5))
    assert [graph.label(e) for e in range(5)] == ["Paris", "France", "Paris", "Q4", "Atlantis"]
    assert [graph.aliases(e) for e in range(5)] == [
        ["City of Light", "Paname"], ["République française"], [], [], []
    ]  # fmt: skip
    assert [graph.types(e) for e in range(5)] == [["city", "capital"], [], ["city"], [], []]
    assert [graph.description(e) for e in range(5)] == ["capital of France", "", "", "", ""]
    assert [graph.degree(e) for e in range(5)] == [3, 3, 1, 3, 0]
    assert graph.has_keys


def test_describe_tells_homonyms_apart(graph: Graph) -> None:
    assert [graph.describe(e) for e in range(4)] == [
        "Paris [Q1], capital of France", "France [Q3]", "Paris [Q2], city", "Q4 [Q4]"
    ]  # fmt: skip


def test_relations(graph: Graph) -> None:
    assert [graph.relation_key(r) for r in range(4)] == ["P17", "P36", "P1376", "P0"]
    assert [graph.relation_label(r) for r in range(4)] == ["country", "P36", "P1376", "P0"]


def test_triples(graph: Graph) -> None:
    paris, france, texas, usa = (graph.entity(key) for key in ("Q1", "Q3", "Q2", "Q4"))
    triples = [(paris, 0, france), (france, 1, paris), (france, 2, paris), (texas, 0, usa), (usa, 3, usa)]
    assert [graph.triple(t) for t in range(5)] == triples
    assert [graph.head(t) for t in range(5)] == [head for head, _, _ in triples]
    assert [list(graph.triples_from(e)) for e in range(5)] == [[0], [1, 2], [3], [4], []]
    assert [graph.triples_to(e) for e in range(5)] == [[1, 2], [0], [], [3, 4], []]
    assert graph.triple_text(0) == "Paris -> country -> France"
    assert list(graph.key_triples()) == [
        ("Q1", "P17", "Q3"), ("Q3", "P36", "Q1"), ("Q3", "P1376", "Q1"), ("Q2", "P17", "Q4"), ("Q4", "P0", "Q4")
    ]  # fmt: skip


def test_ids_are_plain_integers(graph: Graph) -> None:
    ids = [*graph.triple(0), graph.entity("Q1"), graph.degree(0), *graph.triples_to(0), *graph.named("paris")]
    assert {type(i) for i in ids} == {int}


def test_arrays_are_read_only(graph: Graph) -> None:
    for array in graph.csr:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_a_graph_without_extras(tmp_path: Path) -> None:
    plain = build([("a", "r", "b")], tmp_path / "plain.graph")
    assert (plain.aliases(0), plain.types(0), plain.description(0), plain.has_keys) == ([], [], "", False)
    assert plain.describe(0) == "a"


PER_ENTITY: list[Callable[[Graph, int], Any]] = [
    Graph.label, Graph.key, Graph.aliases, Graph.description, Graph.types, Graph.degree, Graph.describe,
    Graph.triples_from, Graph.triples_to,
]  # fmt: skip
PER_RELATION: list[Callable[[Graph, int], Any]] = [Graph.relation_label, Graph.relation_key]
PER_TRIPLE: list[Callable[[Graph, int], Any]] = [Graph.head, Graph.triple, Graph.triple_text]


@pytest.mark.parametrize("extras", [True, False])
@pytest.mark.parametrize(
    ("read", "kind"),
    [
        *((read, "entities") for read in PER_ENTITY),
        *((read, "relations") for read in PER_RELATION),
        *((read, "triples") for read in PER_TRIPLE),
    ],
)
def test_an_id_that_is_none(
    graph: Graph, tmp_path: Path, read: Callable[[Graph, int], Any], kind: str, extras: bool
) -> None:
    one = graph if extras else build([("a", "r", "b")], tmp_path / "plain.graph")
    size = getattr(one, f"n_{kind}")
    read(one, size - 1)
    for bad in (-1, -size, size, 10**12):
        with pytest.raises(IndexError):
            read(one, bad)


# Finding entities


def test_named_folds_labels_and_aliases(graph: Graph) -> None:
    assert graph.named("PARIS!") == [graph.entity("Q1"), graph.entity("Q2")]
    assert graph.named("republique  FRANCAISE") == [graph.entity("Q3")]
    assert graph.named("city-of-light") == [graph.entity("Q1")]
    assert graph.named("Q1") == []  # a key is no name
    assert graph.named("") == graph.named("?!") == graph.named("Lutetia") == []


def test_entity_takes_the_exact_key_only(graph: Graph) -> None:
    for key in ("q1", "Q1 ", "Paris", ""):
        with fails("graph.unknown_key", LinkError, key=key):
            graph.entity(key)


# Texts of one hash, found by search: the hash is not a cryptographic one.
COLLISIONS = ["nairobi0capitale", "z6aon9omfg50ma4y", "u352eqr89h25qqzx", "up013kbyxz8g0bz1"]


def test_these_share_a_hash() -> None:
    assert len({hash64(text) for text in COLLISIONS}) == 1


def test_keys_that_share_a_hash(tmp_path: Path) -> None:
    one, other, relation, missing = COLLISIONS
    records = [(one, relation, other), (other, relation, "a"), EntityRecord(one, "One"), EntityRecord(other, "Other")]
    graph = build(records, tmp_path / "collisions.graph")
    assert list(graph.key_triples()) == [(one, relation, other), (other, relation, "a")]
    assert [graph.entity(key) for key in (one, other, "a")] == [0, 1, 2]
    assert [graph.label(entity) for entity in range(3)] == ["One", "Other", "a"]
    for key in (relation, missing):
        with fails("graph.unknown_key", LinkError, key=key):
            graph.entity(key)


def test_names_that_share_a_hash(tmp_path: Path) -> None:
    one, other, alias, missing = COLLISIONS
    graph = build([EntityRecord("a", one, aliases=(alias,)), EntityRecord("b", other), ("a", "r", "b")], tmp_path / "g")
    assert graph.named(one.upper()) == graph.named(alias) == [graph.entity("a")]
    assert graph.named(other) == [graph.entity("b")]
    assert graph.named(missing) == []


# Opening


def test_open_takes_a_text_or_a_path(graph: Graph) -> None:
    assert Graph.open(str(graph.path)).hash == Graph.open(graph.path).hash == graph.hash


def test_no_folder(tmp_path: Path) -> None:
    with fails("graph.no_folder", GraphFormatError, folder=tmp_path / "none.graph"):
        Graph.open(tmp_path / "none.graph")


def test_a_folder_without_manifest(tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_text("a|r|b")
    with fails("graph.no_manifest", GraphFormatError, folder=tmp_path):
        Graph.open(tmp_path)


def test_a_file_in_place_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "kb.txt").write_text("a|r|b")
    with fails("graph.no_manifest", GraphFormatError):
        Graph.open(tmp_path / "kb.txt")


def names_of_files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.name not in ("manifest.json", "seal.json"))


def test_every_file_that_is_cut_short_or_missing_is_told(copy: Path) -> None:
    for file in names_of_files(copy):
        data = file.read_bytes()
        if data:
            file.write_bytes(data[:-1])
            with fails("graph.damaged_file", GraphFormatError, file=file.name, is_missing=False):
                Graph.open(copy)
        file.unlink()
        with fails("graph.damaged_file", GraphFormatError, file=file.name, is_missing=True):
            Graph.open(copy)
        file.write_bytes(data)
    Graph.open(copy).check()


def test_check_finds_a_flipped_byte_in_every_file(copy: Path) -> None:
    graph = Graph.open(copy)
    graph.check()
    for file in names_of_files(copy):
        data = bytearray(file.read_bytes())
        if data:
            data[-1] ^= 1
            file.write_bytes(data)
            with fails("graph.changed_file", GraphFormatError, file=file.name):
                graph.check()
            data[-1] ^= 1
            file.write_bytes(data)
    graph.check()


@pytest.mark.parametrize("name", ["out_ptr.npy", "key_hash.npy", "name_hash.npy", "labels.zst", "types.zst"])
def test_an_array_that_is_none_is_told(copy: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    size = (copy / name).stat().st_size
    (copy / name).write_bytes(b"?" * size)
    with fails("graph.damaged_file", GraphFormatError, file=name):
        Graph.open(copy)
    (copy / "seal.json").unlink()
    monkeypatch.setattr(manifest, "SMALL", 0)  # as of a large file
    with pytest.raises(GraphFormatError):
        Graph.open(copy)


# Other processes


def test_pickle(graph: Graph) -> None:
    again = pickle.loads(pickle.dumps(graph))
    assert list(again.key_triples()) == list(graph.key_triples())
    assert (again.path, again.hash) == (graph.path, graph.hash)
    assert len(pickle.dumps(graph)) < 1000  # the place, not the content


def test_a_pickle_does_not_come_back_as_another_graph(tmp_path: Path) -> None:
    pickled = pickle.dumps(build([("a", "r", "b")], tmp_path / "g.graph"))
    build([("b", "r", "a")], tmp_path / "g.graph", overwrite=True)
    with fails("graph.other_content", GraphFormatError):
        pickle.loads(pickled)


def read_all(graph: Graph) -> tuple[int, list[tuple[str, str, str]], list[int]]:
    return os.getpid(), list(graph.key_triples()), graph.named("paris")


@pytest.mark.whole
def test_two_processes_read_at_once(graph: Graph) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(read_all, [graph] * 6))
    expected = read_all(graph)
    assert all(pid != expected[0] and rest == list(expected[1:]) for pid, *rest in found)


def test_csr_rows_agree(graph: Graph) -> None:
    csr = graph.csr
    assert (csr.n_nodes, csr.n_triples) == (5, 5)
    entries = [(int(csr.in_head[i]), v) for v in range(5) for i in range(int(csr.in_begin[v]), int(csr.in_end[v]))]
    assert entries == [(graph.head(int(t)), int(csr.tail[t])) for t in csr.in_triple]
    assert sorted(csr.in_triple.tolist()) == list(range(5))
    assert [array.dtype for array in csr] == [np.dtype(t) for t in ("u4", "u4", "i4", "i4", "u4", "u4", "i4", "i4")]
