"""Damage of every file of a graph and of what is beside it: the same answer, or one line of an error."""

from __future__ import annotations

import datetime
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from damage import Damage, damages, fuzz
from faults import fails

from graphbrick import Graph, build
from graphbrick.cli.graphs.checking import check_all
from graphbrick.core.errors import GraphFormatError
from graphbrick.graphs import opening
from graphbrick.graphs.changes.delta import change
from graphbrick.graphs.info import graph_info
from graphbrick.graphs.records.records import EdgeRecord, EntityRecord, Record
from graphbrick.graphs.store import manifest
from graphbrick.kernels.paths.k_hop import k_hop

pytestmark = pytest.mark.whole

SEED = 3


def records(n: int = 30) -> list[Record]:
    chance = random.Random(SEED)
    born = datetime.date(1990, 1, 1)
    nodes = [
        EntityRecord(f"k{i}", f"Name {i}", (f"alias {i}",), (f"T{i % 3}",), f"text {i}", {"n": i, "born": born})
        for i in range(n)
    ]
    edges = [
        EdgeRecord(f"k{chance.randrange(n)}", f"r{chance.randrange(4)}", f"k{chance.randrange(n)}", {"since": i})
        for i in range(4 * n)
    ]
    return [*nodes, *edges]


def made(folder: Path) -> Path:
    graph = build(records(), folder / "g.graph")
    change(graph.path, add=[("k1", "r1", "new"), ("new", "r9", "k2")])
    change(graph.path, delete=[("k1", "r1", "new")])
    return folder


def read(folder: Path) -> Any:
    """Read all that a graph says, with and without a kernel."""
    graph = Graph.open(folder / "g.graph")
    seeds = np.array([1], dtype=np.int32)
    near = k_hop(graph.csr.rows, seeds, True, True, 2, 1000)[0].tolist()
    facts = [(graph.describe(e), graph.aliases(e), graph.named(graph.label(e))) for e in range(graph.n_entities)]
    return near, facts, list(graph.key_triples()), {**graph_info(graph), "graph": ""}


def check(folder: Path) -> None:
    check_all(opening.open(folder / "g.graph"))  # type: ignore[arg-type]


def test_damage_of_any_file_of_a_graph_gives_the_same_answer_or_an_error(tmp_path: Path) -> None:
    folder = made(tmp_path / "whole")
    cases = random.Random(SEED).sample(list(damages(folder, SEED)), 60)
    report = fuzz(folder, tmp_path, cases, [read], check)
    assert report.faults == []
    assert sum(report.tries.values()) > 40
    assert report.errors


def test_ids_out_of_range_of_a_large_graph_do_not_crash_a_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest, "SMALL", 0)  # as if all files were large: no checksum is compared at opening
    folder = tmp_path / "whole"
    build(records(), folder / "g.graph")
    names = ("tail", "relation", "in_head", "in_triple", "out_ptr", "in_ptr")
    highest = [Damage(f"g.graph/{name}.npy", "flip", 8 * (128 + 4 * at + 3) + 6) for name in names for at in (1, 9)]
    report = fuzz(folder, tmp_path, highest, [read], check)
    assert report.faults == []
    assert report.errors["graph.ids_out_of_range"] >= 8


def test_the_newest_change_that_vanished_is_missed(tmp_path: Path) -> None:
    path = made(tmp_path / "whole") / "g.graph"
    (path / "delta-000002.changes").unlink()
    with fails("delta.missing", GraphFormatError, number=2):
        Graph.open(path)


def test_a_change_after_which_the_process_was_killed_is_kept(tmp_path: Path) -> None:
    path = made(tmp_path / "whole") / "g.graph"
    seal = (path / "seal.json").read_bytes()
    change(path, add=[("x", "r1", "y")])
    (path / "seal.json").write_bytes(seal)  # as before the kill
    assert Graph.open(path).changes.files == 3
    assert change(path, add=[("x", "r1", "z")]).graph.changes.files == 4


def test_a_graph_without_a_seal_opens_and_the_check_says_so(tmp_path: Path) -> None:
    path = made(tmp_path / "whole") / "g.graph"
    (path / "seal.json").unlink()
    (note,) = check_all(Graph.open(path))
    assert "seal.json" in note


def test_a_graph_whose_manifest_is_damaged_can_be_built_again(tmp_path: Path) -> None:
    path = made(tmp_path / "whole") / "g.graph"
    (path / "manifest.json").write_bytes(b"{")
    with fails("place.taken"):
        build([("a", "r", "b")], path)
    assert build([("a", "r", "b")], path, overwrite=True).n_triples == 1
