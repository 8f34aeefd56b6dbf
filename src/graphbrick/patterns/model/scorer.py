"""Trained scores of relation patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, PathPattern, Reading, Scorable, Step
from graphbrick.core.graph import Graph as CoreGraph
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.graphs.graph import Graph
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.patterns.model.confidence import fit_features
from graphbrick.patterns.model.model import note_of_unlearned
from graphbrick.patterns.model.unread import unread
from graphbrick.patterns.pattern_reader import PatternReader
from graphbrick.patterns.text import Steps, as_labels, masked, split_start, steps_of

_Walk = tuple[str, Steps | tuple[Step, ...]]


@dataclass(frozen=True, repr=False)
class PatternScorer(PatternReader):
    """A scorer of paths by their relations, learned from questions (``graphbrick train patterns``).

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
        walks: list[_Walk] = []
        places: list[int] = []
        known: dict[object, int] = {}
        for item in items:
            if isinstance(item, PathPattern):
                places.append(len(walks))
                walks.append((item.start_label, item.steps))
                continue
            # Many paths have one pattern.
            key = (item.start, item.pattern, item.comes_back and item.nodes) if isinstance(item, Path) else None
            place = known.setdefault(key, len(walks))
            if place == len(walks):
                walks.append((item.start_label, item.steps) if isinstance(item, Path) else ("", ()))
            places.append(place)
        return self._scores(query, [start for start, _ in walks], [steps for _, steps in walks], places)

    def rate_steps(
        self, query: str, starts: Sequence[str], patterns: Sequence[tuple[Step, ...]]
    ) -> npt.NDArray[np.float64]:
        """Return the score of each pattern."""
        return self._scores(query, starts, patterns, range(len(patterns)))

    @property
    def embedder(self) -> Embedder:
        """What embeds questions and relations."""
        from graphbrick.patterns.model.folder import load

        return load(self.model).embedder

    @property
    def symmetric(self) -> frozenset[str]:
        """Labels of the relations whose two directions were learned as one."""
        from graphbrick.patterns.model.folder import load

        return load(self.model).symmetric

    def note_on(self, graph: CoreGraph) -> str:
        """Return which relations came after the graph was learned; nothing if there are none."""
        from graphbrick.patterns.model.folder import load

        fresh = load(self.model).unlearned(graph) if isinstance(graph, Graph) else ()
        return note_of_unlearned(fresh) if fresh else ""

    def confidence(self, query: str, read: Callable[[], Sequence[Reading]]) -> float | None:
        """Return the probability that the first reading is right; None if trained without it."""
        from graphbrick.patterns.model.folder import load

        model = load(self.model)
        sure = model.calibration
        if sure is None or model.alignment is None:
            return None
        readings = read()
        if not readings:
            return None
        probability = sure.probability(fit_features(model, sure.words, sure.vectors, query, readings))
        words, share = unread(model, sure, query, readings[0])
        if words:
            event(
                f"not read in this question: {' and '.join(map(repr, words))}", "pattern_scorer.not_read", words=words
            )
        return probability * share

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the score of the pattern of each text."""
        walks: dict[_Walk, int] = {}
        places = []
        for text in texts:
            start, walked = split_start(text)
            places.append(walks.setdefault((start, steps_of(walked)), len(walks)))
        return self._scores(query, [start for start, _ in walks], [steps for _, steps in walks], places)

    def _scores(
        self, query: str, starts: Sequence[str], walks: Sequence[Steps | tuple[Step, ...]], places: Sequence[int]
    ) -> npt.NDArray[np.float64]:
        """Return the scores of items, given which walk each takes; walks are steps from a start with a label."""
        from graphbrick.patterns.model.folder import load

        model = load(self.model)
        if not walks:
            return np.zeros(0)
        hops = list(map(len, walks))
        if min(hops) == 0 or max(hops) > model.max_hops:
            self._tell([hops[place] for place in places], model.max_hops)
        scores = np.empty(len(walks))
        for start in dict.fromkeys(starts):
            rows = [i for i, label in enumerate(starts) if label == start]
            scores[rows] = model.score(model.ask(masked(query, start)), [walks[i] for i in rows])
        if any(hops) and not any(model.knows(label) for steps in walks for label, _ in as_labels(steps)):
            event(
                f"{self.model} was trained with none of these relations; they are scored by their words alone",
                "pattern_scorer.unlearned_relations",
            )
        return scores[places]

    def _tell(self, hops: list[int], max_hops: int) -> None:
        """Record which items have no score, given the number of steps of each."""
        none, longer = hops.count(0), sum(n > max_hops for n in hops)
        if none:
            event(
                f"{none:,} of {len(hops):,} items are not paths; {self.model} puts them last",
                "pattern_scorer.not_paths",
                n=none,
                total=len(hops),
            )
        if longer:
            event(
                f"{longer:,} paths have more than {max_hops} hops, for which {self.model} was not trained; put last",
                "pattern_scorer.too_long",
                n=longer,
                max_hops=max_hops,
            )
