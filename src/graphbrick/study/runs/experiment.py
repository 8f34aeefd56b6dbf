"""Evaluation of pipelines on questions; results are stored at once, and a run can be resumed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass
from functools import partial

from graphbrick.core.compute import Progress, blas_threads, part_of, silent, watched_by
from graphbrick.core.errors import InputError
from graphbrick.core.files.digests import sha256
from graphbrick.models.llm.chat import ChatModel
from graphbrick.models.llm.naming import name_of
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending
from graphbrick.questions.grounding import GroundedQuestion
from graphbrick.questions.question import Question
from graphbrick.study.runs.environment import machine, versions
from graphbrick.study.runs.inputs import NamedPipeline, Pipelines, Questions, named_pipelines, read_questions
from graphbrick.study.runs.inputs import SourcedQuestion as Sourced
from graphbrick.study.runs.judging import JUDGING, NoJudging, judging
from graphbrick.study.runs.question_graphs import StudyGraph, ground_each
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.runs.workers import Done, Task, Work, answered, concurrency
from graphbrick.study.store.identity import on_graph
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import Detail, Unjudged

Runner = Callable[[Work, Sequence[Task]], Generator[Done, None, None]]
"""Runs tasks and yields the results of each as soon as it is done; closing the generator ends it."""

FINDING, ANSWERING = "finding the questions in the graph", "answering"
"""Names of the steps that are reported to ``progress``."""


def evaluate(
    graph: StudyGraph,
    questions: Questions,
    pipelines: Pipelines,
    *,
    out: str | os.PathLike[str] = "runs.sqlite",
    limit: int | None = None,
    seed: int = 0,
    link: bool = False,
    workers: int | None = None,
    fresh: bool = False,
    retry: bool = False,
    judge: ChatModel | None = None,
    exchanges: bool = True,
    memory: bool = False,
    runner: Runner | None = None,
    progress: Progress = silent,
) -> Study:
    """Run pipelines on questions and store the result of every question in a file.

    Every result is written within a second. Whatever ends an evaluation, the same call continues it: finished questions
    are not asked again, also with another ``limit`` or further pipelines. A run is known by the identity of its
    pipeline (`evaluate.study.identity`) and the hash of the graph, so that a changed graph, prompt file or model folder
    begins another run, and a changed ``timeout`` does not. Stages that pipelines begin with alike run once
    (`evaluate.study.prefixes`).

    A question on which a pipeline fails is a result with an error, and scores 0. When the budget of
    `graphbrick.pipeline.budget.spending` is used up, or at Ctrl-C, the evaluation stops, and what is done stays.

    Args:
        graph: The graph; or extracted subgraphs, of which each question is asked on that of its seeds.
        questions: Files of questions of any form (`graphbrick.questions.load`), splits of fetched data sets
            (such as "webqsp:test"), questions, or several of these.
        pipelines: Recipe texts or pipelines; as a mapping, with their names in tables.
        out: The file (SQLite); created if there is none, else extended.
        limit: Ask that many questions, drawn in proportion to hops (`graphbrick.questions.sample`); None for
            all.
        seed: Seed of this draw.
        link: Find the seeds in the text of each question, even if the file gives them.
        workers: Questions answered at once, at least 1; None for as many calls as the language models accept, and 1
            without them. More than 1 are threads if a language model is called, else processes. Results do not depend
            on it; times do, because workers share the machine.
        fresh: Forget the results of these pipelines on this graph.
        retry: Ask again the questions that ended in an error, and judge again the answers without a verdict.
        judge: A language model that says of the first answer to each question whether it means the same as a gold
            answer (`evaluate.judge.gold_answers`), as the measure ``judge_at_1``. A study has one judge. Its cost is
            kept apart from that of the pipelines. Answers of earlier calls are judged too.
        exchanges: Whether the prompts and replies of language models are stored.
        memory: Whether to measure the peak of memory of each stage (`core.memory.meter`), one question at a time. It is
            in the trace of every answer, and among the measures as ``peak_mb_extract``, ``grown_mb_extract`` and, where
            torch uses GPUs, ``gpu_peak_mb_extract``, likewise for other kinds of stages.
        runner: Answers the questions elsewhere, such as on the executors of Spark (`graphbrick.spark.executors`); None
            for threads or processes of this machine. Results do not depend on it; ``workers`` is not used then.
        progress: Told the step, how many are done, how many there are.

    Returns:
        The study, open for reading.

    Raises:
        InputError: A file cannot be read, two questions have one id, a parameter is out of range, the study is being
            written by another process, or holds another question with the same id.
        PipelineError: A pipeline cannot be read, cannot start a run, or is there twice.
        StoppedError: The budget is used up.

    Example:
        >>> import tempfile
        >>> from graphbrick.testing import tiny_graph
        >>> questions = [Question("1", "Which currency has Kenya?", ("Kenya",), ("Kenyan shilling",), dataset="mine")]
        >>> text = "ShortestPaths() >> Rerank(BM25()) >> PathAnswer()"
        >>> study = evaluate(tiny_graph(), questions, {"bm25": text}, out=tempfile.mkdtemp() + "/runs.sqlite")
        >>> [(run.name, run.done, study.results(run.id)[0].metrics["hits_at_1"]) for run in study.runs()]
        [('bm25', 1, 1.0)]
    """
    named = named_pipelines(pipelines)
    workers = _workers(workers, [entry.pipeline for entry in named]) if not memory else _alone(workers, runner)
    sourced = read_questions(questions, limit, seed)
    if judge is not None and not isinstance(judge, ChatModel):
        raise InputError(
            f"the judge must be a language model such as LLM('gpt-4.1'), got {judge!r:.80}", code="evaluate.not_a_judge"
        )
    options = {"limit": limit, "seed": seed, "link": link, "workers": workers, "fresh": fresh, "retry": retry,
               "judge": None if judge is None else name_of(judge), "exchanges": exchanges, "memory": memory,
               "runner": None if runner is None else str(runner)}  # fmt: skip
    packages = versions(entry.pipeline for entry in named)
    # The matrices of one question are small, and other workers need the cores.
    with blas_threads(1), Recorder(out) as recorder, recorder.session(options, packages, machine()) as session:
        settings = _Settings(session, link, workers, fresh, retry, judge, exchanges, memory, runner)
        _evaluate(recorder, graph, named, sourced, settings, progress)
    return Study.open(out)


@dataclass(frozen=True)
class _Settings:
    """The parameters of one evaluation session."""

    session: int
    link: bool
    workers: int
    fresh: bool
    retry: bool
    judge: ChatModel | None
    exchanges: bool
    memory: bool
    runner: Runner | None


def _evaluate(
    recorder: Recorder,
    graph: StudyGraph,
    named: Sequence[NamedPipeline],
    sourced: Sequence[Sourced],
    settings: _Settings,
    progress: Progress,
) -> None:
    """Answer the questions without a result, and judge the answers without a judgement."""
    runs = [
        recorder.run(
            entry.name, repr(entry.pipeline), graph, linked=settings.link,
            identity=on_graph(entry.identity, entry.pipeline, graph),
        )
        for entry in named
    ]  # fmt: skip
    if settings.fresh:  # before anything is forgotten
        recorder.questions.refuse_changed(graph, [entry.question for entry in sourced], but=runs)
    _forget(recorder, runs, settings)
    grounded = _ground(recorder, graph, [entry.question for entry in sourced], progress)
    totals = {entry.file: entry.total for entry in sourced if entry.file}
    files = {file: recorder.questions.file(file, sha256(file), total) for file, total in totals.items()}
    numbers = recorder.questions.add(
        graph, grounded, [None if entry.file is None else files[entry.file] for entry in sourced]
    )
    left = [recorder.ask(run, numbers) for run in runs]
    tasks = [
        Task(question, number, places, turn)
        for turn, (question, number) in enumerate(zip(grounded, numbers, strict=True))
        if (places := tuple(place for place in range(len(runs)) if number in left[place]))
    ]
    pipelines = [entry.pipeline for entry in named]
    work = Work(
        graph, pipelines, runs, settings.session, link=settings.link, exchanges=settings.exchanges,
        memory=settings.memory,
    )  # fmt: skip
    total = len(numbers) * len(runs)
    counter = _Counter(progress, total - sum(map(len, left)), total)
    try:
        # A budget without limits makes it possible to stop calls in flight at Ctrl-C.
        with (
            nullcontext() if current_budget() else spending(Budget()),
            judging(settings.judge, recorder, exchanges=settings.exchanges, anew=settings.retry) as judged,
        ):
            if settings.judge is not None:
                judged.submit(recorder.judgements.missing(runs, numbers))
            _answer(recorder, work, tasks, settings, judged, counter)
            before = judged.left
            for still in judged.finish():
                progress(JUDGING, before - still, before)
    except StoppedError as error:
        if counter.done < total:
            remaining = total - counter.done
            raise StoppedError(
                f"{error}; {remaining:,} of {total:,} answers are left, and the same call goes on with them",
                code="evaluate.stopped",
                left=remaining,
                total=total,
            ) from error
        if settings.judge is not None:
            raise
    finally:
        recorder.close_runs(runs)


def _forget(recorder: Recorder, runs: Sequence[int], settings: _Settings) -> None:
    """Remove the results and judgements that ``fresh`` and ``retry`` ask for."""
    judgements = recorder.judgements
    if settings.judge is not None:
        judgements.require(name_of(settings.judge), but=runs if settings.fresh else ())
    if settings.fresh or settings.retry:
        recorder.forget(runs, errors_only=not settings.fresh)
        if settings.judge is not None:  # otherwise nobody would judge them again, and the reason would be lost
            judgements.remove(runs, without_verdict=not settings.fresh)


class _Counter:
    """Counter of answers that reports them to ``progress``."""

    def __init__(self, progress: Progress, done: int, total: int) -> None:
        self._progress, self.done, self._total = progress, done, total
        progress(ANSWERING, done, total)

    def within(self, step: str, done: float, total: float | None) -> None:
        """Report what is done for one answer."""
        amount = f" ({done:,.0f} of {total:,.0f})" if total else ""
        self._progress(f"{ANSWERING}; {step}{amount}", self.done, self._total)

    def add(self, done: int) -> None:
        self.done += done
        self._progress(ANSWERING, self.done, self._total)


_SLOW = 0.1  # seconds between answers from which on each is committed at once


def _answer(
    recorder: Recorder, work: Work, tasks: Sequence[Task], settings: _Settings, judged: NoJudging, counter: _Counter
) -> None:
    """Store the answers of the pipelines, and have them judged meanwhile."""
    questions = {task.number: task.question for task in tasks}
    workers = settings.workers
    processes = workers > 1 and not concurrency(work.pipelines)
    run = settings.runner or partial(answered, workers=workers, processes=processes)
    budget = current_budget()
    assert budget is not None
    with watched_by(counter.within), closing(run(work, tasks)) as answers:
        last = time.monotonic()
        for answer in answers:
            for result, detail in answer.results:
                recorder.put(result, detail)
            if time.monotonic() - last > _SLOW:  # the next one may take an hour, and a kill must not lose these
                recorder.commit()
            last = time.monotonic()
            judged.submit(
                _unjudged(questions[result.question], detail)
                for result, detail in answer.results
                if result.metrics["hits_at_1"] is not None
            )
            counter.add(len(answer.results))
            budget.check()


def _unjudged(question: GroundedQuestion, detail: Detail) -> Unjudged:
    answer = detail.answers[0].text if detail.answers else ""
    return Unjudged(detail.run, detail.question, question.question.text, answer, question.names)


def _ground(
    recorder: Recorder, graph: StudyGraph, questions: Sequence[Question], progress: Progress
) -> list[GroundedQuestion]:
    """Find the seeds and answers of questions in the graph, unless an earlier session has."""
    known = recorder.questions.known(graph, questions)
    new = [question for place, question in enumerate(questions) if place not in known]
    grounded = iter(ground_each(graph, new, part_of(progress, FINDING, len(new))))
    return [known[place] if place in known else next(grounded) for place in range(len(questions))]


def _alone(workers: int | None, runner: Runner | None) -> int:
    """Return 1, as memory is measured for one question at a time; raise InputError if more were asked for."""
    if workers not in (None, 1) or runner is not None:
        raise InputError(
            "the memory of a stage is that of the process, so it is measured for one question at a time; leave out "
            f"{'the runner' if runner is not None else 'workers'}, or memory",
            code="evaluate.memory_of_several",
        )
    return 1


def _workers(workers: int | None, pipelines: Sequence[Pipeline]) -> int:
    if workers is None:
        return max(concurrency(pipelines), 1)
    if not isinstance(workers, int) or isinstance(workers, bool) or not 1 <= workers <= 1024:
        raise InputError(
            f"workers must be a whole number from 1 to 1024, got {workers!r}; try 4",
            code="evaluate.bad_workers",
            workers=workers,
        )
    return workers
