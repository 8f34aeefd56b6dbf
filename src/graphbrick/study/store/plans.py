"""What an experiment file planned: its data sets and pipelines, and the tables of a paper that it reproduces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PlannedData:
    """A data set of an experiment file, as it was asked.

    Attributes:
        name: Its name in the file.
        graph_hash: The hash of the graph that it was asked on, as in `StudyRun`.
        datasets: Names of the data sets of its questions, as in `StudyQuestion`.
        questions: Number of its questions.
    """

    name: str
    graph_hash: str
    datasets: tuple[str, ...]
    questions: int


@dataclass(frozen=True, slots=True)
class PlannedPipeline:
    """A pipeline of an experiment file.

    Attributes:
        name: Its name in tables.
        base: The name without its repetition; equal to ``name`` for the first one.
        group: The ``name`` of its table ``[[run]]``, as the file has it; empty if it has none.
        recipe: The name of its recipe; empty if the file gives a pipeline.
        data: Names of the data sets that it is for.
        identity: `graphbrick.study.store.identity.Identity.text`, by which its runs are known.
        values: Its values of a sweep, such as "k=100"; empty if there are none.
    """

    name: str
    base: str
    group: str
    recipe: str
    data: tuple[str, ...]
    identity: str
    values: str = ""


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A column of a table of a paper, or a curve of a figure.

    Attributes:
        title: Its heading.
        measure: What is measured: a measure of results, or time, tokens and calls (`report.papers.measures`).
        data: The name of a data set; empty for each of them.
        part: A part of the questions, such as "complexity=simple"; empty for all.
        published: The name of the published figure in recipes, such as "webqsp"; empty if none is known.
    """

    title: str
    measure: str
    data: str = ""
    part: str = ""
    published: str = ""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table or figure of a paper that an experiment file reproduces.

    Attributes:
        number: Such as "Table 7"; empty if it is not known.
        title: What it shows.
        recipes: Names of the recipes that are its rows, in order.
        groups: Names of the tables ``[[run]]`` whose pipelines are its rows, or the lines of its curves.
        columns: Its columns.
        x: The measure of the x axis of curves; empty for a table.
        counts: "data sets" or "domains" for counts of the questions; empty otherwise.
        note: What differs from the paper, in a sentence or two.
        missing: Why it cannot be made from a study; empty if it can.
    """

    number: str
    title: str
    recipes: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    columns: tuple[PaperColumn, ...] = ()
    x: str = ""
    counts: str = ""
    note: str = ""
    missing: str = ""

    def rows(self, pipelines: Sequence[PlannedPipeline]) -> list[PlannedPipeline]:
        """Return the pipelines that are its rows: recipes in the order of the table, then those of its groups."""
        named = [one for recipe in self.recipes for one in pipelines if one.recipe == recipe]
        return named + [one for group in self.groups for one in pipelines if one.group == group and one not in named]


@dataclass(frozen=True, slots=True)
class Plan:
    """What an experiment file planned.

    Attributes:
        file: The file, as ``graphbrick evaluate`` finds it.
        out: The study that it writes unless another one is named.
        linked: Whether seeds are found in the questions.
        paper: What the paper is, and what it measured with: ``name``, ``graph``, ``model`` and others.
        data: Its data sets that were asked so far.
        pipelines: All of its pipelines.
        tables: The tables of the paper.
        title: The title of its report; empty in studies of older versions.
        about: What it is, in a sentence or two; empty if it does not say.
    """

    file: str
    out: str
    linked: bool
    paper: Mapping[str, str]
    data: tuple[PlannedData, ...]
    pipelines: tuple[PlannedPipeline, ...]
    tables: tuple[PaperTable, ...]
    title: str = ""
    about: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Plan:
        """Return the plan that `to_dict` gave; raise KeyError, TypeError or ValueError if it did not."""
        tables = [
            PaperTable(**_tuples(table | {"columns": [PaperColumn(**one) for one in table["columns"]]}))
            for table in content["tables"]
        ]
        return cls(
            content["file"],
            content["out"],
            bool(content["linked"]),
            dict(content["paper"]),
            tuple(PlannedData(**_tuples(one)) for one in content["data"]),
            tuple(PlannedPipeline(**_tuples(one)) for one in content["pipelines"]),
            tuple(tables),
            content.get("title", ""),
            content.get("about", ""),
        )


def _tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
