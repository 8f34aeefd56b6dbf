"""Endings of English words by rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.language.stems import is_plural, possible_singulars, root, short_stem, stem, without_plural


@pytest.mark.parametrize(
    ("key", "one"), [("lakes", "lake"), ("churches", "church"), ("boxes", "box"), ("virus", "virus"), ("gas", "gas")]
)
def test_without_plural(key: str, one: str) -> None:
    assert without_plural(key) == one


@given(st.text("aeiouychsxz", min_size=1, max_size=8))
def test_a_plural_is_one_of_its_possible_singulars_and_s(word: str) -> None:
    singulars = list(possible_singulars(word))
    assert not is_plural(word) or without_plural(word) in singulars
    assert (without_plural(word) != word) == is_plural(word)
    assert all(word.startswith(one[:-1]) for one in singulars)


@pytest.mark.parametrize(
    ("words", "stems", "roots", "short"),
    [
        (("directs", "directed"), 1, 1, 1),
        (("directed", "director"), 2, 1, 2),
        (("cities", "city"), 1, 1, 2),
        (("led", "leads"), 1, 1, 2),
        (("quickly", "quick"), 2, 2, 1),
    ],
)
def test_what_the_stems_join(words: tuple[str, ...], stems: int, roots: int, short: int) -> None:
    assert [len(set(map(form, words))) for form in (stem, root, short_stem)] == [stems, roots, short]


@pytest.mark.parametrize(
    "forms",
    [
        "play plays played playing player",
        "own owns owned owner",
        "speak speaks spoke spoken speaker",
        "employ employs employed employer",
        "discuss discusses discussed discussing",
        "sell sells sold selling seller",
        "fly flies flew flown",
        "study studies studied",
        "win wins won winner",
        "kill kills killed killer",
        "focus focuses focused",
        "die dies died",
    ],
)
def test_root_joins_the_forms_of_a_verb(forms: str) -> None:
    assert len(set(map(root, forms.split()))) == 1


@pytest.mark.parametrize(("one", "other"), [("play", "place"), ("found", "find"), ("bus", "bu")])
def test_root_keeps_other_words_apart(one: str, other: str) -> None:
    assert root(one) != root(other)
