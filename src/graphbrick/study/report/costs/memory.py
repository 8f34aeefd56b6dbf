"""Memory by stage, beside the seconds: a table, and bars of mean and maximum."""

from __future__ import annotations

from collections.abc import Sequence

from graphbrick.study.report.charts import Part, Row, megabytes, milliseconds, reaching_bars
from graphbrick.study.report.figures import Memory, PipelineFigures
from graphbrick.study.report.overview import STAGES
from graphbrick.study.report.page import Figure, Section, table_figure
from graphbrick.study.report.tables import NONE, PIPELINE_COLUMNS, Cell, Column, Table, pipeline_cells

MEMORY_NOTE = (
    "Megabytes (of 1,048,576 bytes). Growth is the peak of a stage above its beginning; the peak is that of the whole "
    "process, with the graph, models and all that was loaded before. The maximum is that of one question, often "
    "the first, which loads models and compiles kernels. Stages that pipelines share are measured once."
)
_FIGURES = {
    "grown_mb": ("growth", "by how much the process grew at most while the stage ran"),
    "peak_mb": ("peak of the process", "the largest resident memory while the stage ran"),
    "gpu_peak_mb": ("peak of GPUs", "what torch had allocated at most, on all GPUs together"),
}


def memory_table(figures: Sequence[PipelineFigures]) -> Table | None:
    """Return a row for each pipeline and stage: seconds and memory; None if no study measured memory."""
    rows = [(one, kind) for one in figures for kind in _kinds([one])]
    if not rows:
        return None
    known = [name for name in _FIGURES if any(name in one.memory for one in figures)]
    columns = [
        *PIPELINE_COLUMNS,
        Column("stage", text=True),
        Column("mean", "time", "of a question"),
        *(Column(title, *_FIGURES[name]) for name in known for title in ("mean", "maximum")),
    ]
    body = []
    for one, kind in rows:
        ms = one.times.stages.get(kind) if one.times else None
        cells = [*pipeline_cells(one.number, one.name), Cell(kind, kind)]
        cells.append(NONE if ms is None else Cell(milliseconds(ms), ms))
        for name in known:
            own = one.memory.get(name, {}).get(kind)
            cells += _cells(own)
        body.append(cells)
    return Table("memory", "Memory and time of each stage", columns, body)


def memory_section(figures: Sequence[PipelineFigures]) -> Section | None:
    """Return the section with bars of growth and peaks, and the table; None if no study measured memory."""
    table = memory_table(figures)
    if table is None:
        return None
    colours = {part.name: part.colour for part in STAGES}
    parts = [Part(kind, colours.get(kind, "union")) for kind in _kinds(figures)]
    shown = list[Figure]()
    for name, (title, _) in _FIGURES.items():
        measured = [one for one in figures if name in one.memory]
        if measured:
            rows = [Row(one.number, one.name, ()) for one in measured]
            values = [[_pair(one.memory[name].get(part.name)) for part in parts] for one in measured]
            bars = reaching_bars(rows, parts, values, shown=megabytes)
            shown.append(Figure(bars, f"{title.capitalize()}: mean, and a line to the maximum"))
    shown.append(table_figure(table, "As a table, with the time of each stage", folded=True))
    return Section("memory", "Memory by stage", [MEMORY_NOTE], shown)


def _kinds(figures: Sequence[PipelineFigures]) -> list[str]:
    """Return the kinds of stages whose memory was measured, in the order in which they run."""
    found = {kind for one in figures for kinds in one.memory.values() for kind in kinds}
    order = [part.name for part in STAGES if part.name in found]
    return [*order, *sorted(found - set(order))]


def _cells(own: Memory | None) -> list[Cell]:
    return [NONE, NONE] if own is None else [Cell(megabytes(value), value) for value in (own.mean, own.maximum)]


def _pair(own: Memory | None) -> tuple[float, float] | None:
    return None if own is None else (own.mean, own.maximum)
