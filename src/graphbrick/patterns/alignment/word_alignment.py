"""Scores of relation patterns without training: aligned words of question and pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, PathPattern, Scorable
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.language.stop_words import FUNCTION_WORDS, WHO_WHEN_WHERE
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.patterns.alignment.alignment import Alignment, Token, Transitions
from graphbrick.patterns.text import masked, readable, split_start, steps_of, words_of

Scores = npt.NDArray[np.float64]
Walk = tuple[str, tuple[tuple[str, bool], ...]]
"""The label of the start, and of each step the relation with the type of what it leads to, and its direction."""

NOT_A_PATH = -1e6
"""The score of an item that is not a path."""

# Chosen on 99 questions over the world graph and 240 of MetaQA's development questions; changing any of them by a fifth
# changes Hits@1 there by .03 at most.
_SHARPNESS = 10.0  # of the cosine of two words
_UNLIKE = 0.45  # cosine from which two words speak of the same
_WEIGHTS = (
    1.0,
    0.0,
    -2.5,
    -1.0,
    -0.65,
)  # emission, transition, hop without words, way back without words, word left over
_HOP = -1.0  # for each hop after the first
_TYPE = "\n"  # between a relation and the type of what it leads to


@dataclass(frozen=True, repr=False)
class WordAlignment(Scorer):
    """A scorer of relation patterns by their alignment with the words of the question; nothing is trained.

    Words nearer to the seed speak of earlier hops: in «the capital of the neighbours of X» the last word before X
    speaks of the first hop. Every content word should speak of a hop — be near in meaning to its relation or to the
    type of what it leads to — and every hop should be spoken of. The best alignment is found by dynamic programming,
    as for patterns learned by ``graphbrick learn``, which know more: which words mean which direction, and words that
    labels do not have. Only single words are embedded, so that a first question is fast.

    Args:
        embedder: Makes vectors of words.

    Returns:
        One score an item, higher is better; scores of one question compare. Items that are not paths score
        -1,000,000, which is an event.
    """

    comparable: ClassVar[bool] = True

    embedder: Embedder = parameter(example="MiniLM()")

    def rate_items(self, query: str, items: Sequence[Scorable], *, by_pattern: bool = False) -> Scores:
        """Return the score of the pattern of each item; paths and patterns are not read from their text."""
        return self._scores(query, [_walk_of(item) for item in items])

    def score(self, query: str, texts: Sequence[str]) -> Scores:
        """Return the score of the pattern of each text, which is read by its arrows, without types."""
        walks = []
        for text in texts:
            start, walked = split_start(text)
            walks.append((start, tuple((f"{relation}{_TYPE}", forward) for relation, forward in steps_of(walked))))
        return self._scores(query, walks)

    def nearness(self, words: Sequence[str], path: Path) -> list[float]:
        """Return how near each of some words is in meaning to the words of a path's steps, from -1 to 1."""
        _, steps = _walk_of(path)
        names = list(dict.fromkeys(name for label, _ in steps for name in _words_of_step(label)))
        if not words or not names:
            return [0.0] * len(words)
        vectors = self.embedder.embed([*words, *names]).astype(np.float64)
        nearest: list[float] = (vectors[: len(words)] @ vectors[len(words) :].T).max(axis=1).tolist()
        return nearest

    def _scores(self, query: str, walks: list[Walk]) -> Scores:
        by_start: dict[str, dict[Walk, list[int]]] = {}
        for place, walk in enumerate(walks):
            by_start.setdefault(walk[0], {}).setdefault(walk, []).append(place)
        scores = np.full(len(walks), NOT_A_PATH)
        for start, of_start in by_start.items():
            patterns = [pattern for _, pattern in of_start if pattern]
            if patterns:
                scored = iter(self._aligned(masked(query, start), patterns).tolist())
                for (_, pattern), places in of_start.items():
                    scores[places] = next(scored) if pattern else NOT_A_PATH
        missing = sum(not pattern for _, pattern in walks)
        if missing:
            event(
                f"{missing:,} of {len(walks):,} items are not paths; {self!r} puts them last",
                "word_alignment.not_paths",
                n=missing,
                total=len(walks),
            )
        return scores

    def _aligned(self, question: str, patterns: list[tuple[tuple[str, bool], ...]]) -> Scores:
        labels = tuple(dict.fromkeys(label for pattern in patterns for label, _ in pattern))
        weights = np.array([*_WEIGHTS, *(_HOP * hop for hop in range(max(map(len, patterns))))])
        steps = np.zeros((2 * len(labels) + 1, 0), dtype=np.float32)
        return _Words(self.embedder, labels, steps, Transitions(), weights, ()).score(question, patterns)


class _Words(Alignment):
    """An alignment whose words speak of a step by their nearness in meaning."""

    def read(self, words: Sequence[str], hops: Sequence[int | None] | None = None) -> tuple[list[Token], list[Token]]:
        """Return the content words; «where» and «who» are near in meaning to too much."""
        assert hops is None, "only written questions have hops"
        return super().read([word for word in words if word not in WHO_WHEN_WHERE])

    def emitted(self, tokens: Sequence[Token]) -> Scores:
        """Return how near tokens are to steps, float64 [tokens, steps + 1]; the last column is for none."""
        emitted = np.zeros((len(tokens), len(self.emission)))
        if not tokens:
            return emitted
        words = [_words_of_step(label) for label in self.relations]
        distinct = list(dict.fromkeys(word for of_step in words for word in of_step))
        place = {word: i for i, word in enumerate(distinct)}
        vectors = self.embedder.embed([*(token.word for token in tokens), *distinct]).astype(np.float64)
        near = vectors[: len(tokens)] @ vectors[len(tokens) :].T
        for number, of_step in enumerate(words):
            nearest = near[:, [place[word] for word in of_step]].max(axis=1)
            emitted[:, 2 * number : 2 * number + 2] = (_SHARPNESS * (nearest - _UNLIKE))[:, None]
        return emitted


def _walk_of(item: Scorable) -> Walk:
    if not isinstance(item, Path | PathPattern):
        return "", ()
    steps = zip(item.steps, item.types, strict=True)
    return item.start_label, tuple((f"{step.relation}{_TYPE}{type_}", step.forward) for step, type_ in steps)


def _words_of_step(label: str) -> list[str]:
    """Return the words of a relation, all of them as one, and the type of what it leads to."""
    relation, _, type_ = label.partition(_TYPE)
    words = words_of(readable(relation)) or [relation]
    single = [word for word in words if word not in FUNCTION_WORDS] if len(words) > 1 else []
    return [" ".join(words), *single, *([type_.lower()] if type_ else [])]
