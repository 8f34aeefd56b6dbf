"""Printing to the terminal: tables, safe texts and JSON."""

from __future__ import annotations

import json
import sys
from typing import Any
from unicodedata import category

from rich.console import Console
from rich.table import Table
from rich.text import Text

_LONGEST = 2_000  # characters of one text that are printed
_FILE_WIDTH = 140  # columns of tables that go to a file or a pipe


def console(*, stderr: bool = False) -> Console:
    """Return a console for standard output, or standard error, that never reads labels as markup."""
    out = Console(stderr=stderr, highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not out.is_terminal:
        out.width = _FILE_WIDTH
    return out


def table(*columns: str, title: str | None = None, header: bool = True) -> Table:
    """Return an empty table without lines."""
    return Table(
        *columns, title=title, show_header=header, box=None, pad_edge=False, title_justify="left", title_style="bold"
    )


def note(out: Console, text: str) -> None:
    """Print a remark beside the figures."""
    out.print(Text(plain(text), style="dim"), soft_wrap=True)


def plain(text: str) -> str:
    """Escape control characters and cut the end of a very long text, so that it is safe to print.

    Spaces that do not break a line, and other wide and narrow ones, stay.

    >>> plain("Evil\\x1b[31m")
    'Evil\\\\x1b[31m'
    """
    shown = "".join(
        c if c.isprintable() or category(c) == "Zs" else c.encode("unicode_escape").decode() for c in text[:_LONGEST]
    )
    return shown if len(text) <= _LONGEST else f"{shown} ... ({len(text):,} characters)"


def plain_lines(text: str) -> str:
    """Like `plain`, but keep lines and tabs, as in a text that a language model wrote.

    >>> print(plain_lines("Two:\\n- a\\n\\tb\\x1b[31m"))
    Two:
    - a
        b\\x1b[31m
    """
    return "\n".join(plain(line.expandtabs(4)) for line in text.splitlines())


def print_json(value: Any) -> None:
    """Print one JSON document; in ASCII if standard output cannot encode all of it."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        text = json.dumps(value, indent=1)
    sys.stdout.write(text + "\n")
