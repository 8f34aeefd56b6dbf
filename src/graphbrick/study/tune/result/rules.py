"""Rules of thumb: sentences about bricks whose scores chance does not explain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

import numpy as np

from graphbrick.core.parameters import declared
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.composition import stages_of
from graphbrick.pipeline.parsing import parse
from graphbrick.study.statistics.intervals import Interval
from graphbrick.study.statistics.paired import holm
from graphbrick.study.tune.race import Candidate
from graphbrick.study.tune.space.trees import kind_of, name_of

QUESTIONS = 12
"""Questions that a pipeline has to have answered to count; all are compared on these."""
_PIPELINES = 5  # with a brick, at least
_MOST = 6  # sentences
_RESAMPLES = 2_000
_ALPHA = 0.05
_OPTIONAL = {"extract": "an extract stage", "prune": "a prune stage", "rerank": "a rerank stage"}


class Rule(NamedTuple):
    """Pipelines with one brick, compared with those with another one in its place.

    Attributes:
        better: Property of the better ones, such as "with PPR".
        worse: Property of the others.
        n: Number of both.
        difference: Mean quality of the better ones minus that of the others, with its interval over pipelines.
        p: The p-value, corrected for the number of pairs compared (Holm).
    """

    better: str
    worse: str
    n: tuple[int, int]
    difference: Interval
    p: float

    def words(self) -> str:
        """Return the rule as a sentence."""
        mean, low, high = (100 * value for value in self.difference[:3])
        return (
            f"Pipelines {self.better} were on average {mean:.1f} points better than {self.worse} "
            f"(n = {self.n[0]} and {self.n[1]}, {low:+.1f} to {high:+.1f})."
        )


def rules_of_thumb(candidates: Sequence[Candidate]) -> list[str]:
    """Return sentences about bricks, the clearest first, from scores on the questions to choose by."""
    return [rule.words() for rule in compared_bricks(candidates)[:_MOST]]


def compared_bricks(candidates: Sequence[Candidate]) -> list[Rule]:
    """Return the pairs of bricks of one kind whose pipelines differ beyond chance, the clearest first.

    Every pipeline counts once, with its quality on the first twelve questions, which all of them have answered. The
    test exchanges pipelines between the two groups; the interval resamples the pipelines of each.
    """
    groups: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for one in candidates:
        if len(one.scores) >= QUESTIONS:
            quality = fmean(score.quality for score in [*one.scores.values()][:QUESTIONS])
            for kind, name in _bricks(parse(one.text)):
                groups[kind][name].append(quality)
    rules = []
    for there in groups.values():
        enough = {name: values for name, values in there.items() if len(values) >= _PIPELINES}
        rules += [_rule(*pair) for pair in combinations(enough.items(), 2)]
    corrected = holm([rule.p for rule in rules])
    rules = [rule._replace(p=p) for rule, p in zip(rules, corrected, strict=True)]
    return sorted(
        (rule for rule in rules if rule.p < _ALPHA and rule.difference.low > 0), key=lambda rule: -rule.difference.low
    )


def _bricks(pipeline: Pipeline) -> Iterator[tuple[str, str]]:
    """Yield the bricks of a pipeline by kind of stage, and its models if all stages share them."""
    stages = defaultdict[str, list[str]](list)
    for stage in stages_of(pipeline):
        stages[kind_of(stage)].append(name_of(stage))
    for kind, names in stages.items():
        yield kind, f"with {' and '.join(names)}"
    for kind, words in _OPTIONAL.items():
        if kind not in stages:
            yield kind, f"without {words}"
    parts = (getattr(stage, entry.name) for stage in pipeline.stages_within() for entry in declared(type(stage)))
    models = {type(part).__name__ for part in parts if isinstance(part, Brick) and not isinstance(part, Pipeline)}
    if len(models) == 1:
        yield "model", f"with {models.pop()}"


def _rule(first: tuple[str, list[float]], second: tuple[str, list[float]]) -> Rule:
    """Compare two groups of pipelines.

    The p-value counts differences of either sign; scipy's permutation test doubles the rarer sign, which is another
    p-value for groups of unequal size.
    """
    (better, ours), (worse, theirs) = sorted((first, second), key=lambda group: -fmean(group[1]))
    rng = np.random.default_rng(0)
    together = rng.permuted(np.tile([*ours, *theirs], (_RESAMPLES, 1)), axis=1)
    lead = fmean(ours) - fmean(theirs)
    by_chance = np.abs(together[:, : len(ours)].mean(axis=1) - together[:, len(ours) :].mean(axis=1))
    p = (1 + int((by_chance >= lead - 1e-12).sum())) / (1 + _RESAMPLES)
    resampled = (rng.choice(values, (_RESAMPLES, len(values))).mean(axis=1) for values in (ours, theirs))
    low, high = np.quantile(np.subtract(*resampled), [_ALPHA / 2, 1 - _ALPHA / 2])
    n = len(ours), len(theirs)
    return Rule(better, worse, n, Interval(lead, float(low), float(high), sum(n)), p)
