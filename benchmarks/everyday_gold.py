"""Questions of a set for `everyday.py`, with answers that pandas computes: the parts that several sets share.

A text file has definitions first (`name = expression`), then questions: a line with kind and comparison in brackets, a
question, and below it, indented, the expression of its answers. Lines with `#` are comments. Expressions are read with
the tables and the functions of the script of that set. Odd and even questions are the two halves.
"""

from __future__ import annotations

import argparse
import io
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from everyday_sets import Tables, save, unpacked, with_ends

Row = dict[str, Any]

HEADING = re.compile(r"\[(.+): (\w+)\]")


def as_written(tables: Tables, **options: Any) -> Tables:
    """Return tables as `pandas.read_csv` reads them after they were written."""
    return {key: pd.read_csv(io.StringIO(table.to_csv(index=False)), **options) for key, table in tables.items()}


def yes(fact: Any) -> list[str]:
    """Return «yes» or «no» as an answer."""
    return ["yes" if fact else "no"]


def listed(labels: Iterable[Any], most: int = 15) -> list[str]:
    """Return different labels in order. Raise `ValueError` for none, or more than a person would read."""
    found = sorted({str(label) for label in labels})
    if not 0 < len(found) <= most:
        raise ValueError(f"{len(found)} answers, not 1 to {most}")
    return found


def larger(first: str, second: str, one: Any, two: Any) -> list[str]:
    """Return which of two has the larger value, given their names and values. Raise `ValueError` if they are equal."""
    if one == two:
        raise ValueError(f"{first} and {second} are equal")
    return [first if one > two else second]


def renamed(columns: str) -> Iterable[tuple[str, str]]:
    """Yield new and old names of columns: `new=old` takes a column under a new name."""
    for part in columns.split():
        new, _, old = part.partition("=")
        yield new, old or new


def one(table: pd.DataFrame, name: str, column: str) -> Any:
    """Return the only value that the rows of a name have in a column."""
    (value,) = table.loc[table["name"] == name, column].dropna().unique()
    return value


def most(values: pd.Series, least: bool = False) -> list[str]:
    """Return the names, the index of a column, that have the largest or the smallest value."""
    return [str(name) for name in values.index[values == (values.min() if least else values.max())]]


def card(table: pd.DataFrame, name: str, columns: str) -> list[str]:
    """Return the values that the row of a name has in some columns."""
    values = [one(table, name, column) for column in columns.split()]
    return [value if isinstance(value, str) else f"{value:.12g}" for value in values]


def nothing(found: Iterable[Any]) -> list[str]:
    """Return «none» if nothing was found. Raise `ValueError` otherwise."""
    answers = list(found)
    if answers:
        raise ValueError(f"{len(answers)} answers, not none")
    return ["none"]


def tables_and_ends(tables: Tables) -> dict[str, Any]:
    """Return what the expressions of answers can use: nodes by their kinds, edges as `with_ends` gives them, pandas."""
    told = {key[6:]: table for key, table in tables.items() if key.startswith("nodes_")}
    return told | with_ends(tables) | {"pd": pd} | TOOLS


def with_known_ends(tables: Tables) -> Tables:
    """Return tables without the edges of which an end is no node of them."""
    known = set(pd.concat([table["id"] for key, table in tables.items() if key.startswith("nodes_")]))
    return {
        key: table[table["start"].isin(known) & table["end"].isin(known)] if key.startswith("edges_") else table
        for key, table in tables.items()
    }


def questions(text: str, scope: dict[str, Any]) -> list[Row]:
    """Return the questions of a text with their answers, read with the names of a scope."""
    scope = scope | {"yes": yes}
    rows: list[Row] = []
    kind = compare = question = ""
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        heading = HEADING.fullmatch(line)
        if heading:
            kind, compare = heading.groups()
        elif not kind:
            name, _, expression = line.partition(" = ")
            scope[name] = eval(expression, scope)
        elif not line.startswith(" "):
            question = line
        else:
            try:
                found = eval(line.strip(), scope)
            except Exception as error:
                raise SystemExit(f"{question}\n    {line.strip()}\n    {error!r}") from error
            answers = [str(answer) for answer in (found if isinstance(found, list) else [found])]
            if (compare == "refuse") == bool(answers):
                raise SystemExit(f"{question}\n    {len(answers)} answers to a question of kind {kind}")
            rows.append({"question": question, "answers": answers, "kind": kind, "compare": compare})
    return rows


TOOLS = {function.__name__: function for function in (card, larger, listed, most, nothing, one)}
"""The functions that the expressions of most sets can use."""


def write_set(
    script: str,
    about: str | None,
    package: str,
    tables_of: Callable[[Path], Tables],
    scope_of: Callable[[Tables], dict[str, Any]],
) -> None:
    """Write a set out of a package: the tables, and the questions of the text file beside its script.

    Args:
        script: The path of the script, `everyday_NAME.py`.
        about: Its docstring.
        package: The package of the Python index, with its version.
        tables_of: Returns the tables of the unpacked package.
        scope_of: Returns what the expressions of the answers can use, given the tables.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", type=Path)
    parser.add_argument("--package", type=Path, help=f"an unpacked {package.partition('=')[0]}")
    options = parser.parse_args()
    tables = tables_of(options.package or unpacked(package, options.work))
    text = Path(script).with_suffix(".txt").read_text(encoding="utf-8")
    name = Path(script).stem.removeprefix("everyday_")
    save(options.work / name, tables, questions(text, scope_of(as_written(tables))))
