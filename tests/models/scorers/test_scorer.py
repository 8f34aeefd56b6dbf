from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from faults import fails
from hypothesis import given
from hypothesis import strategies as st

from graphbrick.core.errors import ModelError
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.scorers.scorer import Scorer

ASKED: list[tuple[str, list[str]]] = []


@dataclass(frozen=True, repr=False)
class Gives(Scorer):
    """What a function gives; keeps what it was asked in ASKED.

    Args:
        function: Texts in, scores out.
    """

    function: Callable[[Sequence[str]], Any]

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        ASKED.append((query, list(texts)))
        return self.function(texts)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return "Gives()"


def lengths(texts: Sequence[str]) -> npt.NDArray[np.float64]:
    return np.array([len(text) for text in texts], dtype=np.float64)


@given(st.lists(st.one_of(st.sampled_from(["", "a", "A", "a ", "á", "a\u0301", "\ud800"]), st.text(max_size=3))))
def test_every_distinct_text_is_scored_once(texts: list[str]) -> None:
    ASKED.clear()
    before = list(texts)
    scores = Gives(lengths).rate("question", texts)
    assert texts == before
    assert scores.tolist() == [len(text) for text in texts]
    assert (scores.dtype, scores.shape) == (np.float64, (len(texts),))
    distinct = list(dict.fromkeys(texts))
    assert [("question", distinct)] * bool(distinct) == ASKED


def test_nothing_is_not_scored() -> None:
    ASKED.clear()
    scores = Gives(lambda texts: 1 / 0).rate("?", [])
    assert (scores.dtype, scores.shape, ASKED) == (np.float64, (0,), [])


@pytest.mark.parametrize(
    "function",
    [
        lambda texts: [len(text) for text in texts],
        lambda texts: tuple(float(len(text)) for text in texts),
        lambda texts: np.array([len(text) for text in texts], dtype=np.int8),
        lambda texts: np.array([len(text) for text in texts], dtype=np.float16),
        lambda texts: np.array([len(text) for text in texts[::-1]])[::-1],
    ],
)
def test_any_sequence_of_numbers_will_do(function: Callable[[Sequence[str]], Any]) -> None:
    scores = Gives(function).rate("?", ["ab", "c", "ab", ""])
    assert (scores.dtype, scores.tolist()) == (np.float64, [2, 1, 2, 0])


@pytest.mark.parametrize(
    ("given_scores", "shape"),
    [
        ([], "(0,)"),
        ([1.0, 2.0], "(2,)"),
        ([1.0] * 4, "(4,)"),
        ([[1.0], [2.0], [3.0]], "(3, 1)"),
        ([[1.0, 2.0, 3.0]], "(1, 3)"),
        (5.0, "()"),
        (None, "()"),
    ],
)
def test_another_shape_is_an_error(given_scores: Any, shape: str) -> None:
    with pytest.raises(ModelError) as caught:
        Gives(lambda texts: given_scores).rate("?", ["a", "b", "c"])
    assert str(caught.value) == f"Gives() gave scores of shape {shape} for 3 texts; it must give one a text"


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), float("-inf"), None])
def test_a_score_that_is_not_finite_is_an_error(wrong: Any) -> None:
    with pytest.raises(ModelError, match=r"^Gives\(\) gave (nan|inf|-inf) for the text 'b'; .*finite") as caught:
        Gives(lambda texts: [0.0, wrong, wrong]).rate("?", ["a", "b", "c"])
    assert len(str(caught.value)) < 200
    with pytest.raises(ModelError) as caught:
        Gives(lambda texts: [wrong]).rate("?", ["long " * 1000])
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("given_scores", [["high", "low"], [[1.0], [1.0, 2.0]], [{}, {}]])
def test_scores_that_are_no_numbers_are_a_model_error(given_scores: Any) -> None:
    with fails("scorer.not_numbers"):
        Gives(lambda texts: given_scores).rate("?", ["a", "b"])


def test_the_array_of_the_scorer_is_not_handed_on() -> None:
    kept = np.array([1.0, 2.0])
    scores = Gives(lambda texts: kept).rate("?", ["a", "b"])
    scores[:] = np.inf
    assert kept.tolist() == [1, 2]


def test_an_error_of_the_scorer_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        Gives(lambda texts: 1 / 0).rate("?", ["a"])


# Embedders


@dataclass(frozen=True, repr=False)
class Axes(Embedder):
    """A text is the direction of its first letter among x, y, z, turned a little by its length.

    Args:
        marks_questions: Whether questions have vectors of their own.
    """

    marks_questions: bool = False

    @property
    def identity(self) -> str:
        return "axes"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        ASKED.append(("encode", list(texts)))
        vectors = np.zeros((len(texts), 3), dtype=np.float32)
        for row, text in enumerate(texts):
            angle = 0.01 * len(text)
            first = "xyz".index(text[0])
            vectors[row, first], vectors[row, (first + 1) % 3] = np.cos(angle), np.sin(angle)
        return vectors

    def encode_query(self, query: str) -> npt.NDArray[np.float32]:
        return super().encode_query(f"z{query}" if self.marks_questions else query)


def test_an_embedder_scores_by_cosine_in_half_precision() -> None:
    texts = ["x", "y", "xxxx", "zz", "x" * 300]
    scores = Axes().score("xy", texts)
    vectors = Axes().encode(["xy", *texts]).astype(np.float16).astype(np.float64)
    np.testing.assert_allclose(scores, np.clip(vectors[1:] @ vectors[0], -1, 1), rtol=0, atol=1e-6)
    assert scores.dtype == np.float64
    assert Axes.comparable
    assert not Scorer.comparable


def test_a_question_may_have_a_vector_of_its_own() -> None:
    assert Axes().score("x", ["x", "z"]).argmax() == 0
    assert Axes(marks_questions=True).score("x", ["x", "z"]).argmax() == 1


def test_outside_a_run_each_text_is_encoded_once_in_half_precision() -> None:
    ASKED.clear()
    vectors = Axes().embed(["y", "x", "y"])
    assert ASKED == [("encode", ["y", "x"])]
    assert vectors.dtype == np.float16
    assert (vectors == Axes().encode(["y", "x", "y"]).astype(np.float16)).all()
    ASKED.clear()
    assert len(Axes().embed([])) == 0
    assert Axes().score("x", []).shape == (0,)
    assert ASKED == []
