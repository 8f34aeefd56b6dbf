"""Rating every answer of a study by labels; what is rated is stored at once and never asked again."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import closing, nullcontext
from typing import Any

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.trace import Trace, record
from graphbrick.judge.cases import StudyCase, cases_of
from graphbrick.judge.resuming import Pending
from graphbrick.judge.verdicts import Judge, Label, Verdict
from graphbrick.pipeline.budget import Budget, current_budget, spending
from graphbrick.study.runs.environment import machine, versions
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import StoredRating

_SECONDS = 5.0  # that a judge works between two writes: this much is lost at most
_FIRST, _MOST = 4, 1024  # cases given together: at first, and at most


def rate_study(
    study: str | os.PathLike[str],
    judge: Judge,
    labels: Sequence[Label] | None = None,
    *,
    name: str = "",
    fresh: bool = False,
    retry: bool = False,
    progress: Progress = silent,
) -> Study:
    """Let a judge rate every answer that a study keeps, by one or several labels; no pipeline runs.

    Each rating is stored with its reason, and each call of the judge with its cost. After a kill, Ctrl-C or the end of
    a budget, the same call goes on; a few seconds of work are lost at most. Answers of several systems that look the
    same to the judge are rated once. Answers that lack what a label is about (`StudyCase.lacks`) are not rated, nor is
    the correctness of answers to questions without gold answers. Ratings of other judges stay.

    Args:
        study: The file that `graphbrick.study.evaluate` wrote.
        judge: The judge.
        labels: The labels; None for all that the judge knows.
        name: A short name of the judge for tables; its identity if empty.
        fresh: Forget the ratings of this judge by these labels.
        retry: Ask again where the judge failed or could not be read, even if its replies are recorded.
        progress: Told the label, how many answers are done, how many there are.

    Returns:
        The study, open for reading.

    Raises:
        InputError: There is no such study, another process writes it, or the judge does not know a label.
        ModelError: The model of the judge cannot be asked.
        StoppedError: The budget is used up.

    Example:
        >>> import tempfile
        >>> from graphbrick import LLM
        >>> from graphbrick.study.runs.experiment import evaluate
        >>> from graphbrick.questions.question import Question
        >>> from graphbrick.judge.judges.rubric import RubricJudge
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> question = Question("1", "What is the capital of Kenya?", ("Kenya",), ("Nairobi",), dataset="mine")
        >>> out = tempfile.mkdtemp() + "/runs.sqlite"
        >>> evaluate(tiny_graph(), [question], "ShortestPaths() >> Rerank(BM25()) >> PathAnswer()", out=out).close()
        >>> with ScriptedLLM(['{"reason": "It is named.", "verdict": "yes"}']) as server:
        ...     with rate_study(out, RubricJudge(LLM(base_url=server.base_url)), [Label.CONTEXT_RELEVANCE]) as rated:
        ...         rated.ratings(1, "context_relevance")[0].probability
        1.0
    """
    chosen = _checked(judge, labels)
    with Study.open(study) as opened:  # so that a missing file is an error and is not created
        cases = cases_of(opened)
    with Recorder(study) as recorder:
        number = recorder.ratings.judge(judge.identity, name or judge.identity)
        if fresh or retry:
            recorder.ratings.remove(number, chosen, unread_only=not fresh)
        options = {"rated_by": judge.identity, "labels": chosen, "fresh": fresh, "retry": retry}
        with (
            recorder.session(options, versions(), machine()) as session,
            nullcontext() if current_budget() else spending(Budget()),
        ):
            for label in chosen:
                _LabelRatings(recorder, judge, number, session, label).rate(cases, retry=retry, progress=progress)
    return Study.open(study)


class _LabelRatings:
    """The ratings of a judge by one label, written in batches with their cost."""

    def __init__(self, recorder: Recorder, judge: Judge, number: int, session: int, label: Label) -> None:
        self._ratings, self._judge, self._label = recorder.ratings, judge, label
        self._number, self._session = number, session
        self._unwritten: list[StoredRating] = []

    def rate(self, cases: Sequence[StudyCase], *, retry: bool, progress: Progress) -> None:
        """Rate the cases that are not rated yet, a few seconds of them at a time."""
        wanted = [one for one in cases if one.applies(self._label) and not one.lacks(self._label)]
        rated = self._ratings.rated(self._number, self._label)
        known = {
            one.case(self._label): Verdict(said.probability, said.reason)
            for one in wanted
            if (said := rated.get((one.run, one.question))) is not None and said.probability is not None
        }
        pending = Pending[StudyCase, Verdict](
            self._put,
            (one for one in wanted if (one.run, one.question) not in rated),
            key=lambda one: one.case(self._label),
            known=known,
            says=f"{{left:,}} of {{total:,}} answers are not rated by {self._label} yet, and the same call goes on "
            "with them",
            total=len(wanted),
        )
        if self._unwritten:
            self._write(cases=0, seconds=0.0, ledger={}, events=[])

        def in_parts() -> Generator[tuple[int, Verdict]]:
            start, size = 0, _FIRST
            while start < len(pending.new):
                part = pending.new[start : start + size]
                seconds = yield from self._part(part, start)
                progress(self._label, pending.done, len(wanted))
                start, size = start + size, _next_size(size, seconds)

        progress(self._label, pending.done, len(wanted))
        with closing(in_parts()) as verdicts:
            pending.ask(verdicts, retry=retry)

    def _part(self, part: Sequence[StudyCase], start: int) -> Generator[tuple[int, Verdict], None, float]:
        """Yield the verdicts on a part of the cases and return the seconds it took.

        The verdicts are stored with their cost at the end, also if the judge could not give all of them.
        """
        trace, rated = Trace(), 0
        try:
            with record(trace, self._judge.identity, "judge") as entry:
                for place, verdict in self._judge.rate_each(self._label, [one.case(self._label) for one in part]):
                    self._check(verdict.probability)
                    rated += 1
                    yield start + place, verdict
        finally:
            if rated or trace.ledger["calls"]:
                self._write(cases=rated, seconds=entry.seconds, ledger=trace.ledger, events=trace.events)
        return entry.seconds

    def _put(self, one: StudyCase, verdict: Verdict) -> None:
        self._unwritten.append(StoredRating(one.run, one.question, self._label, verdict.probability, verdict.reason))

    def _write(self, **cost: Any) -> None:
        ratings, self._unwritten = self._unwritten, []
        self._ratings.put(self._number, self._session, self._label, ratings, **cost)

    def _check(self, probability: float | None) -> None:
        if probability is not None and not 0 <= probability <= 1:
            raise ValueError(f"the judge {self._judge.identity} gave the probability {probability}, not one in [0, 1]")


def _next_size(size: int, seconds: float) -> int:
    """Return how many cases take about five seconds; at most four times as many as before."""
    fitting = int(size * _SECONDS / max(seconds, 1e-9))
    return max(1, min(fitting, 4 * size, _MOST))


def _checked(judge: Judge, labels: Sequence[Label] | None) -> list[Label]:
    """Return the labels in their usual order.

    Raises:
        InputError: The judge does not know one, or there is none.
    """
    chosen = [label for label in Label if label in (judge.labels if labels is None else labels)]
    missing = [label.value for label in chosen if label not in judge.labels]
    if missing or not chosen:
        known = ", ".join(label.value for label in Label if label in judge.labels)
        raise InputError(
            f"the judge {judge.identity} does not judge {', '.join(missing) or 'by no label'}; it knows {known}",
            code="rating.unknown_label",
            judge=judge.identity,
            labels=missing,
        )
    return chosen
