"""Character n-grams in common, a statistical scorer."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.compute import check_limits
from graphbrick.core.parameters import parameter
from graphbrick.language.folding import fold
from graphbrick.models.scorers.scorer import Scorer


@dataclass(frozen=True, repr=False)
class NGram(Scorer):
    """Character n-grams in common with the query: similar spellings count, not only equal words.

    Texts and query are folded to lower-case words without accents, each word is put between two spaces and cut into
    all groups of ``size`` characters; a word that is shorter than that, with its spaces, is one group. The score is the
    cosine of how often each group occurs, so that scores of different calls can be compared.

    Args:
        size: Characters in a group, from 1 to 32.

    Returns:
        One score a text, in [0, 1]; 0 where text or query has no letter or digit.

    Example:
        >>> NGram().score("Kenyan currencies", ["Kenya -> currency", "Uganda -> time zone"]) > 0.3
        array([ True, False])
    """

    paper = "Cavnar and Trenkle, N-Gram-Based Text Categorization, SDAIR 1994"
    comparable: ClassVar[bool] = True

    size: int = parameter(3, at_least=1, at_most=32, search=(2, 3, 4))

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the cosine of each text and the query."""
        groups: dict[str, list[str]] = {}  # the texts of one graph repeat their words
        query_counts, scores = self._counts(query, groups), np.zeros(len(texts))
        for i, text in enumerate(texts):
            if i % 1024 == 0:
                check_limits()
            scores[i] = _cosine(query_counts, self._counts(text, groups))
        return scores

    def _counts(self, text: str, groups: dict[str, list[str]]) -> Counter[str]:
        counts: Counter[str] = Counter()
        for word in fold(text).split():
            if word not in groups:
                padded = f" {word} "
                groups[word] = [padded[i : i + self.size] for i in range(max(1, len(padded) - self.size + 1))]
            counts.update(groups[word])
        return counts


def _cosine(a: Mapping[str, int], b: Mapping[str, int]) -> float:
    # Whole numbers up to the root, so that equal texts score 1 and the order of the groups does not count.
    shared = sum(count * b[group] for group, count in a.items() if group in b)
    norms = sum(n * n for n in a.values()) * sum(n * n for n in b.values())
    return min(1.0, shared / math.sqrt(norms)) if shared else 0.0
