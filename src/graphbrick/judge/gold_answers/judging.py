"""Judging the answers of a study with a language model, during an evaluation or afterwards."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import nullcontext
from contextvars import copy_context
from typing import Self

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import GraphbrickError
from graphbrick.core.trace import Trace, record
from graphbrick.judge.gold_answers.judgement import Judgement, judge
from graphbrick.judge.resuming import Pending
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.naming import name_of
from graphbrick.models.llm.reply_cache import asking_anew
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending
from graphbrick.study.runs.environment import machine, versions
from graphbrick.study.runs.judging import JUDGING, NoJudging
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.exchanges import exchanges_of
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import StoredJudgement, Unjudged


class Judging(NoJudging):
    """Background judge: judges answers in threads and stores each judgement when it is done.

    The same answer of several pipelines to one question is judged once, so that the verdict is the same for all.

    Args:
        llm: The judge.
        recorder: The study; the caller checks that it has no other judge (`Judgements.require`).
        further: Whether it is a judge beside that of the study.
        exchanges: Whether prompts and replies of the judge are stored.
        anew: Whether recorded replies are not used, because they could not be read.
    """

    def __init__(
        self, llm: ChatModel, recorder: Recorder, *, exchanges: bool = True, anew: bool = False, further: bool = False
    ) -> None:
        self._llm, self._exchanges, self._anew = llm, exchanges, anew
        self._judgements = judgements = recorder.opinions(name_of(llm)) if further else recorder.judgements
        self._calls: dict[Future[StoredJudgement], Unjudged] = {}
        self._stopped: BaseException | None = None
        # The result of an answer is the number of a run that has the judgement.
        self._pending = Pending[Unjudged, int](
            lambda answer, run: judgements.copy(run, answer.question, answer.run),
            key=lambda answer: (answer.question, answer.answer),
            known=judgements.known(),
            says="{left:,} answers are not judged yet, and the same call goes on with them",
        )

    def __enter__(self) -> Self:
        self._executor = ThreadPoolExecutor(self._llm.parallel, "judge")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: object) -> None:
        budget = current_budget()
        if error is not None and not isinstance(error, StoppedError) and budget is not None:
            budget.cancel()  # aborts calls in flight
        self._executor.shutdown(cancel_futures=True)
        self._store()

    @property
    def left(self) -> int:
        """Number of submitted answers that are not judged yet."""
        return self._pending.left

    def submit(self, answers: Iterable[Unjudged]) -> None:
        """Judge these answers in the background, and store the judgements of earlier ones that are done."""
        self._store()
        for answer in self._pending.add(answers):
            if self._stopped:
                continue
            with asking_anew() if self._anew else nullcontext():
                context = copy_context()
            call = self._executor.submit(context.run, _judged, self._llm, answer, self._exchanges)
            self._calls[call] = answer

    def _store(self) -> None:
        """Store the judgements that are done."""
        for call in [call for call in self._calls if call.done()]:
            answer = self._calls.pop(call)
            try:
                self._judgements.put(call.result())
            except (StoppedError, CancelledError) as error:
                self._stop(error)
                continue
            self._pending.put(answer, answer.run)

    def finish(self) -> Iterator[int]:
        """Wait for the other judgements and store them; yield how many are left after each step.

        Raises:
            StoppedError: A budget or the user stopped the judge.
        """
        while self._calls:
            wait(self._calls, return_when=FIRST_COMPLETED)
            self._store()
            yield self.left
        if self._stopped is not None:
            raise self._pending.stopped(self._stopped)

    def _stop(self, error: BaseException) -> None:
        """Start no further call; the other answers stay without a judgement."""
        if self._stopped is None:
            self._stopped = error
            for call in self._calls:
                call.cancel()


def _judged(llm: ChatModel, answer: Unjudged, exchanges: bool) -> StoredJudgement:
    """Judge one answer; if the model fails, record why."""
    trace, error = Trace(), None
    with record(trace, name_of(llm), "judge") as entry:
        try:
            judgement = judge(llm, answer.text, [answer.answer] if answer.answer else [], answer.gold)
        except StoppedError:
            raise
        except GraphbrickError as failure:
            judgement, error = Judgement(None, "model"), str(failure)
    words = exchanges_of([entry]) if exchanges else ()
    return StoredJudgement(
        *(answer.run, answer.question, name_of(llm), judgement.right, judgement.by, error, entry.seconds, trace.ledger),
        *(tuple(entry.events), words),
    )


def judge_study(
    study: str | os.PathLike[str],
    llm: ChatModel,
    *,
    fresh: bool = False,
    retry: bool = False,
    further: bool = False,
    exchanges: bool = True,
    progress: Progress = silent,
) -> Study:
    """Judge the answers stored in a study; no pipeline runs.

    Existing judgements stay. The same call continues after a kill, Ctrl-C or the end of a budget.

    Args:
        study: The file that `graphbrick.study.evaluate` wrote.
        llm: The judge; best at temperature 0, and not the model that gave the answers.
        fresh: Forget all judgements, also those of another judge.
        retry: Judge again the answers without a verdict: the judge failed, or its reply could not be read. A reply that
            is recorded is not used again for them.
        further: Whether it is a judge beside that of the study, whose measure is ``judge_at_1:LLM(...)``. ``fresh``
            then forgets its own judgements only.
        exchanges: Whether prompts and replies of the judge are stored.
        progress: Told the step, how many answers are done, how many there are.

    Returns:
        The study, open for reading.

    Raises:
        InputError: There is no such study, another process writes it, or it has another judge.
        StoppedError: The budget is used up.

    Example:
        >>> import tempfile
        >>> from graphbrick import LLM
        >>> from graphbrick.study.runs.experiment import evaluate
        >>> from graphbrick.questions.question import Question
        >>> from graphbrick.testing import ScriptedLLM, tiny_graph
        >>> question = Question("1", "What is the capital of Kenya?", ("Kenya",), ("City of Nairobi",), dataset="mine")
        >>> out = tempfile.mkdtemp() + "/runs.sqlite"
        >>> evaluate(tiny_graph(), [question], "ShortestPaths() >> Rerank(BM25()) >> PathAnswer()", out=out).close()
        >>> with ScriptedLLM(lambda request: "YES") as server:
        ...     with judge_study(out, LLM(base_url=server.base_url)) as study:
        ...         study.results(1)[0].metrics["judge_at_1"]
        1.0
    """
    Study.open(study).close()  # so that a missing file is an error and is not created
    with Recorder(study) as recorder:
        judgements = recorder.opinions(name_of(llm)) if further else recorder.judgements
        if not fresh and not further:
            judgements.require(name_of(llm))
        if fresh or retry:
            judgements.remove(without_verdict=not fresh)
        options = {"judge": name_of(llm), "further": further, "fresh": fresh, "retry": retry}
        with recorder.session(options, versions(), machine()):
            left = judgements.missing()
            with (
                nullcontext() if current_budget() else spending(Budget()),
                Judging(llm, recorder, exchanges=exchanges, anew=retry, further=further) as judging,
            ):
                judging.submit(left)
                progress(JUDGING, len(left) - judging.left, len(left))
                for still in judging.finish():
                    progress(JUDGING, len(left) - still, len(left))
    return Study.open(study)
