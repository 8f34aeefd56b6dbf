from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphbrick.graphs.records.interner import Interner, joined
from graphbrick.kernels.strings.spans import (
    copy_spans,
    hash_spans,
    number_spans_python,
    same_spans,
    strip_spans,
)
from graphbrick.language.hashing import hash_bytes

TEXTS = st.lists(st.binary(max_size=20), max_size=40)
# Texts of one hash; see tests/graphs/test_graph.py.
COLLISIONS = [b"nairobi0capitale", b"z6aon9omfg50ma4y", b"u352eqr89h25qqzx", b"up013kbyxz8g0bz1"]


@given(texts=TEXTS)
@example(texts=[b"", b"x" * 7, b"x" * 8, b"x" * 9, b"\xff" * 16])
def test_the_kernel_hashes_as_python_does(texts: list[bytes]) -> None:
    data, starts, ends = joined(texts)
    assert hash_spans(data, starts, ends).tolist() == [hash_bytes(text) for text in texts]
    assert copy_spans(data, starts[::-1].copy(), ends[::-1].copy()).tobytes() == b"".join(reversed(texts))


def test_hashes_of_neighbours_differ_in_all_bits() -> None:
    hashes = np.array([hash_bytes(f"m.0{i:x}".encode()) for i in range(20_000)], dtype=np.uint64)
    assert len(np.unique(hashes)) == len(hashes)
    for shift in (0, 27, 54):  # what tables, and what buckets take
        counts = np.bincount(((hashes >> np.uint64(shift)) & np.uint64(1023)).astype(np.int64), minlength=1024)
        assert counts.max() < 60
        assert counts.min() > 1


@given(
    texts=st.lists(st.sampled_from([b"", b"a", b"ab", b"b" * 300, *COLLISIONS]) | st.binary(max_size=3), max_size=60)
)
def test_numbers_are_those_of_python(texts: list[bytes]) -> None:
    known = Interner()
    half = len(texts) // 2
    numbers = [*known.number(*joined(texts[:half])).tolist(), *known.number(*joined(texts[half:])).tolist()]
    assert numbers == number_spans_python(texts)
    data, starts, ends = known.texts
    assert [data[a:b].tobytes() for a, b in zip(starts, ends, strict=True)] == list(dict.fromkeys(texts))
    asked = [*texts, b"never there"]
    data, starts, ends = joined(asked)
    assert known.find(data, starts, ends, hash_spans(data, starts, ends)).tolist() == [*numbers, -1]


def test_many_texts() -> None:
    texts = [f"key {i % 70_000}" for i in range(100_000)]
    known = Interner()
    assert known.number_texts(texts).tolist() == [i % 70_000 for i in range(100_000)]
    assert (len(known), known[69_999]) == (70_000, "key 69999")


def test_texts_of_one_hash_have_numbers_of_their_own() -> None:
    known = Interner()
    data, starts, ends = joined(COLLISIONS[:3])
    assert len(set(hash_spans(data, starts, ends).tolist())) == 1
    assert known.number(data, starts, ends).tolist() == [0, 1, 2]
    data, starts, ends = joined(COLLISIONS)
    assert known.find(data, starts, ends, hash_spans(data, starts, ends)).tolist() == [0, 1, 2, -1]


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        (b"http://x/a", b"a"),
        (b"<http://x/a>", b"a"),
        (b"http://x/", b"http://x/"),  # nothing would be left
        (b"<http://x/>", b"<http://x/>"),
        (b"<http://x/a", b"<http://x/a"),
        (b"https://x/a", b"https://x/a"),
        (b"", b""),
    ],
)
def test_strip(text: bytes, stripped: bytes) -> None:
    data, starts, ends = joined([b"before", text, b"behind"])
    strip_spans(data, starts, ends, joined([b"http://x/"])[0])
    assert data[starts[1] : ends[1]].tobytes() == stripped
    assert data[starts[2] : ends[2]].tobytes() == b"behind"


def test_same_spans() -> None:
    one, other = joined([b"a", b"ab", b"", b"abc"]), joined([b"a", b"aa", b"", b"ab"])
    assert same_spans(*one, *other).tolist() == [True, False, True, False]
