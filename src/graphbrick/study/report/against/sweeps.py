"""Sweeps: pipelines that differ in one number only, such as PPR with k from 100 to 2,000."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from graphbrick.core.errors import GraphbrickError
from graphbrick.core.parameters import declared
from graphbrick.pipeline import Pipeline
from graphbrick.pipeline.brick import Brick, literal
from graphbrick.pipeline.composition import Sequence as Stages
from graphbrick.pipeline.composition import Union
from graphbrick.pipeline.parsing import parse
from graphbrick.study.report.figures import PipelineFigures
from graphbrick.study.report.tables import Column, Table, name_cell, number_cell, share_cell

_MEASURES = ("subgraph_recall", "subgraph_f1", "path_f1", "hits_at_1")


class Sweep(NamedTuple):
    """Pipelines on the same questions that differ in the value of one parameter.

    Attributes:
        parameter: Brick and parameter, such as "PPR k".
        values: The values, ascending.
        figures: The pipeline of each value.
    """

    parameter: str
    values: Sequence[float]
    figures: Sequence[PipelineFigures]

    def __str__(self) -> str:
        """Return parameter and values in words."""
        return f"{self.parameter} ({', '.join(f'{value:g}' for value in self.values)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the points of the curves as plain JSON types."""
        points = []
        for value, one in zip(self.values, self.figures, strict=True):
            sizes = {"entities": one.averages["nodes"], "paths": one.averages["n_paths"]}
            points.append({"value": value, "run": one.run.id, "pipeline": one.name} | sizes | _shares(one))
        return {"parameter": self.parameter, "points": points}


def sweeps_of(figures: Sequence[PipelineFigures]) -> list[Sweep]:
    """Return the sweeps among pipelines, those with most values first.

    A parameter that a recipe leaves out has its default; seeds of random numbers are not swept. A pipeline belongs to
    several sweeps if it differs from others in one number and from others again in another number.
    """
    groups: dict[tuple[str, str, str, bool], dict[float, PipelineFigures]] = {}
    for one in figures:
        for parameter, value, rest in _numbers(one.run.recipe):
            group = groups.setdefault((rest, parameter, one.run.graph_hash, one.run.linked), {})
            group.setdefault(value, one)
    found = [
        Sweep(parameter, sorted(group), [group[value] for value in sorted(group)])
        for (_, parameter, _, _), group in groups.items()
        if len(group) > 1
    ]
    return sorted(found, key=lambda sweep: (-len(sweep.values), sweep.parameter))


def sweeps_table(sweeps: Sequence[Sweep]) -> Table | None:
    """Return a row for each value of each sweep; None if there are no sweeps."""
    if not sweeps:
        return None
    columns = [
        Column("parameter", text=True),
        Column("value"),
        Column("pipeline", text=True),
        Column("entities", note="entities of the subgraph, mean"),
        Column("recall", "subgraph"),
        Column("F1", "subgraph"),
        Column("paths", note="items of the evidence, mean"),
        Column("path F1"),
        Column("Hits@1"),
    ]
    rows = []
    for sweep in sweeps:
        for value, one in zip(sweep.values, sweep.figures, strict=True):
            recall, f1, path_f1, hits = (share_cell(share) for share in _shares(one).values())
            label = name_cell(sweep.parameter)
            number = number_cell(value)._replace(text=f"{value:g}")
            sizes = [number_cell(one.averages["nodes"]), number_cell(one.averages["n_paths"], 1)]
            name = name_cell(one.name)._replace(name=False)
            rows.append([label, number, name, sizes[0], recall, f1, sizes[1], path_f1, hits])
    return Table("sweeps", "Pipelines that differ in one number, in percent and mean sizes", columns, rows)


def _shares(one: PipelineFigures) -> dict[str, float | None]:
    return {name: None if (mean := one.means[name].all) is None else mean.mean for name in _MEASURES}


def _numbers(recipe: str) -> Iterator[tuple[str, float, str]]:
    """Yield each number of a recipe: brick and parameter, value, and the recipe without the number."""
    try:
        text = _explicit(parse(recipe))
    except GraphbrickError:  # such as a brick of a package that is not installed here
        text = recipe
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)]:
        named = [(keyword.arg or "", keyword.value) for keyword in call.keywords]
        named += [(f"argument {place}", node) for place, node in enumerate(call.args, 1)]
        for name, node in named:
            if name != "seed" and isinstance(node, ast.Constant) and type(node.value) in (int, float):
                value = node.value
                node.value = "…"
                yield f"{ast.unparse(call.func)} {name}", float(value), ast.unparse(tree)  # type: ignore[arg-type]
                node.value = value


def _explicit(value: Brick | Pipeline) -> str:
    """Return the recipe text with every parameter that affects results, also those with their default."""
    if isinstance(value, Stages | Union):
        return value.text(_explicit)
    assert isinstance(value, Brick)
    entries = declared(type(value))

    def write(_: str, argument: object) -> str:
        return _explicit(argument) if isinstance(argument, Brick | Pipeline) else literal(argument)

    return value.text(
        write,
        always={entry.name for entry in entries},
        never={entry.name for entry in entries if not entry.declaration.changes_results},
    )
