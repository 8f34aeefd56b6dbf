"""Words that people may use in place of the nouns of a graph."""

from __future__ import annotations

import pytest

from graphbrick.learn.words.near_words import near_words
from graphbrick.patterns.alignment.near_words import NearWords
from graphbrick.patterns.english.labels import read_label
from graphbrick.patterns.english.senses import kinds_of
from graphbrick.patterns.words.phrasebook import Phrasebook
from graphbrick.patterns.words_file import EntityClass

LABELS = ("religion", "education", "spouse", "written_by", "in_language")


@pytest.fixture(scope="module")
def book() -> Phrasebook:
    return Phrasebook(
        {label: read_label(label) for label in LABELS}, [EntityClass(["film", "movie"], ["written_by"], [])]
    )


def test_words_are_found_by_what_they_are_a_kind_of(book: Phrasebook) -> None:
    near = near_words(book, ["who is the writer of X"]).nouns
    assert near["alma mater"] == "school"
    assert near["alma maters"] == "schools"
    assert near["creed"] == "belief"  # a kind of doctrine, which is a kind of belief
    assert near["better half"] == "spouse"
    assert near["playwrights"] == "writers"
    assert "driving school" not in near  # its last word is understood
    assert "words" not in near  # «language» is one of its many meanings
    assert "actress" not in near
    assert not {"who", "one", "name", "film", "writer"} & set(near)


def test_words_of_the_questions_need_no_other(book: Phrasebook) -> None:
    near = near_words(book, ["which creeds does X follow", "X's better half", "the playwright X"]).nouns
    assert not {"creed", "creeds", "better half", "playwright", "playwrights"} & set(near)
    assert near["novelist"] == "writer"


def test_general_nouns_say_nothing() -> None:
    assert len(kinds_of("school")) > 20
    assert max(kinds_of("person").values(), default=0) == 0  # there are hundreds of kinds
    assert kinds_of("frobnicator") == {}


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("What is the creed of X's Better Half?", "What is the belief of X's spouse?"),
        ("which creed does X follow", "which belief does X follow"),
        ("Creeds of X", "beliefs of X"),
        ("does X credit and creed Y", "does X credit and belief Y"),
        ("who may creed X", "who may creed X"),
        ("better off with X", "better off with X"),
        ("X's better half's better half?", "X's spouse's spouse?"),
        ("", ""),
    ],
)
def test_a_single_word_is_replaced_only_where_a_noun_may_stand(question: str, read: str) -> None:
    near = NearWords({"creed": "belief", "creeds": "beliefs", "better half": "spouse"})
    assert near.replaced(question) == read
    assert NearWords().replaced(question) == question
