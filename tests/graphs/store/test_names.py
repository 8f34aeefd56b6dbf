from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick.graphs.store.names import NameIndex
from graphbrick.graphs.store.strings import StringTable
from graphbrick.graphs.store.writing.string_writer import write_strings
from graphbrick.language.folding import fold, name_form
from graphbrick.language.hashing import span_hash

CITIES = ["Nairobi", "Kampala", "Kigali", "Nairn", "Nairobi West", "São Tomé", "Dar es Salaam", "Addis Ababa", "内罗毕"]


def index_of(folder: Path, labels: Sequence[str], aliases: Sequence[tuple[int, str]] = ()) -> NameIndex:
    write_strings(folder, "labels", labels)
    max_tokens = NameIndex.write(folder, labels, aliases)
    return NameIndex(folder, StringTable.open(folder, "labels"), max_tokens)


def labels_near(index: NameIndex, text: str, n: int = 3, min_score: float = 0.0) -> list[str]:
    return [match.name for match in index.near(text, n, min_score=min_score)]


# Exact


def test_exact_finds_labels_and_aliases_after_folding(tmp_path: Path) -> None:
    index = index_of(tmp_path, ["São Tomé", "Paris", "PARIS"], [(0, "ST"), (0, "sao tome!"), (2, "City of Light")])
    assert index.exact(fold("sao-tome")) == [0, 4]
    assert index.exact("paris") == [1, 2]
    assert index.exact("city of light") == [5]
    assert index.exact("light of city") == index.exact("city") == index.exact("") == []
    assert [index.name(i) for i in range(6)] == ["São Tomé", "Paris", "PARIS", "ST", "sao tome!", "City of Light"]
    assert [index.entity(i) for i in range(6)] == [0, 1, 2, 0, 0, 2]
    assert [index.aliases(i) for i in range(3)] == [["ST", "sao tome!"], [], ["City of Light"]]
    assert index.max_tokens == 3


def test_known_tells_which_spans_may_be_names(tmp_path: Path) -> None:
    index = index_of(tmp_path, CITIES)
    spans = np.array([span_hash(s) for s in ("nairobi", "nairobi west", "west", "", "sao tome")], dtype=np.uint64)
    assert index.known(spans).tolist() == [True, True, False, False, True]
    assert index.known(spans[:0]).tolist() == []


def test_labels_of_only_punctuation_are_found_as_they_are(tmp_path: Path) -> None:
    index = index_of(tmp_path, ["?!", "…", "---"], [(0, "***")])
    assert fold("?!") == ""
    assert (index.exact("?!"), index.exact("***"), index.exact("")) == ([0], [3], [])
    assert index.near("nairobi", 3) == []
    assert not index.known(np.array([0, span_hash("a")], dtype=np.uint64)).any()
    assert [index.name(i) for i in range(4)] == ["?!", "…", "---", "***"]


def test_punctuation_beside_names(tmp_path: Path) -> None:
    index = index_of(tmp_path, ["?!", "Nairobi", "…"], [(2, "Kigali")])
    assert (index.exact("nairobi"), index.exact("kigali")) == ([1], [3])
    assert [match.entity for match in index.near("kigal", 5)][:1] == [2]


def test_very_long_labels(tmp_path: Path) -> None:
    words = " ".join(f"word{i}" for i in range(5_000))
    letters = "x" * 100_000
    index = index_of(tmp_path, [words, letters, "short"])
    assert index.max_tokens == 5_000
    assert index.exact(fold(words)) == [0]
    assert index.exact(letters) == [1]
    assert labels_near(index, words[:-3], 1) == [words]
    assert labels_near(index, "shirt", 1) == ["short"]


# Near


@pytest.mark.parametrize(
    ("typo", "label"),
    [
        ("Nairoby", "Nairobi"),
        ("nirobi", "Nairobi"),
        ("NAIROIB", "Nairobi"),
        ("Kampalla", "Kampala"),
        ("Sao Tomeh", "São Tomé"),
        ("Dar-es-Salam", "Dar es Salaam"),
        ("Adis Abeba", "Addis Ababa"),
        ("Nairobi Wst", "Nairobi West"),
        ("Narn", "Nairn"),
        ("内罗比", "内罗毕"),
    ],
)
def test_near_puts_the_meant_name_first(tmp_path: Path, typo: str, label: str) -> None:
    assert labels_near(index_of(tmp_path, CITIES), typo)[0] == label


def test_near_ranks_by_similarity(tmp_path: Path) -> None:
    matches = index_of(tmp_path, CITIES).near("Nairobi", 9)
    assert [match.name for match in matches[:3]] == ["Nairobi", "Nairobi West", "Nairn"]
    scores = [match.score for match in matches]
    assert scores[0] == 1.0
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


def test_near_breaks_ties_by_entity(tmp_path: Path) -> None:
    index = index_of(tmp_path, ["nairobx", "Nairoba", "Kigali", "nairobz"], [(2, "NAIROBY")])
    matches = index.near("nairobi", 9)
    assert [match.entity for match in matches] == [0, 1, 2, 3]
    assert len({match.score for match in matches}) == 1
    assert [match.entity for match in index.near("nairobi", 2)] == [0, 1]


def test_near_gives_an_entity_once_by_its_best_name(tmp_path: Path) -> None:
    index = index_of(tmp_path, ["Nairobi City County", "Kigali"], [(0, "Nairobi"), (0, "Nairobi Town")])
    (match,) = index.near("nairobbi", 9)
    assert (match.entity, match.name) == (0, "Nairobi")


def test_near_keeps_to_n_and_to_the_least_score(tmp_path: Path) -> None:
    index = index_of(tmp_path, CITIES)
    assert len(index.near("nairobi", 2)) == 2
    assert index.near("nairobi", 0) == []
    assert labels_near(index, "nairobi", 9, min_score=1.0) == ["Nairobi"]
    best = index.near("nairoby", 1)[0].score
    assert [match.score for match in index.near("nairoby", 9, min_score=best)] == [best]
    assert index.near("zzzz", 3) == index.near("", 3) == index.near("?!", 3) == []


def test_near_among_many_names_that_share_a_trigram(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphbrick.graphs.store.names._COMMON", 50)
    monkeypatch.setattr("graphbrick.graphs.store.names._CANDIDATES", 20)
    index = index_of(tmp_path, [f"film number {i}" for i in range(300)] + ["film noir"])
    assert labels_near(index, "film noire", 1) == ["film noir"]
    assert labels_near(index, "film number 217", 1) == ["film number 217"]


def test_an_empty_index(tmp_path: Path) -> None:
    index = index_of(tmp_path, [])
    assert index.exact("a") == index.near("a", 3) == []
    assert index.known(np.array([1], dtype=np.uint64)).tolist() == [False]


@pytest.mark.whole
@settings(max_examples=40, deadline=None)
@given(
    labels=st.lists(st.text(max_size=6), min_size=1, max_size=8),
    aliases=st.lists(st.tuples(st.integers(0, 7), st.text("aé b", max_size=4)), max_size=6),
)
def test_every_name_is_found_exactly_and_nearly(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str], aliases: list[tuple[int, str]]
) -> None:
    aliases = sorted((entity, alias) for entity, alias in aliases if entity < len(labels))
    index = index_of(tmp_path_factory.mktemp("names"), labels, aliases)
    names = [*labels, *(alias for _, alias in aliases)]
    for name in names:
        folded = name_form(name)
        expected = [i for i, other in enumerate(names) if folded and name_form(other) == folded]
        assert index.exact(folded) == expected
        if folded:
            entities = sorted({index.entity(i) for i in expected})
            best = index.near(name, len(entities))
            assert [match.entity for match in best] == entities
            assert {match.score for match in best} == {1.0}
    assert index.max_tokens == max((len(name_form(name).split()) for name in names), default=0)
