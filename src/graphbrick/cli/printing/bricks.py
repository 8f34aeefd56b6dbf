"""Terminal output of the commands about bricks and recipes."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.terminal import console, print_json
from graphbrick.pipeline.catalog import all_bricks, describe, find
from graphbrick.recipes import Recipe


def print_bricks(names: Sequence[str], *, as_json: bool) -> None:
    """Print some bricks with their parameters and papers; all where no name is given."""
    rows = [describe(brick) for brick in (map(find, names) if names else all_bricks().values())]
    if as_json:
        print_json(rows)
        return
    out = console()
    for row in rows:
        out.print(Text.assemble((row["name"], "bold"), f"  ({row['kind']})  {row['summary']}"))
        for parameter in row["parameters"]:
            default = "" if parameter["default"] is None else f" = {parameter['default']}"
            out.print(Text(f"    {parameter['name']}: {parameter['type']}{default}  — {parameter['doc']}"))
            if names:  # with a list of all bricks nobody reads so much
                search = f"; worth trying: {', '.join(parameter['search'])}" if parameter["search"] else ""
                out.print(Text(f"        {parameter['allowed']}{search}", style="dim"))
        if row["paper"]:
            out.print(Text(f"    {row['paper']}", style="dim"))


def print_recipes(recipes: list[Recipe], *, as_json: bool) -> None:
    """Print the published recipes, a line each, under the names of their groups."""
    if as_json:
        print_json([recipe.to_dict() for recipe in recipes])
        return
    out = console()
    table = Table("recipe", "published", "what it does", "parts", box=None, pad_edge=False)
    group = ""
    for recipe in recipes:
        name, parts = Text(recipe.name, style="bold"), Text(", ".join(recipe.parts))
        if recipe.group != group:
            group = recipe.group
            table.add_row(Text(group, style="dim"))
        table.add_row(name, Text(recipe.result or "-"), Text(recipe.title), parts)
    out.print(table)
    out.print(
        "WebQSP, CWQ, MetaQA: published Hit in percent, of 1 to 15 with Qwen2-72B, of systems with the models that "
        "graphbrick recipes NAME names; figures of two papers do not compare. Hetionet: published relevance of answers "
        "to simple / complex questions, rated by a judge. Path F1: published F1 of the "
        "paths found. -: no figure on these data. --set can replace the parts of a "
        "recipe."
    )


def print_recipe(recipe: Recipe, *, as_json: bool) -> None:
    """Print all fields of a recipe."""
    facts = recipe.to_dict()
    if as_json:
        print_json(facts)
        return
    out = console()
    table = Table(box=None, show_header=False, pad_edge=False)
    for name, value in facts.items():
        if isinstance(value, dict):
            value = ", ".join(
                f"{key} {entry}" if entry != "" else f"{key} (must be set)" for key, entry in value.items()
            )
        if value:
            table.add_row(Text(name, style="bold"), Text(str(value)))
    out.print(table)
