"""What a scorer is: texts in, one number a text out, higher is closer to the query."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphbrick.brick import Brick


class Scorer(Brick):
    """Scores texts against a query. Bricks that rank or prune take one as their first parameter."""

    @abstractmethod
    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """One score a text, float64 [texts], higher is better; comparable within one call only.

        Args:
            query: The question.
            texts: What to score; may be empty.
        """
