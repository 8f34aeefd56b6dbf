"""Judging the answers of a study by a language model, while others are still given or afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from contextvars import copy_context
from dataclasses import fields, replace

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import Trace, record
from graphbrick.evaluate.judge.judge import Judgement, judge
from graphbrick.evaluate.judge.judgements import Unjudged
from graphbrick.evaluate.study.environment import machine, versions
from graphbrick.evaluate.study.exchanges import exchanges_of
from graphbrick.evaluate.study.recording import Recorder
from graphbrick.evaluate.study.store import Study
from graphbrick.evaluate.study.stored import StoredJudgement
from graphbrick.llm.chat import ChatModel
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending

JUDGING = "judging"
"""The step that ``watch`` is told of."""
_NO_MATTER = ("parallel", "retries", "timeout", "threads")


def name_of(llm: ChatModel) -> str:
    """The recipe text of a judge, without parameters that change no verdict.

    >>> from graphbrick import LLM
    >>> name_of(LLM("gpt-4.1", parallel=8, timeout=10.0))
    "LLM(model='gpt-4.1')"
    """
    plain = {one.name: one.default for one in fields(llm) if one.name in _NO_MATTER}  # type: ignore[arg-type]
    return repr(replace(llm, **plain))  # type: ignore[type-var]


class Judging:
    """Judges answers in threads of its own, and writes each judgement when it is there.

    An answer that several pipelines give to one question is judged once, so that the verdict is the same for all.

    Args:
        llm: The judge; None for no judging, so that nothing is done.
        recorder: The study; that it has no other judge is for the caller to check (`Judgements.require`).
        exchanges: Whether what the judge was told and replied is kept.
    """

    def __init__(self, llm: ChatModel | None, recorder: Recorder, *, exchanges: bool = True) -> None:
        self._llm, self._recorder, self._exchanges = llm, recorder, exchanges
        # By question and answer: the run whose judgement is kept, or what is under way.
        self._known: dict[tuple[int, str], int | Future[StoredJudgement]] = {}
        self._waiting: dict[Future[StoredJudgement], list[Unjudged]] = {}
        self._stopped, self._given_up = "", 0
        if llm is not None:
            self._known |= {(question, said): run for run, question, said in recorder.judgements.kept()}

    def __enter__(self) -> Judging:
        self._executor = ThreadPoolExecutor(1 if self._llm is None else self._llm.parallel, "judge")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: object) -> None:
        budget = current_budget()
        if error is not None and not isinstance(error, StoppedError) and budget is not None:
            budget.cancel()  # calls in flight are given up
        self._executor.shutdown(cancel_futures=True)
        self.settle()

    @property
    def left(self) -> int:
        """How many answers are taken and not judged yet."""
        return self._given_up + sum(map(len, self._waiting.values()))

    def take(self, answers: Iterable[Unjudged]) -> None:
        """Judge these answers; the call returns at once."""
        if self._llm is None:
            return
        for one in answers:
            known = self._known.get((one.question, one.answer))
            if isinstance(known, int):
                self._recorder.copy_judgement(known, one.question, one.run)
                continue
            if known is None and self._stopped:
                self._given_up += 1
                continue
            if known is None:
                known = self._executor.submit(copy_context().run, _judged, self._llm, one, self._exchanges)
                self._known[one.question, one.answer] = known
            self._waiting.setdefault(known, []).append(one)

    def settle(self) -> None:
        """Write what has been judged by now."""
        for future in [future for future in self._waiting if future.done()]:
            answers = self._waiting.pop(future)
            try:
                found = future.result()
            except (StoppedError, CancelledError) as error:
                self._given_up += len(answers)
                self._stop(str(error))
                continue
            for one in answers:
                self._recorder.put_judgement(replace(found, run=one.run))
                self._known[one.question, one.answer] = one.run

    def rest(self) -> Iterator[int]:
        """Wait for the answers that are left and write them; how many are still left, again and again.

        Raises:
            StoppedError: A budget, or somebody, stopped the judge.
        """
        while self._waiting:
            wait(self._waiting, return_when=FIRST_COMPLETED)
            self.settle()
            yield self.left
        if self._stopped:
            raise StoppedError(
                f"{self._stopped}; {self.left:,} answers are not judged yet, and the same call goes on with them"
            )

    def _stop(self, reason: str) -> None:
        """Begin no further call; what is left stays to be judged."""
        if not self._stopped:
            self._stopped = reason
            for future in self._waiting:
                future.cancel()


def _judged(llm: ChatModel, answer: Unjudged, exchanges: bool) -> StoredJudgement:
    """The judgement of one answer; where the model fails there is none, and why."""
    trace, error = Trace(), None
    with record(trace, name_of(llm), "judge") as entry:
        try:
            found = judge(llm, answer.text, [answer.answer] if answer.answer else [], answer.gold)
        except StoppedError:
            raise
        except GraphbrickError as failure:
            found, error = Judgement(None, "model"), str(failure)
    said = exchanges_of([entry]) if exchanges else ()
    return StoredJudgement(
        *(answer.run, answer.question, name_of(llm), found.right, found.by, error, entry.seconds, trace.ledger),
        *(tuple(entry.events), said),
    )


def judge_study(
    study: str | os.PathLike[str],
    llm: ChatModel,
    *,
    fresh: bool = False,
    retry: bool = False,
    exchanges: bool = True,
    watch: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> Study:
    """Judge the answers that a study has kept; nothing is asked of its pipelines.

    What was judged before stays. The same call goes on after a kill, Ctrl-C or the end of a budget.

    Args:
        study: The file that `graphbrick.evaluate.evaluate` wrote.
        llm: The judge; best at temperature 0, and not the model that gave the answers.
        fresh: Forget all judgements, also those of another judge.
        retry: Judge again the answers without a verdict: the judge failed, or its reply could not be read.
        exchanges: Whether what the judge was told and replied is kept.
        watch: Told of progress: the step, how many answers are done, how many there are.

    Returns:
        The study, open for reading.

    Raises:
        InputError: There is no such study, another process writes it, or it has another judge.
        StoppedError: The budget is used up.

    Example:
        >>> import tempfile
        >>> from graphbrick import LLM
        >>> from graphbrick.evaluate import evaluate
        >>> from graphbrick.evaluate.datasets import Question
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> asked = [Question("1", "What is the capital of Kenya?", ("Kenya",), ("City of Nairobi",), dataset="mine")]
        >>> out = tempfile.mkdtemp() + "/runs.sqlite"
        >>> evaluate(tiny_graph(), asked, "ShortestPaths() >> Rerank(BM25()) >> PathAnswer()", out=out).close()
        >>> with ScriptedLLM(lambda request: "YES") as server:
        ...     with judge_study(out, LLM(base_url=server.base_url)) as study:
        ...         study.results(1)[0].metrics["judge_at_1"]
        1.0
    """
    Study.open(study).close()  # so that none is made where there is none
    with Recorder(study) as recorder:
        if not fresh:
            recorder.judgements.require(name_of(llm))
        if fresh or retry:
            recorder.forget_judgements(errors_only=not fresh)
        options = {"judge": name_of(llm), "fresh": fresh, "retry": retry}
        with recorder.sitting(options, versions(), machine()):
            left = recorder.judgements.lacking()
            with (
                nullcontext() if current_budget() else spending(Budget()),
                Judging(llm, recorder, exchanges=exchanges) as judging,
            ):
                judging.take(left)
                watch(JUDGING, len(left) - judging.left, len(left))
                for still in judging.rest():
                    watch(JUDGING, len(left) - still, len(left))
    return Study.open(study)
