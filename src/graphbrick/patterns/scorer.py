"""Trained scores of relation patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, PathPattern, Reading, Scorable
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.patterns.confidence import fit_features
from graphbrick.patterns.text import Steps, labelled, masked, split_start, steps_of
from graphbrick.scorers.scorer import Scorer


@dataclass(frozen=True, repr=False)
class PatternScorer(Scorer):
    """Scores paths by their relations, as learned from questions with answers (``graphbrick train patterns``).

    Only the relations of a path, their directions, its start, and where it comes back to its start count: all paths of
    one pattern from one start have the same score. The name of the start is masked in the question, so that the model
    holds for all entities. A question costs one embedding a start; everything else is cached. Relations without an
    example in training are scored by their words.

    The score says how well the *end* of the pattern answers the question; the model is trained so that among patterns
    of one length the beginning of the right one is ahead, which a beam search needs. Items that are not paths, and
    paths of more hops than were trained, score -1,000,000, which is an event. Plain texts, such as ``Nairobi <- capital
    <- Kenya``, are read by their arrows.

    Args:
        model: The folder that ``graphbrick train patterns`` wrote.

    Returns:
        One score an item; only differences between scores of one question have a meaning: they are differences of log
        probabilities.

    Raises:
        ModelError: The folder is missing or damaged, or was trained over an embedding model that is not installed.
    """

    paper = "the relation patterns of Luo et al., Reasoning on Graphs, ICLR 2024, scored instead of written"

    comparable: ClassVar[bool] = True

    model: str = parameter(path=True, example="films.patterns")

    def rate_items(self, query: str, items: Sequence[Scorable], *, by_pattern: bool = False) -> npt.NDArray[np.float64]:
        """Return the score of the pattern of each item; paths and patterns are not read from their text."""
        known: dict[object, tuple[str, Steps]] = {}
        walks = []
        for item in items:
            if isinstance(item, Path):
                key = item.start, item.pattern, item.comes_back and item.nodes
                walk = known.get(key)
                if walk is None:
                    walk = known[key] = item.start_label, labelled(item.steps)
            else:
                walk = (item.start_label, labelled(item.steps)) if isinstance(item, PathPattern) else ("", ())
            walks.append(walk)
        return self._scores(query, walks)

    def confidence(self, query: str, readings: Sequence[Reading]) -> float | None:
        """Return the probability that the first reading is right; None if the patterns were trained without it."""
        from graphbrick.patterns.folder import load

        model = load(self.model)
        sure = model.calibration
        if sure is None or model.alignment is None:
            return None
        return sure.probability(fit_features(model, sure.words, sure.vectors, query, readings))

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the score of the pattern of each text."""
        walks = []
        for text in texts:
            start, walked = split_start(text)
            walks.append((start, steps_of(walked)))
        return self._scores(query, walks)

    def _scores(self, query: str, walks: Sequence[tuple[str, Steps]]) -> npt.NDArray[np.float64]:
        """Return the score of each (label of the start, steps)."""
        from graphbrick.patterns.folder import load

        model = load(self.model)
        if not walks:
            return np.zeros(0)
        places = {walk: i for i, walk in enumerate(dict.fromkeys(walks))}
        distinct = list(places)
        patterns = [steps for _, steps in distinct]
        self._tell([steps for _, steps in walks], model.max_hops)
        by_start: dict[str, list[int]] = {}
        for i, (start, _) in enumerate(distinct):
            by_start.setdefault(start, []).append(i)
        scores = np.empty(len(distinct))
        for start, rows in by_start.items():
            scores[rows] = model.score(model.ask(masked(query, start)), [patterns[i] for i in rows])
        if any(patterns) and not any(model.knows(label) for steps in patterns for label, _ in steps):
            event(f"{self.model} was trained with none of these relations; they are scored by their words alone")
        return scores[[places[walk] for walk in walks]]

    def _tell(self, patterns: Sequence[Steps], max_hops: int) -> None:
        """Record which items have no score."""
        none = sum(not steps for steps in patterns)
        longer = sum(len(steps) > max_hops for steps in patterns)
        if none:
            event(f"{none:,} of {len(patterns):,} items are not paths; {self.model} puts them last")
        if longer:
            event(f"{longer:,} paths have more than {max_hops} hops, for which {self.model} was not trained; put last")
