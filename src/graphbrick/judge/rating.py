"""Rating every answer of a study by labels; what is rated is stored at once and never asked again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.core.trace import Trace, record
from graphbrick.judge.cases import StudyCase, cases_of
from graphbrick.judge.verdicts import Case, Judge, Label, Verdict
from graphbrick.models.llm.reply_cache import asking_anew
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending
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
    watch: Progress = silent,
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
        watch: Called with progress: the label, how many answers are done, how many there are.

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
            asking_anew() if retry else nullcontext(),
        ):
            for label in chosen:
                _Work(recorder, judge, number, session, label, watch).rate(cases)
    return Study.open(study)


class _Work:
    """The ratings by one label."""

    def __init__(
        self, recorder: Recorder, judge: Judge, number: int, session: int, label: Label, watch: Progress
    ) -> None:
        self._recorder, self._judge, self._number, self._session = recorder, judge, number, session
        self._label, self._watch = label, watch
        self._done = self._total = 0

    def rate(self, cases: Sequence[StudyCase]) -> None:
        """Rate the cases that are not rated yet, a few seconds of them at a time."""
        wanted = [one for one in cases if one.applies(self._label) and not one.lacks(self._label)]
        rated = self._recorder.ratings.rated(self._number, self._label)
        alike: dict[Case, list[StudyCase]] = {}
        said: dict[Case, StoredRating] = {}
        for one in wanted:
            key = one.case(self._label)
            if (known := rated.get((one.run, one.question))) is None:
                alike.setdefault(key, []).append(one)
            elif known.probability is not None:
                said[key] = known
        same = {key: said[key] for key in alike if key in said}
        self._copy(same, {key: alike.pop(key) for key in same})
        self._total = len(wanted)
        self._done = self._total - sum(map(len, alike.values()))
        self._watch(self._label, self._done, self._total)
        left, size = list(alike), _FIRST
        try:
            while left:
                part, left = left[:size], left[size:]
                seconds = self._store(part, alike)
                self._watch(self._label, self._done, self._total)
                size = _next_size(size, seconds)
        except StoppedError as error:
            raise StoppedError(
                f"{error}; {self._total - self._done:,} of {self._total:,} answers are not rated by {self._label} "
                "yet, and the same call goes on with them"
            ) from error

    def _store(self, part: Sequence[Case], alike: dict[Case, list[StudyCase]]) -> float:
        """Ask the judge about cases and return the seconds it took.

        What it said is stored with its cost, also if it could not say all of it.
        """
        trace, ratings, rated = Trace(), list[StoredRating](), 0
        try:
            with record(trace, self._judge.identity, "judge") as entry:
                for place, verdict in self._judge.rate_each(self._label, part):
                    ratings += [self._rating(one, verdict) for one in alike[part[place]]]
                    rated += 1
        finally:
            if rated or trace.ledger["calls"]:
                self._recorder.ratings.put(
                    self._number, self._session, self._label, ratings, cases=rated, seconds=entry.seconds,
                    ledger=trace.ledger, events=trace.events,
                )  # fmt: skip
                self._done += len(ratings)
        return entry.seconds

    def _copy(self, said: dict[Case, StoredRating], alike: dict[Case, list[StudyCase]]) -> None:
        """Store what was said before of answers that look the same."""
        ratings = [
            replace(said[key], run=one.run, question=one.question) for key, listed in alike.items() for one in listed
        ]
        if ratings:
            self._recorder.ratings.put(
                self._number, self._session, self._label, ratings, cases=0, seconds=0.0, ledger={}, events=[]
            )

    def _rating(self, one: StudyCase, verdict: Verdict) -> StoredRating:
        probability = verdict.probability
        if probability is not None and not 0 <= probability <= 1:
            raise ValueError(f"the judge {self._judge.identity} gave the probability {probability}, not one in [0, 1]")
        return StoredRating(one.run, one.question, self._label, probability, verdict.reason)


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
            f"the judge {judge.identity} does not judge {', '.join(missing) or 'by no label'}; it knows {known}"
        )
    return chosen
