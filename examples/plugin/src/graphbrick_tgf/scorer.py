"""The scorer `SharedWords`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick import Scorer
from graphbrick.core.parameters import parameter


@dataclass(frozen=True, repr=False)
class SharedWords(Scorer):
    """The share of the words of a text that the question has too.

    Args:
        shortest: Letters of the shortest word that counts.
    """

    comparable: ClassVar[bool] = True

    shortest: int = parameter(3, at_least=1, search=(1, 3, 5))

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the share of each text."""
        question = self._words(query)
        return np.array([len(question & self._words(text)) / max(1, len(self._words(text))) for text in texts])

    def _words(self, text: str) -> set[str]:
        words = "".join(letter if letter.isalnum() else " " for letter in text.lower()).split()
        return {word for word in words if len(word) >= self.shortest}
