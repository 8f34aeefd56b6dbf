"""Files that indexing leaves out, and those that cannot be read."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from commands import Run, refused
from documents import FILES, write_documents
from faults import fails

from graphbrick import index
from graphbrick.core.errors import InputError
from graphbrick.core.files.digests import digest
from graphbrick.text.indexing import reading


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_documents(tmp_path / "docs", FILES)


def test_a_graph_among_its_documents_is_no_document(docs: Path) -> None:
    index([docs], docs / "notes.graph")
    (docs / "notes.graph.reports").mkdir()
    (docs / "notes.graph.reports" / "facts.json").write_text('{"text": "A report."}')
    again = index([docs], docs / "notes.graph")
    assert (again.documents, again.is_new, again.reading.others) == (len(FILES), False, [])


def test_a_file_that_vanishes_while_it_is_read_is_named_or_skipped(docs: Path, tmp_path: Path) -> None:
    graph = tmp_path / "notes.graph"
    index([docs], graph)

    def vanishing(file: Path) -> str:
        if file.name == "tea.txt":
            raise InputError("it cannot be read: Permission denied", file)
        return digest(file)

    with patch.object(reading, "digest", vanishing):
        with fails("index.unread_files", InputError, n=1):
            index([docs], graph)
        done = index([docs], graph, skip_bad=True)
    assert (done.documents, done.reading.deleted, len(done.reading.problems)) == (3, 0, 1)
    assert index([docs], graph).reading.problems == []


def test_a_table_with_a_bad_row_says_what_is_kept(tmp_path: Path) -> None:
    (tmp_path / "notes.jsonl").write_text('{"id": 1, "text": "Nairobi is in Kenya."}\nno\n{"id": 3, "text": "x"}\n')
    (tmp_path / "tea.txt").write_text("Anna Alm met Bob Berg in Nairobi.")
    done = index([tmp_path / "notes.jsonl", tmp_path / "tea.txt"], tmp_path / "n.graph", skip_bad=True)
    ((name, problem),) = done.reading.problems
    assert (name.endswith("notes.jsonl"), done.documents) == (True, 2)
    assert problem.startswith("row 2: ")
    assert problem.endswith("; the documents before it (1) are kept, what follows is not read")


def test_nothing_but_bad_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\x00\x01")
    with fails("index.no_documents", InputError):
        index([tmp_path / "a.txt"], tmp_path / "notes.graph", skip_bad=True)


def test_empty_files_of_a_folder_are_left_out_and_named(docs: Path, tmp_path: Path) -> None:
    graph = tmp_path / "notes.graph"
    (docs / "none.txt").write_bytes(b"")
    (docs / "blank.md").write_text(" \n\n")
    for _ in range(2):  # also where nothing has changed
        done = index([docs], graph)
        assert (done.documents, done.reading.problems) == (len(FILES), [])
        assert f"2 files without text left out: {docs}/blank.md, {docs}/none.txt" in done.notes
    (docs / "none.txt").write_text("Rosa Lund lives in Galway.")
    assert index([docs], graph).documents == len(FILES) + 1
    (docs / "none.txt").write_bytes(b"")
    assert (index([docs], graph).reading.deleted, index([docs], graph).documents) == (1, len(FILES))


def test_an_empty_file_alone_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "none.txt").write_bytes(b"")
    with fails("index.unread_files", InputError) as caught:
        index([tmp_path / "none.txt"], tmp_path / "notes.graph")
    assert "the file is empty; --skip-bad (skip_bad=True) leaves such files out" in str(caught.value)
    assert not (tmp_path / "notes.graph.text").exists()
    (tmp_path / "docs").mkdir()
    (tmp_path / "none.txt").rename(tmp_path / "docs" / "none.txt")
    with fails("index.no_documents", InputError) as caught:
        index([tmp_path / "docs"], tmp_path / "notes.graph")
    assert "there is no document, as no file has text (" in str(caught.value)
    assert not (tmp_path / "notes.graph.text").exists()


def test_an_error_says_what_is_kept(docs: Path, tmp_path: Path) -> None:
    (docs / "bad.txt").write_bytes(b"\x00\x01")
    with fails("index.unread_files", InputError) as caught:
        index([docs], tmp_path / "notes.graph")
    assert str(caught.value).endswith(
        f"the graph was not built, what was read is kept in {tmp_path / 'notes.graph.text'}"
    )
    assert not (tmp_path / "notes.graph").exists()


def test_a_document_is_printed_by_the_end_of_its_path(tmp_path: Path, run: Run) -> None:
    for name in ("a/one.txt", "a/two.txt", "b/two.txt"):
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(f"Rosa\u00a0Lund lives in\u202fGalway {name}.")
    graph = str(tmp_path / "n.graph")
    run("index", str(tmp_path / "docs"), graph)
    assert run("documents", graph, "one.txt").out == "Rosa\u00a0Lund lives in\u202fGalway a/one.txt.\n"
    assert run("documents", graph, "b/two.txt").out.endswith("b/two.txt.\n")
    refused(run("documents", graph, "two.txt"), "'two.txt' means several documents of")
    refused(run("documents", graph, "ne.txt"), "has no document 'ne.txt'")
