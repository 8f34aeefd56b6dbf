"""The tables and figures of a paper that an experiment file reproduces: ``[paper]`` and ``[[table]]``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from graphbrick.recipes import recipe
from graphbrick.study.experiments.pipelines import PlannedRun
from graphbrick.study.experiments.tables import Table
from graphbrick.study.report.papers.measures import known_measure, measures
from graphbrick.study.store.plans import PaperColumn, PaperTable

_PAPER = {"name": str, "graph": str, "sample": str, "model": str, "embedder": str, "judge": str, "counting": str}
_TABLE = {"number": str, "title": str, "recipes": list, "runs": list, "columns": object, "x": str, "counts": str,
          "note": str, "missing": str}  # fmt: skip
_COLUMN = {"title": str, "measure": str, "data": str, "part": str, "published": str}
_COUNTS = ("data sets", "domains")


def paper_of(content: Mapping[str, Any], file: Path) -> dict[str, str]:
    """Return the table ``[paper]``: what the paper is, and what it measured with; empty if there is none.

    Raises:
        InputError: It has another key, or no name.
    """
    if "paper" not in content:
        return {}
    table = Table(file, "paper", content["paper"], _PAPER)
    if not table.text("name"):
        raise table.refused("has no name", "experiment.no_key")
    return {key: table.text(key) for key in _PAPER if table.has(key)}


def paper_tables(
    content: Mapping[str, Any], file: Path, runs: Sequence[PlannedRun], data: Sequence[str]
) -> tuple[PaperTable, ...]:
    """Return the tables ``[[table]]`` of a file.

    Args:
        content: The file.
        file: Its path.
        runs: Its pipelines.
        data: Names of its data sets.

    Raises:
        InputError: A table has no rows, a column of an unknown measure, or another fault.
    """
    listed = content.get("table", [])
    if not isinstance(listed, list):
        raise Table(file, "table", {}, {}).refused("is written once; write it as [[table]]", "experiment.bad_value")
    if listed and "paper" not in content:
        raise Table(file, "table 1", {}, {}).refused(
            'is of no paper; say which it is: [paper], name = "..."', "experiment.no_paper"
        )
    return tuple(
        _table(Table(file, f"table {number}", one, _TABLE), one, runs, data) for number, one in enumerate(listed, 1)
    )


def _table(table: Table, content: Mapping[str, Any], runs: Sequence[PlannedRun], data: Sequence[str]) -> PaperTable:
    if not table.text("title"):
        raise table.refused("has no title", "experiment.no_key")
    about = [table.text(key) for key in ("number", "title")]
    counts, missing, x = table.text("counts"), table.text("missing"), table.text("x")
    if counts and counts not in _COUNTS:
        raise table.refused(f"has counts = {counts!r}; there is {', '.join(_COUNTS)}", "experiment.bad_value")
    for name in [x] if x else []:
        _check_measure(table, "x", name)
    columns = tuple(_columns(table, content.get("columns", []), data))
    found = PaperTable(
        about[0], about[1], table.texts("recipes"), table.texts("runs"), columns, x, counts,
        " ".join(table.text("note").split()), " ".join(missing.split()),
    )  # fmt: skip
    for known, named, what in (
        ({run.recipe for run in runs}, found.recipes, "recipe"),
        ({run.group for run in runs if run.group}, found.groups, "run"),
    ):
        stranger = next((name for name in named if name not in known), None)
        if stranger is not None:
            raise table.refused(
                f"is of the {what} {stranger!r}, which no [[run]] has; there is {', '.join(sorted(known)) or 'none'}",
                "experiment.no_row",
            )
    if not counts and not missing and not ((found.recipes or found.groups) and columns):
        raise table.refused(
            "has no rows or no columns; give recipes or runs, and columns, or say why it is missing",
            "experiment.empty_table",
        )
    return found


def _columns(table: Table, listed: object, data: Sequence[str]) -> Iterator[PaperColumn]:
    if not isinstance(listed, list):
        raise table.refused("has columns that are no list of tables", "experiment.bad_value")
    for number, content in enumerate(listed, 1):
        one = Table(table.file, f"{table.where}, column {number}", content, _COLUMN)
        measure, of, part, published = (one.text(key) for key in ("measure", "data", "part", "published"))
        _check_measure(one, "measure", measure)
        if of and of not in data:
            raise one.refused(f"is of the data {of!r}; there is {', '.join(data)}", "experiment.no_data")
        if part and "=" not in part:
            raise one.refused(f"has part = {part!r}; write it as complexity=simple", "experiment.bad_value")
        if published and not any(published in recipe(name).figures for name in table.texts("recipes")):
            raise one.refused(
                f"has published = {published!r}, a figure that none of its recipes has", "experiment.no_figure"
            )
        yield PaperColumn(one.text("title"), measure, of, part, published)


def _check_measure(table: Table, key: str, name: str) -> None:
    if not known_measure(name):
        raise table.refused(
            f"has {key} = {name!r}, which is not measured; there is {', '.join(measures())}", "experiment.no_measure"
        )
