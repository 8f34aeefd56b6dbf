from __future__ import annotations

import random
import sys

import numpy as np
import pytest
from faults import fails
from hypothesis import given, settings
from hypothesis import strategies as st

from graphbrick.core.errors import ModelError
from graphbrick.models.scorers.lda import LDA
from graphbrick.testing import check_brick

MONEY, PLACES = ["currency", "shilling", "franc", "coin"], ["lake", "river", "mountain", "valley"]
TEXTS = st.lists(st.sampled_from([*MONEY, *PLACES, "", "?", "LAKE"]), max_size=6).map(" ".join)


def some_texts(seed: int = 0) -> list[str]:
    """Distinct texts, each about one of two things."""
    rng = random.Random(seed)
    return sorted({" ".join(rng.choices(words, k=6)) for words in (MONEY, PLACES) for _ in range(20)})


@pytest.mark.parametrize("brick", [LDA(), LDA(topics=1), LDA(topics=3, seed=7)])
def test_contract(brick: LDA) -> None:
    check_brick(brick, installed=False)


@pytest.mark.whole
@pytest.mark.parametrize(("topics", "seed"), [(2, 0), (2, 5), (10, 0)])
def test_equals_scikit_learn_and_scipy(topics: int, seed: int) -> None:
    from scipy.spatial.distance import jensenshannon
    from sklearn.decomposition import LatentDirichletAllocation
    from sklearn.feature_extraction.text import CountVectorizer

    texts = some_texts(seed)
    counts = CountVectorizer()
    model = LatentDirichletAllocation(topics, random_state=seed)
    mixtures = model.fit_transform(counts.fit_transform(texts))
    for query in ("shilling", "lake valley coin", "river unknown"):
        asked = model.transform(counts.transform([query]))[0]
        expected = [1 - jensenshannon(mixture, asked, base=2) for mixture in mixtures]
        # scipy takes the root of a rounding error where two mixtures are the same.
        np.testing.assert_allclose(LDA(topics, seed).score(query, texts), expected, rtol=0, atol=1e-7)


def test_texts_about_the_same_are_closest() -> None:
    texts = some_texts()
    about_money = [text.split()[0] in MONEY for text in texts]
    scores = LDA(topics=2, seed=1).score("coin franc shilling currency", texts)
    assert scores[about_money].min() > scores[np.logical_not(about_money)].max()


def test_the_same_text_scores_one() -> None:
    texts = some_texts()
    assert LDA(topics=3).score(texts[4], texts)[4] == pytest.approx(1, abs=1e-6)


def test_another_seed_finds_other_topics() -> None:
    texts = some_texts()
    assert not np.allclose(LDA(seed=0).score("lake coin", texts), LDA(seed=1).score("lake coin", texts))


@pytest.mark.whole
@settings(max_examples=30, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=10), st.integers(1, 4), st.randoms())
def test_neither_order_nor_repetition_counts(query: str, texts: list[str], topics: int, rng: random.Random) -> None:
    scorer = LDA(topics=topics)
    scores = scorer.score(query, texts)
    assert scores.shape == (len(texts),)
    assert ((scores >= 0) & (scores <= 1)).all()
    turned = list(range(len(texts))) * 2
    rng.shuffle(turned)
    np.testing.assert_array_equal(scorer.score(query, [texts[i] for i in turned]), scores[turned])


@pytest.mark.parametrize("texts", [[], [""], ["?", "->"]])
def test_texts_without_words(texts: list[str]) -> None:
    assert LDA().score("lake", texts).tolist() == [0.0] * len(texts)


@pytest.mark.parametrize("query", ["", "?", "unknown words"])
def test_a_query_without_known_words(query: str) -> None:
    assert LDA().score(query, ["lake", "river coin", ""]).tolist() == [0, 0, 0]


def test_a_text_without_words_among_others_scores_zero() -> None:
    scores = LDA().score("lake", ["lake", "", "river", "!"])
    assert scores[0] > 0
    assert scores[[1, 3]].tolist() == [0, 0]


@pytest.mark.parametrize(("name", "value"), [("topics", 0), ("topics", 1001), ("seed", -1)])
def test_values_that_are_refused(name: str, value: int) -> None:
    with fails("parameter.not_allowed", brick="LDA", name=name):
        LDA(**{name: value})


def test_missing_scikit_learn_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "sklearn"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModelError, match=r"need the package sklearn\S*: pip install 'graphbrick\[statistical\]'"):
        LDA().score("lake", ["lake"])
