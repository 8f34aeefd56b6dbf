"""Measures of answers by text: what normalising does, and the traps of published scorers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.language.folding import answer_form, normalize
from graphbrick.study.metrics.answers import gold_forms, text_scores

names = st.sampled_from(["Nairobi", "nairobi!", "The Nile", "Nile", "USA", "U.S.A.", "!!!", "The", " ", "Kansas"])


@pytest.mark.parametrize(
    ("answers", "gold", "expected"),
    [
        # hit, hits_at_1, exact_match, precision, recall, f1
        (["Nairobi"], ["nairobi"], (1, 1, 1, 1, 1, 1)),
        (["Arkansas"], ["Kansas"], (0, 0, 0, 0, 0, 0)),
        (["Kansas"], ["Arkansas"], (0, 0, 0, 0, 0, 0)),
        (["Nairobi, Mombasa"], ["Nairobi", "Mombasa"], (0, 0, 0, 0, 0, 0)),
        (["New", "York"], ["New York"], (0, 0, 0, 0, 0, 0)),
        ([], ["Nairobi"], (0, 0, 0, 0, 0, 0)),
        # Spellings of one answer count once.
        (["Nairobi", "nairobi", "NAIROBI!"], ["Nairobi"], (1, 1, 1, 1, 1, 1)),
        # Two aliases of one gold answer: one is right.
        (["USA", "United States"], [("United States", "USA")], (1, 1, 0, 0.5, 1, 2 / 3)),
        # An alias that two gold answers share goes to the one that has no other.
        (["Georgia", "Sakartvelo"], [("Georgia", "Sakartvelo"), ("Georgia", "Peach State")], (1, 1, 1, 1, 1, 1)),
        (["Georgia"], [("Georgia", "Sakartvelo"), ("Georgia", "Peach State")], (1, 1, 0, 1, 0.5, 2 / 3)),
        # Two films of one title cannot be told apart.
        (["Hamlet"], ["Hamlet", "hamlet"], (1, 1, 1, 1, 1, 1)),
        # What only consists of punctuation or articles equals itself and nothing else.
        (["Nairobi"], ["!!!"], (0, 0, 0, 0, 0, 0)),
        (["!!!"], ["!!!"], (1, 1, 1, 1, 1, 1)),
        (["The The"], ["the the"], (1, 1, 1, 1, 1, 1)),
        (["The The"], ["The"], (0, 0, 0, 0, 0, 0)),
        (["???"], ["!!!"], (0, 0, 0, 0, 0, 0)),
        # Blank texts equal nothing.
        (["", "Nairobi"], ["Nairobi"], (1, 0, 0, 0.5, 1, 2 / 3)),
        ([" "], [" "], (0, 0, 0, 0, 0, 0)),
        (["Nairobi"], ["Nairobi", ("", " ")], (1, 1, 0, 1, 0.5, 2 / 3)),
        (["Nairobi"], [("Nairobi", "")], (1, 1, 1, 1, 1, 1)),
        # The same letters, composed and not.
        (["Sa\u0303o Tome\u0301"], ["S\u00e3o Tom\u00e9"], (1, 1, 1, 1, 1, 1)),
    ],
)
def test_known_values(answers: list[str], gold: list[str], expected: tuple[float, ...]) -> None:
    assert text_scores(answers, gold) == pytest.approx(expected)


def test_what_is_not_a_list_of_texts_is_refused() -> None:
    with pytest.raises(ValueError, match="without gold answers"):
        text_scores(["a"], [])
    with pytest.raises(TypeError, match="answers must be a list of texts, got the text 'Nairobi'"):
        text_scores("Nairobi", ["Nairobi"])
    with pytest.raises(TypeError, match="gold must be a list of answers, got the text 'Nairobi'"):
        text_scores(["Nairobi"], "Nairobi")


@given(st.text(max_size=12))
def test_every_text_that_is_not_blank_equals_itself_and_forms_are_stable(text: str) -> None:
    form = answer_form(text)
    assert bool(form) == bool(text.strip())
    assert text_scores([text], [text]).exact_match == bool(form)
    assert normalize(normalize(text)) in ("", normalize(text)) or " " in normalize(text)


@given(
    st.lists(names, max_size=5), st.lists(st.lists(names, min_size=1, max_size=3).map(tuple), min_size=1, max_size=4)
)
def test_measures_are_consistent(answers: list[str], gold: list[tuple[str, ...]]) -> None:
    scores = text_scores(answers, gold)
    assert all(0 <= score <= 1 for score in scores)
    every_name = {form for forms in gold_forms(gold) for form in forms}
    assert scores.hit == any(answer_form(text) in every_name for text in answers)
    assert scores.hits_at_1 == bool(answers and answer_form(answers[0]) in every_name)
    p, r = scores.precision, scores.recall
    assert scores.f1 == pytest.approx(2 * p * r / (p + r) if p + r else 0)
    assert scores.exact_match == (p == r == 1)
