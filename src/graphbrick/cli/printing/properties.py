"""Terminal output about properties, types, and what a build did not keep."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from graphbrick.cli.printing.terminal import plain

_SHOWN = 40  # properties
_LONGEST = 30  # letters of an example


def print_properties(out: Console, facts: dict[str, Any]) -> None:
    """Print the properties of entities and triples with their kinds, counts and examples."""
    rows = [("", row) for row in facts["properties"]] + [("triples", row) for row in facts["triple_properties"]]
    if not rows:
        return
    table = Table("property", "kind", "values", "examples", box=None, pad_edge=False)
    for of, row in rows[:_SHOWN]:
        name = f"{row['name']} (of {of})" if of else row["name"]
        examples = ", ".join(_short(example) for example in row["examples"])
        table.add_row(Text(plain(name)), row["kind"], f"{row['count']:,}", Text(plain(examples)))
    out.print(table)
    if len(rows) > _SHOWN:
        out.print(f"... and {len(rows) - _SHOWN:,} properties more (--json)")


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def print_types(out: Console, facts: dict[str, Any]) -> None:
    """Print the types of entities with their counts."""
    if not facts["types"]:
        return
    table = Table("type", "entities", box=None, pad_edge=False)
    for row in facts["types"]:
        table.add_row(Text(plain(row["type"])), f"{row['entities']:,}")
    out.print(table)
    if facts["more_types"]:
        out.print(f"... and {facts['more_types']:,} types more (--json)")


def print_not_kept(out: Console, not_kept: dict[str, dict[str, Any]]) -> None:
    """Print what the source says and the graph does not keep as it is."""
    for what, row in not_kept.items():
        examples = f", such as {', '.join(map(_short, row['examples']))}" if row["examples"] else ""
        out.print(plain(f"note: {what}: {row['count']:,}{examples}"))
