"""What indexing says of documents that it does not read as a user may expect."""

from __future__ import annotations

from pathlib import Path

from commands import Run
from documents import FILES, write_documents
from faults import fails

from graphbrick import index


def test_a_title_does_not_hide_that_nothing_was_found(tmp_path: Path) -> None:
    for name in ("alpha", "beta", "gamma"):
        (tmp_path / f"{name}.txt").write_text("it is so, and so it was.")
    (tmp_path / "k.txt").write_text("We went to Kenya and to Nairobi in Kenya.")
    done = index([tmp_path], tmp_path / "a.graph")
    assert [Path(document).stem for document in done.empty] == ["alpha", "beta", "gamma"]


def test_another_chunker_without_sources_is_no_silence(tmp_path: Path, run: Run) -> None:
    docs = write_documents(tmp_path / "docs", FILES)
    place, chunks = str(tmp_path / "notes.graph"), ("--chunks", "ByTokens(n=9, overlap=0)")
    index([docs], place)
    (tmp_path / "chad.txt").write_text("Lake Chad is in Chad.")
    said = run("index", str(tmp_path / "chad.txt"), place, *chunks).err
    assert "note: 3 documents of other sources stay as they were cut; name these too, to cut them by ByTok" in said
    assert "stay as they were cut" not in run("index", str(docs), place, *chunks).err


def test_documents_in_the_folder_of_the_store_are_never_removed(tmp_path: Path) -> None:
    docs = write_documents(tmp_path / "notes.text", {"a.txt": "It is so."})
    for sources in ([docs], [tmp_path / "none"]):
        with fails("index.foreign_files"):
            index(sources, tmp_path / "notes")
    assert [file.name for file in docs.iterdir()] == ["a.txt"]
