"""Table of time, calls, tokens and cost by group of questions."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.questions.question import natural_order
from graphbrick.study.report.charts import milliseconds, short
from graphbrick.study.report.figures import PipelineFigures, Spent
from graphbrick.study.report.tables import NONE, PIPELINE_COLUMNS, Cell, Column, Table, number_cell, pipeline_cells

_USED = {
    "calls": ("calls", "calls of models on average"),
    "llm_calls": ("LLM calls", "calls of language models on average"),
    "llm_tokens": ("LLM tokens", "tokens that language models read and wrote, on average"),
    "embedding_tokens": ("embedding tokens", "tokens that embedders and ranking models read, on average"),
    "cost": ("cost, $", "US dollars on average"),
}


def spent_table(figures: Sequence[PipelineFigures], by: str) -> Table | None:
    """Return a row for each group of questions and pipeline; None if there is only one group.

    Args:
        figures: The pipelines.
        by: The grouping, which the figures were read with.
    """
    groups = sorted({name for one in figures for name in one.spent_by[by]}, key=natural_order)
    if len(groups) < 2:
        return None
    parts = [(group, one, one.spent_by[by][group]) for group in groups for one in figures if group in one.spent_by[by]]
    used = [name for name in _USED if any(_value(spent, name) for _, _, spent in parts)]
    columns = [
        Column("data set" if by == "dataset" else by),
        *PIPELINE_COLUMNS,
        Column("questions"),
        Column("median", "time", "half of the questions take longer"),
        Column("p95", "time", "one question in twenty takes longer"),
        Column("mean", "time"),
        *(Column(_USED[name][0], "a question", _USED[name][1]) for name in used),
    ]
    rows = []
    for group, one, spent in parts:
        cells = [Cell(group or "unknown", group), *pipeline_cells(one.number, one.name), number_cell(spent.questions)]
        cells += [Cell(milliseconds(ms), ms) for ms in (spent.median, spent.p95, spent.mean)]
        for name in used:
            value = _value(spent, name)
            text = "" if value is None else f"{value:.2g}" if name == "cost" else short(value)
            cells.append(NONE if value is None else Cell(text, value))
        rows.append(cells)
    return Table(f"spent-by-{by}", f"Time and cost of a question by {by}", columns, rows)


def _value(spent: Spent, name: str) -> float | None:
    if name == "llm_tokens":
        read = spent.used.get("llm_tokens_in")
        return None if read is None else read + spent.used["tokens_out"]
    return spent.used.get(name)
