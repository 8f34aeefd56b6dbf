"""Result of a search: the front, a pipeline for each aim, and effects with intervals."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import quantiles
from typing import Any, NamedTuple

from graphbrick.pipeline.parsing import parse
from graphbrick.study.statistics.comparison import Comparison, compare
from graphbrick.study.statistics.intervals import Interval, interval
from graphbrick.study.store.identity import bricks_of
from graphbrick.study.tune.aims import Aim, Figures, layers
from graphbrick.study.tune.race import Candidate, Race, Why
from graphbrick.study.tune.result.changes import Change, Effect, effects_of
from graphbrick.study.tune.result.rules import QUESTIONS, rules_of_thumb

_TOO_MANY = 100_000  # questions: a difference that needs so many is none


@dataclass(frozen=True)
class Measured:
    """A pipeline with its figures on the questions that chose nothing.

    Attributes:
        name: Its name.
        text: Its recipe text.
        chosen: Its figures on the questions that it was chosen by.
        figures: Its figures on the other questions.
        quality: The quality on those, with its interval.
        seconds_95: Time of a question below which 95 % of them stay.
        front: Whether none of the others is better in quality, time, tokens and cost.
    """

    name: str
    text: str
    chosen: Figures
    figures: Figures
    quality: Interval
    seconds_95: float
    front: bool


@dataclass(frozen=True)
class Recommended:
    """The pipeline for an aim.

    Attributes:
        key: A name for files, such as "latency-50ms".
        aim: The aim as the user wrote it.
        name: Name of the pipeline.
        text: Its recipe text.
        kept: Whether it keeps the limits of the aim on the questions that chose nothing.
    """

    key: str
    aim: str
    name: str
    text: str
    kept: bool


@dataclass(frozen=True)
class BrickFigures:
    """Quality of the pipelines with one brick.

    Attributes:
        kind: The stage kind, or "model".
        brick: Name of the brick.
        tried: Pipelines with it that have answered at least twelve questions.
        best: Quality of the best of them, on the questions to choose by.
        seconds: Median time of a question of this one.
    """

    kind: str
    brick: str
    tried: int
    best: float
    seconds: float


@dataclass(frozen=True)
class Tuned:
    """The result of a search.

    Attributes:
        metric: The measure that counts as quality.
        recommended: A pipeline for each aim.
        measured: The winners, the pipeline that they are compared with, and others of the front, best first.
        comparisons: Each of these against that pipeline, corrected for their number.
        baseline: Name of that pipeline.
        effects: Effects of changing one choice of the recommended pipelines.
        bricks: How good pipelines with each brick are.
        notes: Sentences that a reader has to know.
        tried: Pipelines that answered a question.
        given_up: Number of pipelines that were given up, by the reason.
        size: Pipelines of the space.
        choosing: Questions to choose by.
        final: Questions for the final figures.
        seconds: Time that the search has used, over all sessions.
        alone: Time that all stages would have taken if no pipelines had shared their beginnings.
        ran: Time that they took.
        rules: Rules of thumb, in sentences.
    """

    metric: str
    recommended: tuple[Recommended, ...]
    measured: tuple[Measured, ...]
    comparisons: tuple[Comparison, ...]
    baseline: str
    effects: tuple[Effect, ...]
    bricks: tuple[BrickFigures, ...]
    notes: tuple[str, ...]
    tried: int
    given_up: Mapping[str, int]
    size: int
    choosing: int
    final: int
    seconds: float
    alone: float
    ran: float
    rules: tuple[str, ...] = ()

    @property
    def saved(self) -> float:
        """The share of the time of all stages that shared beginnings saved."""
        return 1 - self.ran / self.alone if self.alone else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return the result as plain JSON types."""
        plain = asdict(self)
        for name, items in (("comparisons", self.comparisons), ("effects", self.effects), ("measured", self.measured)):
            plain[name] = [_plain(item) for item in items]
        return plain


class SearchFacts(NamedTuple):
    """Facts about a search: its space, questions, time, and why it ended.

    Attributes:
        metric: The measure that counts as quality.
        size: Pipelines of the space.
        advice: Sentences on how to bring more into the space.
        choosing: Number of questions to choose by.
        written: Whether the graph wrote the questions.
        seconds: Time used.
        alone: Time of all stages, as if nothing was shared.
        ran: Time of all stages that ran.
        stopped: Why the search ended early; empty if it did not.
    """

    metric: str
    size: int
    advice: Sequence[str]
    choosing: int
    written: bool
    seconds: float
    alone: float
    ran: float
    stopped: str


def tuned(
    race: Race,
    best: Sequence[tuple[Aim, Candidate]],
    finals: Sequence[Candidate],
    changes: Sequence[Change],
    facts: SearchFacts,
) -> Tuned:
    """Return the result of a search.

    Args:
        race: All candidates; the others are compared with the first.
        best: The best candidate for each aim.
        finals: Candidates with their scores on the questions that chose nothing.
        changes: Pipelines with one choice changed, measured.
        facts: How the search went.
    """
    baseline, choosing = race.candidates[0].name, facts.choosing
    by_name = {one.name: one for one in race.candidates}
    figures = {one.name: one.figures for one in finals}
    front = layers(dict(enumerate(figures.values())))
    measured = [
        Measured(
            *(one.name, one.text, by_name[one.name].figures, one.figures),
            interval([score.quality for score in one.scores.values()]),
            _percentile([score.seconds for score in one.scores.values()]),
            front[place] == 0,
        )
        for place, one in enumerate(finals)
    ]
    measured.sort(key=lambda one: (-one.figures.quality, one.figures.seconds))
    scores = {one.name: [score.quality for score in one.scores.values()] for one in finals}
    comparisons = compare(scores, baseline=baseline) if baseline in scores and len(scores) > 1 else []
    recommended = [
        Recommended(_key(aim.text), aim.text, one.name, one.text, not aim.excess(figures.get(one.name, one.figures)))
        for aim, one in best
    ]
    effects = effects_of(changes, {one.name: one for one in finals})
    final = max((len(one.scores) for one in finals), default=0)
    notes = [
        *_about_questions(facts.written, choosing, final),
        *_about_time(facts.stopped, final),
        *_about_limits(best, figures, race),
    ]
    failed = [one for one in race.candidates if one.given_up in (Why.FAILS, Why.CANNOT_START)]
    if failed:
        notes.append(f"{len(failed)} of the pipelines failed, such as {failed[0].text}: {failed[0].reason}.")
    if facts.advice:
        notes.append(f"Not everything could take part: {'; '.join(facts.advice)}.")
    if max((one.figures.quality for one in race.candidates if one.scores), default=0.0) == 0:
        notes.append(
            "No pipeline answered a question rightly, so nothing can be recommended: are the seeds and answers of the "
            "questions keys or labels of this graph?"
        )
    # What the first pipeline could be used for instead: it keeps the limits of the aim.
    usable = baseline in figures and not by_name[baseline].only_compared
    within = {one.name for aim, one in best if usable and not aim.excess(figures[baseline])}
    notes += _about_differences({one.name for one in recommended}, within, comparisons, baseline)
    return Tuned(
        facts.metric, tuple(recommended), tuple(measured), tuple(comparisons), baseline, tuple(effects),
        tuple(_bricks(race.candidates)), tuple(notes), sum(bool(one.scores) for one in race.candidates),
        _reasons(race.candidates), facts.size, choosing, final, facts.seconds, facts.alone, facts.ran,
        tuple(rules_of_thumb(race.candidates)),
    )  # fmt: skip


def _about_questions(written: bool, choosing: int, final: int) -> list[str]:
    notes = []
    if written:
        notes.append(
            "The questions were written from the graph itself, with the words of its relations. People ask in other "
            "words, and pipelines that learned from such questions look better here than they are."
        )
    if not final and choosing < 50:
        notes.append(f"{choosing} questions to choose by are few.")
    elif final and min(final, choosing) < 50:
        notes.append(
            f"{choosing} questions to choose by and {final} for the final figures are few: only differences of some "
            f"{100 * 1.4 / max(final, 1) ** 0.5:.0f} points can be told from chance."
        )
    return notes


def _about_time(stopped: str, final: int) -> list[str]:
    notes = [f"The search ended early: {stopped}."] if stopped else []
    if not final:
        notes.append("Nothing was measured on other questions: the time or the budget was used up before.")
    return notes


def _about_limits(best: Sequence[tuple[Aim, Candidate]], figures: Mapping[str, Figures], race: Race) -> list[str]:
    """Return notes on limits that recommended pipelines break, and the best that keep them."""
    compared = {one.name for one in race.candidates if one.only_compared}
    usable = {name: one for name, one in figures.items() if name not in compared}
    notes = []
    for aim, one in best:
        if one.name not in usable or not aim.excess(usable[one.name]):
            continue
        nearest = min(usable, key=lambda name, aim=aim: aim.order(usable[name]))  # type: ignore[misc]
        if not aim.excess(usable[nearest]):
            notes.append(f"{one.name} does not keep {aim.text!r} on the other questions; {nearest} does.")
        else:
            notes.append(f"No pipeline measured keeps {aim.text!r} on the other questions; {nearest} comes nearest.")
    return notes


def _about_differences(
    recommended: Collection[str], within: Collection[str], comparisons: Sequence[Comparison], baseline: str
) -> list[str]:
    notes = []
    for row in comparisons:
        if row.first not in recommended:
            continue
        if row.p_holm < 0.05:
            if row.difference.mean < 0 and row.first in within:
                notes.append(
                    f"{baseline} is better than {row.first} on the other questions, beyond chance: the search chose by "
                    f"luck. Use {baseline}, or search with more time or questions."
                )
            continue
        lead, width = row.difference.mean, (row.difference.high - row.difference.low) / 2
        text = (
            f"{row.difference.n} questions do not tell {row.first} from {baseline}: {100 * lead:+.1f} points "
            f"({100 * row.difference.low:+.1f} to {100 * row.difference.high:+.1f})."
        )
        needed = round(row.difference.n * (width / max(abs(lead), 1e-9)) ** 2, -1)
        if row.difference.n < needed < _TOO_MANY:
            text += f" About {needed:,.0f} would, if it is real."
        notes.append(text)
    return notes


def _bricks(candidates: Sequence[Candidate]) -> list[BrickFigures]:
    """Return figures by brick, of candidates with enough questions; the best of each kind first."""
    groups: dict[tuple[str, str], list[Figures]] = {}
    for one in candidates:
        if len(one.scores) >= QUESTIONS:
            names = {
                (str(getattr(brick, "kind", "model")), type(brick).__name__) for brick in bricks_of(parse(one.text))
            }
            for name in names:
                groups.setdefault(name, []).append(one.figures)
    rows = []
    for (kind, brick), figures in groups.items():
        best = min(figures, key=lambda one: (-one.quality, one.seconds))
        rows.append(BrickFigures(kind, brick, len(figures), best.quality, best.seconds))
    return sorted(rows, key=lambda row: (row.kind, -row.best, row.seconds))


def _reasons(candidates: Sequence[Candidate]) -> dict[str, int]:
    """Return how many candidates were given up, by the reason."""
    counts = Counter(one.given_up for one in candidates)
    return {str(why): counts[why] for why in Why if counts[why]}


def _percentile(values: Sequence[float]) -> float:
    return quantiles(values, n=20, method="inclusive")[-1] if len(values) > 1 else values[0]


def _key(aim: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "-", aim.lower()).strip("-")


def _plain(item: Any) -> Any:
    """Return a value as plain JSON types; named tuples become objects."""
    if hasattr(item, "_asdict"):
        return {name: _plain(value) for name, value in item._asdict().items()}
    if hasattr(item, "__dataclass_fields__"):
        return {name: _plain(getattr(item, name)) for name in item.__dataclass_fields__}
    return item
