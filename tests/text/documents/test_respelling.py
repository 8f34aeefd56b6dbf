"""Typing errors in questions to documents: what is read otherwise, what is left as it is, and what is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from faults import told

from graphbrick import index, parse
from graphbrick.core.trace import Trace, record
from graphbrick.graphs.corpus import TextGraph
from graphbrick.language.forms import is_installed
from graphbrick.text.documents.respelling import respelled

TEXT = """# Health office
Vaccination against yellow fever costs 48 euros. You receive a certificate. The swimming pool and the timetables are
shown on the walls. The head is Miriam Castellan. Ask Warner Heist. He uses Kubernetes in India and likes Austrian food.
The vaccination of pets is done elsewhere.
"""
GERMAN = (
    "# Busse\nDie Monatskarte kostet 62 Euro. Die Gebühren und der Führerschein sind für alle. Hunde zahlen nichts."
)

needs_dictionary = pytest.mark.skipif(not is_installed(), reason="lemminflect is not installed")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    folder = tmp_path_factory.mktemp("office")
    (folder / "a.md").write_text(TEXT, encoding="utf-8")
    return index([folder / "a.md"], folder / "a.graph").graph


@pytest.fixture(scope="module")
def buses(tmp_path_factory: pytest.TempPathFactory) -> TextGraph:
    folder = tmp_path_factory.mktemp("buses")
    (folder / "b.md").write_text(GERMAN, encoding="utf-8")
    return index([folder / "b.md"], folder / "b.graph").graph


@needs_dictionary
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("what does the vacination cost?", "what does the vaccination cost?"),
        ("Where do I recieve it?", "Where do I receive it?"),
        ("Is there a swiming pool?", "Is there a swimming pool?"),
        ("Vaccniation against yellow fevver?", "Vaccination against yellow fever?"),
        ("Who is Miriam Castelan?", "Who is Miriam Castellan?"),
        ("Does he use kubernets?", "Does he use kubernetes?"),
        ("the cretificate and the vacination", "the certificate and the vaccination"),
    ],
)
def test_typing_errors_are_read_as_words_of_the_documents(office: TextGraph, question: str, expected: str) -> None:
    assert respelled(office, question) == expected


@needs_dictionary
@pytest.mark.parametrize(
    "question",
    [
        "What is the price of vaccinations?",  # a form of a word
        "Is there a timetable on the wall?",
        "What does indie mean?",  # short
        "Who is Warren?",  # a name of fewer than seven letters
        "Does he like Australian food?",  # two letters away, and a name
        "Is the certification shown?",  # an English word
        "Who is Miriam Castlemaine?",  # far
        "What about 12345678 and a1b2c3d4?",
        "Wo bekomme ich meinen Impfpass und die Bescheinigung?",  # another language
        "vaccination",
        "",
        "?",
        "vaccinationvaccinationvaccinationvaccination",
    ],
)
def test_other_words_are_left_as_they_are(office: TextGraph, question: str) -> None:
    with record(Trace(), "test", "retrieve") as entry:
        assert respelled(office, question) == question
    assert entry.events == []


def test_german_words_need_eight_letters_and_keep_their_capitals(buses: TextGraph) -> None:
    assert respelled(buses, "Was kostet die Monatskatre?") == "Was kostet die Monatskarte?"
    assert respelled(buses, "Wie bekomme ich den Fürerschein?") == "Wie bekomme ich den Führerschein?"
    assert respelled(buses, "Was kosten die Hunden?") == "Was kosten die Hunden?"
    assert respelled(buses, "Was kostet ein Hudn?") == "Was kostet ein Hudn?"


@needs_dictionary
@pytest.mark.parametrize(
    "pipeline",
    ["Passages(n=2) >> Quote(BM25(), n=1, around=0)", "Overview(Passages()) >> Quote(BM25(), n=1, around=0)"],
)
def test_it_is_told_once_and_in_order(office: TextGraph, pipeline: str) -> None:
    run = parse(pipeline).run(office, "what does vacination against yellow fevver cost?")
    assert run.answer is not None
    assert run.answer.texts == ("Vaccination against yellow fever costs 48 euros.",)
    events = [one for stage in run.trace.stages for one in told(stage.events) if one[0] == "documents.respelled"]
    assert events == [
        ("documents.respelled", {"word": "vacination", "taken": "vaccination"}),
        ("documents.respelled", {"word": "fevver", "taken": "fever"}),
    ]


@needs_dictionary
def test_a_question_with_an_error_is_as_sure_as_one_without(office: TextGraph) -> None:
    pipeline = parse("Passages() >> Quote(BM25(), n=1)")
    right, wrong = (pipeline(office, f"What does {word} cost?").confidence for word in ("vaccination", "vacination"))
    assert right == wrong


@needs_dictionary
def test_a_long_question_is_read(office: TextGraph) -> None:
    assert respelled(office, "what does the vacination cost? " * 160).startswith("what does the vaccination cost?")


@needs_dictionary
def test_documents_that_are_gone_are_no_words(office: TextGraph, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Receive a certificate for vaccination.", encoding="utf-8")
    graph = index([tmp_path / "a.md"], tmp_path / "a.graph").graph
    assert respelled(graph, "where is the swiming pool and the certificate?").startswith("where is the swiming pool")
