"""What an experiment still has to do, and what that takes, by what the questions asked so far took."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from graphbrick.core.compute import Progress, silent
from graphbrick.study.experiments.pipelines import PlannedRun
from graphbrick.study.experiments.places import Places
from graphbrick.study.experiments.plan import DataSet, Experiment
from graphbrick.study.experiments.running import opened, questions_of, runs_of
from graphbrick.study.store.identity import content_of, identity_of, on_graph
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import Result


@dataclass(frozen=True)
class Forecast:
    """What one pipeline still has to do on one data set.

    Attributes:
        data: Name of the data set.
        run: Name of the pipeline.
        questions: Its questions.
        done: Those that have a result.
        seconds: Seconds of a question, by those done; None if none is.
        calls: Calls of language models and embedders of a question.
        tokens: Tokens of a question, sent and received.
        cost: US dollars of a question.
    """

    data: str
    run: str
    questions: int
    done: int
    seconds: float | None = None
    calls: float | None = None
    tokens: float | None = None
    cost: float | None = None

    @property
    def left(self) -> int:
        """Questions without a result."""
        return self.questions - self.done

    def total(self, figure: str) -> float | None:
        """Return a figure times the questions that are left; None if it is not known."""
        value = getattr(self, figure)
        return 0.0 if not self.left else None if value is None else float(value * self.left)


def forecast(
    experiment: Experiment, places: Places, *, limit: int | None = None, progress: Progress = silent
) -> list[Forecast]:
    """Return what each pipeline still has to do on each data set. No question is asked.

    Graphs that are not there are not built, and nothing of theirs is done.

    Args:
        experiment: The plan.
        places: What names in it stand for.
        limit: Questions of each data set, in place of those that the file names.
        progress: Told of graphs that are opened.

    Raises:
        GraphbrickError: Questions, a graph or the study cannot be read.
    """
    rows = list[Forecast]()
    for data in experiment.data:
        asked = [one.question for one in questions_of(data, places, experiment.seed, limit)]
        results = _results(experiment, data, places, progress)
        keys = {(question.dataset, question.id) for question in asked}
        for run in runs_of(experiment, data):
            took = results.get(run.name, {})
            rows.append(_row(data, run, len(asked), len(keys & took.keys()), list(took.values())))
    return rows


def _row(data: DataSet, run: PlannedRun, questions: int, done: int, took: Sequence[Result]) -> Forecast:
    if not took:
        return Forecast(data.name, run.name, questions, done)
    tokens = fmean(one.ledger.get("tokens_in", 0) + one.ledger.get("tokens_out", 0) for one in took)
    return Forecast(
        data.name,
        run.name,
        questions,
        done,
        fmean(one.seconds for one in took),
        fmean(one.ledger.get("calls", 0) for one in took),
        tokens,
        fmean(one.ledger.get("cost", 0.0) for one in took),
    )


def _results(
    experiment: Experiment, data: DataSet, places: Places, progress: Progress
) -> dict[str, dict[tuple[str, str], Result]]:
    """Return the results that a study has: by the name of the planned run, and by data set and id of the question."""
    if not experiment.out.is_file() or not (str(data.graph) in places or data.graph.exists()):
        return {}
    graph = opened(data, places, progress)
    content, found = content_of(graph), dict[str, dict[tuple[str, str], Result]]()
    with Study.open(experiment.out) as study:
        stored = {
            run.identity: run.id for run in study.runs() if (run.graph_hash, run.linked) == (content, experiment.link)
        }
        questions = {question.id: (question.dataset, question.name) for question in study.questions()}
        for run in runs_of(experiment, data):
            number = stored.get(on_graph(identity_of(run.pipeline), run.pipeline, graph))
            if number is not None:
                found[run.name] = {questions[one.question]: one for one in study.results(number)}
    return found
