"""Asking candidates as steps of the journal, with earlier results read and candidates given up."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from statistics import fmean

from graphbrick.core.compute import Progress
from graphbrick.pipeline.budget import StoppedError, current_budget
from graphbrick.questions.question import Question
from graphbrick.study.tune.clock import Clock, Step, short
from graphbrick.study.tune.measuring import Measurer
from graphbrick.study.tune.questions import LEAST
from graphbrick.study.tune.race import Candidate, Race, Why

_FIRST = 3.0  # how much longer than tolerated the first question may take, and once more: models are loaded
_AS_PATIENT = 1.01  # times as long as before: what was too slow then is tried again only when it may take longer


class Asking:
    """Runner of the candidates of a search, within its time and the user's budget.

    Args:
        measurer: Asks them.
        clock: Time, tokens and dollars that the search has used.
        race: The candidates.
        seconds: Time for the whole search.
        progress: Called with (step, seconds used, seconds in all).

    Attributes:
        stopped: Why the user's budget ended the search; empty if it did not.
    """

    def __init__(self, measurer: Measurer, clock: Clock, race: Race, seconds: float, progress: Progress) -> None:
        self._measurer, self._clock, self._race = measurer, clock, race
        self._seconds, self._progress = seconds, progress
        self.stopped = ""

    def goes_on(self, share: float) -> bool:
        """Return whether a part of the search that ends with a share of the time goes on."""
        return self._clock.share < share and not self.stopped

    def ask(self, candidates: Sequence[Candidate], questions: Sequence[Question], what: str, share: float) -> None:
        """Ask candidates questions until a share of the time is used."""
        each = max(map(self._race.tolerated, candidates)) * max(len(questions), _FIRST)
        if candidates[0] is self._race.candidates[0]:  # what the others are compared with takes as long as it takes
            each = self._seconds

        def work(known: Step | None) -> Step | None:
            there = list(candidates)
            if known is not None:
                self._measurer.read(there, questions)
                there = _unfinished(there, len(questions), known, each)
                if not there:
                    return None
            before = self._measurer.ran, self._measurer.calls, self._measurer.left_tokens, self._measurer.left_usd
            deadline = time.monotonic() + max(0.0, share * self._seconds - self._clock.used)
            try:
                self._measurer.ask(there, questions, each=each, deadline=deadline)
            except StoppedError as error:
                self.stopped = _spent(self._clock.spent) or str(error)
            if known is not None and self._measurer.calls == before[1]:
                return None
            given_up = {short(one.identity): (str(one.given_up), one.reason) for one in there if one.given_up}
            return Step(
                (self._measurer.ran - before[0]) / self._measurer.workers, self._measurer.left_tokens - before[2],
                self._measurer.left_usd - before[3], given_up, each,
            )  # fmt: skip

        self._clock.step(" ".join([str(len(questions)), what, *(one.identity for one in candidates)]), work)
        self._progress(what, round(self._clock.used), round(self._seconds))

    def affordable(self, candidates: Collection[Candidate], share: float) -> int:
        """Return how many questions can be asked until a share of time and budget is used; 0 for none."""

        def each(figure: str) -> float:
            means = (fmean(getattr(score, figure) for score in one.scores.values()) for one in candidates)
            return max(sum(means), 1e-9)

        budget, (tokens, usd) = current_budget(), self._clock.spent
        left = [max(LEAST, (self._seconds * share - self._clock.used) / each("seconds"))]
        if budget is not None and budget.tokens is not None:
            left.append((budget.tokens * share - tokens) / each("tokens"))
        if budget is not None and budget.usd is not None:
            left.append((budget.usd * share - usd) / each("usd"))
        return max(0, int(min(left)))


def _unfinished(candidates: Sequence[Candidate], questions: int, step: Step, each: float) -> list[Candidate]:
    """Return the candidates of a journal's step with questions left; give up those given up then."""
    for one in candidates:
        why, reason = step.given_up.get(short(one.identity), ("", ""))
        if why and (why != Why.SLOW or each <= step.each * _AS_PATIENT):
            one.give_up(Why(why), reason)
    return [one for one in candidates if not one.given_up and len(one.scores) < questions]


def _spent(spent: tuple[int, float]) -> str:
    """Return the spent part of the user's budget of tokens or dollars; empty without one."""
    budget, (tokens, usd) = current_budget(), spent
    if budget is None or (budget.tokens is None and budget.usd is None) or budget.left() <= 0:
        return ""
    parts = [f"{tokens:,} of {budget.tokens:,} tokens"] if budget.tokens is not None else []
    parts += [f"${usd:.4f} of ${budget.usd:g}"] if budget.usd is not None else []
    return f"the budget does not hold the next call, with {' and '.join(parts)} used"
