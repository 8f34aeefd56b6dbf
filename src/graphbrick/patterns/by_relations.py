"""Scores of paths composed from the scores of their relations, of which a graph has few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, PathPattern, Scorable
from graphbrick.core.parameters import parameter
from graphbrick.language.folding import tokens
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.patterns.text import masked, readable, split_start, steps_of

_SHORTEST = 3  # letters of a word that counts


@dataclass(frozen=True, repr=False)
class ByRelations(Scorer):
    """A scorer of paths by the mean score of their relations, and a little for names in the question.

    A graph has a few hundred relations, but a question has thousands of paths. An embedder therefore reads few texts,
    and keeps them for the next questions. It knows nothing of the order of relations or the meaning of names, so use it
    to choose the paths that a better scorer then reads in full: ``Rerank(ByRelations(MiniLM()), n=128) >>
    Rerank(MiniLM(), n=32)``, or as ``prefilter`` of `BeamSearch`. The name of the start counts neither in the question
    nor in the path. Items without relations, such as passages, are scored by their whole text.

    Args:
        scorer: What scores the relations, such as MiniLM(); its scores of different calls must compare.
        names: What a path gains if all words of the question occur in the names of its entities, at least 0; a share of
            the words gains that share.

    Returns:
        One score for each item; higher is better.
    """

    paper = "Sun et al., Think-on-Graph, ICLR 2024 (relations before entities)"

    comparable: ClassVar[bool] = True

    scorer: Scorer = parameter(example="MiniLM()")
    names: float = parameter(0.2, at_least=0, search=(0, 0.2))

    def rate_items(self, query: str, items: Sequence[Scorable], *, by_pattern: bool = False) -> npt.NDArray[np.float64]:
        """Return the score of each item, from its steps where it is a path or a pattern."""
        walks = []
        for item in items:
            if isinstance(item, Path | PathPattern):
                text = item.pattern_text if by_pattern else item.text
                relations = tuple(step.relation for step in item.steps)
                # A pattern has the name that the question calls its start by; its text begins with the label.
                rest = text[len(item.start_label) :] if isinstance(item, Path) else split_start(text)[1]
                walks.append((item.start_label, relations, rest if relations else text))
            else:
                walks.append(("", (), item.text))
        return self._scores(query, walks)

    def score(self, query: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return the score of each text; paths are read by their arrows."""
        walks = []
        for text in texts:
            start, walked = split_start(text)
            relations = tuple(relation for relation, _ in steps_of(walked))
            walks.append((start, relations, walked if relations else text))
        return self._scores(query, walks)

    def _scores(self, query: str, walks: Sequence[tuple[str, tuple[str, ...], str]]) -> npt.NDArray[np.float64]:
        """Return the score of each start label, relations, and text (without the start if it has relations)."""
        question = query
        for start in dict.fromkeys(start for start, relations, _ in walks if relations):
            question = masked(question, start)
        units = list(dict.fromkeys(unit for _, relations, text in walks for unit in _units(relations, text)))
        rated = dict(zip(units, self.scorer.rate(question, units).tolist(), strict=True))
        words = _words(question)
        shares: dict[str, float] = {}
        scores = np.empty(len(walks))
        for i, (_, relations, text) in enumerate(walks):
            own = [rated[unit] for unit in _units(relations, text)]
            scores[i] = sum(own) / len(own)
            if self.names and relations:
                if text not in shares:
                    shares[text] = len(words & _words(text)) / max(1, len(words))
                scores[i] += self.names * shares[text]
        return scores


def _units(relations: tuple[str, ...], text: str) -> list[str]:
    """Return the texts that an item is composed of."""
    return [readable(relation) for relation in relations] or [text]


def _words(text: str) -> set[str]:
    """Return the distinct words of a text that are long enough to mean something."""
    return {token.text for token in tokens(text) if len(token.text) >= _SHORTEST}
