"""The values of a paper's tables, computed from a study: means with intervals, repetitions, published figures."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from graphbrick.core.errors import GraphbrickError
from graphbrick.recipes import recipe
from graphbrick.study.report.figures import SEED
from graphbrick.study.report.papers.measures import is_memory, is_share, rated_label, values_of
from graphbrick.study.statistics.intervals import Interval, bootstrap, interval
from graphbrick.study.store.plans import PaperColumn, PaperTable, Plan, PlannedData, PlannedPipeline
from graphbrick.study.store.reader import Study
from graphbrick.study.store.records import StudyQuestion, StudyRun


class Value(NamedTuple):
    """What stands in one place of a table.

    Attributes:
        measured: The mean over questions with its interval, of the mean of repetitions; None if nothing was measured.
        means: The mean of each repetition.
        published: The published value, a share from 0 to 1 if the measure is one; None if none is known.
        is_planned: Whether the pipeline is for the data set of the column.
    """

    measured: Interval | None
    means: Sequence[float]
    published: float | None
    is_planned: bool

    @property
    def spread(self) -> float | None:
        """The standard deviation of the means of repetitions; None if there is one only."""
        return stdev(self.means) if len(self.means) > 1 else None

    def to_dict(self) -> dict[str, Any]:
        """Return the value as plain JSON types."""
        measured = None if self.measured is None else self.measured._asdict()
        return {"measured": measured, "repetitions": list(self.means), "published": self.published}


class TableRow(NamedTuple):
    """A row of a table.

    Attributes:
        name: Name of the pipeline.
        group: The ``[[run]]`` it comes from.
        short: Its values of a sweep; its name if it has none.
        x: Its place on the x axis for each column; nothing for a table.
        values: The value of each column.
        command: What runs it; empty if it has results.
    """

    name: str
    group: str
    short: str
    x: Sequence[float | None]
    values: Sequence[Value]
    command: str


class FilledTable(NamedTuple):
    """A table of a paper with its values.

    Attributes:
        table: The table.
        columns: Its columns, one for each data set where the file names none.
        rows: Its rows.
        notes: Remarks, such as a recipe that is not there any more.
    """

    table: PaperTable
    columns: Sequence[PaperColumn]
    rows: Sequence[TableRow]
    notes: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the table as plain JSON types."""
        rows = [
            {"pipeline": row.name, "x": list(row.x), "values": [value.to_dict() for value in row.values],
             "not_run": row.command}
            for row in self.rows
        ]  # fmt: skip
        columns = [{"title": one.title, "measure": one.measure, "data": one.data, "part": one.part}
                   for one in self.columns]  # fmt: skip
        about = {"number": self.table.number, "title": self.table.title, "missing": self.table.missing}
        return about | {"columns": columns, "rows": rows}


class FilledPaper(NamedTuple):
    """A paper with its tables and the runs of its pipelines.

    Attributes:
        plan: What the experiment file planned.
        tables: Its tables.
        runs: The runs of its pipelines.
        path: The file of the study.
    """

    plan: Plan
    tables: Sequence[FilledTable]
    runs: Sequence[StudyRun]
    path: Path

    def to_dict(self) -> dict[str, Any]:
        """Return the tables as plain JSON types."""
        return {"paper": dict(self.plan.paper), "tables": [table.to_dict() for table in self.tables]}


_Key = tuple[str, str, str]  # measure, data set, part of the questions
_Values = Mapping[tuple[str, _Key], Mapping[int, float]]  # by the name of the pipeline and key: by question


def read_papers(study: Study, questions: Sequence[StudyQuestion]) -> list[FilledPaper]:
    """Return the papers of a study's experiment files, with every table that its results allow.

    Args:
        study: The study.
        questions: All of its questions.
    """
    return [_paper(study, questions, plan) for plan in study.plans() if plan.tables]


def _paper(study: Study, questions: Sequence[StudyQuestion], plan: Plan) -> FilledPaper:
    columns = {table: expanded(table, plan) for table in plan.tables}
    wanted: dict[str, set[_Key]] = {}
    for table in plan.tables:
        for pipeline in table.rows(plan.pipelines):
            keys = wanted.setdefault(pipeline.name, set())
            for column in columns[table]:
                keys.add((column.measure, column.data, column.part))
                if table.x:
                    keys.add((table.x, column.data, column.part))
    runs = matching_runs(plan, study.runs())
    values = _measured(study, questions, plan, runs, wanted)
    tables = [_filled(table, columns[table], plan, values, study.path) for table in plan.tables]
    known = {run.id: run for found in runs.values() for run in found}
    return FilledPaper(plan, tables, list(known.values()), study.path)


def expanded(table: PaperTable, plan: Plan) -> list[PaperColumn]:
    """Return the columns of a table, one for each data set where a column names none."""
    names = list(dict.fromkeys(name for one in table.rows(plan.pipelines) for name in one.data))
    found = []
    for column in table.columns:
        for name in [column.data] if column.data else names:
            told = name if len(names) > 1 and not column.data else ""
            found.append(replace(column, data=name, title=", ".join(filter(None, (column.title, told)))))
    return found


def matching_runs(plan: Plan, runs: Iterable[StudyRun]) -> dict[tuple[str, str], list[StudyRun]]:
    """Return the runs of each pipeline on each data set, by both names."""
    found: dict[tuple[str, str], list[StudyRun]] = {}
    known = [run for run in runs if run.identity is not None and run.linked == plan.linked]
    for pipeline in plan.pipelines:
        for data in plan.data:
            if data.name in pipeline.data:
                found[pipeline.name, data.name] = [
                    run for run in known
                    if run.identity is not None and run.identity.text == pipeline.identity
                    and run.graph_hash == data.graph_hash
                ]  # fmt: skip
    return found


def _measured(
    study: Study,
    questions: Sequence[StudyQuestion],
    plan: Plan,
    runs: Mapping[tuple[str, str], Sequence[StudyRun]],
    wanted: Mapping[str, set[_Key]],
) -> _Values:
    """Return the value of each question for every pipeline and column."""
    members = {data.name: _questions_of(data, questions) for data in plan.data}
    values: dict[tuple[str, _Key], dict[int, float]] = {}
    for pipeline, keys in wanted.items():
        for run in {run.id: run for key, found in runs.items() if key[0] == pipeline for run in found}.values():
            results = study.results(run.id)
            for key in keys:
                measure, name, part = key
                own = {number: one for number, one in members.get(name, {}).items() if _is_part(one, part)}
                kept = [one for one in results if one.question in own]
                label = rated_label(measure)
                ratings = _ratings(study, run.id, label) if label else None
                for result, value in zip(kept, values_of(measure, kept, ratings), strict=True):
                    if value is not None:
                        values.setdefault((pipeline, key), {})[result.question] = value
    return values


def _questions_of(data: PlannedData, questions: Iterable[StudyQuestion]) -> dict[int, StudyQuestion]:
    return {
        one.id: one for one in questions if one.graph_hash == data.graph_hash and one.dataset in data.datasets
    }  # fmt: skip


def _is_part(question: StudyQuestion, part: str) -> bool:
    by, _, name = part.partition("=")
    return not part or question.group(by) == name


def _ratings(study: Study, run: int, label: str) -> dict[int, float | None]:
    """Return the probability of a label for each question, by the first judge that rated by it."""
    judge = next((one.id for one in study.rating_judges() if label in one.labels), None)
    ratings = study.ratings(judge, label) if judge is not None else []
    return {one.question: one.probability for one in ratings if one.run == run}


def _filled(table: PaperTable, columns: Sequence[PaperColumn], plan: Plan, values: _Values, path: Path) -> FilledTable:
    rows, notes = list[TableRow](), dict[str, None]()
    pipelines, memory = table.rows(plan.pipelines), any(is_memory(column.measure) for column in columns)
    for pipeline in [one for one in pipelines if one.name == one.base]:
        repeated = [one.name for one in plan.pipelines if one.base == pipeline.base]
        figures = _figures(pipeline, notes)
        row = [_value(column, pipeline, repeated, values, figures) for column in columns]
        xs = [_mean(repeated, (table.x, column.data, column.part), values) for column in columns] if table.x else []
        is_run = any(value.measured is not None for value in row)
        run = "" if is_run else command(plan, path, [pipeline.name], memory=memory)
        rows.append(TableRow(pipeline.name, pipeline.group, pipeline.values or pipeline.name, xs, row, run))
    if rows and all(is_memory(column.measure) for column in columns) and all(row.command for row in rows):
        table = replace(table, missing=f"Not measured in this study: {command(plan, path, [], memory=True)}.")
    return FilledTable(table, columns, rows, list(notes))


def command(plan: Plan, path: Path, only: Sequence[str], *, memory: bool = False) -> str:
    """Return the command that runs a part of an experiment file into this study.

    Args:
        plan: What the file planned.
        path: The file of the study.
        only: The pipelines to run; none for all.
        memory: Whether to measure memory, of questions that are done too.
    """
    words = ["graphbrick", "evaluate", plan.file]
    if path.name != Path(plan.out).name:
        words += ["--out", str(path)]
    words += ["--memory", "--fresh"] * memory
    return shlex.join([*words, *(word for name in only for word in ("--only", name))])


def _figures(pipeline: PlannedPipeline, notes: dict[str, None]) -> dict[str, float]:
    """Return the published figures of a pipeline's recipe, shares from 0 to 1."""
    if not pipeline.recipe:
        return {}
    try:
        return recipe(pipeline.recipe).published
    except GraphbrickError as error:
        notes[f"{pipeline.name}: its published figures cannot be read: {error}"] = None
        return {}


def _value(
    column: PaperColumn,
    pipeline: PlannedPipeline,
    repeated: Sequence[str],
    values: _Values,
    figures: Mapping[str, float],
) -> Value:
    key = (column.measure, column.data, column.part)
    found = [own for name in repeated if (own := values.get((name, key)))]
    is_planned = column.data in pipeline.data
    published = figures.get(column.published)
    if not found:
        return Value(None, (), published, is_planned)
    asked = dict.fromkeys(question for own in found for question in own)
    each = [fmean(own[question] for own in found if question in own) for question in asked]
    mean = interval if is_share(column.measure) else bootstrap  # Wilson's interval is for shares only
    return Value(mean(each, seed=SEED), [fmean(own.values()) for own in found], published, is_planned)


def _mean(repeated: Sequence[str], key: _Key, values: _Values) -> float | None:
    found = [value for name in repeated for value in values.get((name, key), {}).values()]
    return fmean(found) if found else None
