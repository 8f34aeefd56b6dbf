"""Scores of relation patterns without training: aligned words of question and pattern."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphbrick.core import Path, PathPattern, Scorable
from graphbrick.core.parameters import parameter
from graphbrick.core.trace import event
from graphbrick.language.stop_words import WHO_WHEN_WHERE
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.scorers.scorer import Scorer
from graphbrick.patterns.alignment.alignment import Alignment, Token, Transitions
from graphbrick.patterns.alignment.step_words import step_words
from graphbrick.patterns.several_steps import unfolded
from graphbrick.patterns.text import masked, split_start, steps_of

Scores = npt.NDArray[np.float64]
Walk = tuple[str, tuple[tuple[str, bool], ...]]
"""The label of the start, and of each step the relation with the type of what it leads to, and its direction."""

NOT_A_PATH = -1e6
"""The score of an item that is not a path."""

# Chosen on 99 questions over the world graph and 240 of MetaQA's development questions; changing any of them by a fifth
# changes Hits@1 there by .03 at most.
_SHARPNESS = 10.0  # of the cosine of two words
_UNLIKE = 0.45  # cosine from which two words speak of the same
_NAMED = 0.9  # cosine of a word and a step that goes by it, such as «mother» and «child» backwards
_WRONG_WAY = 0.4  # what is taken from it in the other direction
_SAME_HOP = -3.0  # of a word joined by «'s» or «of» that speaks of the same hop as the one before
_UNREAD = -1.5  # of such a word that speaks of no hop
_NEW_HOP = -1.5  # of a word in one clause with the one before that speaks of another: «the violins built by X»
_CLAUSE = frozenset("who whom that which what is are was were be been do did does has have with".split())
_WEIGHTS = (
    1.0,
    1.0,
    -2.5,
    -1.0,
    -0.65,
)  # emission, transition, hop without words, way back without words, word left over
_HOP = -1.0  # for each hop after the first
_FEW = 16  # relations; where there are four times as many, a hop costs twice as much
_TYPE = "\n"  # between a relation and the type of what it leads to


@dataclass(frozen=True, repr=False)
class WordAlignment(Scorer):
    """A scorer of relation patterns by their alignment with the words of the question; nothing is trained.

    Words nearer to the seed speak of earlier hops: in «the capital of the neighbours of X» the last word before X
    speaks of the first hop. Every content word should speak of a hop — be near in meaning to its relation or to the
    type of what it leads to — and every hop should be spoken of. The best alignment is found by dynamic programming,
    as for patterns learned by ``graphbrick learn``, which know more words than labels have.

    A label also says which way it points: who built X is at the other end of ``built by`` than what X built, and X's
    mother is at the head of ``has child``. Labels with dots are read through their parts. «Granddaughter» is a chain,
    and «shares an employer with» a step and its way back; see docs/learn.md. Only single words are embedded, so that a
    first question is fast.

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

    def nearness(self, words: Sequence[str], path: Path) -> Scores:
        """Return how near each of some words is in meaning to each step of a path, float64 [words, steps], -1 to 1."""
        _, walked = _walk_of(path)
        steps = [list(dict.fromkeys(_words_of_step(label))) for label, _ in walked]
        near = np.zeros((len(words), len(steps)))
        names = list(dict.fromkeys(name for of_step in steps for name in of_step))
        if not words or not names:
            return near
        vectors = self.embedder.embed([*words, *names]).astype(np.float64)
        cosines = vectors[: len(words)] @ vectors[len(words) :].T
        for number, of_step in enumerate(steps):
            if of_step:
                near[:, number] = cosines[:, [names.index(name) for name in of_step]].max(axis=1)
        return near

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
        # The more relations there are, the likelier one more hop fits a word by chance.
        cost = _HOP * max(1.0, math.log2(len(labels) / _FEW))
        weights = np.array([*_WEIGHTS, *(cost * hop for hop in range(max(map(len, patterns))))])
        steps = np.zeros((2 * len(labels) + 1, 0), dtype=np.float32)
        named = [step_words(label.partition(_TYPE)[0]) for label in labels]
        phrases = tuple(dict.fromkeys(one.phrase for one in named if " " in one.phrase))
        words = _Words(self.embedder, labels, steps, _Joined(), weights, phrases)
        known = frozenset(word for one in named for word in one.words)
        return words.score(unfolded(question, known.__contains__), patterns)


class _Joined(Transitions):
    """Transitions without counts: a possessive begins the next hop."""

    def log_new(self, token: Token) -> tuple[Scores, Scores]:
        """Return log probabilities of a new hop and of the same hop, float64 [3] each, by direction."""
        new = np.zeros(3)
        new[:2] = _NEW_HOP if _CLAUSE.issuperset(token.connectors) else 0.0
        return new, np.full(3, _SAME_HOP if _is_owned(token) else 0.0)


class _Words(Alignment):
    """An alignment whose words speak of a step by their nearness in meaning, in the direction that a label points."""

    def read(self, words: Sequence[str], hops: Sequence[int | None] | None = None) -> tuple[list[Token], list[Token]]:
        """Return the content words; «where» and «who» are near in meaning to too much."""
        assert hops is None, "only written questions have hops"
        return super().read([word for word in words if word not in WHO_WHEN_WHERE])

    def emitted(self, tokens: Sequence[Token]) -> Scores:
        """Return how near tokens are to steps, float64 [tokens, steps + 1]; the last column is for none."""
        emitted = np.zeros((len(tokens), len(self.emission)))
        if not tokens:
            return emitted
        steps = [step_words(label.partition(_TYPE)[0]) for label in self.relations]
        words = [_words_of_label(label) for label in self.relations]
        kinds = [step.head_kind for step in steps if step.head_kind]
        distinct = list(dict.fromkeys([*(word for of_step in words for word in of_step), *kinds]))
        place = {word: i for i, word in enumerate(distinct)}
        spoken = [token.word.strip("\0") for token in tokens]
        vectors = self.embedder.embed([*spoken, *distinct]).astype(np.float64)
        near = vectors[: len(tokens)] @ vectors[len(tokens) :].T
        for number, (step, of_step) in enumerate(zip(steps, words, strict=True)):
            nearest = near[:, [place[word] for word in of_step]].max(axis=1)
            points = np.array([step.direction(token) for token in tokens])
            exact = np.array([step.is_named(token.word) for token in tokens])
            cosine = np.maximum(nearest, np.where(exact, 1.0, np.where(points != 0, _NAMED, 0.0)))
            backwards = cosine - _WRONG_WAY * (points > 0)
            if step.head_kind:
                backwards = np.maximum(backwards, near[:, place[step.head_kind]])
            emitted[:, 2 * number] = _SHARPNESS * (backwards - _UNLIKE)
            emitted[:, 2 * number + 1] = _SHARPNESS * (cosine - _WRONG_WAY * (points < 0) - _UNLIKE)
        emitted[[_is_owned(token) for token in tokens], -1] = _UNREAD
        return emitted


def _is_owned(token: Token) -> bool:
    """Return whether a word is what something nearer to the seed has: «X's creed», «the creed of X»."""
    return "'s" in token.connectors or "of" in token.connectors


def _walk_of(item: Scorable) -> Walk:
    if not isinstance(item, Path | PathPattern):
        return "", ()
    steps = zip(item.steps, item.types, strict=True)
    return item.start_label, tuple((f"{step.relation}{_TYPE}{type_}", step.forward) for step, type_ in steps)


def _words_of_label(label: str) -> list[str]:
    """Return the words of a relation, all of them as one, and the type of what it leads to."""
    relation, _, type_ = label.partition(_TYPE)
    return [*step_words(relation).words, *([type_.lower()] if type_ else [])]


def _words_of_step(label: str) -> list[str]:
    """Return all words that speak of a relation: those of its label, and nouns for its ends."""
    return [*_words_of_label(label), *step_words(label.partition(_TYPE)[0]).nouns]
