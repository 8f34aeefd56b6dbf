"""Files that indexing leaves out, and those that cannot be read."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
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
