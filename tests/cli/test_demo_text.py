"""The text demo as a newcomer sees it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from commands import Run, refused
from faults import fails

from graphbrick.cli import demo_text
from graphbrick.cli.demo_text import NEXT, QUESTIONS, WORDS_FAIL
from graphbrick.demo import reference
from graphbrick.demo.reference import markdown, reference_documents, without_parts

TOPICS = ("function", "try", "customization")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder, and a reference of a few topics, as embedding all of them takes a while."""
    topics = reference._topics()
    monkeypatch.setattr(reference, "_topics", lambda: {name: topics[name] for name in TOPICS})
    monkeypatch.setenv("GRAPHBRICK_CACHE", str(tmp_path))
    monkeypatch.setattr(demo_text, "fetched", lambda name: None)
    return tmp_path


@pytest.mark.whole
def test_the_demo_answers_with_citations_and_ends_with_the_next_commands(run: Run, cache: Path) -> None:
    out = run("demo", "--text").out
    for question in (*QUESTIONS, WORDS_FAIL):
        assert question in out
    answers = out.split(QUESTIONS[0])[1]
    assert "evaluated from left to right when the function definition is executed" in answers.split(QUESTIONS[1])[0]
    assert "function.md, Function definitions (characters " in answers
    assert 'a "return" statement executed in the "finally" clause will always be the last one executed' in answers
    by_words, by_meaning = out.split("by words and by meaning:")
    assert "__hash__" in by_meaning.split(WORDS_FAIL)[1].split(" ms")[0]
    assert "near 'finally' in the graph: " in by_words
    graph = next(cache.glob("python-*.graph"))
    *_, ask, index = out.rstrip().splitlines()
    assert ask == f'  graphbrick ask {graph} "{NEXT}"'
    assert index.endswith(" notes.graph")


def test_the_whole_reference_is_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHBRICK_CACHE", str(tmp_path))
    folder = reference_documents()
    files = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert 40 < len(files) < 90
    assert (folder / "assert.md").read_text().startswith('# The "assert" statement\n\nAssert statements')
    assert '\n## The "if" statement\n' in (folder / "compound.md").read_text()
    assert not (folder / "if.md").exists()
    assert reference_documents() == folder
    assert files == {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    shutil.rmtree(folder)
    folder.touch()
    with fails("demo.not_writable"):
        reference_documents()


def test_parts_of_topics_and_headings() -> None:
    long = "Some words about it, " * 30
    assert list(without_parts({"part": f"Part\n****\n\n{long}", "whole": f"Whole\n*****\n\n{long}And more."})) == [
        "whole"
    ]
    assert (
        markdown("It is pre-\ncomputed, or\nnot.\n\n* one\n\n  two")
        == "It is pre-computed, or not.\n\n* one\n\n  two\n"
    )
    assert markdown("A\n*\n\nTitle\n=====\n\n   code\n   ----\n") == "A\n*\n\n## Title\n\n   code\n   ----\n"


def test_a_python_without_its_topics(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pydoc_data.topics", None)
    refused(run("demo", "--text"), "this Python comes without the topics of help()")
