"""Terminal output of the commands about models."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.terminal import console, plain, print_json
from graphbrick.models.embedders.distilled import Distilled
from graphbrick.models.store import Model, fetched


def print_models(models: Sequence[Model | Distilled], folder: Path, *, as_json: bool) -> None:
    """Print every known model, whether it was fetched, and the static vectors that were made."""
    if as_json:
        print_json([model.to_dict() for model in models])
        return
    out = console()
    table = Table("model", "brick", "size", "licence", "fetched", "what it is", box=None, pad_edge=False)
    table.columns[2].justify = "right"
    for model in models:
        there = "made" if isinstance(model, Distilled) else "yes" if fetched(model.name) else ""
        name = Text(model.name, style="bold")
        table.add_row(name, model.brick, _size(model), model.licence, there, Text(f"{model.role}: {model.about}"))
    out.print(table)
    out.print(Text(plain(f"kept in {folder}")))


def print_fetched(models: list[Model], *, as_json: bool) -> None:
    """Print the paths of models."""
    if as_json:
        print_json([model.to_dict() for model in models])
        return
    for model in models:
        console().print(Text(plain(f"{model.path} ({_size(model)}, sha256 as expected)")))


def _size(model: Model | Distilled) -> str:
    return f"{model.bytes / 1e6:,.0f} MB"
