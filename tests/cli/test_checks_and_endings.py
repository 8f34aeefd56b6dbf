"""Checks of all folders of a graph, limits of open files, and a Ctrl-C that comes too late."""

from __future__ import annotations

import errno
import random
import shutil
from pathlib import Path

import pytest
from commands import Run, refused
from documents import FILES, write_documents
from faults import fails
from forks import run_until_killed
from toy_vectors import Toy

from graphbrick import Graph, build
from graphbrick.cli.graphs.checking import check_all
from graphbrick.cli.graphs.finishing import completed
from graphbrick.core.errors import GraphbrickError, GraphFormatError
from graphbrick.graphs.partitions import Method, folder_of, keep, part
from graphbrick.graphs.store import stored
from graphbrick.models.vectors.store import VectorStore
from graphbrick.testing import TINY
from graphbrick.text.documents.store import TextStore
from graphbrick.text.indexing.indexing import index


def test_what_is_damaged_beside_a_graph_is_named_with_the_command_that_mends_it(tmp_path: Path) -> None:
    graph = build(TINY, tmp_path / "g.graph")
    keep(graph, Method(), part(graph, Method()))
    assert check_all(graph) == []
    (folder_of(graph, Method()).folder / "label.npy").unlink()
    with fails("graph.has_damage", GraphFormatError) as caught:
        check_all(graph)
    assert "label.npy is missing" in str(caught.value)
    assert f"graphbrick prepare partitions {graph.place}" in str(caught.value)


def test_damaged_passages_are_found_and_made_again_by_indexing(tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "docs", FILES)
    made = index([documents], tmp_path / "n.graph").graph
    file = next((tmp_path / "n.graph.text").glob("passages-*/mentions.npy"))
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)
    with fails("graph.has_damage", GraphFormatError) as caught:
        check_all(made)
    assert "graphbrick index" in str(caught.value)
    assert index([documents], tmp_path / "n.graph").is_new
    assert check_all(Graph.open(tmp_path / "n.graph")) == []


def test_a_late_ctrl_c_leaves_a_graph_that_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "g.graph"

    def late() -> Graph:
        build(TINY, path)
        raise KeyboardInterrupt

    assert completed(path, late).n_triples == len(TINY)
    assert "is complete" in capsys.readouterr().err

    def early() -> Graph:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        completed(path, early)


def test_too_many_open_files_are_not_taken_for_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = build(TINY, tmp_path / "g.graph")

    def full(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(stored, "open_array", full)
    with fails("graph.too_many_files", GraphbrickError):
        Graph.open(graph.path)


def test_damage_of_kept_vectors_is_named(tmp_path: Path) -> None:
    graph = build(TINY, tmp_path / "g.graph")
    store = VectorStore(graph.vectors_place)
    store.get(Toy(), ["Kenya", "Uganda"])
    store.flush()
    (folder,) = graph.vectors_place.iterdir()
    assert check_all(graph) == []
    (segment,), about = folder.glob("*.seg"), folder / "model.json"
    for file, damaged in (
        (segment, segment.read_bytes()[:-9] + b"\x7f" + segment.read_bytes()[-8:]),
        (about, about.read_bytes().replace(b'": "', b'": "x')),
        (about, b"{"),
    ):
        whole = file.read_bytes()
        file.write_bytes(damaged)
        with fails("graph.has_damage", GraphFormatError) as caught:
            check_all(graph)
        assert "are made again" in str(caught.value)
        file.write_bytes(whole)


def test_a_vanished_database_of_documents_is_not_begun_anew(tmp_path: Path, run: Run) -> None:
    documents = write_documents(tmp_path / "docs", FILES)
    index([documents], tmp_path / "n.graph")
    database = tmp_path / "n.graph.text" / "documents.sqlite"
    database.unlink()
    refused(run("documents", str(tmp_path / "n.graph")), "run graphbrick index again")
    assert not database.exists()


@pytest.mark.parametrize("part", ["Lake", "Facts", '2, "Water'], ids=["text", "title", "heading"])
def test_one_letter_that_changed_in_a_stored_document_is_told(tmp_path: Path, run: Run, part: str) -> None:
    (tmp_path / "docs").mkdir()
    text = "# Facts\n\nNairobi is the capital of Kenya.\n\n## Water\n\nLake Victoria borders Kenya."
    (tmp_path / "docs" / "kenya.md").write_text(text)
    graph = index([tmp_path / "docs"], tmp_path / "n.graph").graph.path
    database = tmp_path / "n.graph.text" / "documents.sqlite"
    content = database.read_bytes()
    assert part.encode() in content
    assert run("info", str(graph), "--check").code == 0
    database.write_bytes(content.replace(part.encode(), part.encode()[:-1] + bytes([part.encode()[-1] ^ 1])))
    refused(run("info", str(graph), "--check"), "1 document not as stored: ", "kenya.md", "run graphbrick index again")


@pytest.mark.whole
def test_every_flipped_bit_of_a_database_of_documents_is_told(tmp_path: Path, run: Run) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "kenya.txt").write_text("Nairobi is the capital of Kenya. Lake Victoria borders Kenya.")
    graph = index([tmp_path / "docs"], tmp_path / "n.graph").graph
    database = tmp_path / "n.graph.text" / "documents.sqlite"
    content = database.read_bytes()
    draw = random.Random(4)
    for place in draw.sample(range(len(content)), 60):
        flipped = bytearray(content)
        flipped[place] ^= 1 << draw.randrange(8)
        database.write_bytes(flipped)
        with fails("graph.has_damage"):
            check_all(graph)
    database.write_bytes(content)
    assert check_all(graph) == []
    checksum = database.with_name("documents.sqlite.crc32")
    whole = checksum.read_bytes()
    for damaged in (whole[:-1], whole + b"\n", b" " + whole):
        checksum.write_bytes(damaged)
        with fails("graph.has_damage"):
            check_all(graph)
    checksum.write_bytes(b"")  # as a kill leaves it
    assert "no checksum" in " ".join(check_all(graph))


@pytest.mark.posix
@pytest.mark.parametrize("step", [("database", "seal"), ("sealing", "_line")], ids=["before it", "while it is written"])
def test_a_kill_near_the_checksum_of_documents_leaves_no_wrong_one_and_no_other_file(
    tmp_path: Path, step: tuple[str, str]
) -> None:
    (tmp_path / "kenya.txt").write_text("Nairobi is the capital of Kenya. Lake Victoria borders Kenya.")
    graph = index([tmp_path / "kenya.txt"], tmp_path / "n.graph").graph
    folder = tmp_path / "n.graph.text"
    names = {file.name for file in folder.iterdir()}
    run_until_killed(
        """
        from pathlib import Path
        from graphbrick.text.documents import database, sealing, store
        folder, module, name = arguments
        with store.TextStore(Path(folder)) as documents:
            documents.set("note", "one")
            setattr({"database": database, "sealing": sealing}[module], name, die)
        """,
        folder,
        *step,
    )
    assert "no checksum" in " ".join(check_all(graph))
    with TextStore(folder) as documents:
        assert documents.setting("note") == "one"
        documents.set("note", "two")
    assert check_all(graph) == []
    assert {file.name for file in folder.iterdir()} - {"documents.sqlite-wal", "documents.sqlite-shm"} == names


def test_a_database_whose_writer_was_killed_or_still_writes_is_no_damage(tmp_path: Path) -> None:
    (tmp_path / "kenya.txt").write_text("Nairobi is the capital of Kenya. Lake Victoria borders Kenya.")
    graph = index([tmp_path / "kenya.txt"], tmp_path / "n.graph").graph
    folder = tmp_path / "n.graph.text"
    writer = TextStore(folder)
    writer.set("note", "one")
    assert "no checksum" in " ".join(check_all(graph))  # its change is in the log
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)  # as a kill leaves it
    writer.__exit__(None, None, None)
    assert check_all(graph) == []
    shutil.rmtree(folder)
    copy.rename(folder)
    assert "no checksum" in " ".join(check_all(graph))
    with TextStore(folder) as reader:  # takes the change out of the log, into the database
        assert reader.setting("note") == "one"
    assert "no checksum" in " ".join(check_all(graph))
    with TextStore(folder) as store:
        store.set("note", "two")
    assert check_all(graph) == []
