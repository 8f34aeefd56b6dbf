from __future__ import annotations

import numpy as np
import pytest

from graphbrick.learn.train.patterns import role_scores
from graphbrick.learn.train.patterns.role_scores import RoleScores, is_many


def test_both_orders_of_the_products_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)

    def drawn(*shape: int) -> np.ndarray:
        return rng.normal(size=shape).astype(np.float32)

    values = {"scale": drawn(4), "narrow": drawn(6, 11), "maps": drawn(4, 9, 6)}
    questions, words, gradient = drawn(3, 11), drawn(5, 9), drawn(3, 4, 5)
    results = []
    for many in (False, True):
        monkeypatch.setattr(role_scores, "is_many", lambda *sizes, many=many: many)
        scores = RoleScores.of(values, questions, words)
        assert (scores.projected is None) is many
        results.append({"table": scores.table, **scores.gradients(values, questions, words, gradient)})
    for name, array in results[0].items():
        np.testing.assert_allclose(array, results[1][name], rtol=1e-4, atol=1e-4, err_msg=name)
    role = 2
    asked = values["scale"][role] * questions[1, :9] + values["maps"][role] @ (values["narrow"] @ questions[1])
    assert results[0]["table"][1, role, 4] == pytest.approx(float(words[4] @ asked), rel=1e-4)


def test_relations_go_first_unless_they_are_many() -> None:
    assert not is_many(relations=13, questions=32, rank=64)
    assert is_many(relations=600, questions=32, rank=64)
