from __future__ import annotations

import numpy as np
import pytest
from faults import fails
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.language.folding import fold
from graphbrick.models.scorers.ngram import NGram
from graphbrick.testing import check_brick

WORDS = st.sampled_from(
    ["kenya", "Kenyan", "shilling", "a", "ab", "São", "->", "starred_actors", "内罗毕", "Ω", "x" * 40]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=6).map(" ".join), st.text(max_size=20))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 32])
def test_contract(size: int) -> None:
    check_brick(NGram(size=size), installed=False)


@pytest.mark.whole
@given(TEXTS, st.lists(TEXTS, min_size=1, max_size=5), st.integers(1, 6))
def test_equals_scikit_learn(query: str, texts: list[str], size: int) -> None:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    scores = NGram(size=size).score(query, texts)
    assert scores.dtype == np.float64
    folded = [fold(text) for text in (query, *texts)]
    if any(folded):
        counts = CountVectorizer(analyzer="char_wb", ngram_range=(size, size)).fit_transform(folded)
        np.testing.assert_allclose(scores, cosine_similarity(counts[:1], counts[1:])[0], rtol=0, atol=1e-12)
    else:
        assert scores.tolist() == [0.0] * len(texts)


@given(TEXTS, st.lists(TEXTS, max_size=5), st.integers(1, 6))
def test_a_score_depends_on_its_text_alone(query: str, texts: list[str], size: int) -> None:
    scorer = NGram(size=size)
    alone = [scorer.score(query, [text])[0] for text in texts]
    assert scorer.score(query, texts).tolist() == alone
    assert all(0 <= score <= 1 for score in alone)
    assert alone == [scorer.score(text, [query])[0] for text in texts]


def test_by_hand() -> None:
    # " ab", "ab " against " ab", "abc", "bc ": one in common.
    assert NGram().score("ab", ["abc"])[0] == pytest.approx(1 / np.sqrt(2 * 3))
    # " aa", "aaa" twice, "aa " against " aa", "aa "
    assert NGram().score("aaaa", ["aa"])[0] == pytest.approx(2 / np.sqrt((1 + 4 + 1) * 2))
    # A word shorter than the size is one group with its spaces.
    assert NGram(size=9).score("kenya uganda", ["kenya", "keny", "kenya kenya"]) == pytest.approx(
        [0.5**0.5, 0, 0.5**0.5]
    )


def test_groups_do_not_cross_words() -> None:
    assert NGram(size=2).score("ab cd", ["b c"])[0] == pytest.approx(2 / np.sqrt(6 * 4))  # "b " and " c"
    assert NGram(size=3).score("ab cd", ["b c"])[0] == 0


def test_words_spelt_alike_count() -> None:
    scores = NGram().score("Which currencies do Kenyans use?", ["Kenya -> currency", "Uganda -> borders", "KÉNYANS"])
    assert scores[0] > 0.3 > scores[1]
    assert NGram().score("São Tomé", ["sao_tome!"])[0] == 1


@pytest.mark.parametrize(("query", "texts"), [("", ["a", ""]), ("?!", ["?!"]), ("a", ["", "->"])])
def test_without_letters_the_score_is_zero(query: str, texts: list[str]) -> None:
    assert NGram().score(query, texts).tolist() == [0.0] * len(texts)


def test_no_text() -> None:
    assert NGram().score("a", []).shape == (0,)


@pytest.mark.parametrize("size", [0, -1, 33, True])
def test_sizes_that_are_refused(size: int) -> None:
    with fails("parameter.not_allowed", brick="NGram", name="size"):
        NGram(size=size)
