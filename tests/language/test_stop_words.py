"""Function words, and the language of a text by them."""

from __future__ import annotations

import hashlib

import pytest

from graphbrick.language.stop_words import ALL_ARTICLES, ARTICLES, FUNCTION_WORDS, stop_words, stop_words_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("the lake is in the north of it", "english"),
        ("der See liegt im Norden und ist tief", "german"),
        ("το νερό είναι στην πόλη και από τη λίμνη", "greek"),
    ],
)
def test_the_language_of_a_text(text: str, language: str) -> None:
    assert stop_words_of(text.lower().split()) == stop_words()[language]


def test_few_function_words_tell_no_language() -> None:
    assert stop_words_of(["kenya", "the", "nairobi"]) == frozenset()


def test_the_order_of_function_words_is_that_of_stored_weights() -> None:
    assert hashlib.sha256(" ".join(FUNCTION_WORDS).encode()).hexdigest()[:16] == "9d618204b6d86cf0"


def test_every_article_is_listed_once() -> None:
    assert sum(map(len, ARTICLES.values())) == len(ALL_ARTICLES)
