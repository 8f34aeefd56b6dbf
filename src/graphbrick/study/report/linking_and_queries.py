"""Tables of tasks that only some pipelines have: linking the seeds of questions, and writing queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from graphbrick.study.report.figures import PipelineFigures
from graphbrick.study.report.tables import (
    PIPELINE_COLUMNS,
    Cell,
    Column,
    Table,
    number_cell,
    pipeline_cells,
    share_cell,
)


class TaskTable(NamedTuple):
    """A table with its heading.

    Attributes:
        key: Its id in a page, and the name of its figures in `PipelineFigures`.
        title: Its heading.
        note: A sentence about its contents.
        unit: Its heading on a terminal.
        table: The table.
    """

    key: str
    title: str
    note: str
    unit: str
    table: Table


class _Kind(NamedTuple):
    key: str
    title: str
    note: str
    unit: str
    counted: str  # which questions are scored
    columns: Mapping[str, tuple[str, str]]  # title and explanation by measure


_KINDS = (
    _Kind(
        "linking",
        "Linking",
        "Seeds that the pipelines found in the text of the questions, compared with those of the file, in percent.",
        "linking, % of seeds",
        "questions whose seeds the file gives and the pipeline looked for",
        {
            "linking_recall_at_1": ("recall@1", "seeds of the file that are the first reading of a mention"),
            "linking_recall_at_5": (
                "recall@5",
                "seeds of the file among the first five readings of a mention",
            ),
            "linking_precision": ("precision", "first readings that are seeds of the file"),
        },
    ),
    _Kind(
        "queries",
        "Written queries",
        "Queries that the pipelines wrote, compared with the gold queries of the file, in percent. A query that cannot "
        "be rewritten to return the nodes that it matches has no provenance; the table then shows how many have one.",
        "written queries, % of questions",
        "questions with a gold query in the language of the graph",
        {
            "executable": ("executable", "questions for which a query ran"),
            "execution_accuracy": ("execution accuracy", "queries that give the rows of the gold query"),
            "provenance_jaccard": (
                "provenance",
                "nodes that both queries match, of all that either matches (Jaccard)",
            ),
        },
    ),
)


def task_tables(groups: Mapping[str, Sequence[PipelineFigures]], *, by: str = "") -> list[TaskTable]:
    """Return a table for each task that some pipeline has, with a row for each group and pipeline.

    Args:
        groups: The pipelines by the group of questions that they are measured on; "" for all questions.
        by: Name of the grouping; empty if there is only one group.
    """
    tables = []
    for kind in _KINDS:
        rows = [(group, one) for group, figures in groups.items() for one in figures if getattr(one, kind.key)]
        if rows:
            tables.append(TaskTable(kind.key, kind.title, kind.note, kind.unit, _table(kind, rows, by)))
    return tables


def _table(kind: _Kind, rows: Sequence[tuple[str, PipelineFigures]], by: str) -> Table:
    columns = [Column(by)] if by else []
    columns += PIPELINE_COLUMNS
    columns.append(Column("questions", note=kind.counted))
    columns += [Column(title, note=note) for title, note in kind.columns.values()]
    body = []
    for group, pipeline in rows:
        cells = [Cell(group or "all", group)] if by else []
        cells += pipeline_cells(pipeline.number, pipeline.name)
        means = getattr(pipeline, kind.key)
        scored = max(mean.scored for mean in means.values())
        cells.append(number_cell(scored))
        several = sum(of == group for of, _ in rows) > 1
        for name in kind.columns:
            best = max(_mean(other, kind.key, name) or 0.0 for of, other in rows if of == group)
            mean = _mean(pipeline, kind.key, name)
            small = "" if mean is None or means[name].scored == scored else f"of {means[name].scored:,}"
            cells.append(share_cell(mean, small, strong=several and mean == best > 0))
        body.append(cells)
    return Table(kind.key, kind.note, columns, body)


def _mean(pipeline: PipelineFigures, key: str, name: str) -> float | None:
    mean = getattr(pipeline, key).get(name)
    return None if mean is None else mean.all
