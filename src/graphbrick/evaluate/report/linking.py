"""The table of linking: how well pipelines find the seeds of questions by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from graphbrick.evaluate.report.charts import percent
from graphbrick.evaluate.report.figures import PipelineFigures
from graphbrick.evaluate.report.tables import PIPELINE_COLUMNS, Cell, Column, Table, pipeline_cells

_COLUMNS = {
    "linking_recall_at_1": ("recall@1", "seeds of the file that are the first reading of a mention"),
    "linking_recall_at_5": ("recall@5", "seeds of the file that are among the first five readings of a mention"),
    "linking_precision": ("precision", "first readings that are seeds of the file"),
}


def linking_table(groups: Mapping[str, Sequence[PipelineFigures]], *, by: str = "") -> Table | None:
    """Return a row for each group and pipeline that linked questions; None if no pipeline did.

    Args:
        groups: The pipelines by the group of questions that they are measured on; "" for all questions.
        by: Name of the grouping; empty if there is only one group.
    """
    rows = [(group, pipeline) for group, figures in groups.items() for pipeline in figures if pipeline.linking]
    if not rows:
        return None
    columns = [Column(by)] if by else []
    columns += PIPELINE_COLUMNS
    columns.append(Column("questions", note="questions whose seeds the file gives and the pipeline looked for"))
    columns += [Column(title, note=note) for title, note in _COLUMNS.values()]
    body = []
    for group, pipeline in rows:
        cells = [Cell(group or "all", group)] if by else []
        cells += pipeline_cells(pipeline.number, pipeline.name)
        scored = next(iter(pipeline.linking.values())).scored
        cells.append(Cell(f"{scored:,}", scored))
        for name in _COLUMNS:
            best = max(other.linking[name].all or 0.0 for of, other in rows if of == group)
            mean = pipeline.linking[name].all or 0.0
            several = sum(of == group for of, _ in rows) > 1
            cells.append(Cell(percent(mean), mean, strong=several and mean == best > 0))
        body.append(cells)
    return Table("linking", "How well seeds were found in the text of the questions, in percent", columns, body)
