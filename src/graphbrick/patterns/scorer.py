"""Trained scores of relation patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.patterns.text import Steps, masked, split_start, steps_of
from graphbrick.scorers.scorer import Scorer


@dataclass(frozen=True, repr=False)
class PatternScorer(Scorer):
    """Scores paths by their relations, as learned from questions with answers (``graphbrick train patterns``).

    Of a text such as ``Nairobi <- capital <- Kenya -> currency -> Kenyan shilling`` only the relations, their
    directions and the start count: all paths of one pattern from one start have the same score. The name of the start
    is masked in the question, so that what was learned holds for all entities. A question costs one embedding a start;
    everything else is kept. Relations that had no example are scored by their words.

    The score of a path says how well the *end* of its pattern answers the question; it is trained so that among
    patterns of one length the beginning of the right one is ahead, which is what a beam search needs. A text that is no
    path, or of more hops than were trained, scores -1,000,000, which is an event.

    Args:
        model: The folder that ``graphbrick train patterns`` wrote.

    Returns:
        One score a text; only differences between scores of one question have a meaning: they are those of log
        probabilities.

    Raises:
        ModelError: The folder is not there, is damaged, or was trained over an embedding model that is not installed.
    """

    paper = "the relation patterns of Luo et al., Reasoning on Graphs, ICLR 2024, scored instead of written"

    comparable: ClassVar[bool] = True

    model: str = parameter(path=True, example="films.patterns")

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """The score of the pattern of each text."""
        from graphbrick.patterns.folder import load

        model = load(self.model)
        if not texts:
            return np.zeros(0)
        patterns: list[Steps] = []
        by_start: dict[str, list[int]] = {}
        for i, text in enumerate(texts):
            start, walked = split_start(text)
            by_start.setdefault(start, []).append(i)
            patterns.append(steps_of(walked))
        self._tell(patterns, model.max_hops)
        scores = np.empty(len(texts))
        for start, some in by_start.items():
            scores[some] = model.score(model.ask(masked(query, start)), [patterns[i] for i in some])
        if any(patterns) and not any(model.knows(label) for steps in patterns for label, _ in steps):
            event(f"{self.model} was trained with none of these relations; they are scored by their words alone")
        return scores

    def _tell(self, patterns: Sequence[Steps], max_hops: int) -> None:
        """Say which texts have no score."""
        none = sum(not steps for steps in patterns)
        longer = sum(len(steps) > max_hops for steps in patterns)
        if none:
            event(f"{none:,} of {len(patterns):,} texts are no paths, so that {self.model} puts them last")
        if longer:
            event(f"{longer:,} paths have more than {max_hops} hops, for which {self.model} was not trained; put last")
