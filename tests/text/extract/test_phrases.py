"""Phrases: names by capitals and function words."""

from __future__ import annotations

import pytest

from graphbrick.testing import check_brick
from graphbrick.text.extract.extraction import Extraction, Kind
from graphbrick.text.extract.phrases import Phrases


def found(text: str, *kinds: Kind) -> list[str]:
    (result,) = Phrases().extract([text])
    assert Extraction.from_json(result.to_json()) == result
    return [text[one.start : one.end] for one in result.found if not kinds or one.kind in kinds]


def test_keeps_the_contract() -> None:
    check_brick(Phrases(longest=2))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The capital of Kenya is Nairobi.", ["Kenya", "Nairobi"]),
        ("He read The Lord of the Rings in Nairobi.", ["Lord", "Lord of the Rings", "Rings", "Nairobi"]),
        ("It was written by J. R. R. Tolkien’s son.", ["J. R. R. Tolkien"]),
        ("They met in the U.S. in June 1999.", ["U.S.", "June 1999"]),
        ("It has the song “all you need” and the 'rest'.", ["all you need"]),
        ("Kenya, Uganda and Mount Elgon are there.", ["Uganda", "Mount Elgon"]),
        (
            "Der Kenianische Schilling ist die Währung von Kenia.",
            ["Kenianische Schilling", "Währung", "Währung von Kenia", "Kenia"],
        ),
        ("Столица Кении — Найроби, и она в Африке.", ["Столица Кении", "Найроби", "Африке"]),
        ("ナイロビはケニアの首都です。", ["ナイロビ", "ケニア"]),
    ],
)
def test_names(text: str, names: list[str]) -> None:
    assert found(text, Kind.NAME) == names


def test_a_capital_at_the_start_is_not_certain() -> None:
    assert found("Lakes are deep. Water is in the lakes.", Kind.MAYBE) == ["Lakes", "Water"]
    assert found("The lake is deep.", Kind.MAYBE, Kind.NAME) == []


def test_phrases_are_between_function_words() -> None:
    text = "It has high blood pressure and the risk of heart disease, which he treats."
    assert found(text, Kind.PHRASE) == ["high blood pressure", "risk", "heart disease", "treats"]


def test_chinese() -> None:
    assert found("内罗毕是肯尼亚的首都。", Kind.PHRASE) == ["内罗毕", "肯尼亚", "首都"]


def test_text_in_capitals_has_no_names() -> None:
    assert found("THE LAKE IS VERY DEEP.", Kind.NAME, Kind.MAYBE) == []


@pytest.mark.parametrize("text", ["", "...", "\n\n", "😀", "a" * 100_000, "A " * 5000, "of the " * 3000])
def test_odd_texts(text: str) -> None:
    (result,) = Phrases().extract([text])
    assert all(0 <= one.start < one.end <= len(text) for one in result.found)
