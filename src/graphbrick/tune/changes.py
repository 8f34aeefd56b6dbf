"""What each choice of a pipeline brings: the same pipeline with one choice changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, replace
from statistics import fmean, median

import numpy as np

from graphbrick.evaluate.statistics.intervals import Interval
from graphbrick.evaluate.statistics.paired import holm, paired_bootstrap, permutation_test
from graphbrick.pipeline import Pipeline, Sequence
from graphbrick.tune.race import Candidate
from graphbrick.tune.space import STAGES, Space, readable

_OPTIONAL = ("extract", "prune", "rerank")
_RESAMPLES = 10_000
_PLAIN = 0.05  # share of the time below which no difference in time is told
_Z = 1.96


@dataclass(frozen=True)
class Change:
    """A pipeline with one choice changed.

    Attributes:
        of: Name of the pipeline.
        what: The change in words, such as "without PruneEdges".
        changed: The changed pipeline.
    """

    of: str
    what: str
    changed: Candidate


@dataclass(frozen=True)
class Effect:
    """What a change did, on the questions that both have answered.

    Attributes:
        of: Name of the pipeline.
        what: The change in words.
        text: The recipe text of the changed pipeline.
        quality: Quality of the changed pipeline minus that of the other, with its interval.
        p: The p-value of this difference, corrected by Holm for the number of changes.
        seconds: Median time of the changed pipeline minus that of the other, for a question; 0 if chance explains it.
        tokens: The same for the mean tokens.
    """

    of: str
    what: str
    text: str
    quality: Interval
    p: float
    seconds: float
    tokens: float

    def words(self) -> str:
        """Return the effect as a sentence."""
        points, ms = 100 * self.quality.mean, 1000 * self.seconds
        if self.p >= 0.05:
            quality = f"no difference that {self.quality.n} questions show ({points:+.1f} points)"
        else:
            verb = "brings" if points > 0 else "costs"
            quality = (
                f"{verb} {abs(points):.1f} points ({100 * self.quality.low:+.1f} to {100 * self.quality.high:+.1f})"
            )
        time = f"takes {ms:.0f} ms more" if ms > 0 else f"saves {-ms:.0f} ms"
        return f"{self.what}: {quality}" + (f", {time}" if abs(ms) >= 1 else "")


def changes_of(winner: Candidate, space: Space) -> Iterator[Change]:
    """Yield a pipeline with one choice changed at a time, each that can be read.

    An optional stage is left out, or put in with its defaults; the stage that retrieves is replaced; and one model
    takes the place of another everywhere.
    """
    pipeline = readable(winner.text)
    assert pipeline is not None
    seen = {winner.identity}
    for what, text in _variants(pipeline, space):
        changed = readable(text)
        if changed is not None and changed.identity() not in seen:
            seen.add(changed.identity())
            yield Change(winner.name, what, Candidate(f"{winner.name}, {what}", text, changed.identity()))


def _variants(pipeline: Pipeline, space: Space) -> Iterator[tuple[str, str]]:
    stages = list(pipeline.stages) if isinstance(pipeline, Sequence) else [pipeline]
    kinds = [_kind(stage) for stage in stages]
    for kind in _OPTIONAL:
        for place, stage in enumerate(stages):
            if kinds[place] == kind:
                yield f"without {_name(stage)}", _joined([*stages[:place], *stages[place + 1 :]])
        if kind not in kinds:
            at = sum(STAGES.index(other) < STAGES.index(kind) for other in kinds if other in STAGES)
            for text in _filled(space, kind, repr(pipeline)):
                yield f"with {text}", _joined([*stages[:at], text, *stages[at:]])
    for place, stage in enumerate(stages):
        if kinds[place] == "retrieve":
            for text in _filled(space, "retrieve", repr(pipeline)):
                if not text.startswith(_name(stage)):
                    yield f"{text} instead of {_name(stage)}", _joined([*stages[:place], text, *stages[place + 1 :]])
    whole = repr(pipeline)
    for models in space.models.values():
        for old in models:
            for new in models:
                if old != new and old in whole:
                    yield f"{new} instead of {old}", whole.replace(old, new)


def _filled(space: Space, kind: str, whole: str) -> Iterator[str]:
    """Yield the options of a stage with their defaults, and models of the pipeline where it has some of the kind."""
    for option in space.stages.get(kind, ()):
        text = option
        for name, models in space.models.items():
            text = text.replace(f"${name}", next((model for model in models if model in whole), models[0]))
        if text and readable(text) is not None:
            yield repr(readable(text))


def _kind(stage: object) -> str:
    return str(getattr(stage, "kind", "retrieve"))  # a union of stages retrieves, or extracts, as its parts do


def _name(stage: object) -> str:
    return type(stage).__name__


def _joined(stages: list[object]) -> str:
    texts = [stage if isinstance(stage, str) else repr(stage) for stage in stages]
    return " >> ".join(f"({text})" if "|" in text and not text.startswith("(") else text for text in texts)


def effects_of(changes: Many[Change], winners: Mapping[str, Candidate]) -> list[Effect]:
    """Return what changes did, on the questions that both pipelines have answered; p-values are corrected by Holm.

    Args:
        changes: The changes, measured.
        winners: The pipelines that were changed, by name.
    """
    effects = [_effect_of(change, winners[change.of]) for change in changes]
    corrected = holm([effect.p for effect in effects])
    return [replace(effect, p=p) for effect, p in zip(effects, corrected, strict=True)]


def _effect_of(change: Change, winner: Candidate) -> Effect:
    keys = [key for key in winner.scores if key in change.changed.scores]
    ours, theirs = [winner.scores[key] for key in keys], [change.changed.scores[key] for key in keys]
    qualities = [one.quality for one in theirs], [one.quality for one in ours]
    # The test by bootstrap finds too much in few questions; this one is exact there.
    p = permutation_test(*qualities, resamples=_RESAMPLES)
    return Effect(
        *(change.of, change.what, change.changed.text, paired_bootstrap(*qualities).difference, p),
        _slower([one.seconds for one in theirs], [one.seconds for one in ours]),
        fmean(one.tokens for one in theirs) - fmean(one.tokens for one in ours),
    )


def _slower(theirs: Many[float], ours: Many[float]) -> float:
    """Return the difference of the medians; 0 if it is small, or if chance explains it."""
    ratios = np.log(np.maximum(theirs, 1e-6) / np.maximum(ours, 1e-6))
    chance = _Z * ratios.std(ddof=1) / np.sqrt(len(ratios)) if len(ratios) > 1 else np.inf
    if abs(ratios.mean()) <= max(chance, _PLAIN):
        return 0.0
    return median(theirs) - median(ours)
