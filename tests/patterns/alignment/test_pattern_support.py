"""How well the words of a question support a pattern, for `graphbrick.patterns.model.confidence`."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from graphbrick.patterns.alignment.alignment import content
from graphbrick.patterns.model.confidence import SUPPORT, _support
from graphbrick.patterns.text import words_of

VECTORS = {"wife": [1.0, 0.0], "spouse": [0.8, 0.6], "pays": [0.0, 1.0], "salary": [0.0, 1.0]}


def test_words_that_another_thread_forgets_meanwhile_are_still_known() -> None:
    known: dict[str, np.ndarray] = {}

    def embed(texts: Sequence[str]) -> np.ndarray:
        known.clear()  # as another thread does when there are too many
        return np.array([VECTORS[text] for text in texts], dtype=np.float32)

    model = SimpleNamespace(embedder=SimpleNamespace(embed=embed))
    words = {("spouse", True): ("spouse",), ("salary", True): ("pays",)}
    found = []
    for question, step in (("the wife of X", "spouse"), ("the wife of X", "salary"), ("the spouse of X", "salary")):
        prepared = SimpleNamespace(tokens=content(words_of(question)))
        found.append(_support(model, words, known, prepared, ((step, True),)))  # type: ignore[arg-type]
    assert np.allclose(found, [SUPPORT[1], SUPPORT[0], 0.6])
