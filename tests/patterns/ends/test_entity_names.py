from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

from graphbrick.core.errors import ModelError
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.ends.entity_names import NameTable

NAMES = ["Red River", "Blue River", "Lake", ""]


@dataclass(frozen=True, repr=False)
class Lengths(Embedder):
    """A vector that depends on the length of the text alone; fails for long texts."""

    @property
    def identity(self) -> str:
        return "lengths"

    def encode(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        if max(map(len, texts)) > 50:
            raise ModelError("too long")
        angle = np.array([len(text) / 50 for text in texts])
        return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)


def test_words_weigh_by_how_few_names_have_them() -> None:
    names = NameTable(None).look_up(np.arange(4), NAMES.__getitem__, {"red", "river", "ocean"}, None)
    red, river = np.log(5 / 1), np.log(5 / 2)
    assert names.weight == pytest.approx([red + river, river, 0, 0])
    assert names.cover == pytest.approx([1, river / (np.log(5 / 1) + river), 0, 0])
    assert names.similarity is None


def test_names_are_the_same_whatever_was_asked_before() -> None:
    table, fresh = NameTable(Lengths()), NameTable(Lengths())
    query = np.eye(2, dtype=np.float32)
    table.look_up(np.array([3, 1]), NAMES.__getitem__, {"lake"}, query)
    again = table.look_up(np.array([0, 1, 2]), NAMES.__getitem__, {"blue"}, query)
    alone = fresh.look_up(np.array([0, 1, 2]), NAMES.__getitem__, {"blue"}, query)
    assert again.weight == pytest.approx(alone.weight)
    assert again.similarity is not None
    assert again.similarity == pytest.approx(Lengths().embed(NAMES[:3]).astype(np.float32), abs=1e-3)


def test_a_failure_of_the_model_changes_nothing() -> None:
    table, query, names = NameTable(Lengths()), np.eye(2, dtype=np.float32), [*NAMES, "long " * 20]
    with pytest.raises(ModelError, match="too long"):
        table.look_up(np.array([0, 4]), names.__getitem__, {"red"}, query)
    after = table.look_up(np.array([1, 0]), names.__getitem__, {"red"}, query)
    assert after.weight == pytest.approx([0, np.log(3)])
    assert after.similarity == pytest.approx(Lengths().embed(["Blue River", "Red River"]).astype(np.float32), abs=1e-3)
