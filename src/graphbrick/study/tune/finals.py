"""Figures of the winners, and the effect of each of their choices, on unused questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from graphbrick.questions.question import Question
from graphbrick.questions.sampling import sample
from graphbrick.study.tune.asking import Asking
from graphbrick.study.tune.measuring import key_of
from graphbrick.study.tune.questions import LEAST, mixed
from graphbrick.study.tune.race import Candidate, Key, Race, Why
from graphbrick.study.tune.result.changes import Change, changes_of
from graphbrick.study.tune.space.space import Space

MEASURING, EXPLAINING = "measuring the winners on other questions", "changing one choice"
TIMING = "timing changes"
"""Names of the steps that are reported to ``progress``."""
FINAL = 0.88
"""Share of the time after which the final figures end."""

_EXPLAINED = 0.95  # share of the time after which changes end, and are timed
_CHANGES = 6  # changed pipelines that are asked together
_TIMED = 48  # questions that changes are timed on


def measure(
    asking: Asking, race: Race, compared: Sequence[Candidate], questions: Sequence[Question], *, seed: int
) -> list[Candidate]:
    """Return the compared pipelines with scores on unused questions, as many as time allows."""
    able = {one.name: one for one in compared if one.given_up not in (Why.FAILS, Why.CANNOT_START) and one.scores}
    few = {one.name: one for one in [*compared[: len(race.aims)], race.candidates[0]] if one.name in able}
    # Where little of the budget is left, only the winners and what they are compared with.
    chosen = able if asking.affordable(able.values(), FINAL) >= LEAST else few
    size = min(len(questions), asking.affordable(chosen.values(), FINAL))
    if not size:
        return []
    fresh = [replace(one, scores={}, rung=0, given_up=None) for one in chosen.values()]
    asking.ask(fresh, mixed(sample(questions, size, seed=seed)), MEASURING, FINAL)
    fresh = [one for one in fresh if not one.given_up] or fresh  # one that hangs here leaves the figures of the others
    # Where the time ended early, the last questions were answered by some only.
    common = set[Key].intersection(*(set(one.scores) for one in fresh)) if fresh else set[Key]()
    for one in fresh:
        one.scores = {key: score for key, score in one.scores.items() if key in common}
    return fresh if common else []


def explain(
    asking: Asking,
    timing: Asking,
    race: Race,
    space: Space,
    winners: Sequence[Candidate],
    questions: Sequence[Question],
) -> list[Change]:
    """Return the effect of each choice of the winners: the same pipeline with one choice changed.

    They are asked the questions that chose nothing. On those to choose by, the winner looks better than it is, and
    every change for the worse. Then the winner and its changes are asked some of these questions once more, together,
    for their time: the winner, which was asked first, has made vectors that its changes found.

    Args:
        asking: Asks for the quality.
        timing: Asks for the time, into a study of its own.
        race: The candidates.
        space: Source of the changes.
        winners: The winners, with their scores on these questions.
        questions: The questions.
    """
    measured: list[Change] = []
    for winner in winners:
        chosen = mixed([question for question in questions if key_of(question) in winner.scores])
        # Changes that ask a language model, where the winner asks none, take long: they come last.
        changes = sorted(
            (_named(change, race) for change in changes_of(winner, space)), key=lambda one: one.changed.asks_model
        )
        for start in range(0, len(changes), _CHANGES):
            batch = [change for change in changes[start : start + _CHANGES] if not change.changed.given_up]
            if batch and asking.goes_on(_EXPLAINED):
                asking.ask([change.changed for change in batch], chosen, EXPLAINING, _EXPLAINED)
                measured += [change for change in batch if len(change.changed.scores) >= min(LEAST, len(chosen))]
    for winner in winners:
        _time([change for change in measured if change.of == winner.name], winner, timing, questions)
    return measured


def _time(changes: Sequence[Change], winner: Candidate, timing: Asking, questions: Sequence[Question]) -> None:
    """Measure the time of a winner and its changes, except where a language model is called and paid."""
    changes = [change for change in changes if not change.changed.asks_model]
    if not changes or winner.asks_model or not timing.goes_on(1.0):
        return
    again = [replace(one, scores={}) for one in [winner, *(change.changed for change in changes)]]
    chosen = mixed([question for question in questions if key_of(question) in winner.scores])[:_TIMED]
    timing.ask(again, chosen, TIMING, 1.0)
    ours = {key: score.seconds for key, score in again[0].scores.items()}
    for change, changed in zip(changes, again[1:], strict=True):
        change.times = [(ours[key], score.seconds) for key, score in changed.scores.items() if key in ours]


def _named(change: Change, race: Race) -> Change:
    """Return a change whose pipeline has the name that the study knows it by, without scores."""
    for one in race.candidates:
        if one.identity == change.changed.identity:
            failed = one.given_up if one.given_up in (Why.FAILS, Why.CANNOT_START) else None
            return replace(change, changed=replace(one, scores={}, rung=0, given_up=failed))
    return change
