from __future__ import annotations

import random
import sys

import numpy as np
import pytest
from faults import fails
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.errors import ModelError
from graphbrick.models.scorers.lsa import LSA
from graphbrick.testing import check_brick

WORDS = "kenya uganda rwanda currency shilling franc borders capital nairobi kampala river lake mountain people".split()
TEXTS = st.lists(st.sampled_from([*WORDS, "", "?", "KENYA"]), max_size=6).map(" ".join)


def some_texts(n: int, seed: int = 0) -> list[str]:
    """Distinct texts in lower case."""
    rng = random.Random(seed)
    return sorted({" ".join(rng.choices(WORDS, k=rng.randint(2, 9))) for _ in range(n)})


@pytest.mark.parametrize("components", [1, 2, 100])
def test_contract(components: int) -> None:
    check_brick(LSA(components=components), installed=False)


@pytest.mark.whole
@pytest.mark.parametrize("components", [1, 2, 5, 9])
@pytest.mark.parametrize("seed", range(3))
def test_equals_scikit_learn(components: int, seed: int) -> None:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    texts = some_texts(60, seed)
    tfidf, svd = TfidfVectorizer(), TruncatedSVD(components, random_state=0)
    rows = svd.fit_transform(tfidf.fit_transform(texts))
    for query in ("kenya", "shilling franc lake", "people unknown"):
        expected = cosine_similarity(svd.transform(tfidf.transform([query])), rows)[0]
        np.testing.assert_allclose(LSA(components=components).score(query, texts), expected, rtol=0, atol=1e-6)


def test_with_all_dimensions_it_is_the_cosine_of_tf_idf() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import cosine_similarity

    texts = some_texts(80)  # more than words, so that the query is inside the space
    tfidf = TfidfVectorizer()
    rows = tfidf.fit_transform(texts)
    for query in ("kenya lake", texts[3]):
        expected = cosine_similarity(tfidf.transform([query]), rows)[0]
        np.testing.assert_allclose(LSA().score(query, texts), expected, rtol=0, atol=1e-9)


def test_words_that_go_with_the_same_words_are_alike() -> None:
    texts = [
        "shilling currency money",
        "franc currency money",
        "dollar currency money",
        "lake borders",
        "river borders",
    ]
    scores = LSA(components=2).score("shilling", texts)
    assert scores[:3] == pytest.approx(1, abs=0.01)
    assert scores[3:] == pytest.approx(0, abs=0.01)


@pytest.mark.whole
@given(TEXTS, st.lists(TEXTS, max_size=12), st.integers(1, 4), st.randoms())
def test_neither_order_nor_repetition_counts(query: str, texts: list[str], components: int, rng: random.Random) -> None:
    scorer = LSA(components=components)
    scores = scorer.score(query, texts)
    assert scores.shape == (len(texts),)
    assert np.isfinite(scores).all()
    assert (np.abs(scores) <= 1).all()
    turned = list(range(len(texts))) * 2
    rng.shuffle(turned)
    np.testing.assert_array_equal(scorer.score(query, [texts[i] for i in turned]), scores[turned])


def test_a_text_outside_the_space_scores_zero() -> None:
    # One dimension: the three texts about currencies take it, and what is left of the fourth is rounding error.
    texts = ["currency shilling", "currency franc", "currency money", "lake river"]
    for query in ("currency", "lake", "lake currency"):
        assert LSA(components=1).score(query, texts)[3] == 0
    assert LSA(components=1).score("lake", texts).tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("texts", [[], [""], ["?", "->"]])
def test_texts_without_words(texts: list[str]) -> None:
    assert LSA().score("kenya", texts).tolist() == [0.0] * len(texts)


@pytest.mark.parametrize("query", ["", "?", "unknown words"])
def test_a_query_without_known_words(query: str) -> None:
    assert LSA().score(query, ["kenya", "uganda lake", ""]).tolist() == [0, 0, 0]


@pytest.mark.parametrize("texts", [["kenya"], ["kenya"] * 3, ["kenya", "Kenya!", "KÉNYA"], ["kenya", ""]])
def test_one_text_alone(texts: list[str]) -> None:
    assert LSA().score("Kenya", texts) == pytest.approx([float(bool(text)) for text in texts])


@pytest.mark.parametrize("components", [0, 1001, -3])
def test_components_that_are_refused(components: int) -> None:
    with fails("parameter.not_allowed", brick="LSA", name="components"):
        LSA(components=components)


def test_missing_scikit_learn_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModelError, match=r"need the package sklearn\S*: pip install 'graphbrick\[statistical\]'"):
        LSA().score("kenya", ["kenya"])
