"""The store of documents: what is added, changed and deleted, and what survives a kill."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from documents import write_documents
from faults import fails
from forks import run_until_killed
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick.core.errors import InputError
from graphbrick.text.documents.chunks import ByParagraph, Chunker
from graphbrick.text.documents.document import Document
from graphbrick.text.documents.store import TextStore
from graphbrick.text.indexing.reading import Reading, read_sources
from graphbrick.text.sources.tables import SourceOptions


def read(store: TextStore, *sources: Path, chunker: Chunker | None = None) -> Reading:
    return read_sources(store, sources, chunker or ByParagraph(n=5), SourceOptions())


def contents(store: TextStore) -> list[tuple[object, ...]]:
    return [tuple(passage) for passage in store.passages()]


def counts(reading: Reading) -> tuple[int, int, int, int]:
    return reading.added, reading.changed, reading.same, reading.deleted


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    texts = {"a.md": "# Kenya\nNairobi is its capital.", "b.txt": "Lakes. Many lakes are here, and fish too."}
    return write_documents(tmp_path / "docs", texts)


def test_passages_know_their_place(tmp_path: Path, docs: Path) -> None:
    with TextStore(tmp_path / "g.text") as store:
        assert counts(read(store, docs)) == (2, 0, 0, 0)
        for passage in store.passages():
            _, text = store.document(passage.address) or ("", "")
            assert text[passage.start : passage.end] == passage.text
        assert [passage.full_text for passage in store.passages()][:2] == [
            "Kenya\n# Kenya",
            "Kenya\nNairobi is its capital.",
        ]


def test_add_change_and_delete(tmp_path: Path, docs: Path) -> None:
    with TextStore(tmp_path / "g.text") as store:
        read(store, docs)
        assert counts(read(store, docs)) == (0, 0, 2, 0)
        (docs / "c.txt").write_text("Mount Kenya.")
        (docs / "a.md").write_text("# Kenya\nMombasa is a port.")
        (docs / "b.txt").unlink()
        assert counts(read(store, docs)) == (1, 1, 0, 1)
        assert [Path(address).name for address, *_ in store.documents()] == ["a.md", "c.txt"]
        assert "Nairobi" not in (store.document(str(docs / "a.md")) or ("", ""))[1]
        assert counts(read(store, docs, chunker=ByParagraph(n=3))) == (0, 2, 0, 0)


def test_nothing_is_read_again(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with TextStore(tmp_path / "g.text") as store:
        read(store, docs)
        monkeypatch.setattr("graphbrick.text.indexing.reading.documents_in", lambda *_: pytest.fail("a file was read"))
        assert counts(read(store, docs)) == (0, 0, 2, 0)


def test_two_documents_with_one_text_have_its_passages_once(tmp_path: Path, docs: Path) -> None:
    (docs / "0.md").write_text((docs / "a.md").read_text())
    with TextStore(tmp_path / "g.text") as store:
        read(store, docs)
        assert len(store.documents()) == 3
        assert [Path(passage.address).name for passage in store.passages()][:2] == ["0.md", "0.md"]
        assert len({passage.digest for passage in store.passages()}) == len(list(store.passages()))
        (docs / "0.md").unlink()
        read(store, docs)
        assert [Path(passage.address).name for passage in store.passages()][:2] == ["a.md", "a.md"]


def test_a_file_that_becomes_unreadable_keeps_its_documents(tmp_path: Path, docs: Path) -> None:
    with TextStore(tmp_path / "g.text") as store:
        read(store, docs)
        before = contents(store)
        (docs / "a.md").write_bytes(b"\0\1")
        reading = read(store, docs)
        assert reading.problems == store.problems() == [(str(docs / "a.md"), "it is binary, not text")]
        assert contents(store) == before
        assert read(store, docs).problems == reading.problems
        (docs / "a.md").write_text("Kenya.")
        assert counts(read(store, docs)) == (0, 1, 1, 0)
        assert store.problems() == []


def test_a_table_changes_row_by_row(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("id,text\n1,Kenya.\n2,Uganda.\n3,Chad.\n")
    with TextStore(tmp_path / "g.text") as store:
        read(store, table)
        table.write_text("id,text\n1,Kenya.\n2,Rwanda.\n4,Mali.\n")
        assert counts(read(store, table)) == (1, 1, 1, 1)


def test_sources_that_hold_nothing(tmp_path: Path, docs: Path) -> None:
    (tmp_path / "empty").mkdir()
    with TextStore(tmp_path / "g.text") as store:
        with fails("sources.no_documents", InputError):
            read(store, tmp_path / "empty")
        read(store, docs)
        for file in docs.iterdir():
            file.unlink()
        assert counts(read(store, docs)) == (0, 0, 0, 2)


@pytest.mark.whole
@settings(max_examples=15, deadline=None)
@given(
    versions=st.lists(
        st.dictionaries(
            st.sampled_from("abcd"), st.sampled_from(["Kenya.", "Chad. Mali.", "Lakes\n\nFish"]), min_size=1
        ),
        min_size=1,
        max_size=4,
    )
)
def test_any_changes_equal_reading_afresh(
    tmp_path_factory: pytest.TempPathFactory, versions: list[dict[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("docs")
    docs = folder / "docs"
    docs.mkdir()
    with TextStore(folder / "one.text") as store, TextStore(folder / "two.text") as fresh:
        for version in versions:
            for file in docs.iterdir():
                file.unlink()
            for name, text in version.items():
                (docs / f"{name}.txt").write_text(text)
            read(store, docs)
        read(fresh, docs)
        assert contents(store) == contents(fresh)
        assert store.state() == fresh.state()
        assert [row[:3] for row in store.documents()] == [row[:3] for row in fresh.documents()]


def test_results_are_kept_by_text(tmp_path: Path, docs: Path) -> None:
    with TextStore(tmp_path / "g.text") as store:
        read(store, docs)
        keys = store.missing("E1")
        texts = list(store.texts(keys))
        assert texts[0] == "Kenya\n# Kenya"
        assert sorted(texts) == sorted(passage.full_text for passage in store.passages())
        store.keep("E1", [(key, {"n": text}) for key, text in zip(keys, texts, strict=True)])
        assert (store.missing("E1"), store.missing("E2")) == ([], keys)
        (docs / "a.md").rename(docs / "z.md")
        read(store, docs)
        assert store.missing("E1") == []
        assert store.result(keys[0], "E1") == {"n": "Kenya\n# Kenya"}
        (docs / "z.md").unlink()
        read(store, docs)
        store.drop_unused()
        with fails("text_store.no_result"):
            store.result(keys[0], "E1")


def test_a_deleted_document_leaves_no_words_behind(tmp_path: Path, docs: Path) -> None:
    with TextStore(tmp_path / "g.text") as store:
        (docs / "secret.txt").write_text("Xylophonist.")
        read(store, docs)
        (docs / "secret.txt").unlink()
        read(store, docs)
    left = b"".join(file.read_bytes() for file in (tmp_path / "g.text").iterdir())
    assert b"Xylophonist" not in left
    assert b"Nairobi" in left


def test_damage_and_other_versions_are_errors(tmp_path: Path) -> None:
    folder = tmp_path / "g.text"
    with TextStore(folder):
        pass
    with sqlite3.connect(folder / "documents.sqlite") as database:
        database.execute("PRAGMA user_version = 9")
    database.close()
    with fails("text_store.other_format", version=9):
        TextStore(folder)
    (folder / "documents.sqlite").write_bytes(b"nonsense" * 1000)
    with fails("text_store.failed"):
        TextStore(folder)


KILLED = """
from pathlib import Path
from graphbrick import ByParagraph
from graphbrick.text.indexing.reading import read_sources
from graphbrick.text.sources import SourceOptions
from graphbrick.text.documents.store import TextStore
folder, table = map(Path, arguments)
def progress(step, done, total):
    if done == 7:
        die()
read_sources(TextStore(folder), [table], ByParagraph(n=5), SourceOptions(), progress=progress)
"""


@pytest.mark.posix
def test_a_kill_loses_nothing(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("id,text\n" + "".join(f"{i},Lake {i}.\n" for i in range(20)))
    run_until_killed(KILLED, tmp_path / "g.text", table)
    with TextStore(tmp_path / "g.text") as store:
        assert len(store.documents()) == 7
        assert counts(read(store, table)) == (13, 0, 7, 0)


def test_the_text_of_a_large_document_is_loaded_once_for_many_passages(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" ".join(f"Élan {i} is here." for i in range(20)), encoding="utf-8")
    (tmp_path / "b.txt").write_text(" ".join(f"Kenya has {i} lakes." for i in range(20)))
    with TextStore(tmp_path / "g.text") as store:
        read(store, tmp_path / "a.txt", tmp_path / "b.txt")
        keys, statements = store.missing("x"), list[str]()
        store._db.set_trace_callback(statements.append)
        assert list(store.texts(keys)) == list(dict.fromkeys(passage.full_text for passage in store.passages()))
        assert len(keys) == 40
        assert sum("FROM contents WHERE id" in statement for statement in statements) == 2


def test_texts_go_with_their_last_document(tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name}.txt" for name in "abc"}
    for file in files.values():
        file.write_text("Lakes of Kenya.")
    with TextStore(tmp_path / "g.text") as store:

        def texts() -> list[str]:
            return sorted(text for (text,) in store._db.execute("SELECT text FROM contents"))

        for file in files.values():
            document = Document(str(file), "", file.read_text())
            store.put(document, str(file), "x", ByParagraph().spans(document))
        store.put(Document(str(files["a"]), "", "Tea."), str(files["a"]), "x", [])
        assert texts() == ["Lakes of Kenya.", "Tea."]
        store.forget_file(str(files["b"]))
        assert texts() == ["Lakes of Kenya.", "Tea."]
        store.put(Document(str(files["a"]), "", "Coffee."), str(files["a"]), "x", [])
        store.forget_file(str(files["c"]))
        assert texts() == ["Coffee."]
        assert list(store.passages()) == []


def test_a_file_that_was_named_by_itself_leaves_with_its_folder(tmp_path: Path, docs: Path) -> None:
    with TextStore(tmp_path / "g.text") as store:
        read(store, docs / "a.md")
        (docs / ".hidden.txt").write_text("It was named by itself.")
        read(store, docs / ".hidden.txt")
        assert counts(read(store, docs)) == (1, 0, 1, 0)
        (docs / "a.md").unlink()
        assert counts(read(store, docs)) == (0, 0, 1, 1)
        (docs / "b.txt").unlink()
        (docs / ".hidden.txt").unlink()
        assert counts(read(store, docs)) == (0, 0, 0, 2)
        assert store.is_empty()
        with fails("sources.no_documents", InputError):
            read(store, docs)
