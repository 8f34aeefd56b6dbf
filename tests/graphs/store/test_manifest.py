from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from faults import fails

from graphbrick import __version__
from graphbrick.core.errors import GraphFormatError
from graphbrick.core.files.digests import sha256
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.store.manifest import NAME, FileEntry, Manifest

Raw = dict[str, Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return build([("a", "r", "b"), ("b", "r", "a")], tmp_path / "g.graph").path


def test_what_a_build_writes(folder: Path) -> None:
    manifest = Manifest.read(folder)
    assert (manifest.entities, manifest.relations, manifest.triples, manifest.max_name_tokens) == (2, 1, 2, 1)
    assert (manifest.source, manifest.created_by) == ("Python records", f"graphbrick {__version__}")
    assert set(manifest.files) == {file.name for file in folder.iterdir()} - {NAME, "seal.json"}
    for name, entry in manifest.files.items():
        assert entry == FileEntry((folder / name).stat().st_size, sha256(folder / name))


def test_round_trip(tmp_path: Path) -> None:
    manifest = Manifest(1, 2, 3, 4, 1, 0, 5, "naïve \udce9.tsv", "graphbrick test", {})
    manifest.write(tmp_path)
    assert Manifest.read(tmp_path) == manifest


def test_the_hash_is_that_of_the_files(folder: Path) -> None:
    manifest = Manifest.read(folder)
    assert replace(manifest, source="elsewhere", created_by="another", triples_read=9).hash == manifest.hash
    files = dict(reversed(manifest.files.items()))
    assert replace(manifest, files=files).hash == manifest.hash
    name, entry = files.popitem()
    assert replace(manifest, files=files).hash != manifest.hash
    assert replace(manifest, files={**files, name: replace(entry, sha256="0" * 64)}).hash != manifest.hash


def change(folder: Path, edit: Callable[[Raw], object]) -> None:
    raw = json.loads((folder / NAME).read_text(encoding="utf-8"))
    edit(raw)
    (folder / NAME).write_text(json.dumps(raw), encoding="utf-8")
    (folder / "seal.json").unlink(missing_ok=True)  # as in a graph of an earlier version


def test_another_version(folder: Path) -> None:
    change(folder, lambda raw: raw.update(version=1))
    with fails("graph.other_version", GraphFormatError, version=1):
        Graph.open(folder)


def test_another_version_is_told_before_anything_else_of_it_is_read(folder: Path) -> None:
    (folder / NAME).write_text('{"format": "graphbrick-graph", "version": 99, "all": "new"}')
    with fails("graph.other_version", GraphFormatError, version=99):
        Graph.open(folder)


def test_the_manifest_of_something_else(folder: Path) -> None:
    change(folder, lambda raw: raw.update(format="a web page"))
    with fails("graph.other_manifest", GraphFormatError):
        Graph.open(folder)


@pytest.mark.parametrize(
    "text", ["", "{", "not JSON", "[]", "null", "3", '"text"', "{}", '{"format": "graphbrick-graph"}', "\x00\x01"]
)
def test_a_manifest_that_is_none(folder: Path, text: str) -> None:
    (folder / NAME).write_text(text)
    with fails("graph.damaged_manifest", GraphFormatError):
        Graph.open(folder)


def test_a_manifest_that_is_not_utf8(folder: Path) -> None:
    (folder / NAME).write_bytes(b"\xff\xfe{}")
    with fails("graph.damaged_manifest", GraphFormatError):
        Graph.open(folder)


@pytest.mark.parametrize(
    "edit",
    [
        lambda raw: raw.update(entities="2"),
        lambda raw: raw.update(entities=None),
        lambda raw: raw.update(entities=True),
        lambda raw: raw.update(entities=2.0),
        lambda raw: raw.update(relations=-1),
        lambda raw: raw.update(triples=[2]),
        lambda raw: raw.update(max_name_tokens={}),
        lambda raw: raw.update(left_out=-1),
        lambda raw: raw.update(near="yes"),
        lambda raw: raw.update(source=None),
        lambda raw: raw.update(created_by=1),
        lambda raw: raw.update(files=None),
        lambda raw: raw.update(files=["tail.npy"]),
        lambda raw: raw.update(files={"tail.npy": 136}),
        lambda raw: raw["files"].update({"tail.npy": {"bytes": 136}}),
        lambda raw: raw["files"]["tail.npy"].update(sha256=None),
        lambda raw: raw["files"]["tail.npy"].update(mode="rw"),
        lambda raw: raw.update(surprise=1),
    ],
)
def test_values_of_wrong_type(folder: Path, edit: Callable[[Raw], object]) -> None:
    change(folder, edit)
    with fails("graph.damaged_manifest", GraphFormatError):
        Graph.open(folder)


@pytest.mark.parametrize(
    "key",
    ["entities", "relations", "triples", "triples_read", "duplicates", "skipped", "max_name_tokens", "source",
     "created_by", "files", "format", "version"],
)  # fmt: skip
def test_missing_keys(folder: Path, key: str) -> None:
    change(folder, lambda raw: raw.pop(key))
    with fails("graph.damaged_manifest", GraphFormatError) as caught:
        Graph.open(folder)
    assert key in str(caught.value.values["reason"])


@pytest.mark.parametrize("size", [-1, 0, "136", None])
def test_a_file_of_another_size(folder: Path, size: Any) -> None:
    change(folder, lambda raw: raw["files"]["tail.npy"].update(bytes=size))
    with fails("graph.damaged_file" if size == 0 else "graph.damaged_manifest", GraphFormatError):
        Graph.open(folder)
