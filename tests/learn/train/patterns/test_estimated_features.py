"""Estimates of the embeddings of questions from those of others in similar words."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.learn.train.patterns.estimated_features import estimated

QUESTIONS = [
    f"{ask} the {noun} of {whose} {other} of X"
    for ask, noun, whose, other in product(
        ("who is", "name", "tell me"), ("child", "boss", "neighbour", "friend"), ("the", "any"), ("leader", "owner")
    )
]


def words_embedded(words: Sequence[str]) -> npt.NDArray[np.float32]:
    """Return unit vectors of words; «kid» means nearly what «child» does."""
    rows = [np.random.default_rng(list(word.replace("kid", "child").encode())).normal(size=64) for word in words]
    vectors = np.array(rows, dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def embedded(texts: list[str]) -> npt.NDArray[np.float32]:
    """Return unit vectors that depend on every word and a little on the whole text."""
    rows = []
    for text in texts:
        words = [np.random.default_rng(list(word.encode())).normal(size=64) for word in text.split()]
        rows.append(np.sum(words, axis=0) + 0.3 * np.random.default_rng(list(text.encode())).normal(size=64))
    vectors = np.array(rows, dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def test_estimates_are_near_the_embeddings() -> None:
    drawn = np.random.default_rng(0).permutation(len(QUESTIONS))
    texts, others = [QUESTIONS[i] for i in drawn[:32]], [QUESTIONS[i] for i in drawn[32:]]
    known, right = embedded(texts), embedded(others)
    made = estimated(known, texts, others, words_embedded)
    assert made.dtype == np.float32
    assert np.allclose(np.linalg.norm(made, axis=1), 1, atol=1e-5)
    cosines = made @ right.T
    assert (cosines.argmax(axis=1) == np.arange(len(others))).mean() > 0.8  # each is nearest to its own embedding
    assert np.diag(cosines).mean() > 0.9


def test_words_that_no_embedded_question_has_do_no_harm() -> None:
    made = estimated(embedded(QUESTIONS), QUESTIONS, ["zzyzx", ""], words_embedded)
    assert np.isfinite(made).all()


def test_a_word_that_no_embedded_question_has_is_estimated_by_its_meaning() -> None:
    known = embedded(QUESTIONS)
    made = estimated(known, QUESTIONS, ["who is the kid of any owner of X"], words_embedded)[0]
    alike = [text for text in QUESTIONS if text.startswith("who is") and text.endswith("any owner of X")]
    cosines = {text: float(made @ known[QUESTIONS.index(text)]) for text in alike}
    assert max(cosines, key=cosines.__getitem__) == "who is the child of any owner of X"
    assert sorted(cosines.values())[-1] > sorted(cosines.values())[-2] + 0.02


def test_estimates_differ_from_each_other_as_much_as_embeddings_do() -> None:
    """A scorer that learns from them does not rely on directions that only estimates agree in."""
    drawn = np.random.default_rng(0).permutation(len(QUESTIONS))
    texts, others = [QUESTIONS[i] for i in drawn[:32]], [QUESTIONS[i] for i in drawn[32:]]
    made, right = estimated(embedded(texts), texts, others, words_embedded), embedded(others)
    assert 0.9 < made.var(axis=0).sum() / right.var(axis=0).sum() < 1.1


_ESTIMATES = """
import numpy as np
from graphbrick.learn.train.patterns.estimated_features import estimated

rng = np.random.default_rng(0)
words = [f"word{i}" for i in range(40)]
vectors = dict(zip(words, rng.normal(size=(40, 64)).astype(np.float32)))
texts = [" ".join(words[i] for i in rng.permutation(40)[:9]) for _ in range(60)]
known = rng.normal(size=(30, 64)).astype(np.float32)
made = estimated(known, texts[:30], texts[30:], lambda some: np.stack([vectors[word] for word in some]))
print(made.tobytes().hex())
"""


@pytest.mark.whole
def test_estimates_are_the_same_in_every_process() -> None:
    """Words are added up in one order, whatever the hashes of texts, which differ from process to process."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", _ESTIMATES], env=os.environ | {"PYTHONHASHSEED": seed}, check=True,
            capture_output=True, text=True,
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(printed) == 1
