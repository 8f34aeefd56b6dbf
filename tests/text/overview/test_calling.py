"""Documents and sections that a question names: by title, file name, initials and version."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphbrick import index, parse
from graphbrick import open as open_graph
from graphbrick.core.trace import NOTE
from graphbrick.graphs.corpus import TextGraph
from graphbrick.learn.default import TEXT_PIPELINE
from graphbrick.text.overview.calling import named_documents
from graphbrick.text.overview.changes import version_asked
from graphbrick.text.overview.versions import versions_in

LICENCES = {
    "GPL-2.txt": "GNU GENERAL PUBLIC LICENSE\nVersion 2, June 1991\n\nA breach ends the licence at once.\n",
    "GPL-3.txt": "GNU GENERAL PUBLIC LICENSE\nVersion 3, June 2007\n\nA breach may be mended within 30 days.\n",
    "LGPL-3.txt": "GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3, June 2007\n\nA breach of a library is forgiven.\n",
    "mozilla.txt": "Mozilla Public License\nVersion 1.1\n\nThe law of California governs it. A breach ends it.\n",
    "Artistic.md": "# The Artistic Licence\n\nThe law of nature governs it. A breach is bad style.\n",
    "notes.md": "# Notes of the meeting\n\nNobody spoke of the law or of a breach.\n",
}
CHANGES = """# Changelog

## v9.0.1 (2023-11-02)

### Fix

- Keep the ferry afloat.

## v9.0.0 (2023-10-22)

### Breaking

- The harbour has no crane.

## [8.10] - 2022-05

### Feature

- Ships may be green. Python 3.8 is needed.

## v8.1.0 (2022-01-07)

- Ships may be red. Python 3.7 and Python 3.8 are needed, and Python 2.7 is not.
"""


@pytest.fixture(scope="module")
def licences(tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    folder = tmp_path_factory.mktemp("licences")
    for name, text in LICENCES.items():
        (folder / name).write_text(text)
    return index([folder], folder / "a.graph").graph


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    folder = tmp_path_factory.mktemp("changes")
    (folder / "CHANGELOG.md").write_text(CHANGES)
    (folder / "manual.md").write_text("# Manual\n\nThe latest version is the best version. It runs on Python 3.8.\n")
    return index([folder], folder / "a.graph").graph


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What does the GPL version 2 say of a breach?", ["GPL-2.txt"]),
        ("What does the third version of the GPL say of a breach?", ["GPL-3.txt"]),
        ("How long have I to mend a breach of GPLv3?", ["GPL-3.txt"]),
        ("Does the GPL speak of a breach?", ["GPL-2.txt", "GPL-3.txt"]),
        ("What says the GNU Lesser General Public License of a breach?", ["LGPL-3.txt"]),
        ("Which law governs the MPL?", ["mozilla.txt"]),
        ("Which law governs Mozilla licence 1.1?", ["mozilla.txt"]),
        ("Which law governs the Artistic licence?", ["Artistic.md"]),
        ("What does the AGPL say of a breach?", []),
        ("Is the law of California good?", []),
        ("Wer sagt, dass der Ort der Notes nicht das ist?", []),
    ],
)
def test_which_documents_a_question_names(licences: TextGraph, question: str, named: list[str]) -> None:
    assert sorted(Path(one).name for one in named_documents(licences, question)) == named


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does the GPL version 2 say of a breach?", "at once"),
        ("What does the third version of the GPL say of a breach?", "30 days"),
        ("Which law governs the MPL 1.1?", "California"),
        ("Which law governs the Artistic licence?", "nature"),
    ],
)
def test_named_documents_win_and_their_names_count_as_said(licences: TextGraph, question: str, answer: str) -> None:
    run = parse(TEXT_PIPELINE).run(licences, question)
    assert run.answer is not None
    assert run.answer.texts
    assert answer in run.answer.texts[0]
    assert run.trace.events == []


@pytest.mark.parametrize(
    ("question", "number", "is_all"),
    [
        ("When was version 9.0.0 released?", "9", True),
        ("What is new in 8.10?", "8.10", True),
        ("What changed in 8.1 about ships?", "8.1", False),
        ("What is the latest version?", "9.0.1", True),
        ("What is the latest release of the manual that ships have?", "", False),
        ("When was version 7.0 released?", "", False),
        ("Which release needs Python 3.8?", "", False),
    ],
)
def test_the_version_that_a_question_asks_about(changes: TextGraph, question: str, number: str, is_all: bool) -> None:
    assert version_asked(changes, question) == (number, is_all)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was version 9.0.0 released?", "v9.0.0 (2023-10-22): The harbour has no crane."),
        ("What is the latest version?", "v9.0.1 (2023-11-02): Keep the ferry afloat."),
        ("What's new in 8.10?", "[8.10] - 2022-05: Ships may be green. Python 3.8 is needed."),
        ("What changed in 9.0.1?", "v9.0.1 (2023-11-02): Keep the ferry afloat."),
    ],
)
def test_what_is_quoted_of_a_version(changes: TextGraph, question: str, answer: str) -> None:
    run = parse(TEXT_PIPELINE).run(changes, question)
    assert run.answer is not None
    assert run.answer.texts[0] == answer
    assert (run.answer.confidence or 0) > 0.6
    assert [event for event in run.trace.events if event.told_as == NOTE] == []


def test_a_version_that_is_not_there_is_refused(changes: TextGraph) -> None:
    for question in ("When was version 9.1.0 released?", "What is new in 9.0.10?", "Does it run on Python 3.80?"):
        assert parse(TEXT_PIPELINE).run(changes, question).answer is not None
        assert parse(TEXT_PIPELINE).run(changes, question).answer.texts == ()


def test_a_heading_alone_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# 5.4.0\n\n## API Changes\n\n### Pictures\n\nA picture may be square since June.\n")
    graph = index([tmp_path / "a.md"], tmp_path / "a.graph").graph
    answer = parse(TEXT_PIPELINE).run(graph, "Which API changes has 5.4.0?").answer
    assert answer is not None
    assert answer.texts
    assert "square" in answer.texts[0]


def test_parts_of_dates_and_amounts_are_no_versions() -> None:
    text = "1,000 ships on 2023-10-22 (v2.0), 50% on 3 May 2024"
    assert [one.written for one in versions_in(text)] == ["2.0"]


def test_a_graph_without_versions_asks_for_none(licences: TextGraph) -> None:
    opened = open_graph(licences.path)
    assert isinstance(opened, TextGraph)
    assert version_asked(opened, "What is the latest version?") == ("", False)
