"""Questions about documents as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphbrick import index
from graphbrick.bricks.retrieve.whole.questions import COUNT, DOCUMENT, LIST, OVERVIEW, TOPICS, whole_questions
from graphbrick.core.answer import Answer
from graphbrick.graphs.corpus import TextGraph
from graphbrick.pipeline.parsing import parse
from graphbrick.text.reporting.reports import Cited, CommunityReport

PIPELINE = "Overview(Passages()) >> Quote(BM25(), n=3, min_confidence=0.5)"


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    """Three documents of a ferry company."""
    folder = tmp_path_factory.mktemp("ferries")
    docs = folder / "docs"
    docs.mkdir()
    (docs / "ships.md").write_text(
        "# Ships\n\nThe ship Nordlys carries 300 passengers from Bergen to Voss. The ship Fram carries freight only.\n"
    )
    (docs / "prices.md").write_text("# Prices\n\nA ticket from Bergen to Voss costs 12 kroner. Children travel free.\n")
    (docs / "crew.md").write_text("# Crew\n\nCaptain Ida Falk has been on the ship Nordlys since the year 2001.\n")
    return index([docs], folder / "ferry.graph").graph


def ask(graph: TextGraph, question: str) -> Answer:
    return parse(PIPELINE)(graph, question)


@pytest.mark.parametrize(
    ("question", "kind", "name"),
    [
        ("What are the main topics?", TOPICS, ""),
        ("Which topics do the documents cover?", TOPICS, ""),
        ("Was sind die wichtigsten Themen dieser Dokumente?", TOPICS, ""),
        ("Quels sont les thèmes principaux de ces documents ?", TOPICS, ""),
        ("What is this about?", OVERVIEW, ""),
        ("What are the documents in this collection mostly about?", OVERVIEW, ""),
        ("Can you tell me what these files are about?", OVERVIEW, ""),
        ("Summarise the documents in three sentences", OVERVIEW, ""),
        ("Kannst du mir das Dokument zusammenfassen?", OVERVIEW, ""),
        ("Which themes come up most often?", TOPICS, ""),
        ("What's in these files?", OVERVIEW, ""),
        ("Please give me a short overview", OVERVIEW, ""),
        ("Worum geht es hier?", OVERVIEW, ""),
        ("De quoi parlent ces documents ?", OVERVIEW, ""),
        ("Summarise “notes.md”, please", DOCUMENT, "notes.md"),
        ("What is in the file notes.md?", DOCUMENT, "the file notes.md"),
        ("Fasse bericht.pdf zusammen", DOCUMENT, "bericht.pdf"),
        ("De quoi parle rapport.pdf ?", DOCUMENT, "rapport.pdf"),
        ("Which documents are there?", LIST, ""),
        ("Welche Dateien gibt es?", LIST, ""),
        ("Quels documents y a-t-il ?", LIST, ""),
        ("How many pages are there?", COUNT, ""),
        ("Wie viele Seiten hat bericht.pdf?", COUNT, "bericht.pdf"),
        ("Combien de documents y a-t-il ?", COUNT, ""),
        ("这些文档的主要主题是什么？", TOPICS, ""),
        ("这些文档是关于什么的？", OVERVIEW, ""),
        ("总结 notes.md", DOCUMENT, "notes.md"),
        ("有哪些文档？", LIST, ""),
        ("一共有多少文档？", COUNT, ""),
    ],
)
def test_wordings_in_several_languages(question: str, kind: str, name: str) -> None:
    assert whole_questions(question)[0][:2] == (kind, name)


@pytest.mark.parametrize(
    "question",
    [
        "What are the main symptoms of glaucoma?",
        "How many pages did Tolstoy write?",
        "Which documents do I need for a visa?",
        "How many people are there in Kenya?",
        "What is an overview effect?",
        "List the side effects of aspirin",
        "Welche Dokumente brauche ich für ein Visum?",
        "哪家公司控制 Debian？",
        "有多少网页服务器运行 Debian？",
    ],
)
def test_other_questions_are_not_about_the_whole(question: str) -> None:
    assert whole_questions(question) == []


def test_topics_and_overview_cite_the_passages_of_their_sentences(graph: TextGraph) -> None:
    topics = ask(graph, "What are the main topics?")
    assert topics.texts
    for support in topics.support:
        items = [topics.evidence.items[i] for i in support]
        assert items
        assert all(item.kind == "passage" and item.citations[0].document for item in items)
    overview = ask(graph, "Give me an overview")
    assert overview.texts[0].startswith("3 documents, 3 passages")
    assert overview.texts[1:] == topics.texts


def test_a_document_is_summarised_in_its_own_words(graph: TextGraph) -> None:
    answer = ask(graph, "Summarise ships.md")
    assert answer.texts[0] == "Ships (1 passage)"
    assert answer.texts[1] == "The ship Nordlys carries 300 passengers from Bergen to Voss."
    assert {Path(item.citations[0].document).name for item in answer.evidence.items if item.kind == "passage"} == {
        "ships.md"
    }
    assert answer.confidence is None


def test_documents_are_listed_and_counted(graph: TextGraph) -> None:
    listed = ask(graph, "Which documents are there?")
    assert listed.texts == ("crew.md (1 passage)", "prices.md (1 passage)", "ships.md (1 passage)")
    assert ask(graph, "How many documents are there?").texts == ("3 documents",)
    assert ask(graph, "How many passages does ships.md have?").texts == ("1 passage",)


def test_documents_of_several_folders_are_listed_without_the_folders_of_the_machine(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ships.md").write_text(f"Alma Berg steers ship {name} to Voss.")
    made = index([tmp_path / "a", tmp_path / "b"], tmp_path / "ships.graph").graph
    assert ask(made, "Which documents are there?").texts == ("a/ships.md (1 passage)", "b/ships.md (1 passage)")


def test_documents_beyond_the_most_are_counted(graph: TextGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.bricks.retrieve.whole.overview._LISTED", 2)
    answer = ask(graph, "Which documents are there?")
    assert answer.texts == ("crew.md (1 passage)", "prices.md (1 passage)")
    assert "overview.cap" in answer.trace.event_codes


def test_a_file_that_is_not_there_is_told_with_what_is_near(graph: TextGraph) -> None:
    answer = ask(graph, "Summarise ship.md")
    assert answer.texts == ()
    refusal = next(one for one in answer.trace.events if getattr(one, "code", "") == "overview.no_document")
    assert [Path(one).name for one in refusal.values["near"]] == ["ships.md"]


def test_any_other_question_goes_to_the_stage(graph: TextGraph) -> None:
    plain = parse("Passages() >> Quote(BM25(), n=3, min_confidence=0.5)")
    questions = ["How many passengers does Nordlys carry?", "Tell me about Ida Falk", "What is a kroner about?"]
    questions += ["Which file contains the ticket?", "Which file names are free?", "Which documents mention unicorns?"]
    for question in questions:
        assert ask(graph, question).texts == plain(graph, question).texts


def test_reports_of_a_model_are_the_topics(graph: TextGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    report = CommunityReport(0, "Ferries", "Ships cross the fjord.", 7.0, cited=Cited(passages=(0,)))

    class Kept:
        writer = "LLM('model')"
        of = {0: report}

        def at_level(self, level: int) -> list[int]:
            return [0]

    monkeypatch.setattr("graphbrick.bricks.retrieve.whole.overview.reports_of", lambda graph: Kept())
    answer = ask(graph, "What are the main topics?")
    assert answer.texts == ("Ferries: Ships cross the fjord.",)


def test_one_document_alone_is_what_everything_is_about(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The ferry from Bergen to Voss leaves every day at noon. It costs 12 kroner.\n")
    graph = index([tmp_path / "a.txt"], tmp_path / "a.graph").graph
    answer = ask(graph, "What is this about?")
    assert answer.texts[1] == "The ferry from Bergen to Voss leaves every day at noon."


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which documents mention the ship Nordlys?", ("crew.md (1 passage)", "ships.md (1 passage)")),
        ("List all files that mention ships", ("crew.md (1 passage)", "ships.md (1 passage)")),
        ("Which pages talk about the ticket?", ("prices.md (1 passage)",)),
        ("In which document is Ida Falk mentioned?", ("crew.md (1 passage)",)),
        ("Welche Dokumente erwähnen Bergen?", ("prices.md (1 passage)", "ships.md (1 passage)")),
        ("¿Qué documentos hablan de Nordlys?", ("crew.md (1 passage)", "ships.md (1 passage)")),
        ("How many documents mention Bergen?", ("2 documents (2 passages)",)),
        ("How many passages mention Bergen?", ("2 passages",)),
    ],
)
def test_documents_that_mention_something(graph: TextGraph, question: str, expected: tuple[str, ...]) -> None:
    answer = ask(graph, question)
    assert tuple(sorted(answer.texts)) == expected
    assert answer.evidence is not None
    assert answer.evidence.items


def test_words_in_a_row_count_before_words_of_one_passage(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("The remote crane is out of work.\n")
    (tmp_path / "b.md").write_text("Ask for remote work in summer.\n")
    made = index([tmp_path], tmp_path / "a.graph").graph
    assert ask(made, "Which documents mention remote work?").texts == ("b.md (1 passage)",)
    assert len(ask(made, "Which documents mention work remote?").texts) == 2
    (tmp_path / "c.md").write_text("Printing is dear. Two printers are new.\n")
    (tmp_path / "d.md").write_text("Printing is dear, and so is the print.\n")
    made = index([tmp_path], tmp_path / "c.graph").graph
    assert ask(made, "Which documents mention the printer?").texts == ("c.md (1 passage)",)
    rows = tmp_path / "ships.csv"
    rows.write_text("ship,port\nNordlys,Bergen\nFram,Bergen\n")
    made = index([rows], tmp_path / "b.graph").graph
    assert ask(made, "Which documents mention Bergen?").texts == ("ships.csv (2 passages)",)


def test_pages_that_mention_something_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "## page 1\n\nThe ship is old.\n\n## page 2\n\nThe port is new.\n\n## page 3\n\nA ship.\n"
    )
    made = index([tmp_path], tmp_path / "a.graph").graph
    assert ask(made, "How many pages mention a ship?").texts == ("2 pages in 1 document",)
