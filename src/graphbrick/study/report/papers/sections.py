"""The sections of a report with the tables and figures of a paper, under their numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from markupsafe import Markup

from graphbrick.core.errors import GraphbrickError
from graphbrick.language.counting import counted
from graphbrick.models.embedders.embedder import Embedder
from graphbrick.models.llm.chat import ChatModel
from graphbrick.patterns.few_texts import FewTexts
from graphbrick.pipeline.parsing import parse
from graphbrick.study.report.charts import round_percent, short
from graphbrick.study.report.markup import macro
from graphbrick.study.report.origin import datasets_table
from graphbrick.study.report.overview import measure_name
from graphbrick.study.report.page import Figure, Section, table_figure
from graphbrick.study.report.papers.counts import NO_DOMAINS, domains_table
from graphbrick.study.report.papers.measures import is_memory, is_share, shown, unit
from graphbrick.study.report.papers.reading import FilledPaper, FilledTable, TableRow, Value, command
from graphbrick.study.report.scatter import Line, Point, scatter
from graphbrick.study.report.tables import NONE, Cell, Column, Table, name_cell
from graphbrick.study.store.identity import bricks_of
from graphbrick.study.store.plans import PaperColumn
from graphbrick.study.store.records import StudyQuestion, StudyRun

_COLOURS = ("extract", "rerank", "retrieve", "link", "prune")
_CONDITIONS = ("graph", "sample", "model", "embedder", "judge", "counting")
_NOT_RUN, _NOT_MEASURED = "not run", "not measured"


def paper_sections(papers: Sequence[FilledPaper], questions: Sequence[StudyQuestion]) -> list[Section]:
    """Return a section for each paper: what it measured with and what was used here, then its tables and figures."""
    return [_section(paper, questions, number) for number, paper in enumerate(papers, 1)]


def paper_tables(papers: Sequence[FilledPaper], questions: Sequence[StudyQuestion]) -> Iterator[tuple[str, str, Table]]:
    """Yield heading, note and table of all that a paper's tables hold, for Markdown and the terminal."""
    for place, paper in enumerate(papers, 1):
        yield f"{paper.plan.paper['name']}: what was measured with", "", conditions_table(paper, questions, place)
        for number, table in enumerate(paper.tables, 1):
            name = _key(place, number)
            found = _counts(paper, table, questions, name) if table.table.counts else values_table(table, name)
            if found is not None and not table.table.missing:
                yield heading(table, paper), " ".join(_notes(paper, table)), found


def left_out(papers: Sequence[FilledPaper], questions: Sequence[StudyQuestion]) -> list[str]:
    """Return a line for each table or figure of which a study holds nothing, with the reason."""
    lines = []
    for paper in papers:
        for table in paper.tables:
            reason = table.table.missing
            if table.table.counts == "domains" and _counts(paper, table, questions, "") is None:
                reason = NO_DOMAINS
            if reason:
                lines.append(f"{heading(table, paper)}: {reason}")
    return lines


def heading(table: FilledTable, paper: FilledPaper) -> str:
    """Return the heading of a table: «Figure 7 of LEGO-GraphRAG: subgraph F1 against its size»."""
    name = paper.plan.paper["name"]
    number = table.table.number
    return f"{number} of {name}: {table.table.title}" if number else f"{name}: {table.table.title}"


def conditions_table(paper: FilledPaper, questions: Sequence[StudyQuestion], number: int = 1) -> Table:
    """Return what the paper measured with, and what was used here."""
    here = _here(paper, questions)
    rows = [
        [name_cell(key), Cell(paper.plan.paper.get(key, "not told"), key), Cell(here.get(key, "–"), key)]
        for key in _CONDITIONS
        if key in paper.plan.paper
    ]
    columns = [Column("", text=True), Column("published", text=True), Column("here", text=True)]
    return Table(f"paper-{number}-conditions", "What the paper measured with, and what was used here", columns, rows)


def values_table(table: FilledTable, name: str) -> Table:
    """Return the values of a table: for each column ours with its interval, and the published one if there is one."""
    columns = [Column("pipeline", text=True)]
    for place, column in enumerate(table.columns):
        title = _title(column)
        if table.table.x:
            columns.append(Column(_short_name(table.table.x), title, "mean"))
        columns.append(Column("here", title, f"{column.measure}, with its 95 % interval"))
        if _is_published(table, place):
            columns.append(Column("published", title, f"{column.published} of the recipe"))
    rows = [_row(table, row) for row in table.rows]
    return Table(name, table.table.title, columns, rows)


def _row(table: FilledTable, row: TableRow) -> list[Cell]:
    small = f"{_absent(table)}: {row.command}" if row.command else ""
    cells = [Cell(row.name, row.name, small, macro("parts.html", "pipeline", row.name, "", small), name=True)]
    for place, (column, value) in enumerate(zip(table.columns, row.values, strict=True)):
        if table.table.x:
            x = row.x[place]
            cells.append(NONE if x is None else Cell(shown(table.table.x, x), x))
        cells.append(_measured(table, column.measure, value, whole=bool(row.command)))
        if _is_published(table, place):
            own = value.published
            cells.append(NONE if own is None else Cell(shown(column.measure, own), own))
    return cells


def _measured(table: FilledTable, measure: str, value: Value, *, whole: bool) -> Cell:
    """Return our value: mean, interval, number of questions, and how far repetitions are apart."""
    own = value.measured
    if own is None:
        return NONE if whole or not value.is_planned else Cell(_absent(table))
    low, high = (shown(measure, end) for end in (own.low, own.high))
    small = f"{low}–{high}, n={own.n:,}"
    if value.spread is not None:
        small += f"; ±{shown(measure, value.spread)} of {len(value.means)}"
    return Cell(shown(measure, own.mean), own.mean, small)


def _absent(table: FilledTable) -> str:
    """Return what stands in the place of values: pipelines may have been run without measuring their memory."""
    return _NOT_MEASURED if any(is_memory(column.measure) for column in table.columns) else _NOT_RUN


def _section(paper: FilledPaper, questions: Sequence[StudyQuestion], number: int) -> Section:
    name = paper.plan.paper["name"]
    published = any(_is_published(table, place) for table in paper.tables for place in range(len(table.columns)))
    texts = [
        "Means with 95 % intervals over n questions. " + "Published values are those of the recipes. " * published
        + "One of ours can be compared with a published one only where both columns of the next table say the same; "
        "otherwise only the order of the pipelines can."
    ]  # fmt: skip
    if any(value.spread is not None for table in paper.tables for row in table.rows for value in row.values):
        texts.append("After ±: the standard deviation of the means of repetitions, which differ in their seeds.")
    parts = [table_figure(conditions_table(paper, questions, number), "What was measured with")]
    for place, table in enumerate(paper.tables, 1):
        parts += _figures(paper, table, questions, _key(number, place))
    return Section("paper" if number == 1 else f"paper-{number}", f"As in {name}", texts, parts)


def _figures(paper: FilledPaper, table: FilledTable, questions: Sequence[StudyQuestion], name: str) -> list[Figure]:
    title, note = heading(table, paper), " ".join(_notes(paper, table))
    if table.table.missing:
        return [Figure(Markup(""), title, f"{table.table.missing} {note}".strip())]
    if table.table.counts:
        counts = _counts(paper, table, questions, name)
        return [Figure(Markup(""), title, NO_DOMAINS)] if counts is None else [table_figure(counts, title, note)]
    values = values_table(table, name)
    if not table.table.x:
        return [table_figure(values, title, note)]
    charts = [chart for place, _ in enumerate(table.columns) if (chart := _chart(table, place)) is not None]
    if not charts:
        return [table_figure(values, title, note)]
    drawn = macro("parts.html", "side_by_side", [(chart.title, chart.content) for chart in charts])
    return [Figure(drawn, title, note), table_figure(values, f"{title}, as a table", folded=True)]


def _chart(table: FilledTable, place: int) -> Figure | None:
    """Return a curve for each sweep against the x axis; None if no pipeline has both values."""
    column, points = table.columns[place], dict[int, Point]()
    for number, row in enumerate(table.rows, 1):
        value, x = row.values[place].measured, row.x[place]
        if value is not None and x is not None:
            low, high = (min(1.0, max(0.0, end)) for end in (value.low, value.high))
            note = f"{row.name}\n{_title(column)}: {shown(column.measure, value.mean)}"
            points[number] = Point(number, row.short, x, value.mean, low, high, note)
    if not points or not is_share(column.measure):
        return None
    numbered = [(number, row) for number, row in enumerate(table.rows, 1) if number in points]
    lines = [
        Line(
            _COLOURS[turn % len(_COLOURS)],
            re.sub(r"\$\{?\w+\}?", "…", group),
            [points[number] for number, _ in members],
        )
        for turn, (group, members) in enumerate(groupby(numbered, key=lambda one: one[1].group))
        if group
    ]
    drawn = scatter(
        list(points.values()), x_name=_short_name(table.table.x), y_name=_title(column),
        shown=round_percent if is_share(table.table.x) else short, front=False,
        lines=[line for line in lines if len({point.x for point in line.points}) > 1],
        x_is_share=is_share(table.table.x),
    )  # fmt: skip
    return Figure(macro("parts.html", "legend", [(line.colour, line.name) for line in lines]) + drawn, _title(column))


def _notes(paper: FilledPaper, table: FilledTable) -> Iterator[str]:
    if table.table.note:
        yield table.table.note
    yield from table.notes
    if any(
        not row.command and value.measured is None and value.is_planned for row in table.rows for value in row.values
    ):
        memory = _absent(table) == _NOT_MEASURED
        yield f"Cells «{_absent(table)}»: {command(paper.plan, paper.path, [], memory=memory)}."
    counts = [
        {own.n for row in table.rows if (own := row.values[place].measured)} for place in range(len(table.columns))
    ]
    if any(len(found) > 1 for found in counts):
        yield "Rows with another n are not over the same questions."
    silent = next((row for row in table.rows if not row.command), None) is None and bool(table.rows)
    if silent and len(table.rows) > 1:
        yield "No pipeline of this table has been run."


def _counts(
    paper: FilledPaper, table: FilledTable, questions: Sequence[StudyQuestion], name: str
) -> Table | None:  # fmt: skip
    own = [
        replace(one, dataset=data.name)
        for data in paper.plan.data
        for one in questions
        if one.graph_hash == data.graph_hash and one.dataset in data.datasets
    ]
    if table.table.counts == "domains":
        return domains_table(own, name)
    return datasets_table(own)._replace(name=name)


def _here(paper: FilledPaper, questions: Sequence[StudyQuestion]) -> dict[str, str]:
    """Return what was used here, by the names of the conditions."""
    found: dict[str, dict[str, None]] = {"model": {}, "embedder": {}}
    for run in paper.runs:
        for key, text in _models(run):
            found[key][text] = None
    sizes = []
    for data in paper.plan.data:
        of = sum(one.graph_hash == data.graph_hash and one.dataset in data.datasets for one in questions)
        sizes.append(f"{counted(of, 'question')} of {data.name}")
    columns = [column for table in paper.tables for column in table.columns]
    measures = dict.fromkeys(measure_name(one.measure) for one in columns if is_share(one.measure))
    return {
        "graph": ", ".join(sorted({run.graph_path.rstrip("/").rpartition("/")[2] for run in paper.runs})) or _NOT_RUN,
        "sample": ", ".join(sizes) or _NOT_RUN,
        "model": ", ".join(found["model"]) or ("none asked" if paper.runs else _NOT_RUN),
        "embedder": ", ".join(found["embedder"]) or ("none asked" if paper.runs else _NOT_RUN),
        "counting": ", ".join(measures),
    }


def _models(run: StudyRun) -> Iterator[tuple[str, str]]:
    """Yield the language models and embedders of a run's recipe."""
    try:
        pipeline = parse(run.recipe)
    except GraphbrickError:  # such as a brick of a package that is not installed here
        yield "model", f"not readable here: {run.recipe}"
        return
    bricks = list(bricks_of(pipeline))
    inside = {id(brick.scorer) for brick in bricks if isinstance(brick, FewTexts)}  # named with how much it reads
    for brick in bricks:
        if isinstance(brick, ChatModel):
            text = repr(brick)
            yield "model", text if brick.model in text else f"{brick.model}, by {text}"
        elif isinstance(brick, FewTexts) or (isinstance(brick, Embedder) and id(brick) not in inside):
            yield "embedder", repr(brick)


def _is_published(table: FilledTable, place: int) -> bool:
    return bool(table.columns[place].published)


def _title(column: PaperColumn) -> str:
    part = column.part.partition("=")[2]
    title = column.title or _short_name(column.measure)
    return f"{title}{f' ({part})' if part and part not in title else ''}{unit(column.measure)}"


def _short_name(measure: str) -> str:
    return {"nodes": "entities", "paths": "paths"}.get(measure, measure.replace("_", " "))


def _key(paper: int, table: int) -> str:
    return f"paper-{paper}-{table}"
