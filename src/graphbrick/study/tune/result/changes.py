"""Effects of single choices: the same pipeline with one choice changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Many
from dataclasses import dataclass, field, replace
from itertools import product
from statistics import fmean, median

from graphbrick.core.errors import PipelineError
from graphbrick.pipeline import Pipeline, Sequence, Union
from graphbrick.pipeline.brick import Brick
from graphbrick.pipeline.composition import stages_of
from graphbrick.pipeline.parsing import parse_brick
from graphbrick.study.statistics.comparison import compare
from graphbrick.study.statistics.intervals import Interval
from graphbrick.study.statistics.paired import holm
from graphbrick.study.tune.race import Candidate, log_ratio
from graphbrick.study.tune.space.space import STAGES, Space, filled, readable
from graphbrick.study.tune.space.trees import kind_of, matches, models_in, name_of, with_model

_OPTIONAL = ("extract", "prune", "rerank")
_REPLACED = ("retrieve", *_OPTIONAL)
_PLAIN = 0.05  # share of the time below which no difference in time is told


@dataclass
class Change:
    """A pipeline with one choice changed.

    Attributes:
        of: Name of the pipeline.
        what: The change in words, such as "without PruneEdges".
        changed: The changed pipeline.
        times: Seconds of the pipeline and of the changed one, for each question that both were timed on together.
    """

    of: str
    what: str
    changed: Candidate
    times: list[tuple[float, float]] = field(default_factory=list)


@dataclass(frozen=True)
class Effect:
    """Effect of a change on the questions that both pipelines have answered.

    Attributes:
        of: Name of the pipeline.
        what: The change in words.
        text: The recipe text of the changed pipeline.
        quality: Quality of the changed pipeline minus that of the other, with its interval.
        p: The p-value of this difference, corrected by Holm for the number of changes.
        seconds: Median time of the changed pipeline minus that of the other, for a question; 0 if chance explains it,
            or if they were not timed together.
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
    """Yield a pipeline with one choice changed at a time, without changes that cannot be read.

    An optional stage is left out; a model is replaced by another one wherever the pipeline has it; an optional stage
    that is not there is put in; the stages that retrieve, extract, prune and rerank are replaced, in this order; and
    last, a stage is united with another one.
    What is put in has its defaults, and the models that the pipeline has.
    """
    pipeline = readable(winner.text)
    assert pipeline is not None
    seen = {winner.identity}
    variants: list[tuple[str, int, Pipeline]] = []
    for what, place, changed in _variants(pipeline, space):
        if changed.identity() not in seen:
            seen.add(changed.identity())
            variants.append((what, place, changed))
    names = Counter(what for what, _, _ in variants)
    for what, place, changed in variants:
        name = what if names[what] == 1 else f"{what} (stage {place + 1})"
        yield Change(winner.name, name, Candidate(f"{winner.name}, {name}", repr(changed), changed.identity()))


def _variants(pipeline: Pipeline, space: Space) -> Iterator[tuple[str, int, Pipeline]]:
    """Yield changes in words, the place of the stage that changes, and the changed pipelines."""
    stages = stages_of(pipeline)
    kinds = [kind_of(stage) for stage in stages]
    for place, stage in enumerate(stages):
        if kinds[place] in _OPTIONAL and (changed := _joined([*stages[:place], *stages[place + 1 :]])):
            yield f"without {name_of(stage)}", place, changed
    for old, new, changed in _with_other_models(pipeline, space):
        yield f"{new!r} instead of {old!r}", 0, changed
    for kind in _OPTIONAL:
        if kind not in kinds:
            at = sum(STAGES.index(other) < STAGES.index(kind) for other in kinds)
            for option in _options(space, kind, pipeline):
                if not isinstance(option, Union) and (changed := _joined([*stages[:at], option, *stages[at:]])):
                    yield f"with {option!r}", at, changed
    for united, kind in product((False, True), _REPLACED):
        for place, stage in enumerate(stages):
            for option in _options(space, kind, pipeline) if kinds[place] == kind else ():
                changed = _joined([*stages[:place], option, *stages[place + 1 :]])
                if changed and isinstance(option, Union) == united and _replaces(option, stage):
                    yield f"{option!r} instead of {name_of(stage)}", place, changed


def _replaces(option: Pipeline, stage: Pipeline) -> bool:
    """Return whether an option is worth trying for a stage: another brick, or a union that adds one to it."""
    if isinstance(option, Union):
        return name_of(stage) in map(name_of, option.branches)
    return name_of(option) != name_of(stage)


def _with_other_models(pipeline: Pipeline, space: Space) -> Iterator[tuple[Brick, Brick, Pipeline]]:
    """Yield each model of a pipeline, another of the same use, and the pipeline with that."""
    for name, texts in space.models.items():
        models = _bricks(texts)
        for old in _models_of(pipeline, name, space):
            for text, new in zip(texts, models, strict=True):
                changed = None if matches(text, old, space.models) else with_model(pipeline, old, new, models)
                if changed is not None and changed != pipeline:
                    yield old, new, changed


def _models_of(pipeline: Pipeline, name: str, space: Space) -> list[Brick]:
    """Return the models of a pipeline that a place of a name has, with other parameters perhaps."""

    def is_named(model: Brick, names: Iterable[str]) -> bool:
        return any(matches(text, model, space.models) for other in names for text in space.models[other])

    there = models_in(pipeline, _bricks(space.models[name]))
    others = space.models.keys() - {name}
    return [model for model in there if is_named(model, [name]) or not is_named(model, others)]


def _bricks(texts: Iterable[str]) -> list[Brick]:
    return [brick for text in texts if isinstance(brick := parse_brick(text), Brick)]


def _options(space: Space, kind: str, pipeline: Pipeline) -> Iterator[Pipeline]:
    """Yield the options of a stage with their defaults, with models of the pipeline where it has them."""
    models = {}
    for name, texts in space.models.items():
        there = _models_of(pipeline, name, space)
        models[name] = repr(there[0]) if there else texts[0]
    for option in space.stages.get(kind, ()):
        stage = readable(filled(option, models)) if option else None
        if stage is not None:
            yield stage


def _joined(stages: Many[Pipeline]) -> Pipeline | None:
    """Return stages in sequence; None if they do not go together."""
    try:
        return Sequence(tuple(part for stage in stages for part in stages_of(stage))) if len(stages) > 1 else stages[0]
    except PipelineError:
        return None


def effects_of(changes: Many[Change], winners: Mapping[str, Candidate]) -> list[Effect]:
    """Return the effects of changes on questions that both pipelines answered, with Holm's p-values.

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
    row = compare({"changed": [one.quality for one in theirs], "as it was": [one.quality for one in ours]})[0]
    # Next to the calls of a language model, vectors that one of them found take no time.
    times = change.times
    if winner.asks_model or change.changed.asks_model:
        times = [(one.seconds, other.seconds) for one, other in zip(ours, theirs, strict=True)]
    return Effect(
        *(change.of, change.what, change.changed.text, row.difference, row.p),
        _slower([changed for _, changed in times], [seconds for seconds, _ in times]),
        fmean(one.tokens for one in theirs) - fmean(one.tokens for one in ours),
    )


def _slower(theirs: Many[float], ours: Many[float]) -> float:
    """Return the difference of the medians; 0 if it is small, or if chance explains it."""
    if not ours:
        return 0.0
    ratio, chance = log_ratio(theirs, ours)
    if abs(ratio) <= max(chance, _PLAIN):
        return 0.0
    return median(theirs) - median(ours)
