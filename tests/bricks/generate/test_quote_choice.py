"""Quote: which sentences come first, and what is quoted once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from overlap import Overlap

from graphbrick import BM25, Answer, Citation, Evidence, Passage, Query, Quote, index, parse
from graphbrick.bricks.generate.sentence_scores import sentence_scores
from graphbrick.text.documents.quotable import quotable


def passage(text: str) -> Passage:
    return Passage(text, (Citation("a.md", 0, len(text)),))


def quoted(question: str, *texts: str, n: int = 1, around: int = 0) -> Answer:
    return Quote(BM25(), n=n, around=around).generate(Query(question), Evidence(tuple(map(passage, texts))))


def test_lines_of_names_with_what_they_do_are_sentences() -> None:
    text = "crane-info - shows what it lifts\ncrane-levels - shows how much oil is left\ncrane-stop - stops it at once"
    question = "Which program shows how much oil is left?"
    assert quoted(question, text).texts == ("crane-levels - shows how much oil is left",)
    assert quoted(question, text, around=80).texts == (
        "crane-levels - shows how much oil is left · crane-stop - stops it at once",
    )


def test_a_sentence_in_another_form_of_the_document_is_not_quoted_again() -> None:
    forms = ("The “log” lies in the *office* of the port.", '- The "log" lies in the office of the port.')
    other = "The log of the office is old."
    answer = quoted("Where does the log lie in the office?", *forms, other, n=3)
    assert answer.texts == ('The "log" lies in the office of the port.', other)
    assert answer.support == ((1, 0), (2,))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("¿Cómo apago la máquina?", "Para apagar tu máquina pulsa el botón."),
        ("Quais senhas são partilhadas?", "A senha partilhada é a do porto."),
    ],
)
def test_other_forms_of_words_in_romance_languages(question: str, expected: str) -> None:
    other = "Hay una máquina en el puerto." if "máquina" in question else "Partilha o porto com o navio."
    assert quoted(question, other, expected).texts == (expected,)


class Both(Overlap):
    """Finds that texts with two words are like any question."""

    def rate(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        return np.array([float("crane" in text and "heavy" in text) for text in texts])


def test_what_goes_on_in_romance_languages_is_quoted_with_what_it_goes_on_from() -> None:
    text = "La grúa es nueva y azul. Además levanta cada noche barcos de vela. Los barcos de vela son rojos y viejos."
    expected = "La grúa es nueva y azul. Además levanta cada noche barcos de vela."
    assert quoted("¿Qué levanta cada noche barcos de vela?", text, around=90).texts == (expected,)


def test_all_that_is_quoted_counts_for_the_best_sentences() -> None:
    evidence = Evidence(
        (passage("The crane lifts ships in summer."), passage("The crane lifts ships in winter. They are heavy."))
    )
    for around, first in ((0, "The crane lifts ships in summer."), (250, evidence.items[1].text)):
        answer = Quote(Both(), n=1, around=around).generate(Query("Which crane lifts ships?"), evidence)
        assert answer.texts == (first,)


def test_passages_in_the_language_of_the_question_come_before_translations() -> None:
    german = passage("Das Feuer (fire) von Galway war im Jahr 1921, und es ist alt.")
    english = passage("It was in 1921 that the fire came to Galway, and it is old.")
    items = (german, english)
    for question, first in (("When was the fire in Galway?", 1), ("Wann war das Feuer von Galway?", 0)):
        scores = sentence_scores(question, quotable(items), np.zeros(2), items).total
        assert scores.argmax() == first


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many people sail the ship?", "On the ship sail a dozen, which is 12 people in the summer."),
        ("Whom do I mail about the ship?", "You can mail office@example.org about the ship."),
    ],
)
def test_numbers_of_what_is_counted_and_addresses(question: str, expected: str) -> None:
    others = (
        "People sail the ship with one of the captains (see page 7).",
        "You can mail the captain about the ship.",
    )
    assert quoted(question, *others, expected).texts == (expected,)


def test_a_version_is_quoted_where_a_question_asks_for_one(tmp_path: Path) -> None:
    versions = (
        ("2.1", "Add a crane.", "2021-04-01"),
        ("2.0", "Add a bus.", "2020-05-02"),
        ("1.9", "Fix it.", "2019-06-03"),
    )
    changes = "".join(f"Version {number} ({date})\n* {text}\n\n" for number, text, date in versions)
    (tmp_path / "NEWS").write_text(changes)
    graph = index([tmp_path], tmp_path / "a.graph").graph
    for question in ("In which version was a bus added?", "When was a bus added?"):
        answer = parse("Passages(n=9) >> Quote(BM25(), n=1)")(graph, question)
        assert answer.texts == ("Version 2.0 (2020-05-02): Add a bus.",)
    assert parse("Passages(n=9) >> Quote(BM25(), n=1)")(graph, "What about a bus?").texts == ("Add a bus.",)
