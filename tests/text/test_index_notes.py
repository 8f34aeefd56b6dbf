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


def test_documents_in_another_language_than_that_of_the_encoder_are_told_once(tmp_path: Path, run: Run) -> None:
    texts = {
        "ru": "Паром идёт из Бергена в Восс. На нём есть место для машин, и он ходит каждый день.",
        "nl": "De veerboot vaart van Bergen naar Voss. Er is plaats voor auto's en hij vaart elke dag.",
        "en": "The ferry runs from Bergen to Voss. There is room for cars on it, and it runs every day.",
    }
    for language, text in texts.items():
        (tmp_path / f"{language}.txt").write_text(text, encoding="utf-8")
    said = [run("index", str(tmp_path / f"{one}.txt"), str(tmp_path / f"{one}.graph")).err for one in texts]
    assert ["in a script that" in one for one in said] == [True, False, False]
    assert ["not in English" in one for one in said] == [False, True, False]
    assert "in a script that" not in run("index", str(tmp_path / "ru.txt"), str(tmp_path / "ru.graph")).err
