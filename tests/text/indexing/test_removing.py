"""Sources that are removed by name, and those that vanish at once."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import patch

import pytest
from commands import Run, refused
from faults import fails

from graphbrick import ByHeading, index
from graphbrick.core.errors import InputError
from graphbrick.graphs.corpus import TextGraph
from graphbrick.graphs.store.beside_text import text_folder
from graphbrick.text.documents.store import TextStore
from graphbrick.text.indexing.indexing import Indexed
from graphbrick.text.indexing.reading import read_sources
from graphbrick.text.sources.tables import SourceOptions

TEXTS = {
    "a.txt": "The safe code of Rosa Lund is walrus in Galway. Rosa Lund sails.",
    "b.txt": "Peter Hale leads Ennis. Peter Hale paints Galway.",
    "part/ferries.md": "# Ferries\n\nAlma Berg founded Fjord Ferries in Bergen.",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text)
    return tmp_path / "docs"


def contents(place: Path) -> tuple[object, ...]:
    graph = TextGraph.open(place)
    return graph.hash, graph.text_state, [graph.passage(i) for i in range(graph.n_passages)], graph.mentions[1].tolist()


def without(docs: Path, name: str, place: Path) -> tuple[object, ...]:
    """What a graph of the other files holds."""
    index([file for file in sorted(docs.rglob("*.*")) if file.name != name], place)
    return contents(place)


@pytest.mark.whole
@pytest.mark.parametrize("how", ["docs/a.txt", "a.txt", "{docs}/a.txt"])
def test_a_graph_without_a_file_is_one_that_never_had_it(
    tmp_path: Path, docs: Path, run: Run, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.chdir(tmp_path)
    index([docs], "g.graph")
    said = run("index", "g.graph", "--remove", how.format(docs=docs), "--no-embed")
    assert "2 documents (0 new, 0 changed, 1 deleted)" in said.out
    assert "a.txt is still there, and comes back when" in said.err
    assert contents(tmp_path / "g.graph") == without(docs, "a.txt", tmp_path / "h.graph")
    assert b"walrus" not in b"".join(file.read_bytes() for file in Path("g.graph.text").rglob("*") if file.is_file())
    assert index([docs], "g.graph").reading.added == 1


@pytest.mark.parametrize("name", ["part", "docs/part", "part/ferries.md"])
def test_folders_by_name(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    index([docs / "a.txt", docs / "b.txt", docs / "part"], "g.graph")
    done = index([], "g.graph", remove=[name])
    assert (done.reading.deleted, done.documents, done.notes) == (1, 2, [])


def test_everything_may_be_removed(tmp_path: Path, docs: Path) -> None:
    index([docs], tmp_path / "g.graph")
    assert index([], tmp_path / "g.graph", remove=["docs"]).documents == 0
    assert index([docs], tmp_path / "g.graph").reading.added == 3


def test_names_that_are_unknown_or_not_unique(tmp_path: Path, docs: Path, run: Run) -> None:
    (docs / "part" / "a.txt").write_text("Mary Stone lives in Ennis.")
    before = index([docs], tmp_path / "g.graph").graph.hash
    with fails("removing.unknown", InputError, name="ferry.md", near=[str(docs / "part/ferries.md")]):
        index([], tmp_path / "g.graph", remove=["b.txt", "ferry.md"])
    with fails("removing.several", InputError, name="a.txt"):
        index([], tmp_path / "g.graph", remove=["a.txt"])
    refused(run("index", tmp_path / "g.graph", "--remove", "b.tx"), "did you mean")
    assert index([], tmp_path / "g.graph").graph.hash == before


def test_the_dry_run_removes_nothing(tmp_path: Path, docs: Path, run: Run) -> None:
    index([docs], tmp_path / "g.graph")
    planned = json.loads(run("index", tmp_path / "g.graph", "--remove", "a.txt", "--dry-run", "--json").out)
    assert (planned["documents"], planned["deleted"]) == (2, 1)
    assert index([], tmp_path / "g.graph").documents == 3


def many(folder: Path, n: int = 8) -> Path:
    folder.mkdir()
    for i in range(n):
        (folder / f"{i}.txt").write_text(f"Alma Berg founded Fjord Ferries number {i} in Bergen.")
    return folder


def checked(tmp_path: Path, drive: Path, n: int) -> Indexed:
    """Index a folder from which most has vanished: an error, until the user says that it may."""
    before = TextGraph.open(tmp_path / "g.graph").hash
    with fails("removing.vanished", InputError, gone=n):
        index([drive], tmp_path / "g.graph")
    assert TextGraph.open(tmp_path / "g.graph").hash == before
    return index([drive], tmp_path / "g.graph", remove=[str(drive)])


def test_a_drive_that_is_not_there_deletes_nothing(tmp_path: Path) -> None:
    drive = many(tmp_path / "drive")
    index([drive], tmp_path / "g.graph")
    drive.rename(tmp_path / "elsewhere")
    assert checked(tmp_path, drive, 8).documents == 0


def test_a_drive_that_is_empty_deletes_nothing(tmp_path: Path, run: Run) -> None:
    drive, local = many(tmp_path / "drive"), many(tmp_path / "local", 40)
    index([drive, local], tmp_path / "g.graph")
    drive.rename(tmp_path / "elsewhere")
    drive.mkdir()
    refused(run("index", drive, tmp_path / "g.graph"), "--remove")
    assert checked(tmp_path, drive, 8).documents == 40


def test_many_files_that_were_named_one_by_one(tmp_path: Path) -> None:
    files = sorted(many(tmp_path / "drive").iterdir())
    index(files, tmp_path / "g.graph")
    for file in files[:5]:
        file.unlink()
    with fails("removing.vanished", InputError, gone=5):
        index(files, tmp_path / "g.graph")
    assert index([], tmp_path / "g.graph").documents == 8


def test_fewer_than_half_leave(tmp_path: Path) -> None:
    drive = many(tmp_path / "drive", 12)
    index([drive], tmp_path / "g.graph")
    for file in sorted(drive.iterdir())[:6]:
        file.unlink()
    assert index([drive], tmp_path / "g.graph").reading.deleted == 6


def test_a_network_folder_that_does_not_answer(tmp_path: Path) -> None:
    drive = many(tmp_path / "drive")
    index([drive], tmp_path / "g.graph")
    stale = OSError(116, "Stale file handle", str(drive))
    with (
        patch.object(Path, "exists", side_effect=stale),
        patch.object(Path, "is_file", side_effect=stale),
        fails("sources.folder_unreadable", InputError),
        TextStore(text_folder(tmp_path / "g.graph")) as store,
    ):
        read_sources(store, [drive], ByHeading(), SourceOptions())
    assert index([drive], tmp_path / "g.graph").documents == 8
