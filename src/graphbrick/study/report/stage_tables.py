"""Tables of the stages before the answer: linking, extraction, retrieval of paths, and written queries."""

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
from graphbrick.study.runs.scoring import SIZES


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


_F1 = "the harmonic mean of precision and recall of each question, on average"
_OF_MEANS = "the harmonic mean of the two means, as the preliminary version of LEGO-GraphRAG publishes F1"
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
        "extraction",
        "Extraction",
        "Gold answers in the last subgraph, after pruning, in percent, and its mean size. Precision is low by nature, "
        "because a subgraph holds much more than answers.",
        "extraction, % and sizes",
        "questions with gold answers",
        {
            "subgraph_precision": ("precision", "entities of the subgraph that are gold answers"),
            "subgraph_recall": ("recall", "gold answers that are in the subgraph"),
            "subgraph_f1": ("F1", _F1),
            "subgraph_f1_of_means": ("F1 of means", _OF_MEANS),
            "nodes": ("entities", "entities of the subgraph"),
            "triples": ("triples", "triples of the subgraph"),
            "components": ("components", "weakly connected components; none for the whole graph"),
        },
    ),
    _Kind(
        "paths",
        "Paths",
        "Paths and other items of the evidence that meet a gold answer, after ranking, in percent.",
        "paths, %",
        "questions with gold answers",
        {
            "path_precision": ("precision", "paths that meet a gold answer"),
            "path_recall": ("recall", "gold answers that a path meets"),
            "path_f1": ("F1", _F1),
            "path_f1_of_means": ("F1 of means", _OF_MEANS),
            "hit_at_1": ("hit@1", "questions whose first path meets a gold answer"),
            "hit_at_10": ("hit@10", "questions where one of the first 10 paths meets a gold answer"),
            "hit_at_32": ("hit@32", "questions where one of the first 32 paths meets a gold answer"),
            "path_hit": ("hit, all", "questions where any path meets a gold answer: the hit ratio"),
            "mrr": ("MRR", "1 / rank of the first path that meets a gold answer"),
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
    known = {name for _, pipeline in rows for name in getattr(pipeline, kind.key)}
    shown = {name: column for name, column in kind.columns.items() if name in known}
    columns += [Column(title, note=note) for title, note in shown.values()]
    body = []
    for group, pipeline in rows:
        cells = [Cell(group or "all", group)] if by else []
        cells += pipeline_cells(pipeline.number, pipeline.name)
        means = getattr(pipeline, kind.key)
        scored = max((mean.scored for name, mean in means.items() if name not in SIZES), default=0)
        cells.append(number_cell(scored))
        several = sum(of == group for of, _ in rows) > 1
        for name in shown:
            best = max(_mean(other, kind.key, name) or 0.0 for of, other in rows if of == group)
            mean = _mean(pipeline, kind.key, name)
            small = "" if mean is None or means[name].scored == scored else f"of {means[name].scored:,}"
            if name in SIZES:
                cells.append(number_cell(mean, 1 if name == "components" else 0))
                continue
            cells.append(share_cell(mean, small, strong=several and mean == best > 0))
        body.append(cells)
    return Table(kind.key, kind.note, columns, body)


def _mean(pipeline: PipelineFigures, key: str, name: str) -> float | None:
    mean = getattr(pipeline, key).get(name)
    return None if mean is None else mean.all
