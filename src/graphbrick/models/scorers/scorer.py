"""Base class of scorers: one number for each item or text; higher is closer to the query."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core import Scorable, texts_of
from graphbrick.core.errors import ModelError, PipelineError
from graphbrick.pipeline.brick import Brick


def check_prefilter(brick: Any) -> None:
    """Raise PipelineError if a brick says how many candidates a pre-filter leaves, but has none."""
    if brick.prefilter is None and brick.prefilter_n != type(brick).prefilter_n:
        raise PipelineError(
            f"{type(brick).__name__} prefilter_n says how many candidates prefilter leaves; give prefilter too",
            code="scorer.no_prefilter",
        )


class Scorer(Brick):
    """Base of scorers of texts for a query. Bricks that rank or prune take one as their first parameter.

    A scorer implements `score`. Bricks that have items of evidence call `rate_items`, bricks that have texts call
    `rate`, which asks for every distinct text once and checks the result. A scorer that needs more of an item than its
    text, such as the relations of a path, overrides `rate_items`.

    Attributes:
        comparable: Whether scores of different calls can be compared: True for similarities, False where a score
            depends on the texts it was given with, as document frequencies and rankings do.
    """

    comparable: ClassVar[bool] = False

    @abstractmethod
    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return one score per text, float64 [texts]; higher is better, comparable within one call only.

        Args:
            query: The question.
            texts: Texts to score; may be empty.
        """

    def rate_items(self, query: str, items: Sequence[Scorable], *, by_pattern: bool = False) -> npt.NDArray[np.float64]:
        """Return the score of each item, float64 [items], all finite.

        Args:
            query: The question.
            items: Items of evidence or relation patterns; may be empty.
            by_pattern: Whether to score the text without names of entities rather than the whole text.

        Raises:
            ModelError: As for `rate`.
        """
        return self.rate(query, [item.pattern_text for item in items] if by_pattern else texts_of(items))

    @property
    def reads_text_only(self) -> bool:
        """Return whether scores depend on the text of an item alone: `rate_items` is not overridden."""
        return type(self).rate_items is Scorer.rate_items

    def rate(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the score of each text, float64 [texts], all finite; equal texts are scored once.

        Raises:
            ModelError: `score` gave the wrong number of scores, or one that is not finite.
        """
        place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
        if not place:
            return np.zeros(0)
        distinct = list(place)
        output = self.score(query, distinct)
        try:
            scores = np.asarray(output, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ModelError(
                f"{self!r} gave {output!r:.80}, not one number a text", code="scorer.not_numbers"
            ) from error
        if scores.shape != (len(distinct),):
            raise ModelError(
                f"{self!r} gave scores of shape {scores.shape} for {len(distinct)} texts; it must give one a text",
                code="scorer.wrong_shape",
            )
        wrong = np.flatnonzero(~np.isfinite(scores))
        if len(wrong):
            raise ModelError(
                f"{self!r} gave {scores[wrong[0]]} for the text {distinct[wrong[0]]!r:.80}; a score is a finite number",
                code="scorer.not_finite",
                score=float(scores[wrong[0]]),
                text=distinct[wrong[0]],
            )
        return scores[[place[text] for text in texts]]
