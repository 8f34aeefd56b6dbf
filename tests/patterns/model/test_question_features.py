from __future__ import annotations

import zlib

import numpy as np
import pytest

from graphbrick.patterns.model.question_features import WORDS, hashed_words


def test_a_vector_of_words_has_length_one_and_ignores_case_and_accents() -> None:
    vector = hashed_words("who appeared in the same movie with X")
    assert vector.dtype == np.float32
    assert vector.shape == (WORDS,)
    assert np.linalg.norm(vector) == pytest.approx(1)
    assert (hashed_words("Who appeared in the samé movie with x?") == vector).all()


def test_each_word_has_the_place_and_the_sign_of_its_crc() -> None:
    # Not those of Python's own hash, which is another in every process.
    expected = np.zeros(WORDS)
    for feature in ("who", "was", "who was", "^who"):
        hashed = zlib.crc32(feature.encode())
        expected[hashed % WORDS] += 1 if hashed >= 2**31 else -1
    assert np.allclose(hashed_words("who was"), expected / np.linalg.norm(expected))


def test_the_order_of_words_counts() -> None:
    first, second = hashed_words("films by X about Y"), hashed_words("films about X by Y")
    assert 0.1 < float(first @ second) < 0.9


@pytest.mark.parametrize("text", ["", "?!", " "])
def test_what_has_no_word_has_no_length(text: str) -> None:
    assert not hashed_words(text).any()


def test_a_badly_decoded_word_is_a_word() -> None:
    assert hashed_words("who \ud800").any()
