"""The files of a search: recipes that ``ask`` and ``evaluate`` take, all figures as JSON, and a page."""

from __future__ import annotations

import json
from pathlib import Path

from graphbrick.core.files.replacing import replacing
from graphbrick.study.report.charts import milliseconds, percent
from graphbrick.study.report.overview import measure_name
from graphbrick.study.report.page import Figure, Page, Section, table_figure
from graphbrick.study.report.scatter import Point, scatter
from graphbrick.study.report.tables import Cell, Column, Table, interval_cell, name_cell, number_cell
from graphbrick.study.tune.result.result import Measured, Tuned

RECIPES, FIGURES, PAGE = "tuned.toml", "tuned.json", "report.html"


def write_files(result: Tuned, folder: Path, *, graph: str) -> bool:
    """Write recipes, figures and page of a search; each file replaces its predecessor whole.

    A result without final figures, as the time or the budget was used up, does not replace one that has some.

    Args:
        result: The result.
        folder: The folder.
        graph: Name of the graph, for titles.

    Returns:
        Whether they were written.
    """
    if not result.measured and _has_figures(folder):
        return False
    contents = {
        RECIPES: recipes_text(result, graph),
        FIGURES: json.dumps(result.to_json(), ensure_ascii=False, indent=2) + "\n",
        PAGE: _page(result, graph),
    }
    for name, text in contents.items():
        with replacing(folder / name) as out:
            out.write(text)
    return True


def _has_figures(folder: Path) -> bool:
    """Return whether a folder holds a result with final figures."""
    try:
        return bool(json.loads((folder / FIGURES).read_text("utf-8"))["measured"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):  # no result, or a damaged one
        return False


def recipes_text(result: Tuned, graph: str) -> str:
    """Return the recommended pipelines as a file of recipes (TOML), the first aim first."""
    figures = {one.name: one.figures for one in result.measured}
    lines = [f"# Found by graphbrick tune over {json.dumps(graph, ensure_ascii=False)}. Use: --recipe tuned.toml"]
    # Two aims may be one in other words, such as latency<50ms and latency<=50ms; they have the same key and pipeline.
    for one in {one.key: one for one in result.recommended}.values():
        lines += ["", f"[recipes.{json.dumps(one.key)}]", f"title = {_quoted(f'best for {one.aim}')}"]
        if one.name in figures:
            of = figures[one.name]
            lines.append(
                f"# {measure_name(result.metric)} {of.quality:.3f}, median {1000 * of.seconds:.1f} ms, "
                f"{of.tokens:,.0f} tokens a question, on {of.n} questions that did not choose it"
            )
        lines.append(f"pipeline = {_quoted(one.text.replace('$', '$$'))}")  # a $ alone begins the name of a part
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def headline(result: Tuned) -> str:
    """Return the result in a sentence or two."""
    first = result.recommended[0]
    measured = next((one for one in result.measured if one.name == first.name), None)
    if measured is None:
        return (
            f"The best for {first.aim} by {result.choosing} questions is {first.name}; it was not measured on others."
        )
    text = (
        f"The best for {first.aim} is {first.name}: {measure_name(result.metric)} {percent(measured.quality.mean)} "
        f"({percent(measured.quality.low)} to {percent(measured.quality.high)}) in "
        f"{milliseconds(1000 * measured.figures.seconds)} on {measured.figures.n} questions that did not choose it"
    )
    against = next((row for row in result.comparisons if row.first == first.name), None)
    if against is None:
        return text + "."
    return f"{text}, {100 * against.difference.mean:+.1f} points against {result.baseline} (p = {against.p_holm:.2g})."


def _page(result: Tuned, graph: str) -> str:
    sections = [
        Section("pipelines", "Pipelines", [_PIPELINES], [table_figure(measured_table(result))]),
        Section("cost", "Quality against time", [_CHART], _charts(result)),
        Section(
            "changes",
            "What each choice brings",
            [_CHANGES, *(f"{e.of}: {e.words()}." for e in sorted(result.effects, key=lambda e: e.p))],
        ),
        *([Section("rules", "Rules of thumb", [_RULES, *result.rules])] if result.rules else []),
        Section("bricks", "Bricks", [_BRICKS], [table_figure(bricks_table(result))]),
    ]
    cards = [
        (f"{result.tried:,}", "pipelines tried"),
        (f"{result.choosing:,}", "questions to choose by"),
        (f"{result.final:,}", "other questions"),
        (f"{result.seconds / 60:.0f} min", "of searching"),
    ]
    return Page(f"Pipelines for {graph}", headline(result), cards, result.notes, sections, "study.sqlite").html()


_PIPELINES = (
    "Figures on the questions that chose nothing, with 95 % intervals; the quality on the questions to choose by is "
    "beside them, and is too high for what was chosen by it. A front pipeline is beaten by no other in quality, time, "
    "tokens and cost. The p-value is against the first pipeline of the search, corrected by Holm."
)
_CHART = "The line joins the pipelines of which no other is better and faster."
_CHANGES = (
    "Each recommended pipeline with one choice changed, on the questions that chose nothing. An effect is told "
    "where it is beyond chance, corrected for the number of changes (Holm)."
)
_RULES = (
    "What the pipelines tried say on average, on the first questions to choose by, and what the recommended ones say "
    "on the others; only what is beyond chance, corrected for the number of comparisons (Holm). A rule may not hold "
    "for one pipeline."
)
_BRICKS = (
    "The best pipeline with each brick that answered at least twelve of the questions to choose by. A brick that was "
    "tried seldom may be better than it looks."
)


def measured_table(result: Tuned) -> Table:
    """Return the table of the pipelines that were measured on other questions."""
    columns = [
        Column("Pipeline", text=True), Column(f"{measure_name(result.metric)}, %"), Column("choosing, %"),
        Column("ms"), Column("ms, 95 %"), Column("tokens"), Column("$"), Column("front", text=True), Column("p"),
        Column("recipe", text=True),
    ]  # fmt: skip
    p = {row.first: row.p_holm for row in result.comparisons}
    rows = [
        [
            name_cell(one.name), interval_cell(one.quality),
            Cell(f"{100 * one.chosen.quality:.1f} of {one.chosen.n}", one.chosen.quality),
            Cell(f"{1000 * one.figures.seconds:.1f}", one.figures.seconds),
            Cell(f"{1000 * one.seconds_95:.1f}", one.seconds_95),
            number_cell(one.figures.tokens),
            Cell(f"{one.figures.usd:.4f}", one.figures.usd), Cell("yes" if one.front else "", int(one.front)),
            Cell(f"{p[one.name]:.2g}", p[one.name]) if one.name in p else Cell(""), Cell(one.text),
        ]
        for one in result.measured
    ]  # fmt: skip
    return Table("pipelines", "Pipelines on questions that chose nothing", columns, rows)


def bricks_table(result: Tuned) -> Table:
    """Return the table of bricks."""
    columns = [Column("Kind", text=True), Column("Brick", text=True), Column("tried"), Column("best, %"), Column("ms")]
    rows = [
        [
            Cell(one.kind), name_cell(one.brick), number_cell(one.tried),
            Cell(f"{100 * one.best:.1f}", one.best), Cell(f"{1000 * one.seconds:.1f}", one.seconds),
        ]
        for one in result.bricks
    ]  # fmt: skip
    return Table("bricks", "The best pipeline with each brick", columns, rows)


def _charts(result: Tuned) -> list[Figure]:
    if not result.measured:
        return []
    name = measure_name(result.metric)
    figures = [Figure(scatter(_points(result, "seconds"), x_name="milliseconds", y_name=name, shown=milliseconds))]
    if any(one.figures.tokens for one in result.measured):
        points = _points(result, "tokens")
        figures.append(Figure(scatter(points, x_name="tokens", y_name=name, shown=lambda x: f"{x:,.0f}")))
    return figures


def _points(result: Tuned, figure: str) -> list[Point]:
    def point(number: int, one: Measured) -> Point:
        x = 1000 * one.figures.seconds if figure == "seconds" else one.figures.tokens
        return Point(number, one.name, x, one.quality.mean, one.quality.low, one.quality.high, one.text)

    return [point(number, one) for number, one in enumerate(result.measured, 1)]
