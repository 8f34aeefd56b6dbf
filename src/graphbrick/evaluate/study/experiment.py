"""Experiments: pipelines on questions over a graph, measured, written at once, taken up after a kill."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from graphbrick.core.errors import InputError, PipelineError
from graphbrick.evaluate.datasets import GroundedQuestion, Question, ground, load, sample
from graphbrick.evaluate.datasets.fetching import named_files
from graphbrick.evaluate.judge.judgements import Unjudged
from graphbrick.evaluate.judge.judging import JUDGING, Judging, name_of
from graphbrick.evaluate.study.environment import machine, versions
from graphbrick.evaluate.study.recording import Recorder
from graphbrick.evaluate.study.store import Study
from graphbrick.evaluate.study.stored import Detail
from graphbrick.evaluate.study.working import Task, Work, answered, waits
from graphbrick.graphs.graph import Graph
from graphbrick.graphs.manifest import sha256
from graphbrick.llm.chat import ChatModel
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.budget import Budget, StoppedError, current_budget, spending
from graphbrick.pipeline.parsing import parse
from graphbrick.pipeline.run import Level

Questions = str | os.PathLike[str] | Question | Iterable["str | os.PathLike[str] | Question"]
Pipelines = str | Pipeline | Sequence[str | Pipeline] | Mapping[str, str | Pipeline]
Watch = Callable[[str, int, int], None]

FINDING, ANSWERING = "finding the questions in the graph", "answering"
"""The steps that ``watch`` is told of."""


def evaluate(
    graph: Graph,
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
    watch: Watch = lambda step, done, total: None,
) -> Study:
    """Run pipelines on questions and keep, in a file, what came of each question.

    Every result is written within a second. Whatever ends an evaluation, the same call takes it up again: questions
    that are done are not asked again, also with another ``limit`` or further pipelines. The same pipeline on a graph
    that was changed is another run. What pipelines begin with alike is done once (`evaluate.study.prefixes`).

    A question where a pipeline fails is a result of its own, with the error; it scores 0. Where the budget of
    `graphbrick.pipeline.budget.spending` ends, or at Ctrl-C, the evaluation stops, and what is done is kept.

    Args:
        graph: The graph.
        questions: Files of questions of any form (`graphbrick.evaluate.datasets.load`), splits of data sets that were
            fetched (such as "webqsp:test"), questions, or several of these.
        pipelines: Recipe texts or pipelines; as a mapping, with the names that tables are to call them.
        out: The file (SQLite); made where there is none, else added to.
        limit: Ask that many questions, drawn in proportion to hops (`graphbrick.evaluate.datasets.sample`); None for
            all.
        seed: Of this draw.
        link: Find the seeds in the text of each question, also where the file gives them.
        workers: Questions answered at once, at least 1; None for as many as language models take calls, and 1 where
            there are none. More than 1 are processes where no language model is called, else threads. Results do not
            depend on it; times do, as workers share the machine.
        fresh: Forget what these pipelines have done on this graph.
        retry: Ask again the questions that ended in an error, and judge again the answers without a verdict.
        judge: A language model that says of the first answer to every question whether it means the same as a gold
            answer (`evaluate.judge.judge`), as the measure ``judge_at_1``. A study has one judge. What it takes is
            kept apart from what the pipelines take. Answers of an earlier call are judged too.
        exchanges: Whether the prompts and replies of language models are kept.
        watch: Told of progress: the step, how many are done, how many there are.

    Returns:
        The study, open for reading.

    Raises:
        InputError: A file cannot be read, two questions have one id, a parameter is out of range, or the study is being
            written by another process, or holds another question of that id.
        PipelineError: A pipeline cannot be read, cannot start a run, or is there twice.
        StoppedError: The budget is used up.

    Example:
        >>> import tempfile
        >>> from graphbrick.testing import tiny_graph
        >>> asked = [Question("1", "Which currency has Kenya?", ("Kenya",), ("Kenyan shilling",), dataset="mine")]
        >>> text = "ShortestPaths() >> Rerank(BM25()) >> PathAnswer()"
        >>> study = evaluate(tiny_graph(), asked, {"bm25": text}, out=tempfile.mkdtemp() + "/runs.sqlite")
        >>> [(run.name, run.done, study.results(run.id)[0].metrics["hits_at_1"]) for run in study.runs()]
        [('bm25', 1, 1.0)]
    """
    chosen = _named(pipelines)
    workers = _workers(workers, list(chosen.values()))
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise InputError(f"limit must be a whole number of at least 1, got {limit!r}; try 500")
    read = _read(questions)
    drawn = read if limit is None else _drawn(read, limit, seed)
    if judge is not None and not isinstance(judge, ChatModel):
        raise InputError(f"the judge must be a language model such as LLM('gpt-4.1'), got {judge!r:.80}")
    options = {"limit": limit, "seed": seed, "link": link, "workers": workers, "fresh": fresh, "retry": retry,
               "judge": None if judge is None else name_of(judge), "exchanges": exchanges}  # fmt: skip
    with Recorder(out) as recorder, recorder.sitting(options, versions(), machine()) as sitting:
        _evaluate(recorder, sitting, graph, chosen, drawn, judge, options, watch)
    return Study.open(out)


class _Read(NamedTuple):
    """A question with the file that it comes from."""

    question: Question
    file: Path | None
    of: int


def _evaluate(
    recorder: Recorder,
    sitting: int,
    graph: Graph,
    pipelines: Mapping[str, Pipeline],
    read: Sequence[_Read],
    judge: ChatModel | None,
    options: Mapping[str, Any],
    watch: Watch,
) -> None:
    """Answer what is left to answer, and judge what is left to judge."""
    runs = [
        recorder.run("" if name == repr(pipeline) else name, repr(pipeline), graph, linked=options["link"])
        for name, pipeline in pipelines.items()
    ]
    if judge is not None:
        recorder.judgements.require(name_of(judge), but=runs if options["fresh"] else ())
    if options["fresh"] or options["retry"]:
        recorder.forget(runs, errors_only=not options["fresh"])
        if judge is not None:  # else nobody judges them again, and why there is no verdict would be lost
            recorder.forget_judgements(runs, errors_only=not options["fresh"])
    found = _found(recorder, graph, [one.question for one in read], watch)
    files = {one.file: recorder.file(one.file, sha256(one.file), one.of) for one in read if one.file is not None}
    numbers = recorder.add(graph, found, [None if one.file is None else files[one.file] for one in read])
    left = [recorder.ask(run, numbers) for run in runs]
    tasks = [
        Task(question, number, places, turn)
        for turn, (question, number) in enumerate(zip(found, numbers, strict=True))
        if (places := tuple(place for place in range(len(runs)) if number in left[place]))
    ]
    work = Work(graph, list(pipelines.values()), runs, sitting, link=options["link"], exchanges=options["exchanges"])
    total = len(numbers) * len(runs)
    progress = _Progress(watch, total - sum(map(len, left)), total)
    try:
        # A budget without limits is what stops calls in flight at Ctrl-C.
        with (
            nullcontext() if current_budget() else spending(Budget()),
            Judging(judge, recorder, exchanges=options["exchanges"]) as judging,
        ):
            if judge is not None:
                judging.take(recorder.judgements.lacking(runs, numbers))
            _answer(recorder, work, tasks, options["workers"], judging, progress)
            before = judging.left
            for still in judging.rest():
                watch(JUDGING, before - still, before)
    except StoppedError as error:
        if progress.done < total:
            raise StoppedError(
                f"{error}; {total - progress.done:,} of {total:,} answers are left, and the same call goes on with them"
            ) from error
        if judge is not None:
            raise
    finally:
        recorder.close_runs(runs)


class _Progress:
    """How many answers there are of how many, told to ``watch``."""

    def __init__(self, watch: Watch, done: int, total: int) -> None:
        self._watch, self.done, self._total = watch, done, total
        watch(ANSWERING, done, total)

    def add(self, done: int) -> None:
        self.done += done
        self._watch(ANSWERING, self.done, self._total)


def _answer(
    recorder: Recorder, work: Work, tasks: Sequence[Task], workers: int, judging: Judging, progress: _Progress
) -> None:
    """Keep what pipelines answer, and let it be judged meanwhile."""
    questions = {task.number: task.question for task in tasks}
    processes = workers > 1 and not waits(work.pipelines)
    budget = current_budget()
    assert budget is not None
    with closing(answered(work, tasks, workers, processes=processes)) as answers:
        for answer in answers:
            for result, detail in answer.kept:
                recorder.put(result, detail)
                if result.metrics["hits_at_1"] is not None:
                    judging.take([_unjudged(questions[result.question], detail)])
            judging.settle()
            progress.add(len(answer.kept))
            budget.check()


def _unjudged(question: GroundedQuestion, detail: Detail) -> Unjudged:
    answer = detail.answers[0].text if detail.answers else ""
    return Unjudged(detail.run, detail.question, question.question.text, answer, question.names)


def _found(recorder: Recorder, graph: Graph, questions: Sequence[Question], watch: Watch) -> list[GroundedQuestion]:
    """The questions with what the graph has of them; those that were asked before are not looked up again."""
    known = recorder.known(graph, questions)
    new = [question for place, question in enumerate(questions) if place not in known]
    looked_up = iter(ground(graph, new, watch=lambda done: watch(FINDING, done, len(new))).questions)
    return [known[place] if place in known else next(looked_up) for place in range(len(questions))]


def _read(questions: Questions) -> list[_Read]:
    """All questions, each with its file.

    Raises:
        InputError: A file cannot be read, there are no questions, one is empty, or two have one id.
    """
    several = [questions] if isinstance(questions, str | os.PathLike | Question) else list(questions)
    read: list[_Read] = []
    for one in several:
        if isinstance(one, Question):
            read.append(_Read(one, None, 0))
        elif isinstance(one, str | os.PathLike):
            for path in named_files(os.fspath(one)) or (Path(one),):
                some = load(path)
                read += [_Read(question, path.absolute(), len(some)) for question in some]
        else:
            raise InputError(f"questions are files or of the type Question, got {one!r:.80}; use datasets.load(file)")
    if not read:
        raise InputError("there are no questions; give at least one")
    seen: dict[tuple[str, str], Path | None] = {}
    for question, file, _ in read:
        key = question.dataset, question.id
        if key in seen:
            raise InputError(
                f"there are two questions {question.id!r} of the data set {question.dataset!r}; give each an id of its "
                "own, or each file a dataset of its own",
                file,
            )
        if not question.text.strip():
            raise InputError(f"the question {question.id!r} is empty", file)
        seen[key] = file
    return read


def _drawn(read: Sequence[_Read], limit: int, seed: int) -> list[_Read]:
    of = {id(one.question): one for one in read}
    return [of[id(question)] for question in sample((one.question for one in read), limit, seed=seed)]


def _named(pipelines: Pipelines) -> dict[str, Pipeline]:
    """The pipelines by name; those without one are called by their text.

    Raises:
        PipelineError: There is none, one cannot be read or cannot start a run, or two are the same.
    """
    if isinstance(pipelines, str | Pipeline):
        pipelines = [pipelines]
    pairs = list(pipelines.items()) if isinstance(pipelines, Mapping) else [("", one) for one in pipelines]
    if not pairs:
        raise PipelineError("there is no pipeline to evaluate; give at least one")
    named: dict[str, Pipeline] = {}
    called: dict[str, str] = {}
    for name, given in pairs:
        pipeline = parse(given) if isinstance(given, str) else given
        if not isinstance(pipeline, Pipeline):
            raise PipelineError(f"a pipeline is a recipe text or a Pipeline, got {given!r:.80}")
        text = repr(pipeline)
        if Level.QUERY not in pipeline.accepts:
            raise PipelineError(f"{text} cannot start a run; put stages such as PPR() >> ShortestPaths() before it")
        if text in called:
            both = f" ({called[text]!r} and {name!r})" if name else ""
            raise PipelineError(f"the pipeline {text} is there twice{both}; leave one out")
        called[text] = name
        named[name or text] = pipeline
    return named


def _workers(workers: int | None, pipelines: Sequence[Pipeline]) -> int:
    if workers is None:
        return max(waits(pipelines), 1)
    if not isinstance(workers, int) or isinstance(workers, bool) or not 1 <= workers <= 1024:
        raise InputError(f"workers must be a whole number from 1 to 1024, got {workers!r}; try 4")
    return workers
