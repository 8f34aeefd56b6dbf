"""Hashes of names: they are stored on disk."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.language.hashing import extend_span, hash64, span_hash, token_hashes, trigrams


def rolling(words: list[str]) -> int:
    span = np.zeros(1, dtype=np.uint64)
    for value in token_hashes(words):
        span = extend_span(span, np.array([value]))
    return int(span[0])


@given(words=st.lists(st.text(min_size=1, max_size=5).filter(lambda w: w.split() == [w]), max_size=6))
def test_span_hash_is_the_rolling_hash(words: list[str]) -> None:
    assert span_hash(" ".join(words)) == rolling(words)


def test_extend_span_goes_element_by_element() -> None:
    words = ["the", "sound", "of", "music", "the", "sound"]
    hashes = token_hashes(words)
    spans = np.zeros(len(words), dtype=np.uint64)
    for length in (1, 2, 3):
        starts = len(words) - length + 1
        spans = extend_span(spans[:starts], hashes[length - 1 :])
        assert spans.tolist() == [span_hash(" ".join(words[i : i + length])) for i in range(starts)]


def test_span_hash_knows_the_order() -> None:
    assert len({span_hash(text) for text in ("a b", "b a", "ab", "a", "b", "a a", "")}) == 7
    assert span_hash("") == 0


def test_hashes_are_the_same_everywhere() -> None:
    # They are stored on disk: another value means that no graph built before is readable.
    assert hash64("Kenya") == 0xB82AB87129D2D374
    assert hash64("Zoë \ud800") == 0x74C36A8839786C1D
    assert span_hash("sao tome") == 0x575DB2B295271389


def packed(gram: str) -> int:
    first, second, third = map(ord, gram)
    return (first << 42) | (second << 21) | third


def test_trigrams() -> None:
    assert trigrams("peru") == {packed(" pe"), packed("per"), packed("eru"), packed("ru ")}
    assert trigrams("a b") == {packed(" a "), packed("a b"), packed(" b ")}
    assert len(trigrams("aaaa")) == 3  # each once
    assert trigrams("") == set()
    assert all(0 <= gram < 2**63 for gram in trigrams("\U0010ffff" * 4))
