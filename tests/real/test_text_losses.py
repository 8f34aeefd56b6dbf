"""The losses of the text models, against their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from graphbrick.learn.train.texts.embedder import EmbedderTrainee
from graphbrick.learn.train.texts.reranker import RerankerTrainee
from graphbrick.learn.train.texts.text_models import Row, TextParameters
from graphbrick.learn.train.texts.text_trainer import Drawn

pytestmark = pytest.mark.models


def key(seed: int, relation: int) -> tuple[int, tuple[tuple[int, bool], ...]]:
    return seed, ((relation, True),)


def embedder_with(vectors: dict[str, list[float]], loss: str, margin: float = 0.5) -> Any:
    how = TextParameters(caller="test", losses=(loss,), loss=loss, margin=margin)
    made = object.__new__(EmbedderTrainee)
    made.device, made.how, made.prefixes = torch.device("cpu"), how, {"query_prefix": "", "text_prefix": ""}
    made.tokens = lambda texts: texts  # type: ignore[method-assign,assignment]
    made.forward = lambda texts: torch.nn.functional.normalize(  # type: ignore[method-assign]
        torch.tensor([vectors[text] for text in texts]), dim=-1
    )
    return made


def test_a_positive_of_the_question_in_another_row_is_no_negative() -> None:
    rng = np.random.default_rng(0)
    names = ["q1", "q2", "p1", "p1 too", "n1", "p2", "n2"]
    vectors = {name: rng.normal(size=4).tolist() for name in names}
    right = frozenset({key(1, 0), key(1, 1)})
    one = Row("q1", ("p1", "p1 too"), ("n1",), (key(1, 0), key(1, 1), key(1, 2)), right)
    two = Row("q2", ("p2",), ("n2",), (key(2, 0), key(2, 1)), frozenset({key(2, 0)}))
    drawn = [
        Drawn(one, ("p1", "n1"), (key(1, 0), key(1, 2))),
        Drawn(one, ("p1 too", "n1"), (key(1, 1), key(1, 2))),
        Drawn(two, ("p2", "n2"), (key(2, 0), key(2, 1))),
    ]
    unit = {name: np.array(v) / np.linalg.norm(v) for name, v in vectors.items()}

    def term(question: str, positive: str, others: list[str]) -> float:
        scores = np.array([20 * unit[question] @ unit[text] for text in (positive, *others)])
        return float(np.log(np.exp(scores).sum()) - scores[0])

    expected = [
        term("q1", "p1", ["n1", "p2", "n2"]),
        term("q1", "p1 too", ["n1", "p2", "n2"]),
        term("q2", "p2", ["p1", "n1", "p1 too", "n2"]),
    ]
    found = embedder_with(vectors, "multiple_negatives").loss(drawn)
    assert found.item() == pytest.approx(np.mean(expected), rel=1e-4)
    terms = [
        max(0.0, 0.5 - unit[q] @ unit[p] + unit[q] @ unit[n])
        for q, p, n in (("q1", "p1", "n1"), ("q1", "p1 too", "n1"), ("q2", "p2", "n2"))
    ]
    found = embedder_with(vectors, "margin").loss(drawn)
    assert found.item() == pytest.approx(np.mean(terms), rel=1e-4)


@pytest.mark.parametrize("loss", ["softmax", "binary", "margin"])
def test_the_losses_of_a_reranker_do_not_count_padding(loss: str) -> None:
    scores = torch.tensor([1.0, 0.5, -1.0, 0.2, 0.9])  # a row of three texts, and one of two
    model = object.__new__(RerankerTrainee)
    model.device = torch.device("cpu")
    model.how = TextParameters(caller="test", losses=(loss,), loss=loss, margin=1.0)
    model.tokens = lambda texts: {}  # type: ignore[method-assign]
    model.forward = lambda tokens: scores  # type: ignore[method-assign]
    row = Row("q", ("p",), ("n", "m"), (), frozenset())
    drawn = [Drawn(row, ("p", "n", "m"), (key(1, 0),) * 3), Drawn(row, ("p", "n"), (key(1, 0),) * 2)]
    s = scores.numpy().astype(np.float64)
    expected = {
        "softmax": np.mean([np.log(np.exp(s[:3]).sum()) - s[0], np.log(np.exp(s[3:]).sum()) - s[3]]),
        "binary": np.mean(np.log1p(np.exp(np.array([-s[0], s[1], s[2], -s[3], s[4]])))),
        "margin": np.mean([max(0, 1 - s[0] + s[1]), max(0, 1 - s[0] + s[2]), max(0, 1 - s[3] + s[4])]),
    }
    assert model.loss(drawn).item() == pytest.approx(expected[loss], rel=1e-5)
