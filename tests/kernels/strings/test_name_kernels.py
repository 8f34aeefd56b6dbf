from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphbrick.graphs.records.interner import joined
from graphbrick.graphs.records.rdf_names import local_name
from graphbrick.kernels.strings.names import FOLDED, LEFT, NOTHING, fold_names, local_spans, name_grams
from graphbrick.language.folding import name_form
from graphbrick.language.hashing import gram_hashes, span_hash, trigrams

NAMES = st.lists(st.text(max_size=20) | st.text("aB c.-_'9\t\n", max_size=70), max_size=12)


def encoded(texts: list[str]) -> list[bytes]:
    return [text.encode("utf-8", "surrogatepass") for text in texts]


@pytest.mark.whole
@given(names=NAMES)
@example(names=["The Sound—of MUSIC", "AC/DC (band)", "?!", "", " ", "x", "a" * 200, "ab " * 40])
def test_names_are_folded_and_hashed_as_by_python(names: list[str]) -> None:
    data, starts, ends = joined(encoded(names))
    hashes, words, state = fold_names(data, starts, ends)
    ids = np.arange(100, 100 + len(names), dtype=np.int32)
    rows = name_grams(data, starts, ends, ids, state)
    grams = np.ascontiguousarray(rows[:, :2]).view(np.uint64).ravel()
    for i, name in enumerate(names):
        folded = name_form(name)
        if state[i] == FOLDED:
            assert (int(hashes[i]), int(words[i])) == (span_hash(folded), len(folded.split()))
            assert sorted(grams[rows[:, 2] == ids[i]].tolist()) == gram_hashes(trigrams(folded)).tolist()
        else:
            assert words[i] == 0
            assert (state[i] == NOTHING) == (name == "")
            assert not (rows[:, 2] == ids[i]).any()
        if name.isascii() and any(c.isalnum() for c in name):
            assert state[i] == FOLDED
        elif name:
            assert state[i] == LEFT


IRIS = st.text('ab/#%4:é_ "', max_size=12) | st.sampled_from(
    ["http://example.org/a#b", "http://example.org/a/b/", "http://example.org/a#", "urn:isbn:0451", "_:a/b", '"a/b"']
)


@given(iris=st.lists(IRIS, max_size=8))
@example(
    iris=[
        "http://example.org/caf%C3%A9",
        "http://example.org/",
        "//",
        "#",
        "http://example.org/a#b/c",
        "http://example.org/by/4.0/",
    ]
)
def test_local_names_are_those_of_python(iris: list[str]) -> None:
    data, starts, ends = joined(encoded(iris))
    first, last, left = local_spans(data, starts, ends)
    for iri, a, b, python in zip(iris, first, last, left, strict=True):
        if not python:
            assert data[a:b].tobytes().decode() == local_name(iri)
        else:
            assert not iri.isascii() or "%" in iri or " " in iri or "4.0" in iri


@pytest.mark.parametrize("iri", ["http://example.org/Kenya", "http://rdf.freebase.com/ns/m.0abc", "_:b1", '"1"@en'])
def test_ordinary_iris_are_left_to_nobody(iri: str) -> None:
    assert not local_spans(*joined([iri.encode()]))[2].any()
