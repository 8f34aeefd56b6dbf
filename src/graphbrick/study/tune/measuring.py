"""Asking questions for a search: a study stores every result, so that nothing is asked twice."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean

from graphbrick.core.errors import GraphbrickError, PipelineError
from graphbrick.graphs.graph import Graph
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending
from graphbrick.pipeline.parsing import parse
from graphbrick.questions.question import Question
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.runs.workers import concurrency
from graphbrick.study.store.encoding import plain
from graphbrick.study.store.identity import content_of
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import Result
from graphbrick.study.tune.race import Candidate, Key, Scored, Why

_FAILS = 4  # questions on which a pipeline fails before it is given up: the first one may be wrong itself
_STARTING = 20.0  # seconds of work for which another process is worth its start
_PATIENCE = 3.0  # how much longer than before candidates that are asked together may take


class Measurer:
    """Runner of pipelines on questions, and reader of their scores.

    Args:
        graph: The graph.
        path: The study.
        metric: The measure that counts as quality.
        link: Whether seeds are found in the questions.
        workers: Questions answered at once.
        earlier: Gives the tokens and dollars spent in earlier sessions, which the current budget does not count.

    Attributes:
        workers: The same.
        calls: How often pipelines were asked.
        alone: Seconds of all stages so far, each pipeline counted as if it shared none.
        ran: Seconds of the stages that ran, each shared one counted once.
        left_tokens: Tokens of results that an earlier session has left.
        left_usd: Dollars of these.
    """

    def __init__(
        self,
        graph: Graph,
        path: Path,
        *,
        metric: str,
        link: bool,
        workers: int,
        earlier: Callable[[], tuple[int, float]] = lambda: (0, 0.0),
    ) -> None:
        self._graph, self._path, self._metric = graph, path, metric
        self._link, self.workers, self._earlier = link, workers, earlier
        self.calls, self.left_tokens, self.left_usd = 0, 0, 0.0
        self.alone = self.ran = 0.0
        self._before = 0  # the number of the last session that is not of this process
        if path.exists():
            with Study.open(path) as study:
                self._before = max((session.id for session in study.sessions()), default=0)

    def ask(
        self, candidates: Sequence[Candidate], questions: Sequence[Question], *, each: float, deadline: float
    ) -> None:
        """Ask candidates questions, store the scores, give up those that cannot start or always fail.

        Candidates that are asked together share the stages that they begin with.

        Args:
            candidates: The candidates.
            questions: The questions; those that were asked before cost nothing.
            each: Seconds for each candidate; one that takes longer is given up.
            deadline: When no candidate is asked any more, by `time.monotonic`; those asked then are not given up.

        Raises:
            StoppedError: The user's own budget is used up; what was answered is stored in the candidates.
        """
        try:
            self._asked(candidates, questions, each, deadline)
        finally:
            self.read(candidates, questions)

    def _asked(
        self, candidates: Sequence[Candidate], questions: Sequence[Question], each: float, deadline: float
    ) -> None:
        """Ask candidates together; one by one if one of them cannot start, or if they take too long."""
        left = deadline - time.monotonic()
        if left <= 0:
            return
        wanted = each if len(candidates) == 1 else sum(_likely(one, questions, each) for one in candidates)
        outer = current_budget()
        budget = _part(outer, min(wanted, left), self._earlier())
        try:
            with _within(outer, budget):
                self.calls += 1
                self._evaluate(candidates, questions)
            return
        except PipelineError as error:
            if len(candidates) == 1:
                candidates[0].give_up(Why.CANNOT_START, f"cannot start: {error}")
                return
        except StoppedError:
            if outer is not None:
                outer.check()  # the user's budget of seconds is used up
            if budget.left() > 0:  # it was not the time: the user's budget of tokens or dollars, or Ctrl-C
                raise
            if wanted > left:
                return
            if len(candidates) == 1:
                many = "questions" if len(questions) > 1 else "question"
                candidates[0].give_up(Why.SLOW, f"more than {each:.3g} s for {len(questions)} {many}")
                return
        except (GraphbrickError, OSError, MemoryError):
            raise  # of the study or the machine
        except Exception as error:  # noqa: BLE001 - a fault of a brick, perhaps of a plug-in, ends its pipeline only
            if len(candidates) == 1:
                candidates[0].give_up(Why.FAILS, f"fails: {type(error).__name__}: {error}")
                return
        for one in candidates:
            self._asked([one], questions, each, deadline)

    def read(self, candidates: Sequence[Candidate], questions: Sequence[Question]) -> None:
        """Take the results of candidates from the study, without asking anything."""
        if not self._path.exists():
            return
        keys = [key_of(question) for question in questions]
        # Not by name: the study may have runs of the same name on another state of the graph, or of another space.
        about = content_of(self._graph), self._link
        with Study.open(self._path) as study:
            runs = {
                run.identity.text: run.id
                for run in study.runs()
                if run.identity is not None and (run.graph_hash, run.linked) == about
            }
            known = {question.id: (question.dataset, question.name) for question in study.questions()}
            stages: set[tuple[object, ...]] = set()
            for one in candidates:
                run = runs.get(plain(one.identity))
                if run is not None:
                    results = {known[result.question]: result for result in study.results(run)}
                    self._take(one, [(key, results[key]) for key in keys if key in results], stages)

    def _evaluate(self, candidates: Sequence[Candidate], questions: Sequence[Question]) -> None:
        evaluate(
            self._graph, questions, {one.name: one.text for one in candidates}, out=self._path, link=self._link,
            workers=self._useful_workers(candidates, questions), exchanges=False,
        ).close()  # fmt: skip

    def _useful_workers(self, candidates: Sequence[Candidate], questions: Sequence[Question]) -> int:
        """Return one if the work takes less time than starting processes and loading models."""
        if self.workers == 1 or concurrency([parse(one.text) for one in candidates]):
            return self.workers  # threads for language models cost nothing
        seconds = sum(_likely(one, questions, 0.0 if len(questions) == 1 else math.inf) for one in candidates)
        return self.workers if seconds > _STARTING * self.workers else 1

    def _take(self, one: Candidate, results: Sequence[tuple[Key, Result]], stages: set[tuple[object, ...]]) -> None:
        """Take results into a candidate's scores; ``stages`` are those already counted for others."""
        for key, result in results:
            quality = result.metrics.get(self._metric)
            if quality is None:
                one.give_up(Why.FAILS, f"{self._metric} cannot be measured on question {key[1]!r} with its stages")
                return
            if key not in one.scores:
                self.alone += result.seconds
                if result.session <= self._before:
                    self.left_tokens += int(_tokens(result))
                    self.left_usd += result.ledger.get("cost", 0.0)
                begin: tuple[object, ...] = (key, result.session)
                for stage, _, seconds in result.stage_seconds:
                    begin = (*begin, stage, seconds)  # a stage that was shared has the same time, to the nanosecond
                    if begin not in stages:
                        stages.add(begin)
                        self.ran += seconds
            one.scores[key] = Scored(
                float(quality),
                result.seconds,
                _tokens(result),
                result.ledger.get("cost", 0.0),
            )
        errors = [result.error for _, result in results if result.error]
        if len(errors) == len(results) >= _FAILS:
            one.give_up(Why.FAILS, f"fails: {errors[0]}")


def _likely(one: Candidate, questions: Sequence[Question], each: float) -> float:
    """Return seconds after which a candidate takes much longer than it did before, at most ``each``."""
    if not one.scores:
        return each
    left = len(questions) - len(one.scores)
    return min(each, _PATIENCE + _PATIENCE * left * fmean(score.seconds for score in one.scores.values()))


def _part(outer: Budget | None, seconds: float, earlier: tuple[int, float]) -> Budget:
    """Return a budget of so many seconds, and of the rest of the budget around it.

    Args:
        outer: The budget around it.
        seconds: Seconds, at most.
        earlier: Tokens and dollars that count against it, and that it has not counted itself.

    Raises:
        StoppedError: Its time is over, or it was cancelled.
    """
    if outer is None:
        return Budget(seconds=seconds if seconds < math.inf else None)
    outer.check()
    seconds = min(seconds, outer.left())
    return Budget(
        seconds=seconds if seconds < math.inf else None,
        tokens=None if outer.tokens is None else max(1, outer.tokens - outer.spent_tokens - earlier[0]),
        usd=None if outer.usd is None else max(1e-9, outer.usd - outer.spent_usd - earlier[1]),
    )


@contextmanager
def _within(outer: Budget | None, inner: Budget) -> Iterator[None]:
    """Context manager that limits runs to a budget, and counts their cost in the one around it, too."""
    try:
        with spending(inner):
            yield
    finally:
        if outer is not None:
            outer.spent_tokens += inner.spent_tokens
            outer.spent_usd += inner.spent_usd


def key_of(question: Question) -> Key:
    """Return the key of a question: its data set and its id there."""
    return question.dataset, question.id


def _tokens(result: Result) -> float:
    """Return the tokens of language models; an encoder alone, which writes none, costs nothing."""
    written = result.ledger.get("tokens_out", 0)  # nothing is counted where the seeds are not in the graph
    return float(result.ledger["tokens_in"] + written) if written else 0.0
