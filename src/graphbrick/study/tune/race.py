"""Successive halving over questions: the best candidates answer more of them.

Every candidate starts with one question, which says whether it runs and how long it takes, and goes on to more: 4, 12,
36 and so on. The best third of those that reach a number of questions goes on, shared by the aims (Li et al., A System
for Massively Parallel Hyperparameter Tuning, 2020, which calls it ASHA). A candidate is given up for good when another
one is better on the same questions beyond chance, and not slower or dearer either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from statistics import fmean, median
from typing import NamedTuple, TypeAlias

import numpy as np

from graphbrick.study.statistics.intervals import wilson_ends
from graphbrick.study.statistics.paired import permutation_test
from graphbrick.study.tune.aims import Aim, Figures, layers
from graphbrick.study.tune.space.space import readable
from graphbrick.study.tune.space.trees import asks_model

ETA = 3
"""One in three of the pipelines that have answered the questions of a rung goes on to the next."""
_ALPHA = 0.05  # how often a candidate as good as all others may be given up
_AS_FAST = 0.9  # of another's time: nobody chooses a pipeline because it is a tenth faster
_LEAST = 10  # questions before anything is given up by comparison
_Z = 1.96


Key: TypeAlias = tuple[str, str]
"""Data set and id of a question."""


class Scored(NamedTuple):
    """Quality and cost of one pipeline on one question."""

    quality: float
    seconds: float
    tokens: float
    usd: float


class Why(StrEnum):
    """Reason why a pipeline takes no more questions."""

    SLOW = "slower than tolerated"
    BEATEN = "beaten beyond chance"
    CANNOT_START = "cannot start"
    FAILS = "fails"


@dataclass
class Candidate:
    """A pipeline of the search.

    Attributes:
        name: Its name in the study.
        text: Its recipe text.
        identity: Its `Pipeline.identity`.
        choices: The chosen text by the name of the choice, with the texts that it was chosen from; empty for pipelines
            that are not drawn from the space.
        scores: By question, in the order in which they are asked.
        rung: Number of rungs it is done with.
        given_up: Why it takes no more questions; None while it is in the race.
        reason: The same in words.
        only_compared: Whether others are compared with it, but it is not recommended.
    """

    name: str
    text: str
    identity: str
    choices: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    scores: dict[Key, Scored] = field(default_factory=dict)
    rung: int = 0
    given_up: Why | None = None
    reason: str = ""
    only_compared: bool = False

    def give_up(self, why: Why, reason: str) -> None:
        """Ask this pipeline no more questions."""
        self.given_up, self.reason = why, reason

    @cached_property
    def asks_model(self) -> bool:
        """Return whether it asks a language model."""
        return asks_model(readable(self.text))

    @property
    def figures(self) -> Figures:
        """Figures over all questions that it has answered."""
        return figures_of(list(self.scores.values()))


def figures_of(scores: Sequence[Scored]) -> Figures:
    """Return the figures of at least one question."""
    return Figures(
        fmean(one.quality for one in scores),
        median(one.seconds for one in scores),
        fmean(one.tokens for one in scores),
        fmean(one.usd for one in scores),
        len(scores),
    )


def cautious(figures: Figures) -> Figures:
    """Return figures with the lower end of Wilson's 95 % interval as quality, so that luck counts less.

    Four right answers of four are less than 320 of 400. For measures between 0 and 1 that are not only 0 or 1, the
    true interval is narrower.

    >>> [round(cautious(Figures(p, 0.01, 0, 0, n)).quality, 2) for p, n in ((1.0, 4), (0.7, 400))]
    [0.51, 0.65]
    """
    return figures._replace(quality=wilson_ends(figures.quality, figures.n, _Z)[0])


def rungs(n: int) -> list[int]:
    """Return the numbers of questions of the rungs: 1, 4, 12, ... up to all.

    >>> rungs(100), rungs(3)
    ([1, 4, 12, 36, 100], [1, 3])
    """
    sizes = [1, 4]
    while sizes[-1] * ETA < n:
        sizes.append(sizes[-1] * ETA)
    return [*(size for size in sizes if size < n), n]


@dataclass
class Race:
    """The candidates of a search.

    Args:
        aims: Aims of the search, at least one.
        sizes: Number of questions of each rung.
        slowest: Seconds a question (mean) above which a candidate is not followed further.
        asking: The same for candidates that ask a language model; 0 for ``slowest``.
    """

    aims: Sequence[Aim]
    sizes: Sequence[int]
    slowest: float
    candidates: list[Candidate] = field(default_factory=list)
    asking: float = 0.0

    def tolerated(self, one: Candidate) -> float:
        """Return the seconds a question that a candidate may take."""
        return max(self.slowest, self.asking) if one.asks_model else self.slowest

    def tolerate(self, seconds: float) -> None:
        """Raise the tolerated seconds a question to at least this number."""
        self.slowest = max(self.slowest, seconds)

    def promotable(self, *, eager: bool = False) -> list[Candidate]:
        """Return the candidates to ask the next questions, of the highest rung that has any, fast ones first.

        The first candidate, which the others are compared with, never waits behind another one.

        Args:
            eager: Whether the best of a rung goes on even if it is one of less than three, as nothing else is left to
                do. Else the first one that comes would take all questions before there is anything to compare it with.
        """
        first = self.candidates[0]
        if first.rung < max(one.rung for one in self.candidates) and not first.given_up:
            return [first]
        for rung in range(len(self.sizes) - 1, 0, -1):
            # A beaten candidate keeps its place, else worse ones would go on. One that nobody would use has none.
            there = [one for one in self.candidates if one.rung >= rung and one.given_up in (None, Why.BEATEN)]
            chosen = [one for one in there if one.rung == rung and not one.given_up]
            if chosen and rung > 1:
                best = self._best(there, rung, eager=eager)
                chosen = [one for one in chosen if one.name in best]
            if chosen:
                # The first rung says only whether a pipeline runs; one question rules nobody out.
                return sorted(chosen, key=lambda one: (-one.figures.quality * (rung == 1), one.figures.seconds))
        return []

    def _best(self, there: Sequence[Candidate], rung: int, *, eager: bool) -> set[str]:
        """Return the names of the best third of those that reached a rung, shared by aims and fronts.

        A third for each of them would let most go on, and the last rungs would take nearly all of the time.
        """
        places = max(int(eager), len(there) // ETA)
        figures = [figures_of([*one.scores.values()][: self.sizes[rung - 1]]) for one in there]
        front = layers(dict(enumerate(figures)))
        keys: list[list[tuple[float, ...]]] = [[aim.order(one) for one in figures] for aim in self.aims]
        keys.append([(front[i], -one.quality, one.seconds) for i, one in enumerate(figures)])
        orders = [sorted(range(len(there)), key=key.__getitem__) for key in keys]
        in_turn = dict.fromkeys(there[order[place]].name for place in range(len(there)) for order in orders)
        return set(list(in_turn)[:places])

    def judge(self, candidates: Sequence[Candidate]) -> None:
        """Give up candidates that are too slow, or beaten beyond chance at no higher cost.

        A candidate that is as good as all others is given up with a chance below 5 % over the whole race: the level
        is divided by the rungs, and by the candidates of its rung, as any of them could have been the luckiest one
        that leads.
        """
        for one in candidates:
            seconds = fmean(score.seconds for score in one.scores.values())
            # Models are loaded at the first question. The first candidate is what the others are compared with.
            most = self.tolerated(one)
            if seconds > most and len(one.scores) > 1 and one is not self.candidates[0]:
                one.give_up(Why.SLOW, f"{seconds:.1f} s a question; {most:.3g} s are tolerated")
        leaders = [one for one in self.leaders() if not one.only_compared]
        looks = sum(size >= _LEAST for size in self.sizes)
        for one in candidates:
            if len(one.scores) < _LEAST or one.given_up:
                continue
            there = sum(other.rung >= one.rung for other in self.candidates) - 1
            for other in leaders:
                if other is one or not other.scores.keys() >= one.scores.keys():
                    continue
                if beaten(one, other, _ALPHA / (looks * max(1, there))):
                    one.give_up(Why.BEATEN, f"beaten by {other.name} after {len(one.scores)} questions")
                    break

    def leaders(self) -> list[Candidate]:
        """Return the candidates of the highest rung reached that none of its rung dominates."""
        top = max((one.rung for one in self.candidates if not one.given_up), default=0)
        there = [one for one in self.candidates if one.rung == top and one.scores and not one.given_up]
        front = layers({place: one.figures for place, one in enumerate(there)})
        return [one for place, one in enumerate(there) if front[place] == 0]


def log_ratio(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """Return the mean logarithm of the ratios of paired times, and half the width of its 95 % interval."""
    ratios = np.log(np.maximum(first, 1e-6) / np.maximum(second, 1e-6))
    chance = _Z * ratios.std(ddof=1) / np.sqrt(len(ratios)) if len(ratios) > 1 else np.inf
    return float(ratios.mean()), float(chance)


def beaten(one: Candidate, other: Candidate, alpha: float = _ALPHA) -> bool:
    """Return whether another candidate is better beyond chance, and neither slower nor dearer.

    Args:
        one: The candidate.
        other: The other, which has answered the same questions.
        alpha: The chance that the better one of two equal candidates is taken for better by its luck.
    """
    mine = [*one.scores.values()]
    others = [other.scores[question] for question in one.scores]
    lead = fmean(b.quality - a.quality for a, b in zip(mine, others, strict=True))
    if lead <= 0 or fmean(a.tokens for a in mine) < fmean(b.tokens for b in others):
        return False
    if fmean(a.usd for a in mine) < fmean(b.usd for b in others):
        return False
    ratio, chance = log_ratio([a.seconds for a in mine], [b.seconds for b in others])
    if ratio - chance < np.log(_AS_FAST):
        return False
    # Only one side counts here: half of the two-sided p-value.
    return permutation_test([a.quality for a in mine], [b.quality for b in others], resamples=10_000) / 2 < alpha
