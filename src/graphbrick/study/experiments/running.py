"""Run an experiment: build what is missing, ask every data set, write one study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from graphbrick.core.compute import Progress, silent
from graphbrick.core.errors import InputError
from graphbrick.graphs.build.builder import build
from graphbrick.graphs.databases.graph import DatabaseGraph
from graphbrick.graphs.opening import open as open_graph
from graphbrick.graphs.records.rules import rules_named
from graphbrick.models.llm.chat import ChatModel
from graphbrick.questions.sampling import sample, sample_each
from graphbrick.study.experiments.pipelines import PlannedRun
from graphbrick.study.experiments.places import Places
from graphbrick.study.experiments.plan import DataSet, Experiment
from graphbrick.study.experiments.prepared import unprepared
from graphbrick.study.runs.experiment import evaluate
from graphbrick.study.runs.inputs import SourcedQuestion, read_questions
from graphbrick.study.runs.question_graphs import StudyGraph
from graphbrick.study.runs.recorder import Recorder
from graphbrick.study.store.identity import content_of, identity_of
from graphbrick.study.store.plans import Plan, PlannedData, PlannedPipeline
from graphbrick.study.store.reader import Study


def opened(data: DataSet, places: Places, progress: Progress = silent) -> StudyGraph:
    """Open the graph of a data set; build it first if it is not there.

    Raises:
        GraphbrickError: It cannot be opened or built.
    """
    name = str(data.graph)
    if name in places:
        return places[name].graph(progress)
    if data.build and not data.graph.exists():
        return build(
            data.build[0],
            data.graph,
            labels=data.labels or None,
            rules=rules_named(data.preset or None),
            progress=progress,
        )
    graph = open_graph(data.graph)
    assert not isinstance(graph, DatabaseGraph)  # a folder is none
    return graph


def questions_of(data: DataSet, places: Places, seed: int, limit: int | None = None) -> list[SourcedQuestion]:
    """Return the questions of a data set, or its sample.

    Args:
        data: The data set.
        places: What names stand for.
        seed: Seed of the sample.
        limit: Questions in place of those that the file names; None for these.

    Raises:
        InputError: A file cannot be read, or has no groups of that name.
    """
    read = read_questions([places[one].questions if one in places else one for one in data.questions])
    by_question = {id(one.question): one for one in read}
    every = [one.question for one in read]
    if limit is not None:
        chosen = sample(every, limit, seed=seed, by=data.by)
    elif data.each is not None:
        chosen = sample_each(every, data.each, seed=seed, by=data.by)
    else:
        chosen = tuple(every) if data.limit is None else sample(every, data.limit, seed=seed, by=data.by)
    return [by_question[id(one)] for one in chosen]


def runs_of(experiment: Experiment, data: DataSet) -> list[PlannedRun]:
    """Return the runs of an experiment on one of its data sets."""
    return [run for run in experiment.runs if data.name in run.data]


def carry_out(
    experiment: Experiment,
    places: Places,
    *,
    limit: int | None = None,
    judge: ChatModel | None = None,
    workers: int | None = None,
    fresh: bool = False,
    retry: bool = False,
    exchanges: bool = True,
    memory: bool = False,
    progress: Progress = silent,
) -> Iterator[DataSet]:
    """Answer the questions of every data set by every pipeline that is for it, and yield each that is done.

    All results are in one study, `Experiment.out`. Whatever ends it, the same call goes on where it was.

    Args:
        experiment: The plan.
        places: What names in it stand for.
        limit: Questions of each data set, in place of those that the file names.
        judge: A language model that judges first answers, as for `graphbrick.study.evaluate`.
        workers: As for `graphbrick.study.evaluate`.
        fresh: As for `graphbrick.study.evaluate`.
        retry: As for `graphbrick.study.evaluate`.
        exchanges: As for `graphbrick.study.evaluate`.
        memory: As for `graphbrick.study.evaluate`.
        progress: Told the step, how many are done, how many there are.

    Raises:
        GraphbrickError: A graph, questions or the study cannot be used, the reports of a pipeline were not prepared, or
            the budget is used up.
    """
    for reason in unprepared(experiment, places, progress):
        raise InputError(f"{reason}; or leave the pipeline out", experiment.file, code="experiment.not_prepared")
    asked = [(data, questions_of(data, places, experiment.seed, limit)) for data in experiment.data]
    for data, questions in asked:  # all files were read before the first question is asked
        runs = {run.name: run.pipeline for run in runs_of(experiment, data)}
        if not runs:
            continue
        graph = opened(data, places, progress)
        _store_plan(experiment, data, graph, questions)
        evaluate(
            graph, questions, runs, out=experiment.out, seed=experiment.seed,
            link=experiment.link, workers=workers, fresh=fresh, retry=retry, judge=judge, exchanges=exchanges,
            memory=memory, progress=progress,
        ).close()  # fmt: skip
        yield data


def _store_plan(experiment: Experiment, data: DataSet, graph: StudyGraph, questions: Sequence[SourcedQuestion]) -> None:
    """Store in the study what the file plans, with the data sets that were asked so far."""
    named = tuple(dict.fromkeys(one.question.dataset for one in questions))
    asked = [PlannedData(data.name, content_of(graph), named, len(questions))]
    if experiment.out.is_file():
        with Study.open(experiment.out) as study:
            asked = [one for plan in study.plans() if Path(plan.file).name == experiment.file.name for one in plan.data
                     if one.name != data.name] + asked  # fmt: skip
    pipelines = tuple(
        PlannedPipeline(
            run.name, run.base, run.group, run.recipe, run.data, identity_of(run.pipeline).text,
            ", ".join(f"{name}={value}" for name, value in run.values.items()),
        )
        for run in experiment.planned
    )  # fmt: skip
    with Recorder(experiment.out) as recorder:
        recorder.plan(
            Plan(
                experiment.name, str(experiment.out), experiment.link, experiment.paper, tuple(asked), pipelines,
                experiment.tables, experiment.title, experiment.about,
            )
        )  # fmt: skip
