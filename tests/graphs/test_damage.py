"""Graphs that are damaged, or replaced while they are opened."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from faults import fails

from graphbrick import PPR, Graph, Query, ShortestPaths, Subgraph, build
from graphbrick.core.errors import GraphFormatError
from graphbrick.graphs.store import manifest
from graphbrick.testing import TINY, tiny_graph


def edit(graph: Graph, **changes: object) -> None:
    file = graph.path / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    (graph.path / "seal.json").unlink(missing_ok=True)  # as in a graph of an earlier version


def test_counts_that_do_not_fit_the_arrays(tmp_path: Path):
    graph = build(TINY, tmp_path / "g.graph")
    for wrong in ({"entities": 9}, {"triples": 9}, {"relations": 5}):
        edit(graph, **{"entities": 8, "triples": 10, "relations": 4, **wrong})
        with fails("graph.cannot_open", GraphFormatError) as caught:
            Graph.open(graph.path)
        assert "entries instead of" in str(caught.value.values["reason"])


def test_damaged_text_is_an_error_of_the_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(manifest, "SMALL", 0)  # or it is noticed when the graph is opened
    graph = build(TINY, tmp_path / "g.graph")
    file = graph.path / "labels.zst"
    data = bytearray(file.read_bytes())
    data[:8] = b"\xff" * 8
    file.write_bytes(data)
    with fails("graph.damaged_text", GraphFormatError, index=0):
        Graph.open(graph.path).label(0)


def test_a_manifest_that_is_nested_without_end(tmp_path: Path):
    graph = build(TINY, tmp_path / "g.graph")
    (graph.path / "manifest.json").write_text("[" * 100_000)
    with fails("graph.damaged_manifest", GraphFormatError):
        Graph.open(graph.path)


@pytest.mark.whole
def test_a_graph_that_is_replaced_meanwhile_is_the_old_or_the_new_one(tmp_path: Path):
    path = tmp_path / "g.graph"
    kinds = [{(f"{kind}{i}", kind, f"{kind}{i + 1}") for i in range(20 + 9 * n)} for n, kind in enumerate("ab")]
    build(kinds[0], path)
    done = threading.Event()

    def replace() -> None:
        for turn in range(10):
            build(kinds[(turn + 1) % 2], path, overwrite=True)
        done.set()

    writer = threading.Thread(target=replace)
    writer.start()
    opened = 0
    try:
        while not done.is_set():
            assert set(Graph.open(path).key_triples()) in kinds
            opened += 1
    finally:
        writer.join()
    assert opened > 3


@pytest.mark.parametrize("seed", [10**9, -1])
def test_a_seed_that_is_no_entity_is_no_part_of_any_subgraph(seed: int):
    graph, query = tiny_graph(), Query("?", seeds=(seed,))
    assert ShortestPaths().retrieve(query, Subgraph(graph)).items == ()
    assert PPR().extract(graph, query).n_nodes == 0
